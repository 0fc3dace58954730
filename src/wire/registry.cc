#include "wire/registry.h"

#include <algorithm>

#include "base/error.h"

namespace bloomery::wire {
namespace {

Result<ClassicGeometry> classic_geometry(const GeometryWords& words) {
  for (std::size_t unused = 2; unused < words.size(); ++unused)
    if (words[unused] != 0)
      return corrupt("geometry", "geometry word " + std::to_string(unused) + " is not 0, as classic demands");
  Result<ClassicGeometry> geometry = ClassicGeometry::make(words[0], words[1]);
  if (!geometry.ok()) return corrupt(geometry.error().field, geometry.error().message);
  return geometry;
}

Result<std::uint64_t> classic_payload_bytes(const GeometryWords& words) {
  Result<ClassicGeometry> geometry = classic_geometry(words);
  if (!geometry.ok()) return std::move(geometry).error();
  return geometry->payload_bytes();
}

Result<AnyView> classic_view_over(std::span<const std::uint8_t> payload, const GeometryWords& words,
                                  const Hasher& hasher) {
  Result<ClassicGeometry> geometry = classic_geometry(words);
  if (!geometry.ok()) return std::move(geometry).error();
  Result<ClassicView> view = ClassicView::over(payload, *geometry, hasher);
  if (!view.ok()) return std::move(view).error();
  return AnyView(*view);
}

constexpr std::array kKinds = {
    KindEntry{1, "classic", classic_payload_bytes, classic_view_over},
    KindEntry{2, "split", nullptr, nullptr},
    KindEntry{3, "block", nullptr, nullptr},
    KindEntry{4, "counting", nullptr, nullptr},
    KindEntry{5, "partitioned", nullptr, nullptr},
    KindEntry{6, "scalable", nullptr, nullptr},
    KindEntry{7, "stable", nullptr, nullptr},
    KindEntry{8, "cuckoo", nullptr, nullptr},
    KindEntry{9, "quotient", nullptr, nullptr},
    KindEntry{10, "fuse", nullptr, nullptr},
    KindEntry{11, "ribbon", nullptr, nullptr},
    KindEntry{12, "iblt", nullptr, nullptr},
};

template <class Match>
const KindEntry* find(Match match) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(), match);
  return found == kKinds.end() ? nullptr : found;
}

GeometryWords words_of(const ClassicGeometry& geometry) { return {geometry.m, geometry.k}; }

}  // namespace

const KindEntry* find_kind(std::uint16_t number) {
  return find([&](const KindEntry& entry) { return entry.number == number; });
}

const KindEntry* find_kind(std::string_view name) {
  return find([&](const KindEntry& entry) { return entry.name == name; });
}

GeometryWords geometry_words(const AnyView& view) {
  return std::visit([](const auto& typed) { return words_of(typed.geometry()); }, view.variant());
}

std::string available_kinds() {
  std::string names;
  for (const KindEntry& entry : kKinds)
    if (entry.view_over != nullptr) names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

}  // namespace bloomery::wire
