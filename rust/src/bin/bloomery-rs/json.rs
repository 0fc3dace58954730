//! Lines of JSON as `cli.md` of the specification has them: no spaces, fields in their order.

use std::ffi::OsStr;
use std::fmt::Write;

use crate::format::fmt_g4;

/// An object that is being written.
#[derive(Default)]
pub struct Object(String);

impl Object {
    /// A value that is JSON already: a number, `null`, a list.
    pub fn put(mut self, name: &str, value: impl std::fmt::Display) -> Object {
        let comma = if self.0.is_empty() { "" } else { "," };
        let _ = write!(self.0, "{}\"{}\":{}", comma, name, value);
        self
    }

    pub fn text(self, name: &str, value: &str) -> Object {
        self.put(name, quoted(value))
    }

    /// A text of the system, whose bytes that are no text are replaced.
    pub fn path(self, name: &str, value: &OsStr) -> Object {
        self.text(name, &value.to_string_lossy())
    }

    /// Bytes: a string where they are UTF-8, else hexadecimal digits under another name.
    pub fn bytes(self, name: &str, value: &[u8]) -> Object {
        match std::str::from_utf8(value) {
            Ok(text) => self.text(name, text),
            Err(_) => self.text(&format!("{}_hex", name), &hex(value)),
        }
    }

    /// A number, or null.
    pub fn maybe(self, name: &str, value: Option<u64>) -> Object {
        match value {
            Some(number) => self.put(name, number),
            None => self.put(name, "null"),
        }
    }

    pub fn real(self, name: &str, value: f64) -> Object {
        self.put(name, real(value))
    }

    /// The line, with its end.
    pub fn line(self) -> String {
        format!("{{{}}}\n", self.0)
    }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if u32::from(c) < 0x20 => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out + "\""
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{:02x}", byte);
        text
    })
}

/// Like `%.4g`, but always recognizable as a real number.
pub fn real(x: f64) -> String {
    let text = fmt_g4(x);
    if text.contains(['.', 'e']) {
        text
    } else {
        text + ".0"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt;

    #[test]
    fn what_json_cannot_hold_is_written_otherwise() {
        let line = Object::default()
            .bytes("key", b"a\"\\\x01\xc3\xa9")
            .bytes("key", b"\xff\x00")
            .path("file", OsStr::from_bytes(b"f\xff"))
            .maybe("n", None)
            .real("x", 1.0)
            .line();
        let expected =
            "{\"key\":\"a\\\"\\\\\\u0001\u{e9}\",\"key_hex\":\"ff00\",\"file\":\"f\u{fffd}\",\"n\":null,\"x\":1.0}\n";
        assert_eq!(line, expected);
    }
}
