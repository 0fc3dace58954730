//! Whether the program was started with a standard stream closed. The standard library opens `/dev/null` in its place
//! before `main`; then a build would make a filter of no keys, and answers would go nowhere.

use std::sync::atomic::{AtomicBool, Ordering};

static INPUT: AtomicBool = AtomicBool::new(false);
static OUTPUT: AtomicBool = AtomicBool::new(false);

/// Whether there is nothing to read from because there never was; elsewhere than on Linux nobody knows.
pub(crate) fn input() -> bool {
    INPUT.load(Ordering::Relaxed)
}

/// Whether there is nothing to write to, likewise.
pub(crate) fn output() -> bool {
    OUTPUT.load(Ordering::Relaxed)
}

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
mod before_main {
    use super::{Ordering, INPUT, OUTPUT};

    extern "C" {
        fn fcntl(fd: i32, command: i32, ...) -> i32;
    }
    const F_GETFD: i32 = 1;

    extern "C" fn look() {
        for (fd, closed) in [(0, &INPUT), (1, &OUTPUT)] {
            // Safe: the C library's own function, which looks at a descriptor and changes nothing.
            closed.store(unsafe { fcntl(fd, F_GETFD) } == -1, Ordering::Relaxed);
        }
    }

    /// What the loader calls before `main`.
    #[used]
    #[link_section = ".init_array"]
    static LOOK: extern "C" fn() = look;
}
