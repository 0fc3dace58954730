//! One file of keys, or a pipe or standard input, read in blocks and cut at line ends or NULs.
//!
//! Memory is one block, or the longest key if that is longer; nothing is allocated per key.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::io::AsFd;
use std::path::{Path, PathBuf};

use crate::closed;
use crate::failure::{self, Failure};

const BLOCK: usize = 128 * 1024;

/// An open file of keys, and what to call it in messages.
pub struct Source {
    file: File,
    name: PathBuf,
}

impl Source {
    /// Opens a file; `-` is standard input.
    pub fn open(path: &OsStr) -> Result<Source, Failure> {
        let (name, opened) = if path != "-" {
            (PathBuf::from(path), File::open(path))
        } else if closed::input() {
            return Err("standard input: is closed: give a file of keys".into());
        } else {
            let copy = io::stdin().as_fd().try_clone_to_owned().map(File::from);
            (PathBuf::from("standard input"), copy)
        };
        let file = opened.map_err(|e| failure::input(&name, e))?;
        let metadata = file.metadata().map_err(|e| failure::input(&name, e))?;
        if metadata.is_dir() {
            return Err(format!("{}: is a directory, not a file of keys", name.display()).into());
        }
        Ok(Source { file, name })
    }

    /// What to call it in messages.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Which file it is, where that can be told.
    pub fn metadata(&self) -> Option<Metadata> {
        self.file.metadata().ok()
    }

    /// Puts what cannot be read twice aside on disk, and tells where the keys begin.
    pub fn make_seekable(&mut self) -> Result<u64, Failure> {
        if !self.file.metadata().map_or(false, |m| m.is_file()) {
            let mut aside = unnamed_file()
                .map_err(|e| Failure::from(format!("cannot put the keys aside: {}", e)))?;
            io::copy(&mut self.file, &mut aside)
                .and_then(|_| aside.rewind())
                .map_err(|e| failure::input(&self.name, e))?;
            self.file = aside;
        }
        let position = self.file.stream_position();
        position.map_err(|e| failure::input(&self.name, e))
    }

    pub fn seek(&mut self, to: u64) -> Result<(), Failure> {
        let moved = self.file.seek(SeekFrom::Start(to));
        moved.map(drop).map_err(|e| failure::input(&self.name, e))
    }

    /// Calls `work` with bytes, where their lines end, and the name of the file.
    pub fn each_stretch(
        &mut self,
        separator: u8,
        mut work: impl FnMut(&[u8], &[usize], &Path) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut buffer = vec![0; BLOCK];
        let mut ends = Vec::new();
        let mut filled = 0;
        loop {
            let read = self.read(&mut buffer, filled)?;
            ends.clear();
            if read == 0 {
                if filled > 0 {
                    ends.push(filled);
                    work(&buffer[..filled], &ends, &self.name)?;
                }
                return Ok(());
            }
            find_all(separator, &buffer[..filled + read], filled, &mut ends);
            filled += read;
            if let Some(last) = ends.last() {
                work(&buffer[..filled], &ends, &self.name)?;
                buffer.copy_within(last + 1..filled, 0);
                filled -= last + 1;
            }
        }
    }

    /// Reads behind the unfinished key, making room where that key takes all of it.
    fn read(&mut self, buffer: &mut Vec<u8>, filled: usize) -> Result<usize, Failure> {
        if filled == buffer.len() {
            let more = buffer.len();
            buffer.try_reserve_exact(more).map_err(|_| {
                Failure::from(format!(
                    "{}: no memory for a key of {} bytes",
                    self.name.display(),
                    filled
                ))
            })?;
            buffer.resize(filled + more, 0);
        }
        loop {
            match self.file.read(&mut buffer[filled..]) {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map_err(|e| failure::input(&self.name, e)),
            }
        }
    }
}

/// Appends to `ends` where `byte` occurs in `bytes`, from `from` on; eight bytes a step.
fn find_all(byte: u8, bytes: &[u8], from: usize, ends: &mut Vec<usize>) {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let pattern = u64::from_ne_bytes([byte; 8]);
    let mut at = from;
    let mut words = bytes[from..].chunks_exact(8);
    for word in &mut words {
        let mut eight = [0; 8];
        eight.copy_from_slice(word);
        let differ = u64::from_le_bytes(eight) ^ pattern;
        // The top bit of each byte that does not differ, exactly: no carry leaves a byte.
        let mut hits = !(((differ & LOW) + LOW) | differ | LOW);
        while hits != 0 {
            ends.push(at + (hits.trailing_zeros() / 8) as usize);
            hits &= hits - 1;
        }
        at += 8;
    }
    for (i, other) in words.remainder().iter().enumerate() {
        if *other == byte {
            ends.push(at + i);
        }
    }
}

/// A file without a name, gone when it is closed.
fn unnamed_file() -> io::Result<File> {
    let mut number = 0;
    loop {
        let name = format!("bloomery-rs-{}-{}.keys", std::process::id(), number);
        let path: &Path = &std::env::temp_dir().join(name);
        let opened = OpenOptions::new()
            .read(true)
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path);
        match opened {
            Ok(file) => return fs::remove_file(path).map(|()| file),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(e) => return Err(e),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_separator_is_found_and_nothing_else() {
        let mut bytes: Vec<u8> = (0..2000u32).map(|i| ((i * i) >> 3) as u8 % 13).collect();
        bytes.extend([0x0a, 0x0b, 0x8a, 0x0a, 0x0a, 0x09, 0x0a, 0xff, 0x00, 0x0a]);
        for byte in [0, b'\n', 9, 0x8a, 0xff] {
            for from in [0, 1, 7, 8, 9, 1999, bytes.len()] {
                let mut ends = Vec::new();
                find_all(byte, &bytes, from, &mut ends);
                let expected: Vec<usize> =
                    (from..bytes.len()).filter(|i| bytes[*i] == byte).collect();
                assert_eq!(ends, expected, "byte {}, from {}", byte, from);
            }
        }
    }
}
