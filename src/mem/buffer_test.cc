#include "bloomery/detail/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(Buffer, past_2_to_the_32_bytes_is_whole) {
  const std::uint64_t bytes = (std::uint64_t{1} << 32) + 12345;
  Buffer buffer = *Buffer::zeroed(bytes);
  buffer.data()[bytes - 1] = 1;
  EXPECT_EQ(buffer.data()[12344], 0);
  EXPECT_EQ(buffer.size(), bytes);
}

TEST(Buffer, uses_and_returns_to_its_source) {
  struct Count {
    int live = 0;
  } count;
  const Source counting{[](std::size_t bytes, void* c) {
                          ++static_cast<Count*>(c)->live;
                          return system_source().allocate(bytes, nullptr);
                        },
                        [](void* memory, std::size_t bytes, void* c) {
                          --static_cast<Count*>(c)->live;
                          system_source().release(memory, bytes, nullptr);
                        },
                        &count};
  {
    Buffer a = *Buffer::zeroed(100, counting);
    Buffer b = std::move(a);
    EXPECT_EQ(a.data(), nullptr);  // NOLINT(bugprone-use-after-move): that is the promise
    b = *Buffer::zeroed(200, counting);
    EXPECT_EQ(count.live, 1);
  }
  EXPECT_EQ(count.live, 0);
}

TEST(Buffer, source_that_refuses_is_out_of_memory) {
  const Source refusing{[](std::size_t, void*) -> void* { return nullptr; }, nullptr, nullptr};
  EXPECT_EQ(Buffer::zeroed(1, refusing).error().code, ErrorCode::out_of_memory);
}

}  // namespace
}  // namespace bloomery::detail
