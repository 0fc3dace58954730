// bloomery verify: is this file a whole, undamaged filter?
#include <fmt/format.h>

#include <memory>
#include <span>

#include "cli/cli.h"
#include "cli/filter_file.h"
#include "cli/iblt.h"
#include "cli/parquet.h"
#include "core/base/error.h"
#include "core/hash/hash_functions.h"
#include "format/reading.h"
#include "format/records.h"

namespace bloomery::cli {
namespace {

// What was found sound; what has no checksum may hold flipped bits.
std::string verdict(Format format) {
  switch (format) {
    case Format::raw:
      return "header and length are sound; a raw classic file has no checksum, so flipped bits would go unnoticed";
    case Format::parquet:
      return "header and length are sound; a Parquet filter has no checksum, so flipped bits would go unnoticed";
    case Format::envelope: break;
  }
  return "sound: header, geometry and checksums agree";
}

struct VerifyArguments {
  std::vector<std::string> paths;
  std::string range;
  ParquetOptions parquet;
  bool json = false;
};

// A range of the payload: OFFSET:BYTES.
struct Range {
  std::uint64_t offset, bytes;
};

Result<Range> parse_range(const std::string& text) {
  const std::size_t colon = text.find(':');
  const Result<std::uint64_t> offset = parse_count("range", text.substr(0, colon));
  const Result<std::uint64_t> bytes = parse_count("range", colon == std::string::npos ? "" : text.substr(colon + 1));
  if (offset.ok() && bytes.ok()) return Range{*offset, *bytes};
  return invalid_argument("range", fmt::format("--range is '{}': give OFFSET:BYTES, as 4096:1M", text));
}

// What was found of a file: the sentence that says it is sound, or why it is not.
Result<std::string> check_range(const std::string& path, const Range& range) {
  OpenOptions without;
  without.without_secret = true;
  const Result<UnverifiedFile> file = UnverifiedFile::map(path, without);
  if (!file.ok()) return file.error();
  if (!file->info().chunks)
    return in_file(invalid_argument("range", "has no sums of chunks: leave out --range, or build it with --chunks"),
                   path);
  BLOOMERY_TRY(file->verify_range(range.offset, range.bytes));
  return fmt::format("sound from byte {} of the payload on, {} bytes: their chunks agree with their checksums",
                     range.offset, range.bytes);
}

// Opens a filter and compares all checksums that it has. One that is larger than the memory is verified in place.
Result<FilterFile> open_verified(const std::string& path, const OpenOptions& options) {
  Result<FilterFile> file = open_filter(path, options);
  if (file.ok() && file->info().chunks) {  // it has compared the checksum of the whole payload alone
    const std::span<const std::uint8_t> payload = file->view().payload();
    const Status sums = format::compare_chunks(*file->info().chunks, payload, 0, payload.size());
    if (!sums.ok()) return in_file(sums.error(), path);
  }
  if (file.ok() || file.error().code != ErrorCode::out_of_memory) return file;
  Result<UnverifiedFile> mapped = UnverifiedFile::map(path, options);
  BLOOMERY_TRY(mapped);
  const Waiting waiting("verifying in place");
  return std::move(*mapped).verify();
}

Result<std::string> check(const std::string& path, bool parquet) {
  OpenOptions without;
  without.without_secret = true;
  without.parquet = parquet;
  if (!parquet && is_iblt(path)) {
    BLOOMERY_TRY(format::verify_iblt(path, without));
    return verdict(Format::envelope);
  }
  Result<FilterFile> file = open_verified(path, without);
  BLOOMERY_TRY(file);
  const Status structure = file->view().check_structure();
  if (!structure.ok()) return in_file(structure.error(), path);
  return verdict(file->info().format);
}

int verify(const VerifyArguments& o, const Command& command) {
  if (!detail::fnv_self_check())
    return fail({ErrorCode::unsupported,
                 "this build computes FNV-1a wrongly: do not use it; build it with another compiler",
                 {},
                 {}});
  std::optional<Range> range;
  if (!o.range.empty()) {
    if (o.parquet.on) return fail(command.wrong("--range and --parquet exclude each other"));
    const Result<Range> parsed = parse_range(o.range);
    if (!parsed.ok()) return fail(parsed.error());
    range = *parsed;
  }
  int status = kYes;
  for (const std::string& path : o.paths) {
    const Result<std::string> found = range ? check_range(path, *range) : check(path, o.parquet.on);
    const Status sound = found.ok() ? Status() : Status(found.error());
    status = std::max(status, report_verdict(path, sound, found.ok() ? *found : "", o.json));
  }
  return status;
}

}  // namespace

void add_verify(Command& program) {
  auto o = std::make_shared<VerifyArguments>();
  Command& command = program.add("verify", "Check that files are whole, undamaged filters");
  command.details(
      "A raw classic file or a Parquet filter has no checksum: only its header and length can be checked. Of a file "
      "with sums of chunks (build --chunks) the damaged chunk is named, and --range checks a part of it, in place, "
      "without reading the rest. Exit status 1 when a file is damaged or no filter, 2 when one cannot be read.");
  o->parquet.add_to(command, "The files are filters of Parquet columns");
  command.option("--range", "OFFSET:BYTES", &o->range, "Check these bytes of the payload alone, as 4096:1M");
  command.flag("--json", o->json, "A line of JSON for each file");
  command.argument("FILE", &o->paths, "Filter files").required();
  command.runs([o, &command] { return verify(*o, command); });
}

}  // namespace bloomery::cli
