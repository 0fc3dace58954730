// The system calls of the layer io, each behind a door where a test can make it fail. All file access of the library
// goes through here.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::io {

enum class Op { open, stat, read, write, sync, rename, link, unlink, map, lock, chown, chmod };

// A call as a test sees it; a member is set where the call has such an argument.
struct Call {
  Op op;
  int fd = -1;
  const char* path = nullptr;  // of open, stat, rename, link and unlink
  const char* to = nullptr;    // of rename and link
  const void* from = nullptr;  // of write
  std::size_t bytes = 0;       // of read and write: how many are asked for
};

// What a test makes of it: a failure with that errno unless 0, or a read or write of fewer bytes than were asked for.
struct Verdict {
  int error = 0;
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

// Is called before each system call, and again when an interrupted one is repeated. Tests make calls fail by it, and
// the command shows progress by it. Change it only while no file is in use.
using FaultHook = Verdict (*)(const Call& call, void* context);
void set_fault_hook(FaultHook hook, void* context = nullptr) noexcept;

// These return what the system call returns (-1 or nullptr with errno set), retrying when a signal interrupts.
int sys_open(const char* path, int flags, mode_t mode = 0);
int sys_open_temporary(char* path);  // mkstemp
int sys_fstat(int fd, struct stat* into);
int sys_stat(const char* path, struct stat* into);
int sys_lstat(const char* path, struct stat* into);
ssize_t sys_read(int fd, void* into, std::size_t bytes);
ssize_t sys_read_at(int fd, void* into, std::size_t bytes, std::uint64_t offset);
ssize_t sys_write(int fd, const void* from, std::size_t bytes);
int sys_fsync(int fd);
int sys_rename(const char* from, const char* to);
// Fails with EEXIST where `to` is there already, whoever made it and when.
int sys_rename_to_new(const char* from, const char* to);
int sys_link(const char* from, const char* to);
int sys_unlink(const char* path);
int sys_lock(int fd);  // flock, exclusive: waits until nobody else holds it
int sys_chown(int fd, uid_t owner, gid_t group);
int sys_chmod(int fd, mode_t mode);
// Read-only and shared.
void* sys_map(int fd, std::size_t bytes);

// An error for the failed call that set errno: what was being done, why it failed, and what to do about it.
Error io_error(const std::string& file, const char* doing, int error_number);

}  // namespace BLOOMERY_NAMESPACE::io
