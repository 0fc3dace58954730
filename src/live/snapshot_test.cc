// Snapshots of a live filter: whole or absent whatever happens, and at the rate asked for.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <thread>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using Live = LiveFilter<BlockFilter>;

std::unique_ptr<Live> make(std::uint64_t n) { return *Live::make({.n = n, .fpr = 0.01}); }

// Adds key after key and saves after each; killed by the parent at some moment.
[[noreturn]] void save_for_ever(const std::string& path) {
  auto live = make(500'000);
  for (std::uint64_t key = 0;; ++key) {
    live->add(key);
    if (!live->snapshot(path).ok()) ::_exit(1);
  }
}

TEST(Snapshot, a_process_killed_at_any_moment_leaves_the_old_file_or_the_new_one) {
  const int kills = std::getenv("BLOOMERY_SOAK") != nullptr ? 500 : 20;
  testing::Scratch scratch;
  const std::string path = scratch / "live.blm";
  auto first = make(500'000);
  first->add(std::uint64_t{0});
  ASSERT_TRUE(first->snapshot(path).ok());  // the oldest file that there can be
  std::mt19937 random(3);
  for (int i = 0; i < kills; ++i) {
    const pid_t child = ::fork();
    if (child == 0) save_for_ever(path);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 40'000));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "a snapshot failed";
    const Result<FilterFile> file = FilterFile::open(path);
    ASSERT_TRUE(file.ok()) << file.error().to_string();
    EXPECT_TRUE(file->contains(std::uint64_t{0}));  // added before the first
  }
}

TEST(Snapshot, a_full_disk_is_an_error_that_leaves_the_old_file_and_the_filter) {
  testing::Scratch scratch;
  const std::string path = scratch / "live.blm";
  auto live = make(1'000'000);
  live->add("first");
  ASSERT_TRUE(live->snapshot(path).ok());
  live->add("second");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100'000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = live->snapshot(path);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::io);
  EXPECT_EQ(scratch.files(), 1u);  // no temporary stays
  const Result<FilterFile> file = FilterFile::open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->contains("first"));
  EXPECT_TRUE(live->contains("second"));
}

TEST(Snapshot, keeps_to_its_rate_and_holds_nobody_up) {
  testing::Scratch scratch;
  auto live = make(2'000'000);  // 2.5 MB
  const std::uint64_t bytes = live->stats(0)->bytes;
  std::atomic<bool> done{false};
  std::atomic<std::uint64_t> added{0};
  std::thread writer([&] {
    while (!done) live->add(added++);
  });
  bool added_meanwhile = false;  // a busy machine may hold the writer up in one of them
  for (int i = 0; i < 100 && !added_meanwhile; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const std::uint64_t before = added;
    EXPECT_TRUE(live->snapshot(scratch / "live.blm", {.bytes_per_second = 10 * bytes}).ok());
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(90));  // it sleeps at least so long
    added_meanwhile = added > before + 1;  // one add may have been under way
  }
  done = true;
  writer.join();
  EXPECT_TRUE(added_meanwhile);
  EXPECT_TRUE(FilterFile::open(scratch / "live.blm").ok());
}

// What a snapshot is being made of stays until it is done, and a third filter is never held.
TEST(Snapshot, a_rebuild_waits_for_one_of_the_filter_before) {
  testing::Scratch scratch;
  auto live = make(100'000);
  const std::uint64_t bytes = live->stats(0)->bytes;
  std::atomic<bool> saved{false};
  std::thread saver([&] { saved = live->snapshot(scratch / "live.blm", {.bytes_per_second = 4 * bytes}).ok(); });
  while (scratch.files() == 0) std::this_thread::yield();
  ASSERT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  ASSERT_TRUE(live->commit().ok());
  EXPECT_EQ(live->stats(0)->retired_bytes, bytes);
  ASSERT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  EXPECT_EQ(live->stats(0)->retired_bytes, 0u);
  saver.join();
  EXPECT_TRUE(saved);
}

// The first one is slow, and has read the beginning of the filter before the keys are added.
TEST(Snapshot, never_replaces_one_that_began_later) {
  constexpr std::uint64_t kAdded = 10'000;
  testing::Scratch scratch;
  const std::string path = scratch / "live.blm";
  auto live = make(2'000'000);
  const std::uint64_t bytes = live->stats(0)->bytes;
  bool saved = false;
  std::jthread slow([&] { saved = live->snapshot(path, {.bytes_per_second = bytes}).ok(); });
  while (scratch.bytes() < 1'000'000) std::this_thread::yield();
  for (std::uint64_t key = 0; key < kAdded; ++key) live->add(key);
  ASSERT_TRUE(live->snapshot(path).ok());
  slow.join();
  EXPECT_TRUE(saved);
  const Result<FilterFile> file = FilterFile::open(path);
  ASSERT_TRUE(file.ok());
  for (std::uint64_t key = 0; key < kAdded; ++key) ASSERT_TRUE(file->contains(key)) << key;
}

TEST(Snapshot, of_a_rebuild_under_way_is_one_of_the_filter_in_use) {
  testing::Scratch scratch;
  auto live = make(1000);
  live->add("in use");
  ASSERT_TRUE(live->begin_rebuild(1000, 0.01).ok());
  ASSERT_TRUE(live->feed("fed").ok());
  ASSERT_TRUE(live->snapshot(scratch / "live.blm").ok());
  const Result<FilterFile> file = FilterFile::open(scratch / "live.blm");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->contains("in use"));
  EXPECT_FALSE(file->contains("fed"));
}

// A view may be saved; while others write to it that is an error, and never a file that nobody can open.
TEST(Snapshot, a_view_that_is_saved_while_others_add_is_a_sound_file_or_an_error) {
  testing::Scratch scratch;
  auto shared = *Shared<BlockFilter>::with_capacity(5'000'000, 0.01);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::uint64_t key = 0; !done; ++key) shared.add(key);
  });
  for (int i = 0; i < 10; ++i) {
    const detail::RacyReads reads;
    const Status saved = save(scratch / "view.blm", AnyView(shared.view()));
    if (saved.ok()) EXPECT_TRUE(FilterFile::open(scratch / "view.blm").ok());
    else EXPECT_EQ(saved.error().field, "filter");
    const auto encoded = encode(AnyView(shared.view()), Format::envelope);
    if (encoded.ok()) EXPECT_TRUE(decode(*encoded).ok());
    else EXPECT_EQ(encoded.error().field, "filter");
  }
  ASSERT_TRUE(save(scratch / "copy.blm", *shared.copy()).ok());
  done = true;
  writer.join();
  EXPECT_TRUE(FilterFile::open(scratch / "copy.blm").ok());
  EXPECT_TRUE(save(scratch / "view.blm", AnyView(shared.view())).ok());
}

}  // namespace
}  // namespace bloomery
