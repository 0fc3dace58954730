// What every kind promises, on random key sets, hashes and sizes (RapidCheck), wrong estimates included. All kinds of
// bloomery/any.h go through it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <numeric>

#include "bloomery/bloomery.h"

namespace bloomery {
namespace {

using Keys = std::vector<std::string>;

rc::Gen<Hasher> any_hasher() {
  const Secret secret = *Secret::from_hex("000102030405060708090a0b0c0d0e0f");
  return rc::gen::element(Hasher::fnv_splitmix(), Hasher::xxh3(), Hasher::xxh3(77), Hasher::xxh64(),
                          Hasher::siphash13(secret), Hasher::siphash24(secret));
}

// How to make an empty filter at random: n is far from the number of keys as often as not.
struct Make {
  Kind kind;
  std::uint64_t n = 1;
  double fpr = 0.01;
  Hasher hasher;

  static Make random(Kind kind) {
    return {kind, *rc::gen::inRange<std::uint64_t>(1, 2000), *rc::gen::element(0.2, 0.05, 0.01, 0.001), *any_hasher()};
  }
  AnyFilter empty() const { return *AnyFilter::with_capacity(kind, n, fpr, hasher); }
  AnyFilter built(const Keys& keys) const { return *AnyFilter::build(kind, keys, {fpr}, hasher); }
};

// Adds keys until one is refused; those that are in.
Keys add_some(AnyFilter& filter, const Keys& keys) {
  Keys in;
  for (const std::string& key : keys) {
    if (!filter.add(key).ok()) break;
    in.push_back(key);
  }
  return in;
}

class Properties : public ::testing::TestWithParam<Kind> {
 protected:
  static Make random() { return Make::random(GetParam()); }
  static bool takes_keys() { return can(GetParam(), Ability::add); }
  // Of keys that may be more than it was sized for, as many as are not refused.
  static AnyFilter random_filter(const Keys& keys) {
    if (!takes_keys()) return random().built(keys);
    AnyFilter filter = random().empty();
    add_some(filter, keys);
    return filter;
  }
};

void expect_all_found(const AnyFilter& filter, const Keys& in) {
  for (const std::string& key : in) RC_ASSERT(filter.contains(key));
  std::vector<std::uint8_t> answers(in.size());
  filter.view().contains_many(in, answers);
  RC_ASSERT(std::count(answers.begin(), answers.end(), 1) == static_cast<std::ptrdiff_t>(in.size()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, Properties, ::testing::ValuesIn(kAllKinds),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(Properties, no_false_negatives) {
  EXPECT_TRUE(rc::check([](const Keys& one_by_one, const Keys& batch) {
    expect_all_found(random().built(batch), batch);
    if (!takes_keys()) return;
    AnyFilter filter = random().empty();
    Keys in = add_some(filter, one_by_one);
    const std::uint64_t before = *filter.key_count();
    RC_ASSERT(before == in.size());
    (void)filter.add_many(batch);
    in.insert(in.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(*filter.key_count() - before));
    if (filter.view().forgets()) return;
    expect_all_found(filter, in);
  }));
}

TEST_P(Properties, what_is_removed_once_less_than_added_is_still_in) {
  if (!can(GetParam(), Ability::remove)) GTEST_SKIP() << "the kind does not remove";
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    AnyFilter filter = random().empty();
    const Keys in = add_some(filter, keys);
    for (std::size_t i = 0; i < in.size(); i += 2) RC_ASSERT(filter.remove(in[i]).value());
    for (std::size_t i = 1; i < in.size(); i += 2) RC_ASSERT(filter.contains(in[i]));
    RC_ASSERT(filter.key_count() == in.size() / 2);
  }));
}

TEST_P(Properties, removing_everything_leaves_an_empty_filter) {
  if (!can(GetParam(), Ability::remove)) GTEST_SKIP() << "the kind does not remove";
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    const Make make = random();
    AnyFilter filter = make.empty();
    Keys distinct = keys;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() > 10) distinct.resize(10);  // no counter of four bits is full
    const Keys in = add_some(filter, distinct);
    for (const std::string& key : in) RC_ASSERT(filter.remove(key).value());
    RC_ASSERT(filter.view() == make.empty().view());
  }));
}

TEST_P(Properties, merge_is_commutative_and_associative_and_loses_nothing) {
  if (!can(GetParam(), Ability::merge)) GTEST_SKIP() << "the kind does not merge";
  EXPECT_TRUE(rc::check([](const Keys& a, const Keys& b, const Keys& c) {
    const Make make = random();
    AnyFilter fa = make.empty(), fb = make.empty(), fc = make.empty();
    Keys in = add_some(fa, a);
    for (const auto& more : {add_some(fb, b), add_some(fc, c)}) in.insert(in.end(), more.begin(), more.end());
    const auto merged = [](const AnyFilter& x, const AnyFilter& y) -> std::optional<AnyFilter> {
      AnyFilter out = *x.clone();
      const Status status = out.merge(y);
      if (status.ok()) return out;
      // Only for want of room, and then nothing has changed.
      RC_ASSERT(status.error().code == ErrorCode::full || status.error().code == ErrorCode::unsupported);
      RC_ASSERT(out.view() == x.view());
      return std::nullopt;
    };
    const auto ab = merged(fa, fb), ba = merged(fb, fa), bc = merged(fb, fc);
    if (!ab || !ba || !bc) return;
    const auto abc = merged(*ab, fc), bca = merged(fa, *bc);
    if (!abc || !bca) return;
    for (const std::string& key : in) RC_ASSERT(abc->contains(key));
    RC_ASSERT(abc->key_count() == in.size());
    if (GetParam() == Kind::cuckoo) return;  // its slots are in the order of adds
    RC_ASSERT(ab->view() == ba->view());
    RC_ASSERT(abc->view() == bca->view());
  }));
}

TEST_P(Properties, bits_of_a_merge_are_those_of_adding_both_and_merging_twice_changes_nothing) {
  if (!can(GetParam(), Ability::intersect) || GetParam() == Kind::counting) GTEST_SKIP() << "the cells are no bits";
  EXPECT_TRUE(rc::check([](const Keys& a, const Keys& b) {
    const Make make = random();
    AnyFilter fa = make.empty(), fb = make.empty(), both = make.empty();
    for (AnyFilter* filter : {&fa, &both}) RC_ASSERT(filter->add_many(a).ok());
    for (AnyFilter* filter : {&fb, &both}) RC_ASSERT(filter->add_many(b).ok());
    RC_ASSERT(fa.merge(fb).ok());
    RC_ASSERT(fa.view() == both.view());
    RC_ASSERT(fa.merge(fb).ok());
    RC_ASSERT(fa.view() == both.view());
  }));
}

TEST_P(Properties, intersection_loses_no_common_key) {
  if (!can(GetParam(), Ability::intersect)) GTEST_SKIP() << "the kind does not intersect";
  EXPECT_TRUE(rc::check([](const Keys& a, const Keys& b, const Keys& common) {
    const Make make = random();
    AnyFilter fa = make.empty(), fb = make.empty();
    RC_ASSERT(fa.add_many(a).ok() && fb.add_many(b).ok() && fa.add_many(common).ok() && fb.add_many(common).ok());
    RC_ASSERT(fa.intersect(fb).ok());
    for (const std::string& key : common) RC_ASSERT(fa.contains(key));
  }));
}

TEST_P(Properties, encode_and_decode_give_the_filter_back) {
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    const AnyFilter filter = random_filter(keys);
    OpenOptions options;
    options.secret = *Secret::from_hex("000102030405060708090a0b0c0d0e0f");
    const std::vector<std::uint8_t> bytes = *encode(filter.view(), Format::envelope, filter.key_count());
    const Result<Decoded> back = decode(bytes, options);
    RC_ASSERT(back.ok());
    RC_ASSERT(back->view == filter.view());
    RC_ASSERT(back->info.key_count == filter.key_count());
    RC_ASSERT(*encode(back->view, Format::envelope, back->info.key_count) == bytes);
  }));
}

TEST_P(Properties, fill_never_decreases_by_adding) {
  if (!takes_keys()) GTEST_SKIP() << "the kind is built of all its keys at once";
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    AnyFilter filter = random().empty();
    if (filter.view().forgets()) return;
    std::uint64_t before = 0;
    for (const std::string& key : keys) {
      const bool had = filter.contains(key);
      if (!filter.add(key).ok()) return;
      const std::uint64_t after = filter.view().bits_set();
      RC_ASSERT(after >= before);
      RC_ASSERT(had || after > before);  // a key that was denied leaves a trace
      before = after;
    }
  }));
}

TEST_P(Properties, estimated_count_is_within_five_percent_while_it_is_not_overfull) {
  EXPECT_TRUE(rc::check("estimated count", [] {
    const std::uint64_t n = *rc::gen::inRange<std::uint64_t>(10'000, 50'000);
    const std::uint64_t first = *rc::gen::arbitrary<std::uint64_t>();
    const double fpr = *rc::gen::element(0.1, 0.01, 0.001);
    if (!takes_keys()) {
      std::vector<std::uint64_t> keys(n);
      std::iota(keys.begin(), keys.end(), first);
      RC_ASSERT(AnyFilter::build(GetParam(), keys, {fpr}, *any_hasher())->view().estimated_count() == n);
      return;
    }
    AnyFilter filter = *AnyFilter::with_capacity(GetParam(), n, fpr, *any_hasher());
    if (filter.view().forgets()) return;
    for (std::uint64_t added = 0; added < n;) {
      for (const std::uint64_t end = std::min(n, added + n / 3 + 1); added < end; ++added)
        RC_ASSERT(filter.add(first + added).ok());
      RC_ASSERT(std::abs(static_cast<double>(*filter.view().estimated_count()) / static_cast<double>(added) - 1) <
                0.05);
    }
  }));
}

// These need the typed filters: the bitmap, and add telling whether it changed anything.
template <class Filter>
class TypedProperties : public ::testing::Test {};
using SomeKinds = ::testing::Types<ClassicFilter, SplitFilter, BlockFilter>;
TYPED_TEST_SUITE(TypedProperties, SomeKinds);

TYPED_TEST(TypedProperties, bitmap_holds_the_answers_and_nothing_after_them) {
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    TypeParam filter = *TypeParam::with_capacity(*rc::gen::inRange<std::uint64_t>(1, 100), 0.01);
    (void)filter.add_many(keys);
    std::vector<Hash> asked;
    for (std::uint64_t i = *rc::gen::inRange<std::uint64_t>(0, 2500); i > 0; --i)
      asked.emplace_back(detail::splitmix64(i));
    const auto check = [&](const auto& range) {
      std::vector<std::uint8_t> answers(range.size());
      std::vector<std::uint64_t> words(range.size() / 64 + 2, ~std::uint64_t{0});
      filter.contains_many(range, answers);
      filter.contains_bitmap(range, words);
      const std::size_t written = (range.size() + 63) / 64;
      for (std::size_t i = 0; i < 64 * written; ++i)
        RC_ASSERT(((words[i / 64] >> (i % 64)) & 1) == (i < range.size() ? answers[i] : 0));
      for (std::size_t i = written; i < words.size(); ++i) RC_ASSERT(words[i] == ~std::uint64_t{0});
    };
    check(keys);
    check(asked);
  }));
}

TYPED_TEST(TypedProperties, add_tells_whether_a_bit_changed) {
  EXPECT_TRUE(rc::check([](const Keys& keys) {
    TypeParam filter = *TypeParam::with_capacity(*rc::gen::inRange<std::uint64_t>(1, 100), 0.01);
    for (const std::string& key : keys) {
      const std::uint64_t before = filter.bits_set();
      const bool changed = filter.add(key);
      RC_ASSERT(changed == (filter.bits_set() > before));
    }
  }));
}

}  // namespace
}  // namespace bloomery
