//! `hash`: a line a key, of 16 hexadecimal digits, TAB and the key.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};

use bloomery::{Hash, HashId};

use crate::arguments::Accepts;
use crate::failure::{self, Outcome};
use crate::hashing;
use crate::keys::Source;

const ACCEPTS: Accepts = Accepts {
    flags: &["-0"],
    options: &["--hash", "--seed", "--secret"],
    more_options: &[],
    operands: 1,
};

pub fn run(line: &[OsString]) -> Outcome {
    let arguments = ACCEPTS.parse(line)?;
    let hasher = hashing::hasher(&arguments, HashId::FnvSplitmix)?;
    let separator = hashing::separator(&arguments);
    let mut keys = Source::open(arguments.operand(0), separator)?;
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    keys.each_block(|block| {
        block.each_group(|keys| {
            let mut hashes = [Hash::default(); 64];
            hasher.hash_many(keys, &mut hashes);
            for (key, hash) in keys.iter().zip(&hashes) {
                write_line(&mut out, *hash, key, separator).map_err(failure::output)?;
            }
            Ok(())
        })?;
        // The next read may wait for somebody who waits for these lines.
        out.flush().map_err(failure::output)
    })?;
    Ok(0)
}

fn write_line(out: &mut impl Write, hash: Hash, key: &[u8], separator: u8) -> io::Result<()> {
    let mut digits = [b'\t'; 17];
    for (i, digit) in digits.iter_mut().take(16).enumerate() {
        let value = (hash.bits() >> (60 - 4 * i)) as usize & 15;
        *digit = b"0123456789abcdef"[value];
    }
    out.write_all(&digits)?;
    out.write_all(key)?;
    out.write_all(&[separator])
}
