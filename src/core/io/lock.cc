#include "core/io/lock.h"

#include <cerrno>
#include <cstring>

#include "core/base/error.h"
#include "core/io/file_system.h"
#include "core/io/sys.h"

namespace BLOOMERY_NAMESPACE::io {
namespace {

Error cannot_lock(const File& file, int reason) {
  return {
      ErrorCode::io,
      std::string("cannot lock: ") + std::strerror(reason) + "; the file system, " + file_system_of(file) +
          ", does not lock files, and another writer could undo this change: write to a file elsewhere, and copy it",
      file.name(),
      {}};
}

// Network file systems give exclusive locks only of files that are open for writing, and say EBADF otherwise.
Result<File> open_locked(const std::string& path, int flags = O_RDONLY) {
  const int fd = sys_open(path.c_str(), flags);
  if (fd < 0) return io_error(path, "open", errno);
  File file = File::adopted(fd, path);
  if (sys_lock(fd) == 0) return file;
  const int reason = errno;
  if (reason == EBADF && flags == O_RDONLY) return open_locked(path, O_RDWR);
  return cannot_lock(file, reason);
}

}  // namespace

Result<FileLock> FileLock::take(const std::string& path) {
  for (;;) {
    struct stat there {};
    if (sys_stat(path.c_str(), &there) != 0) {
      if (errno == ENOENT) return FileLock();
      return io_error(path, "look at", errno);
    }
    if (!S_ISREG(there.st_mode)) return FileLock();
    Result<File> file = open_locked(path);
    // Whoever held the lock before has put another file there: a lock of the old one locks nobody out.
    if (file.ok() && file->is_at(path)) return FileLock(*std::move(file));
    if (!file.ok() && sys_stat(path.c_str(), &there) == 0) return std::move(file).error();
  }
}

}  // namespace BLOOMERY_NAMESPACE::io
