// bloomery overlap: how many keys two filter files have in common, with the error of that. The library does the maths.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "cli/cli.h"
#include "cli/filter_file.h"
#include "cli/json.h"
#include "cli/parquet.h"

namespace bloomery::cli {
namespace {

struct OverlapArguments {
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

void print_text(const OverlapArguments& o, const Overlap& found) {
  const auto line = [](const char* label, const std::string& value) { fmt::print("{:<16}{}\n", label, value); };
  line("keys of a", keys_text(found.a) + "  " + o.a);
  line("keys of b", keys_text(found.b) + "  " + o.b);
  line("union", keys_text(found.all));
  line("intersection", keys_text(found.common));
  line("jaccard", share_text(found.jaccard));
}

JsonObject keys_json(const Estimate& keys) {
  return JsonObject()
      .put("value", std::llround(keys.value))
      .put("low", std::llround(keys.low))
      .put("high", std::llround(keys.high));
}

void print_json(const Overlap& found) {
  const Estimate& jaccard = found.jaccard;
  JsonObject all;
  all.put("a", keys_json(found.a))
      .put("b", keys_json(found.b))
      .put("union", keys_json(found.all))
      .put("intersection", keys_json(found.common))
      .put("jaccard", JsonObject().put("value", jaccard.value).put("low", jaccard.low).put("high", jaccard.high));
  fmt::print("{}\n", all.text());
}

Status run(const OverlapArguments& o) {
  Result<OpenOptions> options = o.secret.open_options();
  BLOOMERY_TRY(options);
  options->parquet = o.parquet.on;
  const Result<FilterFile> a = open_filter(o.a, *options);
  BLOOMERY_TRY(a);
  const Result<FilterFile> b = open_filter(o.b, *options);
  BLOOMERY_TRY(b);
  const Result<Overlap> found = overlap(a->view(), b->view());
  BLOOMERY_TRY(found);
  if (o.json) print_json(*found);
  else print_text(o, *found);
  return {};
}

}  // namespace

void add_overlap(Command& program) {
  auto o = std::make_shared<OverlapArguments>();
  Command& command =
      program.add("overlap", "Estimate how many keys two filters of one kind and size have in common, with intervals");
  command.details(
      "Estimates from two filters of one kind, geometry and hash (classic, split, block, partitioned "
      "or counting) how many keys each holds, how many are in either and in both, and their Jaccard "
      "similarity, each with a 95 % interval. Refuses where the error would swallow the answer: "
      "filters that are nearly full, or an intersection that could be nearly anything.");
  command.flag("--json", o->json, "One line of JSON");
  o->secret.add_to(command);
  o->parquet.add_to(command, "The files are filters of Parquet columns");
  command.argument("A", &o->a, "A filter file: classic, split, block, partitioned or counting").required();
  command.argument("B", &o->b, "Another of the same kind, size and hash").required();
  command.runs([o] { return exit_status(run(*o)); });
}

}  // namespace bloomery::cli
