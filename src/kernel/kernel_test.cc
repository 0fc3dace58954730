// Every instruction set of this machine is held to the scalar definition and to the golden data.
#include "kernel/kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>

#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/ribbon_probe.h"
#include "core/hash/hash_functions.h"
#include "support/vectors.h"

namespace bloomery::kernel {
namespace {

using testing::bytes_from_hex;
using testing::u64_from_hex;
using testing::vectors;

std::vector<std::uint64_t> stream(std::uint64_t seed, std::size_t count) {
  std::vector<std::uint64_t> hashes(count);
  for (std::size_t i = 0; i < count; ++i) hashes[i] = detail::splitmix64(seed + i);
  return hashes;
}

class EveryIsa : public ::testing::TestWithParam<const Kernel*> {
 protected:
  const Kernel& isa() const { return *GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Kernel, EveryIsa, ::testing::ValuesIn(available()),
                         [](const auto& instance) { return std::string(instance.param->name); });

// The positions a kernel sets for one hash, in the block they stand in.
std::vector<unsigned> positions(const std::vector<std::uint8_t>& block) {
  std::vector<unsigned> set;
  for (unsigned bit = 0; bit < 8 * block.size(); ++bit)
    if ((block[bit / 8] >> (bit % 8)) & 1) set.push_back(bit);
  return set;
}

std::vector<unsigned> sorted_unique(std::vector<unsigned> out) {
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

TEST_P(EveryIsa, sets_the_golden_positions) {
  for (const auto& row : vectors("blocked", "split")) {
    const std::uint64_t hash = u64_from_hex(row["hash"]);
    EXPECT_EQ(detail::split_offset(row["nblocks"].get<std::uint64_t>(), Hash(hash)),
              row["block"].get<std::uint64_t>() * 32);
    std::vector<std::uint8_t> block(32);
    isa().split_add(block.data(), {1, 0, &hash, 1, 0});
    EXPECT_EQ(positions(block), sorted_unique(row["positions"].get<std::vector<unsigned>>())) << row;
  }
  for (const auto& row : vectors("blocked", "block")) {
    const std::uint64_t hash = u64_from_hex(row["hash"]);
    EXPECT_EQ(detail::block_offset(row["nblocks"].get<std::uint64_t>(), Hash(hash)),
              row["block"].get<std::uint64_t>() * 64);
    const auto golden = row["positions_k16"].get<std::vector<unsigned>>();
    for (std::uint32_t k = 1; k <= 16; ++k) {
      std::vector<std::uint8_t> block(64);
      isa().block_add(block.data(), {1, k, &hash, 1, 0});
      EXPECT_EQ(positions(block), sorted_unique({golden.begin(), golden.begin() + k})) << row;
    }
  }
}

TEST_P(EveryIsa, fills_the_golden_payloads) {
  const nlohmann::json split = vectors("blocked", "split_example"), block = vectors("blocked", "block_example");
  const std::vector<std::uint64_t> hashes = stream(split["stream"][0], split["stream"][1]);
  std::vector<std::uint8_t> bytes(32);
  isa().split_add(bytes.data(), {1, 0, hashes.data(), hashes.size(), 0});
  EXPECT_EQ(bytes, bytes_from_hex(split["hex"]));
  bytes.assign(64, 0);
  isa().block_add(bytes.data(), {1, block["k"], hashes.data(), hashes.size(), 8});
  EXPECT_EQ(bytes, bytes_from_hex(block["hex"]));
}

TEST_P(EveryIsa, hashes_integers_as_their_eight_bytes) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, detail::splitmix64(7), ~std::uint64_t{0}}) {
    for (std::size_t count = 0; count <= 40; ++count) {
      const std::vector<std::uint64_t> keys = stream(seed + count, count);
      std::vector<std::uint64_t> xxh3(count), xxh64 = keys, fnv(count);
      isa().hashing.xxh3(keys.data(), count, detail::xxh3_flip(seed), xxh3.data());
      isa().hashing.xxh64(xxh64.data(), count, detail::xxh64_start(seed), xxh64.data());  // in place
      isa().hashing.fnv_splitmix(keys.data(), count, 0, fnv.data());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_EQ(xxh3[i], detail::xxh3(&keys[i], 8, seed));
        ASSERT_EQ(xxh64[i], detail::xxh64(&keys[i], 8, seed));
        ASSERT_EQ(fnv[i], detail::fnv_splitmix(reinterpret_cast<const std::uint8_t*>(&keys[i]), 8));
      }
    }
  }
}

TEST_P(EveryIsa, bits_and_answers_equal_scalar_at_every_size_k_and_prefetch) {
  std::mt19937_64 random(9);
  for (std::uint64_t blocks : {1ull, 2ull, 7ull, 1000ull}) {
    for (unsigned ahead : {0u, 1u, 7u, 32u, kMostAhead}) {
      for (std::size_t count : {0u, 1u, 3u, 8u, 31u, 64u, 127u, 128u, 129u, 136u, 193u, 500u}) {
        const std::vector<std::uint64_t> in = stream(random(), count), asked = stream(random(), count);
        std::vector<std::uint8_t> expected(64 * blocks), got(64 * blocks), right(count + 1, 7), answers(count + 1, 7);
        const auto compare = [&](auto add, auto contains, std::uint32_t k) {
          std::fill(expected.begin(), expected.end(), std::uint8_t{0});
          std::fill(got.begin(), got.end(), std::uint8_t{0});
          (kScalar.*add)(expected.data(), {blocks, k, in.data(), count, 0});
          (isa().*add)(got.data(), {blocks, k, in.data(), count, ahead});
          ASSERT_EQ(got, expected) << "blocks " << blocks << " k " << k << " count " << count << " ahead " << ahead;
          for (const auto* hashes : {&in, &asked}) {
            (kScalar.*contains)(expected.data(), {blocks, k, hashes->data(), count, 0}, right.data());
            (isa().*contains)(got.data(), {blocks, k, hashes->data(), count, ahead}, answers.data());
            ASSERT_EQ(answers, right) << "blocks " << blocks << " k " << k << " count " << count << " ahead " << ahead;
          }
        };
        compare(&Kernel::split_add, &Kernel::split_contains, 0);
        for (std::uint32_t k = 1; k <= 16; ++k) compare(&Kernel::block_add, &Kernel::block_contains, k);
      }
    }
  }
}

// Layers of all sorts, with bytes that are not those of any filter.
TEST_P(EveryIsa, ribbon_windows_are_where_scalar_finds_them) {
  std::mt19937_64 random(12);
  std::size_t bumped = 0, found = 0;
  for (int round = 0; round < 2000; ++round) {
    const auto columns = static_cast<std::uint32_t>(1 + random() % 16);
    const detail::RibbonLayer shape(1 + random() % (round % 2 == 0 ? 300 : 40'000), columns,
                                    columns > 1 ? static_cast<std::uint32_t>(random() % 65'536) : 0);
    std::vector<std::uint8_t> bytes(shape.bytes(columns) + detail::kRibbonPadding);
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random() & random() & random());
    const RibbonPlan plan{bytes.data(), shape.starts, shape.cut, shape.codes_bytes(), shape.high, columns};
    const std::vector<std::uint64_t> places = stream(random(), random() % 65);
    std::array<std::vector<const std::uint8_t*>, 2> from;
    std::array<std::vector<std::uint64_t>, 2> coefficients;
    std::array<std::vector<std::uint32_t>, 2> of_columns;
    for (const std::size_t who : {0u, 1u}) {
      from[who].resize(places.size() + 1);
      coefficients[who].resize(places.size() + 1, 7);
      of_columns[who].resize(places.size() + 1, 7);
      const std::uint64_t told =
          (who == 0 ? kScalar : isa())
              .ribbon_windows(plan, places.data(), places.size(),
                              {from[who].data(), coefficients[who].data(), of_columns[who].data()});
      std::uint64_t right = 0;
      for (std::size_t i = 0; i < places.size(); ++i) right |= std::uint64_t{of_columns[who][i] == 0} << i;
      ASSERT_EQ(told, right) << "round " << round;
    }
    ASSERT_EQ(from[1], from[0]) << "round " << round;
    ASSERT_EQ(coefficients[1], coefficients[0]) << "round " << round;
    ASSERT_EQ(of_columns[1], of_columns[0]) << "round " << round;
    for (std::size_t i = 0; i < places.size(); ++i) ++(of_columns[0][i] == 0 ? bumped : found);
  }
  EXPECT_GT(bumped, 1000u);
  EXPECT_GT(found, 1000u);
}

// Windows of every number of columns, with no byte more than a kernel may read. Of random ones with few columns many
// match.
TEST_P(EveryIsa, ribbon_windows_are_answered_as_scalar_does) {
  std::mt19937_64 random(11);
  std::array<std::size_t, 2> answered{};
  for (int round = 0; round < 4000; ++round) {
    const std::uint32_t most = 1 + static_cast<std::uint32_t>(round) % 16;
    std::vector<std::vector<std::uint8_t>> windows;
    std::vector<const std::uint8_t*> from;
    std::vector<std::uint64_t> coefficients;
    std::vector<std::uint32_t> columns;
    for (std::uint32_t i = 0; i < 1 + random() % 20; ++i) {
      columns.push_back(random() % 8 == 0 ? 0 : most - static_cast<std::uint32_t>(random() % 2));
      std::vector<std::uint8_t> bytes(std::max<std::size_t>(8 * columns.back() + detail::kRibbonPadding, 16));
      for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
      windows.push_back(std::move(bytes));
      coefficients.push_back(random());
      from.push_back(windows.back().data());
    }
    std::vector<std::uint8_t> right(columns.size() + 1, 7), answers(columns.size() + 1, 7);
    const RibbonRun run{from.data(), coefficients.data(), columns.data(), columns.size(), from.data(), 7, most};
    kScalar.ribbon_matches(run, right.data());
    isa().ribbon_matches(run, answers.data());
    ASSERT_EQ(answers, right) << "round " << round;
    for (std::size_t i = 0; i < columns.size(); ++i) ++answered[right[i]];
  }
  EXPECT_GT(answered[0], 1000u);
  EXPECT_GT(answered[1], 1000u);
}

TEST_P(EveryIsa, one_key_answers_equal_scalar_at_every_k) {
  const std::vector<std::uint64_t> in = stream(1, 40), asked = stream(1000, 2000);
  for (std::uint32_t k = 1; k <= 16; ++k) {
    std::vector<std::uint8_t> block(64);
    for (std::size_t i = 0; i < in.size(); ++i) {
      detail::block_add(block.data(), k, Hash(in[i]));
      for (std::size_t j = 0; j <= i; ++j) ASSERT_TRUE(isa().block_contains_one(block.data(), k, in[j])) << k;
    }
    for (std::uint64_t hash : asked)
      ASSERT_EQ(isa().block_contains_one(block.data(), k, hash), detail::block_contains(block.data(), k, Hash(hash)))
          << k;
  }
  std::vector<std::uint8_t> block(32);
  for (std::size_t i = 0; i < in.size(); ++i) {
    detail::split_add(block.data(), Hash(in[i]));
    for (std::size_t j = 0; j <= i; ++j) ASSERT_TRUE(isa().split_contains_stored(block.data(), in[j]));
    for (std::uint64_t hash : asked)
      ASSERT_EQ(isa().split_contains_stored(block.data(), hash), detail::split_contains(block.data(), Hash(hash)));
  }
}

TEST_P(EveryIsa, one_key_adds_set_the_bits_of_scalar_and_tell_whether_any_was_new) {
  const std::vector<std::uint64_t> hashes = stream(77, 300);
  for (std::uint32_t k = 1; k <= 16; ++k) {
    std::vector<std::uint8_t> expected(64), got(64);
    for (std::uint64_t hash : hashes) {
      const bool changed = detail::block_add(expected.data(), k, Hash(hash));
      ASSERT_EQ(isa().block_add_one(got.data(), k, hash), changed) << k;
      ASSERT_EQ(got, expected) << k;
    }
  }
  for (std::uint32_t k = 1; k <= 16; ++k) {
    std::vector<std::uint64_t> expected(8), got(8);  // words, because atomic instructions want them aligned
    for (std::uint64_t hash : hashes) {
      const bool changed = detail::block_add(reinterpret_cast<std::uint8_t*>(expected.data()), k, Hash(hash));
      ASSERT_EQ(isa().block_add_shared_one(reinterpret_cast<std::uint8_t*>(got.data()), k, hash), changed) << k;
      ASSERT_EQ(got, expected) << k;
    }
  }
  std::vector<std::uint8_t> expected(32), got(32);
  for (std::uint64_t hash : hashes) {
    const bool changed = detail::split_add(expected.data(), Hash(hash));
    ASSERT_EQ(isa().split_add_one(got.data(), hash), changed);
    ASSERT_EQ(got, expected);
  }
}

TEST_P(EveryIsa, ranges_equal_a_loop_over_bits_at_every_length_and_alignment) {
  std::mt19937_64 random(4);
  for (std::size_t size : {0u, 1u, 7u, 8u, 9u, 31u, 64u, 65u, 127u, 1000u, 4096u}) {
    for (std::size_t shift : {0u, 1u, 5u}) {
      std::vector<std::uint8_t> a(size + shift + 1), b(size + shift + 1);
      for (std::uint8_t& byte : a) byte = static_cast<std::uint8_t>(random());
      for (std::uint8_t& byte : b) byte = static_cast<std::uint8_t>(random());
      std::vector<std::uint8_t> either = a, both = a;
      std::uint64_t set = 0;
      for (std::size_t i = shift; i < shift + size; ++i) {
        for (unsigned bit = 0; bit < 8; ++bit) set += (a[i] >> bit) & 1u;
        either[i] = static_cast<std::uint8_t>(either[i] | b[i]);
        both[i] = static_cast<std::uint8_t>(both[i] & b[i]);
      }
      EXPECT_EQ(isa().bits_set(a.data() + shift, size), set);
      std::vector<std::uint8_t> got = a;
      isa().unite(got.data() + shift, b.data() + shift, size);
      EXPECT_EQ(got, either) << size << " + " << shift;
      got = a;
      isa().intersect(got.data() + shift, b.data() + shift, size);
      EXPECT_EQ(got, both) << size << " + " << shift;
    }
  }
}

TEST(Kernel, scalar_is_always_there_and_first) {
  ASSERT_FALSE(available().empty());
  EXPECT_EQ(available().front(), &kScalar);
  EXPECT_STREQ(available().front()->name, "scalar");
}

}  // namespace
}  // namespace bloomery::kernel
