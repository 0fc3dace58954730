//! `query`: whether each key may be in a filter file, in the order of the keys.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bloomery::wire::Verify;
use bloomery::{AnyFilter, ErrorKind};

use crate::accepts::{flag, option, Accepts};
use crate::arguments::Arguments;
use crate::failure::{self, Failure, Outcome};
use crate::hashing::{self, SECRET};
use crate::json::Object;
use crate::keys::{KeyFiles, Lines, LINES};
use crate::spelling::{Encoder, Spelling};
use crate::stored;

pub const ACCEPTS: Accepts = Accepts {
    command: "query",
    about: "Tell which keys may be present. Prints 'maybe' or 'no', TAB, and the key, for each key in order; of a kind \
            that forgets 'unseen' takes the place of 'no'. Exit status 0 when every key may be present, 1 when some is \
            absent. With --only, --invert or --count some answers match: those of --only (maybe unless given), or with \
            --invert the others. The keys that match are printed alone, or with --count their number; exit status 0 \
            when some key matched, 1 when none did.",
    words: &[
        &[
            option(&["--key"], "KEY", "Ask for this key, instead of KEYS; may be given again"),
            option(&["--only"], "ANSWER", "Print the keys of this answer alone: maybe or no"),
            flag(&["--invert"], "Print the keys of the other answer"),
            flag(&["--count"], "Print how many keys match, instead of the keys"),
            flag(&["--json"], "A line of JSON for each key"),
            option(
                &["--keys"],
                "SPELLING",
                "How lines spell keys: text, int, hex or base64 (default: as the file says, else text)",
            ),
            flag(&["--force"], "Ask although the file says that its keys are of another type"),
            SECRET,
            flag(&["--no-verify"], "Check the header of the file only"),
        ],
        &LINES,
    ],
    required: &[],
    repeated: &["--key"],
    arguments: &["FILE", "KEYS..."],
};

pub fn run(line: &[OsString]) -> Outcome {
    let arguments = ACCEPTS.parse(line)?;
    let (path, files) = match arguments.operands() {
        [path, files @ ..] => (Path::new(path), files),
        [] => return Err(ACCEPTS.wrong("FILE is missing")),
    };
    let given: Vec<&[u8]> = arguments.all("--key").map(|key| key.as_bytes()).collect();
    if !given.is_empty() && !files.is_empty() {
        return Err("--key and KEYS exclude each other: give one".into());
    }
    let filter = open(&arguments, path)?;
    let mut asker = Asker::new(&arguments, &filter)?;
    let spelling =
        Spelling::of_file(&arguments, filter.records()).map_err(|failure| failure.in_file(path))?;
    let asked = if given.is_empty() {
        let lines = Lines::of(&arguments);
        let mut keys = KeyFiles::open(files, lines, spelling)?;
        keys.each_block(|mut block| {
            block.each_group(|lines, keys| asker.ask(lines, keys))?;
            // The next read may wait for somebody who waits for these lines.
            asker.flush()
        })
    } else {
        let mut encoder = Encoder::new(spelling);
        encoder.encode(&given, Path::new("--key"), |keys| asker.ask(&given, keys))
    };
    match asked.and_then(|()| asker.finish()) {
        // The status stays true of what was asked so far.
        Ok(()) | Err(Failure::OutputClosed) => Ok(asker.status()),
        Err(failure) => Err(failure),
    }
}

fn open(arguments: &Arguments, path: &Path) -> Result<AnyFilter, Failure> {
    let verify = if arguments.has("--no-verify") {
        Verify::Header
    } else {
        Verify::All
    };
    let secret = hashing::secret(arguments)?;
    let stored = stored::open(path, verify).map_err(|refused| refused.failure)?;
    // The secret of a filter that has none is not needed, and does no harm.
    let keyed = stored.header().hash.id.is_keyed();
    let filter = stored.into_filter(secret.as_ref().filter(|_| keyed));
    filter.map_err(|error| {
        let missing = error.kind() == ErrorKind::WrongSecret && secret.is_none();
        let failure = Failure::from(error.in_file(path));
        match missing {
            true => failure.with(": give it with --secret FILE"),
            false => failure,
        }
    })
}

/// Asks a filter about groups of keys, prints the answers, and counts them.
struct Asker<'a, W: Write> {
    filter: &'a AnyFilter,
    out: W,
    absent: &'static str,
    separator: u8,
    /// Whether some answers are asked for and the others left out, and whether those are `maybe`.
    selects: bool,
    wanted: bool,
    count: bool,
    json: bool,
    answers: Vec<bool>,
    asked: u64,
    matched: u64,
    some_absent: bool,
}

impl<'a> Asker<'a, BufWriter<io::StdoutLock<'static>>> {
    fn new(arguments: &Arguments, filter: &'a AnyFilter) -> Result<Self, Failure> {
        let only = arguments.parsed("--only", "maybe or no", |text| match text {
            "maybe" => Some(true),
            "no" => Some(false),
            _ => None,
        })?;
        let (invert, count) = (arguments.has("--invert"), arguments.has("--count"));
        Ok(Asker {
            filter,
            out: BufWriter::with_capacity(1 << 16, io::stdout().lock()),
            absent: if filter.kind().forgets() {
                "unseen"
            } else {
                "no"
            },
            separator: Lines::of(arguments).separator,
            selects: only.is_some() || invert || count,
            wanted: only.unwrap_or(true) != invert,
            count,
            json: arguments.has("--json"),
            answers: Vec::new(),
            asked: 0,
            matched: 0,
            some_absent: false,
        })
    }
}

impl<W: Write> Asker<'_, W> {
    fn ask(&mut self, lines: &[&[u8]], keys: &[&[u8]]) -> Result<(), Failure> {
        let mut answers = std::mem::take(&mut self.answers);
        self.filter.contains_many(keys, &mut answers);
        for (line, maybe) in lines.iter().zip(&answers) {
            self.asked += 1;
            self.some_absent |= !maybe;
            if !self.selects || *maybe == self.wanted {
                self.matched += 1;
                if !self.count {
                    self.print(line, *maybe).map_err(failure::output)?;
                }
            }
        }
        self.answers = answers;
        Ok(())
    }

    fn print(&mut self, line: &[u8], maybe: bool) -> io::Result<()> {
        let answer = if maybe { "maybe" } else { self.absent };
        if self.json {
            let object = Object::default().bytes("key", line).text("answer", answer);
            return self.out.write_all(object.line().as_bytes());
        }
        if !self.selects {
            self.out.write_all(answer.as_bytes())?;
            self.out.write_all(b"\t")?;
        }
        self.out.write_all(line)?;
        self.out.write_all(&[self.separator])
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.out.flush().map_err(failure::output)
    }

    /// With `--count`, the number.
    fn finish(&mut self) -> Result<(), Failure> {
        let counted = match (self.count, self.json) {
            (false, _) => String::new(),
            (true, false) => format!("{}\n", self.matched),
            (true, true) => {
                let object = Object::default().put("matched", self.matched);
                object.put("asked", self.asked).line()
            }
        };
        let written = self.out.write_all(counted.as_bytes());
        written.map_err(failure::output)?;
        self.flush()
    }

    fn status(&self) -> u8 {
        u8::from(match self.selects {
            true => self.matched == 0,
            false => self.some_absent,
        })
    }
}
