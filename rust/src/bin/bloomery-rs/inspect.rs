//! `inspect`: what a filter file is, how full it is, and how often it says "maybe" to random hashes.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bloomery::hash::splitmix64;
use bloomery::sizing::{wilson, Interval};
use bloomery::{AnyGeometry, Format, Hash, Header, Parsed, Verify};

use crate::accepts::{flag, Accepts};
use crate::failure::{Failure, Outcome};
use crate::format::fmt_g4;
use crate::json::Object;
use crate::{complain, show, stored};

pub const ACCEPTS: Accepts = Accepts {
    command: "inspect",
    about: "Describe filter files: kind, hash, size, how full they are, and how often they say 'maybe' to random hashes. \
            Of several files each answer begins with the name of its file.",
    words: &[&[flag(&["--json"], "One line of JSON for each file")]],
    required: &[],
    repeated: &[],
    arguments: &["FILE", "FILE..."],
};

const SAMPLES: u64 = 1_000_000;
const COLUMNS: u64 = 64;
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
    let json = arguments.has("--json");
    let files = arguments.operands();
    let mut status = 0;
    for (number, path) in files.iter().map(Path::new).enumerate() {
        let many = files.len() > 1;
        if many && !json {
            let gap = if number > 0 { "\n" } else { "" };
            let title = format!("{}{:<16}", gap, "file");
            show([title.as_bytes(), path.as_os_str().as_bytes(), b"\n"].concat())?;
        }
        let report = match examine(path) {
            Ok(report) => report,
            Err(Failure::Message(why)) => {
                complain(&why);
                status = 2;
                continue;
            }
            Err(other) => return Err(other),
        };
        show(&match json {
            true => report.json(Some(path).filter(|_| many)),
            false => report.text(),
        })?;
    }
    Ok(status)
}

fn examine(path: &Path) -> Result<Report, Failure> {
    let stored = stored::open(path, Verify::All).map_err(|refused| refused.failure)?;
    let parsed = stored.parsed().map_err(|e| e.in_file(path))?;
    Ok(Report::new(parsed))
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

    /// The bits of the payload for each distinct key, where the geometry counts these.
    fn bits_per_key(&self) -> Option<f64> {
        let geometry = self.header.geometry;
        let names = AnyGeometry::fields(geometry.kind()).iter();
        let (_, keys) = names
            .zip(geometry.values())
            .find(|(name, keys)| **name == "keys" && *keys > 0)?;
        Some(geometry.payload_bits() as f64 / keys as f64)
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
        let mut lines: Vec<(&str, String)> = Vec::new();
        lines.push(("kind", self.header.geometry.kind().to_string()));
        if forgets {
            let why = "yes: what it denies may have been added, but not lately";
            lines.push(("forgets", why.to_string()));
        }
        lines.extend([("format", format.to_string()), ("hash", name)]);
        for line in self.records() {
            lines.push(line);
        }
        lines.push((
            "geometry",
            self.numbers(|name, n| format!("{} {}", name, n), ", "),
        ));
        lines.extend(self.retries.map(|n| ("retries", n.to_string())));
        lines.extend([
            ("file bytes", self.file_bytes().to_string()),
            ("keys added", or(self.header.key_count, "unknown")),
        ]);
        lines.extend(self.bits_per_key().map(|n| ("bits per key", fmt_g4(n))));
        lines.extend([
            (cells.as_str(), self.cells_set.to_string()),
            ("fill", fmt_g4(self.fill)),
            ("estimated keys", or(self.estimated_count, nobody_knows)),
            ("predicted fpr", fmt_g4(self.predicted_fpr)),
            ("sampled fpr", sampled),
            ("fill along", format!("|{}|", bars)),
        ]);
        lines
            .iter()
            .map(|(label, value)| format!("{:<16}{}\n", label, value))
            .collect()
    }

    /// A line for each record that the file has.
    fn records(&self) -> impl Iterator<Item = (&'static str, String)> {
        let records = &self.header.records;
        let payload = self.header.geometry.payload_bytes();
        let chunks = records.chunk_bytes().map(|size| {
            let count = payload / size + u64::from(payload % size != 0);
            format!("{} of {} bytes", count, size)
        });
        let lines = [
            ("label", records.label().map(str::to_string)),
            ("created", records.created().map(|time| time.to_string())),
            ("keys are", records.keys().map(str::to_string)),
            ("chunks", chunks),
        ];
        lines
            .into_iter()
            .filter_map(|(label, value)| value.map(|value| (label, value)))
    }

    fn json(&self, file: Option<&Path>) -> String {
        let hash = self.header.hash;
        let hex = |given: bool| match given {
            true => format!("\"{:#018x}\"", hash.seed),
            false => "null".to_string(),
        };
        let (format, version) = match self.header.format {
            Format::Raw => ("raw", None),
            Format::Envelope => ("envelope", Some(1)),
        };
        let geometry = self.numbers(|name, n| format!("\"{}\":{}", name, n), ",");
        let along: Vec<String> = self
            .columns
            .iter()
            .map(|column| column.share_of(1000).to_string())
            .collect();
        let mut object = Object::default();
        if let Some(file) = file {
            object = object.path("file", file.as_os_str());
        }
        object = object
            .text("kind", self.header.geometry.kind().name())
            .text("format", format)
            .maybe("version", version)
            .text("hash", hash.id.name())
            .put("seed", hex(hash.id.is_seeded()))
            .put("secret_id", hex(hash.id.is_keyed()))
            .put("geometry", format!("{{{}}}", geometry))
            .put("file_bytes", self.file_bytes())
            .put("payload_bytes", self.header.geometry.payload_bytes())
            .maybe("key_count", self.header.key_count)
            .put("bits_set", self.cells_set)
            .real("fill", self.fill)
            .maybe("estimated_count", self.estimated_count)
            .real("predicted_fpr", self.predicted_fpr)
            .real("sampled_fpr", self.sampled.rate)
            .real("sampled_low", self.sampled.low)
            .real("sampled_high", self.sampled.high)
            .put("samples", SAMPLES)
            .put("fill_along", format!("[{}]", along.join(",")));
        if let Some(retries) = self.retries {
            object = object.put("retries", retries);
        }
        object = self.json_records(object);
        if let Some(bits) = self.bits_per_key() {
            object = object.real("bits_per_key", bits);
        }
        object.line()
    }

    fn json_records(&self, mut object: Object) -> Object {
        let records = &self.header.records;
        if let Some(label) = records.label() {
            object = object.text("label", label);
        }
        if let Some(created) = records.created() {
            object = object.put("created", created);
        }
        if let Some(keys) = records.keys() {
            object = object.text("keys", keys);
        }
        match records.chunk_bytes() {
            Some(bytes) => object.put("chunk_bytes", bytes),
            None => object,
        }
    }
}

fn or(number: Option<u64>, otherwise: &str) -> String {
    number.map_or_else(|| otherwise.to_string(), |number| number.to_string())
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
