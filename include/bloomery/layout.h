// What a kind of filter is: a Layout, which BasicView and BasicFilter (basic_filter.h) are made of. It has:
//   Geometry                    the integers that fix it (bloomery/geometry/)
//   kPickFor, kCells            when to pick it, and what its cells are called ("bits"): for people
//   Layout(geometry)            what a probe needs, worked out once; geometry() gives it back
//   contains, contains_many     one key, inline; a run of hashes, by the fastest code the machine has
//   contains_integer            where it is faster than hashing and contains: one integer, by one call
//   contains_run                where a whole batch goes by one call: keys of any type, which it hashes part by part
//   plan(n, fpr)                sizing; may warn through the log hook
//   check_payload(bytes)        what else must hold of bytes from outside, found in constant time
//   cells_set(bytes)            how many cells are in use
//   predicted_fpr(bytes, set)   the rate of a filter with that many cells in use, or (bytes) where those do not tell
//   estimated_count(bytes)      where the geometry and that number do not tell
// It takes every key, and tells whether that changed anything:
//   add, add_many
// or it can be full, and a key that is refused has changed nothing:
//   place, place_many           whether it found a place; how many did, from the front
//   full(geometry)              the error that says so
//   grown(filter)               if it makes room itself: the same filter with more of it
// or it is static, made of all its keys at once:
//   build(keys, target, options, threads)   of sorted, distinct keys, with the rate of the geometry `target`
//   retries(bytes)              if building can fail and try again: how often it did
// Where zeroed bytes are no empty filter: prepare(bytes) makes one of them, and empty_bytes() has those of Geometry{},
// the smallest one. Where changes need more of foreign bytes than check_payload tells: check_structure(bytes), in
// linear time. What a kind can do beside, the concepts below name. What it cannot do does not compile.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/export.h"
#include "bloomery/hash.h"
#include "bloomery/keys.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// A kind whose keys each touch one block, so that threads can share out the blocks.
template <class Layout>
concept BlockedLayout = requires(const Layout& layout, std::uint8_t* bytes, const KeyRun& keys) {
  { layout.add_bulk(bytes, keys, 1u) } -> std::same_as<Status>;
};

template <class Layout>
concept TakingLayout = requires(const Layout& layout, std::uint8_t* bytes) {
  { layout.add(bytes, Hash()) } -> std::same_as<bool>;
};
template <class Layout>
concept FillingLayout = requires(const Layout& layout, std::uint8_t* bytes) {
  { layout.place(bytes, Hash()) } -> std::same_as<bool>;
};
// A kind that is made of all its keys at once.
template <class Layout>
concept StaticLayout = !TakingLayout<Layout> && !FillingLayout<Layout>;
// From here addresses are enough to ask for: the filters that these functions return are not complete yet.
template <class Layout>
concept GrowingLayout = FillingLayout<Layout> && requires {
  &Layout::grown;
};

template <class Layout>
concept RunningLayout = requires {
  &Layout::contains_run;
};

// remove(bytes, hash): takes a key out again. False: it is certainly not there, and nothing has changed.
template <class Layout>
concept RemovingLayout = requires {
  &Layout::remove;
};
// remove_many(bytes, hashes, answers): the same of many, in order.
template <class Layout>
concept BatchRemovingLayout = RemovingLayout<Layout> && requires {
  &Layout::remove_many;
};
// count(bytes, hash): how often the key was added and not removed, or more.
template <class Layout>
concept TallyingLayout = requires {
  &Layout::count;
};
// retries(bytes): how many attempts failed before the build that made these bytes.
template <class Layout>
concept RetryingLayout = requires {
  &Layout::retries;
};
// unite, intersect(bytes, others): of equal geometry.
template <class Layout>
concept UnitingLayout = requires {
  &Layout::unite;
};
template <class Layout>
concept IntersectingLayout = requires {
  &Layout::intersect;
};
// merged(filter, other): instead of unite, where the result may have another geometry, or no room.
template <class Layout>
concept MergingLayout = UnitingLayout<Layout> || requires {
  &Layout::merged;
};
// resized(filter): the same with twice the room, without the keys.
template <class Layout>
concept ResizingLayout = requires {
  &Layout::resized;
};
// for_each(bytes, use): use(fingerprint, times) of all that is in it, in order.
template <class Layout>
concept IteratingLayout = requires(const Layout& layout, const std::uint8_t* bytes) {
  layout.for_each(bytes, [](std::uint64_t, std::uint64_t) {});
};
// kForgets: a key that was added need not be found later.
template <class Layout>
concept ForgettingLayout = requires {
  requires Layout::kForgets;
};

// The bytes of the smallest filter, which is empty; what is behind its payload is nobody's.
using EmptyBytes = std::array<std::uint8_t, 256>;

namespace detail {

template <class Layout>
constexpr EmptyBytes empty_bytes() {
  if constexpr (requires { Layout::empty_bytes(); }) return Layout::empty_bytes();
  else return {};
}

// How many bits are set; into |= from; into &= from. All by the kernel of the machine.
BLOOMERY_API std::uint64_t bits_set(std::span<const std::uint8_t> bytes);
BLOOMERY_API void unite_bits(std::span<std::uint8_t> into, const std::uint8_t* from);
BLOOMERY_API void intersect_bits(std::span<std::uint8_t> into, const std::uint8_t* from);

}  // namespace detail

// What layouts whose cells are bits have in common.
template <class Layout>
class BitCells {
 public:
  static constexpr const char* kCells = "bits";

  std::uint64_t cells_set(std::span<const std::uint8_t> bytes) const { return detail::bits_set(bytes); }
  void unite(std::uint8_t* bytes, const std::uint8_t* others) const { detail::unite_bits(all(bytes), others); }
  void intersect(std::uint8_t* bytes, const std::uint8_t* others) const { detail::intersect_bits(all(bytes), others); }

 private:
  std::span<std::uint8_t> all(std::uint8_t* bytes) const {
    return {bytes, static_cast<const Layout&>(*this).geometry().payload_bytes()};
  }
};

}  // namespace BLOOMERY_NAMESPACE
