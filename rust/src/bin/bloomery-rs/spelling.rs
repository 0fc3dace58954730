//! How lines spell keys (`keys.md` of the specification): `--keys text|int|hex|base64`, and what a file says of it.

use std::path::Path;

use bloomery::Records;

use crate::accepts::{option, Word};
use crate::arguments::Arguments;
use crate::failure::Failure;

/// The option of commands that have no file to ask.
pub const KEYS: Word = option(
    &["--keys"],
    "SPELLING",
    "How lines spell keys: text, int, hex or base64",
);

/// Types of keys that the C++ command alone spells.
const PARQUET: [&str; 4] = [
    "parquet-bytes",
    "parquet-int32",
    "parquet-int64",
    "parquet-double",
];

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spelling {
    Text,
    Int,
    Hex,
    Base64,
}

impl Spelling {
    const ALL: [Spelling; 4] = [
        Spelling::Text,
        Spelling::Int,
        Spelling::Hex,
        Spelling::Base64,
    ];

    /// What `--keys` says, if it is there.
    pub fn given(arguments: &Arguments) -> Result<Option<Spelling>, Failure> {
        let find = |text: &str| Spelling::ALL.into_iter().find(|one| one.name() == text);
        arguments.parsed("--keys", "text, int, hex or base64", find)
    }

    /// How keys are spelled that a file is asked for: as `--keys` says, else as the file says, else as text. Another
    /// type than the file's is refused unless it is forced.
    pub fn of_file(arguments: &Arguments, records: &Records) -> Result<Spelling, Failure> {
        let force = arguments.has("--force");
        match (Spelling::given(arguments)?, records.keys()) {
            (Some(given), Some(keys)) if keys != given.record() && !force => Err(format!(
                "the keys of this filter are of the type '{}', not '{}': leave out --keys, or ask anyway with --force",
                keys,
                given.record()
            )
            .into()),
            (Some(given), _) => Ok(given),
            (None, None | Some("text")) => Ok(Spelling::Text),
            (None, Some("int")) => Ok(Spelling::Int),
            (None, Some("bytes")) => Ok(Spelling::Hex),
            (None, Some(_)) if force => Ok(Spelling::Text),
            (None, Some(keys)) => Err(format!(
                "the keys of this filter are of the type '{}', which {}, or with --force",
                keys,
                match PARQUET.contains(&keys) {
                    true => "this command does not spell: ask by `bloomery query`",
                    false => "no line can spell: ask the program that made it",
                }
            )
            .into()),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Spelling::Text => "text",
            Spelling::Int => "int",
            Spelling::Hex => "hex",
            Spelling::Base64 => "base64",
        }
    }

    /// What a file whose keys are spelled so says of them.
    pub fn record(self) -> &'static str {
        match self {
            Spelling::Text => "text",
            Spelling::Int => "int",
            Spelling::Hex | Spelling::Base64 => "bytes",
        }
    }

    fn example(self) -> &'static str {
        match self {
            Spelling::Text => "any bytes",
            Spelling::Int => "a whole number such as -42",
            Spelling::Hex => "an even number of hexadecimal digits such as 00ff",
            Spelling::Base64 => "padded base64 such as AP8=",
        }
    }

    /// Appends the key that a line spells.
    fn append(self, line: &[u8], to: &mut Vec<u8>) -> Option<()> {
        match self {
            Spelling::Text => to.extend_from_slice(line),
            Spelling::Int => to.extend_from_slice(&integer(line)?.to_le_bytes()),
            Spelling::Hex => append_hex(line, to)?,
            Spelling::Base64 => append_base64(line, to)?,
        }
        Some(())
    }
}

/// A decimal number from -2^63 to 2^64 - 1, as its 64 bits.
fn integer(line: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(line).ok()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    // The parsers of the standard library would take a `+` as well.
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match text.starts_with('-') {
        true => text.parse::<i64>().ok().map(|number| number as u64),
        false => text.parse().ok(),
    }
}

fn append_hex(line: &[u8], to: &mut Vec<u8>) -> Option<()> {
    if line.len() % 2 != 0 {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    for pair in line.chunks_exact(2) {
        to.push((digit(pair[0])? * 16 + digit(pair[1])?) as u8);
    }
    Some(())
}

fn append_base64(line: &[u8], to: &mut Vec<u8>) -> Option<()> {
    if line.len() % 4 != 0 {
        return None;
    }
    let padding = line.iter().rev().take(2).take_while(|byte| **byte == b'=');
    let digits = &line[..line.len() - padding.count()];
    let (mut bits, mut count) = (0u32, 0);
    for byte in digits {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            to.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    // Unused bits are zero.
    Some(()).filter(|()| bits == 0)
}

/// Turns lines into keys, and counts them for messages.
pub struct Encoder {
    spelling: Spelling,
    lines_before: u64,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Encoder {
    pub fn new(spelling: Spelling) -> Encoder {
        Encoder {
            spelling,
            lines_before: 0,
            bytes: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Begins with line 1 again.
    pub fn begin_file(&mut self) {
        self.lines_before = 0;
    }

    /// Calls `work` with the keys that the lines spell, or refuses the first line that spells none.
    pub fn encode<T>(
        &mut self,
        lines: &[&[u8]],
        file: &Path,
        work: impl FnOnce(&[&[u8]]) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if self.spelling == Spelling::Text {
            return work(lines);
        }
        self.bytes.clear();
        self.ends.clear();
        for (i, line) in (1..).zip(lines) {
            if self.spelling.append(line, &mut self.bytes).is_none() {
                return Err(self.refused(self.lines_before + i, line, file));
            }
            self.ends.push(self.bytes.len());
        }
        self.lines_before += lines.len() as u64;
        let starts = std::iter::once(&0).chain(&self.ends);
        let keys = starts.zip(&self.ends).map(|(a, b)| &self.bytes[*a..*b]);
        work(&keys.collect::<Vec<_>>())
    }

    fn refused(&self, number: u64, line: &[u8], file: &Path) -> Failure {
        format!(
            "{}: line {} is '{}', and --keys {} takes {}",
            file.display(),
            number,
            String::from_utf8_lossy(&line[..line.len().min(60)]),
            self.spelling.name(),
            self.spelling.example()
        )
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(spelling: Spelling, line: &str) -> Option<Vec<u8>> {
        let mut to = Vec::new();
        spelling.append(line.as_bytes(), &mut to).map(|()| to)
    }

    #[test]
    fn lines_spell_keys_or_are_refused() {
        let int = |line| key(Spelling::Int, line);
        assert_eq!(int("42"), Some(42u64.to_le_bytes().to_vec()));
        assert_eq!(int("-1"), int("18446744073709551615"));
        assert_eq!(int("-9223372036854775808"), int("9223372036854775808"));
        for wrong in [
            "",
            "-",
            "+1",
            " 1",
            "1.0",
            "18446744073709551616",
            "-9223372036854775809",
        ] {
            assert_eq!(int(wrong), None, "{:?}", wrong);
        }
        assert_eq!(key(Spelling::Hex, "00fF"), Some(vec![0, 255]));
        assert_eq!(key(Spelling::Hex, ""), Some(vec![]));
        for wrong in ["0", "0g", "0x10"] {
            assert_eq!(key(Spelling::Hex, wrong), None, "{:?}", wrong);
        }
        for (line, bytes) in [
            ("AP8=", vec![0, 255]),
            ("", vec![]),
            ("YQ==", vec![b'a']),
            ("YWJj", b"abc".to_vec()),
        ] {
            assert_eq!(key(Spelling::Base64, line), Some(bytes), "{:?}", line);
        }
        for wrong in ["AP8", "YR==", "Y===", "YQ=a", "Y Q=", "===="] {
            assert_eq!(key(Spelling::Base64, wrong), None, "{:?}", wrong);
        }
    }
}
