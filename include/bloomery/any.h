// Filters whose kind is known only at run time: the command line, bindings and servers hold these. What a kind cannot
// do is an error here; with the typed filters it does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/block.h"
#include "bloomery/classic.h"
#include "bloomery/counting.h"
#include "bloomery/cuckoo.h"
#include "bloomery/detail/batch.h"
#include "bloomery/detail/check.h"
#include "bloomery/export.h"
#include "bloomery/filter_options.h"
#include "bloomery/fuse.h"
#include "bloomery/growth.h"
#include "bloomery/keys.h"
#include "bloomery/partitioned.h"
#include "bloomery/quotient.h"
#include "bloomery/result.h"
#include "bloomery/ribbon.h"
#include "bloomery/scalable.h"
#include "bloomery/split.h"
#include "bloomery/stable.h"

namespace BLOOMERY_NAMESPACE {

// A list of layouts as one type.
template <class... Layouts>
struct LayoutList {
  using Views = std::variant<BasicView<Layouts>...>;
  using Filters = std::variant<BasicFilter<Layouts>...>;
  template <class Next>
  using And = LayoutList<Layouts..., Next>;
  static constexpr std::array<Kind, sizeof...(Layouts)> kKinds = {Layouts::Geometry::kKind...};

  // Calls use(std::type_identity<Layout>) for each layout, in order.
  template <class Use>
  static void for_each(Use use) {
    (use(std::type_identity<Layouts>{}), ...);
  }
};

// The layouts of all kinds of the list in bloomery/kind.h.
#define BLOOMERY_KIND(name, Class, number) ::And<Class##Layout>
using AllLayouts = LayoutList<> BLOOMERY_KINDS(BLOOMERY_KIND);
#undef BLOOMERY_KIND

inline constexpr auto& kAllKinds = AllLayouts::kKinds;

BLOOMERY_API Result<Kind> kind_from_name(std::string_view name);

// Says in a phrase when to pick the kind.
BLOOMERY_API const char* when_to_pick(Kind kind) noexcept;

// Returns the hash that a kind uses by default.
BLOOMERY_API Hasher default_hasher(Kind kind) noexcept;

using GeometryFields = std::vector<std::pair<const char*, std::uint64_t>>;

// The size of a filter, given by rate, by bits per key, or exactly. A number that does not fit the kind is refused by
// name.
struct SizeSpec {
  double fpr = 0.01;
  std::optional<double> bits_per_key = {};  // instead of fpr
  // Numbers by name. Either all numbers of the geometry, instead of fpr and bits_per_key; or, beside those, the one
  // that the kind leaves open: counter_bits of counting (4 by default), growth of scalable (2), arity of fuse (3).
  std::vector<std::pair<std::string, std::uint64_t>> numbers = {};
};

// What a filter of some kind for n keys would be; no filter is created.
struct SizePlan {
  GeometryFields geometry;
  std::uint64_t bytes = 0, bits = 0;
  double predicted_fpr = 0;  // with n keys; of a kind that forgets, the rate at which it settles
  bool exact = false;        // the geometry was given by numbers, so n did not matter
  std::string warning;       // not empty when predicted_fpr misses the requested rate by more than 10 %
};
BLOOMERY_API Result<SizePlan> plan_size(Kind kind, std::uint64_t n, const SizeSpec& spec);

// A filter for keys that grow: its size for growth.n keys, and what its rebuild takes.
struct GrowthSize {
  SizePlan size;  // its predicted_fpr is that of the full filter
  double fpr_at_rebuild = 0;
  // The bytes of the old filter and of the one that replaces it, which coexist during the rebuild. Nothing when the
  // kind cannot be as large as the next filter has to be; size.warning then says why.
  std::optional<std::uint64_t> peak_bytes;
};
BLOOMERY_API Result<GrowthSize> plan_growth_size(Kind kind, const GrowthPlan& growth, double fpr);

// A view whose kind is known at run time. Any thread may use it while nobody writes the bytes. Somebody else owns the
// bytes and keeps them alive; copies of the view refer to the same bytes.
class AnyView {
 public:
  using Variant = AllLayouts::Views;

  template <class Layout, unsigned kIsa = detail::kCompiledFor>
  AnyView(const BasicView<Layout>& view) : view_(view), hasher_(view.hasher()) {}

  BLOOMERY_API Kind kind() const;
  const Hasher& hasher() const { return hasher_; }
  // Returns the geometry as names and numbers, in the order of the file: {"m", 9586}, {"k", 7}. Throws std::bad_alloc.
  BLOOMERY_API GeometryFields geometry_fields() const;

  // False: the key was never added, unless the kind forgets (see forgets()). True: it may have been.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    return contains_hash(hash_key(hasher_, key));
  }
  // As BasicView::contains_many.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    detail::check_lengths("contains_many", std::size(keys), answers.size());
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      contains_hashes(hashes, answers.subspan(first));
    });
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(keys.begin(), keys.size()), answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(first, last), answers);
  }
  // As BasicView::select_present and BasicView::contains_bitmap.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  std::size_t select_present(const Keys& keys, std::span<std::uint32_t> positions) const noexcept {
    detail::check_positions("select_present", std::size(keys));
    detail::check_lengths("select_present", std::size(keys), positions.size());
    std::size_t found = 0;
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      found += select_hashes(hashes, first, positions.data() + found);
    });
    return found;
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_bitmap(const Keys& keys, std::span<std::uint64_t> words) const noexcept {
    detail::check_lengths("contains_bitmap", std::size(keys), words.size(), 64);
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      contains_bits(hashes, words.data() + first / 64);
    });
  }
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> std::size_t select_present(const R&, std::span<std::uint32_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <RangeWithoutHash R> void contains_bitmap(const R&, std::span<std::uint64_t>) const = delete;  // no hash of its elements: write bloomery_hash
  // clang-format on
  // Returns whether the kind may deny a key that was added, because newer keys took its place. The answer "no" of such
  // a filter does not mean "definitely absent".
  BLOOMERY_API bool forgets() const;
  // Calls use(fingerprint, times) for every fingerprint, in order. The error is that the kind has no fingerprints, or
  // what `use` throws.
  BLOOMERY_API Status for_each(const std::function<void(std::uint64_t fingerprint, std::uint64_t times)>& use) const;

  // Returns how many attempts of the build failed; nothing for kinds whose build cannot fail.
  BLOOMERY_API std::optional<std::uint64_t> retries() const;

  // As BasicView::check_structure.
  BLOOMERY_API Status check_structure() const;

  BLOOMERY_API std::span<const std::uint8_t> payload() const;
  std::uint64_t bytes() const { return payload().size(); }
  BLOOMERY_API std::uint64_t payload_bits() const;  // in use: the last byte may have fewer than 8
  BLOOMERY_API const char* cells() const;           // what bits_set counts: "bits", "counters", "slots"
  BLOOMERY_API std::uint64_t bits_set() const;
  BLOOMERY_API double fill() const;
  BLOOMERY_API double predicted_fpr() const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count() const;

  // Returns the typed view, or nullptr when the view is of another kind.
  template <class View>
  const View* as() const {
    return std::get_if<View>(&view_);
  }
  const Variant& variant() const { return view_; }

  friend bool operator==(const AnyView& a, const AnyView& b) { return a.view_ == b.view_; }

 private:
  BLOOMERY_API bool contains_hash(Hash hash) const noexcept;
  BLOOMERY_API void contains_hashes(std::span<const Hash> hashes, std::span<std::uint8_t> answers) const noexcept;
  BLOOMERY_API void contains_bits(std::span<const Hash> hashes, std::uint64_t* words) const noexcept;
  BLOOMERY_API std::size_t select_hashes(std::span<const Hash> hashes, std::size_t first,
                                         std::uint32_t* positions) const noexcept;

  Variant view_;
  Hasher hasher_;  // that of the view, so that hashing needs no dispatch
};

// The abilities that some kinds have and others have not.
enum class Ability : std::uint8_t { add, remove, merge, intersect, resize, iterate, fold };

BLOOMERY_API bool can(Kind kind, Ability ability) noexcept;
// As AnyView::forgets.
BLOOMERY_API bool forgets(Kind kind) noexcept;

// A filter whose kind is known at run time. One thread may write to it while no other reads it; any number may read it
// while none writes. It owns its memory; it moves, and copies only by clone(). A filter that was moved from is an empty
// filter of its kind. What the kind cannot do is an error that names a kind that can.
class AnyFilter {
 public:
  using Variant = AllLayouts::Filters;

  template <class Layout, unsigned kIsa = detail::kCompiledFor>
  AnyFilter(BasicFilter<Layout> filter) : filter_(std::move(filter)) {}
  AnyFilter(AnyFilter&&) noexcept = default;
  AnyFilter& operator=(AnyFilter&&) noexcept = default;

  // Creates the filter of these keys; static kinds (fuse, ribbon) are created in no other way. It uses the threads
  // where the kind can. A static kind counts equal keys once.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  static Result<AnyFilter> build(Kind kind, const Keys& keys, const SizeSpec& spec = {},
                                 const FilterOptions& options = {}, unsigned threads = 1) {
    const Hasher hasher = options.hasher.value_or(default_hasher(kind));
    return build_run(kind, detail::key_run(hasher, keys), spec, {hasher, options.memory}, threads);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  static Result<AnyFilter> build(Kind kind, std::initializer_list<T> keys, const SizeSpec& spec = {},
                                 const FilterOptions& options = {}, unsigned threads = 1) {
    return build(kind, std::span(keys.begin(), keys.size()), spec, options, threads);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  static Result<AnyFilter> build(Kind kind, Keys first, Keys last, const SizeSpec& spec = {},
                                 const FilterOptions& options = {}, unsigned threads = 1) {
    return build(kind, std::span(first, last), spec, options, threads);
  }
  // Creates an empty filter for n keys at that rate. Refuses static kinds.
  BLOOMERY_API static Result<AnyFilter> with_capacity(Kind kind, std::uint64_t n, double fpr,
                                                      const FilterOptions& options = {});
  // Creates an empty filter of that size; the warning of its plan goes to the log hook.
  BLOOMERY_API static Result<AnyFilter> with_size(Kind kind, std::uint64_t n, const SizeSpec& spec,
                                                  const FilterOptions& options = {});
  // As BasicFilter::copy_of.
  BLOOMERY_API static Result<AnyFilter> copy_of(const AnyView& view, std::optional<std::uint64_t> key_count,
                                                MemorySource* memory = nullptr);

  // Adds a key. The error is ErrorCode::full or out_of_memory of kinds that can be full or grow, and
  // ErrorCode::unsupported of static kinds, which take no more keys.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add(const T& key) {
    return add_hash(hash_key(hasher(), key));
  }
  // Adds all keys in order. On an error the keys before the refused one are in, and key_count() has risen by their
  // number.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) {
    Status status;
    detail::for_hash_groups(hasher(), keys, [&](std::size_t, std::span<const Hash> hashes) {
      if (status.ok()) status = add_hashes(hashes);
    });
    return status;
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add_many(std::initializer_list<T> keys) {
    return add_many(std::span(keys.begin(), keys.size()));
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(Keys first, Keys last) {
    return add_many(std::span(first, last));
  }
  // Adds all keys on several threads. Block and split filters do so; other kinds add on one thread.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys, unsigned threads) {
    return add_run(detail::key_run(hasher(), keys), threads);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    return view().contains(key);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    view().contains_many(keys, answers);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(keys.begin(), keys.size()), answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(first, last), answers);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  std::size_t select_present(const Keys& keys, std::span<std::uint32_t> positions) const noexcept {
    return view().select_present(keys, positions);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_bitmap(const Keys& keys, std::span<std::uint64_t> words) const noexcept {
    view().contains_bitmap(keys, words);
  }
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> Status add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> Status add_many(const R&, unsigned = 1) = delete;  // no hash of its elements: write bloomery_hash
  template <RangeWithoutHash R, class... Rest> static Result<AnyFilter> build(Kind, const R&, const Rest&...) = delete;  // no hash of its elements: write bloomery_hash
  template <class T> Result<bool> remove(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  AnyFilter(const AnyFilter&) = delete;  // copies are made by clone(), which can fail
  AnyFilter& operator=(const AnyFilter&) = delete;  // copies are made by clone(), which can fail
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> std::size_t select_present(const R&, std::span<std::uint32_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <RangeWithoutHash R> void contains_bitmap(const R&, std::span<std::uint64_t>) const = delete;  // no hash of its elements: write bloomery_hash
  // clang-format on

  // Removes a key that was added, once, as BasicFilter::remove. False: the key is certainly not there, and nothing has
  // changed.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Result<bool> remove(const T& key) {
    return remove_hash(hash_key(hasher(), key));
  }
  BLOOMERY_API Status merge(const AnyFilter& other);
  BLOOMERY_API Status intersect(const AnyFilter& other);
  BLOOMERY_API Status resize();
  // Turns a scalable filter into one link again, from all of its keys: see bloomery::fold.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status fold_into(const Keys& keys) {
    return std::visit(
        [&]<class Layout>(BasicFilter<Layout>& filter) -> Status {
          if constexpr (requires { fold(filter, keys); }) {
            Result<BasicFilter<Layout>> folded = fold(filter, keys);
            BLOOMERY_TRY(folded);
            filter = *std::move(folded);
            return {};
          } else {
            return cannot(Ability::fold);
          }
        },
        filter_);
  }
  BLOOMERY_API Status clear();
  BLOOMERY_API Result<AnyFilter> clone() const;

  BLOOMERY_API std::optional<std::uint64_t> key_count() const;
  BLOOMERY_API const Hasher& hasher() const;
  BLOOMERY_API FilterOptions options() const;  // as BasicFilter::options
  std::uint64_t bytes() const { return view().bytes(); }
  BLOOMERY_API AnyView view() const;
  const Variant& variant() const { return filter_; }

 private:
  BLOOMERY_API static Result<AnyFilter> build_run(Kind kind, const KeyRun& keys, const SizeSpec& spec,
                                                  const FilterOptions& options, unsigned threads);
  BLOOMERY_API Status add_hash(Hash hash);
  BLOOMERY_API Status add_hashes(std::span<const Hash> hashes);
  BLOOMERY_API Status add_run(const KeyRun& keys, unsigned threads);
  BLOOMERY_API Result<bool> remove_hash(Hash hash);
  BLOOMERY_API Error cannot(Ability ability) const;

  Variant filter_;
};

}  // namespace BLOOMERY_NAMESPACE
