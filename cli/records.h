// The records of a file: those that `bloomery build` is asked for, and those that stay when a command writes the file
// again (spec/envelope.md, "Who changes a file").
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bloomery/bloomery.h"
#include "cli/command.h"

namespace bloomery::cli {

// --label, --chunks and --align as given.
struct RecordOptions {
  std::string label, align;
  bool chunks = false;

  void add_to(Command& command);
  bool given() const { return !label.empty() || !align.empty() || chunks; }
  // Refuses a format that has no room for them.
  Result<EnvelopeOptions> parse(Format format) const;
};

// What inspect shows of records: labels and values of its lines, and its fields in JSON, each behind a comma.
std::vector<std::pair<const char*, std::string>> record_lines(const FileInfo& info);
std::string record_fields(const FileInfo& info);

// Writes a filter whose payload changed in the format it had, with those of its records that stay true.
Status save_changed(const std::string& path, const AnyFilter& filter, const FileInfo& before);
// Writes the union of filters: an envelope with these records, or another format, which has none.
Status save_merged(const std::string& path, const AnyFilter& filter, Format format, const Records& records);

}  // namespace bloomery::cli
