#include "bloomery/partitioned.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "kinds/common/basic_filter_impl.h"

namespace BLOOMERY_NAMESPACE {
namespace detail {
namespace {

// Keys in flight, as for classic filters.
constexpr std::size_t kGroup = 128;

// One bit of every key, then the next bit of the keys that are left, and so on; each line is fetched a round ahead.
void contains_group(const std::uint8_t* bits, const PartitionedGeometry& g, std::span<const Hash> hashes,
                    std::uint8_t* answers) {
  std::uint64_t at[kGroup];
  std::uint32_t key[kGroup];
  std::size_t left = hashes.size();
  for (std::size_t i = 0; i < left; ++i) {
    at[i] = partitioned_index(g.slice_bits, 0, hashes[i]);
    key[i] = static_cast<std::uint32_t>(i);
    __builtin_prefetch(bits + (at[i] >> 3));
  }
  for (std::uint32_t slice = 1; slice <= g.k; ++slice) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left; ++i) {
      key[kept] = key[i];
      kept += classic_bit(bits, at[i]);
    }
    left = kept;
    if (slice == g.k) break;
    for (std::size_t i = 0; i < left; ++i) {
      at[i] = partitioned_index(g.slice_bits, slice, hashes[key[i]]);
      __builtin_prefetch(bits + (at[i] >> 3));
    }
  }
  std::memset(answers, 0, hashes.size());
  for (std::size_t i = 0; i < left; ++i) answers[key[i]] = 1;
}

// Slice by slice: the lines of all keys are fetched, then written.
void add_group(std::uint8_t* bits, const PartitionedGeometry& g, std::span<const Hash> hashes) {
  std::uint64_t at[kGroup];
  const auto fetch = [&](std::uint32_t slice) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      at[i] = partitioned_index(g.slice_bits, slice, hashes[i]);
      __builtin_prefetch(bits + (at[i] >> 3), 1);
    }
  };
  for (std::uint32_t slice = 0; slice < g.k; ++slice) {
    fetch(slice);
    for (std::size_t i = 0; i < hashes.size(); ++i) classic_set_bit(bits, at[i]);
  }
}

}  // namespace

void partitioned_contains_many(const std::uint8_t* bits, const PartitionedGeometry& geometry,
                               std::span<const Hash> hashes, std::uint8_t* answers) {
  for (std::size_t first = 0; first < hashes.size(); first += kGroup)
    contains_group(bits, geometry, hashes.subspan(first, std::min(kGroup, hashes.size() - first)), answers + first);
}

void partitioned_add_many(std::uint8_t* bits, const PartitionedGeometry& geometry, std::span<const Hash> hashes) {
  for (std::size_t first = 0; first < hashes.size(); first += kGroup)
    add_group(bits, geometry, hashes.subspan(first, std::min(kGroup, hashes.size() - first)));
}

}  // namespace detail

Status PartitionedLayout::check_payload(std::span<const std::uint8_t> bits) const {
  const std::uint64_t used = geometry_.bits() % 8;
  if (used != 0 && bits.back() >> used != 0)
    return corrupt("bits", "a bit above the last slice is set: the bits are damaged");
  return {};
}

// Slices begin anywhere in a byte: the whole bytes in one go, the bits at either end one by one.
std::uint64_t PartitionedLayout::bits_set_in_slice(std::span<const std::uint8_t> bits, std::uint32_t i) const {
  std::uint64_t at = i * geometry_.slice_bits, set = 0;
  const std::uint64_t end = at + geometry_.slice_bits;
  const auto one = [&] { set += detail::classic_bit(bits.data(), at++); };
  while (at < end && at % 8 != 0) one();
  const std::uint64_t whole = (end - at) / 8;
  set += detail::bits_set(bits.subspan(at / 8, whole));
  at += 8 * whole;
  while (at < end) one();
  return set;
}

double PartitionedLayout::predicted_fpr(std::span<const std::uint8_t> bits, std::uint64_t) const {
  double product = 1;
  for (std::uint32_t i = 0; i < geometry_.k; ++i)
    product *= static_cast<double>(bits_set_in_slice(bits, i)) / static_cast<double>(geometry_.slice_bits);
  return product;
}

template class BasicView<PartitionedLayout>;
template class BasicFilter<PartitionedLayout>;
template class BasicMutableView<PartitionedLayout>;

}  // namespace BLOOMERY_NAMESPACE
