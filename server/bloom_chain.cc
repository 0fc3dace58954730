#include "server/bloom_chain.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "server/stamp.h"

namespace bloomery::server {

namespace {

// Memory for the next link that was refused is asked for again after so many keys.
constexpr std::uint64_t kTryAgainAfter = 4096;
constexpr std::uint64_t kLeastNext = 64;
constexpr double kHighestRate = 0.25;
constexpr int kLinkBits = 6;  // of the tag of a dump
static_assert(BloomChain::kMaxLinks < std::uint64_t{1} << kLinkBits);
// From this link on each has at least twice the capacity of the one before: shares shrink from here on.
constexpr std::size_t kDoublesFrom = 16;

Error no_memory() { return {ErrorCode::out_of_memory, "the server has no memory for it", {}, {}}; }

}  // namespace

// Equal shares cost the fewest bits of whatever link is the newest. These are such that links of a chain of 1 % that
// doubles from 8,192 keys on take just below 16 and 20 bits a key, to which allocators that have four sizes for each
// doubling, as jemalloc, round up. There are 11 shares that take 16 bits, and they are those of the links from 16,384
// keys on, so that 12 links, which hold 33 million keys, are as small as can be.
double BloomChain::share_of_link(std::size_t i) noexcept {
  if (i >= 1 && i < 12) return 1 / 11.8;
  if (i < 14) return 1 / 50.0;
  return std::ldexp(0.0077, -static_cast<int>(i - 14) - 1);
}

BloomChain::~BloomChain() {
  for (std::size_t i = 0; i < link_count_; ++i) destroy(links_[i]);
}

double BloomChain::rate_of_link(std::size_t i) const {
  const double fpr = std::min(shape_.fpr, kHighestRate);
  if (shape_.expansion == 0) return fpr;
  if (!shape_.reserved) return fpr * share_of_link(i);
  return i == 0 ? fpr / 2 : fpr / 2 * share_of_link(i);  // whoever reserves means the first link
}

std::uint64_t BloomChain::next_capacity() const {
  if (link_count_ == 0) return shape_.reserved ? shape_.capacity : std::max<std::uint64_t>(kFirstLink, shape_.capacity);
  const std::uint64_t factor =
      link_count_ >= kDoublesFrom ? std::max<std::uint64_t>(2, shape_.expansion) : shape_.expansion;
  return std::clamp(links_[link_count_ - 1]->capacity * factor, kLeastNext, kMostCapacity);
}

Result<BloomChain::LinkPointer> BloomChain::take_link(const BlockGeometry& geometry, std::uint64_t capacity,
                                                      bool zero) {
  Bytes bytes = Bytes::take(geometry.payload_bytes());
  if (bytes.empty()) return no_memory();
  if (zero) std::memset(bytes.data(), 0, bytes.size());
  const Result<BlockMutableView> view = BlockMutableView::from_payload(bytes.span(), geometry);
  BLOOMERY_TRY(view);
  LinkPointer link(server::create<Link>(std::move(bytes), *view, capacity));
  if (link == nullptr) return no_memory();
  return link;
}

Status BloomChain::plan_next() {
  if (link_count_ == kMaxLinks) return Error{ErrorCode::full, "the chain has as many links as it may", {}, {}};
  if (planned_) return {};
  const Result<BlockGeometry> geometry = BlockGeometry::for_capacity(next_capacity(), rate_of_link(link_count_));
  if (!geometry.ok() && geometry.error().code == ErrorCode::invalid_argument && items_ > 0)
    return Error{ErrorCode::full, "its rate is too low for another link: reserve the capacity that it needs", {}, {}};
  BLOOMERY_TRY(geometry);
  planned_ = *geometry;
  return {};
}

Result<BloomChain::LinkPointer> BloomChain::take_next(std::uint64_t most, bool zero) {
  BLOOMERY_TRY(plan_next());
  const std::uint64_t held = payload_bytes(), more = planned_->payload_bytes();
  if (more > most || held > most - more)
    return Error{ErrorCode::full, "the filter would be larger than bloomery.max-filter-bytes allows", {}, {}};
  if (link_count_ > 0) BLOOMERY_TRY(check_server_memory(more, most));
  return take_link(*planned_, next_capacity(), zero);
}

Result<BloomChain::Pointer> BloomChain::create(const Shape& shape, std::uint64_t most) {
  Pointer chain(server::create<BloomChain>(shape));
  if (chain == nullptr) return no_memory();
  if (shape.reserved) BLOOMERY_TRY(chain->make_room(most));
  return chain;
}

Status BloomChain::make_room(std::uint64_t most) {
  if (!next_.empty()) {
    push(next_.finish());
    return {};
  }
  Result<LinkPointer> link = take_next(most, true);
  BLOOMERY_TRY(link);
  push(*std::move(link));
  return {};
}

void BloomChain::prepare_next(std::uint64_t most) noexcept {
  const Link& newest = *links_[link_count_ - 1];
  if (shape_.expansion == 0 || !is_nearly_full(newest.items, newest.capacity)) return;
  if (next_.empty()) {
    if (items_ < prepare_at_) return;
    try {
      if (!plan_next().ok() || planned_->payload_bytes() <= kZeroedAtOnce) return;
      Result<LinkPointer> link = take_next(most, false);
      if (!link.ok()) prepare_at_ = items_ + kTryAgainAfter;  // make_room will say why
      if (!link.ok()) return;
      next_.take(*std::move(link));
    } catch (...) {
      return;
    }
  }
  next_.zero_slice(newest.capacity - newest.items + 1);
}

Result<bool> BloomChain::add_exact(Hash hash, std::uint64_t most) {
  const std::span<std::uint64_t> hashes = exact_hashes();
  const auto place = std::lower_bound(hashes.begin(), hashes.end(), hash.bits);
  const std::size_t index = static_cast<std::size_t>(place - hashes.begin());
  if (place != hashes.end() && *place == hash.bits) return false;
  if (exact_count_ == kExact) {
    BLOOMERY_TRY(leave_exact(most));
    return add(hash, most);
  }
  const std::size_t room = exact_.size() / sizeof(std::uint64_t);
  if (exact_count_ == room) {
    const std::size_t larger = std::clamp<std::size_t>(room + room / 2, 8, kExact);
    Bytes bytes = Bytes::take(larger * sizeof(std::uint64_t));
    if (bytes.empty()) return no_memory();
    if (exact_count_ > 0) std::memcpy(bytes.data(), exact_.data(), hashes.size_bytes());
    exact_ = std::move(bytes);
  }
  auto* const data = reinterpret_cast<std::uint64_t*>(exact_.data());
  std::memmove(data + index + 1, data + index, (exact_count_ - index) * sizeof(std::uint64_t));
  data[index] = hash.bits;
  ++exact_count_;
  ++items_;
  return true;
}

Status BloomChain::leave_exact(std::uint64_t most) {
  BLOOMERY_TRY(make_room(most));
  Link& link = *links_[0];
  for (const std::uint64_t bits : exact_hashes()) link.view.add(Hash(bits));
  link.items = exact_count_;
  exact_ = Bytes();
  exact_count_ = 0;
  return {};
}

Result<bool> BloomChain::add(Hash hash, std::uint64_t most) {
  if (link_count_ == 0) return add_exact(hash, most);
  if (contains(hash)) return false;
  if (links_[link_count_ - 1]->items >= links_[link_count_ - 1]->capacity) {
    if (shape_.expansion == 0) return Error{ErrorCode::full, "non scaling filter is full", {}, {}};
    BLOOMERY_TRY(make_room(most));
  }
  Link& newest = *links_[link_count_ - 1];
  newest.view.add(hash);
  ++newest.items;
  ++items_;
  prepare_next(most);
  return true;
}

bool BloomChain::contains(Hash hash) const noexcept {
  if (link_count_ == 0) {
    const auto hashes = exact_hashes();
    return std::binary_search(hashes.begin(), hashes.end(), hash.bits);
  }
  // All lines are fetched before the first is looked at, so that their misses overlap: a grown chain has a dozen links.
  std::array<const std::uint8_t*, kMaxLinks> lines;
  for (std::size_t i = link_count_; i-- > 0;) {
    lines[i] = probes_[i].bytes + detail::block_offset(probes_[i].blocks, hash);
    __builtin_prefetch(lines[i]);
  }
  for (std::size_t i = link_count_; i-- > 0;)
    if (detail::block_probe<detail::kCompiledFor>(lines[i], probes_[i].k, hash)) return true;
  return false;
}

void BloomChain::contains_many(std::span<const Hash> hashes, std::span<std::uint8_t> answers) const noexcept {
  if (link_count_ == 0) {
    for (std::size_t i = 0; i < hashes.size(); ++i) answers[i] = contains(hashes[i]) ? 1 : 0;
    return;
  }
  std::array<std::uint8_t, 256> of_link;
  links_[link_count_ - 1]->view.view().contains_many(hashes, answers);
  for (std::size_t l = link_count_ - 1; l-- > 0;) {
    links_[l]->view.view().contains_many(hashes, of_link);
    for (std::size_t i = 0; i < hashes.size(); ++i) answers[i] |= of_link[i];
  }
}

std::uint64_t BloomChain::capacity() const {
  if (link_count_ == 0) return kExact;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < link_count_; ++i) sum += links_[i]->capacity;
  return sum;
}

BloomChain::LinkInfo BloomChain::link_info(std::size_t i) const {
  const Link& link = *links_[i];
  return {link.capacity, link.items, link.bytes.size(), rate_of_link(i), link.view.view().geometry().k};
}

std::size_t BloomChain::memory() const {
  std::size_t sum = api.MallocSize(const_cast<BloomChain*>(this)) + exact_.counted();
  const auto of_link = [](const Link* link) { return api.MallocSize(const_cast<Link*>(link)) + link->bytes.counted(); };
  for (std::size_t i = 0; i < link_count_; ++i) sum += of_link(links_[i]);
  return next_.empty() ? sum : sum + of_link(next_.get());
}

std::uint64_t BloomChain::begin_dump() {
  if (dump_id_ == 0) dump_id_ = 1 + next_stamp() % 0xffff;
  return dump_id_ << kLinkBits | link_count_;
}

std::optional<std::uint64_t> BloomChain::dump_bytes(std::uint64_t tag) const {
  const std::uint64_t links = tag & ((std::uint64_t{1} << kLinkBits) - 1);
  if (dump_id_ == 0 || tag >> kLinkBits != dump_id_ || links > link_count_) return {};
  return payload_bytes(static_cast<std::size_t>(links));
}

void BloomChain::defragment(DefragContext* context) noexcept {
  exact_.defragment(context);
  for (std::size_t i = 0; i < link_count_; ++i) {
    Link& link = *links_[i];
    if (!link.bytes.defragment(context)) continue;
    const Result<BlockMutableView> view =
        BlockMutableView::from_payload(link.bytes.span(), link.view.view().geometry());
    link.view = *view;  // the geometry was checked when the link was taken
    set_probe(i, link);
  }
}

}  // namespace bloomery::server
