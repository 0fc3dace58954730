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

// A damaged or foreign file is a "no"; one that cannot be read is an error.
int refuted(const Error& error) {
  fail(error);
  return error.code == ErrorCode::corrupt || error.code == ErrorCode::unsupported ? kNo : kError;
}

int verify(const std::string& path, bool parquet) {
  OpenOptions without;
  without.without_secret = true;
  without.parquet = parquet;
  if (!parquet && is_iblt(path)) {
    if (const Result<IbltFile> iblt = open_iblt(path, without); !iblt.ok()) return refuted(iblt.error());
    fmt::print("{}: {}\n", path, verdict(Format::envelope));
    return kYes;
  }
  const Result<FilterFile> file = FilterFile::open(path, without);
  if (!file.ok()) return refuted(file.error());
  if (const Status whole = file->view().check_structure(); !whole.ok()) return fail(in_file(whole.error(), path)), kNo;
  fmt::print("{}: {}\n", path, verdict(file->info().format));
  return kYes;
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("verify", "Check that files are whole, undamaged filters");
  auto parquet = std::make_shared<ParquetOptions>();
  parquet->add_to(*command, "The files are filters of Parquet columns");
  command->add_option("FILE", *paths, "Filter files")->required();
  command->callback([paths, parquet, &status] {
    if (!detail::fnv_self_check()) {
      status = fail({ErrorCode::unsupported,
                     "this build computes FNV-1a wrongly: do not use it; build it with another compiler",
                     {},
                     {}});
      return;
    }
    for (const std::string& path : *paths) status = std::max(status, verify(path, parquet->on));
  });
}

}  // namespace bloomery::cli
