// bloomery inspect: what is in a filter file, and how good it is. The output is fixed by spec/cli.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "bloomery/detail/fnv.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/iblt.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "cli/picture.h"
#include "core/base/error.h"
#include "core/io/file.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kSamples = 1'000'000;
constexpr std::size_t kLabel = 16, kPicture = 64;  // columns

struct Column {
  std::uint64_t set, bits;
};

// Everything that is printed, in text or JSON.
struct Findings {
  FileInfo info;
  std::vector<std::pair<const char*, std::uint64_t>> geometry;
  std::uint64_t payload_bytes, bits_set;
  std::optional<std::uint64_t> retries;
  const char* cells;
  bool forgets;
  double fill, predicted_fpr;
  std::optional<std::uint64_t> estimated_count;
  SampledRate sampled;
  std::vector<Column> along;
};

// Random hashes are non-members: a rate of the real filter, whatever its keys were.
std::uint64_t count_sampled(const AnyView& view) {
  std::array<Hash, 1000> hashes;
  std::array<std::uint8_t, 1000> answers;
  std::uint64_t hits = 0;
  for (std::uint64_t first = 0; first < kSamples; first += hashes.size()) {
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = Hash(detail::splitmix64(first + i));
    view.contains_many(hashes, answers);
    hits += static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 1));
  }
  return hits;
}

// In `most` columns, or one for each byte.
std::vector<Column> fill_along(const AnyView& view, std::uint64_t most) {
  const std::span<const std::uint8_t> payload = view.payload();
  const std::uint64_t bytes = payload.size(), columns = std::min<std::uint64_t>(most, bytes);
  std::vector<Column> along;
  for (std::uint64_t c = 0; c < columns; ++c) {
    const std::uint64_t begin = c * bytes / columns, end = (c + 1) * bytes / columns;
    std::uint64_t set = 0;
    for (std::uint64_t i = begin; i < end; ++i) set += static_cast<std::uint64_t>(std::popcount(payload[i]));
    along.push_back({set, std::min(8 * end, view.payload_bits()) - 8 * begin});
  }
  return along;
}

Findings examine(const FilterFile& file, std::uint64_t most_columns) {
  const AnyView& view = file.view();
  return {file.info(),
          view.geometry_fields(),
          view.payload().size(),
          view.bits_set(),
          view.retries(),
          view.cells(),
          view.forgets(),
          view.fill(),
          view.predicted_fpr(),
          view.estimated_count(),
          sampled_rate(count_sampled(view), kSamples),
          fill_along(view, most_columns)};
}

void print_text(const Findings& f) {
  const std::size_t columns = is_terminal() ? terminal_columns() : kUnlimited;
  const auto line = [&](const char* label, const std::string& value) {
    fmt::print("{}\n", wrapped(fmt::format("{:<16}{}", label, value), columns, 16));
  };
  line("kind", to_string(f.info.kind));
  if (f.forgets) line("forgets", "yes: what it denies may have been added, but not lately");
  line("format",
       f.info.format == Format::envelope ? fmt::format("envelope {}", f.info.version) : to_string(f.info.format));
  std::string hash = to_string(f.info.hash);
  if (takes_seed(f.info.hash)) hash += ", seed " + hex64(f.info.seed);
  if (takes_secret(f.info.hash)) hash += ", secret id " + hex64(f.info.seed);
  line("hash", hash);
  if (f.info.records.label) line("label", *f.info.records.label);
  if (f.info.records.created) line("created", std::to_string(*f.info.records.created));
  if (f.info.records.keys) line("keys are", *f.info.records.keys);
  if (f.info.chunks)
    line("chunks", fmt::format("{} of {} bytes", f.info.chunks->sums.size(), f.info.chunks->chunk_bytes));
  std::string geometry;
  for (const auto& [name, value] : f.geometry)
    geometry += fmt::format("{}{} {}", geometry.empty() ? "" : ", ", name, value);
  line("geometry", geometry);
  if (f.retries) line("retries", std::to_string(*f.retries));
  line("file bytes", with_size(f.info.file_bytes));
  line("keys added", f.info.key_count ? std::to_string(*f.info.key_count) : "unknown");
  line((f.cells + std::string(f.cells == std::string_view("bits") ? " set" : " used")).c_str(),
       std::to_string(f.bits_set));
  line("fill", four_digits(f.fill));
  line("estimated keys", f.estimated_count ? std::to_string(*f.estimated_count) : f.forgets ? "unknown" : "saturated");
  line("predicted fpr", four_digits(f.predicted_fpr));
  line("sampled fpr", fmt::format("{}, 95 % interval {} to {}, {} random hashes", four_digits(f.sampled.rate),
                                  four_digits(f.sampled.low), four_digits(f.sampled.high), kSamples));
  constexpr std::array kLevels = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string picture;
  for (const Column& column : f.along) picture += kLevels[8 * column.set / column.bits];
  line("fill along", "|" + picture + "|");
}

std::string or_null(bool has, const std::string& value) { return has ? value : "null"; }
std::string quoted(const std::string& text) { return fmt::format("\"{}\"", text); }

// Written by hand because spec/cli.md fixes its bytes: a JSON library would choose other digits for some numbers. No
// string in it needs escaping.
void print_json(const Findings& f, const std::string& name) {
  std::string geometry, along;
  for (const auto& [name, value] : f.geometry)
    geometry += fmt::format("{}\"{}\":{}", geometry.empty() ? "" : ",", name, value);
  for (const Column& column : f.along)
    along += fmt::format("{}{}", along.empty() ? "" : ",", 1000 * column.set / column.bits);
  const FileInfo& info = f.info;
  std::string out = name.empty() ? "" : "\"file\":" + Json(name).text() + ",";
  out +=
      fmt::format(R"("kind":"{}","format":"{}","version":{},"hash":"{}")", to_string(info.kind), to_string(info.format),
                  or_null(info.format == Format::envelope, std::to_string(info.version)), to_string(info.hash));
  out += fmt::format(R"(,"seed":{},"secret_id":{})", or_null(takes_seed(info.hash), quoted(hex64(info.seed))),
                     or_null(takes_secret(info.hash), quoted(hex64(info.seed))));
  out += fmt::format(R"(,"geometry":{{{}}},"file_bytes":{},"payload_bytes":{},"key_count":{},"bits_set":{},"fill":{})",
                     geometry, info.file_bytes, f.payload_bytes,
                     or_null(info.key_count.has_value(), std::to_string(info.key_count.value_or(0))), f.bits_set,
                     json_real(f.fill));
  out += fmt::format(R"(,"estimated_count":{},"predicted_fpr":{})",
                     or_null(f.estimated_count.has_value(), std::to_string(f.estimated_count.value_or(0))),
                     json_real(f.predicted_fpr));
  out += fmt::format(R"(,"sampled_fpr":{},"sampled_low":{},"sampled_high":{},"samples":{},"fill_along":[{}])",
                     json_real(f.sampled.rate), json_real(f.sampled.low), json_real(f.sampled.high), kSamples, along);
  if (f.retries) out += fmt::format(R"(,"retries":{})", *f.retries);
  if (info.records.label) out += ",\"label\":" + Json(*info.records.label).text();
  if (info.records.created) out += fmt::format(R"(,"created":{})", *info.records.created);
  if (info.records.keys) out += ",\"keys\":" + Json(*info.records.keys).text();
  if (info.chunks) out += fmt::format(R"(,"chunk_bytes":{})", info.chunks->chunk_bytes);
  fmt::print("{{{}}}\n", out);
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
  const Result<FilterFile> file = FilterFile::open(path, without);
  if (!file.ok()) return fail(file.error());
  // The picture is 64 columns by spec/cli.md, and narrower only for a terminal that is.
  const bool narrow = is_terminal() && !style.json && terminal_columns() < kLabel + 2 + kPicture;
  const Findings findings = examine(*file, narrow ? terminal_columns() - kLabel - 2 : kPicture);
  if (!picture.empty()) {
    std::vector<double> columns;
    for (const Column& column : findings.along)
      columns.push_back(static_cast<double>(column.set) / static_cast<double>(column.bits));
    const std::string title = fmt::format("{}: {}, fill {}, predicted fpr {}", path, to_string(findings.info.kind),
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
