// The registry of kinds: one line per kind says how its geometry stands in an envelope. Everything else about a kind is
// reached through the variants of bloomery/any.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/any.h"

namespace bloomery::wire {

using GeometryWords = std::array<std::uint64_t, 8>;

struct KindEntry {
  std::uint16_t number;
  const char* name;
  // Checks the words and tells the payload's length; null for a kind whose number is reserved.
  Result<std::uint64_t> (*payload_bytes)(const GeometryWords& words);
  // A view over a payload of that length.
  Result<AnyView> (*view_over)(std::span<const std::uint8_t> payload, const GeometryWords& words, const Hasher& hasher);
};

// nullptr for a number or name nobody has given a meaning.
const KindEntry* find_kind(std::uint16_t number);
const KindEntry* find_kind(std::string_view name);

GeometryWords geometry_words(const AnyView& view);

// The names of the kinds this version can make, for messages: "classic".
std::string available_kinds();

}  // namespace bloomery::wire
