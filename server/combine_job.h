// BLM.MERGE and BLM.INTERSECT of large filters while other clients go on. The server's thread copies each filter in
// slices; a thread of the job's own combines the copies, whatever their kind. The result takes its place in one step.
#pragma once

#include "server/call.h"

namespace bloomery::server {

// Together up to so many bytes are combined at once: that takes a few milliseconds.
inline constexpr std::uint64_t kCombinedAtOnce = std::uint64_t{4} << 20;

// Begins to combine the filters of the arguments into the key of the first; replies when it is done. A write to, expiry
// or deletion of any of them meanwhile ends it with an error, and nothing has changed then. It is replicated once, when
// it is done.
void begin_combination(const Call& call, bool merge);

}  // namespace bloomery::server
