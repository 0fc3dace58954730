// bloomery inspect: what is in a filter file, and how good it is. The output is fixed by spec/cli.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bloomery/inspect.h"
#include "cli/cli.h"
#include "cli/filter_file.h"
#include "cli/help.h"
#include "cli/iblt.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "cli/picture.h"
#include "cli/records.h"
#include "core/base/error.h"
#include "core/io/file.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kLabel = 16, kPicture = 64;  // columns

void print_text(const Inspection& f) {
  const std::size_t columns = is_terminal() ? terminal_columns() : kUnlimited;
  const auto line = [&](const char* label, const std::string& value) {
    fmt::print("{}\n", wrapped(fmt::format("{:<16}{}", label, value), columns, 16));
  };
  line("kind", to_string(f.kind));
  if (f.forgets) line("forgets", "yes: what it denies may have been added, but not lately");
  line("format",
       f.info->format == Format::envelope ? fmt::format("envelope {}", f.info->version) : to_string(f.info->format));
  std::string hash = to_string(f.hash);
  if (takes_seed(f.hash)) hash += ", seed " + hex64(f.seed);
  if (takes_secret(f.hash)) hash += ", secret id " + hex64(f.seed);
  line("hash", hash);
  for (const auto& [label, value] : record_lines(*f.info)) line(label, value);
  std::string geometry;
  for (const auto& [name, value] : f.geometry)
    geometry += fmt::format("{}{} {}", geometry.empty() ? "" : ", ", name, value);
  line("geometry", geometry);
  if (f.retries) line("retries", std::to_string(*f.retries));
  line("file bytes", with_size(f.info->file_bytes));
  line("keys added", f.key_count ? std::to_string(*f.key_count) : "unknown");
  if (f.bits_per_key) line("bits per key", four_digits(*f.bits_per_key));
  line((f.cells + std::string(f.cells == std::string_view("bits") ? " set" : " used")).c_str(),
       std::to_string(f.bits_set));
  line("fill", four_digits(f.fill));
  line("estimated keys", f.estimated_count ? std::to_string(*f.estimated_count) : f.forgets ? "unknown" : "saturated");
  line("predicted fpr", four_digits(f.predicted_fpr));
  line("sampled fpr", fmt::format("{}, 95 % interval {} to {}, {} random hashes", four_digits(f.sampled.rate),
                                  four_digits(f.sampled.low), four_digits(f.sampled.high), f.samples));
  constexpr std::array kLevels = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string picture;
  for (const Inspection::Column& column : f.along) picture += kLevels[8 * column.set / column.bits];
  line("fill along", "|" + picture + "|");
}

void print_json(const Inspection& f, const std::string& name) {
  std::string json = f.json();
  if (!name.empty()) json.replace(0, 1, "{\"file\":" + Json(name).text() + ",");
  fmt::print("{}\n", json);
}

int inspect(const std::string& path, InspectStyle style, const ParquetOptions& parquet, const std::string& picture) {
  if (!parquet.on && is_iblt(path)) {
    if (!picture.empty())
      return fail(in_file(unsupported("picture", "is an iblt, of which there is no picture"), path));
    return inspect_iblt(path, style);
  }
  OpenOptions without;  // sampling asks about hashes, so a keyed file needs no secret here
  without.without_secret = true;
  without.parquet = parquet.on;
  const Result<FilterFile> file = open_filter(path, without);
  if (!file.ok()) return fail(file.error());
  // The picture is 64 columns by spec/cli.md, and narrower only for a terminal that is.
  const bool narrow = is_terminal() && !style.json && terminal_columns() < kLabel + 2 + kPicture;
  const Result<Inspection> found =
      bloomery::inspect(file->view(), file->info(), narrow ? terminal_columns() - kLabel - 2 : kPicture);
  if (!found.ok()) return fail(found.error());
  const Inspection& findings = *found;
  if (!picture.empty()) {
    std::vector<double> columns;
    for (const Inspection::Column& column : findings.along)
      columns.push_back(static_cast<double>(column.set) / static_cast<double>(column.bits));
    const std::string title = fmt::format("{}: {}, fill {}, predicted fpr {}", path, to_string(findings.kind),
                                          four_digits(findings.fill), four_digits(findings.predicted_fpr));
    const Status saved = save_picture(
        picture,
        column_picture(title, columns, "share of bits set along the filter, from 0 to 1; the line is one half"));
    if (!saved.ok()) return fail(saved.error());
  }
  if (style.json) print_json(findings, style.with_name ? path : "");
  else print_text(findings);
  return kYes;
}

}  // namespace

void add_inspect(Command& program) {
  auto paths = std::make_shared<std::vector<std::string>>();
  auto json = std::make_shared<bool>(false);
  auto parquet = std::make_shared<ParquetOptions>();
  Command& command = program.add("inspect", "Show a filter's kind, geometry, fill and false-positive rate");
  command.details(
      "Shows kind, geometry, fill, estimated number of keys, the predicted false-positive rate and the "
      "one sampled with a million random hashes, and a picture of the fill along the filter. A keyed "
      "file needs no secret here.");
  command.flag("--json", *json, "One line of JSON");
  auto picture = std::make_shared<std::string>();
  command.option("--picture", "OUT", picture.get(), "Write a picture of the fill along the filter, as SVG");
  parquet->add_to(command, "The file is the filter of a Parquet column");
  command.argument("FILE", paths.get(), "Filter files; of several, each answer begins with the name of its file")
      .required();
  command.runs([paths, json, parquet, picture, &command] {
    if (!picture->empty() && paths->size() > 1) return fail(command.wrong("--picture is for one file"));
    for (const std::string& path : *paths)
      if (!picture->empty() && io::same_file(path, *picture))
        return fail(command.wrong("--picture would replace FILE"));
    int status = kYes;
    for (const std::string& path : *paths) {
      if (paths->size() > 1 && !*json) fmt::print("{}{:<16}{}\n", &path == &paths->front() ? "" : "\n", "file", path);
      status = std::max(status, inspect(path, {*json, paths->size() > 1}, *parquet, *picture));
    }
    return status;
  });
}

}  // namespace bloomery::cli
