// What becomes of a file's records when a command writes it again (spec/envelope.md, "Who changes a file").
#pragma once

#include <string>

#include "bloomery/bloomery.h"

namespace bloomery::cli {

// Writes a filter whose payload changed in the format it had, with those of its records that stay true.
Status save_changed(const std::string& path, const AnyFilter& filter, const FileInfo& before);
// Writes the union of filters: an envelope with these records, or another format, which has none.
Status save_merged(const std::string& path, const AnyFilter& filter, Format format, const Records& records);

}  // namespace bloomery::cli
