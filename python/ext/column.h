// Many keys: columns of them, and what they come from. A Source gives columns one after the other; a Column turns its
// keys into hashes, group by group, without the GIL and without a copy of the keys.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/hash.h"

namespace bloomery::python {

namespace nb = nanobind;

// What to do with keys that are null (None in an iterable).
enum class Nulls : std::uint8_t { refuse, skip };
Nulls nulls_from_name(const char* name);

// Keys that lie in memory. Safe from any thread, without the GIL, as long as its Source lives.
class Column {
 public:
  explicit Column(std::size_t count) : count_(count) {}
  Column(const Column&) = delete;
  Column& operator=(const Column&) = delete;
  virtual ~Column() = default;

  std::size_t size() const noexcept { return count_; }
  // Sets `out` to the hashes of the keys from `first` on; those of nulls are anything. False: the bytes are malformed.
  virtual bool hash(const Hasher& hasher, std::size_t first, std::span<Hash> out) const noexcept = 0;
  virtual bool has_nulls() const noexcept { return false; }
  virtual bool is_null(std::size_t) const noexcept { return false; }
  // Key i as an integer; of columns of integers alone.
  virtual std::uint64_t integer(std::size_t) const noexcept { return 0; }
  // The keys, if they are integers of 64 bits side by side; else nothing.
  virtual std::span<const std::uint64_t> integers() const noexcept { return {}; }

  // Keys of a group: 8 KB of hashes, which stay in the first-level cache (bloomery/detail/batch.h).
  static constexpr std::size_t kGroup = 1024;
  // Calls use(index of the first key, hashes) for each group. False: the bytes are malformed.
  template <class Use>
  bool for_groups(const Hasher& hasher, Use use) const {
    std::array<Hash, kGroup> hashes;
    for (std::size_t first = 0; first < count_; first += kGroup) {
      const std::span<Hash> out(hashes.data(), std::min(kGroup, count_ - first));
      if (!hash(hasher, first, out)) return false;
      use(first, std::span<const Hash>(out));
    }
    return true;
  }

 protected:
  std::size_t count_;
};

// Where keys come from. Use it with the GIL.
class Source {
 public:
  virtual ~Source() = default;
  // The next column, which lives until the next call; nullptr at the end. Throws nb::python_error.
  virtual const Column* next() = 0;
  // How many keys there will be; 0 when that is not known.
  virtual std::size_t expected() const { return 0; }
};

// The source of any `keys` that Python has: Arrow, buffers (NumPy), any iterable. Throws nb::python_error with a
// sentence for what is none of these. Refuses nulls with their position, unless they are to be skipped.
std::unique_ptr<Source> open_source(nb::handle keys, const Hasher& hasher, Nulls nulls);

// Open one kind of source each, and return nothing when the object is of another kind; open_source chooses among them.
std::unique_ptr<Source> open_arrow(nb::handle keys, const Hasher& hasher, Nulls nulls);
std::unique_ptr<Source> open_buffer(nb::handle keys);
std::unique_ptr<Source> open_array_of_text(nb::handle keys, const Hasher& hasher, Nulls nulls);
std::unique_ptr<Source> open_iterable(nb::handle keys, const Hasher& hasher, Nulls nulls);

}  // namespace bloomery::python
