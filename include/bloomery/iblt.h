// An IBLT (invertible Bloom lookup table) lists the difference of two sets from two small tables, whose size follows
// from the difference and not from the sets: each side adds its keys, one table is subtracted from the other, and what
// is left is listed. It is no filter: it cannot say whether a key is in a set. bloomery/iblt_file.h has its files,
// spec/iblt.md the maths, the bytes and what an adversary can do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/detail/buffer.h"
#include "bloomery/export.h"
#include "bloomery/geometry/iblt.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// Keys and values that were listed. It owns them, one after the other in one block of memory; any number of threads may
// read it.
class IbltItems {
 public:
  IbltItems() = default;
  explicit IbltItems(const IbltGeometry& geometry) : geometry_(geometry) {}

  std::size_t size() const { return bytes_.size() / geometry_.item_bytes(); }
  bool empty() const { return bytes_.empty(); }
  std::span<const std::uint8_t> key(std::size_t i) const {
    const std::span<const std::uint8_t> all = item(i).first(geometry_.key_bytes);
    return geometry_.variable ? all.subspan(1, all[0]) : all;
  }
  std::span<const std::uint8_t> value(std::size_t i) const { return item(i).subspan(geometry_.key_bytes); }

  // Returns the item as it lies in a cell: key and value, padded.
  std::span<const std::uint8_t> item(std::size_t i) const {
    return std::span(bytes_).subspan(i * geometry_.item_bytes(), geometry_.item_bytes());
  }
  void push_back(std::span<const std::uint8_t> item) { bytes_.insert(bytes_.end(), item.begin(), item.end()); }

 private:
  IbltGeometry geometry_;
  std::vector<std::uint8_t> bytes_;
};

// What a table holds. After `a.subtract(b)`, `added` is what only a has and `removed` what only b has. A key that both
// have with different values is in both lists. The order is not specified.
struct IbltListing {
  IbltItems added, removed;
  // True: every item was listed, and nothing is missing. False: the table was too small for its items, or an item was
  // added twice, or its bytes are no table. What is listed passed all checks even then.
  bool complete = false;
  std::uint64_t cells_left = 0;  // not zero
};

// A table of keys, which are a set: an item that is added twice can no longer be listed. One thread may write to it
// while no other reads it; any number may read it while none writes. It owns its cells. A table that was moved from is
// the empty table of IbltGeometry{} and takes memory with its first key.
class Iblt {
 public:
  Iblt(Iblt&& other) noexcept
      : geometry_(std::exchange(other.geometry_, IbltGeometry())),
        hasher_(std::exchange(other.hasher_, Hasher::xxh3())),
        cells_(std::move(other.cells_)),
        key_count_(std::exchange(other.key_count_, 0)) {}
  Iblt& operator=(Iblt&& other) noexcept {
    Iblt taken(std::move(other));  // so that a move to itself changes nothing
    geometry_ = taken.geometry_;
    hasher_ = taken.hasher_;
    cells_ = std::move(taken.cells_);
    key_count_ = taken.key_count_;
    return *this;
  }

  BLOOMERY_API static Result<Iblt> with_geometry(const IbltGeometry& geometry, const Hasher& hasher = Hasher::xxh3());
  // Creates a table for sets that differ in at most d items; it lists them all with the probability
  // IbltGeometry::kSuccess.
  BLOOMERY_API static Result<Iblt> for_differences(std::uint64_t d, std::uint32_t key_bytes,
                                                   std::uint32_t value_bytes = 0,
                                                   const Hasher& hasher = Hasher::xxh3());
  // Copies the cells of a file. Any bytes of the right length are a table.
  BLOOMERY_API static Result<Iblt> copy_of(std::span<const std::uint8_t> cells, const IbltGeometry& geometry,
                                           const Hasher& hasher, std::optional<std::uint64_t> key_count);
  BLOOMERY_API Result<Iblt> clone() const;
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  Iblt(const Iblt&) = delete;  // copies are made by clone(), which can fail
  Iblt& operator=(const Iblt&) = delete;  // copies are made by clone(), which can fail
  // clang-format on

  // Adds or removes an item. Key and value have the widths of the geometry; a variable key may have any length up to
  // longest_key().
  BLOOMERY_API Status add(std::span<const std::uint8_t> key, std::span<const std::uint8_t> value = {});
  BLOOMERY_API Status remove(std::span<const std::uint8_t> key, std::span<const std::uint8_t> value = {});
  Status add(std::string_view key) { return add(bytes_of(key)); }
  Status remove(std::string_view key) { return remove(bytes_of(key)); }

  // Removes what both have, and keeps what only `other` has as removed. Refuses another geometry or hash.
  BLOOMERY_API Status subtract(const Iblt& other);
  // Lists the items, none of them twice. Work and memory are in proportion to the cells, whatever bytes they hold.
  BLOOMERY_API Result<IbltListing> list() const;
  // Estimates how many items there are to list, from the counts alone. It works for tables that are far too small, too.
  BLOOMERY_API IbltEstimate estimate() const;

  const IbltGeometry& geometry() const { return geometry_; }
  const Hasher& hasher() const { return hasher_; }
  std::span<const std::uint8_t> payload() const { return {cells(), geometry_.payload_bytes()}; }
  BLOOMERY_API std::uint64_t cells_used() const;  // not zero
  // Adds minus removes; unknown after a subtraction, and when more was removed than added.
  std::optional<std::uint64_t> key_count() const { return key_count_; }

 private:
  Iblt(const IbltGeometry& geometry, const Hasher& hasher, detail::Buffer cells, std::optional<std::uint64_t> key_count)
      : geometry_(geometry), hasher_(hasher), cells_(std::move(cells)), key_count_(key_count) {}
  static std::span<const std::uint8_t> bytes_of(std::string_view key) {
    return {reinterpret_cast<const std::uint8_t*>(key.data()), key.size()};
  }
  Status change(std::span<const std::uint8_t> key, std::span<const std::uint8_t> value, bool adds);
  Status check_widths(std::size_t key, std::size_t value) const;
  // A table that was moved from reads the cells of the smallest table, which nobody may write; ensure_cells gives it
  // cells of its own.
  BLOOMERY_API static const std::uint8_t* no_cells() noexcept;
  const std::uint8_t* cells() const { return cells_.data() == nullptr ? no_cells() : cells_.data(); }
  Status ensure_cells();

  IbltGeometry geometry_;
  Hasher hasher_;
  detail::Buffer cells_;
  std::optional<std::uint64_t> key_count_;
};

// Estimates in how many keys two sets differ, from 20 KB each, before anybody has chosen the size of a table. It is a
// few small tables of hashes: the first has every second key, the next every fourth, and so on. Keys have any length.
// One thread may write to it while no other reads it; any number may read it while none writes. It owns its tables. One
// that was moved from has no strata and estimates 0; adding to it ends the program with a sentence.
class StrataEstimator {
 public:
  StrataEstimator(StrataEstimator&& other) noexcept
      : geometry_(other.geometry_),
        hasher_(other.hasher_),
        strata_(std::exchange(other.strata_, {})),
        key_count_(std::exchange(other.key_count_, 0)) {}
  StrataEstimator& operator=(StrataEstimator&& other) noexcept {
    StrataEstimator taken(std::move(other));  // so that a move to itself changes nothing
    geometry_ = taken.geometry_;
    hasher_ = taken.hasher_;
    strata_ = std::move(taken.strata_);
    key_count_ = taken.key_count_;
    return *this;
  }

  BLOOMERY_API static Result<StrataEstimator> make(const Hasher& hasher = Hasher::xxh3());
  // Refuses a geometry without strata.
  BLOOMERY_API static Result<StrataEstimator> with_geometry(const IbltGeometry& geometry, const Hasher& hasher);
  BLOOMERY_API static Result<StrataEstimator> copy_of(std::span<const std::uint8_t> payload,
                                                      const IbltGeometry& geometry, const Hasher& hasher,
                                                      std::optional<std::uint64_t> key_count);
  BLOOMERY_API Result<StrataEstimator> clone() const;
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  StrataEstimator(const StrataEstimator&) = delete;  // copies are made by clone(), which can fail
  StrataEstimator& operator=(const StrataEstimator&) = delete;  // copies are made by clone(), which can fail
  // clang-format on

  BLOOMERY_API void add(std::span<const std::uint8_t> key);
  BLOOMERY_API void add(std::string_view key);
  // Refuses another geometry or hash.
  BLOOMERY_API Status subtract(const StrataEstimator& other);
  // Returns, after a subtraction, in how many keys the two sets differ.
  BLOOMERY_API Result<IbltEstimate> estimate() const;

  const IbltGeometry& geometry() const { return geometry_; }
  const Hasher& hasher() const { return hasher_; }
  std::span<const Iblt> strata() const { return strata_; }
  std::optional<std::uint64_t> key_count() const { return key_count_; }

 private:
  StrataEstimator(const IbltGeometry& geometry, std::vector<Iblt> strata, std::optional<std::uint64_t> key_count)
      : geometry_(geometry), hasher_(strata.front().hasher()), strata_(std::move(strata)), key_count_(key_count) {}
  void add(Hash hash);

  IbltGeometry geometry_;
  Hasher hasher_;
  std::vector<Iblt> strata_;
  std::optional<std::uint64_t> key_count_;
};

}  // namespace BLOOMERY_NAMESPACE
