// bloomery iblt-size: how large an iblt has to be, for a number of differences or for two sets; and inspect of iblts.
#include <fmt/format.h>

#include <memory>

#include "cli/help.h"
#include "cli/iblt.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/records.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct IbltSizeArguments {
  std::vector<std::string> files;
  std::string differences, key_bytes;
  SecretOption secret;
  KeyOptions keys;
  bool json = false;
};

void line(const char* label, const std::string& value) {
  const std::size_t columns = is_terminal() ? terminal_columns() : kUnlimited;
  fmt::print("{}\n", wrapped(fmt::format("{:<16}{}", label, value), columns, 16));
}

IbltEstimate exactly(std::uint64_t count) { return {count, count, count}; }

// In how many keys two sets differ.
Result<IbltEstimate> compare(Side& a, Side& b) {
  if (a.keys() != nullptr && b.keys() != nullptr)
    return exactly(only_in(a.keys()->digests(), b.keys()->digests()).size() +
                   only_in(b.keys()->digests(), a.keys()->digests()).size());
  const std::string both = a.path() + ", " + b.path();
  if (const Iblt* shape = a.table() != nullptr ? a.table() : b.table(); shape != nullptr) {
    Result<Iblt> left = a.table_like(*shape);
    BLOOMERY_TRY(left);
    Result<Iblt> right = b.table_like(*shape);
    BLOOMERY_TRY(right);
    if (Status status = left->subtract(*right); !status.ok()) return in_file(std::move(status).error(), both);
    Result<IbltListing> listing = left->list();
    BLOOMERY_TRY(listing);
    return listing->complete ? exactly(listing->added.size() + listing->removed.size()) : left->estimate();
  }
  const StrataEstimator& shape = a.estimator() != nullptr ? *a.estimator() : *b.estimator();
  Result<StrataEstimator> left = a.estimator_like(shape), right = b.estimator_like(shape);
  BLOOMERY_TRY(left);
  BLOOMERY_TRY(right);
  if (Status status = left->subtract(*right); !status.ok()) return in_file(std::move(status).error(), both);
  return left->estimate();
}

struct Wanted {
  IbltEstimate differences;
  std::uint32_t key_bytes = kDefaultKeyBytes;
};

Result<Wanted> wanted(const IbltSizeArguments& o) {
  Wanted found;
  if (o.files.size() != (o.differences.empty() ? 2 : 0))
    return invalid_argument("differences", "give --differences D, or two files to compare");
  if (o.files.empty()) {
    Result<std::uint64_t> d = parse_count("differences", o.differences);
    BLOOMERY_TRY(d);
    found.differences = exactly(*d);
  } else {
    Result<OpenOptions> options = o.secret.open_options();
    BLOOMERY_TRY(options);
    Result<Side> a = Side::open(o.files[0], o.keys.format(), *options);
    BLOOMERY_TRY(a);
    Result<Side> b = Side::open(o.files[1], o.keys.format(), *options);
    BLOOMERY_TRY(b);
    Result<IbltEstimate> estimate = compare(*a, *b);
    BLOOMERY_TRY(estimate);
    found.differences = *estimate;
    if (a->table() != nullptr && a->table()->geometry().variable) found.key_bytes = a->table()->geometry().key_bytes;
  }
  Result<std::uint32_t> key_bytes = parse_key_bytes(o.key_bytes, found.key_bytes);
  BLOOMERY_TRY(key_bytes);
  found.key_bytes = *key_bytes;
  return found;
}

void print(const IbltSizeArguments& o, const IbltEstimate& d, const IbltGeometry& geometry) {
  const std::uint64_t file_bytes = 128 + geometry.payload_bytes();
  if (o.json) {
    fmt::print(R"({{"differences":{},"low":{},"high":{},"size_for":{},"key_bytes":{},"cells":{},"file_bytes":)"
               R"({},"success":{}}})"
               "\n",
               d.count, d.low, d.high, d.high, geometry.key_bytes, geometry.cells, file_bytes, IbltGeometry::kSuccess);
    return;
  }
  line("differences",
       d.exact() ? std::to_string(d.count) : fmt::format("about {}, 95 % interval {} to {}", d.count, d.low, d.high));
  line("key bytes", fmt::format("{}, for keys of up to {}", geometry.key_bytes, geometry.longest_key()));
  line("cells",
       fmt::format("{}, of {} bytes; {} for each key", geometry.cells, geometry.cell_bytes(), IbltGeometry::kHashes));
  line("file bytes", with_size(file_bytes));
  line("lists", fmt::format("{} differences with probability {}", geometry.capacity(), IbltGeometry::kSuccess));
  std::string build = fmt::format("bloomery build --kind iblt --differences {}", d.high);
  if (geometry.key_bytes != kDefaultKeyBytes) build += fmt::format(" --key-bytes {}", geometry.key_bytes);
  line("build with", build);
}

Status iblt_size(const IbltSizeArguments& o) {
  Result<Wanted> found = wanted(o);
  BLOOMERY_TRY(found);
  Result<IbltGeometry> geometry = IbltGeometry::for_differences(found->differences.high, found->key_bytes, 0, true);
  BLOOMERY_TRY(geometry);
  print(o, found->differences, *geometry);
  return {};
}

// What inspect prints of an iblt.
struct Findings {
  const FileInfo& info;
  const IbltGeometry& geometry;
  std::uint64_t cells_used;
  std::optional<IbltEstimate> items;  // of a table
};

Findings examine(const IbltFile& file) {
  if (const Iblt* table = file.table(); table != nullptr)
    return {file.info, table->geometry(), table->cells_used(), table->estimate()};
  std::uint64_t used = 0;
  for (const Iblt& stratum : file.estimator()->strata()) used += stratum.cells_used();
  return {file.info, file.geometry(), used, {}};
}

void print_text(const Findings& f) {
  line("kind", "iblt");
  line("format", fmt::format("envelope {}", f.info.version));
  std::string hash = to_string(f.info.hash);
  if (takes_seed(f.info.hash)) hash += ", seed " + hex64(f.info.seed);
  if (takes_secret(f.info.hash)) hash += ", secret id " + hex64(f.info.seed);
  line("hash", hash);
  for (const auto& [label, value] : record_lines(f.info)) line(label, value);
  std::string geometry;
  for (std::size_t i = 0; i < f.geometry.values().size(); ++i)
    geometry += fmt::format("{}{} {}", i == 0 ? "" : ", ", IbltGeometry::kFields[i], f.geometry.values()[i]);
  line("geometry", geometry);
  line("file bytes", with_size(f.info.file_bytes));
  line("keys added", f.info.key_count ? std::to_string(*f.info.key_count) : "unknown");
  line("cells used", std::to_string(f.cells_used));
  if (f.items)
    line("estimated keys", fmt::format("{}, 95 % interval {} to {}", f.items->count, f.items->low, f.items->high));
  line("lists", f.items
                    ? fmt::format("{} differences with probability {}", f.geometry.capacity(), IbltGeometry::kSuccess)
                    : "nothing: an estimator of how many keys differ");
}

void print_json(const Findings& f, const std::string& name) {
  const auto quoted = [](bool has, std::uint64_t value) { return has ? "\"" + hex64(value) + "\"" : "null"; };
  const auto number = [](bool has, std::uint64_t value) { return has ? std::to_string(value) : "null"; };
  std::string out = name.empty() ? "" : "\"file\":" + Json(name).text() + ",";
  out += fmt::format(R"("kind":"iblt","format":"envelope","version":{},"hash":"{}","seed":{},"secret_id":{})",
                     f.info.version, to_string(f.info.hash), quoted(takes_seed(f.info.hash), f.info.seed),
                     quoted(takes_secret(f.info.hash), f.info.seed));
  std::string geometry;
  for (std::size_t i = 0; i < f.geometry.values().size(); ++i)
    geometry += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", IbltGeometry::kFields[i], f.geometry.values()[i]);
  out += fmt::format(R"(,"geometry":{{{}}},"file_bytes":{},"payload_bytes":{},"key_count":{},"cells_used":{})",
                     geometry, f.info.file_bytes, f.geometry.payload_bytes(),
                     number(f.info.key_count.has_value(), f.info.key_count.value_or(0)), f.cells_used);
  const IbltEstimate items = f.items.value_or(IbltEstimate{});
  out += fmt::format(R"(,"estimated_count":{},"lists":{},"success":{})", number(f.items.has_value(), items.count),
                     number(f.items.has_value(), f.geometry.capacity()), IbltGeometry::kSuccess);
  fmt::print("{{{}}}\n", out + record_fields(f.info));
}

}  // namespace

int inspect_iblt(const std::string& path, InspectStyle style) {
  OpenOptions without;
  without.without_secret = true;
  const Result<IbltFile> file = open_iblt(path, without);
  if (!file.ok()) return fail(file.error());
  const Findings findings = examine(*file);
  if (style.json) print_json(findings, style.with_name ? path : "");
  else print_text(findings);
  return kYes;
}

void add_iblt_size(Command& program) {
  auto o = std::make_shared<IbltSizeArguments>();
  Command& command = program.add("iblt-size", "Tell in how many keys two sets differ, and the iblt to list them");
  command.details(
      "Compares two files of keys (exactly), two estimators (build --kind iblt --estimator: 20 KB, "
      "within 14 %), two iblts that may be too small, or a file of keys and one of those; and says "
      "which iblt lists the difference. With --differences it tells the size for that many.");
  command.option("--differences", "D", &o->differences, "For D keys that differ, instead of two files");
  command.option("--key-bytes", "B", &o->key_bytes, "Keys of up to B - 1 bytes (default 32, at most 64)");
  o->secret.add_to(command);
  o->keys.add_to(command);
  command.flag("--json", o->json, "One line of JSON");
  command.argument("FILE", &o->files, "Two files: of keys, estimators (build --kind iblt --estimator), or iblts");
  command.runs([o] { return exit_status(iblt_size(*o)); });
}

}  // namespace bloomery::cli
