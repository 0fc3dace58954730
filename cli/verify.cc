// bloomery verify: is this file a whole, undamaged filter?
#include <fmt/format.h>

#include <memory>

#include "cli/cli.h"
#include "cli/iblt.h"
#include "cli/parquet.h"
#include "core/base/error.h"
#include "core/hash/hash_functions.h"

namespace bloomery::cli {
namespace {

// What was found sound; what has no checksum may hold flipped bits.
const char* verdict(Format format) {
  switch (format) {
    case Format::raw:
      return "header and length are sound; a raw classic file has no checksum, so flipped bits would go unnoticed";
    case Format::parquet:
      return "header and length are sound; a Parquet filter has no checksum, so flipped bits would go unnoticed";
    case Format::envelope: break;
  }
  return "sound: header, geometry and checksums agree";
}

// What was found of a file: the sentence that says it is sound, or why it is not.
Result<const char*> check(const std::string& path, bool parquet) {
  OpenOptions without;
  without.without_secret = true;
  without.parquet = parquet;
  if (!parquet && is_iblt(path)) {
    const Result<IbltFile> iblt = open_iblt(path, without);
    if (!iblt.ok()) return iblt.error();
    return verdict(Format::envelope);
  }
  const Result<FilterFile> file = FilterFile::open(path, without);
  if (!file.ok()) return file.error();
  if (const Status whole = file->view().check_structure(); !whole.ok()) return in_file(whole.error(), path);
  return verdict(file->info().format);
}

}  // namespace

void add_verify(Command& program) {
  auto paths = std::make_shared<std::vector<std::string>>();
  Command& command = program.add("verify", "Check that files are whole, undamaged filters");
  command.details(
      "A raw classic file or a Parquet filter has no checksum: only its header and length can be "
      "checked. Exit status 1 when a file is damaged or no filter, 2 when one cannot be read.");
  auto parquet = std::make_shared<ParquetOptions>();
  parquet->add_to(command, "The files are filters of Parquet columns");
  auto json = std::make_shared<bool>(false);
  command.flag("--json", *json, "A line of JSON for each file");
  command.argument("FILE", &*paths, "Filter files").required();
  command.runs([paths, parquet, json] {
    if (!detail::fnv_self_check())
      return fail({ErrorCode::unsupported,
                   "this build computes FNV-1a wrongly: do not use it; build it with another compiler",
                   {},
                   {}});
    int status = kYes;
    for (const std::string& path : *paths) {
      const Result<const char*> found = check(path, parquet->on);
      status = std::max(
          status, report_verdict(path, found.ok() ? Status() : Status(found.error()), found.ok() ? *found : "", *json));
    }
    return status;
  });
}

}  // namespace bloomery::cli
