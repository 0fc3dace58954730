//! `inspect`: what a filter file is, how full it is, and how often it says "maybe" to random hashes.

use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;

use bloomery::file::Stored;
use bloomery::hash::splitmix64;
use bloomery::sizing::{wilson, Interval};
use bloomery::{AnyGeometry, Format, Hash, Header, Parsed, Verify};

use crate::arguments::Accepts;
use crate::failure::Outcome;
use crate::format::fmt_g4;
use crate::show;

const ACCEPTS: Accepts = Accepts {
    flags: &["--json"],
    options: &[],
    more_options: &[],
    operands: 1,
};

const SAMPLES: u64 = 1_000_000;
const COLUMNS: u64 = 64;
/// Where a line is put that only some kinds have.
const AFTER_GEOMETRY: usize = 4;
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Everything that is printed, in either form.
struct Report {
    header: Header,
    retries: Option<u64>,
    cells: &'static str,
    cells_set: u64,
    fill: f64,
    estimated_count: Option<u64>,
    predicted_fpr: f64,
    sampled: Interval,
    columns: Vec<Column>,
}

/// A stretch of the payload: how many of its bits are set.
struct Column {
    set: u64,
    bits: u64,
}

impl Column {
    fn share_of(&self, whole: u64) -> u64 {
        (u128::from(whole) * u128::from(self.set) / u128::from(self.bits.max(1))) as u64
    }
}

pub fn run(line: &[OsString]) -> Outcome {
    let arguments = ACCEPTS.parse(line)?;
    let path = arguments.operand(0).map(Path::new);
    let path = path.ok_or("no filter file: give inspect [--json] FILE")?;
    let stored = Stored::open(path, Verify::All)?;
    let parsed = stored.parsed().map_err(|e| e.in_file(path))?;
    let report = Report::new(parsed);
    show(&if arguments.has("--json") {
        report.json()
    } else {
        report.text()
    })
}

impl Report {
    fn new(view: Parsed<'_>) -> Report {
        let header = view.header().clone();
        Report {
            retries: view.retries(),
            cells: view.cells(),
            cells_set: view.cells_set(),
            fill: view.fill(),
            estimated_count: view.estimated_count(),
            predicted_fpr: view.predicted_fpr(),
            sampled: wilson(sample(&view), SAMPLES),
            columns: columns(&view, header.geometry.payload_bits()),
            header,
        }
    }

    fn file_bytes(&self) -> u64 {
        self.header.header_bytes() as u64 + self.header.geometry.payload_bytes()
    }

    /// The numbers of the geometry, each as `show` writes it.
    fn numbers(&self, show: impl Fn(&str, u64) -> String, between: &str) -> String {
        let geometry = self.header.geometry;
        let names = AnyGeometry::fields(geometry.kind()).iter();
        let shown: Vec<String> = names
            .zip(geometry.values())
            .map(|(name, value)| show(name, value))
            .collect();
        shown.join(between)
    }

    fn text(&self) -> String {
        let hash = self.header.hash;
        let mut name = hash.id.name().to_string();
        if hash.id.is_seeded() {
            let _ = write!(name, ", seed {:#018x}", hash.seed);
        } else if hash.id.is_keyed() {
            let _ = write!(name, ", secret id {:#018x}", hash.seed);
        }
        let format = match self.header.format {
            Format::Raw => "raw",
            Format::Envelope => "envelope 1",
        };
        let sampled = format!(
            "{}, 95 % interval {} to {}, {} random hashes",
            fmt_g4(self.sampled.rate),
            fmt_g4(self.sampled.low),
            fmt_g4(self.sampled.high),
            SAMPLES
        );
        let bars: String = self
            .columns
            .iter()
            .filter_map(|column| BARS.get(column.share_of(8) as usize))
            .collect();
        let used = if self.cells == "bits" { "set" } else { "used" };
        let cells = format!("{} {}", self.cells, used);
        let forgets = self.header.geometry.kind().forgets();
        let nobody_knows = if forgets { "unknown" } else { "saturated" };
        let mut lines = vec![
            ("kind", self.header.geometry.kind().to_string()),
            ("format", format.to_string()),
            ("hash", name),
            (
                "geometry",
                self.numbers(|name, n| format!("{} {}", name, n), ", "),
            ),
            ("file bytes", self.file_bytes().to_string()),
            ("keys added", or(self.header.key_count, "unknown")),
            (&cells, self.cells_set.to_string()),
            ("fill", fmt_g4(self.fill)),
            ("estimated keys", or(self.estimated_count, nobody_knows)),
            ("predicted fpr", fmt_g4(self.predicted_fpr)),
            ("sampled fpr", sampled),
            ("fill along", format!("|{}|", bars)),
        ];
        if let Some(retries) = self.retries {
            lines.insert(AFTER_GEOMETRY, ("retries", retries.to_string()));
        }
        if forgets {
            let why = "yes: what it denies may have been added, but not lately";
            lines.insert(1, ("forgets", why.to_string()));
        }
        lines
            .iter()
            .map(|(label, value)| format!("{:<16}{}\n", label, value))
            .collect()
    }

    fn json(&self) -> String {
        let hash = self.header.hash;
        let hex = |given: bool| match given {
            true => format!("\"{:#018x}\"", hash.seed),
            false => "null".to_string(),
        };
        let (format, version) = match self.header.format {
            Format::Raw => ("\"raw\"", "null"),
            Format::Envelope => ("\"envelope\"", "1"),
        };
        let geometry = self.numbers(|name, n| format!("\"{}\":{}", name, n), ",");
        let along: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.share_of(1000).to_string())
            .collect();
        let payload_bytes = self.header.geometry.payload_bytes();
        let mut fields = vec![
            ("kind", format!("\"{}\"", self.header.geometry.kind())),
            ("format", format.to_string()),
            ("version", version.to_string()),
            ("hash", format!("\"{}\"", hash.id.name())),
            ("seed", hex(hash.id.is_seeded())),
            ("secret_id", hex(hash.id.is_keyed())),
            ("geometry", format!("{{{}}}", geometry)),
            ("file_bytes", self.file_bytes().to_string()),
            ("payload_bytes", payload_bytes.to_string()),
            ("key_count", or(self.header.key_count, "null")),
            ("bits_set", self.cells_set.to_string()),
            ("fill", json_real(self.fill)),
            ("estimated_count", or(self.estimated_count, "null")),
            ("predicted_fpr", json_real(self.predicted_fpr)),
            ("sampled_fpr", json_real(self.sampled.rate)),
            ("sampled_low", json_real(self.sampled.low)),
            ("sampled_high", json_real(self.sampled.high)),
            ("samples", SAMPLES.to_string()),
            ("fill_along", format!("[{}]", along.join(","))),
        ];
        if let Some(retries) = self.retries {
            fields.push(("retries", retries.to_string()));
        }
        let fields: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("\"{}\":{}", name, value))
            .collect();
        format!("{{{}}}\n", fields.join(","))
    }
}

fn or(number: Option<u64>, otherwise: &str) -> String {
    number.map_or_else(|| otherwise.to_string(), |number| number.to_string())
}

/// Like `%.4g`, but always recognizable as a real number.
fn json_real(x: f64) -> String {
    let text = fmt_g4(x);
    if text.contains(['.', 'e']) {
        text
    } else {
        text + ".0"
    }
}

fn sample(view: &Parsed<'_>) -> u64 {
    let mut hits = 0;
    let mut answers = Vec::new();
    for first in (0..SAMPLES).step_by(1000) {
        let hashes: Vec<Hash> = (first..first + 1000)
            .map(|i| Hash::new(splitmix64(i)))
            .collect();
        view.contains_many_hashes(&hashes, &mut answers);
        hits += answers.iter().filter(|answer| **answer).count();
    }
    hits as u64
}

/// Bits at or above `last` are no part of the filter.
fn columns(view: &Parsed<'_>, last: u64) -> Vec<Column> {
    let payload = view.payload();
    let bytes = payload.len() as u64;
    let count = COLUMNS.min(bytes);
    let edge = |c: u64| (u128::from(c) * u128::from(bytes) / u128::from(count.max(1))) as u64;
    (0..count)
        .map(|c| {
            let (from, to) = (edge(c), edge(c + 1));
            let stretch = payload.get(from as usize..to as usize).unwrap_or(&[]);
            Column {
                set: stretch
                    .iter()
                    .map(|byte| u64::from(byte.count_ones()))
                    .sum(),
                bits: (8 * u128::from(to)).min(u128::from(last)) as u64 - 8 * from,
            }
        })
        .collect()
}
