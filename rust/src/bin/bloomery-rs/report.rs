//! What `build` tells of the file that it wrote, for people and for programs.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;

use bloomery::{AnyFilter, Format};

use crate::format::fmt_g4;
use crate::json::Object;
use crate::keys::KeyFiles;
use crate::tell;

/// What there is to tell of a build.
pub struct Built<'a> {
    pub path: &'a OsStr,
    pub filter: &'a AnyFilter,
    pub format: Format,
    pub keys: &'a KeyFiles,
}

impl Built<'_> {
    pub fn report(&self, json: bool) -> io::Result<()> {
        let mut out = io::stdout().lock();
        if json {
            out.write_all(self.json().as_bytes())?;
            return out.flush();
        }
        out.write_all(self.path.as_bytes())?;
        writeln!(
            out,
            ": {}, {} keys, {} bytes, {} bits/key, predicted fpr {}",
            self.filter.kind(),
            self.key_count(),
            self.file_bytes(),
            fmt_g4(self.bits_per_key()),
            fmt_g4(self.filter.view().predicted_fpr())
        )?;
        out.flush()?;
        let (distinct, exactly) = self.distinct();
        if let Some(remarks) = self.keys.remarks(distinct, exactly) {
            tell(&remarks);
        }
        Ok(())
    }

    fn json(&self) -> String {
        let counts = self.keys.counts();
        let (distinct, exactly) = self.distinct();
        let format = match self.format {
            Format::Raw => "raw",
            Format::Envelope => "envelope",
        };
        Object::default()
            .path("file", self.path)
            .text("kind", self.filter.kind().name())
            .text("format", format)
            .put("keys", self.key_count())
            .put("bytes", self.file_bytes())
            .real("bits_per_key", self.bits_per_key())
            .real("predicted_fpr", self.filter.view().predicted_fpr())
            .put("lines", counts.lines)
            .put("empty_lines", counts.empty)
            .put("lines_with_cr", counts.with_cr)
            .maybe("distinct_keys", distinct)
            .put("distinct_exactly", exactly)
            .line()
    }

    fn key_count(&self) -> u64 {
        self.filter.key_count().unwrap_or(u64::MAX)
    }

    fn bits_per_key(&self) -> f64 {
        self.filter.geometry().payload_bits() as f64 / self.key_count().max(1) as f64
    }

    /// The bytes of the file that was written; where it cannot be asked, those of one without records.
    fn file_bytes(&self) -> u64 {
        let header = match self.format {
            Format::Raw => bloomery::wire::RAW_HEADER,
            Format::Envelope => bloomery::wire::ENVELOPE_HEADER,
        };
        let without_records = header as u64 + self.filter.geometry().payload_bytes();
        fs::metadata(self.path).map_or(without_records, |written| written.len())
    }

    /// How many distinct keys there are, and whether exactly: of a kind that is made of them, else by an estimate.
    fn distinct(&self) -> (Option<u64>, bool) {
        match self.filter.kind().is_static() {
            true => (self.filter.key_count(), true),
            false => (self.filter.view().estimated_count(), false),
        }
    }
}

/// A size for people: `5.0 GB`.
pub fn rounded(bytes: u64) -> String {
    let mut size = bytes as f64;
    let units = ["bytes", "kB", "MB", "GB", "TB", "PB", "EB"];
    let mut unit = 0;
    while size >= 999.5 && unit + 1 < units.len() {
        size /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{} bytes", bytes),
        _ if size < 99.95 => format!("{:.1} {}", size, units[unit]),
        _ => format!("{:.0} {}", size, units[unit]),
    }
}
