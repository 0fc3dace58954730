#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "core/io/atomic_file.h"
#include "core/io/file.h"
#include "support/fault_at.h"
#include "support/scratch.h"

namespace bloomery::io {
namespace {

using testing::read_text;
using testing::Scratch;
using testing::write_text;

std::span<const std::uint8_t> bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

TEST(AtomicFile, appears_on_commit_and_not_before) {
  Scratch scratch;
  AtomicFile file = *AtomicFile::create(scratch / "a");
  ASSERT_TRUE(file.write(bytes("one ")).ok());
  ASSERT_TRUE(file.write(bytes("two")).ok());
  EXPECT_FALSE(std::filesystem::exists(scratch / "a"));
  ASSERT_TRUE(file.commit().ok());
  EXPECT_EQ(read_text(scratch / "a"), "one two");
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(AtomicFile, dropped_without_commit_leaves_the_old_file_and_nothing_else) {
  Scratch scratch;
  write_text(scratch / "a", "old");
  {
    AtomicFile file = *AtomicFile::create(scratch / "a");
    ASSERT_TRUE(file.write(bytes("new")).ok());
    EXPECT_EQ(scratch.files(), 2u);
  }
  EXPECT_EQ(read_text(scratch / "a"), "old");
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(AtomicFile, follows_a_symbolic_link_and_keeps_the_mode) {
  Scratch scratch;
  write_text(scratch / "real", "old");
  ::chmod((scratch / "real").c_str(), 0640);
  std::filesystem::create_symlink(scratch / "real", scratch / "link");
  AtomicFile file = *AtomicFile::create(scratch / "link");
  ASSERT_TRUE(file.write(bytes("new")).ok() && file.commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
  EXPECT_EQ(read_text(scratch / "real"), "new");
  struct stat info {};
  ASSERT_EQ(::stat((scratch / "real").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST(AtomicFile, makes_the_file_that_a_link_to_nothing_names) {
  Scratch scratch;
  std::filesystem::create_directory(scratch / "sub");
  std::filesystem::create_symlink("sub/second", scratch / "first");
  std::filesystem::create_symlink("../real", scratch / "sub/second");
  AtomicFile file = *AtomicFile::create(scratch / "first");
  ASSERT_TRUE(file.write(bytes("new")).ok() && file.commit().ok());
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "first") && std::filesystem::is_symlink(scratch / "sub/second"));
  EXPECT_EQ(read_text(scratch / "real"), "new");
  std::filesystem::create_symlink("none/such", scratch / "nowhere");
  std::filesystem::create_symlink("round", scratch / "round");
  EXPECT_EQ(AtomicFile::create(scratch / "nowhere").error().file, scratch / "nowhere");
  EXPECT_EQ(AtomicFile::create(scratch / "round").error().file, scratch / "round");
}

// By the rename that refuses, and by link and unlink where the file system knows no such rename.
TEST(AtomicFile, that_must_be_new_replaces_nothing) {
  for (const int unknown_rename : {0, EINVAL, ENOSYS}) {
    Scratch scratch;
    std::optional<testing::FaultAt> fault;
    if (unknown_rename != 0) fault.emplace(0, unknown_rename, Op::rename);
    AtomicFile file = *AtomicFile::create(scratch / "a", IfThere::refuse);
    ASSERT_TRUE(file.write(bytes("new")).ok() && file.commit().ok());
    EXPECT_EQ(read_text(scratch / "a"), "new");
    EXPECT_EQ(scratch.files(), 1u);
    EXPECT_EQ(AtomicFile::create(scratch / "a", IfThere::refuse).error().field, "name");
    fault.reset();
    if (unknown_rename != 0) fault.emplace(0, unknown_rename, Op::rename);
    {
      AtomicFile late = *AtomicFile::create(scratch / "b", IfThere::refuse);
      ASSERT_TRUE(late.write(bytes("new")).ok());
      write_text(scratch / "b", "precious");
      const Status refused = late.commit();
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().field, "name");
      EXPECT_EQ(refused.error().file, scratch / "b");
    }
    EXPECT_EQ(read_text(scratch / "b"), "precious");
    EXPECT_EQ(scratch.files(), 2u);
  }
}

// Its survival of a power cut is in doubt, so that its writer is told that nothing is there, and nothing is.
TEST(AtomicFile, that_must_be_new_is_gone_when_its_folder_cannot_be_synced) {
  Scratch scratch;
  AtomicFile file = *AtomicFile::create(scratch / "a", IfThere::refuse);
  const testing::FaultAt fault(1, EIO, Op::sync);
  EXPECT_EQ(file.commit().error().file, scratch.folder());
  EXPECT_EQ(scratch.files(), 0u);
}

// Decides about each call by a function.
class Decides {
 public:
  explicit Decides(std::function<int(const Call&)> error_of) : error_of_(std::move(error_of)) {
    set_fault_hook(&Decides::decide, this);
  }
  ~Decides() { set_fault_hook(nullptr); }
  Decides(const Decides&) = delete;

 private:
  static Verdict decide(const Call& call, void* self) {
    return {.error = static_cast<Decides*>(self)->error_of_(call)};
  }
  std::function<int(const Call&)> error_of_;
};

// A folder may let a process write in it and not read it; for root it is the hook that refuses.
TEST(AtomicFile, leaves_the_old_file_where_the_folder_cannot_be_opened_to_sync_it) {
  for (const IfThere if_there : {IfThere::replace, IfThere::refuse}) {
    Scratch scratch;
    if (if_there == IfThere::replace) write_text(scratch / "a", "old");
    {
      AtomicFile file = *AtomicFile::create(scratch / "a", if_there);
      const Decides refused(
          [&](const Call& call) { return call.op == Op::open && call.path == scratch.folder() ? EACCES : 0; });
      EXPECT_EQ(file.commit().error().file, scratch.folder());
    }
    if (if_there == IfThere::replace) {
      EXPECT_EQ(read_text(scratch / "a"), "old");
    }
    EXPECT_EQ(scratch.files(), if_there == IfThere::replace ? 1u : 0u);
  }
}

TEST(AtomicFile, needs_no_sync_of_its_folder_from_a_file_system_that_has_none) {
  for (const IfThere if_there : {IfThere::replace, IfThere::refuse}) {
    Scratch scratch;
    AtomicFile file = *AtomicFile::create(scratch / "a", if_there);
    const testing::FaultAt fault(1, EINVAL, Op::sync);
    EXPECT_TRUE(file.commit().ok());
    EXPECT_EQ(scratch.files(), 1u);
  }
}

// Another process puts its file over the new one before the folder is synced, which fails.
TEST(AtomicFile, that_must_be_new_leaves_what_has_replaced_it) {
  Scratch scratch;
  AtomicFile file = *AtomicFile::create(scratch / "a", IfThere::refuse);
  ASSERT_TRUE(file.write(bytes("new")).ok());
  write_text(scratch / "other", "precious");
  int syncs = 0;
  const Decides fault([&](const Call& call) {
    if (call.op != Op::sync || syncs++ == 0) return 0;
    std::filesystem::rename(scratch / "other", scratch / "a");
    return EIO;
  });
  EXPECT_EQ(file.commit().error().file, scratch.folder());
  EXPECT_EQ(read_text(scratch / "a"), "precious");
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(AtomicFile, that_must_be_new_takes_a_link_to_nothing_for_something) {
  Scratch scratch;
  std::filesystem::create_symlink("elsewhere", scratch / "a");
  EXPECT_EQ(AtomicFile::create(scratch / "a", IfThere::refuse).error().field, "name");
  EXPECT_TRUE(std::filesystem::is_symlink(scratch / "a"));
  EXPECT_EQ(scratch.files(), 1u);
}

TEST(AtomicFile, that_must_be_new_names_a_file_system_that_cannot_promise_it) {
  for (const int no_links : {EPERM, ENOSYS, EOPNOTSUPP}) {
    Scratch scratch;
    {
      AtomicFile file = *AtomicFile::create(scratch / "a", IfThere::refuse);
      const Decides fault([&](const Call& call) {
        return call.op == Op::rename ? EINVAL : call.op == Op::link ? no_links : 0;
      });
      const Error error = file.commit().error();
      EXPECT_EQ(error.file, scratch / "a");
      EXPECT_NE(error.message.find("file system, "), std::string::npos) << error.message;
      EXPECT_NE(error.message.find(" at /"), std::string::npos) << error.message;
      EXPECT_EQ(error.message.find("permissions"), std::string::npos) << error.message;
    }
    EXPECT_EQ(scratch.files(), 0u);
  }
}

TEST(AtomicFile, that_must_be_new_tells_of_a_temporary_that_stays) {
  Scratch scratch;
  std::string temporary;
  {
    AtomicFile file = *AtomicFile::create(scratch / "a", IfThere::refuse);
    ASSERT_TRUE(file.write(bytes("new")).ok());
    temporary = file.temporary_name();
    const Decides fault([&](const Call& call) {
      return call.op == Op::rename ? EINVAL : call.op == Op::unlink && call.path == temporary ? EIO : 0;
    });
    const Status done = file.commit();
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().file, temporary);
    EXPECT_FALSE(std::filesystem::exists(scratch / "a"));
  }
  EXPECT_EQ(scratch.files(), 0u) << "it is removed once that is possible";
}

// A system that breaks a lease for who opens the file, as Samba takes them, answers an open that waits for nothing so.
TEST(File, that_somebody_has_a_lease_of_is_waited_for) {
  Scratch scratch;
  write_text(scratch / "a", "hello");
  const testing::FaultAt fault(0, EWOULDBLOCK, Op::open);
  Result<File> file = File::open_regular(scratch / "a");
  ASSERT_TRUE(file.ok()) << file.error().to_string();
  EXPECT_EQ(::fcntl(file->fd(), F_GETFL) & O_NONBLOCK, 0);
  EXPECT_EQ(*file->size(), 5u);
}

TEST(AtomicFile, keeps_a_mode_that_the_umask_would_not_give) {
  Scratch scratch;
  write_text(scratch / "a", "old");
  ::chmod((scratch / "a").c_str(), 0666);
  const mode_t before = ::umask(027);
  const Status done = AtomicFile::create(scratch / "a")->commit();
  ::umask(before);
  ASSERT_TRUE(done.ok());
  struct stat info {};
  ASSERT_EQ(::stat((scratch / "a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0666u);
}

// Only root can give files away; others keep the group at best, and the file is replaced all the same.
TEST(AtomicFile, keeps_owner_and_group_as_far_as_it_may) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make files of others";
  Scratch scratch;
  const auto replaced = [&] {
    write_text(scratch / "a", "old");
    EXPECT_EQ(::chown((scratch / "a").c_str(), 12345, 23456), 0);
    EXPECT_TRUE(AtomicFile::create(scratch / "a")->commit().ok());
    struct stat info {};
    EXPECT_EQ(::stat((scratch / "a").c_str(), &info), 0);
    return std::pair(info.st_uid, info.st_gid);
  };
  EXPECT_EQ(replaced(), std::pair(uid_t{12345}, gid_t{23456}));
  const testing::FaultAt fault(0, EPERM, Op::chown);
  EXPECT_EQ(replaced(), std::pair(uid_t{0}, gid_t{23456}));
}

TEST(File, is_known_by_whatever_name_leads_to_it) {
  Scratch scratch;
  write_text(scratch / "a", "one");
  write_text(scratch / "b", "two");
  std::filesystem::create_symlink("a", scratch / "link");
  std::filesystem::create_hard_link(scratch / "a", scratch / "hard");
  const File file = *File::open_read(scratch / "a");
  for (const char* name : {"a", "link", "hard"}) {
    EXPECT_TRUE(file.is_at(scratch / name) && same_file(scratch / name, scratch / "a")) << name;
  }
  for (const char* name : {"b", "none"}) {
    EXPECT_FALSE(file.is_at(scratch / name) || same_file(scratch / name, scratch / "a")) << name;
  }
}

TEST(AtomicFile, has_the_longest_names_too) {
  for (const bool snowman : {false, true}) {
    std::string name(255, 'n');
    if (snowman) name.replace(238, 3, "\xe2\x98\x83");
    Scratch scratch;
    AtomicFile file = *AtomicFile::create(scratch / name);
    EXPECT_TRUE(std::filesystem::path(file.temporary_name()).filename().string().size() <= 255);
    ASSERT_TRUE(file.write(bytes("new")).ok() && file.commit().ok());
    EXPECT_EQ(read_text(scratch / name), "new");
    EXPECT_EQ(scratch.files(), 1u);
  }
}

TEST(File, of_somebody_else_is_read_again_from_where_it_stood) {
  Scratch scratch;
  write_text(scratch / "a", "one two");
  const File own = *File::open_read(scratch / "a");
  ASSERT_EQ(::lseek(own.fd(), 4, SEEK_SET), 4);
  File file = File::borrowed(own.fd(), "standard input");
  File moved = std::move(file);
  std::vector<std::uint8_t> back(3);
  for (int pass = 0; pass < 2; ++pass) {
    ASSERT_TRUE(moved.read_exactly(back).ok());
    EXPECT_TRUE(std::ranges::equal(back, bytes("two")));
    ASSERT_TRUE(moved.rewind().ok());
  }
}

TEST(File, a_fifo_is_no_regular_file_and_is_not_waited_for) {
  Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  EXPECT_NE(File::open_regular(scratch / "pipe").error().message.find("regular file"), std::string::npos);
  EXPECT_FALSE(MappedFile::open(scratch / "pipe").ok());
  EXPECT_TRUE(File::open_without_waiting(scratch / "pipe").ok());
}

TEST(AtomicFile, refuses_targets_that_are_no_files) {
  Scratch scratch;
  EXPECT_FALSE(AtomicFile::create(scratch.folder()).ok());
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);  // stands for devices too: a test must not risk a real one
  EXPECT_FALSE(AtomicFile::create(scratch / "pipe").ok());
  EXPECT_FALSE(AtomicFile::create("").ok());
  EXPECT_FALSE(AtomicFile::create(scratch / "missing/a").ok());
  EXPECT_EQ(scratch.files(), 1u);
}

// Whatever call a signal interrupts, and however little a write does.
TEST(AtomicFile, interrupted_calls_are_repeated_and_short_ones_continued) {
  Scratch scratch;
  const std::string text(1000, 'x');
  for (const Verdict verdict : {Verdict{.error = EINTR}, Verdict{.most = 1}, Verdict{.most = 999}}) {
    for (const int times : {1, 3}) {
      for (int call = 0;; ++call) {
        const testing::FaultAt fault(call, verdict, {}, times);
        AtomicFile file = *AtomicFile::create(scratch / "a");
        ASSERT_TRUE(file.write(bytes(text)).ok() && file.commit().ok()) << "call " << call;
        EXPECT_EQ(read_text(scratch / "a"), text);
        EXPECT_EQ(scratch.files(), 1u);
        File back = *File::open_read(scratch / "a");
        std::vector<std::uint8_t> read(400), read_at(400);
        ASSERT_TRUE(back.read_exactly(read).ok() && back.read_at(600, read_at).ok()) << "call " << call;
        EXPECT_TRUE(std::ranges::equal(read, bytes(text).first(400)));
        EXPECT_TRUE(std::ranges::equal(read_at, bytes(text).first(400)));
        ASSERT_EQ(MappedFile::open(scratch / "a")->bytes().size(), text.size()) << "call " << call;
        if (!fault.failed()) break;
      }
    }
  }
}

TEST(MappedFile, shows_the_bytes_of_the_file) {
  Scratch scratch;
  write_text(scratch / "a", "hello");
  MappedFile mapped = *MappedFile::open(scratch / "a");
  EXPECT_TRUE(std::ranges::equal(mapped.bytes(), bytes("hello")));
  MappedFile moved = std::move(mapped);
  EXPECT_EQ(moved.bytes().size(), 5u);
  write_text(scratch / "empty", "");
  EXPECT_TRUE(MappedFile::open(scratch / "empty")->bytes().empty());
}

TEST(File, missing_files_and_directories_are_clear_errors) {
  Scratch scratch;
  const Error missing = File::open_read(scratch / "none").error();
  EXPECT_EQ(missing.code, ErrorCode::io);
  EXPECT_EQ(missing.to_string(), scratch / "none" + ": cannot open: No such file or directory");
  EXPECT_EQ(File::open_read("").error().to_string(), "cannot open a file without a name: No such file or directory");
  EXPECT_NE(File::open_read(scratch.folder()).error().message.find("directory"), std::string::npos);
  EXPECT_FALSE(MappedFile::open("/dev/null").ok());
}

TEST(File, temporary_file_can_be_read_back) {
  File file = *File::temporary();
  ASSERT_TRUE(file.write_all(bytes("abc")).ok() && file.rewind().ok());
  std::vector<std::uint8_t> back(3);
  ASSERT_TRUE(file.read_exactly(back).ok());
  EXPECT_EQ(back[2], 'c');
  EXPECT_FALSE(file.read_exactly(back).ok()) << "past the end";
}

}  // namespace
}  // namespace bloomery::io
