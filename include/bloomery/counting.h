// The counting filter: a classic filter with counters in the place of bits, so that keys can be removed
// (spec/counting.md). Counters of four bits make it four times as large; counters of 32 bits never overflow in
// practice.
//
//   auto filter = bloomery::CountingFilter::with_capacity(1'000'000, 0.01);
//   filter->add("a key");
//   filter->remove("a key");                    // true; remove only what was added
//   filter->contains("a key");                  // false, but for one key in a hundred
//
// Many threads at once: Shared<CountingFilter>, in bloomery/live/shared_counting.h.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/classic.h"
#include "bloomery/detail/counting_probe.h"
#include "bloomery/filter.h"
#include "bloomery/geometry/counting.h"
#include "bloomery/mutable_view.h"

namespace BLOOMERY_NAMESPACE {

class BLOOMERY_API CountingLayout {
 public:
  using Geometry = CountingGeometry;
  static constexpr const char* kPickFor =
      "keys that are removed again; turns into a classic filter of a quarter of its size";
  static constexpr const char* kCells = "counters";

  BLOOMERY_PER_ISA explicit CountingLayout(const Geometry& geometry)
      : remainder_(geometry.m), k_(geometry.k), counter_bits_(geometry.counter_bits) {}
  BLOOMERY_PER_ISA Geometry geometry() const { return {remainder_.divisor(), k_, counter_bits_}; }
  static constexpr Hasher default_hasher() { return Hasher::xxh3(); }

  BLOOMERY_PER_ISA bool contains(const std::uint8_t* bytes, Hash hash) const {
    return detail::with_counters(counter_bits_, [&]<class Counter>(Counter) {
      return detail::cells_contain<Counter>(bytes, remainder_, k_, hash);
    });
  }
  // Returns whether a counter was 0. False means that the key was there before, or looks like it.
  BLOOMERY_PER_ISA bool add(std::uint8_t* bytes, Hash hash) const {
    return detail::with_counters(counter_bits_, [&]<class Counter>(Counter) {
      return detail::counting_add<Counter>(bytes, remainder_, k_, hash);
    });
  }
  BLOOMERY_PER_ISA bool remove(std::uint8_t* bytes, Hash hash) const {
    return detail::with_counters(counter_bits_, [&]<class Counter>(Counter) {
      return detail::counting_remove<Counter>(bytes, remainder_, k_, hash);
    });
  }
  // Returns the lowest counter of the key. The highest value (15 with four bits) may stand for any larger number.
  BLOOMERY_PER_ISA std::uint64_t count(const std::uint8_t* bytes, Hash hash) const {
    return detail::with_counters(counter_bits_, [&]<class Counter>(Counter) {
      return detail::counting_count<Counter>(bytes, remainder_, k_, hash);
    });
  }
  BLOOMERY_PER_ISA void contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes,
                                      std::uint8_t* answers) const {
    detail::counting_contains_many(bytes, remainder_, k_, counter_bits_, hashes, answers);
  }
  BLOOMERY_PER_ISA void add_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
    detail::counting_add_many(bytes, remainder_, k_, counter_bits_, hashes);
  }
  BLOOMERY_PER_ISA void remove_many(std::uint8_t* bytes, std::span<const Hash> hashes, std::uint8_t* answers) const {
    detail::counting_remove_many(bytes, remainder_, k_, counter_bits_, hashes, answers);
  }

  // Set each counter to the sum, or to the minimum, of the two counters.
  void unite(std::uint8_t* bytes, const std::uint8_t* others) const;
  void intersect(std::uint8_t* bytes, const std::uint8_t* others) const;
  std::uint64_t cells_set(std::span<const std::uint8_t> bytes) const;

  // Warns and refuses as classic does.
  static Result<Geometry> plan(std::uint64_t n, double fpr);
  // Refuses a half byte after the last counter that is not 0.
  Status check_payload(std::span<const std::uint8_t> bytes) const;
  // Exact for m <= 1024.
  double predicted_fpr(std::span<const std::uint8_t> bytes, std::uint64_t counters_set) const;

 private:
  detail::Remainder remainder_;
  std::uint32_t k_, counter_bits_;
};

using CountingView = BasicView<CountingLayout>;
using CountingFilter = BasicFilter<CountingLayout>;
using CountingMutableView = BasicMutableView<CountingLayout>;
static_assert(std::is_trivially_copyable_v<CountingView>);
static_assert(sizeof(CountingView) <= 112);

// Returns the classic filter of the keys that are in: it takes a quarter of the memory or less, and has the same
// answers and the same hash.
BLOOMERY_API Result<ClassicFilter> to_classic(const CountingFilter& filter);

}  // namespace BLOOMERY_NAMESPACE
