#include "core/mem/populate.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <vector>

#include "bloomery/detail/buffer.h"

namespace bloomery::detail {
namespace {

constexpr std::size_t kBytes = 5 * (std::size_t{1} << 20) + 5000;

std::size_t pages_in_place(std::span<std::uint8_t> pages) {
  std::vector<unsigned char> in_place((pages.size() + page_size() - 1) / page_size());
  EXPECT_EQ(::mincore(pages.data(), pages.size(), in_place.data()), 0);
  return static_cast<std::size_t>(
      std::count_if(in_place.begin(), in_place.end(), [](unsigned char page) { return (page & 1) != 0; }));
}

TEST(Populate, every_whole_page_is_in_one_share_and_no_byte_beside_them) {
  Buffer buffer = *Buffer::zeroed(kBytes);
  for (const std::size_t before : {std::size_t{0}, std::size_t{100}}) {
    const std::span<std::uint8_t> memory(buffer.data() + before, kBytes - before);
    const std::size_t page = page_size(), first = before == 0 ? 0 : page - before;
    const std::size_t end = kBytes / page * page - before;
    for (const unsigned team : {1u, 2u, 3u, 5u}) {
      std::vector<unsigned> shares(memory.size());
      for (unsigned t = 0; t < team; ++t) {
        std::ranges::fill(memory, std::uint8_t{1});
        discard_share(memory, t, team);
        for (std::size_t i = 0; i < memory.size(); ++i) shares[i] += memory[i] == 0 ? 1 : 0;
      }
      for (std::size_t i = 0; i < memory.size(); ++i)
        ASSERT_EQ(shares[i], i >= first && i < end ? 1u : 0u) << "byte " << i << " by a team of " << team;
    }
  }
}

TEST(Populate, a_thread_that_is_not_of_the_team_has_no_share) {
  Buffer buffer = *Buffer::zeroed(kBytes);
  const std::span<std::uint8_t> memory(buffer.data(), kBytes);
  std::ranges::fill(memory, std::uint8_t{1});
  for (const unsigned team : {1u, 2u, 3u, 16u})
    for (const unsigned t : {team, team + 1, 2 * team}) discard_share(memory, t, team);
  EXPECT_EQ(std::ranges::count(memory, 1), static_cast<std::ptrdiff_t>(kBytes));
}

TEST(Populate, small_memory_and_none_are_left_alone) {
  discard_share({}, 0, 1);
  EXPECT_TRUE(populate_share({}, 0, 1));
  std::vector<std::uint8_t> small(page_size() - 1, 1);
  discard_share(small, 0, 1);
  EXPECT_TRUE(populate_share(small, 0, 1));
  EXPECT_EQ(std::ranges::count(small, 1), static_cast<std::ptrdiff_t>(small.size()));
}

TEST(Populate, a_share_is_in_place_until_it_is_given_back) {
  Buffer buffer = *Buffer::zeroed(4 * kHugePage);
  const std::span<std::uint8_t> memory = buffer.mapping(), half = memory.subspan(memory.size() / 2);
  const std::size_t pages = memory.size() / page_size();
  EXPECT_EQ(pages_in_place(memory), 0u);
  ASSERT_TRUE(populate_share(memory, 1, 2));
  EXPECT_EQ(pages_in_place(half), pages / 2);
  EXPECT_EQ(pages_in_place(memory), pages / 2);
  ASSERT_TRUE(populate_share(memory, 0, 2));
  EXPECT_EQ(pages_in_place(memory), pages);
  discard_share(memory, 1, 2);
  EXPECT_EQ(pages_in_place(half), 0u);
  EXPECT_EQ(pages_in_place(memory), pages / 2);
}

// Memory of its own that starts at a page, without huge pages.
class Pages {
 public:
  explicit Pages(std::size_t count) : bytes_(count * page_size()) {
    void* memory = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) std::abort();
    (void)::madvise(memory, bytes_, MADV_NOHUGEPAGE);
    memory_ = static_cast<std::uint8_t*>(memory);
  }
  ~Pages() { ::munmap(memory_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  std::span<std::uint8_t> all() const { return {memory_, bytes_}; }

 private:
  std::uint8_t* memory_;
  std::size_t bytes_;
};

long faults_of_this_thread() {
  rusage usage{};
  EXPECT_EQ(::getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_minflt;
}

// A page that was read alone is there too, but its first write still waits.
TEST(Populate, pages_that_were_touched_are_there_to_be_written) {
  constexpr std::size_t kPages = 256;
  const Pages pages(kPages);
  touch_pages(pages.all());
  const long before = faults_of_this_thread();
  for (std::size_t at = 0; at < pages.all().size(); at += page_size()) pages.all()[at] = 1;
  EXPECT_LT(faults_of_this_thread() - before, static_cast<long>(kPages / 4));
}

// A page whose byte another thread changes as late as it can: after a touch has read it, before the touch writes it.
// The first access faults, and the page may then be read; the first write faults, and finds the byte changed. The
// change is made by the handler, in a second mapping of the page.
class LateChange {
 public:
  LateChange() {
    const int file = ::memfd_create("page", 0);
    if (file < 0 || ::ftruncate(file, static_cast<off_t>(kSize)) != 0) std::abort();
    page_ = map(file, PROT_NONE);
    other_ = map(file, PROT_READ | PROT_WRITE);
    ::close(file);
    struct sigaction action {};
    action.sa_sigaction = &on_fault;
    action.sa_flags = SA_SIGINFO;
    if (::sigaction(SIGSEGV, &action, &before_) != 0) std::abort();
  }
  ~LateChange() {
    (void)::sigaction(SIGSEGV, &before_, nullptr);
    ::munmap(page_, kSize);
    ::munmap(other_, kSize);
  }
  LateChange(const LateChange&) = delete;
  LateChange& operator=(const LateChange&) = delete;

  std::span<std::uint8_t> page() const { return {page_, kSize}; }

  static constexpr std::uint8_t kBefore = 1, kChange = 4;

 private:
  static std::uint8_t* map(int file, int protection) {
    void* memory = ::mmap(nullptr, kSize, protection, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) std::abort();
    return static_cast<std::uint8_t*>(memory);
  }
  static void on_fault(int, siginfo_t* fault, void*) {
    if (fault->si_addr != page_) std::abort();
    if (*other_ == 0) {
      *other_ = kBefore;
      (void)::mprotect(page_, kSize, PROT_READ);
    } else {
      *other_ |= kChange;
      (void)::mprotect(page_, kSize, PROT_READ | PROT_WRITE);
    }
  }

  static inline const std::size_t kSize = page_size();
  static inline std::uint8_t *page_ = nullptr, *other_ = nullptr;
  struct sigaction before_ {};
};

TEST(Populate, a_touch_loses_nothing_that_another_thread_adds) {
  const LateChange changed;
  touch_pages(changed.page());
  EXPECT_EQ(changed.page().front(), LateChange::kBefore | LateChange::kChange);
}

}  // namespace
}  // namespace bloomery::detail
