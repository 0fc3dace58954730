#include "core/io/sys.h"

#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace BLOOMERY_NAMESPACE::io {
namespace {

FaultHook g_hook = nullptr;
void* g_context = nullptr;

// The system call, unless a test wants it to fail. It may be told to do less than it was asked for.
template <class System>
auto done(const Call& call, System system) -> decltype(system(call.bytes)) {
  for (;;) {
    const Verdict verdict = g_hook == nullptr ? Verdict{} : g_hook(call, g_context);
    if (verdict.error != 0) errno = verdict.error;
    const auto result = verdict.error != 0 ? -1 : system(std::min(call.bytes, verdict.most));
    if (result != -1 || errno != EINTR) return result;
  }
}

const char* advice(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT: return "; free some space and try again (nothing was changed)";
    case EFBIG: return "; raise the file-size limit (ulimit -f) and try again (nothing was changed)";
    case EACCES:
    case EPERM:
    case EROFS: return "; check the permissions of the file and its folder";
    default: return "";
  }
}

}  // namespace

void set_fault_hook(FaultHook hook, void* context) noexcept {
  g_hook = hook;
  g_context = context;
}

int sys_open(const char* path, int flags, mode_t mode) {
  return done({.op = Op::open, .path = path}, [&](std::size_t) { return ::open(path, flags | O_CLOEXEC, mode); });
}

int sys_open_temporary(char* path) {
  return done({.op = Op::open, .path = path}, [&](std::size_t) { return ::mkostemp(path, O_CLOEXEC); });
}

int sys_fstat(int fd, struct stat* into) {
  return done({.op = Op::stat, .fd = fd}, [&](std::size_t) { return ::fstat(fd, into); });
}

int sys_stat(const char* path, struct stat* into) {
  return done({.op = Op::stat, .path = path}, [&](std::size_t) { return ::stat(path, into); });
}

int sys_lstat(const char* path, struct stat* into) {
  return done({.op = Op::stat, .path = path}, [&](std::size_t) { return ::lstat(path, into); });
}

ssize_t sys_read(int fd, void* into, std::size_t bytes) {
  return done({.op = Op::read, .fd = fd, .bytes = bytes}, [&](std::size_t most) { return ::read(fd, into, most); });
}

ssize_t sys_read_at(int fd, void* into, std::size_t bytes, std::uint64_t offset) {
  return done({.op = Op::read, .fd = fd, .bytes = bytes},
              [&](std::size_t most) { return ::pread(fd, into, most, static_cast<off_t>(offset)); });
}

ssize_t sys_write(int fd, const void* from, std::size_t bytes) {
  return done({.op = Op::write, .fd = fd, .from = from, .bytes = bytes},
              [&](std::size_t most) { return ::write(fd, from, most); });
}

int sys_fsync(int fd) {
  return done({.op = Op::sync, .fd = fd}, [&](std::size_t) { return ::fsync(fd); });
}

int sys_rename(const char* from, const char* to) {
  return done({.op = Op::rename, .path = from, .to = to}, [&](std::size_t) { return std::rename(from, to); });
}

int sys_rename_to_new(const char* from, const char* to) {
  constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE; called by number because not every C library has renameat2
  const auto rename = [&](std::size_t) {
    return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, kNoReplace));
  };
  return done({.op = Op::rename, .path = from, .to = to}, rename);
}

int sys_link(const char* from, const char* to) {
  return done({.op = Op::link, .path = from, .to = to}, [&](std::size_t) { return ::link(from, to); });
}

int sys_unlink(const char* path) {
  return done({.op = Op::unlink, .path = path}, [&](std::size_t) { return ::unlink(path); });
}

int sys_lock(int fd) {
  return done({.op = Op::lock, .fd = fd}, [&](std::size_t) { return ::flock(fd, LOCK_EX); });
}

int sys_chown(int fd, uid_t owner, gid_t group) {
  return done({.op = Op::chown, .fd = fd}, [&](std::size_t) { return ::fchown(fd, owner, group); });
}

int sys_chmod(int fd, mode_t mode) {
  return done({.op = Op::chmod, .fd = fd}, [&](std::size_t) { return ::fchmod(fd, mode); });
}

void* sys_map(int fd, std::size_t bytes) {
  void* memory = nullptr;
  const auto map = [&](std::size_t) {
    memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
    return memory == MAP_FAILED ? -1 : 0;
  };
  return done({.op = Op::map, .fd = fd}, map) == 0 ? memory : nullptr;
}

Error io_error(const std::string& file, const char* doing, int error_number) {
  return {ErrorCode::io,
          std::string("cannot ") + doing + (file.empty() ? " a file without a name: " : ": ") +
              std::strerror(error_number) + advice(error_number),
          file,
          {}};
}

}  // namespace BLOOMERY_NAMESPACE::io
