//! `bloomery-rs`: hash, build, query, inspect and verify, with the same standard output to the byte as the C++ and Go
//! commands. Each command is a file; this one picks it, and turns what it returns into an exit status.

#![deny(unsafe_code)]

mod accepts;
mod arguments;
mod build;
mod closed;
mod failure;
#[path = "../../sizing/format.rs"]
mod format;
mod hash;
mod hashing;
mod help;
mod inspect;
mod json;
mod keys;
mod lock;
mod numbers;
mod query;
mod report;
mod signals;
mod size;
mod source;
mod spelling;
mod stored;
mod suggest;
mod verify;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use accepts::Accepts;
use failure::{Failure, Outcome};

const NAME: &str = "bloomery-rs";

static COMMANDS: [Named; 5] = [
    (&hash::ACCEPTS, hash::run),
    (&build::ACCEPTS, build::run),
    (&query::ACCEPTS, query::run),
    (&inspect::ACCEPTS, inspect::run),
    (&verify::ACCEPTS, verify::run),
];

fn main() -> ExitCode {
    signals::ignore_file_size_limit();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let outcome = match run(&arguments) {
        Err(Failure::Help(text)) => show(&text),
        other => other,
    };
    match outcome {
        Ok(status) => ExitCode::from(status),
        Err(Failure::Message(why)) => {
            complain(&why);
            ExitCode::from(2)
        }
        // Whoever read the output has what they wanted.
        Err(_) => ExitCode::SUCCESS,
    }
}

fn run(arguments: &[OsString]) -> Outcome {
    // A build has its answer in a file.
    if closed::output() && arguments.first().map_or(true, |first| first != "build") {
        return Err("standard output: is closed".into());
    }
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.to_string_lossy(), rest),
        None => return all_help(),
    };
    match command.as_ref() {
        "--version" => show(&format!("{} {}\n", NAME, env!("CARGO_PKG_VERSION"))),
        "--help" | "-h" => all_help(),
        "help" => match rest.first() {
            Some(name) => show(&help::of(find(&name.to_string_lossy())?.0)),
            None => all_help(),
        },
        name => find(name)?.1(rest),
    }
}

type Named = (&'static Accepts, fn(&[OsString]) -> Outcome);

fn find(name: &str) -> Result<&'static Named, Failure> {
    let found = COMMANDS.iter().find(|(accepts, _)| accepts.command == name);
    found.ok_or_else(|| {
        let mut names: Vec<&str> = COMMANDS
            .iter()
            .map(|(accepts, _)| accepts.command)
            .collect();
        names.push("help");
        let near = suggest::suggestion(name, &names);
        let why = format!(
            "there is no command '{}'{}: see '{} --help'",
            name, near, NAME
        );
        Failure::Message(why)
    })
}

fn all_help() -> Outcome {
    let commands: Vec<&Accepts> = COMMANDS.iter().map(|(accepts, _)| *accepts).collect();
    show(&help::of_all(&commands))
}

fn show(text: impl AsRef<[u8]>) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref())
        .and_then(|()| out.flush())
        .map_err(failure::output)?;
    Ok(0)
}

/// One line on standard error. Nothing can be done when not even that can be written.
fn complain(why: &str) {
    let _ = writeln!(io::stderr(), "{}: {}", NAME, why.replace('\n', " "));
}

/// A line for people on standard error that is no complaint.
fn tell(what: &str) {
    let _ = writeln!(io::stderr(), "{}", what);
}
