// The one shape of a Bloom filter, whatever its layout: BasicView over bytes somebody else owns, BasicFilter that owns
// its bytes. A kind is a Layout (see classic.h, split.h, block.h):
//   Geometry                    the integers that fix it (sizing.h)
//   Layout(geometry)            what a probe needs, worked out once; geometry() gives it back
//   contains, add               one key, inline
//   contains_many, add_many     a run of hashes, by the fastest code the machine has
//   plan(n, fpr)                sizing; may warn through the log hook
//   check_payload(bytes)        what else must hold of bytes from outside
//   predicted_fpr(bytes, set)   the rate of a filter with that many bits set
//   add_bulk                    blocked kinds only: very many keys, on several threads
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "bloomery/detail/batch.h"
#include "bloomery/detail/buffer.h"
#include "bloomery/detail/bulk_add.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"
#include "bloomery/sizing.h"

namespace bloomery {

namespace detail {

// A kind whose keys each touch one block, so that threads can share out the blocks.
template <class Layout>
concept BlockedLayout = requires(const Layout& layout, std::uint8_t* bytes, const KeyRun& keys) {
  { layout.add_bulk(bytes, keys, 1u) } -> std::same_as<Status>;
};

}  // namespace detail

template <class Layout>
class BLOOMERY_API BasicFilter;

// Read-only, over bytes that somebody else owns and keeps alive: a mapped file, a table block, a BasicFilter. A small
// value, trivially copyable. Safe from any thread while nobody writes the bytes.
template <class Layout>
class BLOOMERY_API BasicView {
 public:
  using Geometry = typename Layout::Geometry;

  // Empty: the smallest filter there is, which contains nothing.
  BasicView() : BasicView(kNothing, Geometry{}, Layout::default_hasher()) {}

  // Over geometry.payload_bytes() bytes. Refuses another number of bytes, an impossible geometry, and bytes that no
  // filter of this kind can hold.
  BLOOMERY_API static Result<BasicView> over(std::span<const std::uint8_t> bytes, const Geometry& geometry,
                                             const Hasher& hasher = Layout::default_hasher());

  // False: the key was never added. True: it may have been.
  template <Key T>
  bool contains(const T& key) const {
    return layout_.contains(bytes_, hash_key(hasher_, key));
  }

  // answers[i] = whether keys[i] may be present (1 or 0). answers must be at least as long as keys. Much faster than
  // one by one: hashes are computed side by side and cache misses overlap.
  template <detail::KeyRange Keys>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const {
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      layout_.contains_many(bytes_, hashes, answers.data() + first);
    });
  }

  // The same as bits: bit i % 64 of words[i / 64]; the bits after the last key are 0. words must have room for a bit
  // per key.
  template <detail::KeyRange Keys>
  void contains_bitmap(const Keys& keys, std::span<std::uint64_t> words) const {
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      contains_bits(hashes, words.data() + first / 64);
    });
  }

  Geometry geometry() const { return layout_.geometry(); }
  const Hasher& hasher() const { return hasher_; }
  std::span<const std::uint8_t> payload() const { return {bytes_, geometry().payload_bytes()}; }
  std::uint64_t bytes() const { return geometry().payload_bytes(); }

  // These read the whole filter.
  BLOOMERY_API std::uint64_t bits_set() const;
  BLOOMERY_API double fill() const;
  BLOOMERY_API double predicted_fpr() const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count() const;
  // Same geometry, same hash (seed or secret included), same bits.
  BLOOMERY_API bool equals(const BasicView& other) const;
  friend bool operator==(const BasicView& a, const BasicView& b) { return a.equals(b); }

 private:
  friend class BasicFilter<Layout>;

  BasicView(const std::uint8_t* bytes, const Geometry& geometry, const Hasher& hasher)
      : bytes_(bytes), layout_(geometry), hasher_(hasher) {}

  BLOOMERY_API void contains_bits(std::span<const Hash> hashes, std::uint64_t* words) const;

  alignas(64) static constexpr std::uint8_t kNothing[64] = {};

  const std::uint8_t* bytes_;
  Layout layout_;
  Hasher hasher_;
};

// Owns its bytes. One writer, and no reader while it writes. Moves; copies only by clone(). Exported as a type, because
// what is made of a hidden type (LiveFilter, RotatingFilter) is hidden whatever its own marks say.
template <class Layout>
class BLOOMERY_API BasicFilter {
 public:
  using View = BasicView<Layout>;
  using Geometry = typename Layout::Geometry;

  // For n keys at a false-positive rate of fpr. Refuses what the kind cannot reach, naming one that can.
  BLOOMERY_API static Result<BasicFilter> with_capacity(std::uint64_t n, double fpr,
                                                        const Hasher& hasher = Layout::default_hasher());
  // Exactly that; refuses nothing valid.
  BLOOMERY_API static Result<BasicFilter> with_geometry(const Geometry& geometry,
                                                        const Hasher& hasher = Layout::default_hasher());
  // From here to with_bytes templates, because clang 14 instantiates a constrained member with its class.
  template <class G = Geometry>
  static Result<BasicFilter> with_geometry(std::uint64_t m, std::uint32_t k,
                                           const Hasher& hasher = {}) requires std::same_as<G, ClassicGeometry> {
    return with_geometry(G{m, k}, hasher);
  }
  template <class G = Geometry>
  static Result<BasicFilter> with_blocks(
      std::uint64_t blocks, const Hasher& hasher = Layout::default_hasher()) requires std::same_as<G, SplitGeometry> {
    return with_geometry(G{blocks}, hasher);
  }
  template <class G = Geometry>
  static Result<BasicFilter> with_blocks(
      std::uint64_t blocks, std::uint32_t k,
      const Hasher& hasher = Layout::default_hasher()) requires std::same_as<G, BlockGeometry> {
    return with_geometry(G{blocks, k}, hasher);
  }
  // The largest filter that fits in so many bytes; a block filter also wants to know for how many keys.
  template <class G = Geometry>
  static Result<BasicFilter> with_bytes(
      std::uint64_t bytes, const Hasher& hasher = Layout::default_hasher()) requires std::same_as<G, SplitGeometry> {
    return with(G::for_bytes(bytes), hasher);
  }
  template <class G = Geometry>
  static Result<BasicFilter> with_bytes(
      std::uint64_t bytes, std::uint64_t n,
      const Hasher& hasher = Layout::default_hasher()) requires std::same_as<G, BlockGeometry> {
    return with(G::for_bytes(bytes, n), hasher);
  }
  // The filter of these keys, made by so many threads; the same bytes for any number of them. No keys make an empty
  // filter for one.
  template <detail::KeyRange Keys>
  static Result<BasicFilter> build(
      const Keys& keys, double fpr, unsigned threads = 1,
      const Hasher& hasher = Layout::default_hasher()) requires detail::BlockedLayout<Layout> {
    const std::uint64_t n = std::ranges::size(keys);
    Result<BasicFilter> filter = with_capacity(n > 0 ? n : 1, fpr, hasher);
    if (!filter.ok()) return filter;
    if (Status status = filter->add_many(keys, threads); !status.ok()) return std::move(status).error();
    return filter;
  }
  // A copy of what the view shows, with the number of keys that were added to it, if known.
  BLOOMERY_API static Result<BasicFilter> copy_of(const View& view, std::optional<std::uint64_t> key_count);

  // Returns whether any bit changed; false means that the key was there before, or looks like it.
  template <Key T>
  bool add(const T& key) {
    const bool changed = view_.layout_.add(bytes_.data(), hash_key(view_.hasher_, key));
    count(1);
    return changed;
  }
  // Whether the key may have been present before; it is present after.
  template <Key T>
  bool test_and_add(const T& key) {
    return !add(key);
  }
  template <detail::KeyRange Keys>
  void add_many(const Keys& keys) {
    detail::for_hash_groups(view_.hasher_, keys, [&](std::size_t, std::span<const Hash> hashes) {
      view_.layout_.add_many(bytes_.data(), hashes);
      count(hashes.size());
    });
  }

  // On several threads, each with blocks of its own; detail/bulk_add.h has the memory it takes. The only error is
  // out_of_memory, and then nothing was added.
  template <detail::KeyRange Keys>
  Status add_many(const Keys& keys, unsigned threads) requires detail::BlockedLayout<Layout> {
    Status status = view_.layout_.add_bulk(bytes_.data(), detail::key_run(view_.hasher_, keys), threads);
    if (status.ok()) count(std::ranges::size(keys));
    return status;
  }

  // Adds, or keeps only, what other holds. Refuses another geometry or hash, naming both. After a merge the key count
  // is the sum of both counts; after an intersection it is unknown.
  BLOOMERY_API Status merge(const BasicFilter& other);
  BLOOMERY_API Status intersect(const BasicFilter& other);
  BLOOMERY_API void clear();
  BLOOMERY_API Result<BasicFilter> clone() const;

  // Has all memory in place before the first add, by so many threads; else pages come one by one as they are written.
  Status prefault(unsigned threads = 1) { return bytes_.prefault(threads); }
  // Keeps all of it in memory, never swapped out. Needs a limit on locked memory (RLIMIT_MEMLOCK, ulimit -l) that
  // allows it, which the error names; the filter stays as usable as before. The lock goes with the filter. It has all
  // memory in place too, by one thread: prefault first what is large.
  Status lock_in_memory() { return bytes_.lock(); }
  // The pages it lies in, when they are its own: those of filters from 1 MiB on.
  std::span<std::uint8_t> pages() noexcept { return bytes_.mapping(); }
  // The share, 0 to 1, of its memory that lies in huge pages; nothing where the system does not tell.
  BLOOMERY_API std::optional<double> huge_page_share() const;

  // Adds that returned, those of equal keys included; nothing when it cannot be known.
  std::optional<std::uint64_t> key_count() const { return key_count_; }

  const View& view() const { return view_; }
  // For those who set bits themselves, as Shared does; key_count() then counts no add of theirs.
  std::span<std::uint8_t> payload_to_write() { return {bytes_.data(), bytes_.size()}; }
  template <Key T>
  bool contains(const T& key) const {
    return view_.contains(key);
  }
  template <detail::KeyRange Keys>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const {
    view_.contains_many(keys, answers);
  }
  template <detail::KeyRange Keys>
  void contains_bitmap(const Keys& keys, std::span<std::uint64_t> words) const {
    view_.contains_bitmap(keys, words);
  }
  Geometry geometry() const { return view_.geometry(); }
  const Hasher& hasher() const { return view_.hasher(); }
  std::uint64_t bytes() const { return view_.bytes(); }
  std::uint64_t bits_set() const { return view_.bits_set(); }
  double fill() const { return view_.fill(); }
  double predicted_fpr() const { return view_.predicted_fpr(); }
  std::optional<std::uint64_t> estimated_count() const { return view_.estimated_count(); }
  friend bool operator==(const BasicFilter& a, const BasicFilter& b) { return a.view_ == b.view_; }

 private:
  BasicFilter(detail::Buffer bytes, const Geometry& geometry, const Hasher& hasher)
      : bytes_(std::move(bytes)), view_(bytes_.data(), geometry, hasher) {}

  static Result<BasicFilter> with(Result<Geometry> geometry, const Hasher& hasher) {
    if (!geometry.ok()) return std::move(geometry).error();
    return with_geometry(*geometry, hasher);
  }

  void count(std::uint64_t added) {
    if (key_count_.has_value()) *key_count_ += added;
  }

  detail::Buffer bytes_;
  View view_;
  std::optional<std::uint64_t> key_count_ = 0;
};

}  // namespace bloomery
