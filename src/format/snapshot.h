// Saving a filter that others are adding to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/any.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::format {

// Writes the envelope of the view piece by piece, reading every byte once: the checksum is that of what was written,
// whatever is added meanwhile. At most bytes_per_second, or as fast as it goes for 0. The file appears whole or not at
// all. The caller hides the reads from ThreadSanitizer (RacyReads).
Status save_snapshot(const std::string& path, const AnyView& view, std::optional<std::uint64_t> key_count,
                     std::uint64_t bytes_per_second);

}  // namespace BLOOMERY_NAMESPACE::format
