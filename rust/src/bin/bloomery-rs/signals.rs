//! Makes a file-size limit an error of the write that meets it, which is reported and cleaned up after, and not the end
//! of the program. The standard library has no call for that.

#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
pub(crate) fn ignore_file_size_limit() {
    extern "C" {
        fn signal(number: i32, action: usize) -> usize;
    }
    const SIGXFSZ: i32 = 25;
    const SIG_IGN: usize = 1;
    // Safe: the C library's own function, with a constant it defines, before any other thread exists.
    unsafe {
        signal(SIGXFSZ, SIG_IGN);
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn ignore_file_size_limit() {}
