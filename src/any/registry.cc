#include "any/registry.h"

#include <algorithm>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::any {

// The only code that may make views of geometries without checking them again.
struct CheckedViews {
  template <class View>
  static Result<View> make(std::span<const std::uint8_t> payload, const typename View::Geometry& geometry,
                           const Hasher& hasher) {
    return View::from_checked(payload, geometry, hasher);
  }
};

namespace {

// A geometry as words of the header, and back; words beyond its own are 0.
template <class Geometry>
GeometryWords words_of(const Geometry& geometry) {
  GeometryWords words{};
  const auto values = geometry.values();
  static_assert(values.size() <= words.size());
  std::copy(values.begin(), values.end(), words.begin());
  return words;
}

template <class Geometry>
Result<CheckedGeometry> parse(const GeometryWords& words) {
  decltype(Geometry{}.values()) values;
  std::copy_n(words.begin(), values.size(), values.begin());
  Result<Geometry> geometry = Geometry::from_values(values);
  if (!geometry.ok()) return corrupt(geometry.error().field, geometry.error().message);
  if (words_of(*geometry) != words) return corrupt("geometry", "a geometry word that this kind does not use is not 0");
  return CheckedGeometry(*geometry);
}

template <class View>
Result<AnyView> view_over(std::span<const std::uint8_t> payload, const CheckedGeometry& geometry,
                          const Hasher& hasher) {
  Result<View> view = CheckedViews::make<View>(payload, std::get<typename View::Geometry>(geometry), hasher);
  BLOOMERY_TRY(view);
  return AnyView(*view);
}

template <class... Layouts>
constexpr std::array<KindEntry, sizeof...(Layouts)> entries_of(LayoutList<Layouts...>) {
  return {KindEntry{Layouts::Geometry::kKind, parse<typename Layouts::Geometry>, view_over<BasicView<Layouts>>}...};
}

constexpr auto kEntries = entries_of(AllLayouts{});
constexpr KindEntry kIblt{Kind::iblt, parse<IbltGeometry>, nullptr};

}  // namespace

const KindEntry* find_kind(Kind kind) {
  const auto* found =
      std::find_if(kEntries.begin(), kEntries.end(), [&](const auto& entry) { return entry.kind == kind; });
  return found == kEntries.end() ? nullptr : found;
}

const KindEntry& iblt_entry() { return kIblt; }

GeometryWords geometry_words(const IbltGeometry& geometry) { return words_of(geometry); }

std::uint64_t payload_bytes(const CheckedGeometry& geometry) {
  return std::visit([](const auto& typed) { return typed.payload_bytes(); }, geometry);
}

GeometryWords geometry_words(const AnyView& view) {
  return std::visit([](const auto& typed) { return words_of(typed.geometry()); }, view.variant());
}

std::string available_kinds() {
  std::string names;
  for (Kind kind : kAllKinds) names += (names.empty() ? "" : ", ") + std::string(to_string(kind));
  return names;
}

}  // namespace BLOOMERY_NAMESPACE::any
