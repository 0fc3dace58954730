// Whether text is UTF-8.
#pragma once

#include <string_view>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::format {

// As Unicode has it: the shortest form of each code point, no surrogates, none above U+10FFFF.
bool is_utf8(std::string_view text) noexcept;

}  // namespace BLOOMERY_NAMESPACE::format
