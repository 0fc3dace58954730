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

constexpr const char* when_to_pick(Kind kind) {
  switch (kind) {
    case Kind::classic: return "files shared between C++, Rust and Go; a page of code reads them";
    case Kind::split: return "Parquet, and the cheapest probe for one key at a time";
    case Kind::block: return "everything else: one cache line per lookup, fewest bits of the fast kinds";
  }
  return "";
}

void print_json(std::uint64_t n, double fpr) {
  nlohmann::ordered_json kinds = nlohmann::ordered_json::array();
  for (Kind kind : kAllKinds) {
    const Result<SizePlan> plan = plan_size(kind, n, {fpr, {}, {}, {}, {}});
    nlohmann::ordered_json row = {{"kind", to_string(kind)}, {"possible", plan.ok()}};
    if (plan.ok()) {
      for (const auto& [name, value] : plan->geometry) row[name] = value;
      row["bytes"] = plan->bytes;
      row["bits_per_key"] = static_cast<double>(plan->bits) / static_cast<double>(n);
      row["predicted_fpr"] = plan->predicted_fpr;
    }
    const std::string problem = plan.ok() ? plan->warning : plan.error().message;
    row["problem"] = problem.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(problem);
    row["when"] = when_to_pick(kind);
    kinds.push_back(row);
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"n", n}, {"fpr", fpr}, {"kinds", kinds}}.dump());
}

void print_text(std::uint64_t n, double fpr) {
  fmt::print("For {} keys at a false-positive rate of {}:\n\n", n, four_digits(fpr));
  fmt::print("{:<10}{:>16}{:>10}{:>5}{:>15}  {}\n", "kind", "bytes", "bits/key", "k", "predicted fpr", "pick it for");
  std::string problems;
  for (Kind kind : kAllKinds) {
    const Result<SizePlan> plan = plan_size(kind, n, {fpr, {}, {}, {}, {}});
    std::string bytes = "-", bits = "-", k = "-", rate = "-";
    if (plan.ok()) {
      bytes = std::to_string(plan->bytes);
      bits = four_digits(static_cast<double>(plan->bits) / static_cast<double>(n));
      rate = four_digits(plan->predicted_fpr);
      k = kind == Kind::split ? "8" : std::to_string(plan->geometry.back().second);
    }
    fmt::print("{:<10}{:>16}{:>10}{:>5}{:>15}  {}\n", to_string(kind), bytes, bits, k, rate, when_to_pick(kind));
    const std::string problem = plan.ok() ? plan->warning : plan.error().message;
    if (!problem.empty()) problems += fmt::format("\n{}: {}\n", to_string(kind), problem);
  }
  fmt::print("{}", problems);
}

Status plan(const Options& o) {
  Result<std::uint64_t> n = parse_count("n", o.n);
  if (!n.ok()) return std::move(n).error();
  Result<double> fpr = parse_real("fpr", o.fpr);
  if (!fpr.ok()) return std::move(fpr).error();
  // What no kind can do is an error; what only some can do is a row.
  if (Result<ClassicGeometry> valid = ClassicGeometry::for_capacity(*n, *fpr); !valid.ok())
    return std::move(valid).error();
  if (o.json) print_json(*n, *fpr);
  else print_text(*n, *fpr);
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
