// bloomery overlap: how many keys two filter files have in common, with the error of that. The library does the maths.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "cli/parquet.h"

namespace bloomery::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string a, b;
  SecretOption secret;
  ParquetOptions parquet;
  bool json = false;
};

// A number of keys to whole ones, a share to four digits.
std::string keys_text(const Estimate& keys) {
  return fmt::format("{}, 95 % interval {} to {}", std::llround(keys.value), std::llround(keys.low),
                     std::llround(keys.high));
}
std::string share_text(const Estimate& share) {
  return fmt::format("{}, 95 % interval {} to {}", four_digits(share.value), four_digits(share.low),
                     four_digits(share.high));
}

void print_text(const Options& o, const Overlap& found) {
  const auto line = [](const char* label, const std::string& value) { fmt::print("{:<16}{}\n", label, value); };
  line("keys of a", keys_text(found.a) + "  " + o.a);
  line("keys of b", keys_text(found.b) + "  " + o.b);
  line("union", keys_text(found.all));
  line("intersection", keys_text(found.common));
  line("jaccard", share_text(found.jaccard));
}

Json keys_json(const Estimate& keys) {
  return {{"value", std::llround(keys.value)}, {"low", std::llround(keys.low)}, {"high", std::llround(keys.high)}};
}

void print_json(const Overlap& found) {
  const Estimate& j = found.jaccard;
  const Json all = {{"a", keys_json(found.a)},
                    {"b", keys_json(found.b)},
                    {"union", keys_json(found.all)},
                    {"intersection", keys_json(found.common)},
                    {"jaccard", {{"value", j.value}, {"low", j.low}, {"high", j.high}}}};
  fmt::print("{}\n", all.dump());
}

Status run(const Options& o) {
  Result<OpenOptions> options = o.secret.open_options();
  BLOOMERY_TRY(options);
  options->parquet = o.parquet.on;
  const Result<FilterFile> a = FilterFile::open(o.a, *options);
  BLOOMERY_TRY(a);
  const Result<FilterFile> b = FilterFile::open(o.b, *options);
  BLOOMERY_TRY(b);
  const Result<Overlap> found = overlap(a->view(), b->view());
  BLOOMERY_TRY(found);
  if (o.json) print_json(*found);
  else print_text(o, *found);
  return {};
}

}  // namespace

void add_overlap(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "overlap", "Estimate how many keys two filters of one kind and size have in common, with intervals");
  command->add_flag("--json", o->json, "One line of JSON");
  o->secret.add_to(*command);
  o->parquet.add_to(*command, "The files are filters of Parquet columns");
  command->add_option("A", o->a, "A filter file: classic, split, block, partitioned or counting")->required();
  command->add_option("B", o->b, "Another of the same kind, size and hash")->required();
  command->callback([o, &status] {
    const Status done = run(*o);
    status = done.ok() ? kYes : fail(done.error());
  });
}

}  // namespace bloomery::cli
