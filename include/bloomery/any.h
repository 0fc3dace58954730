// Filters whose kind is known only at run time: what the command line, bindings and servers hold. What a kind cannot do
// is one clear error here; with the typed filters it does not compile.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/block.h"
#include "bloomery/classic.h"
#include "bloomery/export.h"
#include "bloomery/growth.h"
#include "bloomery/result.h"
#include "bloomery/split.h"

namespace bloomery {

// The numbers are those of files (spec/envelope.md).
enum class Kind : std::uint16_t { classic = 1, split = 2, block = 3 };

BLOOMERY_API const char* to_string(Kind kind) noexcept;
BLOOMERY_API Result<Kind> kind_from_name(std::string_view name);

inline constexpr std::array kAllKinds = {Kind::classic, Kind::split, Kind::block};

// The hash a kind uses unless told otherwise.
BLOOMERY_API Hasher default_hasher(Kind kind) noexcept;

// How large a filter shall be: by rate, by bits per key, or exactly. What does not fit the kind is refused by name.
struct SizeSpec {
  double fpr = 0.01;
  std::optional<double> bits_per_key;         // instead of fpr
  std::optional<std::uint64_t> m, blocks, k;  // exactly: classic m and k, split blocks, block blocks and k
};

using GeometryFields = std::vector<std::pair<const char*, std::uint64_t>>;

// What a filter of that kind for n keys would be, without making it.
struct SizePlan {
  GeometryFields geometry;
  std::uint64_t bytes = 0, bits = 0;
  double predicted_fpr = 0;  // with n keys
  std::string warning;       // not empty when that misses the rate asked for by more than 10 %
};
BLOOMERY_API Result<SizePlan> plan_size(Kind kind, std::uint64_t n, const SizeSpec& spec);

// The same for keys that grow: the filter for growth.n keys, and what it and its rebuild will be like.
struct GrowthSize {
  SizePlan size;  // its predicted_fpr is that of the full filter
  double fpr_at_rebuild = 0;
  // The old filter and the one that replaces it, which coexist during the rebuild. Nothing when the kind cannot be as
  // large as the next one has to be; size.warning then says why.
  std::optional<std::uint64_t> peak_bytes;
};
BLOOMERY_API Result<GrowthSize> plan_growth_size(Kind kind, const GrowthPlan& growth, double fpr);

// Read-only, over bytes that somebody else owns. Copyable, safe from any thread while nobody writes the bytes.
class AnyView {
 public:
  using Variant = std::variant<ClassicView, SplitView, BlockView>;

  template <class Layout>
  AnyView(const BasicView<Layout>& view) : view_(view) {}

  BLOOMERY_API Kind kind() const;
  BLOOMERY_API const Hasher& hasher() const;
  // The geometry as names and numbers, in the order of the file: {"m", 9586}, {"k", 7}.
  BLOOMERY_API GeometryFields geometry_fields() const;

  template <Key T>
  bool contains(const T& key) const {
    return std::visit([&](const auto& view) { return view.contains(key); }, view_);
  }
  template <detail::KeyRange Keys>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const {
    std::visit([&](const auto& view) { view.contains_many(keys, answers); }, view_);
  }

  BLOOMERY_API std::span<const std::uint8_t> payload() const;
  BLOOMERY_API std::uint64_t payload_bits() const;  // those in use: the last byte may have fewer than 8
  BLOOMERY_API std::uint64_t bits_set() const;
  BLOOMERY_API double fill() const;
  BLOOMERY_API double predicted_fpr() const;
  BLOOMERY_API std::optional<std::uint64_t> estimated_count() const;

  // The typed view, or nullptr when it is of another kind.
  template <class View>
  const View* as() const {
    return std::get_if<View>(&view_);
  }
  const Variant& variant() const { return view_; }

  friend bool operator==(const AnyView& a, const AnyView& b) { return a.view_ == b.view_; }

 private:
  Variant view_;
};

// Owns its memory. One writer, and no reader while it writes. Moves; copies only by clone().
class AnyFilter {
 public:
  using Variant = std::variant<ClassicFilter, SplitFilter, BlockFilter>;

  template <class Layout>
  AnyFilter(BasicFilter<Layout> filter) : filter_(std::move(filter)) {}

  // For n keys at that rate, with the hash given, or the kind's own.
  BLOOMERY_API static Result<AnyFilter> with_capacity(Kind kind, std::uint64_t n, double fpr,
                                                      std::optional<Hasher> hasher = {});
  // The same by a SizeSpec; the warning of its plan goes to the log hook.
  BLOOMERY_API static Result<AnyFilter> with_size(Kind kind, std::uint64_t n, const SizeSpec& spec,
                                                  std::optional<Hasher> hasher = {});
  BLOOMERY_API static Result<AnyFilter> copy_of(const AnyView& view, std::optional<std::uint64_t> key_count);

  template <Key T>
  bool add(const T& key) {
    return std::visit([&](auto& filter) { return filter.add(key); }, filter_);
  }
  template <detail::KeyRange Keys>
  void add_many(const Keys& keys) {
    std::visit([&](auto& filter) { filter.add_many(keys); }, filter_);
  }
  template <Key T>
  bool contains(const T& key) const {
    return view().contains(key);
  }

  BLOOMERY_API Status merge(const AnyFilter& other);
  BLOOMERY_API Status intersect(const AnyFilter& other);
  // No kind of this version can; the error says so and names one that will.
  template <Key T>
  Status remove(const T&) {
    return cannot_remove();
  }
  BLOOMERY_API void clear();
  BLOOMERY_API Result<AnyFilter> clone() const;

  BLOOMERY_API std::optional<std::uint64_t> key_count() const;
  BLOOMERY_API AnyView view() const;

 private:
  BLOOMERY_API Status cannot_remove() const;

  Variant filter_;
};

}  // namespace bloomery
