// The lock under which a file is replaced. Who reads a file, changes it and publishes it anew holds the lock over all
// three, so that no process undoes what another has done. The commands take it; the library leaves it to its users.
#pragma once

#include <optional>
#include <string>

#include "core/io/file.h"

namespace BLOOMERY_NAMESPACE::io {

// An exclusive lock (flock) of the file at a path. The kernel ends it with this object or with the process, however
// that ends. A process that takes the lock of one file twice waits for itself.
class FileLock {
 public:
  // Waits while another process holds the lock; a signal that ends the process ends the wait. On return the path leads
  // to the file that is locked, links followed. What does not exist or is no regular file is not locked: nobody has
  // read it to write it anew.
  static Result<FileLock> take(const std::string& path);

  bool held() const { return file_.has_value(); }

 private:
  FileLock() = default;
  explicit FileLock(File file) : file_(std::move(file)) {}

  std::optional<File> file_;
};

}  // namespace BLOOMERY_NAMESPACE::io
