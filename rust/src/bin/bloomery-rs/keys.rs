//! Where keys come from: files, pipes and standard input, read in blocks and cut at line ends or NULs.
//!
//! Memory is one block, or the longest key if that is longer; nothing is allocated per key.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::io::AsFd;
use std::path::{Path, PathBuf};

use crate::failure::{self, Failure};
use crate::input;

const BLOCK: usize = 128 * 1024;
/// Keys handed on together.
const GROUP: usize = 64;

/// An open source of keys, and what to call it in messages.
pub struct Source {
    file: File,
    name: PathBuf,
    separator: u8,
}

impl Source {
    /// Opens a file; `-` or nothing is standard input.
    pub fn open(path: Option<&OsStr>, separator: u8) -> Result<Source, Failure> {
        let name = match path {
            Some(path) if path != "-" => PathBuf::from(path),
            _ => PathBuf::from("standard input"),
        };
        let opened = match path {
            Some(path) if path != "-" => File::open(path),
            _ if input::was_closed() => {
                return Err("standard input: is closed: give a file of keys".into());
            }
            _ => io::stdin().as_fd().try_clone_to_owned().map(File::from),
        };
        let file = opened.map_err(|e| failure::input(&name, e))?;
        let metadata = file.metadata().map_err(|e| failure::input(&name, e))?;
        if metadata.is_dir() {
            return Err(format!("{}: is a directory, not a file of keys", name.display()).into());
        }
        Ok(Source {
            file,
            name,
            separator,
        })
    }

    /// Which file it is, where that can be told.
    pub fn metadata(&self) -> Option<Metadata> {
        self.file.metadata().ok()
    }

    /// How many keys there are; they can be read afterwards. What cannot be read twice is put aside on disk.
    pub fn count(&mut self) -> Result<u64, Failure> {
        let is_file = self.file.metadata().map_or(false, |m| m.is_file());
        let name = self.name.clone();
        let fail = |e| failure::input(&name, e);
        if !is_file {
            let mut aside = unnamed_file()
                .map_err(|e| Failure::from(format!("cannot put the keys aside: {}", e)))?;
            io::copy(&mut self.file, &mut aside).map_err(fail)?;
            aside.rewind().map_err(fail)?;
            self.file = aside;
        }
        let start = self.file.stream_position().map_err(fail)?;
        let mut count = 0;
        self.each_block(|block| {
            count += block.ends.len() as u64;
            Ok(())
        })?;
        self.file.seek(SeekFrom::Start(start)).map_err(fail)?;
        Ok(count)
    }

    /// Hands every block of keys to `work`, as soon as it was read.
    pub fn each_block(
        &mut self,
        mut work: impl FnMut(Block<'_>) -> Result<(), Failure>,
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
                    work(Block::new(&buffer[..filled], &ends))?;
                }
                return Ok(());
            }
            find_all(self.separator, &buffer[..filled + read], filled, &mut ends);
            filled += read;
            if let Some(last) = ends.last() {
                work(Block::new(&buffer[..filled], &ends))?;
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

/// Some consecutive keys, each up to one of the ends.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Block<'a> {
    fn new(bytes: &'a [u8], ends: &'a [usize]) -> Block<'a> {
        Block { bytes, ends }
    }

    /// Hands the keys to `work`, in order and some at a time.
    pub fn each_group(
        &self,
        mut work: impl FnMut(&[&[u8]]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut start = 0;
        for ends in self.ends.chunks(GROUP) {
            let mut keys: [&[u8]; GROUP] = [&[]; GROUP];
            for (key, end) in keys.iter_mut().zip(ends) {
                *key = &self.bytes[start..*end];
                start = end + 1;
            }
            work(&keys[..ends.len()])?;
        }
        Ok(())
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
