//! How a command ends other than well: with one line of explanation, or because nobody reads its output any more.

use std::error::Error as _;
use std::io;
use std::path::Path;

use bloomery::Error;

#[derive(Debug)]
pub enum Failure {
    Message(String),
    OutputClosed,
    /// Nothing failed: help was asked for, and this is it.
    Help(String),
}

/// The exit status, or why there is none.
pub type Outcome = Result<u8, Failure>;

impl Failure {
    /// The same, with the file that it is about in front.
    pub fn in_file(self, path: &Path) -> Failure {
        match self {
            Failure::Message(why) => Failure::Message(format!("{}: {}", path.display(), why)),
            other => other,
        }
    }

    /// The same, with more to say.
    pub fn with(self, more: &str) -> Failure {
        match self {
            Failure::Message(why) => Failure::Message(why + more),
            other => other,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text = format!("{}: {}", text, error);
            cause = error.source();
        }
        Failure::Message(text)
    }
}

impl From<&str> for Failure {
    fn from(message: &str) -> Failure {
        Failure::Message(message.to_string())
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure::Message(message)
    }
}

/// A failed write to standard output.
pub fn output(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::OutputClosed,
        _ => Failure::Message(format!("standard output: {}", error)),
    }
}

/// A failed read of keys.
pub fn input(path: &Path, error: io::Error) -> Failure {
    Failure::Message(format!(
        "{}: cannot read the keys: {}",
        path.display(),
        error
    ))
}
