// BasicView: a filter to ask, over bytes that somebody else owns, of any kind. BlockView and its like are this
// template. layout.h says what a Layout is; what a kind cannot do does not compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "bloomery/detail/batch.h"
#include "bloomery/detail/check.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"
#include "bloomery/keys.h"
#include "bloomery/layout.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

template <class Layout>
class BLOOMERY_API BasicFilter;
template <class Layout>
class BLOOMERY_API BasicMutableView;
class AnyView;
namespace any {
struct CheckedViews;
}

// A filter to ask, over bytes that somebody else owns: a mapped file, a table block, a BasicFilter. Any thread may use
// it while nobody writes the bytes, which must outlive it. It is a small, trivially copyable value.
template <class Layout>
class BLOOMERY_API BasicView {
 public:
  using Geometry = typename Layout::Geometry;

  // The smallest filter of the kind, which is empty.
  BLOOMERY_PER_ISA BasicView() : BasicView(kNothing.data(), Geometry{}, Layout::default_hasher()) {}

  // Returns a view over geometry.payload_bytes() bytes. Refuses another number of bytes, an impossible geometry, and
  // bytes that no filter of this kind can hold.
  BLOOMERY_API static Result<BasicView> from_payload(std::span<const std::uint8_t> bytes, const Geometry& geometry,
                                                     const Hasher& hasher = Layout::default_hasher());

  // False: the key was never added. True: it may have been.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept requires(!ForgettingLayout<Layout>) {
    if constexpr (std::same_as<T, Hash>) {
      return layout_.contains(bytes_, key);  // from where it lies: see detail::low_half
    } else if constexpr (IntegerKey<T> && !CustomKey<T>) {
      // The kind's own hash comes first, so that its factors stay in registers of the caller's loop; one probe for all
      // hashes (bench/results/2026-11-18-keys-one-probe.md).
      constexpr HashId kUsual = Layout::default_hasher().id();
      const auto number = static_cast<std::uint64_t>(key);
      const Hash hash = hasher_.id() == kUsual ? hasher_.template integer_by<kUsual>(number) : hasher_(number);
      return layout_.contains(bytes_, hash);
    } else {
      return layout_.contains(bytes_, hash_key(hasher_, key));
    }
  }

  // Sets answers[i] to whether keys[i] may be present (1 or 0). Ends the program with a sentence when there are fewer
  // answers than keys. The answers may not share memory with the keys: a kind may write them before it has read all
  // keys, and write them more than once. It is much faster than one call a key: hashes are computed side by side and
  // cache misses overlap.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept
      requires(!ForgettingLayout<Layout>) {
    ask_many("contains_many", keys, answers);
  }

  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept
      requires(!ForgettingLayout<Layout>) {
    ask_many("contains_many", std::span(keys.begin(), keys.size()), answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept
      requires(!ForgettingLayout<Layout>) {
    ask_many("contains_many", std::span(first, last), answers);
  }

  // Writes the positions of the keys that may be present into `positions`, in order (a selection vector), and returns
  // how many they are. Ends the program with a sentence when there are fewer positions than keys, or more than 2^32
  // keys, whose positions have no room in 32 bits. The positions may not share memory with the keys.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  std::size_t select_present(const Keys& keys, std::span<std::uint32_t> positions) const noexcept
      requires(!ForgettingLayout<Layout>) {
    detail::check_positions("select_present", std::size(keys));
    detail::check_lengths("select_present", std::size(keys), positions.size());
    std::size_t found = 0;
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      found += select_hashes(hashes, first, positions.data() + found);
    });
    return found;
  }

  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> std::size_t select_present(const R&, std::span<std::uint32_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <RangeWithoutHash R> void contains_bitmap(const R&, std::span<std::uint64_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <class T> std::uint64_t count(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <Key T> bool contains(const T&) const requires ForgettingLayout<Layout> = delete;  // this kind forgets: ask seen_recently(key), whose "no" is no promise
  template <KeyRange Keys> void contains_many(const Keys&, std::span<std::uint8_t>) const requires ForgettingLayout<Layout> = delete;  // this kind forgets: ask seen_recently_many(keys, answers), whose "no" is no promise
  // clang-format on

  // Kinds that forget have this in the place of contains. False: the key was not added lately.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool seen_recently(const T& key) const noexcept requires ForgettingLayout<Layout> {
    return layout_.contains(bytes_, hash_key(hasher_, key));
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void seen_recently_many(const Keys& keys,
                          std::span<std::uint8_t> answers) const noexcept requires ForgettingLayout<Layout> {
    ask_many("seen_recently_many", keys, answers);
  }

  // Returns how often the key was added and not removed, or a higher number. It is lower only where a counter of four
  // bits is full (15).
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  std::uint64_t count(const T& key) const noexcept requires TallyingLayout<Layout> {
    return layout_.count(bytes_, hash_key(hasher_, key));
  }

  // Returns how many attempts of the build failed.
  template <class L = Layout>
  std::uint64_t retries() const requires RetryingLayout<L> {
    return layout_.retries(bytes_);
  }

  // Calls use(fingerprint, times) for every fingerprint, from the lowest to the highest.
  template <class Use>
  void for_each(Use use) const requires IteratingLayout<Layout> {
    layout_.for_each(bytes_, use);
  }

  // Sets bit i % 64 of words[i / 64] to whether keys[i] may be present, and the bits behind the last key in its word to
  // 0. Words behind that one stay as they are. Ends the program with a sentence when there are fewer bits than keys.
  // The words may not share memory with the keys.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_bitmap(const Keys& keys, std::span<std::uint64_t> words) const noexcept
      requires(!ForgettingLayout<Layout>) {
    detail::check_lengths("contains_bitmap", std::size(keys), words.size(), 64);
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      contains_bits(hashes, words.data() + first / 64);
    });
  }

  Geometry geometry() const { return layout_.geometry(); }
  const Hasher& hasher() const { return hasher_; }
  std::span<const std::uint8_t> payload() const { return {bytes_, geometry().payload_bytes()}; }
  std::uint64_t bytes() const { return geometry().payload_bytes(); }

  // These read the whole filter. bits_set counts the cells in use: bits that are set, counters above 0, slots taken.
  BLOOMERY_API std::uint64_t bits_set() const;
  BLOOMERY_API double fill() const;
  BLOOMERY_API double predicted_fpr() const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count() const;
  // Returns whether both have the same geometry, the same hash (with seed or secret) and the same bits.
  BLOOMERY_API bool equals(const BasicView& other) const;
  // Checks in linear time that adds and removes can have produced the bytes. Changes rely on that; lookups do not, and
  // answer over any bytes.
  BLOOMERY_API Status check_structure() const;
  // Checks that the two can be merged or intersected cell by cell. The error names what differs.
  BLOOMERY_API Status check_combinable(const BasicView& other) const;
  friend bool operator==(const BasicView& a, const BasicView& b) { return a.equals(b); }

 private:
  friend class BasicFilter<Layout>;
  friend class BasicMutableView<Layout>;
  friend class AnyView;
  friend struct any::CheckedViews;

  // As from_payload, for a geometry that the caller has checked.
  BLOOMERY_API static Result<BasicView> from_checked(std::span<const std::uint8_t> bytes, const Geometry& geometry,
                                                     const Hasher& hasher);
  BLOOMERY_PER_ISA BasicView(const std::uint8_t* bytes, const Geometry& geometry, const Hasher& hasher)
      : bytes_(bytes), layout_(geometry), hasher_(hasher) {}

  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void ask_many(const char* function, const Keys& keys, std::span<std::uint8_t> answers) const {
    detail::check_lengths(function, std::size(keys), answers.size());
    // A run is hashed in small parts, which suits integers; strings want large groups.
    if constexpr (RunningLayout<Layout> && !detail::kAreHashes<Keys> && !detail::kAreBytes<Keys>) {
      layout_.contains_run(bytes_, detail::key_run(hasher_, keys), answers.data());
    } else {
      detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
        layout_.contains_many(bytes_, hashes, answers.data() + first);
      });
    }
  }
  BLOOMERY_API void contains_bits(std::span<const Hash> hashes, std::uint64_t* words) const;
  // `first` is the position of the first of the hashes.
  BLOOMERY_API std::size_t select_hashes(std::span<const Hash> hashes, std::size_t first,
                                         std::uint32_t* positions) const noexcept;

  alignas(64) static constexpr EmptyBytes kNothing = detail::empty_bytes<Layout>();

  const std::uint8_t* bytes_;
  Layout layout_;
  Hasher hasher_;
};

}  // namespace BLOOMERY_NAMESPACE
