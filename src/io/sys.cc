#include "io/sys.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace bloomery::io {
namespace {

FaultHook g_hook = nullptr;
void* g_context = nullptr;

// True when a test wants this call to fail; errno is then set.
bool injected(Op op) {
  const int error = g_hook == nullptr ? 0 : g_hook(op, g_context);
  if (error != 0) errno = error;
  return error != 0;
}

template <class Call>
auto retried(Call call) -> decltype(call()) {
  for (;;) {
    const auto result = call();
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
  if (injected(Op::open)) return -1;
  return retried([&] { return ::open(path, flags | O_CLOEXEC, mode); });
}

int sys_fstat(int fd, struct stat* into) { return injected(Op::stat) ? -1 : ::fstat(fd, into); }

int sys_stat(const char* path, struct stat* into) { return injected(Op::stat) ? -1 : ::stat(path, into); }

ssize_t sys_read(int fd, void* into, std::size_t bytes) {
  if (injected(Op::read)) return -1;
  return retried([&] { return ::read(fd, into, bytes); });
}

ssize_t sys_read_at(int fd, void* into, std::size_t bytes, std::uint64_t offset) {
  if (injected(Op::read)) return -1;
  return retried([&] { return ::pread(fd, into, bytes, static_cast<off_t>(offset)); });
}

ssize_t sys_write(int fd, const void* from, std::size_t bytes) {
  if (injected(Op::write)) return -1;
  return retried([&] { return ::write(fd, from, bytes); });
}

int sys_fsync(int fd) {
  if (injected(Op::sync)) return -1;
  return retried([&] { return ::fsync(fd); });
}

int sys_rename(const char* from, const char* to) { return injected(Op::rename) ? -1 : std::rename(from, to); }

int sys_unlink(const char* path) { return injected(Op::unlink) ? -1 : ::unlink(path); }

void* sys_map(int fd, std::size_t bytes, Mapping mapping) {
  if (injected(Op::map)) return nullptr;
  const bool shared = mapping == Mapping::shared;
  void* memory =
      ::mmap(nullptr, bytes, shared ? PROT_READ : PROT_READ | PROT_WRITE, shared ? MAP_SHARED : MAP_PRIVATE, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

Error io_error(const std::string& file, const char* doing, int error_number) {
  return {ErrorCode::io,
          std::string("cannot ") + doing + ": " + std::strerror(error_number) + advice(error_number),
          file,
          {}};
}

}  // namespace bloomery::io
