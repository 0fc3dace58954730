//! Publishing a file whole or not at all, which [`crate::file`] saves filters by.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// Whether a file can be published at `path`: not over a directory, a device or a pipe.
pub fn check_target(path: &Path) -> Result<()> {
    resolve(path).map(|_| ()).map_err(|e| e.in_file(path))
}

/// The place behind symbolic links, which are kept: the file they lead to is replaced, or made where there is none yet.
fn resolve(path: &Path) -> Result<PathBuf> {
    let refused = |why: &str| Err(Error::new(ErrorKind::Io, format!("cannot write: {}", why)));
    let cannot = |e: io::Error| Error::io("cannot write", e);
    if path.file_name().is_none() {
        return refused("it is not the name of a file");
    }
    match fs::metadata(path) {
        Ok(target) if target.is_dir() => refused("it is a directory"),
        Ok(target) if !target.is_file() => refused("it is not a regular file"),
        Ok(_) => fs::canonicalize(path).map_err(cannot),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let place = behind_links(path);
            match fs::metadata(directory_of(&place)) {
                Ok(_) => Ok(place),
                Err(e) => Err(Error::io("cannot write: its folder", e)),
            }
        }
        Err(e) => Err(cannot(e)),
    }
}

/// Where a link leads that ends at no file, or the path itself.
fn behind_links(path: &Path) -> PathBuf {
    const MOST: usize = 40; // as many as the system follows
    let mut place = path.to_path_buf();
    for _ in 0..MOST {
        match fs::read_link(&place) {
            Ok(to) => place = directory_of(&place).join(to),
            Err(_) => break,
        }
    }
    place
}

/// Writes `parts` beside the target, and moves the result there once it is safely on disk. The folder is opened before,
/// so that one that cannot be is an error while the target is as it was.
pub(crate) fn publish(path: &Path, parts: &[&[u8]]) -> Result<()> {
    let target = resolve(path)?;
    let cannot = |e: io::Error| Error::io("cannot write", e);
    let folder = File::open(directory_of(&target))
        .map_err(|e| Error::io("cannot write: its folder cannot be opened to sync it", e))?;
    let old = fs::metadata(&target).ok();
    let (mut file, temporary) = Temporary::beside(&target, old.is_some()).map_err(cannot)?;
    // Before the contents: nobody may read them who may not read the file that is replaced.
    if let Some(old) = old {
        file.set_permissions(old.permissions()).map_err(cannot)?;
    }
    for part in parts {
        file.write_all(part).map_err(cannot)?;
    }
    file.sync_all().map_err(cannot)?;
    drop(file);
    temporary.move_to(&target).map_err(cannot)?;
    // The name is only as durable as the folder that holds it.
    synced(folder.sync_all()).map_err(|e| Error::io("written, but its folder cannot be synced", e))
}

/// The outcome of a folder's sync. A file system that cannot sync folders needs none, so its refusal is no error.
fn synced(outcome: io::Result<()>) -> io::Result<()> {
    outcome.or_else(|e| match e.kind() {
        io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => Ok(()),
        _ => Err(e),
    })
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The longest name that a file may have, in bytes.
const MOST_NAME: usize = 255;

/// The name, or its first bytes where it has more than `most`; such a name that is no text gives none.
fn cut(name: &OsStr, most: usize) -> &OsStr {
    if name.len() <= most {
        return name;
    }
    let text = name.to_str().unwrap_or_default();
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end));
    OsStr::new(text.get(..end.unwrap_or(0)).unwrap_or_default())
}

/// A file under a name nobody else uses, removed unless it was moved away.
struct Temporary {
    path: PathBuf,
    moved: bool,
}

impl Temporary {
    /// Makes an empty file beside the target. One that `replaces` is open to its owner alone until it gets the mode of the
    /// old file: who opens it before that could read what is written later. Others have the mode of any new file.
    fn beside(target: &Path, replaces: bool) -> io::Result<(File, Temporary)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        if replaces {
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        }
        #[cfg(not(unix))]
        let _ = replaces;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let end = format!(".{}-{}.tmp", process::id(), number);
            let mut name = OsString::from(".");
            name.push(cut(
                target.file_name().unwrap_or_default(),
                MOST_NAME - 1 - end.len(),
            ));
            name.push(end);
            let path = directory_of(target).join(name);
            match options.open(&path) {
                Ok(file) => return Ok((file, Temporary { path, moved: false })),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(e),
            }
        }
    }

    fn move_to(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.moved = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.moved {
            // The failure that led here is the one to report, not another one of cleaning up.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_temporary_that_replaces_a_file_is_its_owners_alone_from_the_start() {
        use std::os::unix::fs::MetadataExt;
        let target = std::env::temp_dir().join(format!("bloomery-publish-{}", process::id()));
        let mode = |replaces: bool| {
            let (file, _temporary) = Temporary::beside(&target, replaces).unwrap();
            file.metadata().unwrap().mode() & 0o777
        };
        assert_eq!(mode(true), 0o600);
        assert_eq!(mode(false) | 0o022, 0o666); // as any new file, by the usual umasks
    }

    #[test]
    fn a_file_system_that_cannot_sync_folders_has_no_need_to() {
        const EIO: i32 = 5;
        const EINVAL: i32 = 22; // what fsync(2) says of such a file system
        assert!(synced(Err(io::Error::from_raw_os_error(EINVAL))).is_ok());
        assert!(synced(Err(io::Error::from_raw_os_error(EIO))).is_err());
    }
}
