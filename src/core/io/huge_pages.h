// How much of some memory really lies in huge pages, as the kernel tells it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::io {

// The share, 0 to 1, of the mappings that hold these bytes; two neighbouring mappings may be one to the kernel. Nothing
// where /proc/self/smaps cannot be read or does not know. Reads a few kilobytes per mapping of the process: for
// reports.
std::optional<double> huge_page_share(const void* address, std::size_t bytes);

// Computes that share from the text of smaps.
std::optional<double> huge_page_share_in(std::string_view smaps, const void* address, std::size_t bytes);

}  // namespace BLOOMERY_NAMESPACE::io
