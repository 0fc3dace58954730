//! Splitting a command line into flags, options with values, and the rest.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::failure::Failure;

/// What a command accepts, by the names used on the command line.
pub struct Accepts {
    pub flags: &'static [&'static str],
    pub options: &'static [&'static str],
    /// Further ones, which a command shares with others.
    pub more_options: &'static [&'static str],
    /// The most arguments that are no options.
    pub operands: usize,
}

/// A command line that holds nothing its command does not accept, and no option twice.
#[derive(Default, Debug)]
pub struct Arguments {
    flags: Vec<&'static str>,
    options: Vec<(&'static str, OsString)>,
    operands: Vec<OsString>,
}

impl Accepts {
    pub fn parse(&self, line: &[OsString]) -> Result<Arguments, Failure> {
        let mut parsed = Arguments::default();
        let mut rest = line.iter();
        while let Some(argument) = rest.next() {
            let bytes = argument.as_bytes();
            if bytes == b"--" {
                parsed.operands.extend(rest.by_ref().cloned());
            } else if bytes.starts_with(b"--") {
                self.long(bytes, &mut rest, &mut parsed)?;
            } else if bytes.len() > 1 && bytes[0] == b'-' {
                self.short(bytes, &mut rest, &mut parsed)?;
            } else {
                parsed.operands.push(argument.clone());
            }
        }
        match parsed.operands.get(self.operands) {
            Some(extra) => {
                Err(format!("{}: one argument too many", extra.to_string_lossy()).into())
            }
            None => Ok(parsed),
        }
    }

    fn option(&self, name: &[u8]) -> Option<&'static str> {
        find(self.options, name).or_else(|| find(self.more_options, name))
    }

    /// `--flag`, `--option value` or `--option=value`.
    fn long<'a>(
        &self,
        argument: &[u8],
        rest: &mut impl Iterator<Item = &'a OsString>,
        parsed: &mut Arguments,
    ) -> Result<(), Failure> {
        let mut parts = argument.splitn(2, |byte| *byte == b'=');
        let name = parts.next().unwrap_or(argument);
        let value = parts.next();
        if let Some(flag) = find(self.flags, name) {
            return match value {
                Some(_) => Err(format!("{} takes no value", flag).into()),
                None => parsed.set_flag(flag),
            };
        }
        let option = self.option(name).ok_or_else(|| unknown(name))?;
        parsed.set_option(option, value, rest)
    }

    /// `-q`, `-q0`, `-n value` or `-nvalue`.
    fn short<'a>(
        &self,
        argument: &[u8],
        rest: &mut impl Iterator<Item = &'a OsString>,
        parsed: &mut Arguments,
    ) -> Result<(), Failure> {
        for (at, letter) in argument.iter().enumerate().skip(1) {
            let name = [b'-', *letter];
            if let Some(flag) = find(self.flags, &name) {
                parsed.set_flag(flag)?;
                continue;
            }
            let option = self.option(&name).ok_or_else(|| unknown(argument))?;
            let value = Some(&argument[at + 1..]).filter(|value| !value.is_empty());
            return parsed.set_option(option, value, rest);
        }
        Ok(())
    }
}

impl Arguments {
    fn set_flag(&mut self, flag: &'static str) -> Result<(), Failure> {
        if self.has(flag) {
            return Err(format!("{} is given twice", flag).into());
        }
        self.flags.push(flag);
        Ok(())
    }

    fn set_option<'a>(
        &mut self,
        option: &'static str,
        value: Option<&[u8]>,
        rest: &mut impl Iterator<Item = &'a OsString>,
    ) -> Result<(), Failure> {
        let value = match value {
            Some(value) => OsString::from_vec(value.to_vec()),
            None => rest
                .next()
                .cloned()
                .ok_or_else(|| Failure::from(format!("{} needs a value", option)))?,
        };
        if self.option(option).is_some() {
            return Err(format!("{} is given twice", option).into());
        }
        self.options.push((option, value));
        Ok(())
    }

    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    pub fn option(&self, name: &str) -> Option<&OsStr> {
        self.options
            .iter()
            .find(|(given, _)| *given == name)
            .map(|(_, value)| value.as_os_str())
    }

    /// The value of an option as `read` understands it; `wanted` says what that is.
    pub fn parsed<T>(
        &self,
        name: &str,
        wanted: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, Failure> {
        self.option(name)
            .map(|value| {
                value.to_str().and_then(&read).ok_or_else(|| {
                    format!(
                        "{} is '{}', must be {}",
                        name,
                        value.to_string_lossy(),
                        wanted
                    )
                    .into()
                })
            })
            .transpose()
    }

    pub fn operand(&self, at: usize) -> Option<&OsStr> {
        self.operands.get(at).map(OsString::as_os_str)
    }
}

fn find(names: &[&'static str], name: &[u8]) -> Option<&'static str> {
    names.iter().copied().find(|known| known.as_bytes() == name)
}

fn unknown(name: &[u8]) -> Failure {
    format!("{}: unknown option", String::from_utf8_lossy(name)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACCEPTS: Accepts = Accepts {
        flags: &["-q", "-0", "--json"],
        options: &["-n"],
        more_options: &["--fpr"],
        operands: 2,
    };

    fn parse(line: &[&str]) -> Result<Arguments, Failure> {
        let line: Vec<OsString> = line.iter().map(OsString::from).collect();
        ACCEPTS.parse(&line)
    }

    #[test]
    fn a_value_may_be_attached_or_follow() {
        for line in [
            ["-n", "5", "--fpr", "0.1"],
            ["-n5", "--fpr=0.1", "-q", "-0"],
        ] {
            let parsed = parse(&line).unwrap();
            assert_eq!(parsed.option("-n"), Some(OsStr::new("5")));
            assert_eq!(parsed.option("--fpr"), Some(OsStr::new("0.1")));
        }
        assert!(parse(&["-q0"]).unwrap().has("-0"));
        assert_eq!(
            parse(&["-qn7"]).unwrap().option("-n"),
            Some(OsStr::new("7"))
        );
        assert_eq!(
            parse(&["--fpr="]).unwrap().option("--fpr"),
            Some(OsStr::new(""))
        );
    }

    #[test]
    fn a_dash_is_a_file_and_two_end_the_options() {
        let parsed = parse(&["-", "--", "-q"]).unwrap();
        assert_eq!(parsed.operand(0), Some(OsStr::new("-")));
        assert_eq!(parsed.operand(1), Some(OsStr::new("-q")));
        assert!(!parsed.has("-q"));
    }

    #[test]
    fn what_a_command_does_not_accept_is_refused() {
        let lines: [&[&str]; 9] = [
            &["--nope"],
            &["-x"],
            &["-qx"],
            &["-n"],
            &["--fpr"],
            &["--json=1"],
            &["-n1", "-n2"],
            &["-q", "-q"],
            &["a", "b", "c"],
        ];
        for line in lines {
            assert!(parse(line).is_err(), "{:?}", line);
        }
    }
}
