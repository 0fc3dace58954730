// Checks that stay on in every build, because what they stop would write to foreign memory. A check that fails prints a
// sentence on standard error and ends the program (abort). A correct call pays one comparison.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

[[noreturn]] BLOOMERY_API void end_for_lengths(const char* function, std::size_t keys, std::size_t length,
                                               std::size_t needed) noexcept;
[[noreturn]] BLOOMERY_API void end_for_positions(const char* function, std::size_t keys) noexcept;
[[noreturn]] BLOOMERY_API void end_for_moved_from(const char* function) noexcept;
[[noreturn]] void end_for_no_memory() noexcept;

// Checks the output of a batch: it has `length` elements, each for the answers to `keys_per_element` keys.
inline void check_lengths(const char* function, std::size_t keys, std::size_t length,
                          std::size_t keys_per_element = 1) noexcept {
  const std::size_t needed = keys / keys_per_element + (keys % keys_per_element != 0);
  if (length < needed) [[unlikely]]
    end_for_lengths(function, keys, length, needed);
}

// Checks that positions of 32 bits can name each of the keys.
inline void check_positions(const char* function, std::size_t keys) noexcept {
  if (std::uint64_t{keys} > std::uint64_t{1} << 32) [[unlikely]]
    end_for_positions(function, keys);
}

}  // namespace BLOOMERY_NAMESPACE::detail
