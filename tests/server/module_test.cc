// The module in a server that is none (fuzz/fake_server.h): what Debian's servers cannot be asked for.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "bloomery/scalable.h"
#include "fuzz/fake_server.h"
#include "server/bloom_chain.h"
#include "server/config.h"
#include "server/filter_value.h"
#include "server/link_items.h"
#include "server/memory.h"
#include "server/scalable_growth.h"

namespace bloomery::server {
namespace {

class Module : public testing::Test {
 protected:
  Module() {
    fake::start();
    fake::always_aligned = true;
    fake::most_memory = std::size_t{64} << 20;
  }
  ~Module() override { fake::clear(); }

  static void call(const std::vector<std::string>& words) {
    fake::call(words);
    EXPECT_EQ(fake::reply.error, "") << words[0];
  }
  static bool exists(const std::string& command, int item) {
    call({command, "k", std::to_string(item)});
    return fake::reply.number == 1;
  }
};

// Creates the key "k" in so many pieces that can move, and how it is asked.
struct Case {
  std::vector<std::string> create;
  std::string add, exists;
  std::uint64_t pieces;
};

TEST_F(Module, values_move_where_the_server_wants_them_and_lose_no_key) {
  std::vector<Case> cases = {{{"BF.RESERVE", "k", "0.01", "300"}, "BF.ADD", "BF.EXISTS", 1},
                             {{"BF.ADD", "k", "0"}, "BF.ADD", "BF.EXISTS", 1},  // exact hashes
                             {{"CF.RESERVE", "k", "300"}, "CF.ADD", "CF.EXISTS", 1},
                             {{"BLM.WINDOW", "k", "WINDOWS", "3", "CAPACITY", "300"}, "BLM.ADD", "BLM.EXISTS", 3}};
  for (const char* kind :
       {"classic", "split", "block", "counting", "partitioned", "scalable", "stable", "cuckoo", "quotient"})
    cases.push_back({{"BLM.RESERVE", "k", "KIND", kind, "CAPACITY", "300"}, "BLM.ADD", "BLM.EXISTS", 1});
  for (const Case& one : cases) {
    fake::clear();
    call(one.create);
    for (int i = 0; i < 200; ++i) call({one.add, "k", std::to_string(i)});
    const std::uint64_t before = fake::moved;
    fake::defragment("k");
    EXPECT_EQ(fake::moved - before, one.pieces) << one.create[0] << " " << one.create[3];
    for (int i = 0; i < 200; ++i) EXPECT_TRUE(exists(one.exists, i)) << one.create[0] << " " << i;
    for (int i = 200; i < 300; ++i) call({one.add, "k", std::to_string(i)});  // it takes keys where it is now
    fake::defragment("k");
    for (int i = 0; i < 300; ++i) EXPECT_TRUE(exists(one.exists, i)) << one.create[0] << " " << i;
  }
}

TEST_F(Module, large_payloads_stay_where_they_are) {
  call({"BLM.RESERVE", "k", "KIND", "block", "CAPACITY", "100000"});
  const std::uint64_t before = fake::moved;
  fake::defragment("k");
  EXPECT_EQ(fake::moved, before);
}

// BF.EXISTS fetches a line of the chain that was asked before. Under ASan a read there would be found.
TEST_F(Module, questions_are_right_when_the_chain_that_was_asked_before_has_gone) {
  for (const char* capacity : {"5000", "300"}) {
    call({"BF.RESERVE", "k", "0.01", capacity});
    EXPECT_FALSE(exists("BF.EXISTS", 1)) << capacity;
    call({"BF.ADD", "k", "1"});
    EXPECT_TRUE(exists("BF.EXISTS", 1)) << capacity;
    fake::clear();
    EXPECT_FALSE(exists("BF.EXISTS", 1)) << capacity;
  }
}

TEST_F(Module, a_filter_that_cannot_be_cleared_stays_when_it_is_rotated) {
  const std::vector<std::uint64_t> keys = {1, 2, 3};
  for (const Kind kind : {Kind::fuse, Kind::ribbon}) {
    AnyFilter filter = *AnyFilter::build(kind, keys, {}, FilterOptions(Hasher::xxh3(), &server_memory));
    const FilterValue::Pointer value = *FilterValue::create(std::move(filter), {}, {}, {});
    const std::uint64_t bytes = value->payload_bytes();
    EXPECT_FALSE(value->rotate(1).ok());
    EXPECT_EQ(value->payload_bytes(), bytes);
    for (const std::uint64_t key : keys) EXPECT_TRUE(value->newest().contains(key)) << key;
  }
}

TEST_F(Module, sliced_growth_makes_the_bytes_that_the_library_makes) {
  const FilterOptions options(Hasher::xxh3(), &server_memory);
  ScalableFilter sliced = *ScalableFilter::with_capacity(1000, 0.01, options);
  ScalableFilter whole = *sliced.clone();
  ScalableGrowth growth(0);
  std::uint64_t prepared = 0, grown = 0;
  constexpr std::uint64_t kAll = std::uint64_t{1} << 40;
  for (std::uint64_t i = 0; i < 60'000; ++i) {
    const Hash hash(detail::splitmix64(i / 2));  // each twice: one that is there makes no chain grow
    const std::uint32_t links = sliced.geometry().links;
    ASSERT_TRUE(growth.before_add(sliced, hash, kAll).ok());
    ASSERT_TRUE(sliced.add(hash).ok());
    growth.after_add(sliced, hash);
    ASSERT_TRUE(whole.add(hash).ok());
    prepared += growth.prepares() ? 1 : 0;
    if (sliced.geometry().links == links) continue;
    ++grown;
    ASSERT_EQ(sliced, whole) << i;
  }
  EXPECT_EQ(sliced, whole);
  EXPECT_EQ(sliced.key_count(), whole.key_count());
  EXPECT_GE(grown, 4u);
  EXPECT_GT(prepared, 1000u) << "nothing was prepared";
}

TEST_F(Module, a_chain_that_changes_otherwise_is_prepared_again) {
  const FilterOptions options(Hasher::xxh3(), &server_memory);
  ScalableFilter chain = *ScalableFilter::with_capacity(1000, 0.01, options);
  ScalableGrowth growth(0);
  std::uint64_t next = 0;
  const auto add = [&](std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      const Hash hash(detail::splitmix64(next++));
      ASSERT_TRUE(growth.before_add(chain, hash, std::uint64_t{1} << 40).ok() && chain.add(hash).ok());
      growth.after_add(chain, hash);
    }
  };
  add(950);
  EXPECT_TRUE(growth.prepares());
  chain = *ScalableFilter::with_capacity(500, 0.01, options);  // what was prepared is of the old one
  ScalableFilter whole = *chain.clone();
  const std::uint64_t first = next;
  add(5000);
  for (std::uint64_t i = first; i < next; ++i) ASSERT_TRUE(whole.add(Hash(detail::splitmix64(i))).ok());
  EXPECT_EQ(chain, whole);
}

// The parts of a dump, each with its iterator.
using Parts = std::vector<std::pair<std::string, std::string>>;

Parts dump_of(const std::string& key) {
  Parts parts;
  for (std::string iterator = "0";;) {
    fake::call({"BLM.SCANDUMP", key, iterator});
    EXPECT_EQ(fake::reply.error, "");
    iterator = std::to_string(fake::reply.number);
    if (iterator == "0") return parts;
    parts.emplace_back(iterator, fake::reply.bytes);
  }
}

class DumpOfWindows : public Module {
 protected:
  // The parts of the dump of two windows, of which `edit` changes the head of the envelope of one. All sums of what was
  // changed are right, unless `edit` says that that of the head is not to be.
  static Parts edited(std::size_t window, const std::function<bool(char* head)>& edit) {
    call({"BLM.WINDOW", "w", "KIND", "block", "CAPACITY", "1000", "WINDOWS", "2", "KEYS", "int"});
    call({"BLM.ADD", "w", "1"});
    Parts parts = dump_of("w");
    std::string& header = parts[0].second;
    const std::string magic = "\211BLM\r\n\x1a\n";
    std::size_t at = header.find(magic);
    for (std::size_t i = 0; i < window; ++i) at = header.find(magic, at + 1);
    char* const head = header.data() + at;
    std::uint64_t size = 0;
    std::memcpy(&size, head - sizeof size, sizeof size);
    const bool with_sum = edit(head);
    const std::string summed = std::string(head, 120) + std::string(head + 128, size - 128);  // spec/envelope.md
    if (with_sum) put_sum(head + 120, summed);
    put_sum(header.data() + header.size() - 8, std::string_view(header).substr(0, header.size() - 8));
    return parts;
  }
  static void put_sum(char* at, std::string_view of) {
    const std::uint64_t sum = Hasher::xxh3()(of).bits;
    std::memcpy(at, &sum, sizeof sum);
  }
  static void expect_refused(const Parts& parts) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      fake::call({"BLM.LOADCHUNK", "v", parts[i].first, parts[i].second});
      EXPECT_EQ(fake::reply.error.empty(), i + 1 < parts.size()) << i;
    }
    EXPECT_FALSE(fake::has("v"));
  }
};

TEST_F(DumpOfWindows, is_refused_whole_when_one_window_is_damaged) {
  for (const std::size_t window : {0u, 1u}) {
    fake::clear();
    expect_refused(edited(window, [](char* head) { return head[121] ^= 1, false; }));
  }
}

TEST_F(DumpOfWindows, is_refused_when_windows_differ_in_hash_seed_or_geometry) {
  const auto put = [](std::size_t at, auto value) {
    return [=](char* head) { return std::memcpy(head + at, &value, sizeof value), true; };
  };
  for (const std::size_t window : {0u, 1u}) {
    for (const auto& edit : {std::function<bool(char*)>(put(16, std::uint64_t{7})),   // the seed
                             std::function<bool(char*)>(put(12, std::uint16_t{1})),   // fnv_splitmix
                             std::function<bool(char*)>(put(12, std::uint16_t{3})),   // xxh64
                             std::function<bool(char*)>(put(12, std::uint16_t{4})),   // siphash13
                             std::function<bool(char*)>(put(56, std::uint64_t{1}))})  // k
    {
      fake::clear();
      expect_refused(edited(window, edit));
    }
  }
}

TEST_F(DumpOfWindows, is_refused_when_windows_differ_in_the_type_of_keys) {
  for (const std::size_t window : {0u, 1u}) {
    fake::clear();
    expect_refused(edited(window, [](char* head) {
      char* const record = head + 128;
      std::memcpy(record + std::string_view(record, 32).find("int"), "hex", 3);
      return true;
    }));
  }
}

// Memory of several windows of a MiB each.
class MemoryOfWindows : public Module {
 protected:
  static constexpr int kWindows = 8;
  ~MemoryOfWindows() override {
    config.secret.reset();
    fake::context_flags = kFlagMulti;
  }
  static void reserve(std::vector<std::string> more) {
    std::vector<std::string> words = {"BLM.WINDOW", "w",      "KIND",    "block",
                                      "CAPACITY",   "800000", "WINDOWS", std::to_string(kWindows)};
    words.insert(words.end(), more.begin(), more.end());
    call(words);
    for (int i = 0; i < kWindows; ++i) {
      call({"BLM.ADDHASH", "w", "hash " + std::string(3, static_cast<char>('a' + i))});
      call({"BLM.ROTATE", "w"});
    }
  }
  static std::size_t held_by(const std::function<void()>& act) {
    const std::size_t before = fake::held;
    act();
    return fake::held - before;
  }
};

TEST_F(MemoryOfWindows, is_taken_for_one_more_when_a_dump_of_them_is_loaded) {
  const std::size_t all = held_by([] { reserve({}); });
  const Parts parts = dump_of("w");
  const std::size_t before = fake::held;
  fake::most_held = before;
  for (const auto& [iterator, part] : parts) call({"BLM.LOADCHUNK", "v", iterator, part});
  EXPECT_LT(fake::most_held - before, all + all * 3 / 2 / kWindows);
  const Parts loaded = dump_of("v");
  ASSERT_EQ(loaded.size(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) EXPECT_TRUE(loaded[i].second == parts[i].second) << i;
}

TEST_F(MemoryOfWindows, is_taken_for_one_more_when_they_get_their_secret) {
  const Secret secret = *Secret::from_hex("00112233445566778899aabbccddeeff");
  fake::context_flags = kFlagMulti | kFlagReplicated;
  const std::size_t all = held_by([&] { reserve({"HASH", "siphash13", "SECRETID", std::to_string(secret.id())}); });
  fake::context_flags = kFlagMulti;
  const Parts before = dump_of("w");
  config.secret = secret;
  const std::size_t held = fake::held;
  fake::most_held = held;
  call({"BLM.EXISTS", "w", "x"});
  EXPECT_LT(fake::most_held - held, all * 3 / 2 / kWindows);
  call({"BLM.HASHES", "w", "hash ccc"});
  EXPECT_EQ(fake::reply.bytes, "\1");
  EXPECT_EQ(dump_of("w")[0].second, before[0].second);
  call({"BLM.ADD", "w", "x"});
  call({"BLM.EXISTS", "w", "x"});
  EXPECT_EQ(fake::reply.number, 1);
}

// Large merges, which go on in timers.
class LargeMerge : public Module {
 protected:
  LargeMerge() { fake::context_flags = 0; }
  ~LargeMerge() override {
    fake::before_open = {};
    fake::context_flags = kFlagMulti;
  }
};

TEST_F(LargeMerge, ends_when_a_filter_expires_at_whatever_moment) {
  for (const std::string expires : {"a", "b", "d"}) {
    for (int moment = 1; moment < 1000; ++moment) {
      fake::clear();
      for (const char* key : {"a", "b", "d"}) {
        call({"BLM.RESERVE", key, "KIND", "block", "CAPACITY", "2000000"});  // more than a slice
        call({"BLM.ADD", key, std::string("of ") + key});
      }
      int opened = 0;
      fake::before_open = [&](const std::string& key) {
        if (key == expires && ++opened == moment) fake::remove(key);
      };
      fake::call({"BLM.MERGE", "d", "a", "b"});
      fake::before_open = {};
      if (opened < moment) {
        EXPECT_EQ(fake::reply.error, "");
        EXPECT_GT(moment, 4) << expires;
        break;
      }
      const bool had_gone = expires == "d" && moment <= 2;  // before the merge began, which takes it for a new key then
      EXPECT_EQ(fake::reply.error == "", had_gone) << expires << " " << moment;
      EXPECT_EQ(fake::has(expires), had_gone) << expires << " " << moment;
    }
  }
}

TEST_F(LargeMerge, opens_each_of_many_small_filters_a_few_times) {
  constexpr std::uint64_t kFilters = 2500;
  call({"BLM.RESERVE", "a", "KIND", "block", "CAPACITY", "2000"});
  std::vector<std::string> merge(2 + kFilters, "a");
  merge[0] = "BLM.MERGE", merge[1] = "d";
  std::uint64_t opened = 0;
  fake::before_open = [&](const std::string&) { ++opened; };
  call(merge);
  EXPECT_GT(opened, kFilters);
  EXPECT_LE(opened, 5 * kFilters);
}

TEST_F(LargeMerge, of_filters_of_any_size_is_what_it_is_at_once) {
  const auto bytes_of = [](const std::string& key) {
    call({"BLM.EXPORT", key});
    return fake::reply.bytes;
  };
  // Many in a slice, about one, and less than one.
  for (const auto& [capacity, filters] : {std::pair{"2000", 2500}, {"1400000", 7}, {"3000000", 3}}) {
    fake::clear();
    std::vector<std::string> merge = {"BLM.MERGE", "d"};
    for (int i = 0; i < filters; ++i) merge.push_back(std::string(1, static_cast<char>('a' + i % 3)));
    for (const char* key : {"a", "b", "c"}) {
      call({"BLM.RESERVE", key, "KIND", "block", "CAPACITY", capacity});
      for (int i = 0; i < 100; ++i) call({"BLM.ADD", key, key + std::to_string(i)});
    }
    call(merge);
    fake::context_flags = kFlagMulti;
    merge[1] = "e";
    call(merge);
    fake::context_flags = 0;
    EXPECT_TRUE(bytes_of("d") == bytes_of("e")) << capacity;
    for (const char* key : {"a", "b", "c"}) {
      call({"BLM.EXISTS", "d", key + std::string("99")});
      EXPECT_EQ(fake::reply.number, 1) << capacity << " " << key;
    }
  }
}

// An add of a chain leaves out what seems to be there.
TEST(LinkItems, links_that_took_what_they_say_keep_their_count) {
  for (const double fpr : {0.25, 0.01, 1e-5}) {
    for (const std::uint64_t capacity : {64u, 1000u, 50'000u}) {
      BlockFilter link = *BlockFilter::with_capacity(capacity, fpr);
      std::uint64_t items = 0, next = 1;
      for (std::uint64_t i = 0; items < capacity; ++i) {
        const Hash hash(detail::splitmix64(i + capacity));
        if (link.contains(hash)) continue;
        link.add(hash);
        if (++items != next && items != capacity) continue;
        next = next * 3 / 2 + 1;
        ASSERT_EQ(link_items(link.view(), items, capacity), items) << fpr << " " << capacity;
        const std::uint64_t said = items - static_cast<std::uint64_t>(std::sqrt(static_cast<double>(items)));
        ASSERT_EQ(link_items(link.view(), said, capacity), said) << fpr << " " << capacity << " " << items;
      }
      const std::uint64_t found = link_items(link.view(), 0, 2 * capacity);
      EXPECT_NEAR(static_cast<double>(found), static_cast<double>(capacity), 0.15 * static_cast<double>(capacity));
      EXPECT_EQ(link_items(link.view(), 0, capacity / 2), capacity / 2);
    }
  }
}

// Of links that are read in slices of their own.
TEST(LinkItems, large_links_that_took_what_they_say_keep_their_count) {
  for (const auto& [fpr, capacity] : {std::pair{0.25, 8'000'000u}, {0.01, 2'500'000u}, {1e-5, 1'000'000u}}) {
    BlockFilter link = *BlockFilter::with_capacity(capacity, fpr);
    ASSERT_GT(link.bytes(), std::uint64_t{2} << 20);
    std::uint64_t items = 0, next = 1;
    for (std::uint64_t i = 0; items < capacity; ++i) {
      const Hash hash(detail::splitmix64(i + capacity));
      if (link.contains(hash)) continue;
      link.add(hash);
      if (++items != next && items != capacity) continue;
      next = next * 2 + 1;
      ASSERT_EQ(link_items(link.view(), items, capacity), items) << fpr << " " << capacity;
    }
  }
}

TEST(LinkItems, a_link_whose_parts_were_read_at_different_times_holds_its_rate) {
  constexpr std::uint64_t kCapacity = 4'000'000, kAsked = 1'000'000;
  const auto add = [](BlockFilter& to, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t i = first; i < first + count; ++i) to.add(Hash(detail::splitmix64(i)));
  };
  for (const std::uint64_t share_read_late : {2u, 3u, 10u}) {
    BlockFilter link = *BlockFilter::with_capacity(kCapacity, 0.005);
    add(link, 0, 10);
    BlockFilter loaded = *link.clone();  // the early parts are of now, the late ones of when it is nearly full
    add(link, 10, kCapacity - 100'000);
    const std::span<const std::uint8_t> late = link.view().payload();
    const std::size_t from = late.size() - late.size() / share_read_late;
    std::memcpy(loaded.mutable_payload().data() + from, late.data() + from, late.size() - from);
    const std::uint64_t items = link_items(loaded.view(), 10, kCapacity);
    EXPECT_NEAR(static_cast<double>(items), kCapacity - 100'000, 0.02 * kCapacity) << share_read_late;
    add(loaded, kCapacity, kCapacity - items);
    std::uint64_t found = 0;
    for (std::uint64_t i = 0; i < kAsked; ++i) found += loaded.contains(Hash(detail::splitmix64(i + 3 * kCapacity)));
    EXPECT_LT(static_cast<double>(found) / kAsked, 0.0055) << share_read_late;
  }
}

// What jemalloc takes for so many bytes: it has four sizes for each doubling.
std::uint64_t size_class(std::uint64_t bytes) {
  const std::uint64_t step = std::bit_floor(bytes - 1) / 4;
  return (bytes + step - 1) / step * step;
}

TEST(BloomChainShares, keep_the_rate_and_the_memory_after_growth) {
  double sum = 0;
  for (std::size_t i = 0; i < BloomChain::kMaxLinks; ++i) sum += BloomChain::share_of_link(i);
  EXPECT_LE(sum, 1);
  EXPECT_GT(sum, 0.999);
  constexpr std::uint64_t kLimit = std::uint64_t{128} << 20;  // of bytes of a filter
  std::uint64_t bytes = 0, keys = 0, capacity = BloomChain::kFirstLink;
  const auto times = [&](std::uint64_t n) {
    return static_cast<double>(bytes) / static_cast<double>(BlockGeometry::for_capacity(n, 0.01)->payload_bytes());
  };
  for (std::size_t i = 0;; ++i, capacity *= 2) {
    bytes += size_class(BlockGeometry::for_capacity(capacity, 0.01 * BloomChain::share_of_link(i))->payload_bytes());
    if (bytes > kLimit) break;
    // A large link is taken when the one before has 31/32 of its keys.
    const std::uint64_t grown = keys > 4'000'000 ? keys - keys / 63 : keys + 1;
    EXPECT_LE(times(std::max<std::uint64_t>(grown, 10'001)), 4.5) << i;
    EXPECT_TRUE(keys < 50'000 || times(grown) <= 3.6) << i << ": " << times(grown);
    keys += capacity;
    EXPECT_TRUE(keys < 10'000 || times(keys) <= 1.8) << i << ": " << times(keys);
  }
  EXPECT_GT(keys, 30'000'000u);
}

}  // namespace
}  // namespace bloomery::server
