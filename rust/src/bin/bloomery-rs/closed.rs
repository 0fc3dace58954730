//! Whether the program was started with its standard input closed. The standard library opens `/dev/null` in its place
//! before `main`, so that a filter of no keys would come of it.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether there is nothing to read from because there never was; elsewhere than on Linux nobody knows.
pub(crate) fn was_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod before_main {
    use super::{Ordering, CLOSED};

    extern "C" {
        fn fcntl(fd: i32, command: i32, ...) -> i32;
    }
    const F_GETFD: i32 = 1;

    extern "C" fn look() {
        // Safe: the C library's own function, which looks at a descriptor and changes nothing.
        let closed = unsafe { fcntl(0, F_GETFD) } == -1;
        CLOSED.store(closed, Ordering::Relaxed);
    }

    /// What the loader calls before `main`.
    #[used]
    #[link_section = ".init_array"]
    static LOOK: extern "C" fn() = look;
}
