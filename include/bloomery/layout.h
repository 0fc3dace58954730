// A kind of filter is a Layout: BasicView, BasicFilter and BasicMutableView are templates over it. Every Layout has:
//   Geometry                    the integers that fix the filter (bloomery/geometry/)
//   kPickFor, kCells            when to pick the kind, and the name of its cells ("bits"): text for people
//   Layout(geometry)            computes once what a probe needs; geometry() returns the geometry again
//   contains, contains_many     look up one hash, inline; look up many, by the fastest code of the machine
//   plan(n, fpr)                sizes a filter; it may warn through the log hook
//   check_payload(bytes)        refuses bytes that no filter of the geometry can hold, in constant time
//   cells_set(bytes)            counts the cells in use
//   predicted_fpr(bytes, set)   the rate of a filter with so many cells in use; (bytes) where that number is not enough
// Some also have:
//   contains_run                looks up keys that are no strings by one call, and hashes them part by part
//   estimated_count(bytes)      where the geometry and the cells in use do not determine it
//   prepare(bytes)              turns zeroed bytes into an empty filter, where zeros are none; then empty_bytes()
//                               returns the bytes of Geometry{}, the smallest filter
//   check_structure(bytes)      checks, in linear time, what changes rely on and check_payload cannot see
// A kind that takes every key has:
//   add, add_many               return whether they changed anything
// A kind that can be full has the following; a key that it refuses changes nothing:
//   place, place_many           return whether the key found a place; how many keys did, from the front
//   full(geometry)              returns the error of a full filter
//   grown(filter)               returns the same filter with more room, if the kind makes room itself
// A static kind is built of all its keys at once and has:
//   build(keys, target, options, threads)   builds from sorted, distinct hashes, with the rate of the geometry `target`
//   retries(bytes)              how often the build failed before it succeeded, if it can fail
// The concepts below name what else a kind can do. What it cannot do does not compile.
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

// A kind in which each key touches one block, so that threads can share out the blocks.
template <class Layout>
concept BlockedLayout = requires(const Layout& layout, std::uint8_t* bytes, const KeyRun& keys) {
  { layout.add_bulk(bytes, keys, 1u) } -> std::same_as<Status>;
};

// A kind that takes every key.
template <class Layout>
concept TakingLayout = requires(const Layout& layout, std::uint8_t* bytes) {
  { layout.add(bytes, Hash()) } -> std::same_as<bool>;
};
// A kind that can be full.
template <class Layout>
concept FillingLayout = requires(const Layout& layout, std::uint8_t* bytes) {
  { layout.place(bytes, Hash()) } -> std::same_as<bool>;
};
// A kind that is built of all its keys at once.
template <class Layout>
concept StaticLayout = !TakingLayout<Layout> && !FillingLayout<Layout>;
// A kind that makes room itself. From here on the concepts ask for addresses alone, because the filters that these
// functions return are incomplete types here.
template <class Layout>
concept GrowingLayout = FillingLayout<Layout> && requires {
  &Layout::grown;
};

// contains_run(bytes, keys, answers): looks up a whole batch by one call.
template <class Layout>
concept RunningLayout = requires {
  &Layout::contains_run;
};

// remove(bytes, hash): takes a key out again. Returns false when the key is certainly not there; nothing has changed
// then.
template <class Layout>
concept RemovingLayout = requires {
  &Layout::remove;
};
// remove_many(bytes, hashes, answers): removes many keys in order, and sets answers[i] to what remove would return.
template <class Layout>
concept BatchRemovingLayout = RemovingLayout<Layout> && requires {
  &Layout::remove_many;
};
// count(bytes, hash): returns how often the key was added and not removed, or a higher number.
template <class Layout>
concept TallyingLayout = requires {
  &Layout::count;
};
// retries(bytes): returns how many attempts failed before the build succeeded.
template <class Layout>
concept RetryingLayout = requires {
  &Layout::retries;
};
// unite(bytes, others) and intersect(bytes, others): combine cells of equal geometry.
template <class Layout>
concept UnitingLayout = requires {
  &Layout::unite;
};
template <class Layout>
concept IntersectingLayout = requires {
  &Layout::intersect;
};
// merged(filter, other): stands in for unite where the result may have another geometry, or no room.
template <class Layout>
concept MergingLayout = UnitingLayout<Layout> || requires {
  &Layout::merged;
};
// resized(filter): returns the same filter with twice the room; it does not need the keys.
template <class Layout>
concept ResizingLayout = requires {
  &Layout::resized;
};
// for_each(bytes, use): calls use(fingerprint, times) for all that is in the filter, in order.
template <class Layout>
concept IteratingLayout = requires(const Layout& layout, const std::uint8_t* bytes) {
  layout.for_each(bytes, [](std::uint64_t, std::uint64_t) {});
};
// kForgets: a key that was added need not be found later.
template <class Layout>
concept ForgettingLayout = requires {
  requires Layout::kForgets;
};

// The bytes of the smallest filter, which is empty. Bytes behind its payload have no meaning.
using EmptyBytes = std::array<std::uint8_t, 256>;

namespace detail {

template <class Layout>
constexpr EmptyBytes empty_bytes() {
  if constexpr (requires { Layout::empty_bytes(); }) return Layout::empty_bytes();
  else return {};
}

// Count the bits that are set, set into |= from, and set into &= from, by the kernel of the machine.
BLOOMERY_API std::uint64_t bits_set(std::span<const std::uint8_t> bytes);
BLOOMERY_API void unite_bits(std::span<std::uint8_t> into, const std::uint8_t* from);
BLOOMERY_API void intersect_bits(std::span<std::uint8_t> into, const std::uint8_t* from);

}  // namespace detail

// The functions that all layouts with bits as cells share.
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
