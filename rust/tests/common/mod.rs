//! What the tests share: the golden data, a place for files, and the command under test.

#![allow(dead_code)] // each test file uses its own part

#[path = "../../src/sizing/format.rs"]
pub mod format;
pub mod golden;
pub mod sha256;

#[allow(unused_imports)]
pub use golden::{from_hex, hex_u64, json, named_keys, vectors};

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// An empty folder, removed at the end of the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bloomery-{}-{}", test, std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Leaves the worked example of the specification: 1,000 keys in `keys`, the filter of them in `f.bloom`.
    pub fn worked_example(&self) {
        self.write("keys", named_keys("key", 1000).join("\n") + "\n");
        stdout_of(self, "build --kind classic -q -o f.bloom keys", b"", 0);
    }

    /// A named pipe: something that is there and is no regular file. Never a device of the machine, which a
    /// command gone wrong could replace.
    pub fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success());
        path
    }

    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs `bloomery-rs` in `folder` with these words and this input.
pub fn run(folder: &Folder, line: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bloomery-rs"))
        .args(line.split_whitespace())
        .current_dir(&folder.0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // From a thread of its own, since both pipes can be full; the command may also end without reading.
    let writer = std::thread::spawn(move || {
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// Standard output of a run that must end with `status`.
pub fn stdout_of(folder: &Folder, line: &str, input: &[u8], status: i32) -> Vec<u8> {
    let output = run(folder, line, input);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{}: {}", line, errors);
    output.stdout
}
