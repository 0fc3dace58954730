#include "bloomery/detail/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/counting_source.h"
#include "support/locked_memory.h"

namespace bloomery::detail {
namespace {

TEST(Buffer, is_zeroed_and_aligned_at_every_size) {
  for (std::uint64_t bytes : {1ull, 63ull, 64ull, 65ull, (1ull << 20) - 1, 1ull << 20, (4ull << 20) + 3}) {
    Result<Buffer> buffer = Buffer::zeroed(bytes);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(buffer->size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64, 0u);
    EXPECT_TRUE(std::all_of(buffer->data(), buffer->data() + bytes, [](std::uint8_t b) { return b == 0; }));
    buffer->data()[bytes - 1] = 1;
  }
}

TEST(Buffer, scratch_is_aligned_and_can_be_written_at_every_size) {
  for (std::uint64_t bytes : {1ull, 65ull, 1ull << 20, 32ull << 20, (32ull << 20) + 1}) {
    for (int again = 0; again < 2; ++again) {
      Result<Buffer> buffer = Buffer::scratch(bytes);
      ASSERT_TRUE(buffer.ok());
      EXPECT_EQ(buffer->size(), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer->data()) % 64, 0u);
      std::fill_n(buffer->data(), bytes, std::uint8_t{1});
    }
  }
  EXPECT_EQ(Buffer::scratch(0)->data(), nullptr);
  EXPECT_EQ(Buffer::scratch(1ull << 60).error().code, ErrorCode::out_of_memory);
}

TEST(Buffer, only_scratch_too_large_for_the_heap_has_pages_to_give_back) {
  EXPECT_TRUE(Buffer::scratch(32ull << 20)->mapping().empty());
  EXPECT_GE(Buffer::scratch((32ull << 20) + 1)->mapping().size(), (32ull << 20) + 1);
}

TEST(Buffer, of_nothing_owns_nothing) { EXPECT_EQ(Buffer::zeroed(0)->data(), nullptr); }

TEST(Buffer, too_large_is_an_error_not_an_abort) {
  for (std::uint64_t bytes : {1ull << 60, 1ull << 63, ~0ull}) {
    Result<Buffer> buffer = Buffer::zeroed(bytes);
    ASSERT_FALSE(buffer.ok());
    EXPECT_EQ(buffer.error().code, ErrorCode::out_of_memory);
  }
}

TEST(Buffer, large_memory_starts_at_a_huge_page) {
  for (std::uint64_t bytes : {4ull << 20, (4ull << 20) + 1, (6ull << 20) - 1, 64ull << 20}) {
    Buffer buffer = *Buffer::zeroed(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (2u << 20), 0u) << bytes;
    buffer.data()[0] = buffer.data()[bytes - 1] = 1;
  }
}

TEST(Buffer, prefault_changes_no_byte_on_any_number_of_threads) {
  for (std::uint64_t bytes : {0ull, 1ull, 5000ull, 1ull << 20, (4ull << 20) + 3, (9ull << 20) + 4097}) {
    for (unsigned threads : {0u, 1u, 3u, 16u}) {
      Buffer buffer = *Buffer::zeroed(bytes);
      if (bytes > 0) buffer.data()[bytes / 2] = 42;
      ASSERT_TRUE(buffer.prefault(threads).ok());
      for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(buffer.data()[i], i == bytes / 2 ? 42 : 0);
    }
  }
}

TEST(Buffer, locked_pages_are_locked_until_it_ends) {
  if (!testing::locking_works()) GTEST_SKIP() << "mlock does nothing here: a sanitizer, or a limit of 0";
  for (std::uint64_t bytes : {300'000ull, 1ull << 20, (4ull << 20) + 3}) {
    const std::uint64_t before = testing::locked_bytes();
    {
      Buffer buffer = *Buffer::zeroed(bytes);
      buffer.data()[bytes - 1] = 42;
      ASSERT_TRUE(buffer.lock().ok());
      ASSERT_TRUE(buffer.lock().ok());  // once more changes nothing
      EXPECT_GE(testing::locked_bytes(), before + bytes);
      const Buffer moved = std::move(buffer);
      EXPECT_GE(testing::locked_bytes(), before + bytes);
      EXPECT_EQ(moved.data()[bytes - 1], 42);
    }
    // Of the heap the pages at either end stay.
    EXPECT_LE(testing::locked_bytes(), before + (bytes < 1u << 20 ? 2 * 4096 : 0)) << bytes;
  }
  EXPECT_TRUE(Buffer().lock().ok());
}

TEST(Buffer, a_page_shared_with_another_locked_buffer_stays_locked) {
  if (!testing::locking_works()) GTEST_SKIP() << "mlock does nothing here: a sanitizer, or a limit of 0";
  Buffer small = *Buffer::zeroed(64);
  ASSERT_TRUE(small.lock().ok());
  const std::uint64_t before = testing::locked_bytes();
  EXPECT_GE(before, 4096u);
  (void)Buffer::zeroed(64)->lock();
  EXPECT_GE(testing::locked_bytes(), before);
}

TEST(Buffer, a_refused_lock_names_the_limit_and_loses_nothing) {
  const int status = testing::in_child_without_locking([] {
    for (std::uint64_t bytes : {100ull, 1ull << 20, (4ull << 20) + 3}) {
      Buffer buffer = *Buffer::zeroed(bytes);
      buffer.data()[bytes - 1] = 42;
      const Status refused = buffer.lock();
      if (refused.ok() || refused.error().code != ErrorCode::io) return 1;
      for (const char* word : {"RLIMIT_MEMLOCK", "ulimit -l", "is 0 bytes"})
        if (refused.error().message.find(word) == std::string::npos) return 2;
      if (buffer.data()[bytes - 1] != 42) return 3;
      buffer.data()[0] = 1;
    }
    return 0;
  });
  if (status == testing::kCannotRefuse) GTEST_SKIP() << "nothing here refuses to lock memory";
  EXPECT_EQ(status, 0);
}

TEST(Buffer, mapping_is_whole_pages_of_its_own_or_nothing) {
  for (std::uint64_t bytes : {1ull, (1ull << 20) - 1}) EXPECT_TRUE(Buffer::zeroed(bytes)->mapping().empty());
  for (std::uint64_t bytes : {1ull << 20, (1ull << 20) + 1, (4ull << 20) + 3}) {
    const Buffer buffer = *Buffer::zeroed(bytes);
    const std::span<std::uint8_t> pages = buffer.mapping();
    EXPECT_EQ(pages.data(), buffer.data());
    EXPECT_GE(pages.size(), bytes);
    EXPECT_EQ(pages.size() % (bytes < 4u << 20 ? 4096 : 2u << 20), 0u);
    pages.back() = 1;
  }
  testing::CountingSource source;
  EXPECT_TRUE(Buffer::zeroed(1 << 20, &source)->mapping().empty());
}

TEST(Buffer, past_2_to_the_32_bytes_is_whole) {
  const std::uint64_t bytes = (std::uint64_t{1} << 32) + 12345;
  Buffer buffer = *Buffer::zeroed(bytes);
  buffer.data()[bytes - 1] = 1;
  EXPECT_EQ(buffer.data()[12344], 0);
  EXPECT_EQ(buffer.size(), bytes);
}

TEST(Buffer, takes_from_its_source_and_gives_back_to_it) {
  testing::CountingSource source;
  {
    Buffer a = *Buffer::zeroed(100, &source);
    EXPECT_EQ(a.source(), &source);
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a.data()[i], 0);
    Buffer b = std::move(a);
    EXPECT_EQ(a.data(), nullptr);    // NOLINT(bugprone-use-after-move): that is the promise
    EXPECT_EQ(a.source(), nullptr);  // NOLINT(bugprone-use-after-move)
    b = *Buffer::zeroed(200, &source);
    EXPECT_EQ(source.bytes(), 200u);
  }
  EXPECT_EQ(source.bytes(), 0u);
  EXPECT_EQ(Buffer::zeroed(100)->source(), nullptr);
  EXPECT_EQ(Buffer::scratch(100)->source(), nullptr);
}

TEST(Buffer, source_that_refuses_is_out_of_memory) {
  testing::CountingSource source;
  source.refuse_from(1);
  EXPECT_EQ(Buffer::zeroed(1, &source).error().code, ErrorCode::out_of_memory);
}

}  // namespace
}  // namespace bloomery::detail
