// Publishing a file whole or not at all: written to a temporary beside its target, synced, renamed over it, and the
// folder synced. Whatever fails, no temporary stays and the target is as it was, unless only the sync of the folder
// failed: then a file that was replaced is the new one, whole, and a power cut may bring the old one back. The folder
// is opened before the rename, so one that the process may not read is an error that changes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/io/file.h"

namespace BLOOMERY_NAMESPACE::io {

// What to do when the target is there already.
enum class IfThere { replace, refuse };

// Protocol: create (write)* write_start? commit? ; destruction without commit drops everything. One thread at a time.
class AtomicFile {
 public:
  // Refuses a target that is a directory, a device or a pipe. A symbolic link is followed and stays one, even if the
  // file that it leads to does not exist yet. A file that is replaced keeps its mode, and its owner and group as far as
  // the process may give files away. With `refuse`, create and commit fail where anything is, even a link to nothing,
  // and never change it, whenever another process puts it there; a commit that fails leaves nothing of its own there.
  static Result<AtomicFile> create(const std::string& path, IfThere if_there = IfThere::replace);

  AtomicFile(AtomicFile&& other) noexcept = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();

  Status write(std::span<const std::uint8_t> bytes);
  // Overwrites the first bytes, which were written before. Nothing can be written after it.
  Status write_start(std::span<const std::uint8_t> bytes);
  Status commit();
  // Returns which file a commit with `refuse` has published; nothing before the commit.
  const std::optional<FileIdentity>& published() const { return published_; }

  // The name that the file has until commit.
  const std::string& temporary_name() const { return file_->name(); }

 private:
  AtomicFile(std::string target, std::string shown, File file, IfThere if_there)
      : target_(std::move(target)), shown_(std::move(shown)), file_(std::move(file)), if_there_(if_there) {}
  Status become_like(const struct stat& old);
  Status rename_to_new();
  void take_back(const File& file) const;

  std::string target_;  // links resolved
  std::string shown_;   // as the caller called it
  std::optional<File> file_;
  IfThere if_there_;
  std::optional<FileIdentity> published_;
};

}  // namespace BLOOMERY_NAMESPACE::io
