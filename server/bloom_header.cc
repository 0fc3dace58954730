// A Bloom chain as the fields of a header, and back.
#include <cstring>

#include "server/bloom_chain.h"
#include "server/link_items.h"

namespace bloomery::server {

namespace {

Error no_memory() { return {ErrorCode::out_of_memory, "the server has no memory for it", {}, {}}; }
Error bad_data() { return {ErrorCode::corrupt, "received bad data", {}, {}}; }

}  // namespace

void BloomChain::write_header(HeaderWriter& out) const {
  out.f64(shape_.fpr);
  out.u64(shape_.capacity);
  out.u32(shape_.expansion);
  out.u8(shape_.reserved ? 1 : 0);
  out.u64(items_);
  out.u32(exact_count_);
  for (const std::uint64_t bits : exact_hashes()) out.u64(bits);
  out.u32(link_count_);
  for (std::size_t i = 0; i < link_count_; ++i) {
    const BlockGeometry geometry = links_[i]->view.view().geometry();
    out.u64(geometry.blocks);
    out.u32(geometry.k);
    out.u64(links_[i]->capacity);
    out.u64(links_[i]->items);
  }
}

namespace {

bool is_sound(const BloomChain::Shape& shape) {
  const bool rate = shape.fpr > 0 && shape.fpr < 1;
  return rate && shape.capacity <= BloomChain::kMostCapacity && shape.expansion <= 32768;
}

// Reads the exact hashes into memory of the server. Nothing when they are out of order, or the memory is.
std::optional<Bytes> read_exact(HeaderReader& fields, std::uint32_t count) {
  if (count > BloomChain::kExact || count > fields.left() / 8) return {};
  Bytes bytes = Bytes::take(count * sizeof(std::uint64_t));
  if (count > 0 && bytes.empty()) return {};
  auto* const data = reinterpret_cast<std::uint64_t*>(bytes.data());
  for (std::uint32_t i = 0; i < count; ++i) {
    data[i] = fields.u64();
    if (i > 0 && data[i] <= data[i - 1]) return {};
  }
  return bytes;
}

}  // namespace

Result<ValuePointer> BloomChain::from_header(HeaderReader& fields, std::uint64_t most) {
  Shape shape;
  shape.fpr = fields.f64();
  shape.capacity = fields.u64();
  shape.expansion = fields.u32();
  shape.reserved = fields.u8() != 0;
  const std::uint64_t items = fields.u64();
  if (!fields.ok() || !is_sound(shape)) return bad_data();
  Pointer chain(server::create<BloomChain>(shape));
  if (chain == nullptr) return no_memory();
  chain->items_ = items;
  chain->exact_count_ = fields.u32();
  std::optional<Bytes> exact = read_exact(fields, chain->exact_count_);
  if (!exact) {
    chain->exact_count_ = 0;
    return bad_data();
  }
  chain->exact_ = *std::move(exact);
  const std::uint32_t count = fields.u32();
  const bool exact_alone = chain->exact_count_ == 0 || (count == 0 && items == chain->exact_count_);
  if (!fields.ok() || count > kMaxLinks || !exact_alone || (count == 0 && shape.reserved)) return bad_data();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t blocks = fields.u64(), k = fields.u32(), capacity = fields.u64(), taken = fields.u64();
    const Result<BlockGeometry> geometry = BlockGeometry::make(blocks, k);
    if (!fields.ok() || !geometry.ok() || capacity < 1 || capacity > kMostCapacity || taken > capacity)
      return bad_data();
    const std::uint64_t held = chain->payload_bytes(), more = geometry->payload_bytes();
    if (more > most || held > most - more)
      return Error{ErrorCode::full, "the filter would be larger than bloomery.max-filter-bytes allows", {}, {}};
    Result<LinkPointer> link = take_link(*geometry, capacity, false);
    BLOOMERY_TRY(link);
    (*link)->items = taken;
    chain->push(*std::move(link));
  }
  if (!fields.done()) return bad_data();
  return ValuePointer(chain.release());
}

Status BloomChain::finish_loading() {
  if (!loaded || link_count_ == 0) return {};  // no dump: it has the bits of its header
  Link& newest = *links_[link_count_ - 1];
  const std::uint64_t more = link_items(newest.view.view(), newest.items, newest.capacity) - newest.items;
  newest.items += more;
  items_ += more;
  return {};
}

}  // namespace bloomery::server
