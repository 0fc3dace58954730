// bloomery plan: what each kind would take and do for so many keys at such a rate.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/cli.h"

namespace bloomery::cli {
namespace {

struct Options {
  std::string n, fpr = "0.01";
  bool json = false;
};

// One kind's offer; `problem` says why it is refused or what it will miss.
struct Row {
  const char* kind = "";
  const char* when = "";
  bool possible = false;
  std::uint64_t m = 0, k = 0, bytes = 0;
  double bits_per_key = 0, predicted_fpr = 0;
  std::string problem;
};

Row plan_row(std::uint64_t n, double fpr) {
  Row row;
  row.kind = "classic";
  row.when = "exchange between C++, Rust and Go; smallest code to read it";
  Result<ClassicPlan> plan = plan_classic(n, fpr);
  if (!plan.ok()) {
    row.problem = plan.error().message;
    return row;
  }
  row.possible = true;
  row.m = plan->geometry.m;
  row.k = plan->geometry.k;
  row.bytes = plan->geometry.payload_bytes();
  row.bits_per_key = static_cast<double>(row.m) / static_cast<double>(n);
  row.predicted_fpr = plan->predicted_fpr;
  row.problem = plan->warning;
  return row;
}

void print_json(const Row& row, std::uint64_t n, double fpr) {
  nlohmann::ordered_json kind = {{"kind", row.kind}, {"possible", row.possible}};
  if (row.possible) {
    kind["m"] = row.m;
    kind["k"] = row.k;
    kind["bytes"] = row.bytes;
    kind["bits_per_key"] = row.bits_per_key;
    kind["predicted_fpr"] = row.predicted_fpr;
  }
  kind["problem"] = row.problem.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(row.problem);
  kind["when"] = row.when;
  fmt::print("{}\n", nlohmann::ordered_json{{"n", n}, {"fpr", fpr}, {"kinds", {kind}}}.dump());
}

void print_text(const Row& row, std::uint64_t n, double fpr) {
  fmt::print("For {} keys at a false-positive rate of {}:\n\n", n, four_digits(fpr));
  fmt::print("{:<10}{:>16}{:>10}{:>5}{:>15}  {}\n", "kind", "bytes", "bits/key", "k", "predicted fpr", "pick it for");
  if (row.possible)
    fmt::print("{:<10}{:>16}{:>10}{:>5}{:>15}  {}\n", row.kind, row.bytes, four_digits(row.bits_per_key), row.k,
               four_digits(row.predicted_fpr), row.when);
  else fmt::print("{:<10}{:>16}{:>10}{:>5}{:>15}  {}\n", row.kind, "-", "-", "-", "-", row.when);
  if (!row.problem.empty()) fmt::print("\n{}: {}\n", row.kind, row.problem);
}

Status plan(const Options& o) {
  Result<std::uint64_t> n = parse_count("n", o.n);
  if (!n.ok()) return std::move(n).error();
  Result<double> fpr = parse_real("fpr", o.fpr);
  if (!fpr.ok()) return std::move(fpr).error();
  // What no kind can do is an error; what only some can do is a row.
  if (Result<ClassicGeometry> valid = ClassicGeometry::for_capacity(*n, *fpr); !valid.ok())
    return std::move(valid).error();
  const Row row = plan_row(*n, *fpr);
  if (o.json) print_json(row, *n, *fpr);
  else print_text(row, *n, *fpr);
  return {};
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("plan", "Show what each kind takes for N keys at a rate P, and when to pick it");
  command->add_option("-n", o->n, "Number of keys, as 10M or 1e9")->required()->type_name("N");
  command->add_option("--fpr", o->fpr, "False-positive rate (default 0.01)")->type_name("P");
  command->add_flag("--json", o->json, "One line of JSON");
  command->callback([o, &status] {
    const Status done = plan(*o);
    status = done.ok() ? kYes : fail(done.error());
  });
}

}  // namespace bloomery::cli
