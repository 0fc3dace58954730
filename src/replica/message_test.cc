#include "bloomery/replica/message.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bloomery/detail/bits.h"
#include "core/hash/hash_functions.h"
#include "replica/rice.h"

namespace bloomery::replica {
namespace {

const Secret kSecret{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};

Header header() {
  Header made;
  for (std::size_t i = 0; i < 16; ++i) made.lineage.bytes[i] = static_cast<std::uint8_t>(17 * i);
  made.origin = 0x1122334455667788;
  made.incarnation = 3;
  made.sequence = 41;
  made.generation = 2;
  return made;
}

std::vector<Hash> random_hashes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Hash> hashes;
  for (std::size_t i = 0; i < count; ++i) hashes.emplace_back(random());
  return hashes;
}

std::vector<Message> one_of_each() {
  const std::vector<Position> positions = {{1, 2, 3}, {4, 5, ~std::uint64_t{0}}};
  Digest plain;
  plain.window = 1, plain.request = 9, plain.chunks = 100, plain.first = 7, plain.newest = 2;
  plain.count = 2, plain.form = Digest::Form::plain, plain.whole = true;
  plain.contents.assign(16, 0x5a);
  plain.positions = positions;
  Digest ask;
  ask.request = 9, ask.chunks = 100, ask.count = 50;
  Chunks chunks{.window = 1, .request = 9, .chunks = 100, .entries = {{3, 0, {}}, {4, 5, Bytes(128, 1)}}};
  Member member{true, {{1, 2, 2, {1, 2, 3}}, {2, 3, 3, {1, 2, 3, 4, 5}}}};
  return {{header(), Hello{4, 2, 77, {100, 8}, 5, true, true, positions}},
          {header(), Delta{6, {Hash(1), Hash(5), Hash(~std::uint64_t{0})}}},
          {header(), plain},
          {header(), ask},
          {header(), chunks},
          {header(), Acknowledgement{true, positions}},
          {header(), member}};
}

std::string refused_for(std::span<const std::uint8_t> bytes, const std::optional<Secret>& secret = {}) {
  const Result<Message> message = parse(bytes, secret);
  return message.ok() ? "nothing" : message.error().field;
}

// Sets the checksum right again after a change of the header or the body of a message without a MAC.
void repair(Bytes& bytes) {
  const std::uint64_t body = detail::xxh3(bytes.data() + kHeaderBytes, bytes.size() - kHeaderBytes, 0);
  detail::store_le(bytes.data() + 56, detail::xxh3(bytes.data(), 56, body));
}

TEST(ReplicaMessages, every_message_is_read_as_it_was_written) {
  for (const Message& message : one_of_each()) {
    for (const std::optional<Secret>& secret : {std::optional<Secret>(), std::optional<Secret>(kSecret)}) {
      const Result<Bytes> bytes = write(message, secret);
      ASSERT_TRUE(bytes.ok()) << bytes.error().to_string();
      const Result<Message> back = parse(*bytes, secret);
      ASSERT_TRUE(back.ok()) << back.error().to_string();
      EXPECT_EQ(*back, message);
      EXPECT_EQ(parse_header(*bytes, secret)->type, message.type());
      EXPECT_EQ(*write(*back, secret), *bytes);
    }
  }
}

TEST(ReplicaMessages, every_bit_flip_is_noticed) {
  for (const Message& message : one_of_each()) {
    Bytes bytes = *write(message);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1 << bit % 8));
      EXPECT_NE(refused_for(bytes), "nothing") << to_string(message.type()) << " bit " << bit;
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] ^ (1 << bit % 8));
    }
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_NE(refused_for(std::span(bytes).first(size)), "nothing") << size;
  }
}

TEST(ReplicaMessages, a_forged_mac_a_missing_one_and_one_without_a_secret_are_refused) {
  const Message message = one_of_each()[1];
  Bytes bytes = *write(message, kSecret);
  EXPECT_EQ(refused_for(bytes), "mac");
  EXPECT_EQ(refused_for(*write(message), kSecret), "mac");
  bytes.back() = static_cast<std::uint8_t>(bytes.back() ^ 1);
  EXPECT_EQ(refused_for(bytes, kSecret), "mac");
  EXPECT_EQ(refused_for(*write(message, Secret({1})), kSecret), "mac");
}

TEST(ReplicaMessages, hostile_lengths_are_refused_before_memory_is_taken) {
  const auto changed = [](std::size_t message, std::size_t at, auto value) {
    Bytes bytes = *write(one_of_each()[message]);
    detail::store_le(bytes.data() + kHeaderBytes + at, value);
    repair(bytes);
    return refused_for(bytes);
  };
  EXPECT_EQ(changed(0, 5, std::uint8_t{9}), "geometry");
  EXPECT_EQ(changed(0, 5, std::uint8_t{200}), "geometry");
  EXPECT_EQ(changed(0, 6, std::uint16_t{0xffff}), "positions");
  EXPECT_EQ(changed(0, 6, std::uint16_t{3}), "positions");
  EXPECT_EQ(changed(0, 6, std::uint16_t{1}), "length");
  EXPECT_EQ(changed(1, 8, ~std::uint32_t{0}), "hashes");
  EXPECT_EQ(changed(1, 8, std::uint32_t{0}), "hashes");
  EXPECT_EQ(changed(1, 12, ~std::uint32_t{0}), "hashes");
  EXPECT_EQ(changed(1, 16, std::uint64_t{64}), "hashes");
  EXPECT_EQ(changed(2, 40, ~std::uint32_t{0}), "count");
  EXPECT_EQ(changed(2, 40, std::uint32_t{60'000}), "contents");
  EXPECT_EQ(changed(2, 44, std::uint8_t{6}), "form");
  EXPECT_EQ(changed(4, 24, ~std::uint64_t{0}), "entries");
  EXPECT_EQ(changed(4, 40, ~std::uint64_t{0}), "lines");
  EXPECT_EQ(changed(5, 0, ~std::uint32_t{0}), "positions");
  EXPECT_EQ(changed(6, 0, std::uint32_t{3}), "configurations");
  EXPECT_EQ(changed(6, 16, ~std::uint64_t{0}), "members");
  EXPECT_EQ(changed(6, 12, std::uint16_t{1}), "w");
  Bytes bytes = *write(one_of_each()[1]);
  detail::store_le(bytes.data() + 52, ~std::uint32_t{0});
  EXPECT_EQ(refused_for(bytes), "length");
}

// Incarnations are counted from 1, and whoever keeps the newest of each origin keeps none for 0.
TEST(ReplicaMessages, positions_without_an_incarnation_are_refused) {
  for (const auto& [message, at] : {std::pair<std::size_t, std::size_t>{0, 40 + 8}, {2, 64 + 8}, {5, 8 + 8}}) {
    Bytes bytes = *write(one_of_each()[message]);
    ASSERT_EQ(detail::load_le<std::uint64_t>(bytes.data() + kHeaderBytes + at), 2u);
    detail::store_le(bytes.data() + kHeaderBytes + at, std::uint64_t{0});
    repair(bytes);
    EXPECT_EQ(refused_for(bytes), "positions") << message;
  }
  EXPECT_FALSE(write({header(), Acknowledgement{false, {{1, 0, 7}}}}).ok());
}

TEST(ReplicaMessages, what_a_reader_would_refuse_is_not_written) {
  EXPECT_EQ(write({header(), Delta{}}).error().field, "hashes");
  EXPECT_EQ(write({header(), Delta{0, random_hashes(kMostHashes + 1, 1)}}).error().field, "hashes");
  EXPECT_EQ(write({header(), Acknowledgement{false, std::vector<Position>(kMostPositions + 1)}}).error().field,
            "positions");
  EXPECT_EQ(write({header(), Member{false, {{1, 1, 1, {1, 2}}}}}).error().field, "w");
  EXPECT_EQ(write({header(), Member{false, {{1, 2, 2, {2, 1}}}}}).error().field, "members");
  EXPECT_EQ(write({header(), Member{}}).error().field, "configurations");
}

TEST(ReplicaMessages, a_delta_is_sorted_and_each_hash_stands_once) {
  const Result<Bytes> bytes = write({header(), Delta{0, {Hash(9), Hash(3), Hash(9), Hash(0)}}});
  EXPECT_EQ(std::get<Delta>(parse(*bytes)->body).hashes, (std::vector<Hash>{Hash(0), Hash(3), Hash(9)}));
}

TEST(ReplicaMessages, hashes_of_any_spread_are_coded_and_stay_below_two_bits_more_than_their_low_bits) {
  for (const std::size_t count : {1u, 2u, 3u, 7u, 8u, 9u, 1000u, 65535u, 65536u, 131072u}) {
    for (const unsigned shift : {0u, 1u, 40u, 60u}) {
      std::vector<Hash> hashes = random_hashes(count, count + shift);
      for (Hash& hash : hashes) hash.bits >>= shift;
      if (shift == 1)
        for (Hash& hash : hashes) hash.bits |= std::uint64_t{1} << 63;
      const Message message{header(), Delta{0, hashes}};
      const Result<Bytes> bytes = write(message);
      ASSERT_TRUE(bytes.ok());
      const std::vector<Hash> back = std::get<Delta>(parse(*bytes)->body).hashes;
      std::sort(hashes.begin(), hashes.end(), [](Hash a, Hash b) { return a.bits < b.bits; });
      hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
      EXPECT_EQ(back, hashes);
      EXPECT_LE(8 * (bytes->size() - kHeaderBytes - 24), hashes.size() * (rice_bits(hashes.size()) + 3) + 7);
    }
  }
}

// The bars of the issue: headers and MAC included.
TEST(ReplicaMessages, a_new_key_takes_at_most_so_many_bytes) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Result<Bytes> many = write({header(), Delta{0, random_hashes(100'000, seed)}}, kSecret);
    EXPECT_LE(static_cast<double>(many->size()) / 100'000, 6.2);
    const Result<Bytes> few = write({header(), Delta{0, random_hashes(1'000, seed)}}, kSecret);
    EXPECT_LE(static_cast<double>(few->size()) / 1'000, 7.2);
  }
}

// Version 2, which only this test writes: a hello with one more field, which version 1 reads without it, and one more
// message, which it refuses by name.
TEST(ReplicaMessages, version_2_beside_version_1_is_read_where_it_says_so_and_refused_by_name_elsewhere) {
  Bytes hello = *write(one_of_each()[0]);
  hello.insert(hello.end(), 8, 0x33);
  detail::store_le(hello.data() + 52, static_cast<std::uint32_t>(hello.size() - kHeaderBytes));
  repair(hello);
  EXPECT_EQ(refused_for(hello), "length");  // version 1 has no such field
  hello[4] = 2;
  repair(hello);
  ASSERT_EQ(refused_for(hello), "nothing");
  EXPECT_EQ(parse(hello)->body, one_of_each()[0].body);
  EXPECT_EQ(parse(hello)->header.version, 2);

  Bytes unknown = *write(one_of_each()[5]);
  unknown[4] = 2, unknown[6] = 7;
  repair(unknown);
  EXPECT_EQ(refused_for(unknown), "type");
  unknown[5] = 2;
  repair(unknown);
  EXPECT_EQ(refused_for(unknown), "version");
  EXPECT_EQ(parse(unknown).error().code, ErrorCode::unsupported);
  unknown[5] = 3;  // for readers of a later version than its own
  repair(unknown);
  EXPECT_EQ(parse(unknown).error().code, ErrorCode::corrupt);
}

TEST(ReplicaMessages, a_lineage_is_32_digits) {
  const Result<Lineage> lineage = Lineage::from_hex("00112233445566778899aabbccddeeff");
  ASSERT_TRUE(lineage.ok());
  EXPECT_EQ(lineage->to_hex(), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(Lineage::from_hex("0011").error().field, "lineage");
}

// Of the reference code of SipHash's authors: vectors_sip128, inputs "" and 00, secret 00 01 .. 0f.
TEST(ReplicaMessages, the_mac_is_siphash_2_4_128) {
  const std::uint8_t zero = 0;
  const auto empty = detail::siphash24_128(&zero, 0, 0x0706050403020100, 0x0f0e0d0c0b0a0908);
  EXPECT_EQ(empty.low, 0xe6a825ba047f81a3u);
  EXPECT_EQ(empty.high, 0x930255c71472f66du);
  const auto one = detail::siphash24_128(&zero, 1, 0x0706050403020100, 0x0f0e0d0c0b0a0908);
  EXPECT_EQ(one.low, 0x44af996bd8c187dau);
  EXPECT_EQ(one.high, 0x45fc229b11597634u);
}

}  // namespace
}  // namespace bloomery::replica
