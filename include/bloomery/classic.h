// The classic Bloom filter: m bits, k indexes per key by double hashing. Its raw file is byte-identical from C++, Rust
// and Go (spec/classic.md); pick it for exchange between languages.
//
//   auto filter = bloomery::ClassicFilter::with_capacity(1'000'000, 0.01);
//   if (!filter.ok()) ...                       // says what is wrong with the arguments
//   filter->add("a key");
//   filter->contains("a key");                  // true, always
//   filter->contains("another");                // false, but for one key in a hundred
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "bloomery/detail/batch.h"
#include "bloomery/detail/buffer.h"
#include "bloomery/detail/classic_probe.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"
#include "bloomery/sizing.h"

namespace bloomery {

// Read-only, over bits that somebody else owns and keeps alive: a mapped file, a table block, a ClassicFilter. A small
// value, trivially copyable. Safe from any thread while nobody writes the bits.
class ClassicView {
 public:
  using Geometry = ClassicGeometry;

  // Empty: a filter of one bit that contains nothing.
  ClassicView() = default;

  // Over geometry.payload_bytes() bytes of bits. Refuses another number of bytes, and set bits at or above m.
  BLOOMERY_API static Result<ClassicView> over(std::span<const std::uint8_t> bits, const Geometry& geometry,
                                               const Hasher& hasher = {});

  // False: the key was never added. True: it may have been.
  template <Key T>
  bool contains(const T& key) const {
    return detail::classic_contains(bits_, remainder_, k_, hash_key(hasher_, key));
  }

  // answers[i] = whether keys[i] may be present (1 or 0). answers must be at least as long as keys. Much faster than
  // one by one: hashes are computed side by side and cache misses overlap.
  template <detail::KeyRange Keys>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const {
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      detail::classic_contains_many(bits_, remainder_, k_, hashes, answers.data() + first);
    });
  }

  Geometry geometry() const { return {remainder_.divisor(), k_}; }
  const Hasher& hasher() const { return hasher_; }
  std::span<const std::uint8_t> payload() const { return {bits_, geometry().payload_bytes()}; }
  std::uint64_t bytes() const { return geometry().payload_bytes(); }

  // These read the whole filter.
  BLOOMERY_API std::uint64_t bits_set() const;
  BLOOMERY_API double fill() const;
  BLOOMERY_API double predicted_fpr() const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count() const;

  // Same geometry, same hash (seed or secret included), same bits.
  BLOOMERY_API friend bool operator==(const ClassicView& a, const ClassicView& b);

 private:
  friend class ClassicFilter;

  ClassicView(const std::uint8_t* bits, const Geometry& geometry, const Hasher& hasher)
      : bits_(bits), remainder_(geometry.m), k_(geometry.k), hasher_(hasher) {}

  static constexpr std::uint8_t kNoBits[1] = {0};

  const std::uint8_t* bits_ = kNoBits;
  detail::Remainder remainder_{1};
  std::uint32_t k_ = 1;
  Hasher hasher_;
};
static_assert(std::is_trivially_copyable_v<ClassicView>);

// Owns its bits. One writer, and no reader while it writes. Moves; copies only by clone().
class ClassicFilter {
 public:
  using View = ClassicView;
  using Geometry = ClassicGeometry;

  // For n keys at a false-positive rate of fpr. Warns through the log hook when the target will be missed by more than
  // 10 % (very small n), refuses when that is because the filter would exceed 2^32 bits (spec/classic.md, Limits).
  BLOOMERY_API static Result<ClassicFilter> with_capacity(std::uint64_t n, double fpr, const Hasher& hasher = {});
  // Exactly m bits and k indexes; refuses nothing valid.
  BLOOMERY_API static Result<ClassicFilter> with_geometry(std::uint64_t m, std::uint32_t k, const Hasher& hasher = {});
  // A copy of what the view shows, with the number of keys that were added to it, if known.
  BLOOMERY_API static Result<ClassicFilter> copy_of(const ClassicView& view, std::optional<std::uint64_t> key_count);

  // Returns whether any bit changed; false means that the key was there before, or looks like it.
  template <Key T>
  bool add(const T& key) {
    const bool changed = detail::classic_add(bits_.data(), view_.remainder_, view_.k_, hash_key(view_.hasher_, key));
    count(1);
    return changed;
  }
  // Whether the key may have been present before; it is present after.
  template <Key T>
  bool test_and_add(const T& key) {
    return !add(key);
  }
  template <detail::KeyRange Keys>
  void add_many(const Keys& keys) {
    detail::for_hash_groups(view_.hasher_, keys, [&](std::size_t, std::span<const Hash> hashes) {
      detail::classic_add_many(bits_.data(), view_.remainder_, view_.k_, hashes);
      count(hashes.size());
    });
  }

  // Adds, or keeps only, what other holds. Refuses another geometry or hash, naming both. After a merge the key count
  // is the sum of both counts; after an intersection it is unknown.
  BLOOMERY_API Status merge(const ClassicFilter& other);
  BLOOMERY_API Status intersect(const ClassicFilter& other);
  BLOOMERY_API void clear();
  BLOOMERY_API Result<ClassicFilter> clone() const;

  // Adds that returned, those of equal keys included; nothing when it cannot be known.
  std::optional<std::uint64_t> key_count() const { return key_count_; }

  const ClassicView& view() const { return view_; }
  template <Key T>
  bool contains(const T& key) const {
    return view_.contains(key);
  }
  template <detail::KeyRange Keys>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const {
    view_.contains_many(keys, answers);
  }
  Geometry geometry() const { return view_.geometry(); }
  const Hasher& hasher() const { return view_.hasher(); }
  std::uint64_t bytes() const { return view_.bytes(); }
  std::uint64_t bits_set() const { return view_.bits_set(); }
  double fill() const { return view_.fill(); }
  double predicted_fpr() const { return view_.predicted_fpr(); }
  std::optional<std::uint64_t> estimated_count() const { return view_.estimated_count(); }
  friend bool operator==(const ClassicFilter& a, const ClassicFilter& b) { return a.view_ == b.view_; }

 private:
  ClassicFilter(detail::Buffer bits, const Geometry& geometry, const Hasher& hasher, std::optional<std::uint64_t> count)
      : bits_(std::move(bits)), view_(bits_.data(), geometry, hasher), key_count_(count) {}

  static Result<ClassicFilter> allocate(const Geometry& geometry, const Hasher& hasher);

  void count(std::uint64_t added) {
    if (key_count_.has_value()) *key_count_ += added;
  }

  detail::Buffer bits_;
  ClassicView view_;
  std::optional<std::uint64_t> key_count_ = 0;
};

}  // namespace bloomery
