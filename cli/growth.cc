#include "cli/growth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/cli.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct Unit {
  const char* name;
  double years;
};
constexpr std::array kUnits = {Unit{"d", Growth::kDay}, Unit{"w", Growth::kWeek}, Unit{"mo", Growth::kMonth},
                               Unit{"y", Growth::kYear}};

std::optional<double> years_of(const std::string& unit) {
  for (const Unit& known : kUnits)
    if (unit == known.name) return known.years;
  return std::nullopt;
}

// The number that a text begins with, by the one grammar of numbers, and the rest.
struct Leading {
  double number = 0;
  std::string rest;
  bool ok = false;

  explicit Leading(std::string_view text, bool may_be_negative = false) {
    const bool negative = may_be_negative && text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const std::optional<double> found = take_real(text);
    ok = found.has_value();
    number = negative ? -found.value_or(0) : found.value_or(0);
    rest = text;
  }
};

// 0 needs neither percent sign nor unit; of any other number one could not tell what is meant.
Status parse_growth(const std::string& text, Growth& growth) {
  const Leading leading(text, true);  // a set may shrink
  const bool zero = leading.number == 0 && (leading.rest.empty() || leading.rest == "%");
  const std::optional<double> years = zero                             ? Growth::kYear
                                      : leading.rest.starts_with("%/") ? years_of(leading.rest.substr(2))
                                                                       : std::nullopt;
  if (!leading.ok || !years)
    return invalid_argument(
        "growth",
        fmt::format("growth is '{}': give percent per year, month, week or day: 30%/y, 2%/mo, 0.5%/w, 1%/d", text));
  growth.growth = leading.number / 100;
  growth.growth_years = *years;
  return {};
}

Status parse_rebuild(const std::string& text, Growth& growth) {
  const Leading leading(text);
  const std::optional<double> unit = years_of(leading.rest);
  if (!leading.ok || !unit)
    return invalid_argument("rebuild", fmt::format("rebuild is '{}': give a time such as 1d, 2w, 1mo or 3y", text));
  growth.rebuild_years = leading.number * *unit;
  return {};
}

Status parse_headroom(const std::string& text, Growth& growth) {
  const Leading leading(text);
  if (!leading.ok || !leading.rest.empty())
    return invalid_argument("headroom", fmt::format("headroom is '{}': give a number such as 2", text));
  growth.headroom = leading.number;
  return {};
}

Status parse_volatility(const std::string& text, Growth& growth) {
  const Leading leading(text);
  const bool zero = leading.number == 0 && leading.rest.empty();
  if (!leading.ok || (!zero && leading.rest != "%"))
    return invalid_argument("volatility", fmt::format("volatility is '{}': give percent, such as 20%", text));
  growth.volatility = leading.number / 100;
  return {};
}

// The two largest units, rounded down: a filter is not full before.
std::string in_words(double years) {
  if (years >= 1000) return "more than 1000 years";
  constexpr double kNoise = 1e-9;  // 3 years shall not be 2 years 11 months
  const auto months = static_cast<std::uint64_t>(years / Growth::kMonth + kNoise);
  const double rest = std::max(0.0, years - static_cast<double>(months) * Growth::kMonth);
  std::string text;
  const auto add = [&](std::uint64_t count, const char* unit) {
    if (count > 0) text += fmt::format("{}{} {}{}", text.empty() ? "" : " ", count, unit, count == 1 ? "" : "s");
  };
  add(months / 12, "year");
  add(months % 12, "month");
  if (months < 12) add(static_cast<std::uint64_t>(rest / Growth::kDay + kNoise), "day");
  return text.empty() ? "less than a day" : text;
}

std::string keys(std::uint64_t count) { return fmt::format("{} keys ({})", count, rounded(count)); }

}  // namespace

void GrowthOptions::add_to(Command& command) {
  command.option("--current", "N", &current, "Instead of -n: number of keys now, of a set that grows");
  command.option("--growth", "G", &growth,
                 "Their growth per year, month, week or day, as 30%/y, 2%/mo, 0.5%/w, 1%/d (default 0)");
  command.option("--rebuild", "T", &rebuild, "Time between rebuilds, as 1d, 2w, 1mo, 3y (default 1mo)");
  command.option("--headroom", "H", &headroom,
                 "Size for so many times the keys expected at the next rebuild, at least 1 (default 2)");
  command.option(
      "--volatility", "V", &volatility,
      "How far the keys may swing above their trend until then, as 20%: n is multiplied by 1 + V (default 0)");
}

Status GrowthOptions::check_use(const Command& command) {
  const bool n = command.given("-n"), current = command.given("--current");
  if (n && current)
    return invalid_argument(
        "n", "-n and --current exclude each other: give -n for a fixed number of keys, --current for one that grows");
  if (current) return {};
  for (const char* name : {"--growth", "--rebuild", "--headroom", "--volatility"})
    if (command.given(name))
      return invalid_argument(
          "current", fmt::format("{} needs --current N, the number of keys now{}", name, n ? ", in place of -n" : ""));
  if (!n) return invalid_argument("n", "how many keys? give -n N, or --current N for a number that grows");
  return {};
}

Result<Growth> GrowthOptions::parse() const {
  Growth parsed;
  Result<std::uint64_t> count = parse_count("current", current);
  BLOOMERY_TRY(count);
  parsed.current = *count;
  BLOOMERY_TRY(parse_growth(growth, parsed));
  BLOOMERY_TRY(parse_rebuild(rebuild, parsed));
  BLOOMERY_TRY(parse_headroom(headroom, parsed));
  BLOOMERY_TRY(parse_volatility(volatility, parsed));
  return parsed;
}

std::string GrowthOptions::summary(const Growth& g, const GrowthPlan& plan, double fpr) const {
  const std::string full = plan.years_until_full ? "full after " + in_words(*plan.years_until_full) : "never full";
  return fmt::format(
      "For {} keys now, growth {}, rebuild every {}, headroom {}, volatility {}, at a false-positive rate of {}:\n\n"
      "size it for      {}\n"
      "at next rebuild  it holds {}; the new filter is for {}\n"
      "without rebuild  {}\n\n",
      g.current, growth, rebuild, four_digits(g.headroom), volatility, four_digits(fpr), keys(plan.n),
      keys(plan.n_at_rebuild), keys(plan.next_n), full);
}

std::string rounded(std::uint64_t number, const char* space) {
  if (number < 1000) return fmt::format("{}{}", number, space);
  auto value = static_cast<double>(number);
  std::size_t unit = 0;
  for (; value >= 999.95; ++unit) value /= 1000;  // what would round to 1000.0 is 1.0 of the next unit
  return fmt::format("{:.1f}{}{}", value, space, " kMGTPE"[unit]);
}

}  // namespace bloomery::cli
