// bloomery verify: is this file a whole, undamaged filter?
#include <fmt/format.h>

#include <memory>

#include "cli/cli.h"
#include "hash/hash_functions.h"

namespace bloomery::cli {
namespace {

int verify(const std::string& path) {
  OpenOptions without;
  without.without_secret = true;
  const Result<FilterFile> file = FilterFile::open(path, without);
  if (!file.ok()) {
    fail(file.error());
    const ErrorCode code = file.error().code;
    return code == ErrorCode::corrupt || code == ErrorCode::unsupported ? kNo : kError;
  }
  const bool raw = file->info().format == Format::raw;
  fmt::print("{}: {}\n", path,
             raw ? "header and length are sound; a raw classic file has no checksum, so flipped bits would go unnoticed"
                 : "sound: header, geometry and checksums agree");
  return kYes;
}

}  // namespace

void add_verify(CLI::App& app, int& status) {
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("verify", "Check that files are whole, undamaged filters");
  command->add_option("FILE", *paths, "Filter files")->required();
  command->callback([paths, &status] {
    if (!detail::fnv_self_check()) {
      status = fail({ErrorCode::unsupported,
                     "this build computes FNV-1a wrongly: do not use it; build it with another compiler",
                     {},
                     {}});
      return;
    }
    for (const std::string& path : *paths) status = std::max(status, verify(path));
  });
}

}  // namespace bloomery::cli
