#include "any/size.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "any/registry.h"
#include "core/base/error.h"
#include "core/base/log.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using Numbers = std::vector<std::pair<std::string, std::uint64_t>>;

// What a geometry calls its numbers. Plain data, so that the checks below are compiled once and not for each kind.
struct Names {
  Kind kind;
  std::span<const char* const> fields;
  std::string_view choice;  // the number that a rate leaves open, or empty
};

template <class Geometry>
constexpr Names names_of() {
  if constexpr (requires { Geometry::kChoice; }) return {Geometry::kKind, Geometry::kFields, Geometry::kChoice};
  else return {Geometry::kKind, Geometry::kFields, {}};
}

// "m and k", "m, k and counter_bits"
std::string list_of(std::span<const char* const> fields) {
  std::string list;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) list += i + 1 == fields.size() ? " and " : ", ";
    list += fields[i];
  }
  return list;
}

Status check_names(const Names& names, const Numbers& numbers) {
  for (auto number = numbers.begin(); number != numbers.end(); ++number) {
    const auto same = [&](const char* name) { return number->first == name; };
    if (std::none_of(names.fields.begin(), names.fields.end(), same))
      return invalid_argument(number->first, std::string(to_string(names.kind)) + " filters have no " + number->first +
                                                 ": their geometry is " + list_of(names.fields) +
                                                 "; give all of that, or a rate");
    if (std::any_of(numbers.begin(), number, [&](const auto& other) { return other.first == number->first; }))
      return invalid_argument(number->first, number->first + " is given twice: give it once");
  }
  return {};
}

// Whether the numbers are a geometry, and not the one that is left open beside a rate.
bool is_exact(const Names& names, const Numbers& numbers) {
  return !numbers.empty() && !(numbers.size() == 1 && numbers.front().first == names.choice);
}

// Puts all numbers of a geometry into `values`; the one that a rate leaves open may be left out.
Status take_values(const Names& names, const Numbers& numbers, std::span<std::uint64_t> values) {
  const bool chosen =
      std::any_of(numbers.begin(), numbers.end(), [&](const auto& number) { return number.first == names.choice; });
  const bool may_lack = !names.choice.empty() && !chosen;
  if (numbers.size() + (may_lack ? 1 : 0) != values.size())
    return invalid_argument(numbers.front().first, list_of(names.fields) + " go together: an exact geometry of a " +
                                                       to_string(names.kind) + " filter needs all of them");
  for (std::size_t i = 0; i < values.size(); ++i)
    for (const auto& [name, value] : numbers)
      if (name == names.fields[i]) values[i] = value;
  return {};
}

template <class Geometry>
Result<Geometry> exact(const Numbers& numbers) {
  auto values = Geometry{}.values();
  BLOOMERY_TRY(take_values(names_of<Geometry>(), numbers, values));
  return Geometry::from_values(values);
}

// A geometry by rate, and the warning that comes with it.
template <class Geometry>
Result<Geometry> by_rate(std::uint64_t n, double fpr, const Numbers& choice, std::string& warning) {
  if constexpr (std::same_as<Geometry, ClassicGeometry>) {
    Result<ClassicPlan> plan = plan_classic(n, fpr);
    BLOOMERY_TRY(plan);
    warning = plan->warning;
    return plan->geometry;
  } else if constexpr (std::same_as<Geometry, CountingGeometry>) {
    Result<CountingPlan> plan = plan_counting(n, fpr, choice.empty() ? 4 : choice.front().second);
    BLOOMERY_TRY(plan);
    warning = plan->warning;
    return plan->geometry;
  } else if constexpr (requires { Geometry::kChoice; }) {
    if (!choice.empty()) return Geometry::for_capacity(n, fpr, choice.front().second);
  }
  return Geometry::for_capacity(n, fpr);
}

// The error of a static kind, whose numbers follow from its keys.
Error no_exact(const Names& names, const Numbers& numbers) {
  std::string message = std::string("the geometry of a ") + to_string(names.kind) +
                        " filter follows from its keys: leave out " + numbers.front().first + " and give a rate";
  if (!names.choice.empty()) message += ", beside which only " + std::string(names.choice) + " is open";
  return invalid_argument(numbers.front().first, std::move(message));
}

Error not_beside_bits(const Names& names) {
  return invalid_argument("bits_per_key", "bits per key and " + std::string(names.choice) +
                                              " do not go together: give a rate, or an exact geometry");
}

template <class Layout, class Geometry = typename Layout::Geometry>
Result<Geometry> geometry_for(std::uint64_t n, const SizeSpec& spec, std::string& warning) {
  constexpr Names names = names_of<Geometry>();
  BLOOMERY_TRY(check_names(names, spec.numbers));
  if (is_exact(names, spec.numbers)) {
    if constexpr (StaticLayout<Layout>) return no_exact(names, spec.numbers);
    else return exact<Geometry>(spec.numbers);
  }
  if (!spec.bits_per_key) return by_rate<Geometry>(n, spec.fpr, spec.numbers, warning);
  if (spec.numbers.empty()) return Geometry::for_bits_per_key(n, *spec.bits_per_key);
  if constexpr (requires { Geometry::for_bits_per_key(n, 1.0, std::uint64_t{1}); })
    return Geometry::for_bits_per_key(n, *spec.bits_per_key, spec.numbers.front().second);
  else return not_beside_bits(names);
}

// Calls use as with_layout does, where it returns a Result: a kind that is no filter is an error.
template <class Use>
auto with_known_layout(Kind kind, Use use) -> decltype(use(std::type_identity<BlockLayout>{})) {
  return guarded([&]() -> decltype(use(std::type_identity<BlockLayout>{})) {
    return any::with_layout(kind, use,
                            unsupported("kind", std::string("'") + to_string(kind) + "' is no filter: use one of " +
                                                    any::available_kinds()));
  });
}

template <class Geometry>
SizePlan plan_of(const Geometry& geometry, std::uint64_t n, std::string warning) {
  double fpr = 0;
  if constexpr (requires { geometry.plateau_fpr(); }) fpr = geometry.plateau_fpr();
  else fpr = geometry.predicted_fpr_after(n);
  return {any::fields_of(geometry), geometry.payload_bytes(), any::bits_of(geometry), fpr, false, std::move(warning)};
}

// Adds all keys of a run to a filter that takes keys, as add_many of the filter's own class does.
template <class Layout>
Status add_run_to(BasicFilter<Layout>& filter, const KeyRun& keys, unsigned threads) {
  if (keys.hashes != nullptr) return filter.add_many(std::span(keys.hashes, keys.count), threads);
  if constexpr (BlockedLayout<Layout>) {
    BLOOMERY_TRY(filter.add_many(std::span<const Hash>(), threads));  // one that was moved from has memory after this
    BLOOMERY_TRY(Layout(filter.geometry()).add_bulk(filter.mutable_payload().data(), keys, threads));
    std::optional<std::uint64_t> count = filter.key_count();
    detail::add_to_count(count, keys.count);
    filter.set_key_count(count);
  } else {
    detail::HashRoom<detail::kHashGroup> room;
    for (std::size_t first = 0; first < keys.count; first += detail::kHashGroup) {
      const std::span<Hash> group = room.first(std::min(detail::kHashGroup, keys.count - first));
      keys.hash(keys, first, group);
      BLOOMERY_TRY(filter.add_many(group, threads));
    }
  }
  return {};
}

}  // namespace

Hasher default_hasher(Kind kind) noexcept {
  return any::with_layout(
      kind, []<class Layout>(std::type_identity<Layout>) { return Layout::default_hasher(); }, Hasher());
}

const char* when_to_pick(Kind kind) noexcept {
  return any::with_layout(
      kind, []<class Layout>(std::type_identity<Layout>) { return Layout::kPickFor; }, "");
}

Result<SizePlan> plan_size(Kind kind, std::uint64_t n, const SizeSpec& spec) {
  return with_known_layout(kind, [&]<class Layout>(std::type_identity<Layout>) -> Result<SizePlan> {
    std::string warning;
    auto geometry = geometry_for<Layout>(n, spec, warning);
    BLOOMERY_TRY(geometry);
    SizePlan plan = plan_of(*geometry, n, std::move(warning));
    plan.exact = is_exact(names_of<typename Layout::Geometry>(), spec.numbers);
    return plan;
  });
}

Result<GrowthSize> plan_growth_size(Kind kind, const GrowthPlan& growth, double fpr) {
  return with_known_layout(kind, [&]<class Layout>(std::type_identity<Layout>) -> Result<GrowthSize> {
    if constexpr (StaticLayout<Layout>)
      return unsupported("kind", std::string(to_string(kind)) +
                                     " filters do not grow: each change of the keys is another build; use block");
    SizeSpec spec;
    spec.fpr = fpr;
    std::string warning;
    auto geometry = geometry_for<Layout>(growth.n, spec, warning);
    BLOOMERY_TRY(geometry);
    GrowthSize plan;
    plan.fpr_at_rebuild = geometry->predicted_fpr_after(growth.n_at_rebuild);
    const Result<SizePlan> next = plan_size(kind, growth.next_n, spec);
    if (next.ok()) plan.peak_bytes = geometry->payload_bytes() + next->bytes;
    else warning += (warning.empty() ? "at the next rebuild: " : "; at the next rebuild: ") + next.error().message;
    plan.size = plan_of(*geometry, growth.n, std::move(warning));
    return plan;
  });
}

Result<AnyFilter> AnyFilter::with_size(Kind kind, std::uint64_t n, const SizeSpec& spec, const FilterOptions& options) {
  return with_known_layout(kind, [&]<class Layout>(std::type_identity<Layout>) -> Result<AnyFilter> {
    std::string warning;
    auto geometry = geometry_for<Layout>(n, spec, warning);
    BLOOMERY_TRY(geometry);
    if (!warning.empty()) log(LogLevel::warning, warning);
    if constexpr (StaticLayout<Layout>)
      return unsupported("kind",
                         std::string(to_string(kind)) + " filters are built of all their keys at once: use build");
    else return any::erased(BasicFilter<Layout>::with_geometry(*geometry, options));
  });
}

Result<AnyFilter> AnyFilter::build_run(Kind kind, const KeyRun& keys, const SizeSpec& spec,
                                       const FilterOptions& options, unsigned threads) {
  return with_known_layout(kind, [&]<class Layout>(std::type_identity<Layout>) -> Result<AnyFilter> {
    std::string warning;
    auto geometry = geometry_for<Layout>(std::max<std::uint64_t>(keys.count, 1), spec, warning);
    BLOOMERY_TRY(geometry);
    if (!warning.empty()) log(LogLevel::warning, warning);
    if constexpr (StaticLayout<Layout>) {
      return any::erased(BasicFilter<Layout>::build_like(*geometry, keys, options, threads));
    } else {
      Result<BasicFilter<Layout>> filter = BasicFilter<Layout>::with_geometry(*geometry, options);
      BLOOMERY_TRY(filter);
      BLOOMERY_TRY(add_run_to(*filter, keys, threads));
      return AnyFilter(*std::move(filter));
    }
  });
}

Result<AnyFilter> AnyFilter::with_capacity(Kind kind, std::uint64_t n, double fpr, const FilterOptions& options) {
  SizeSpec spec;
  spec.fpr = fpr;
  return with_size(kind, n, spec, options);
}

Status AnyFilter::add_run(const KeyRun& keys, unsigned threads) {
  return guarded([&]() -> Status {
    return std::visit(
        [&]<class Layout>(BasicFilter<Layout>& filter) -> Status {
          if constexpr (StaticLayout<Layout>) return cannot(Ability::add);
          else return add_run_to(filter, keys, threads);
        },
        filter_);
  });
}

}  // namespace BLOOMERY_NAMESPACE
