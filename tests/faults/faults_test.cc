// Every file operation of saving and opening is made to fail once, one after the other. Whatever fails: an error that
// names the file, the old file as it was or the new one whole, and no temporary left.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>

#include "bloomery/bloomery.h"
#include "core/io/sys.h"
#include "support/fault_at.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::FaultAt;
using testing::read_text;
using testing::Scratch;

ClassicFilter some_filter(std::uint64_t keys) {
  ClassicFilter filter = *ClassicFilter::with_capacity(1000, 0.01);
  for (std::uint64_t i = 0; i < keys; ++i) filter.add(i);
  return filter;
}

TEST(Faults, a_failed_save_leaves_the_old_file_or_the_new_one_whole) {
  Scratch scratch;
  const std::string path = scratch / "f.blm";
  const ClassicFilter before = some_filter(10), after = some_filter(500);
  int call = 0, failures = 0;
  for (bool done = false; !done; ++call) {
    ASSERT_TRUE(save(path, before.view(), Format::envelope).ok());
    const std::string old = read_text(path);
    {
      const FaultAt fault(call, ENOSPC);
      const Status status = save(path, after.view(), Format::envelope);
      done = !fault.failed().has_value();
      EXPECT_EQ(status.ok(), done);
      if (!status.ok()) {
        ++failures;
        EXPECT_FALSE(status.error().file.empty());
        EXPECT_NE(status.error().message.find("No space left"), std::string::npos);
      }
    }
    ASSERT_EQ(scratch.files(), 1u) << "a temporary stayed after a fault in call " << call;
    if (read_text(path) != old) {
      const FilterFile now = *FilterFile::open(path);
      EXPECT_TRUE(now.view() == AnyView(after.view()));
    }
  }
  EXPECT_GE(failures, 6);  // stat, create, two writes, fsync, rename, and the folder's
}

TEST(Faults, a_failed_open_is_an_error_and_opens_nothing) {
  Scratch scratch;
  const std::string path = scratch / "f.blm";
  ASSERT_TRUE(save(path, some_filter(10).view(), Format::envelope).ok());
  int opens = 0, maps = 0;
  for (int call = 0;; ++call, ++opens) {
    const FaultAt fault(call, EIO);
    const Result<FilterFile> file = FilterFile::open(path);
    EXPECT_EQ(file.ok(), !fault.failed().has_value());
    if (file.ok()) break;
    EXPECT_EQ(file.error().file, path);
  }
  for (int call = 0;; ++call, ++maps) {
    const FaultAt fault(call, EIO);
    const Result<UnverifiedFile> file = UnverifiedFile::map(path);
    EXPECT_EQ(file.ok(), !fault.failed().has_value());
    if (file.ok()) break;
    EXPECT_EQ(file.error().file, path);
  }
  EXPECT_GE(opens, 4);
  EXPECT_GE(maps, 3);
}

TEST(Faults, a_real_file_size_limit_is_an_error_too) {
  Scratch scratch;
  const std::string path = scratch / "f.blm";
  ASSERT_TRUE(save(path, some_filter(10).view(), Format::envelope).ok());
  const std::string old = read_text(path);
  struct rlimit limit {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const struct rlimit tight = {512, limit.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const Status status = save(path, some_filter(500).view(), Format::envelope);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("ulimit"), std::string::npos) << status.error().message;
  EXPECT_EQ(read_text(path), old);
  EXPECT_EQ(scratch.files(), 1u);
}

}  // namespace
}  // namespace bloomery
