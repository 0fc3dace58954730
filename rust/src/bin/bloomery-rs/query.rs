//! `query`: whether each key may be in a filter file, in the order of the keys.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use bloomery::file::Stored;
use bloomery::wire::Verify;
use bloomery::AnyFilter;

use crate::arguments::{Accepts, Arguments};
use crate::failure::{self, Failure, Outcome};
use crate::hashing;
use crate::keys::Source;

const ACCEPTS: Accepts = Accepts {
    flags: &["-0", "--no-verify"],
    options: &["--secret"],
    more_options: &[],
    operands: 2,
};

pub fn run(line: &[OsString]) -> Outcome {
    let arguments = ACCEPTS.parse(line)?;
    let filter = open(&arguments)?;
    let separator = hashing::separator(&arguments);
    let mut keys = Source::open(arguments.operand(1), separator)?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let absent: &[u8] = match filter.kind().forgets() {
        true => b"unseen\t",
        false => b"no\t",
    };
    let mut answers = Vec::new();
    let mut some_absent = false;
    let finished = keys.each_block(|block| {
        block.each_group(|keys| {
            filter.contains_many(keys, &mut answers);
            for (key, maybe) in keys.iter().zip(&answers) {
                some_absent |= !maybe;
                let answer = if *maybe { b"maybe\t" } else { absent };
                write_line(&mut out, answer, key, separator).map_err(failure::output)?;
            }
            Ok(())
        })?;
        // The next read may wait for somebody who waits for these lines.
        out.flush().map_err(failure::output)
    });
    match finished {
        // The status stays true of what was asked so far.
        Ok(()) | Err(Failure::OutputClosed) => Ok(u8::from(some_absent)),
        Err(failure) => Err(failure),
    }
}

fn open(arguments: &Arguments) -> Result<AnyFilter, Failure> {
    let path = arguments.operand(0).map(Path::new);
    let path = path.ok_or("no filter file: give query FILE [KEYS]")?;
    let verify = if arguments.has("--no-verify") {
        Verify::Header
    } else {
        Verify::All
    };
    let secret = hashing::secret(arguments)?;
    let filter = Stored::open(path, verify)?.into_filter(secret.as_ref());
    Ok(filter.map_err(|e| e.in_file(path))?)
}

fn write_line(out: &mut impl Write, answer: &[u8], key: &[u8], separator: u8) -> io::Result<()> {
    out.write_all(answer)?;
    out.write_all(key)?;
    out.write_all(&[separator])
}
