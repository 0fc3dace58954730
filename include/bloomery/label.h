// The label of a file that exists (spec/envelope.md, "Records"): set, changed or removed.
#pragma once

#include <optional>
#include <string>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// Gives the envelope at that path another label, or none for nullopt. The payload, its checksum and all other records
// stay as they are. The payload is not verified: a keyed file needs no secret, and one that is damaged stays damaged to
// every reader. The file is replaced whole or not at all, which copies the payload; it is left alone when its label is
// that already. Takes filters and iblts; other formats have no label and are refused.
BLOOMERY_API Status set_label(const std::string& path, const std::optional<std::string>& label);

}  // namespace BLOOMERY_NAMESPACE
