// bloomery plan: what each kind would take and do for so many keys at such a rate, now or as they grow.
#include <fmt/format.h>

#include <memory>

#include "bloomery/rate_spread.h"
#include "cli/choose.h"
#include "cli/cli.h"
#include "cli/growth.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/plan.h"
#include "cli/shape.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct PlanArguments {
  std::string n, fpr = "0.01", kind, geometry;
  GrowthOptions growth;
  bool json = false, all = false;
};

JsonObject json_row(Kind kind, const PlanRequest& r) {
  const Result<GrowthSize> plan = size_of(kind, r);
  JsonObject row;
  row.put("kind", to_string(kind)).put("possible", plan.ok());
  if (plan.ok()) {
    for (const auto& [name, value] : plan->size.geometry) row.put(name, value);
    row.put("bytes", plan->size.bytes);
    if (r.growth) row.put("peak_bytes", plan->peak_bytes);
    row.put("bits_per_key", bits_per_key(plan->size, r.n));
    if (r.growth) row.put("fpr_at_rebuild", plan->fpr_at_rebuild);
    row.put("predicted_fpr", plan->size.predicted_fpr);
  }
  const std::string problem = problem_of(plan);
  return row.put("problem", problem.empty() ? Json() : Json(problem)).put("when", when_to_pick(kind));
}

void print_json(const PlanRequest& r) {
  JsonObject all;
  if (r.growth)
    all.put("current", r.growth->current)
        .put("growth", r.growth->growth)
        .put("growth_years", r.growth->growth_years)
        .put("rebuild_years", r.growth->rebuild_years)
        .put("headroom", r.growth->headroom)
        .put("volatility", r.growth->volatility);
  all.put("n", r.n);
  if (r.growth)
    all.put("n_at_rebuild", r.plan.n_at_rebuild)
        .put("next_n", r.plan.next_n)
        .put("years_until_full", r.plan.years_until_full);
  all.put("fpr", r.fpr);
  JsonArray kinds, picks;
  for (Kind kind : kAllKinds)
    if (!r.kind || kind == *r.kind) kinds.add(json_row(kind, r));
  for (const Choice& choice : choices(r.n, r.fpr))
    picks.add(JsonObject()
                  .put("need", choice.need)
                  .put("words", choice.words)
                  .put("kind", choice.kind)
                  .put("bytes", choice.bytes)
                  .put("why", choice.why));
  all.put("kinds", kinds).put("least_bits_per_key", least_bits_per_key(r.fpr)).put("choices", picks);
  fmt::print("{}\n", all.text());
}

// The kind for keys that come one by one; where that cannot do these numbers, the next that can.
Choice recommended(const PlanRequest& r) {
  if (r.kind) return {"", "", to_string(*r.kind), {}, when_to_pick(*r.kind)};
  const std::vector<Choice> all = choices(r.n, r.fpr);
  for (const char* need : {"adding", "exact", "counted", "static"})
    for (const Choice& choice : all)
      if (choice.need == std::string_view(need) && choice.bytes) return choice;
  return {"", "", to_string(Kind::classic), {}, when_to_pick(Kind::classic)};
}

// How this plan was asked for, with the words of who asked.
std::string asked(const PlanArguments& o, const PlanRequest& r) {
  if (!r.growth) return fmt::format("-n {} --fpr {}", o.n, o.fpr);
  return fmt::format("--current {} --growth {} --rebuild {} --headroom {} --volatility {} --fpr {}", o.growth.current,
                     o.growth.growth, o.growth.rebuild, o.growth.headroom, o.growth.volatility, o.fpr);
}

// What to type to get the filter of this plan. A static kind is sized for the very keys it is built of.
std::string build_command(const PlanArguments& o, const PlanRequest& r, const std::string& kind) {
  std::string text = "bloomery build --kind " + kind;
  if (can(kind_from_name(kind).value(), Ability::add)) text += " -n " + (r.growth ? std::to_string(r.n) : o.n);
  if (!r.exact) text += " --fpr " + o.fpr;
  if (!o.geometry.empty()) text += " --geometry " + o.geometry;
  return text + " -o FILE KEYS";
}

std::string geometry_text(const SizePlan& size) {
  std::string text;
  for (const auto& [name, value] : size.geometry) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  return text;
}

// How far the rates of filters of few keys lie apart, behind their mean; nothing where chance decides little.
std::string spread_of(Kind kind, std::uint64_t n, const SizePlan& size) {
  SizeSpec exact;
  exact.numbers.assign(size.geometry.begin(), size.geometry.end());
  const Result<std::optional<RateSpread>> spread = rate_spread(kind, n, exact);
  if (!spread.ok() || !spread->has_value()) return "";
  return fmt::format(" on average; of so few keys one filter in 20 has less than {}, one more than {}",
                     four_digits((*spread)->low), four_digits((*spread)->high));
}

// The answer: a kind, its size, its rate, and what to type.
void print_answer(const PlanArguments& o, const PlanRequest& r) {
  const std::size_t columns = terminal_columns();
  const auto line = [&](const char* label, const std::string& value) {
    fmt::print("{}\n", wrapped(fmt::format("{:<16}{}", label, value), columns, 16));
  };
  const auto sized = [](std::uint64_t bytes) { return fmt::format("{} ({}B)", bytes, rounded(bytes, " ")); };
  const Choice best = recommended(r);
  const Result<GrowthSize> plan = size_of(kind_from_name(best.kind).value(), r);
  line("kind", best.kind + ": " + best.why);
  if (plan.ok()) {
    if (r.kind) line("geometry", geometry_text(plan->size));
    line("bytes", fmt::format("{}, {} bits/key", sized(plan->size.bytes), four_digits(bits_per_key(plan->size, r.n))));
    if (plan->peak_bytes && r.growth) line("peak bytes", sized(*plan->peak_bytes) + ", during a rebuild");
    line("predicted fpr",
         four_digits(plan->size.predicted_fpr) + spread_of(kind_from_name(best.kind).value(), r.n, plan->size));
  }
  if (const std::string problem = problem_of(plan); !problem.empty()) line("but", problem);
  line("build with", build_command(o, r, best.kind));
  if (r.kind) return;
  for (const Choice& choice : choices(r.n, r.fpr))
    if (choice.need == std::string_view("static") && choice.bytes && choice.kind != best.kind)
      line("when static", fmt::format("{}: {}, {}", choice.kind, sized(*choice.bytes), choice.why));
  line("all kinds", fmt::format("bloomery plan {} --all", asked(o, r)));
}

void print_text(const PlanArguments& o, const PlanRequest& r) {
  const std::size_t columns = is_terminal() ? terminal_columns() : kUnlimited;
  if (r.growth) fmt::print("{}", wrapped(o.growth.summary(*r.growth, r.plan, r.fpr), columns, 0));
  else if (r.exact) fmt::print("For {} keys in this geometry:\n\n", r.n);
  else fmt::print("For {} keys at a false-positive rate of {}:\n\n", r.n, four_digits(r.fpr));
  if (!o.all) return print_answer(o, r);
  if (r.growth) fmt::print("peak bytes       the old filter and the new one together, during the rebuild\n\n");
  print_table(r);
  fmt::print("{}", choices_text(r.n, r.fpr, terminal_columns()));
}

// --kind and --geometry. A geometry that is exact has the rate that it has.
Status request_kind(const PlanArguments& o, const Command& command, PlanRequest& r) {
  if (o.kind.empty()) {
    if (o.geometry.empty()) return {};
    return command.wrong("--geometry is that of one kind: give --kind, too");
  }
  if (o.all) return command.wrong("--all and --kind exclude each other: give one");
  const Result<Kind> kind = parse_kind(o.kind);
  BLOOMERY_TRY(kind);
  r.kind = *kind;
  if (o.geometry.empty()) return {};
  if (r.growth) return command.wrong("--geometry and --current exclude each other: give -n");
  Result<GeometryNumbers> numbers = parse_geometry(o.geometry);
  BLOOMERY_TRY(numbers);
  r.geometry = *std::move(numbers);
  const Result<SizePlan> plan = plan_size(*kind, r.n, {r.fpr, {}, r.geometry});
  BLOOMERY_TRY(plan);
  r.exact = plan->exact;
  if (r.exact && command.given("--fpr")) return command.wrong("--geometry fixes the geometry: leave out --fpr");
  if (r.exact) r.fpr = plan->predicted_fpr;
  return {};
}

Result<PlanRequest> request(const PlanArguments& o, const Command& command) {
  PlanRequest r;
  BLOOMERY_TRY(GrowthOptions::check_use(command));
  if (command.given("--current")) {
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
  BLOOMERY_TRY(request_kind(o, command, r));
  return r;
}

Status plan(const PlanArguments& o, const Command& command) {
  Result<PlanRequest> r = request(o, command);
  BLOOMERY_TRY(r);
  // What no kind can do is an error; what only some can do is a row.
  if (!r->exact) BLOOMERY_TRY(ClassicGeometry::for_capacity(r->n, r->fpr));
  if (o.json) print_json(*r);
  else print_text(o, *r);
  return {};
}

}  // namespace

void add_plan(Command& program) {
  auto o = std::make_shared<PlanArguments>();
  Command& command = program.add("plan", "Tell which kind to pick for N keys at a rate P, and what it takes");
  command.details(
      "Recommends a kind for N keys at the rate P, with its bytes, bits per key, the rate it will really have, and the "
      "command that builds it. With --all it shows the same of every kind and when to pick it; below that the kind for "
      "each need at these numbers, and what no filter can beat.\n\n"
      "With --current in place of -n it plans for keys that grow, in a filter that is rebuilt from time to time: how "
      "many keys to size it for (those of now, times their growth until the next rebuild, times 1 + volatility, times "
      "headroom), the memory while old and new filter exist together, the rate at the next rebuild and when full, and "
      "when it is full if it is not rebuilt.\n\n"
      "With --kind it plans that kind, and with --geometry beside it a filter of exactly these numbers: what it takes, "
      "and the rate that it has with N keys.");
  command.option("-n", "N", &o->n, "Number of keys, as 10M or 1e9");
  o->growth.add_to(command);
  command.option("--fpr", "P", &o->fpr, "False-positive rate (default 0.01)");
  command.option("--kind", "K", &o->kind, "Plan this kind instead of the one that suits").choices(kind_names());
  command.option("--geometry", "NAME=N,..", &o->geometry,
                 "With --kind: what a filter of exactly this geometry would be, as m=10M,k=7");
  command.flag("--all", o->all, "Every kind in a table, and the kind for each need");
  command.flag("--json", o->json, "One line of JSON, with every kind");
  command.runs([o, &command] { return exit_status(plan(*o, command)); });
}

}  // namespace bloomery::cli
