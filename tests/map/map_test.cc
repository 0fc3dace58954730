// What a mapped file promises: it is used in place, whatever its size, and processes that map it share its pages.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "bloomery/bloomery.h"

namespace bloomery {
namespace {

std::uint64_t file_bytes() { return std::getenv("BLOOMERY_SOAK") != nullptr ? 1u << 30 : 32u << 20; }

// A saved filter of file_bytes() that holds the key "here".
class Saved {
 public:
  Saved() : path_(::testing::TempDir() + "map_test." + std::to_string(::getpid()) + ".blm") {
    BlockFilter filter = *BlockFilter::with_bytes(file_bytes(), file_bytes());
    filter.add("here");
    EXPECT_TRUE(save(path_, AnyFilter(std::move(filter))).ok());
  }
  ~Saved() { std::filesystem::remove(path_); }
  Saved(const Saved&) = delete;
  Saved& operator=(const Saved&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// The sum of all lines "name: N kB" in a file of /proc, in bytes; `within` limits it to the mappings of that file.
std::uint64_t kilobytes(const std::string& proc_file, const std::string& name, const std::string& within = "") {
  std::ifstream in(proc_file);
  std::uint64_t sum = 0;
  bool counts = within.empty();
  for (std::string line; std::getline(in, line);) {
    const bool heads_a_mapping = line.find('-') != std::string::npos && line.find("kB") == std::string::npos;
    if (heads_a_mapping && !within.empty()) counts = line.ends_with(within);
    if (counts && line.starts_with(name + ":")) sum += std::strtoull(line.c_str() + name.size() + 1, nullptr, 10) << 10;
  }
  return sum;
}

TEST(Map, takes_no_memory_of_its_own) {
  const Saved file;
  const std::uint64_t before = kilobytes("/proc/self/status", "RssAnon");
  Result<UnverifiedFile> mapped = UnverifiedFile::map(file.path());
  ASSERT_TRUE(mapped.ok());
  EXPECT_TRUE(mapped->unverified_view().contains("here"));
  EXPECT_FALSE(mapped->unverified_view().contains("not here"));
  ASSERT_GT(before, 0u);
  EXPECT_LT(kilobytes("/proc/self/status", "RssAnon"), before + (1u << 20));
}

// The advice of docs/operations/: the mapping keeps the file that it was made of, though another, shorter one has its
// name now. Written in place, the file would end under the reader.
TEST(Map, goes_on_answering_when_the_file_is_replaced_by_rename) {
  const Saved file;
  Result<UnverifiedFile> mapped = UnverifiedFile::map(file.path());
  ASSERT_TRUE(mapped.ok());
  BlockFilter other = *BlockFilter::with_capacity(10, 0.01);
  other.add("another key");
  ASSERT_TRUE(save(file.path(), AnyFilter(std::move(other))).ok());
  EXPECT_TRUE(mapped->unverified_view().contains("here"));
  EXPECT_FALSE(mapped->unverified_view().contains("another key"));
  EXPECT_TRUE(std::move(*mapped).verify().ok());
  const Result<UnverifiedFile> anew = UnverifiedFile::map(file.path());
  ASSERT_TRUE(anew.ok());
  EXPECT_TRUE(anew->unverified_view().contains("another key"));
}

// A process that has mapped the file and read all of it, and waits.
class Reader {
 public:
  explicit Reader(const std::string& path) {
    if (::pipe(ready_) != 0 || ::pipe(end_) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) read_all(path);
    char byte = 0;
    ok_ = ::read(ready_[0], &byte, 1) == 1 && byte == 'y';
  }
  ~Reader() {
    for (int end : {ready_[0], ready_[1], end_[0], end_[1]}) ::close(end);
    int status = 0;
    if (pid_ > 0) ::waitpid(pid_, &status, 0);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool ok() const { return ok_; }
  std::string smaps() const { return "/proc/" + std::to_string(pid_) + "/smaps"; }

 private:
  [[noreturn]] void read_all(const std::string& path) {
    ::close(end_[1]);  // or it would wait for itself
    Result<UnverifiedFile> mapped = UnverifiedFile::map(path);
    const bool read = mapped.ok() && mapped->unverified_view().bits_set() > 0;
    (void)!::write(ready_[1], read ? "y" : "n", 1);
    char byte = 0;
    (void)!::read(end_[0], &byte, 1);  // until the parent has gone on
    ::_exit(0);
  }

  int ready_[2] = {-1, -1}, end_[2] = {-1, -1};
  pid_t pid_ = -1;
  bool ok_ = false;
};

TEST(Map, two_processes_share_its_pages) {
  const Saved file;
  const Reader one(file.path()), two(file.path());
  ASSERT_TRUE(one.ok() && two.ok());
  for (const Reader* reader : {&one, &two}) {
    EXPECT_GE(kilobytes(reader->smaps(), "Shared_Clean", file.path()), file_bytes() * 9 / 10);
    EXPECT_EQ(kilobytes(reader->smaps(), "Private_Dirty", file.path()), 0u);
  }
}

}  // namespace
}  // namespace bloomery
