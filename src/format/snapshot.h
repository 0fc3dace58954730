// Saving a filter that others are adding to.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bloomery/any.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::format {

// Writes the envelope of the view piece by piece, reading every byte once: the checksum is that of what was written,
// whatever is added meanwhile. At most bytes_per_second, or as fast as it goes for 0. The file appears whole or not at
// all. check_filter, where there is one, is called before the file is created and again before it is put in place; an
// error of it ends the save. The caller hides the reads from ThreadSanitizer (RacyReads).
Status save_snapshot(const std::string& path, const AnyView& view, std::optional<std::uint64_t> key_count,
                     std::uint64_t bytes_per_second, const std::function<Status()>& check_filter = {});

}  // namespace BLOOMERY_NAMESPACE::format
