#include "core/io/lock.h"

#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <thread>

#include "support/fault_at.h"
#include "support/scratch.h"

namespace bloomery::io {
namespace {

using testing::FaultAt;
using testing::Scratch;
using testing::write_text;

// Whether somebody holds the lock of the file that is at the path now.
bool is_locked(const std::string& path) {
  const File file = *File::open_read(path);
  if (::flock(file.fd(), LOCK_EX | LOCK_NB) == 0) return false;
  EXPECT_EQ(errno, EWOULDBLOCK);
  return true;
}

TEST(FileLock, is_held_until_it_goes) {
  Scratch scratch;
  write_text(scratch / "a", "old");
  EXPECT_FALSE(is_locked(scratch / "a"));
  {
    FileLock lock = *FileLock::take(scratch / "a");
    EXPECT_TRUE(is_locked(scratch / "a"));
    const FileLock moved = std::move(lock);
    EXPECT_TRUE(moved.held() && is_locked(scratch / "a"));
  }
  EXPECT_FALSE(is_locked(scratch / "a"));
}

TEST(FileLock, is_that_of_the_file_a_link_leads_to) {
  Scratch scratch;
  write_text(scratch / "a", "old");
  std::filesystem::create_symlink("a", scratch / "link");
  const FileLock lock = *FileLock::take(scratch / "link");
  EXPECT_TRUE(is_locked(scratch / "a"));
}

// Two threads of a process lock each other out as two processes do: each opens the file for itself.
TEST(FileLock, is_of_the_file_that_took_the_place_of_the_one_that_was_waited_for) {
  Scratch scratch;
  for (int round = 0; round < 20; ++round) {
    write_text(scratch / "a", "old");
    std::optional<FileLock> first = *FileLock::take(scratch / "a");
    bool locked = false;
    std::thread second([&] {
      const FileLock lock = *FileLock::take(scratch / "a");
      locked = lock.held() && is_locked(scratch / "a");
    });
    write_text(scratch / "b", "new");
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));  // it waits by now, most likely
    std::filesystem::rename(scratch / "b", scratch / "a");
    first.reset();
    second.join();
    EXPECT_TRUE(locked);
  }
}

TEST(FileLock, of_what_does_not_exist_or_is_no_file_is_not_held) {
  Scratch scratch;
  EXPECT_FALSE(FileLock::take(scratch / "none")->held());
  EXPECT_FALSE(FileLock::take(scratch.folder())->held());
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(FileLock::take(scratch / "pipe")->held());
}

TEST(FileLock, names_the_file_system_that_cannot_lock) {
  Scratch scratch;
  write_text(scratch / "a", "old");
  for (const int reason : {ENOLCK, EOPNOTSUPP, ENOSYS}) {
    const FaultAt fault(0, reason, Op::lock);
    const Result<FileLock> lock = FileLock::take(scratch / "a");
    ASSERT_FALSE(lock.ok());
    EXPECT_EQ(lock.error().file, scratch / "a");
    EXPECT_NE(lock.error().message.find(std::strerror(reason)), std::string::npos);
    EXPECT_NE(lock.error().message.find(" at /"), std::string::npos) << lock.error().message;
  }
}

TEST(FileLock, is_had_where_the_file_has_to_be_open_for_writing) {
  Scratch scratch;
  write_text(scratch / "a", "old");
  const FaultAt fault(0, EBADF, Op::lock);
  EXPECT_TRUE(FileLock::take(scratch / "a")->held());
  EXPECT_TRUE(fault.failed().has_value());
}

TEST(FileLock, is_not_had_when_a_call_fails) {
  Scratch scratch;
  write_text(scratch / "a", "old");
  for (const Op op : {Op::open, Op::lock}) {
    const FaultAt fault(0, EIO, op);
    EXPECT_EQ(FileLock::take(scratch / "a").error().file, scratch / "a");
  }
  const FaultAt interrupted(0, EINTR, Op::lock);
  EXPECT_TRUE(FileLock::take(scratch / "a")->held());
}

}  // namespace
}  // namespace bloomery::io
