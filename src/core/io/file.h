// Reading files: whole, in blocks, or mapped. Each owner closes what it opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "bloomery/result.h"
#include "core/io/sys.h"

namespace BLOOMERY_NAMESPACE::io {

// Tells a file from every other one, even from a later one that was given its inode number. A write, link, rename or
// chmod gives the file another identity.
struct FileIdentity {
  dev_t device;
  ino_t inode;
  off_t bytes;
  decltype(timespec::tv_sec) changed;
  decltype(timespec::tv_nsec) changed_nanoseconds;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
// The identity of what has the name, a symbolic link itself; nothing where it cannot be told, with errno set.
std::optional<FileIdentity> identity_at(const std::string& path);

// An open file descriptor with the name to blame. Moves, never copies. One thread at a time.
class File {
 public:
  static Result<File> open_read(const std::string& path);
  // Opens a regular file and refuses anything else; it does not wait for a FIFO that nobody writes to.
  static Result<File> open_regular(const std::string& path);
  // Opens a FIFO at once, also while nobody writes to it. Call poll before each read of what is no regular file. A
  // regular file is waited for as long as somebody who has a lease of it takes to give that up.
  static Result<File> open_without_waiting(const std::string& path);
  // An unnamed file in TMPDIR (or /tmp), gone when closed.
  static Result<File> temporary();
  // Owns a descriptor that was opened elsewhere.
  static File adopted(int fd, std::string name);
  // Uses a descriptor of somebody else's, such as standard input, and leaves it open. It begins where it stands now.
  static File borrowed(int fd, std::string name);

  File(File&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), owned_(other.owned_), start_(other.start_), name_(std::move(other.name_)) {}
  File& operator=(File&& other) noexcept;
  ~File();

  const std::string& name() const { return name_; }
  int fd() const { return fd_; }

  // Reads up to into.size() bytes, and returns how many; 0 at the end of the file.
  Result<std::size_t> read_some(std::span<std::uint8_t> into);
  // As read_some, but returns nothing when the file has no bytes now and reads of it do not wait: it was opened so, or
  // its owner made it so.
  Result<std::optional<std::size_t>> read_what_is_there(std::span<std::uint8_t> into);
  // Reads exactly into.size() bytes; fewer are an error.
  Status read_exactly(std::span<std::uint8_t> into);
  // Reads exactly into.size() bytes from an offset, and does not move the place that the other calls read from. Any
  // thread may call it.
  Status read_at(std::uint64_t offset, std::span<std::uint8_t> into) const;
  Status write_all(std::span<const std::uint8_t> bytes);
  // Goes back to where the file began: of a borrowed descriptor, to where it stood when it was borrowed.
  Status rewind();

  // The length of a regular file; an error for a directory, a pipe or a device.
  Result<std::uint64_t> size() const;
  bool is_regular() const;
  // Whether the path leads to this very file, by whatever name.
  bool is_at(const std::string& path) const;
  // Nothing where it cannot be told, with errno set.
  std::optional<FileIdentity> identity() const;

 private:
  File(int fd, bool owned, std::string name) : fd_(fd), owned_(owned), name_(std::move(name)) {}
  static Result<File> open_with(const std::string& path, int flags);

  int fd_;
  bool owned_;
  std::int64_t start_ = 0;  // the offset that rewind goes to; below 0 where there is none
  std::string name_;
};

// Returns whether two names lead to one file: hard links, symbolic links, other paths to it. False when one leads to
// nothing.
bool same_file(const std::string& a, const std::string& b);

// Puts something in the place of each standard stream that is closed, so that no file opened later takes its number.
// Reads from that input and writes to that output fail; what goes to that standard error is dropped. For the start of
// a program.
void hold_standard_streams();

// A whole file mapped, read-only and shared: pages come from the page cache, nothing is copied.
// Moves, never copies; reading is safe from any thread. As with every mapping, a file that is cut short by somebody
// else while mapped makes reads past its new end a fatal signal: publish files by rename, as AtomicFile does, and never
// truncate in place.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path);

  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  // Tells the system that reads will be here and there, so that a missing page does not bring its neighbours along. It
  // is advice, and may fail.
  void expect_random_reads() const noexcept;
  // Tells the system that these bytes will be read soon.
  void will_need(std::uint64_t offset, std::uint64_t bytes) const noexcept;

 private:
  MappedFile(std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace BLOOMERY_NAMESPACE::io
