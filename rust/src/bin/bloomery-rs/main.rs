//! `bloomery-rs`: hash, build, query and inspect, with the same standard output to the byte as the C++ and Go
//! commands. Each command is a file; this one picks it, and turns what it returns into an exit status.

#![deny(unsafe_code)]

mod arguments;
mod build;
mod failure;
#[path = "../../sizing/format.rs"]
mod format;
mod hash;
mod hashing;
mod input;
mod inspect;
mod keys;
mod lock;
mod numbers;
mod query;
mod signals;
mod size;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use failure::{Failure, Outcome};

const NAME: &str = "bloomery-rs";

const USAGE: &str = "\
bloomery-rs: Bloom filters in files that C++, Rust and Go share

  hash    [--hash H] [--seed S] [--secret FILE] [-0] [KEYS]
          print the hash of each key
  build   [--kind K] [--fpr P] [-n N] [--bits-per-key B] [-m M] [-k K] [--blocks B] [--geometry NAME=N,..]
          [--envelope] [--hash H] [--seed S] [--secret FILE] [-q] [-0] -o FILE [KEYS]
          write a filter of the keys: block (the default), split, fuse or classic
  query   [--secret FILE] [--no-verify] [-0] FILE [KEYS]
          print 'maybe' or 'no' before each key; exit 1 when some key is absent
  inspect [--json] FILE
          describe a filter file

KEYS is a file with a key a line (with -0: NUL-terminated), by default standard input.
H is fnv_splitmix, xxh3, xxh64, siphash13 or siphash24; N and M are like 1000, 10M, 1e9.
Exit status: 0 yes or done, 1 no, 2 error.
";

fn main() -> ExitCode {
    signals::ignore_file_size_limit();
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match run(&arguments) {
        Ok(status) => ExitCode::from(status),
        // Whoever read the output has what they wanted.
        Err(Failure::OutputClosed) => ExitCode::SUCCESS,
        Err(Failure::Message(why)) => {
            complain(&why);
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[OsString]) -> Outcome {
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.to_string_lossy(), rest),
        None => return show(USAGE),
    };
    let wants_help = rest
        .iter()
        .take_while(|argument| *argument != "--")
        .any(|argument| argument == "--help");
    match command.as_ref() {
        "--version" => show(&format!("{} {}\n", NAME, env!("CARGO_PKG_VERSION"))),
        "--help" | "-h" | "help" => show(USAGE),
        "hash" | "build" | "query" | "inspect" if wants_help => show(USAGE),
        "hash" => hash::run(rest),
        "build" => build::run(rest),
        "query" => query::run(rest),
        "inspect" => inspect::run(rest),
        other => Err(Failure::Message(format!(
            "{}: unknown command: there are hash, build, query and inspect",
            other
        ))),
    }
}

fn show(text: &str) -> Outcome {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.flush())
        .map_err(failure::output)?;
    Ok(0)
}

/// One line on standard error. Nothing can be done when not even that can be written.
fn complain(why: &str) {
    let _ = writeln!(io::stderr(), "{}: {}", NAME, why.replace('\n', " "));
}
