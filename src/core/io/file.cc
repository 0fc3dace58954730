#include "core/io/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/io/sys.h"

namespace BLOOMERY_NAMESPACE::io {
namespace {

bool same(const struct stat& a, const struct stat& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

FileIdentity identity_of(const struct stat& info) {
  return {info.st_dev, info.st_ino, info.st_size, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

bool is_regular_at(const std::string& path) {
  struct stat info {};
  return sys_stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// Without waiting the system would break a lease, and fail; a regular file has no other reason to keep anybody waiting.
int open_patiently(const std::string& path, int flags) {
  const int fd = sys_open(path.c_str(), flags);
  if (fd >= 0 || errno != EWOULDBLOCK || (flags & O_NONBLOCK) == 0) return fd;
  if (is_regular_at(path)) return sys_open(path.c_str(), flags & ~O_NONBLOCK);
  errno = EWOULDBLOCK;
  return fd;
}

}  // namespace

Result<File> File::open_read(const std::string& path) { return open_with(path, O_RDONLY); }

Result<File> File::open_regular(const std::string& path) {
  Result<File> file = open_without_waiting(path);
  BLOOMERY_TRY(file);
  BLOOMERY_TRY(file->size());
  return file;
}

Result<File> File::open_without_waiting(const std::string& path) { return open_with(path, O_RDONLY | O_NONBLOCK); }

Result<File> File::open_with(const std::string& path, int flags) {
  const int fd = open_patiently(path, flags);
  if (fd < 0) return io_error(path, "open", errno);
  File file(fd, true, path);
  struct stat info {};
  if (sys_fstat(fd, &info) != 0) return io_error(path, "look at", errno);
  if (S_ISDIR(info.st_mode)) return Error{ErrorCode::io, "is a directory: name a file", path, {}};
  return file;
}

Result<File> File::temporary() {
  const char* folder = environment("TMPDIR");
  std::string path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/bloomery-XXXXXX";
  const int fd = sys_open_temporary(path.data());
  if (fd < 0) return io_error(path, "create a temporary file", errno);
  ::unlink(path.c_str());
  return File(fd, true, path);
}

File File::adopted(int fd, std::string name) { return {fd, true, std::move(name)}; }

File File::borrowed(int fd, std::string name) {
  File file(fd, false, std::move(name));
  file.start_ = ::lseek(fd, 0, SEEK_CUR);
  return file;
}

File& File::operator=(File&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(owned_, other.owned_);
  std::swap(start_, other.start_);
  std::swap(name_, other.name_);
  return *this;
}

File::~File() {
  if (owned_ && fd_ >= 0) ::close(fd_);
}

Result<std::size_t> File::read_some(std::span<std::uint8_t> into) {
  const ssize_t got = sys_read(fd_, into.data(), into.size());
  if (got < 0) return io_error(name_, "read", errno);
  return static_cast<std::size_t>(got);
}

Result<std::optional<std::size_t>> File::read_what_is_there(std::span<std::uint8_t> into) {
  const ssize_t got = sys_read(fd_, into.data(), into.size());
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return std::optional<std::size_t>();
  if (got < 0) return io_error(name_, "read", errno);
  return std::optional<std::size_t>(static_cast<std::size_t>(got));
}

Status File::read_exactly(std::span<std::uint8_t> into) {
  while (!into.empty()) {
    Result<std::size_t> got = read_some(into);
    BLOOMERY_TRY(got);
    if (*got == 0) return Error{ErrorCode::io, "ended early: another process is changing it; try again", name_, {}};
    into = into.subspan(*got);
  }
  return {};
}

Status File::read_at(std::uint64_t offset, std::span<std::uint8_t> into) const {
  while (!into.empty()) {
    const ssize_t got = sys_read_at(fd_, into.data(), into.size(), offset);
    if (got < 0) return io_error(name_, "read", errno);
    if (got == 0) return Error{ErrorCode::io, "ended early: another process is changing it; try again", name_, {}};
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

Status File::write_all(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = sys_write(fd_, bytes.data(), bytes.size());
    if (wrote < 0) return io_error(name_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(wrote));
  }
  return {};
}

Status File::rewind() {
  if (::lseek(fd_, start_, SEEK_SET) < 0) return io_error(name_, "rewind", errno);
  return {};
}

bool File::is_regular() const {
  struct stat info {};
  return sys_fstat(fd_, &info) == 0 && S_ISREG(info.st_mode);
}

bool File::is_at(const std::string& path) const {
  struct stat here {
  }, there{};
  return sys_fstat(fd_, &here) == 0 && sys_stat(path.c_str(), &there) == 0 && same(here, there);
}

std::optional<FileIdentity> File::identity() const {
  struct stat info {};
  if (sys_fstat(fd_, &info) != 0) return std::nullopt;
  return identity_of(info);
}

std::optional<FileIdentity> identity_at(const std::string& path) {
  struct stat info {};
  if (sys_lstat(path.c_str(), &info) != 0) return std::nullopt;
  return identity_of(info);
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat one {
  }, other{};
  return sys_stat(a.c_str(), &one) == 0 && sys_stat(b.c_str(), &other) == 0 && same(one, other);
}

// The lowest number that is free is the next one given: in this order each comes to its place.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF)
      (void)::open("/dev/null", fd == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
}

Result<std::uint64_t> File::size() const {
  struct stat info {};
  if (sys_fstat(fd_, &info) != 0) return io_error(name_, "look at", errno);
  if (!S_ISREG(info.st_mode)) return Error{ErrorCode::io, "is no regular file: copy it to one first", name_, {}};
  return static_cast<std::uint64_t>(info.st_size);
}

Result<MappedFile> MappedFile::open(const std::string& path) {
  Result<File> file = File::open_regular(path);
  BLOOMERY_TRY(file);
  Result<std::uint64_t> size = file->size();
  BLOOMERY_TRY(size);
  if (*size == 0) return MappedFile(nullptr, 0);  // nothing to map; the reader will say that it is no filter
  if (*size > SIZE_MAX / 2)
    return Error{ErrorCode::unsupported,
                 "has " + std::to_string(*size) + " bytes, more than a program of " +
                     std::to_string(8 * sizeof(void*)) + " bits can map: use one of 64 bits",
                 path,
                 {}};
  const auto bytes = static_cast<std::size_t>(*size);
  void* memory = sys_map(file->fd(), bytes);
  if (memory == nullptr) return io_error(path, "map", errno);
  return MappedFile(static_cast<std::uint8_t*>(memory), bytes);
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

void MappedFile::expect_random_reads() const noexcept {
  if (data_ != nullptr) (void)::madvise(data_, size_, MADV_RANDOM);
}

void MappedFile::will_need(std::uint64_t offset, std::uint64_t bytes) const noexcept {
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t start = offset / page * page;
  if (start < size_)
    (void)::madvise(data_ + start, std::min<std::uint64_t>(offset + bytes, size_) - start, MADV_WILLNEED);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

}  // namespace BLOOMERY_NAMESPACE::io
