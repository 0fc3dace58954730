#include <fmt/format.h>

#include "cli/choose.h"
#include "cli/cli.h"
#include "cli/growth.h"
#include "cli/help.h"
#include "cli/plan.h"

namespace bloomery::cli {
namespace {

// A line of the table; the columns in the middle are those of a growth plan. On a terminal that is too narrow the
// phrase stands below the numbers, and of two forms of one number the shorter.
struct Cells {
  std::string kind, bytes = "-", size = "-", peak = "-", peak_size = "-", bits = "-", at_rebuild = "-", rate = "-",
                    when;

  void print(bool grows) const {
    std::string line = fmt::format("{:<12}{:>16}", kind, bytes);
    if (grows) line += fmt::format("{:>10}{:>16}{:>10}", size, peak, peak_size);
    line += fmt::format("{:>10}", bits);
    if (grows) line += fmt::format("{:>16}", at_rebuild);
    line += fmt::format("{:>15}", rate);
    const std::size_t columns = terminal_columns();
    if (!is_terminal() || line.size() + 2 + when.size() <= columns) return fmt::print("{}  {}\n", line, when);
    if (grows)
      line = fmt::format("{:<12}{:>10}{:>10}{:>10}{:>16}{:>15}", kind, size, peak_size, bits, at_rebuild, rate);
    fmt::print("{}\n{}\n", line, wrapped("    " + when, columns, 4));
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

}  // namespace

Result<GrowthSize> size_of(Kind kind, const PlanRequest& r) {
  if (r.growth) return plan_growth_size(kind, r.plan, r.fpr);
  Result<SizePlan> size = plan_size(kind, r.n, {r.fpr, {}, r.geometry});
  BLOOMERY_TRY(size);
  return GrowthSize{*std::move(size), 0, {}};
}

std::string problem_of(const Result<GrowthSize>& plan) { return plan.ok() ? plan->size.warning : plan.error().message; }

double bits_per_key(const SizePlan& size, std::uint64_t n) {
  return static_cast<double>(size.bits) / static_cast<double>(n);
}

void print_table(const PlanRequest& r) {
  const bool grows = r.growth.has_value();
  Cells{"kind",       "bytes",    "size",           "peak bytes",
        "peak",       "bits/key", "fpr at rebuild", grows ? "fpr when full" : "predicted fpr",
        "pick it for"}
      .print(grows);
  const std::size_t columns = is_terminal() ? terminal_columns() : kUnlimited;
  std::string problems;
  for (Kind kind : kAllKinds) {
    const Result<GrowthSize> plan = size_of(kind, r);
    cells_of(kind, plan, r.n).print(grows);
    if (const std::string problem = problem_of(plan); !problem.empty())
      problems += "\n" + wrapped(fmt::format("{}: {}", to_string(kind), problem), columns) + "\n";
  }
  fmt::print("{}", problems);
}

}  // namespace bloomery::cli
