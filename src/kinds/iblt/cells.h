// The cells of an IBLT as bytes (spec/iblt.md): a count, the sum of checksums, the xor of items.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/geometry/iblt.h"

namespace BLOOMERY_NAMESPACE::detail {

inline constexpr std::size_t kMaxIbltItem = IbltGeometry::kMaxKeyBytes + IbltGeometry::kMaxValueBytes;

// Where an item goes, and its checksum: numbers of one SplitMix64 stream that the item's hash begins.
struct IbltPlaces {
  std::array<std::uint64_t, IbltGeometry::kHashes> cell;
  std::uint64_t check;
};

inline IbltPlaces iblt_places(const IbltGeometry& geometry, std::uint64_t hash) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;  // of SplitMix64
  const std::uint64_t part = geometry.part();
  IbltPlaces places{{}, splitmix64(hash)};
  for (std::uint32_t i = 0; i < IbltGeometry::kHashes; ++i)
    places.cell[i] = i * part + mulhi64(splitmix64(hash + (i + 1) * kStep), part);
  return places;
}

// One cell, in bytes that somebody else owns; in const bytes it can only be read.
template <class Byte>
class IbltCell {
 public:
  IbltCell(Byte* table, std::uint64_t number, const IbltGeometry& geometry)
      : at_(table + number * geometry.cell_bytes()), item_bytes_(geometry.item_bytes()) {}

  std::uint32_t count() const { return load_le<std::uint32_t>(at_); }  // two's complement, modulo 2^32
  std::uint64_t check() const { return load_le<std::uint64_t>(at_ + IbltGeometry::kCountBytes); }
  Byte* item() const { return at_ + IbltGeometry::kCountBytes + IbltGeometry::kCheckBytes; }

  // Takes an item in or out. Checksums are added where items are xored, so that a cell whose count was damaged cannot
  // pass off an item that is in as one that is out.
  void add(const std::uint8_t* item, std::uint64_t check) const { change(item, 1, check); }
  void remove(const std::uint8_t* item, std::uint64_t check) const { change(item, ~std::uint32_t{0}, 0 - check); }
  template <class Other>
  void subtract(const IbltCell<Other>& other) const {
    change(other.item(), 0 - other.count(), 0 - other.check());
  }

  bool is_zero() const {
    return std::all_of(at_, item() + item_bytes_, [](std::uint8_t byte) { return byte == 0; });
  }

 private:
  void change(const std::uint8_t* item, std::uint32_t count, std::uint64_t check) const {
    store_le(at_, this->count() + count);
    store_le(at_ + IbltGeometry::kCountBytes, this->check() + check);
    xor_into(this->item(), item, item_bytes_);
  }
  static void xor_into(std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8)
      store_le(to, load_le<std::uint64_t>(to) ^ load_le<std::uint64_t>(from));
    for (; bytes > 0; --bytes) *to++ ^= *from++;
  }

  Byte* at_;
  std::uint64_t item_bytes_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
