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
