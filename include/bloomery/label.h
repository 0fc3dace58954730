// Sets, changes or removes the label of a file (spec/envelope.md, "Records").
#pragma once

#include <optional>
#include <string>

#include "bloomery/export.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// Gives the envelope at that path another label, or none for nullopt. The payload, its checksum and all other records
// stay as they are. It does not verify the payload: a keyed file needs no secret, and a damaged one stays damaged to
// every reader. It replaces the file whole or not at all, which copies the payload; a file that has the label already
// is left alone. It takes filters and iblts, and refuses other formats, which have no label.
BLOOMERY_API Status set_label(const std::string& path, const std::optional<std::string>& label);

}  // namespace BLOOMERY_NAMESPACE
