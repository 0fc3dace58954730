// Functions of the user's that throw: sinks, walks over fingerprints, hash functions of keys, the log hook.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "bloomery/bloomery.h"
#include "support/thrown.h"

namespace bloomery {
namespace {

using testing::Bomb;
using testing::Thrown;

constexpr Thrown kThrown[] = {Thrown::exception, Thrown::number, Thrown::no_memory};

TEST(Callback, sink_that_throws_ends_the_writing) {
  const AnyFilter classic(*ClassicFilter::with_capacity(100, 0.01));
  const AnyFilter split(*SplitFilter::with_blocks(1));
  const std::pair<AnyView, Format> files[] = {
      {classic.view(), Format::raw}, {classic.view(), Format::envelope}, {split.view(), Format::parquet}};
  for (const Thrown thrown : kThrown) {
    for (const auto& [view, format] : files) {
      for (const int pieces : {0, 1}) {
        SCOPED_TRACE(std::string(to_string(format)) + ", after " + std::to_string(pieces) + " pieces");
        Bomb bomb(thrown, pieces);
        const Sink sink = [&](std::span<const std::uint8_t>) { return bomb.touch(), Status(); };
        testing::expect_error_of(encode(view, format, {}, sink), thrown, "sink", "the sink");
      }
    }
  }
}

TEST(Callback, use_of_fingerprints_that_throws_ends_the_walk) {
  QuotientFilter filter = *QuotientFilter::with_capacity(100, 0.01);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(filter.add(i).ok());
  const AnyFilter any(std::move(filter));
  for (const Thrown thrown : kThrown) {
    Bomb bomb(thrown, 7);
    const Status status = any.view().for_each([&](std::uint64_t, std::uint64_t) { bomb.touch(); });
    testing::expect_error_of(status, thrown, "use", "the function given to for_each");
  }
}

TEST(Callback, log_hook_that_throws_is_harmless) {
  for (const Thrown thrown : kThrown) {
    Bomb bomb(thrown);
    set_log_hook([](LogLevel, std::string_view, void* context) { static_cast<Bomb*>(context)->touch(); }, &bomb);
    log(LogLevel::warning, "nobody hears this");
    SizeSpec spec;
    spec.fpr = 1e-6;
    const Result<AnyFilter> small = AnyFilter::with_size(Kind::classic, 10, spec);  // warns
    set_log_hook(nullptr);
    EXPECT_TRUE(small.ok());
  }
}

// A key of the user's, one of which cannot be hashed.
struct Fickle {
  std::uint64_t number = 0;
  Thrown* thrown = nullptr;

  friend Hash bloomery_hash(const Hasher& hasher, const Fickle& key) {
    if (key.thrown != nullptr) Bomb(*key.thrown).touch();
    return hasher(key.number);
  }
};

// Builds of one thread and of two, of keys that are added as they come, to copies, and sorted.
class HashCallback : public ::testing::Test {
 protected:
  HashCallback() {
    for (std::uint64_t i = 0; i < keys_.size(); ++i) keys_[i].number = i;
  }

  template <class Build>
  void expect_errors_of(const Build& build) {
    for (const std::size_t bad : {std::size_t{0}, keys_.size() / 2, keys_.size() - 1}) {
      for (Thrown thrown : kThrown) {
        keys_[bad].thrown = &thrown;
        testing::expect_error_of(build(), thrown, "key", "the hash function bloomery_hash");
        keys_[bad].thrown = nullptr;
      }
    }
    const Status status = build();
    EXPECT_TRUE(status.ok()) << status.error().to_string();
  }
  template <class Filter>
  static Status status_of(const Result<Filter>& result) {
    return result.ok() ? Status() : Status(result.error());
  }

  std::vector<Fickle> keys_ = std::vector<Fickle>(110'000);
};

TEST_F(HashCallback, of_blocks_that_throws_is_an_error) {
  for (const unsigned threads : {1u, 2u}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    expect_errors_of([&] { return status_of(BlockFilter::build(keys_, 0.01, threads)); });
    expect_errors_of([&] { return status_of(SplitFilter::build(keys_, 0.01, threads)); });
    BlockFilter large = *BlockFilter::with_bytes(4 << 20, 1 << 20);  // where keys are sorted first
    expect_errors_of([&] {
      large.clear();
      return large.add_many(keys_, threads);
    });
    std::vector<std::uint8_t> found(keys_.size());
    large.contains_many(keys_, found);
    EXPECT_EQ(std::count(found.begin(), found.end(), 1), static_cast<std::ptrdiff_t>(keys_.size()));
  }
}

TEST_F(HashCallback, of_static_kinds_that_throws_is_an_error) {
  for (const unsigned threads : {1u, 2u}) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    expect_errors_of([&] { return status_of(FuseFilter::build(keys_, 0.01, threads)); });
    expect_errors_of([&] { return status_of(RibbonFilter::build(keys_, 0.01, threads)); });
  }
}

TEST_F(HashCallback, of_any_kind_that_throws_is_an_error) {
  for (const Kind kind : {Kind::classic, Kind::block, Kind::cuckoo, Kind::fuse}) {
    SCOPED_TRACE(to_string(kind));
    expect_errors_of([&] { return status_of(AnyFilter::build(kind, keys_, {}, {}, 2)); });
  }
}

}  // namespace
}  // namespace bloomery
