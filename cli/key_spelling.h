// How a line spells a key: --keys text|int|hex|base64 (spec/keys.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/bloomery.h"

namespace bloomery::cli {

enum class Spelling : std::uint8_t { text, integer, hex, base64 };

// By the word of --keys.
Result<Spelling> spelling_from_name(std::string_view name);
const char* to_string(Spelling spelling) noexcept;

// What a file says of keys that are spelled so: the record `keys`.
const char* record_of(Spelling spelling) noexcept;

// The spelling to ask a file with: as given, or as its record says, or text. Refuses one that the record contradicts,
// and a type that no line can spell, unless forced.
Result<Spelling> spelling_for(const Records& records, const std::optional<Spelling>& given, bool force);

// Appends the bytes of the key. False when the line spells none; then nothing is appended.
bool append_key(Spelling spelling, std::string_view line, std::vector<std::uint8_t>& to);

// What a line should be, for an error: "a whole number such as -42".
const char* example_of(Spelling spelling) noexcept;

}  // namespace bloomery::cli
