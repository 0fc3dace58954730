//! The grammar of the command line (`cli.md` of the specification): words to flags, options with values, and arguments.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use crate::accepts::{title, Accepts, Word};
use crate::failure::Failure;
use crate::suggest::suggestion;
use crate::NAME;

/// A command line that holds nothing its command does not accept, and no option twice that may come once.
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
            if is_help(bytes) {
                return Err(Failure::Help(crate::help::of(self)));
            } else if bytes == b"--" {
                parsed.operands.extend(rest.by_ref().cloned());
            } else if bytes.starts_with(b"--") {
                self.long(bytes, &mut rest, &mut parsed)?;
            } else if bytes.len() > 1 && bytes[0] == b'-' {
                self.short(bytes, &mut rest, &mut parsed)?;
            } else {
                parsed.operands.push(argument.clone());
            }
        }
        self.check_arguments(&parsed)?;
        Ok(parsed)
    }

    /// A fault of the words, with the help that tells how they should be.
    pub fn wrong(&self, why: impl std::fmt::Display) -> Failure {
        format!("{}: see '{} {} --help'", why, NAME, self.command).into()
    }

    fn check_arguments(&self, parsed: &Arguments) -> Result<(), Failure> {
        for name in self.required {
            if parsed.option(name).is_none() {
                let title = self.find(name.as_bytes()).map_or(name.to_string(), title);
                return Err(self.wrong(format!("{} is missing", title)));
            }
        }
        let endless = self.arguments.last().map_or(false, |a| a.ends_with("..."));
        let least = self.arguments.len() - usize::from(endless);
        if let Some(missing) = self.arguments[..least].get(parsed.operands.len()) {
            return Err(self.wrong(format!("{} is missing", missing)));
        }
        match parsed.operands.get(least) {
            Some(extra) if !endless => Err(self.wrong(format!(
                "there is one argument too many, '{}'",
                extra.to_string_lossy()
            ))),
            _ => Ok(()),
        }
    }

    fn find(&self, name: &[u8]) -> Option<&'static Word> {
        let mut words = self.words.iter().flat_map(|words| words.iter());
        words.find(|word| word.names.iter().any(|known| known.as_bytes() == name))
    }

    fn unknown(&self, name: &[u8]) -> Failure {
        let words = self.words.iter().flat_map(|words| words.iter());
        let mut names: Vec<&str> = words.flat_map(|word| word.names).copied().collect();
        names.push("--help");
        let name = String::from_utf8_lossy(name);
        self.wrong(format!(
            "there is no option '{}'{}",
            name,
            suggestion(&name, &names)
        ))
    }

    /// `--flag`, `--option value` or `--option=value`.
    fn long<'a>(
        &self,
        argument: &[u8],
        rest: &mut (impl Iterator<Item = &'a OsString> + Clone),
        parsed: &mut Arguments,
    ) -> Result<(), Failure> {
        let mut parts = argument.splitn(2, |byte| *byte == b'=');
        let name = parts.next().unwrap_or(argument);
        let word = self.find(name).ok_or_else(|| self.unknown(name))?;
        let name = String::from_utf8_lossy(name);
        match parts.next() {
            Some(_) if word.value.is_empty() => Err(self.wrong(format!("{} takes no value", name))),
            Some(value) => self.set(word, &name, OsString::from_vec(value.to_vec()), parsed),
            None => self.take_value(word, &name, rest, parsed),
        }
    }

    /// `-q`, `-q0`, `-n value` or `-nvalue`.
    fn short<'a>(
        &self,
        argument: &[u8],
        rest: &mut (impl Iterator<Item = &'a OsString> + Clone),
        parsed: &mut Arguments,
    ) -> Result<(), Failure> {
        for (at, letter) in argument.iter().enumerate().skip(1) {
            let name = [b'-', *letter];
            let whole: &[u8] = if at == 1 { argument } else { &name };
            let word = self.find(&name).ok_or_else(|| self.unknown(whole))?;
            let name = String::from_utf8_lossy(&name);
            let value = &argument[at + 1..];
            if !word.value.is_empty() && !value.is_empty() {
                return self.set(word, &name, OsString::from_vec(value.to_vec()), parsed);
            }
            self.take_value(word, &name, rest, parsed)?;
        }
        Ok(())
    }

    /// The value is the next word. An option of this command is none: who means it so writes `--name=VALUE`.
    fn take_value<'a>(
        &self,
        word: &'static Word,
        name: &str,
        rest: &mut (impl Iterator<Item = &'a OsString> + Clone),
        parsed: &mut Arguments,
    ) -> Result<(), Failure> {
        if word.value.is_empty() {
            return self.set(word, name, OsString::new(), parsed);
        }
        let next = rest.clone().next().filter(|next| {
            let bytes = next.as_bytes();
            self.find(bytes).is_none() && !is_help(bytes)
        });
        match next {
            Some(value) => {
                rest.next();
                self.set(word, name, value.clone(), parsed)
            }
            None => Err(self.wrong(format!("{} needs a value: {} {}", name, name, word.value))),
        }
    }

    fn set(
        &self,
        word: &'static Word,
        name: &str,
        value: OsString,
        parsed: &mut Arguments,
    ) -> Result<(), Failure> {
        let first = word.names[0];
        let given = parsed.has(first) || parsed.option(first).is_some();
        if given && !self.repeated.contains(&first) {
            return Err(self.wrong(format!("{} is given twice", name)));
        }
        match word.value {
            "" => parsed.flags.push(first),
            _ => parsed.options.push((first, value)),
        }
        Ok(())
    }
}

impl Arguments {
    pub fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    pub fn option(&self, name: &str) -> Option<&OsStr> {
        let given = self.options.iter().find(|(given, _)| *given == name);
        given.map(|(_, value)| value.as_os_str())
    }

    /// Every value of an option that may be given again.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a OsStr> + 'a {
        let given = self.options.iter().filter(move |(given, _)| *given == name);
        given.map(|(_, value)| value.as_os_str())
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
                    format!("{} is '{}': give {}", name, value.to_string_lossy(), wanted).into()
                })
            })
            .transpose()
    }

    pub fn operands(&self) -> &[OsString] {
        &self.operands
    }
}

fn is_help(word: &[u8]) -> bool {
    word == b"-h" || word == b"--help"
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
