#include "cli/records.h"

#include <fmt/format.h>

#include "cli/cli.h"
#include "cli/json.h"
#include "core/base/error.h"

namespace bloomery::cli {

void RecordOptions::add_to(Command& command) {
  command.option("--label", "TEXT", &label, "A name for people, kept in the file: at most 255 bytes");
  command.flag("--chunks", chunks, "Keep a checksum of each chunk, so that verify names the damaged one");
  command.option("--align", "SIZE", &align,
                 "Begin the bits at a multiple of this power of two, at most 4M; 2M for huge pages of a mapped file");
}

Result<EnvelopeOptions> RecordOptions::parse(Format format) const {
  EnvelopeOptions options;
  if (given() && format != Format::envelope) {
    const char* first = !label.empty() ? "--label" : chunks ? "--chunks" : "--align";
    return invalid_argument("format",
                            std::string("only an envelope has records: add --envelope, or leave out ") + first);
  }
  if (!label.empty()) options.records.label = label;
  options.chunks = chunks;
  if (!align.empty()) {
    const Result<std::uint64_t> bytes = parse_alignment("align", align);
    BLOOMERY_TRY(bytes);
    options.align = *bytes;
  }
  // A trial: what cannot be written shall be refused before any key is read.
  const Result<BlockFilter> small = BlockFilter::with_capacity(1, 0.5);
  BLOOMERY_TRY(small);
  BLOOMERY_TRY(encode(small->view(), 0, options));
  return options;
}

std::vector<std::pair<const char*, std::string>> record_lines(const FileInfo& info) {
  std::vector<std::pair<const char*, std::string>> lines;
  if (info.records.label) lines.emplace_back("label", *info.records.label);
  if (info.records.created) lines.emplace_back("created", std::to_string(*info.records.created));
  if (info.records.keys) lines.emplace_back("keys are", *info.records.keys);
  if (info.chunks)
    lines.emplace_back("chunks", fmt::format("{} of {} bytes", info.chunks->sums.size(), info.chunks->chunk_bytes));
  return lines;
}

std::string record_fields(const FileInfo& info) {
  std::string out;
  if (info.records.label) out += ",\"label\":" + Json(*info.records.label).text();
  if (info.records.created) out += fmt::format(R"(,"created":{})", *info.records.created);
  if (info.records.keys) out += ",\"keys\":" + Json(*info.records.keys).text();
  if (info.chunks) out += fmt::format(R"(,"chunk_bytes":{})", info.chunks->chunk_bytes);
  return out;
}

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
