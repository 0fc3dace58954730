#include "server/cuckoo_chain.h"

#include <algorithm>
#include <cstring>

#include "bloomery/detail/cuckoo_probe.h"
#include "server/stamp.h"

namespace bloomery::server {

namespace {

constexpr std::uint64_t kMostCapacity = std::uint64_t{1} << 40;
// Memory for the next link that was refused is asked for again after so many keys.
constexpr std::uint64_t kTryAgainAfter = 4096;

Error no_memory() { return {ErrorCode::out_of_memory, "the server has no memory for it", {}, {}}; }
Error bad_data() { return {ErrorCode::corrupt, "received bad data", {}, {}}; }
Error too_large() {
  return {ErrorCode::full, "the filter would be larger than bloomery.max-filter-bytes allows", {}, {}};
}

}  // namespace

CuckooChain::~CuckooChain() {
  for (std::size_t i = 0; i < link_count_; ++i) destroy(links_[i]);
}

Result<CuckooChain::LinkPointer> CuckooChain::take_link(const CuckooGeometry& geometry, std::uint64_t capacity,
                                                        bool zero) {
  Bytes bytes = zero ? Bytes::take_zeroed(geometry.payload_bytes()) : Bytes::take(geometry.payload_bytes());
  if (bytes.empty()) return no_memory();
  if (!zero) std::memset(bytes.data() + bytes.size() - geometry.padding(), 0, geometry.padding());
  const Result<CuckooMutableView> view = CuckooMutableView::from_payload(bytes.span(), geometry);
  BLOOMERY_TRY(view);
  LinkPointer link(server::create<Link>(std::move(bytes), *view, capacity));
  if (link == nullptr) return no_memory();
  return link;
}

Result<CuckooChain::Pointer> CuckooChain::create(const Shape& shape, std::uint64_t most) {
  Pointer chain(server::create<CuckooChain>(shape));
  if (chain == nullptr) return no_memory();
  BLOOMERY_TRY(chain->grow(most));
  return chain;
}

Result<CuckooChain::LinkPointer> CuckooChain::take_next(std::uint64_t most, bool zero) const {
  const std::uint64_t capacity =
      link_count_ == 0
          ? shape_.capacity
          : std::clamp<std::uint64_t>(links_[link_count_ - 1]->capacity * shape_.expansion, 1, kMostCapacity);
  const Result<CuckooGeometry> geometry = CuckooGeometry::for_capacity(capacity, kRate);
  BLOOMERY_TRY(geometry);
  const std::uint64_t held = payload_bytes(), more = geometry->payload_bytes();
  if (more > most || held > most - more) return too_large();
  if (!zero && more <= kZeroedAtOnce) return LinkPointer();
  if (link_count_ > 0) BLOOMERY_TRY(check_server_memory(more, most));
  return take_link(*geometry, capacity, zero);
}

Status CuckooChain::grow(std::uint64_t most) {
  if (!next_.empty()) {
    push(next_.finish());
    return {};
  }
  Result<LinkPointer> link = take_next(most, true);
  BLOOMERY_TRY(link);
  push(*std::move(link));
  return {};
}

void CuckooChain::prepare_next(std::uint64_t most, std::size_t max_links) noexcept {
  const Link& newest = *links_[link_count_ - 1];
  if (shape_.expansion == 0 || link_count_ >= std::min(max_links, kMaxLinks)) return;
  if (!is_nearly_full(newest.items, newest.capacity) || (next_.empty() && items_ < prepare_at_)) return;
  if (next_.empty()) {
    try {
      Result<LinkPointer> link = take_next(most, false);
      if (!link.ok() || *link == nullptr) prepare_at_ = items_ + kTryAgainAfter;  // small, or grow will say why
      if (!link.ok() || *link == nullptr) return;
      next_.take(*std::move(link));
    } catch (...) {
      return;
    }
  }
  next_.zero_slice(newest.items < newest.capacity ? newest.capacity - newest.items : 1);
}

bool CuckooChain::place(Link& link, Hash hash) {
  if (!link.view.add(hash).ok()) return false;
  ++link.items;
  return true;
}

Status CuckooChain::add(Hash hash, std::uint64_t most, std::size_t max_links) {
  bool placed = place(*links_[link_count_ - 1], hash);
  for (std::size_t i = link_count_ - 1; !placed && i-- > 0;)  // where removals have left room
    if (links_[i]->items < links_[i]->capacity * 15 / 16) placed = place(*links_[i], hash);
  if (!placed) {
    if (shape_.expansion == 0) return Error{ErrorCode::full, "Filter is full", {}, {}};
    if (link_count_ >= std::min(max_links, kMaxLinks))
      return Error{ErrorCode::unsupported, "Maximum expansions reached", {}, {}};
    BLOOMERY_TRY(grow(most));
    if (!place(*links_[link_count_ - 1], hash)) return Error{ErrorCode::full, "Filter is full", {}, {}};
  }
  ++items_;
  changed_ = true;
  prepare_next(most, max_links);
  return {};
}

bool CuckooChain::contains(Hash hash) const noexcept {
  for (std::size_t i = link_count_; i-- > 0;)
    if (links_[i]->view.contains(hash)) return true;
  return false;
}

std::uint64_t CuckooChain::count(Hash hash) const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < link_count_; ++i) sum += links_[i]->view.view().count(hash);
  return sum;
}

// In links of one geometry, keys that one link cannot tell apart no link can, so whichever entry goes, each of them
// still finds as many as it needs. In links of two geometries the entry that goes might be another key's, which the
// entry that stays does not answer for: then nothing goes.
bool CuckooChain::remove(Hash hash) noexcept {
  Link* found = nullptr;
  for (std::size_t i = link_count_; i-- > 0;) {
    Link& link = *links_[i];
    if (!link.view.contains(hash)) continue;
    if (found == nullptr) found = &link;
    else if (link.view.view().geometry() != found->view.view().geometry()) return false;
  }
  if (found == nullptr || !found->view.remove(hash)) return false;
  --found->items;
  --items_;
  ++deleted_;
  changed_ = true;
  return true;
}

// Entries of one bucket may lie in the same bucket of the other link, or in its partner there: both links find them.
void CuckooChain::move_entries(Link& from, Link& to) noexcept {
  const CuckooGeometry geometry = from.view.view().geometry();
  detail::with_cuckoo_bucket(geometry.fingerprint_bits, [&]<class Bucket>(Bucket) {
    std::uint8_t* const source = from.bytes.data();
    std::uint8_t* const target = to.bytes.data();
    for (std::uint64_t bucket = 0; bucket < geometry.buckets; ++bucket) {
      for (std::uint32_t slot = 0; slot < detail::kCuckooSlots; ++slot) {
        const std::uint64_t slots = Bucket::load(source, bucket), fingerprint = Bucket::get(slots, slot);
        if (fingerprint == 0) continue;
        for (const std::uint64_t home : {bucket, detail::cuckoo_partner(geometry.buckets, bucket, fingerprint)}) {
          const std::uint64_t there = Bucket::load(target, home), room = Bucket::match(there, 0);
          if (room == 0) continue;
          Bucket::store(target, home, Bucket::with(there, Bucket::first(room), fingerprint));
          Bucket::store(source, bucket, Bucket::with(slots, slot, 0));
          --from.items, ++to.items;
          break;
        }
      }
    }
  });
}

void CuckooChain::compact() noexcept {
  for (std::size_t from = link_count_; from-- > 1;)
    for (std::size_t to = 0; to < from && links_[from]->items > 0; ++to)
      if (links_[from]->view.view().geometry() == links_[to]->view.view().geometry())
        move_entries(*links_[from], *links_[to]);
  drop_empty();
  next_.take(nullptr);  // what is newest now may be of another capacity
  changed_ = true;
}

void CuckooChain::drop_empty() noexcept {
  std::uint32_t kept = 1;
  for (std::uint32_t i = 1; i < link_count_; ++i) {
    if (links_[i]->items > 0) links_[kept++] = links_[i];
    else destroy(links_[i]);
  }
  link_count_ = kept;
}

std::uint64_t CuckooChain::buckets() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < link_count_; ++i) sum += links_[i]->view.view().geometry().buckets;
  return sum;
}

CuckooChain::LinkInfo CuckooChain::link_info(std::size_t i) const {
  return {links_[i]->view.view().geometry().buckets, links_[i]->items, links_[i]->bytes.size()};
}

std::size_t CuckooChain::memory() const {
  std::size_t sum = api.MallocSize(const_cast<CuckooChain*>(this));
  for (std::size_t i = 0; i < link_count_; ++i) sum += api.MallocSize(links_[i]) + links_[i]->bytes.counted();
  if (!next_.empty()) sum += api.MallocSize(const_cast<Link*>(next_.get())) + next_.get()->bytes.counted();
  return sum;
}

void CuckooChain::defragment(DefragContext* context) noexcept {
  for (std::size_t i = 0; i < link_count_; ++i) {
    Link& link = *links_[i];
    if (!link.bytes.defragment(context)) continue;
    const Result<CuckooMutableView> view =
        CuckooMutableView::from_payload(link.bytes.span(), link.view.view().geometry());
    link.view = *view;  // the same bytes were a filter before
  }
}

std::uint64_t CuckooChain::begin_dump() {
  if (changed_ || dump_ == 0) dump_ = next_stamp();
  changed_ = false;
  return dump_;
}

std::optional<std::uint64_t> CuckooChain::dump_bytes(std::uint64_t tag) const {
  if (changed_ || dump_ != tag) return {};
  return payload_bytes();
}

void CuckooChain::write_header(HeaderWriter& out) const {
  out.u64(shape_.capacity);
  out.u32(shape_.bucket_size);
  out.u32(shape_.max_iterations);
  out.u32(shape_.expansion);
  out.u64(items_);
  out.u64(deleted_);
  out.u32(link_count_);
  for (std::size_t i = 0; i < link_count_; ++i) {
    const CuckooGeometry geometry = links_[i]->view.view().geometry();
    out.u64(geometry.buckets);
    out.u32(geometry.fingerprint_bits);
    out.u64(links_[i]->capacity);
    out.u64(links_[i]->items);
  }
}

Result<ValuePointer> CuckooChain::from_header(HeaderReader& fields, std::uint64_t most) {
  Shape shape;
  shape.capacity = fields.u64();
  shape.bucket_size = fields.u32();
  shape.max_iterations = fields.u32();
  shape.expansion = fields.u32();
  const std::uint64_t items = fields.u64(), deleted = fields.u64();
  const std::uint32_t count = fields.u32();
  if (!fields.ok() || shape.capacity > kMostCapacity || shape.expansion > 32768 || count < 1 || count > kMaxLinks)
    return bad_data();
  Pointer chain(server::create<CuckooChain>(shape));
  if (chain == nullptr) return no_memory();
  chain->items_ = items;
  chain->deleted_ = deleted;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t buckets = fields.u64(), bits = fields.u32(), capacity = fields.u64(), taken = fields.u64();
    const Result<CuckooGeometry> geometry = CuckooGeometry::from_values({buckets, bits});
    if (!fields.ok() || !geometry.ok() || capacity < 1 || capacity > kMostCapacity) return bad_data();
    const std::uint64_t held = chain->payload_bytes(), more = geometry->payload_bytes();
    if (more > most || held > most - more) return too_large();
    Result<LinkPointer> link = take_link(*geometry, capacity, false);
    BLOOMERY_TRY(link);
    (*link)->items = taken;
    chain->push(*std::move(link));
  }
  if (!fields.done()) return bad_data();
  return ValuePointer(chain.release());
}

Status CuckooChain::finish_loading() {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < link_count_; ++i) {
    const CuckooView& view = links_[i]->view.view();
    BLOOMERY_TRY(CuckooView::from_payload(view.payload(), view.geometry()));
    BLOOMERY_TRY(view.check_structure());
    if (view.bits_set() != links_[i]->items) return bad_data();
    sum += links_[i]->items;
  }
  return sum == items_ ? Status() : bad_data();
}

}  // namespace bloomery::server
