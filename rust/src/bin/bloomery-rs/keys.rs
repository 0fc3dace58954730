//! The keys of all files that a command was given, one after the other. Counts what people want to know of: empty lines,
//! and lines that end in CR.

use std::ffi::{OsStr, OsString};
use std::fs::Metadata;
use std::path::Path;

use crate::accepts::{flag, Word};
use crate::arguments::Arguments;
use crate::complain;
use crate::failure::Failure;
use crate::source::Source;
use crate::spelling::{Encoder, Spelling};

/// Keys handed on together.
const GROUP: usize = 64;

/// How keys stand in a file: what ends them, and whether a CR before that is a part of them.
#[derive(Clone, Copy)]
pub struct Lines {
    pub separator: u8,
    strip_cr: bool,
}

/// The options of commands that read keys.
pub const LINES: [Word; 2] = [
    flag(&["-0"], "Keys end in NUL instead of LF, in output too"),
    flag(
        &["--crlf"],
        "Lines end in CR LF: the CR is no part of the key",
    ),
];

impl Lines {
    pub fn of(arguments: &Arguments) -> Lines {
        let nul = arguments.has("-0");
        Lines {
            separator: if nul { 0 } else { b'\n' },
            strip_cr: arguments.has("--crlf") && !nul,
        }
    }
}

/// What was met while keys were read.
#[derive(Clone, Copy, Default)]
pub struct Counts {
    pub lines: u64,
    pub empty: u64,
    /// Lines that end in CR, stripped or not.
    pub with_cr: u64,
}

/// Several files of keys, read one after the other as if they were one. All are opened at once, so that a missing one is
/// known before any work.
pub struct KeyFiles {
    sources: Vec<Source>,
    lines: Lines,
    encoder: Encoder,
    counts: Counts,
}

impl KeyFiles {
    /// Opens the files; of none, standard input.
    pub fn open(paths: &[OsString], lines: Lines, spelling: Spelling) -> Result<KeyFiles, Failure> {
        let sources = match paths {
            [] => vec![Source::open(OsStr::new("-"))?],
            paths => paths
                .iter()
                .map(|path| Source::open(path))
                .collect::<Result<_, _>>()?,
        };
        Ok(KeyFiles {
            sources,
            lines,
            encoder: Encoder::new(spelling),
            counts: Counts::default(),
        })
    }

    /// Which files they are, where that can be told.
    pub fn metadata(&self) -> impl Iterator<Item = Metadata> + '_ {
        self.sources.iter().filter_map(Source::metadata)
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How many keys there are; they can be read afterwards. What cannot be read twice is put aside on disk.
    pub fn count(&mut self) -> Result<u64, Failure> {
        let mut count = 0;
        // Two of them may be one stream: all begin where they stand before any is read, and all are read before any
        // begins again.
        let starts: Vec<u64> = self
            .sources
            .iter_mut()
            .map(Source::make_seekable)
            .collect::<Result<_, _>>()?;
        for source in &mut self.sources {
            source.each_stretch(self.lines.separator, |_, ends, _| {
                count += ends.len() as u64;
                Ok(())
            })?;
        }
        for (source, start) in self.sources.iter_mut().zip(starts) {
            source.seek(start)?;
        }
        Ok(count)
    }

    /// Hands every block of keys to `work`, as soon as it was read, and warns of lines that end in CR where that is
    /// taken for a part of the key.
    pub fn each_block(
        &mut self,
        mut work: impl FnMut(Block<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (lines, encoder) = (self.lines, &mut self.encoder);
        for source in &mut self.sources {
            let mut counts = Counts::default();
            let mut warning = CrWarning::new(source.name(), lines);
            encoder.begin_file();
            source.each_stretch(lines.separator, |bytes, ends, name| {
                let first = counts.lines == 0;
                counts.add(bytes, ends, lines);
                if first {
                    warning.first_block(counts);
                }
                work(Block {
                    bytes,
                    ends,
                    lines,
                    name,
                    encoder,
                })
            })?;
            warning.end(counts);
            self.counts.lines += counts.lines;
            self.counts.empty += counts.empty;
            self.counts.with_cr += counts.with_cr;
        }
        Ok(())
    }

    /// "of 100 lines: 3 lines empty, 5 lines repeated"; nothing when there is nothing to say. `distinct` keys were
    /// found: exactly, or about so many, and then a few more or less are not spoken of.
    pub fn remarks(&self, distinct: Option<u64>, exactly: bool) -> Option<String> {
        let lines = self.counts.lines;
        let mut repeated = lines.saturating_sub(distinct.unwrap_or(lines));
        if !exactly && repeated < lines / 20 {
            repeated = 0;
        }
        let mut parts = Vec::new();
        if self.counts.empty > 0 {
            parts.push(format!("{} empty", lines_text(self.counts.empty)));
        }
        if repeated > 0 {
            let about = if exactly { "" } else { "about " };
            parts.push(format!("{}{} repeated", about, lines_text(repeated)));
        }
        match parts.is_empty() {
            true => None,
            false => Some(format!("of {}: {}", lines_text(lines), parts.join(", "))),
        }
    }
}

impl Counts {
    fn add(&mut self, bytes: &[u8], ends: &[usize], lines: Lines) {
        let mut start = 0;
        for end in ends {
            let line = &bytes[start..*end];
            let cr = line.last() == Some(&b'\r');
            self.with_cr += u64::from(cr);
            self.empty += u64::from(line.len() == usize::from(cr && lines.strip_cr));
            start = end + 1;
        }
        self.lines += ends.len() as u64;
    }
}

fn lines_text(count: u64) -> String {
    format!("{} line{}", count, if count == 1 { "" } else { "s" })
}

/// Warns at once of a file whose first lines all end in CR, and at the end of every file that has such lines.
struct CrWarning {
    name: String,
    off: bool,
    early: bool,
}

impl CrWarning {
    /// So many lines tell what the others will be like.
    const FIRST_LINES: u64 = 10;
    const MEND: &'static str = "; give --crlf to strip it";

    fn new(name: &Path, lines: Lines) -> CrWarning {
        CrWarning {
            name: name.display().to_string(),
            off: lines.strip_cr || lines.separator == 0,
            early: false,
        }
    }

    fn first_block(&mut self, counts: Counts) {
        if self.off || counts.lines < CrWarning::FIRST_LINES || counts.with_cr != counts.lines {
            return;
        }
        self.early = true;
        complain(&format!(
            "warning: {}: all of the first {} end in CR, which is taken for a part of each key{}",
            self.name,
            lines_text(counts.lines),
            CrWarning::MEND
        ));
    }

    fn end(&self, counts: Counts) {
        if self.off || counts.with_cr == 0 {
            return;
        }
        let mend = match self.early {
            true => String::new(),
            false => format!(", which was taken for a part of the key{}", CrWarning::MEND),
        };
        complain(&format!(
            "warning: {}: {} of {} ended in CR{}",
            self.name,
            counts.with_cr,
            lines_text(counts.lines),
            mend
        ));
    }
}

/// Some consecutive lines of a file, each up to one of the ends.
pub struct Block<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
    lines: Lines,
    name: &'a Path,
    encoder: &'a mut Encoder,
}

impl Block<'_> {
    /// Hands the lines, and the keys that they spell, to `work`, in order and some at a time.
    pub fn each_group(
        &mut self,
        mut work: impl FnMut(&[&[u8]], &[&[u8]]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut start = 0;
        for ends in self.ends.chunks(GROUP) {
            let mut lines: [&[u8]; GROUP] = [&[]; GROUP];
            for (line, end) in lines.iter_mut().zip(ends) {
                *line = &self.bytes[start..*end];
                if self.lines.strip_cr {
                    *line = line.strip_suffix(b"\r").unwrap_or(line);
                }
                start = end + 1;
            }
            let lines = &lines[..ends.len()];
            let encoded = self
                .encoder
                .encode(lines, self.name, |keys| work(lines, keys));
            encoded?;
        }
        Ok(())
    }
}
