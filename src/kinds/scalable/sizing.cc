// The sizing of scalable filters: a chain of block filters whose rates add up to less than the target, however many
// there are. spec/scalable.md has the proof; tools/scalable_series.py shows why the shares fall by a tenth.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "bloomery/detail/bits.h"
#include "bloomery/geometry/scalable.h"
#include "core/base/error.h"
#include "kinds/common/instead.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;
using Link = ScalableGeometry::Link;

constexpr double kPpt = 1e12;
constexpr std::uint64_t kLowestShare = 50'000;  // 5e-8: where block filters end

double rate_of_link(std::uint64_t fpr_ppt, std::uint32_t i) {
  return as_double(ScalableGeometry::share_of_link(fpr_ppt, i)) / kPpt;
}

Error no_further_link(const char* why) {
  std::string message = "the chain can have no further link: ";
  message += why;
  message += "; fold it by offering its keys again, or start with a larger first link";
  return {ErrorCode::full, std::move(message), {}, "links"};
}

Status check_growth(std::uint64_t growth) {
  if (growth >= 1 && growth <= ScalableGeometry::kMaxGrowth) return {};
  return invalid_argument(
      "growth", "growth is " + std::to_string(growth) + ": a new link has 1 to 8 times the capacity of the one before");
}

Status check_fpr(std::uint64_t n, double fpr) {
  if (fpr >= as_double(ScalableGeometry::kLowestPpt) / kPpt) return {};
  using namespace sizing;
  std::string message =
      "the kind 'scalable' does not go below a false-positive rate of 1e-05, because its links share the rate: ";
  const std::string fixed = first_that_can(n, fpr, {kBlock, kClassic, kPartitioned});
  if (kQuotient.can(n, fpr))
    message += "use the kind 'quotient', which grows too" + (fixed.empty() ? "" : ", or " + fixed);
  else message += fixed.empty() ? "ask for a higher rate" : "use the kind " + fixed;
  if (!fixed.empty()) message += " when the number of keys is known";
  return invalid_argument("fpr", std::move(message));
}

Error too_many_blocks() {
  return invalid_argument("blocks",
                          "a filter of the kind 'scalable' has at most 2^54 blocks, and one for each link: "
                          "ask for fewer keys or a higher false-positive rate");
}

// Oldest first.
struct Chain {
  std::array<Link, ScalableGeometry::kMaxLinks> links;
  std::uint32_t size = 0;

  Link* begin() { return links.data(); }
  Link* end() { return links.data() + size; }
  Link& back() { return links[size - 1]; }
};

// The links of a chain as the series makes them: those there are, and as many more as n keys need. The numbers of older
// links are recomputed here, for predictions; a reader has them in the directory.
Chain chain_for(const ScalableGeometry& newest, std::uint64_t n) {
  Chain chain{{}, std::clamp(newest.links, 1u, ScalableGeometry::kMaxLinks)};
  std::uint64_t capacity = newest.link_capacity, room = 0, blocks_before = 0;
  for (std::uint32_t i = chain.size; i-- > 0; capacity = std::max<std::uint64_t>(1, capacity / newest.growth))
    chain.links[i].capacity = capacity;
  for (std::uint32_t i = 0; i + 1 < chain.size; ++i) {
    Link& link = chain.links[i];
    if (const auto sized = BlockGeometry::for_capacity(link.capacity, rate_of_link(newest.fpr_ppt, i)); sized.ok())
      link.block = *sized;
    blocks_before += link.block.blocks;
  }
  chain.back().block = {newest.blocks > blocks_before ? newest.blocks - blocks_before : 1, newest.link_k};
  for (const Link& link : chain) room = detail::checked_add(room, link.capacity).value_or(n);
  ScalableGeometry now = newest;
  while (room < n) {
    const Result<Link> next = now.next_link();
    if (!next.ok()) break;
    chain.links[chain.size++] = *next;
    now = now.with_link(*next);
    room = detail::checked_add(room, next->capacity).value_or(n);
  }
  return chain;
}

// Calls use(link, keys in it) for a chain with n keys. What no link has room for is in the last.
template <class Use>
void for_each_link(Chain chain, std::uint64_t n, Use use) {
  for (const Link& link : chain) {
    const std::uint64_t here = &link == &chain.back() ? n : std::min(n, link.capacity);
    use(link, here);
    n -= here;
  }
}

// Calls use(link, bits set in it) for the links of a chain that was filled in order.
template <class Use>
void for_each_fill(const ScalableGeometry& geometry, std::uint64_t bits_set, Use use) {
  Chain chain = chain_for(geometry, 0);
  for (const Link& link : chain) {
    const double full = as_double(link.block.bits()) * link.block.expected_fill(link.capacity);
    const std::uint64_t most =
        &link == &chain.back() ? link.block.bits() : static_cast<std::uint64_t>(std::llround(full));
    const std::uint64_t here = std::min(bits_set, most);
    use(link, here);
    bits_set -= here;
  }
}

}  // namespace

Result<ScalableGeometry> ScalableGeometry::from_values(const std::array<std::uint64_t, 6>& values) {
  return guarded([&]() -> Result<ScalableGeometry> {
    const auto [links, blocks, k, capacity, growth, fpr_ppt] = values;
    if (links < 1 || links > kMaxLinks)
      return invalid_argument("links", "links is " + std::to_string(links) + ": a scalable filter has 1 to 64 links");
    if (blocks < links || blocks > kMaxBlocks) return too_many_blocks();
    if (k < 1 || k > BlockGeometry::kMaxK)
      return invalid_argument("link_k", "link_k is " + std::to_string(k) + ": a link sets 1 to 16 bits per key");
    if (capacity < 1 || capacity > kMaxKeysPerBlock * (blocks - links + 1))
      return invalid_argument("link_capacity", "link_capacity is " + std::to_string(capacity) +
                                                   ": a link takes 1 to 512 keys for each of its blocks");
    BLOOMERY_TRY(check_growth(growth));
    if (fpr_ppt < kLowestPpt || fpr_ppt > kHighestPpt)
      return invalid_argument("fpr_ppt", "fpr_ppt is " + std::to_string(fpr_ppt) +
                                             ": the rate of a scalable filter is 10^7 to 10^12 - 1 parts per 10^12");
    return ScalableGeometry{static_cast<std::uint32_t>(links),  blocks, static_cast<std::uint32_t>(k), capacity,
                            static_cast<std::uint32_t>(growth), fpr_ppt};
  });
}

Result<ScalableGeometry> ScalableGeometry::for_capacity(std::uint64_t n, double fpr, std::uint64_t growth) {
  return guarded([&]() -> Result<ScalableGeometry> {
    BLOOMERY_TRY(sizing::check_target(n, fpr));
    BLOOMERY_TRY(check_fpr(n, fpr));
    BLOOMERY_TRY(check_growth(growth));
    const std::uint64_t ppt = std::min(static_cast<std::uint64_t>(fpr * kPpt), kHighestPpt);
    return ScalableGeometry{1, 1, 1, 1, static_cast<std::uint32_t>(growth), ppt}.folded(n);
  });
}

Result<ScalableGeometry> ScalableGeometry::folded(std::uint64_t n) const {
  return guarded([&]() -> Result<ScalableGeometry> {
    const Result<BlockGeometry> first = BlockGeometry::for_capacity(n, rate_of_link(fpr_ppt, 0));
    BLOOMERY_TRY(first);
    if (first->blocks > kMaxBlocks) return too_many_blocks();
    return ScalableGeometry{1, first->blocks, first->k, n, growth, fpr_ppt};
  });
}

Result<ScalableGeometry> ScalableGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key) {
  return guarded([&]() -> Result<ScalableGeometry> {
    const Result<BlockGeometry> first = BlockGeometry::for_bits_per_key(n, bits_per_key);
    BLOOMERY_TRY(first);
    if (first->blocks > kMaxBlocks) return too_many_blocks();
    const double target = 10 * std::ceil(first->predicted_fpr_after(n) * kPpt);
    if (target > as_double(kHighestPpt))
      return invalid_argument("bits_per_key",
                              "the first link alone would have a rate above 0.1, and ten times that is the rate of the "
                              "chain: ask for more bits per key, as 10");
    const std::uint64_t ppt = std::max(static_cast<std::uint64_t>(target), kLowestPpt);
    return ScalableGeometry{1, first->blocks, first->k, n, kDefaultGrowth, ppt};
  });
}

// A tenth for the first, then nine tenths of the one before, always rounded down.
std::uint64_t ScalableGeometry::share_of_link(std::uint64_t fpr_ppt, std::uint32_t i) {
  std::uint64_t share = fpr_ppt / 10;
  for (; i > 0; --i) share = share * 9 / 10;
  return share;
}

Result<ScalableGeometry::Link> ScalableGeometry::next_link() const {
  return guarded([&]() -> Result<Link> {
    if (links >= kMaxLinks) return no_further_link("64 is the most");
    if (share_of_link(fpr_ppt, links) < kLowestShare)
      return no_further_link("its share of the rate would be below the 5e-08 that a block filter can have");
    const auto capacity = detail::checked_mul(link_capacity, growth);
    if (!capacity) return no_further_link("it would take more than 2^64 keys");
    const Result<BlockGeometry> block = BlockGeometry::for_capacity(*capacity, rate_of_link(fpr_ppt, links));
    if (!block.ok() || block->blocks > kMaxBlocks - blocks) return no_further_link("it would exceed 2^54 blocks");
    return Link{*block, *capacity};
  });
}

ScalableGeometry ScalableGeometry::with_link(const Link& link) const {
  return {links + 1, blocks + link.block.blocks, link.block.k, link.capacity, growth, fpr_ppt};
}

double ScalableGeometry::compound_fpr(std::span<const double> rates) {
  double none = 1;
  for (const double rate : rates) none *= 1 - rate;
  return 1 - none;
}

double ScalableGeometry::expected_fill(std::uint64_t n) const {
  double set = 0, all = 0;
  for_each_link(chain_for(*this, n), n, [&](const Link& link, std::uint64_t keys) {
    set += as_double(link.block.bits()) * link.block.expected_fill(keys);
    all += as_double(link.block.bits());
  });
  return set / all;
}

double ScalableGeometry::predicted_fpr_after(std::uint64_t n) const {
  double none = 1;
  for_each_link(chain_for(*this, n), n,
                [&](const Link& link, std::uint64_t keys) { none *= 1 - link.block.predicted_fpr_after(keys); });
  return 1 - none;
}

double ScalableGeometry::predicted_fpr_at(std::uint64_t bits_set) const {
  double none = 1;
  for_each_fill(*this, bits_set,
                [&](const Link& link, std::uint64_t here) { none *= 1 - link.block.predicted_fpr_at(here); });
  return 1 - none;
}

std::optional<std::uint64_t> ScalableGeometry::estimated_count(std::uint64_t bits_set) const {
  std::optional<std::uint64_t> sum = 0;
  for_each_fill(*this, bits_set, [&](const Link& link, std::uint64_t here) {
    const std::optional<std::uint64_t> keys = link.block.estimated_count(here);
    if (!keys || !sum) sum.reset();
    else *sum += *keys;
  });
  return sum;
}

}  // namespace BLOOMERY_NAMESPACE
