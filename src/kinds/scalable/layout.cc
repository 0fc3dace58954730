#include "bloomery/scalable.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "kinds/common/basic_filter_impl.h"
#include "kinds/common/blocks_at_hand.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::load_le;
using detail::store_le;

// Keys that go through the links together: their lines are still in the cache when those that are new are added, and
// their hashes on the stack.
constexpr std::size_t kGroup = 512;

// One entry of the directory (spec/scalable.md).
struct Entry {
  std::uint64_t blocks, k, capacity, count;

  static Entry load(const std::uint8_t* from) {
    return {load_le<std::uint64_t>(from), load_le<std::uint64_t>(from + 8), load_le<std::uint64_t>(from + 16),
            load_le<std::uint64_t>(from + 24)};
  }
  void store(std::uint8_t* to) const {
    store_le(to, blocks);
    store_le(to + 8, k);
    store_le(to + 16, capacity);
    store_le(to + 24, count);
  }
};

// The keys of a group that links are still asked for.
struct Open {
  std::array<Hash, kGroup> hashes;
  std::array<std::uint16_t, kGroup> index;  // in the group
  std::array<std::uint8_t, kGroup> found;   // by the links asked since the last settle
  std::size_t count = 0;

  // Begins with the keys that the newest link does not have.
  Open(std::span<const Hash> group, const std::uint8_t* answers) {
    for (std::size_t i = 0; i < group.size(); ++i) {
      hashes[count] = group[i];
      index[count] = static_cast<std::uint16_t>(i);
      count += answers[i] == 0;
    }
    std::memset(found.data(), 0, count);
  }
  // Returns how many were found, now and before.
  std::size_t note(const std::array<std::uint8_t, kGroup>& by_link) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      found[i] |= by_link[i];
      sum += found[i];
    }
    return sum;
  }
  // Sets the answers of the keys that were found, and keeps the others.
  void settle(std::uint8_t* answers) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      answers[index[i]] = found[i];
      hashes[kept] = hashes[i];
      index[kept] = index[i];
      kept += found[i] == 0;
    }
    count = kept;
    std::memset(found.data(), 0, count);
  }
};

constexpr std::uint64_t kEntryBytes = ScalableGeometry::kEntryBytes;
constexpr std::uint64_t kBlockBytes = BlockGeometry::kBlockBytes;

}  // namespace

// Link by link. Sorting out the keys that were found costs as much as asking a small link, so it waits until they are a
// quarter: most keys of most batches are in no link at all.
void ScalableLayout::contains_group(const std::uint8_t* bytes, std::span<const Hash> hashes,
                                    std::uint8_t* answers) const {
  Walk walk(*this, bytes);
  std::array<std::uint8_t, kGroup> found;
  if (walk.next()) detail::block_contains_many(bytes + walk.offset, walk.blocks, walk.k, hashes, answers);
  else std::memset(answers, 0, hashes.size());
  if (geometry_.links > 1) {
    Open open(hashes, answers);
    while (open.count > 0 && walk.next()) {
      const std::span<const Hash> asked = std::span<const Hash>(open.hashes).first(open.count);
      detail::block_contains_many(bytes + walk.offset, walk.blocks, walk.k, asked, found.data());
      if (4 * open.note(found) >= open.count) open.settle(answers);
    }
    open.settle(answers);
  }
  if (walk.damaged) std::memset(answers, 1, hashes.size());
}

void ScalableLayout::contains_many(const std::uint8_t* bytes, std::span<const Hash> hashes,
                                   std::uint8_t* answers) const {
  for (std::size_t first = 0; first < hashes.size(); first += kGroup)
    contains_group(bytes, hashes.subspan(first, std::min(kGroup, hashes.size() - first)), answers + first);
}

bool ScalableLayout::place(std::uint8_t* bytes, Hash hash) const {
  if (contains(bytes, hash)) return true;
  const std::uint8_t there = 0;
  return place_group(bytes, {&hash, 1}, &there) == 1;
}

std::size_t ScalableLayout::place_many(std::uint8_t* bytes, std::span<const Hash> hashes) const {
  std::array<std::uint8_t, kGroup> there;
  for (std::size_t first = 0; first < hashes.size(); first += kGroup) {
    const std::span<const Hash> group = hashes.subspan(first, std::min(kGroup, hashes.size() - first));
    contains_group(bytes, group, there.data());
    if (const std::size_t placed = place_group(bytes, group, there.data()); placed < group.size())
      return first + placed;
  }
  return hashes.size();
}

// Places one hash after the other, as the specification says, although all were looked up at once. A hash that no link
// had then can only be in the newest link now, put there by another key of the group.
std::size_t ScalableLayout::place_group(std::uint8_t* bytes, std::span<const Hash> hashes,
                                        const std::uint8_t* there) const {
  std::uint8_t* const entry = newest_entry(bytes);
  if (load_le<std::uint64_t>(entry) == 0) prepare(bytes);  // zeroed bytes stand for the empty filter
  Entry newest = Entry::load(entry);
  std::uint8_t* const blocks = bytes + geometry_.payload_bytes() - kBlockBytes * newest.blocks;
  std::size_t i = 0;
  for (; i < hashes.size(); ++i) {
    if (there[i] != 0) continue;
    std::uint8_t* const block = blocks + detail::block_offset(newest.blocks, hashes[i]);
    if (newest.count < newest.capacity) newest.count += detail::block_set(block, geometry_.link_k, hashes[i]);
    else if (!detail::block_probe<detail::kCompiledFor>(block, geometry_.link_k, hashes[i])) break;
  }
  store_le(entry + 24, newest.count);
  return i;
}

Error ScalableLayout::full(const Geometry& geometry) {
  const auto next = geometry.next_link();
  if (!next.ok()) return next.error();
  return {ErrorCode::full, "the newest link of the chain is full: grow it by another one", {}, "links"};
}

// The new filter is made before the old one goes: both are there at once.
Result<ScalableFilter> ScalableLayout::grown(const ScalableFilter& chain) {
  const Geometry old = chain.geometry();
  const auto link = old.next_link();
  BLOOMERY_TRY(link);
  const Geometry longer = old.with_link(*link);
  Result<ScalableFilter> filter = ScalableFilter::with_geometry(longer, chain.options());
  BLOOMERY_TRY(filter);
  const std::uint8_t* from = chain.view().payload().data();
  std::uint8_t* to = filter->bytes_.data();
  std::memcpy(to, from, old.links * kEntryBytes);
  std::memcpy(to + longer.directory_bytes(), from + old.directory_bytes(), kBlockBytes * old.blocks);
  Entry{link->block.blocks, link->block.k, link->capacity, 0}.store(to + old.links * kEntryBytes);
  filter->set_key_count(chain.key_count());
  return filter;
}

// Gives all the room to the newest link; those before it are as small as can be. A chain that grew gets a directory of
// its own.
void ScalableLayout::prepare(std::uint8_t* bytes) const {
  for (std::uint32_t i = 0; i + 1 < geometry_.links; ++i) Entry{1, 1, 1, 0}.store(bytes + i * kEntryBytes);
  Entry{geometry_.blocks - (geometry_.links - 1), geometry_.link_k, geometry_.link_capacity, 0}.store(
      newest_entry(bytes));
}

Status ScalableLayout::check_payload(std::span<const std::uint8_t> bytes) const {
  const auto wrong = [](const std::string& what) {
    return corrupt("directory", "the directory of the chain is damaged: " + what);
  };
  std::uint64_t room = geometry_.blocks;
  for (std::uint32_t i = 0; i < geometry_.links; ++i) {
    const Entry entry = Entry::load(bytes.data() + i * kEntryBytes);
    const std::string link = "link " + std::to_string(i);
    if (entry.blocks < 1 || entry.blocks > room) return wrong(link + " has more blocks than there are, or none");
    if (entry.k < 1 || entry.k > BlockGeometry::kMaxK) return wrong(link + " does not set 1 to 16 bits per key");
    if (entry.capacity < 1 || entry.capacity > Geometry::kMaxKeysPerBlock * entry.blocks)
      return wrong(link + " does not take 1 to 512 keys for each of its blocks");
    if (entry.count > entry.capacity) return wrong(link + " has more keys than it takes");
    room -= entry.blocks;
    if (i + 1 == geometry_.links && (entry.k != geometry_.link_k || entry.capacity != geometry_.link_capacity))
      return wrong("the newest link is not the one of the geometry");
  }
  if (room != 0) return wrong("its links have fewer blocks than the chain");
  for (std::uint64_t at = geometry_.links * kEntryBytes; at < geometry_.directory_bytes(); ++at)
    if (bytes[at] != 0) return wrong("a byte after its last entry is not zero");
  return {};
}

std::uint64_t ScalableLayout::cells_set(std::span<const std::uint8_t> bytes) const {
  return detail::bits_set(bytes.subspan(geometry_.directory_bytes()));
}

double ScalableLayout::predicted_fpr(std::span<const std::uint8_t> bytes) const {
  std::array<double, Geometry::kMaxLinks> rates;
  std::size_t links = 0;
  Walk walk(*this, bytes.data());
  while (walk.next()) {
    const BlockGeometry block{walk.blocks, walk.k};
    rates[links++] = detail::rate_at_hand(bytes.subspan(walk.offset, block.payload_bytes()), block);
  }
  return Geometry::compound_fpr(std::span(rates).first(links));
}

std::optional<std::uint64_t> ScalableLayout::estimated_count(std::span<const std::uint8_t> bytes) const {
  std::uint64_t sum = 0;
  Walk walk(*this, bytes.data());
  while (walk.next()) {
    const BlockGeometry block{walk.blocks, walk.k};
    const auto keys = block.estimated_count(detail::bits_set(bytes.subspan(walk.offset, block.payload_bytes())));
    if (!keys) return std::nullopt;
    sum += *keys;
  }
  return sum;
}

Status detail::check_fold(const ScalableView& chain, std::uint64_t offered) {
  std::uint64_t held = 0;
  for (std::uint32_t i = 0; i < chain.geometry().links; ++i)
    held += Entry::load(chain.payload().data() + i * kEntryBytes).count;
  if (offered >= held) return {};
  return guarded([&]() -> Status {
    return invalid_argument("keys", "the chain holds at least " + std::to_string(held) + " keys, and " +
                                        std::to_string(offered) + " were offered: offer all of them again");
  });
}

template class BasicView<ScalableLayout>;
template class BasicFilter<ScalableLayout>;

}  // namespace BLOOMERY_NAMESPACE
