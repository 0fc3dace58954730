#include "core/io/atomic_file.h"

#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <utility>

#include "core/base/error.h"
#include "core/io/file_system.h"
#include "core/io/sys.h"

namespace BLOOMERY_NAMESPACE::io {
namespace {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The file that symbolic links lead to, which need not exist yet; the path itself where there are none.
std::string resolved(const std::string& path) {
  char place[PATH_MAX];
  if (::realpath(path.c_str(), place) != nullptr) return place;
  constexpr int kMostLinks = 40;  // as many as the system follows
  std::string end = path;
  for (int links = 0; links < kMostLinks; ++links) {
    const ssize_t length = ::readlink(end.c_str(), place, sizeof place);
    if (length <= 0) break;
    const std::string to(place, static_cast<std::size_t>(length));
    end = to.starts_with('/') ? to : folder_of(end).append("/").append(to);
  }
  return end;
}

// The path with the suffix. Its last name is cut where the two together are longer than a name may be, and not within
// a character of UTF-8.
std::string with_suffix(const std::string& path, const std::string& suffix) {
  const std::size_t name = path.rfind('/') + 1;  // 0 where there is no slash
  std::size_t kept = path.size() - name;
  if (kept + suffix.size() > NAME_MAX) {
    kept = NAME_MAX - suffix.size();
    while (kept > 0 && (static_cast<unsigned char>(path[name + kept]) & 0xc0) == 0x80) --kept;
  }
  return path.substr(0, name + kept) + suffix;
}

// A name that no other process and no other thread picks: O_EXCL makes sure, the number makes it likely at once.
Result<File> open_temporary(const std::string& target, const std::string& shown, mode_t mode) {
  for (int attempt = 0;; ++attempt) {
    std::string name = with_suffix(target, ".tmp." + std::to_string(::getpid()) + "." + std::to_string(attempt));
    const int fd = sys_open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL, mode);
    if (fd >= 0) return File::adopted(fd, std::move(name));
    if (errno != EEXIST || attempt == 1000) return io_error(shown, "create", errno);
  }
}

Error there_already(const std::string& path) {
  return {ErrorCode::invalid_argument, "is there already: give a new name", path, "name"};
}

bool is_unknown_call(int reason) { return reason == EINVAL || reason == ENOSYS || reason == EOPNOTSUPP; }

// A plain rename would work here, but could replace what another writer has published a moment before.
Error cannot_be_new(const File& file, const std::string& path) {
  return {ErrorCode::io,
          "cannot create: the file system, " + file_system_of(file) +
              ", can neither rename without replacing nor link, and another writer's file could be lost: write to a "
              "file elsewhere, and copy it",
          path,
          {}};
}

// 0, or the errno of what failed. A file system that cannot sync folders has nothing more to do.
int sync_folder(const File& folder) { return sys_fsync(folder.fd()) == 0 || is_unknown_call(errno) ? 0 : errno; }

}  // namespace

Result<AtomicFile> AtomicFile::create(const std::string& path, IfThere if_there) {
  if (path.empty()) return Error{ErrorCode::invalid_argument, "the output file has no name", {}, "path"};
  const bool refuses = if_there == IfThere::refuse;
  std::string target = refuses ? path : resolved(path);
  struct stat info {};
  mode_t mode = 0666;  // less the umask, as for any new file
  // It asks by the path that was given: /dev/stdout may lead to what has no path, a pipe.
  const bool replaces = (refuses ? sys_lstat : sys_stat)(path.c_str(), &info) == 0;
  if (replaces) {
    if (refuses) return there_already(path);
    if (S_ISDIR(info.st_mode)) return Error{ErrorCode::io, "is a directory: name a file in it", path, {}};
    if (!S_ISREG(info.st_mode))
      return Error{ErrorCode::io, "is no regular file: filters are written to a file, whole or not at all", path, {}};
    mode = info.st_mode & 0777;
  } else if (errno != ENOENT) {
    return io_error(path, "create", errno);
  }
  std::string shown = path;  // once there is a temporary, nothing here may fail: it would stay
  Result<File> file = open_temporary(target, path, mode);
  BLOOMERY_TRY(file);
  AtomicFile created(std::move(target), std::move(shown), *std::move(file), if_there);
  if (replaces) BLOOMERY_TRY(created.become_like(info));
  return created;
}

// A system that refuses either makes a file that is no more open to others than the old one was.
Status AtomicFile::become_like(const struct stat& old) {
  struct stat now {};
  if (sys_fstat(file_->fd(), &now) != 0) return io_error(shown_, "create", errno);
  const bool owned_alike = now.st_uid == old.st_uid && now.st_gid == old.st_gid;
  if (!owned_alike && sys_chown(file_->fd(), old.st_uid, old.st_gid) != 0)
    (void)sys_chown(file_->fd(), static_cast<uid_t>(-1), old.st_gid);
  if (((now.st_mode ^ old.st_mode) & 0777) != 0) (void)sys_chmod(file_->fd(), old.st_mode & 0777);
  return {};
}

AtomicFile::~AtomicFile() {
  if (file_.has_value() && file_->fd() >= 0) sys_unlink(file_->name().c_str());
}

Status AtomicFile::write(std::span<const std::uint8_t> bytes) {
  Status status = file_->write_all(bytes);
  if (!status.ok()) return in_file(std::move(status).error(), shown_);
  return status;
}

Status AtomicFile::write_start(std::span<const std::uint8_t> bytes) {
  Status status = file_->rewind();
  if (!status.ok()) return in_file(std::move(status).error(), shown_);
  return write(bytes);
}

// Uses link and unlink where the file system has no rename that refuses.
Status AtomicFile::rename_to_new() {
  const char* from = file_->name().c_str();
  const char* to = target_.c_str();
  if (sys_rename_to_new(from, to) == 0) return {};
  if (is_unknown_call(errno)) {
    if (sys_link(from, to) == 0) {
      if (sys_unlink(from) == 0) return {};
      const int reason = errno;
      take_back(*file_);
      return io_error(file_->name(), "remove", reason);
    }
    if (errno == EPERM || is_unknown_call(errno)) return cannot_be_new(*file_, shown_);
  }
  return errno == EEXIST ? there_already(shown_) : io_error(shown_, "create", errno);
}

// Removes the file from its target, unless another one is there by now.
void AtomicFile::take_back(const File& file) const {
  if (file.is_at(target_)) (void)sys_unlink(target_.c_str());
}

Status AtomicFile::commit() {
  if (sys_fsync(file_->fd()) != 0) return io_error(shown_, "write", errno);
  // The folder is opened before the rename: after it, an error of opening or of memory would be reported although the
  // file is there.
  std::string name = folder_of(target_);
  const int fd = sys_open(name.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd < 0) return io_error(name, "open the folder to sync it", errno);
  const File folder = File::adopted(fd, std::move(name));
  const bool replaces = if_there_ == IfThere::replace;
  if (!replaces) BLOOMERY_TRY(rename_to_new());
  else if (sys_rename(file_->name().c_str(), target_.c_str()) != 0) return io_error(shown_, "replace", errno);
  const File file = *std::move(file_);  // while it is open, no other file has its inode number
  file_.reset();
  const int unsynced = sync_folder(folder);
  if (replaces && unsynced == 0) return {};
  if (unsynced == 0) published_ = file.identity();
  if (published_) return {};
  const int reason = unsynced != 0 ? unsynced : errno;
  // The new file is in place and whole; only its survival of a power cut is in doubt.
  if (!replaces) take_back(file);
  return unsynced != 0 ? io_error(folder.name(), "sync the folder", reason) : io_error(shown_, "look at", reason);
}

}  // namespace BLOOMERY_NAMESPACE::io
