// bloomery plan: what each kind would take and do for so many keys at such a rate, now or as they grow.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/choose.h"
#include "cli/cli.h"
#include "cli/growth.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string n, fpr = "0.01";
  GrowthOptions growth;
  bool json = false;
};

// What is asked for: so many keys, or with `growth` those of a growth plan.
struct Request {
  std::uint64_t n = 0;
  double fpr = 0;
  std::optional<Growth> growth;
  GrowthPlan plan;
};

// Without growth only the size is filled in.
Result<GrowthSize> size_of(Kind kind, const Request& r) {
  if (r.growth) return plan_growth_size(kind, r.plan, r.fpr);
  Result<SizePlan> size = plan_size(kind, r.n, {r.fpr});
  BLOOMERY_TRY(size);
  return GrowthSize{*std::move(size), 0, {}};
}

std::string problem_of(const Result<GrowthSize>& plan) { return plan.ok() ? plan->size.warning : plan.error().message; }

double bits_per_key(const SizePlan& size, std::uint64_t n) {
  return static_cast<double>(size.bits) / static_cast<double>(n);
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json json_row(Kind kind, const Request& r) {
  const Result<GrowthSize> plan = size_of(kind, r);
  Json row = {{"kind", to_string(kind)}, {"possible", plan.ok()}};
  if (plan.ok()) {
    for (const auto& [name, value] : plan->size.geometry) row[name] = value;
    row["bytes"] = plan->size.bytes;
    if (r.growth) row["peak_bytes"] = or_null(plan->peak_bytes);
    row["bits_per_key"] = bits_per_key(plan->size, r.n);
    if (r.growth) row["fpr_at_rebuild"] = plan->fpr_at_rebuild;
    row["predicted_fpr"] = plan->size.predicted_fpr;
  }
  const std::string problem = problem_of(plan);
  row["problem"] = problem.empty() ? Json() : Json(problem);
  row["when"] = when_to_pick(kind);
  return row;
}

void print_json(const Request& r) {
  Json all = Json::object();
  if (r.growth) {
    all["current"] = r.growth->current;
    all["growth"] = r.growth->growth;
    all["growth_years"] = r.growth->growth_years;
    all["rebuild_years"] = r.growth->rebuild_years;
    all["headroom"] = r.growth->headroom;
    all["volatility"] = r.growth->volatility;
  }
  all["n"] = r.n;
  if (r.growth) {
    all["n_at_rebuild"] = r.plan.n_at_rebuild;
    all["next_n"] = r.plan.next_n;
    all["years_until_full"] = or_null(r.plan.years_until_full);
  }
  all["fpr"] = r.fpr;
  all["kinds"] = Json::array();
  for (Kind kind : kAllKinds) all["kinds"].push_back(json_row(kind, r));
  all["least_bits_per_key"] = least_bits_per_key(r.fpr);
  all["choices"] = Json::array();
  for (const Choice& choice : choices(r.n, r.fpr))
    all["choices"].push_back({{"need", choice.need},
                              {"words", choice.words},
                              {"kind", choice.kind},
                              {"bytes", or_null(choice.bytes)},
                              {"why", choice.why}});
  fmt::print("{}\n", all.dump());
}

// A line of the table; the columns in the middle are those of a growth plan.
struct Cells {
  std::string kind, bytes = "-", size, peak = "-", peak_size, bits = "-", at_rebuild = "-", rate = "-", when;

  void print(bool grows) const {
    fmt::print("{:<12}{:>16}", kind, bytes);
    if (grows) fmt::print("{:>10}{:>16}{:>10}", size, peak, peak_size);
    fmt::print("{:>10}", bits);
    if (grows) fmt::print("{:>16}", at_rebuild);
    fmt::print("{:>15}  {}\n", rate, when);
  }
};

Cells cells_of(Kind kind, const Result<GrowthSize>& plan, std::uint64_t n) {
  Cells cells;
  cells.kind = to_string(kind);
  cells.when = when_to_pick(kind);
  if (!plan.ok()) return cells;
  const SizePlan& size = plan->size;
  cells.bytes = std::to_string(size.bytes);
  cells.size = rounded(size.bytes, " ") + "B";
  if (plan->peak_bytes) {
    cells.peak = std::to_string(*plan->peak_bytes);
    cells.peak_size = rounded(*plan->peak_bytes, " ") + "B";
  }
  cells.bits = four_digits(bits_per_key(size, n));
  cells.at_rebuild = four_digits(plan->fpr_at_rebuild);
  cells.rate = four_digits(size.predicted_fpr);
  return cells;
}

void print_table(const Request& r) {
  const bool grows = r.growth.has_value();
  Cells{"kind",
        "bytes",
        "",
        "peak bytes",
        "",
        "bits/key",
        "fpr at rebuild",
        grows ? "fpr when full" : "predicted fpr",
        "pick it for"}
      .print(grows);
  std::string problems;
  for (Kind kind : kAllKinds) {
    const Result<GrowthSize> plan = size_of(kind, r);
    cells_of(kind, plan, r.n).print(grows);
    if (const std::string problem = problem_of(plan); !problem.empty())
      problems += fmt::format("\n{}: {}\n", to_string(kind), problem);
  }
  fmt::print("{}", problems);
}

void print_text(const Options& o, const Request& r) {
  if (r.growth) fmt::print("{}", o.growth.summary(*r.growth, r.plan, r.fpr));
  else fmt::print("For {} keys at a false-positive rate of {}:\n\n", r.n, four_digits(r.fpr));
  print_table(r);
  fmt::print("{}", choices_text(r.n, r.fpr));
}

Result<Request> request(const Options& o, const CLI::App& command) {
  Request r;
  BLOOMERY_TRY(GrowthOptions::check_use(command));
  if (command.count("--current") > 0) {
    Result<Growth> growth = o.growth.parse();
    BLOOMERY_TRY(growth);
    Result<GrowthPlan> plan = plan_growth(*growth);
    BLOOMERY_TRY(plan);
    r.growth = *growth;
    r.plan = *plan;
    r.n = plan->n;
  } else {
    Result<std::uint64_t> n = parse_count("n", o.n);
    BLOOMERY_TRY(n);
    r.n = *n;
  }
  Result<double> fpr = parse_real("fpr", o.fpr);
  BLOOMERY_TRY(fpr);
  r.fpr = *fpr;
  return r;
}

Status plan(const Options& o, const CLI::App& command) {
  Result<Request> r = request(o, command);
  BLOOMERY_TRY(r);
  // What no kind can do is an error; what only some can do is a row.
  BLOOMERY_TRY(ClassicGeometry::for_capacity(r->n, r->fpr));
  if (o.json) print_json(*r);
  else print_text(o, *r);
  return {};
}

}  // namespace

void add_plan(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("plan", "Show what each kind takes for N keys at a rate P, and which to pick for what");
  command->add_option("-n", o->n, "Number of keys, as 10M or 1e9")->type_name("N");
  o->growth.add_to(*command);
  command->add_option("--fpr", o->fpr, "False-positive rate (default 0.01)")->type_name("P");
  command->add_flag("--json", o->json, "One line of JSON");
  command->callback([o, command, &status] {
    const Status done = plan(*o, *command);
    status = done.ok() ? kYes : fail(done.error());
  });
}

}  // namespace bloomery::cli
