#include "cli/records.h"

namespace bloomery::cli {

Status save_changed(const std::string& path, const AnyFilter& filter, const FileInfo& before) {
  if (before.format != Format::envelope) return save(path, filter, before.format);
  return save(path, filter, before.rewrite_options_after_change());
}

Status save_merged(const std::string& path, const AnyFilter& filter, Format format, const Records& records) {
  if (format != Format::envelope) return save(path, filter, format);
  EnvelopeOptions options;
  options.records = records;
  return save(path, filter, options);
}

}  // namespace bloomery::cli
