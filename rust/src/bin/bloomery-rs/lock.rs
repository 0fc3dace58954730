//! The lock under which a file is replaced, the same as that of the C++ and Go commands (`flock`).

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::failure::Failure;

/// Held by one process at a time, until it is dropped or the process ends, however that comes about.
pub struct Lock {
    _file: Option<File>,
}

impl Lock {
    /// Waits until nobody else holds it. Of a file that does not exist there is nothing to hold.
    pub fn take(path: &Path) -> Result<Lock, Failure> {
        loop {
            let file = match locked(path) {
                Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Lock { _file: None }),
                Err(e) => {
                    return Err(format!(
                        "{}: cannot lock: {}: its file system may have no locks (flock)",
                        path.display(),
                        e
                    )
                    .into())
                }
                Ok(file) => file,
            };
            // Whoever held the lock before may have put another file there: that one has to be locked.
            if let (Ok(held), Ok(there)) = (file.metadata(), fs::metadata(path)) {
                if (held.dev(), held.ino()) == (there.dev(), there.ino()) {
                    return Ok(Lock { _file: Some(file) });
                }
            }
        }
    }
}

/// The file, locked. Network file systems may want it open for writing.
fn locked(path: &Path) -> io::Result<File> {
    const EBADF: i32 = 9;
    let file = File::open(path)?;
    match lock(&file) {
        Err(e) if e.raw_os_error() == Some(EBADF) => {
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            lock(&file).map(|()| file)
        }
        other => other.map(|()| file),
    }
}

#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
#[allow(unsafe_code)]
fn lock(file: &File) -> io::Result<()> {
    use std::os::unix::io::AsRawFd;
    extern "C" {
        fn flock(fd: i32, operation: i32) -> i32;
    }
    const LOCK_EX: i32 = 2;
    loop {
        // Safe: the C library's own function, on a descriptor that is open.
        if unsafe { flock(file.as_raw_fd(), LOCK_EX) } == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
fn lock(_file: &File) -> io::Result<()> {
    Ok(())
}
