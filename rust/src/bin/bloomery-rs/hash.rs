//! `hash`: a line a key, of 16 hexadecimal digits, TAB and the key.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};

use bloomery::{Hash, HashId};

use crate::accepts::{flag, Accepts};
use crate::failure::{self, Outcome};
use crate::hashing::{self, HASH, SECRET};
use crate::json::Object;
use crate::keys::{KeyFiles, Lines, LINES};
use crate::spelling::{Spelling, KEYS};

pub const ACCEPTS: Accepts = Accepts {
    command: "hash",
    about: "Print the hash of each key. A line a key: 16 hexadecimal digits, TAB, the key. KEYS are files with a key a \
            line, by default standard input.",
    words: &[
        &HASH,
        &[SECRET, KEYS],
        &LINES,
        &[flag(&["--json"], "A line of JSON for each key")],
    ],
    required: &[],
    repeated: &[],
    arguments: &["KEYS..."],
};

pub fn run(line: &[OsString]) -> Outcome {
    let arguments = ACCEPTS.parse(line)?;
    let hasher = hashing::hasher(&arguments, HashId::FnvSplitmix)?;
    let lines = Lines::of(&arguments);
    let spelling = Spelling::given(&arguments)?.unwrap_or(Spelling::Text);
    let mut keys = KeyFiles::open(arguments.operands(), lines, spelling)?;
    let json = arguments.has("--json");
    let mut out = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    keys.each_block(|mut block| {
        block.each_group(|spelled, keys| {
            let mut hashes = [Hash::default(); 64];
            hasher.hash_many(keys, &mut hashes);
            for (line, hash) in spelled.iter().zip(&hashes) {
                let written = match json {
                    true => write_json(&mut out, *hash, line),
                    false => write_line(&mut out, *hash, line, lines.separator),
                };
                written.map_err(failure::output)?;
            }
            Ok(())
        })?;
        // The next read may wait for somebody who waits for these lines.
        out.flush().map_err(failure::output)
    })?;
    Ok(0)
}

fn digits(hash: Hash) -> [u8; 16] {
    let mut digits = [0; 16];
    for (i, digit) in digits.iter_mut().enumerate() {
        let value = (hash.bits() >> (60 - 4 * i)) as usize & 15;
        *digit = b"0123456789abcdef"[value];
    }
    digits
}

fn write_line(out: &mut impl Write, hash: Hash, line: &[u8], separator: u8) -> io::Result<()> {
    out.write_all(&digits(hash))?;
    out.write_all(b"\t")?;
    out.write_all(line)?;
    out.write_all(&[separator])
}

fn write_json(out: &mut impl Write, hash: Hash, line: &[u8]) -> io::Result<()> {
    let object = Object::default().bytes("key", line);
    let object = object.text("hash", &format!("{:016x}", hash.bits()));
    out.write_all(object.line().as_bytes())
}
