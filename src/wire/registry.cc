#include "wire/registry.h"

#include <algorithm>

#include "base/error.h"

namespace bloomery::wire {
namespace {

// A geometry as words of the header, and back; words beyond its own are 0.
GeometryWords words_of(const ClassicGeometry& g) { return {g.m, g.k}; }
GeometryWords words_of(const SplitGeometry& g) { return {g.blocks}; }
GeometryWords words_of(const BlockGeometry& g) { return {g.blocks, g.k}; }

template <class Geometry>
Result<Geometry> made_from(const GeometryWords& words);
template <>
Result<ClassicGeometry> made_from(const GeometryWords& words) {
  return ClassicGeometry::make(words[0], words[1]);
}
template <>
Result<SplitGeometry> made_from(const GeometryWords& words) {
  return SplitGeometry::make(words[0]);
}
template <>
Result<BlockGeometry> made_from(const GeometryWords& words) {
  return BlockGeometry::make(words[0], words[1]);
}

template <class Geometry>
Result<Geometry> parse(const GeometryWords& words) {
  Result<Geometry> geometry = made_from<Geometry>(words);
  if (!geometry.ok()) return corrupt(geometry.error().field, geometry.error().message);
  if (words_of(*geometry) != words) return corrupt("geometry", "a geometry word that this kind does not use is not 0");
  return geometry;
}

template <class View>
Result<std::uint64_t> payload_bytes(const GeometryWords& words) {
  auto geometry = parse<typename View::Geometry>(words);
  if (!geometry.ok()) return std::move(geometry).error();
  return geometry->payload_bytes();
}

template <class View>
Result<AnyView> view_over(std::span<const std::uint8_t> payload, const GeometryWords& words, const Hasher& hasher) {
  auto geometry = parse<typename View::Geometry>(words);
  if (!geometry.ok()) return std::move(geometry).error();
  Result<View> view = View::over(payload, *geometry, hasher);
  if (!view.ok()) return std::move(view).error();
  return AnyView(*view);
}

constexpr std::array kKinds = {
    KindEntry{1, "classic", payload_bytes<ClassicView>, view_over<ClassicView>},
    KindEntry{2, "split", payload_bytes<SplitView>, view_over<SplitView>},
    KindEntry{3, "block", payload_bytes<BlockView>, view_over<BlockView>},
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
