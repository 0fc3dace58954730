// Views over bare payloads by kind and numbers: see bloomery/any_mutable_view.h.
#include <algorithm>
#include <string>

#include "any/size.h"
#include "bloomery/any_mutable_view.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

// The geometry of all its numbers, in any order.
template <class Geometry>
Result<Geometry> geometry_of(const GeometryFields& fields) {
  auto values = Geometry{}.values();
  std::size_t known = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = Geometry::kFields[i];
    const auto same = [&](const auto& field) { return name == field.first; };
    const auto found = std::find_if(fields.begin(), fields.end(), same);
    if (found == fields.end() || std::count_if(fields.begin(), fields.end(), same) > 1)
      return invalid_argument(std::string(name), std::string("the geometry of a ") + to_string(Geometry::kKind) +
                                                     " filter has " + std::string(name) + " once: give it so");
    values[i] = found->second;
    ++known;
  }
  if (known != fields.size())
    return invalid_argument("geometry", std::string("the geometry of a ") + to_string(Geometry::kKind) +
                                            " filter has " + std::to_string(known) + " numbers, not " +
                                            std::to_string(fields.size()));
  return Geometry::from_values(values);
}

Error no_filter(Kind kind) {
  return unsupported("kind", std::string("'") + to_string(kind) + "' is no kind of filter");
}

Error not_in_place(Kind kind) {
  return unsupported("kind", std::string(to_string(kind)) +
                                 " filters are not changed in memory of others: they are built of all their keys at "
                                 "once, or grow");
}

}  // namespace

Result<AnyView> view_from_payload(Kind kind, std::span<const std::uint8_t> bytes, const GeometryFields& geometry,
                                  const Hasher& hasher) {
  return guarded([&]() -> Result<AnyView> {
    return any::with_layout(
        kind,
        [&]<class Layout>(std::type_identity<Layout>) -> Result<AnyView> {
          const auto checked = geometry_of<typename Layout::Geometry>(geometry);
          BLOOMERY_TRY(checked);
          const auto view = BasicView<Layout>::from_payload(bytes, *checked, hasher);
          BLOOMERY_TRY(view);
          return AnyView(*view);
        },
        no_filter(kind));
  });
}

// make(geometry, std::type_identity<Layout>) of the kind.
template <class Make>
Result<AnyMutableView> AnyMutableView::make_of_kind(Kind kind, const GeometryFields& geometry, Make make) {
  return guarded([&]() -> Result<AnyMutableView> {
    return any::with_layout(
        kind,
        [&]<class Layout>(std::type_identity<Layout> layout) -> Result<AnyMutableView> {
          if constexpr (InPlaceLayout<Layout>) {
            const auto checked = geometry_of<typename Layout::Geometry>(geometry);
            BLOOMERY_TRY(checked);
            const auto view = make(*checked, layout);
            BLOOMERY_TRY(view);
            return AnyMutableView(*view);
          } else {
            return not_in_place(kind);
          }
        },
        no_filter(kind));
  });
}

Result<AnyMutableView> AnyMutableView::create(Kind kind, std::span<std::uint8_t> bytes, const GeometryFields& geometry,
                                              const Hasher& hasher) {
  return make_of_kind(kind, geometry, [&]<class Layout>(const auto& checked, std::type_identity<Layout>) {
    return BasicMutableView<Layout>::create(bytes, checked, hasher);
  });
}

Result<AnyMutableView> AnyMutableView::from_payload(Kind kind, std::span<std::uint8_t> bytes,
                                                    const GeometryFields& geometry, const Hasher& hasher) {
  return make_of_kind(kind, geometry, [&]<class Layout>(const auto& checked, std::type_identity<Layout>) {
    return BasicMutableView<Layout>::from_payload(bytes, checked, hasher);
  });
}

Status AnyMutableView::add_hashes(std::span<const Hash> hashes) {
  return std::visit([&](auto& view) { return view.add_many(hashes); }, view_);
}

Result<bool> AnyMutableView::remove_hash(Hash hash) {
  return std::visit(
      [&]<class Layout>(BasicMutableView<Layout>& view) -> Result<bool> {
        if constexpr (RemovingLayout<Layout>) return view.remove(hash);
        else
          return unsupported("kind", std::string(to_string(Layout::Geometry::kKind)) + " filters cannot remove keys");
      },
      view_);
}

Status AnyMutableView::merge(const AnyView& other) {
  return guarded([&]() -> Status {
    return std::visit(
        [&]<class Layout>(BasicMutableView<Layout>& view) -> Status {
          const auto* same = other.as<BasicView<Layout>>();
          if (same == nullptr) return mismatch("kind", "filters of different kinds cannot be combined");
          if constexpr (UnitingLayout<Layout>) return view.merge(*same);
          else
            return unsupported("kind",
                               std::string(to_string(Layout::Geometry::kKind)) +
                                   " filters cannot be merged in memory of others: merge filters that own theirs");
        },
        view_);
  });
}

void AnyMutableView::clear() noexcept {
  std::visit([](auto& view) { view.clear(); }, view_);
}

AnyView AnyMutableView::view() const {
  return std::visit([](const auto& view) { return AnyView(view.view()); }, view_);
}

}  // namespace BLOOMERY_NAMESPACE
