// Publishing a file whole or not at all: written to a temporary beside its target, synced, renamed over it, and the
// folder synced. Whatever fails, the target is as it was and no temporary stays.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/io/file.h"

namespace BLOOMERY_NAMESPACE::io {

// What is done where the target is there already.
enum class IfThere { replace, refuse };

// Protocol: create (write)* write_start? commit? ; destruction without commit drops everything. One thread at a time.
class AtomicFile {
 public:
  // Refuses a target that is a directory, a device or a pipe. A symbolic link is followed, so that it stays one, also
  // to a file that does not exist yet. Of a file that is replaced the mode stays, and owner and group as far as the
  // process may give files away. With `refuse` create and commit fail where something is, and never change it, also
  // when another process puts it there between the two; a commit that fails leaves nothing there itself.
  static Result<AtomicFile> create(const std::string& path, IfThere if_there = IfThere::replace);

  AtomicFile(AtomicFile&& other) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Status write(std::span<const std::uint8_t> bytes);
  // Over the first bytes, which were written before; nothing can be written after it.
  Status write_start(std::span<const std::uint8_t> bytes);
  Status commit();

  // Where it is until then.
  const std::string& temporary_name() const { return file_->name(); }

 private:
  AtomicFile(std::string target, std::string shown, File file, IfThere if_there)
      : target_(std::move(target)), shown_(std::move(shown)), file_(std::move(file)), if_there_(if_there) {}
  Status become_like(const struct stat& old);

  std::string target_;  // links resolved
  std::string shown_;   // as the caller called it
  std::optional<File> file_;
  IfThere if_there_;
};

}  // namespace BLOOMERY_NAMESPACE::io
