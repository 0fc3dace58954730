// BasicFilter: a filter that owns its bytes, of any kind. BlockFilter and its like are this template; view.h and
// mutable_view.h have filters over bytes of somebody else. layout.h says what a Layout is; what a kind cannot do does
// not compile.
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
#include "bloomery/detail/buffer.h"
#include "bloomery/detail/check.h"
#include "bloomery/detail/key_count.h"
#include "bloomery/export.h"
#include "bloomery/filter_options.h"
#include "bloomery/hash.h"
#include "bloomery/keys.h"
#include "bloomery/layout.h"
#include "bloomery/result.h"
#include "bloomery/view.h"

namespace BLOOMERY_NAMESPACE {

// A filter that owns its bytes. One thread may write to it while no other reads it; any number may read it while none
// writes. It moves, and copies only by clone(). A filter that was moved from is the empty filter, View(): the smallest
// of its kind, with the kind's own hash; it takes memory with its first key. The type is exported because a template
// over a hidden type (LiveFilter, RotatingFilter) is hidden whatever its own marks say.
template <class Layout>
class BLOOMERY_API BasicFilter {
 public:
  using View = BasicView<Layout>;
  using Geometry = typename Layout::Geometry;

  BLOOMERY_PER_ISA BasicFilter(BasicFilter&& other) noexcept
      : bytes_(std::move(other.bytes_)),
        view_(std::exchange(other.view_, View())),
        key_count_(std::exchange(other.key_count_, detail::KeyCount(0))) {}
  BLOOMERY_PER_ISA BasicFilter& operator=(BasicFilter&& other) noexcept {
    BasicFilter taken(std::move(other));  // so that a move to itself changes nothing
    bytes_ = std::move(taken.bytes_);
    view_ = taken.view_;
    key_count_ = taken.key_count_;
    return *this;
  }

  // The factories below are templates because clang 14 instantiates constrained members together with the class.

  // Creates an empty filter for n keys at a false-positive rate of fpr. Refuses a rate that the kind cannot reach, and
  // names a kind that can.
  template <class L = Layout>
  static Result<BasicFilter> with_capacity(std::uint64_t n, double fpr,
                                           const FilterOptions& options = {}) requires(!StaticLayout<L>) {
    return create(L::plan(n, fpr), options);
  }
  // Creates an empty filter of exactly that geometry. Refuses no valid geometry.
  template <class L = Layout>
  static Result<BasicFilter> with_geometry(const Geometry& geometry,
                                           const FilterOptions& options = {}) requires(!StaticLayout<L>) {
    return create(geometry, options);
  }
  // Creates it by the numbers of the geometry, for kinds that have two, and for kinds of blocks.
  template <class G = Geometry>
  static Result<BasicFilter> with_geometry(std::uint64_t m, std::uint64_t k,
                                           const FilterOptions& options = {}) requires requires {
    G::make(m, k);
  }
  { return create(G::make(m, k), options); }
  template <class G = Geometry>
  static Result<BasicFilter> with_blocks(std::uint64_t blocks, const FilterOptions& options = {}) requires requires {
    G::make(blocks);
  }
  { return create(G::make(blocks), options); }
  template <class G = Geometry>
  static Result<BasicFilter> with_blocks(std::uint64_t blocks, std::uint64_t k,
                                         const FilterOptions& options = {}) requires requires {
    G::kBlockBytes, G::make(blocks, k);
  }
  { return create(G::make(blocks, k), options); }
  // Creates the largest filter that fits in so many bytes. A block filter also needs the number of keys.
  template <class G = Geometry>
  static Result<BasicFilter> with_bytes(std::uint64_t bytes, const FilterOptions& options = {}) requires requires {
    G::for_bytes(bytes);
  }
  { return create(G::for_bytes(bytes), options); }
  template <class G = Geometry>
  static Result<BasicFilter> with_bytes(std::uint64_t bytes, std::uint64_t n,
                                        const FilterOptions& options = {}) requires requires {
    G::for_bytes(bytes, n);
  }
  { return create(G::for_bytes(bytes, n), options); }
  // Creates the filter of these keys. The bytes are the same for any number of threads; block, split, fuse and ribbon
  // use the threads. No keys make an empty filter for one key. A static kind counts equal keys once, and key_count()
  // returns the number of different keys; its build takes 16 bytes a key (8 where the keys are hashes) beside what the
  // kind needs.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  static Result<BasicFilter> build(const Keys& keys, double fpr, const FilterOptions& options = {},
                                   unsigned threads = 1) {
    const std::uint64_t n = std::size(keys) > 0 ? std::size(keys) : 1;
    if constexpr (StaticLayout<Layout>) {
      const Result<Geometry> target = Layout::plan(n, fpr);
      BLOOMERY_TRY(target);
      const Hasher hasher = options.hasher.value_or(Layout::default_hasher());
      return build_like(*target, detail::key_run(hasher, keys), {hasher, options.memory}, threads);
    } else {
      Result<BasicFilter> filter = with_capacity(n, fpr, options);
      BLOOMERY_TRY(filter);
      BLOOMERY_TRY(filter->add_many(keys, threads));
      return filter;
    }
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  static Result<BasicFilter> build(const Keys& keys, double fpr, unsigned threads) {
    return build(keys, fpr, FilterOptions(), threads);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  static Result<BasicFilter> build(std::initializer_list<T> keys, double fpr, const FilterOptions& options = {},
                                   unsigned threads = 1) {
    return build(std::span(keys.begin(), keys.size()), fpr, options, threads);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  static Result<BasicFilter> build(Keys first, Keys last, double fpr, const FilterOptions& options = {},
                                   unsigned threads = 1) {
    return build(std::span(first, last), fpr, options, threads);
  }
  // Creates a filter of a static kind with the rate of `target`, whose other numbers do not matter.
  BLOOMERY_API static Result<BasicFilter> build_like(const Geometry& target, const KeyRun& keys,
                                                     const FilterOptions& options, unsigned threads);
  // Creates a copy of what the view shows; key_count is the number of keys that were added to it, if known. Refuses
  // what View::check_structure refuses.
  BLOOMERY_API static Result<BasicFilter> copy_of(const View& view, std::optional<std::uint64_t> key_count,
                                                  MemorySource* memory = nullptr);

  // Adds a key. Returns whether any bit changed; false means that the key was there before, or looks like it.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) requires TakingLayout<Layout> {
    const bool changed = view_.layout_.add(writable(), hash_key(view_.hasher_, key));
    key_count_.add_one();
    return changed;
  }
  // Adds a key to a kind that can be full. The error is ErrorCode::full, or out_of_memory of a kind that grows.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add(const T& key) requires FillingLayout<Layout> {
    const Hash hash = hash_key(view_.hasher_, key);
    while (!has_memory() || !view_.layout_.place(bytes_.data(), hash)) BLOOMERY_TRY(make_room());
    key_count_.add_one();
    return {};
  }
  // Adds a key. Returns whether it may have been present before.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool test_and_add(const T& key) requires TakingLayout<Layout> {
    return !add(key);
  }
  // Adds all keys in order. Kinds that take every key have no error but out_of_memory, and that only after they were
  // moved from. Other kinds have the error of add: then the keys before the refused one are in, and key_count() has
  // risen by their number.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) requires TakingLayout<Layout> {
    BLOOMERY_TRY(ensure_memory());
    detail::for_hash_groups(view_.hasher_, keys, [&](std::size_t, std::span<const Hash> hashes) {
      view_.layout_.add_many(bytes_.data(), hashes);
      key_count_.add(hashes.size());
    });
    return {};
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) requires FillingLayout<Layout> {
    Status status;
    detail::for_hash_groups(view_.hasher_, keys, [&](std::size_t, std::span<const Hash> hashes) {
      if (status.ok()) status = place_many(hashes);
    });
    return status;
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add_many(std::initializer_list<T> keys) requires(!StaticLayout<Layout>) {
    return add_many(std::span(keys.begin(), keys.size()));
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(Keys first, Keys last) requires(!StaticLayout<Layout>) {
    return add_many(std::span(first, last));
  }

  // Adds all keys on several threads. Block and split filters do so, and take the memory that detail/bulk_add.h names;
  // on out_of_memory nothing was added. Other kinds add on one thread.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys, unsigned threads) requires BlockedLayout<Layout> {
    Status status = ensure_memory();
    if (status.ok()) status = view_.layout_.add_bulk(bytes_.data(), detail::key_run(view_.hasher_, keys), threads);
    if (status.ok()) key_count_.add(std::size(keys));
    return status;
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys, unsigned) requires(!StaticLayout<Layout> && !BlockedLayout<Layout>) {
    return add_many(keys);
  }

  // Removes a key that was added, once. False: the key is certainly not there, and nothing has changed. Remove only
  // what was added: a key that merely looks present takes away what another key needs, and the filter may then deny
  // that key.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool remove(const T& key) requires RemovingLayout<Layout> {
    if (!has_memory() || !view_.layout_.remove(bytes_.data(), hash_key(view_.hasher_, key))) return false;
    key_count_.remove_one();
    return true;
  }

  // Removes many keys in order. Sets answers[i] to 1 when keys[i] was removed, else to 0. When there are fewer answers
  // than keys it removes nothing and ends the program with a sentence. The answers may not share memory with the keys.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void remove_many(const Keys& keys, std::span<std::uint8_t> answers) requires BatchRemovingLayout<Layout> {
    detail::check_lengths("remove_many", std::size(keys), answers.size());
    detail::for_hash_groups(view_.hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      view_.layout_.remove_many(writable(), hashes, answers.data() + first);
      for (std::size_t i = 0; i < hashes.size(); ++i)
        if (answers[first + i] != 0) key_count_.remove_one();
    });
  }

  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  BasicFilter(const BasicFilter&) = delete;  // copies are made by clone(), which can fail
  BasicFilter& operator=(const BasicFilter&) = delete;  // copies are made by clone(), which can fail
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool test_and_add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool remove(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> std::uint64_t count(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R, class... Rest> static Result<BasicFilter> build(const R&, double, const Rest&...) = delete;  // no hash of its elements: write bloomery_hash
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> std::size_t select_present(const R&, std::span<std::uint32_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <RangeWithoutHash R> void contains_bitmap(const R&, std::span<std::uint64_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <Key T> bool contains(const T&) const requires ForgettingLayout<Layout> = delete;  // this kind forgets: ask seen_recently(key), whose "no" is no promise
  template <KeyRange Keys> void contains_many(const Keys&, std::span<std::uint8_t>) const requires ForgettingLayout<Layout> = delete;  // this kind forgets: ask seen_recently_many(keys, answers), whose "no" is no promise
  template <RangeWithoutHash R> void add_many(const R&, unsigned = 1) = delete;  // no hash of its elements: write bloomery_hash
  template <class L = Layout> static Result<BasicFilter> with_capacity(std::uint64_t, double, const FilterOptions& = {}) requires StaticLayout<L> = delete;  // this kind is built of all its keys at once: build(keys, fpr)
  template <Key T> bool add(const T&) requires StaticLayout<Layout> = delete;  // this kind is built of all its keys at once: build(keys, fpr)
  template <KeyRange Keys> Status add_many(const Keys&, unsigned = 1) requires StaticLayout<Layout> = delete;  // this kind is built of all its keys at once: build(keys, fpr)
  template <Key T> bool remove(const T&) requires(!RemovingLayout<Layout>) = delete;  // counting, cuckoo and quotient filters remove
  // clang-format on

  // Adds all that `other` holds. Refuses another hash or another geometry, and names both. A kind that can be full also
  // refuses what has no room, and then nothing has changed. The key count becomes the sum of both.
  template <class L = Layout>
  Status merge(const BasicFilter& other) requires MergingLayout<L> {
    detail::KeyCount both = key_count_;
    both.add(other.key_count_);
    if constexpr (UnitingLayout<L>) {
      BLOOMERY_TRY(view_.check_combinable(other.view_));
      BLOOMERY_TRY(ensure_memory());
      view_.layout_.unite(bytes_.data(), other.view_.bytes_);
    } else {
      BLOOMERY_TRY(replace_by(L::merged(*this, other)));
    }
    key_count_ = both;
    return {};
  }
  // Keeps only what `other` holds as well. The key count is unknown afterwards.
  template <class L = Layout>
  Status intersect(const BasicFilter& other) requires IntersectingLayout<L> {
    BLOOMERY_TRY(view_.check_combinable(other.view_));
    BLOOMERY_TRY(ensure_memory());
    view_.layout_.intersect(bytes_.data(), other.view_.bytes_);
    key_count_ = detail::KeyCount(std::nullopt);
    return {};
  }
  // Doubles the room. It does not need the keys.
  template <class L = Layout>
  Status resize() requires ResizingLayout<L> {
    return replace_by(L::resized(*this));
  }
  template <class L = Layout>
  void clear() requires(!StaticLayout<L>) {
    reset();
  }
  BLOOMERY_API Result<BasicFilter> clone() const;

  // Touches every page now, on `threads` threads. Without it the first adds fault pages in.
  Status prefault(unsigned threads = 1) { return bytes_.prefault(threads); }
  // Locks the filter in memory, so that it is never swapped out. The system must allow that (RLIMIT_MEMLOCK, ulimit
  // -l); the error names the limit, and the filter stays as usable as before. The lock ends with the filter. Locking
  // touches every page on one thread, so prefault a large filter first.
  Status lock_in_memory() { return bytes_.lock(); }
  // Returns the pages of a filter from 1 MiB on, which are its own; nothing for a smaller one.
  std::span<std::uint8_t> pages() noexcept { return bytes_.mapping(); }
  // Returns the share, 0 to 1, of its memory that lies in huge pages; nothing where the system does not say.
  BLOOMERY_API std::optional<double> huge_page_share() const;

  // Returns how many adds returned, those of equal keys included, minus removes. Nothing when that is unknown, or needs
  // more than 64 bits.
  std::optional<std::uint64_t> key_count() const { return key_count_.known(); }

  const View& view() const { return view_; }
  // Returns the bytes, for code that sets bits itself, as Shared does. key_count() does not see that, so set it. Empty
  // after the filter was moved from.
  std::span<std::uint8_t> mutable_payload() { return {bytes_.data(), bytes_.size()}; }
  void set_key_count(std::optional<std::uint64_t> key_count) { key_count_ = detail::KeyCount(key_count); }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept requires(!ForgettingLayout<Layout>) {
    return view_.contains(key);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept
      requires(!ForgettingLayout<Layout>) {
    view_.contains_many(keys, answers);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept
      requires(!ForgettingLayout<Layout>) {
    view_.contains_many(keys, answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept
      requires(!ForgettingLayout<Layout>) {
    view_.contains_many(first, last, answers);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  std::size_t select_present(const Keys& keys, std::span<std::uint32_t> positions) const noexcept
      requires(!ForgettingLayout<Layout>) {
    return view_.select_present(keys, positions);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_bitmap(const Keys& keys, std::span<std::uint64_t> words) const noexcept
      requires(!ForgettingLayout<Layout>) {
    view_.contains_bitmap(keys, words);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool seen_recently(const T& key) const noexcept requires ForgettingLayout<Layout> {
    return view_.seen_recently(key);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void seen_recently_many(const Keys& keys,
                          std::span<std::uint8_t> answers) const noexcept requires ForgettingLayout<Layout> {
    view_.seen_recently_many(keys, answers);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  std::uint64_t count(const T& key) const noexcept requires TallyingLayout<Layout> {
    return view_.count(key);
  }
  template <class L = Layout>
  std::uint64_t retries() const requires RetryingLayout<L> {
    return view_.retries();
  }
  template <class Use>
  void for_each(Use use) const requires IteratingLayout<Layout> {
    view_.for_each(use);
  }
  Geometry geometry() const { return view_.geometry(); }
  const Hasher& hasher() const { return view_.hasher(); }
  // Returns the options of its creation: with_geometry(geometry(), options()) creates a filter like this one. A filter
  // that was moved from has the memory of the system.
  FilterOptions options() const { return {hasher(), bytes_.source()}; }
  std::uint64_t bytes() const { return view_.bytes(); }
  std::uint64_t bits_set() const { return view_.bits_set(); }
  double fill() const { return view_.fill(); }
  double predicted_fpr() const { return view_.predicted_fpr(); }
  std::optional<std::uint64_t> estimated_count() const { return view_.estimated_count(); }
  friend bool operator==(const BasicFilter& a, const BasicFilter& b) { return a.view_ == b.view_; }

 private:
  friend Layout;

  BLOOMERY_PER_ISA BasicFilter(detail::Buffer bytes, const Geometry& geometry, const Hasher& hasher)
      : bytes_(std::move(bytes)), view_(bytes_.data(), geometry, hasher) {}

  static Result<BasicFilter> create(Result<Geometry> geometry, const FilterOptions& options) {
    BLOOMERY_TRY(geometry);
    return create(*geometry, options);
  }
  // Creates an empty filter: zeroed bytes, prepared where the kind asks for it.
  BLOOMERY_API static Result<BasicFilter> create(const Geometry& geometry, const FilterOptions& options);

  // False after the filter was moved from: then its bytes are those of View(), which nobody may write.
  bool has_memory() const { return bytes_.data() != nullptr; }
  BLOOMERY_API Status take_memory();
  Status ensure_memory() { return has_memory() ? Status() : take_memory(); }
  // Returns the bytes to write to, for functions that return no Status. Without memory the program ends with a
  // sentence.
  BLOOMERY_PER_ISA std::uint8_t* writable() {
    if (!has_memory()) [[unlikely]]
      take_memory_or_end();
    return bytes_.data();
  }
  BLOOMERY_API void take_memory_or_end();

  template <class L = Layout, unsigned kIsa = detail::kCompiledFor>
  Status place_many(std::span<const Hash> hashes) {
    for (;;) {
      const std::size_t placed = has_memory() ? view_.layout_.place_many(bytes_.data(), hashes) : 0;
      key_count_.add(placed);
      hashes = hashes.subspan(placed);
      if (hashes.empty()) return {};
      BLOOMERY_TRY(make_room());
    }
  }

  BLOOMERY_PER_ISA Status make_room() {
    if (!has_memory()) return take_memory();
    if constexpr (GrowingLayout<Layout>) return replace_by(Layout::grown(*this));
    else return refusal();
  }
  BLOOMERY_API Status refusal() const;
  BLOOMERY_API void prepare();
  BLOOMERY_API void reset();

  // Puts `changed` in the place of this filter, and keeps the key count.
  BLOOMERY_PER_ISA Status replace_by(Result<BasicFilter> changed) {
    BLOOMERY_TRY(changed);
    changed->key_count_ = key_count_;
    *this = *std::move(changed);
    return {};
  }

  detail::Buffer bytes_;
  View view_;
  detail::KeyCount key_count_{0};
};

}  // namespace BLOOMERY_NAMESPACE
