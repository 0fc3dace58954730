#include "server/link_items.h"

#include <algorithm>
#include <cmath>

#include "bloomery/detail/bits.h"
#include "server/scalable_growth.h"

namespace bloomery::server {

namespace {

// A link is looked at in slices of so many bytes or more: its parts may have been read at different times, and the
// fullest slice tells how many items the last of them saw.
constexpr std::uint64_t kSlice = std::uint64_t{256} << 10;

struct Estimate {
  double all;   // items that the bits of a slice stand for
  double sure;  // without those that may have been left out because they seemed to be there, up to the rate of all
};

// Returns nothing when all bits are set.
std::optional<Estimate> estimate_of(const BlockView& slice) {
  const std::uint64_t bits = slice.bits_set();
  const auto items = slice.geometry().estimated_count(bits);
  if (!items) return {};
  const double all = static_cast<double>(*items);
  return Estimate{all, all * (1 - slice.geometry().predicted_fpr_at(bits))};
}

}  // namespace

std::uint64_t link_items(const BlockView& link, std::uint64_t items, std::uint64_t capacity) {
  const std::uint64_t blocks = link.geometry().blocks, slices = std::max<std::uint64_t>(1, link.bytes() / kSlice);
  double found = static_cast<double>(items);
  for (std::uint64_t i = 0; i < slices; ++i) {
    const std::uint64_t first = blocks * i / slices, count = blocks * (i + 1) / slices - first;
    const std::size_t offset = static_cast<std::size_t>(first * BlockGeometry::kBlockBytes);
    const BlockGeometry part{count, link.geometry().k};
    const Result<BlockView> slice =
        BlockView::from_payload(link.payload().subspan(offset, static_cast<std::size_t>(part.payload_bytes())), part);
    const std::optional<Estimate> estimate = slice.ok() ? estimate_of(*slice) : std::nullopt;
    if (!estimate) return std::max(items, capacity);
    const double share = static_cast<double>(count) / static_cast<double>(blocks);
    // Of 512 slices that have their share of the items, none exceeds it by 6 square roots, which the tests LinkItems
    // hold it to.
    const double mean = static_cast<double>(items) * share, chance = 6 * std::sqrt(mean) + 4;
    if (estimate->sure > mean + chance) found = std::max(found, estimate->all / share);
  }
  // The comparison keeps what a double cannot hold out of the conversion.
  if (found <= static_cast<double>(items)) return items;
  return std::max(items, found < static_cast<double>(capacity) ? static_cast<std::uint64_t>(found) : capacity);
}

void count_again(AnyFilter& filter) {
  ScalableFilter* const chain = as_scalable(filter);
  if (chain == nullptr) return;
  constexpr std::size_t kLinkK = 8, kCapacity = 16, kCount = 24;  // of an entry of the directory (spec/scalable.md)
  const std::span<std::uint8_t> payload = chain->mutable_payload();
  std::uint8_t* const entry = payload.data() + (chain->geometry().links - 1) * ScalableGeometry::kEntryBytes;
  const BlockGeometry block{detail::load_le<std::uint64_t>(entry), detail::load_le<std::uint32_t>(entry + kLinkK)};
  const Result<BlockView> link = BlockView::from_payload(payload.last(block.payload_bytes()), block);
  if (!link.ok()) return;
  const std::uint64_t count = detail::load_le<std::uint64_t>(entry + kCount);
  const std::uint64_t items = link_items(*link, count, detail::load_le<std::uint64_t>(entry + kCapacity));
  if (items == count) return;
  detail::store_le(entry + kCount, items);
  if (const auto keys = chain->key_count()) chain->set_key_count(*keys + (items - count));
}

}  // namespace bloomery::server
