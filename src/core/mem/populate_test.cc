#include "core/mem/populate.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
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

}  // namespace
}  // namespace bloomery::detail
