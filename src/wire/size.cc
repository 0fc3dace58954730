#include "wire/size.h"

#include <type_traits>

#include "base/error.h"
#include "base/log.h"

namespace bloomery {
namespace {

// The exact geometry, when the spec gives one; an error when it gives numbers that this kind does not have.
Result<std::optional<ClassicGeometry>> exact(const SizeSpec& spec, ClassicGeometry) {
  if (spec.blocks)
    return invalid_argument("blocks", "classic filters have no blocks: give m and k (-m, -k), or a rate");
  if (spec.m.has_value() != spec.k.has_value())
    return invalid_argument("m", "m and k go together (-m, -k): an exact geometry needs both");
  if (!spec.m) return std::optional<ClassicGeometry>();
  Result<ClassicGeometry> made = ClassicGeometry::make(*spec.m, *spec.k);
  if (!made.ok()) return std::move(made).error();
  return std::optional(*made);
}

Result<std::optional<SplitGeometry>> exact(const SizeSpec& spec, SplitGeometry) {
  if (spec.m || spec.k)
    return invalid_argument("m", "split filters have blocks and no m or k: give --blocks, or a rate");
  if (!spec.blocks) return std::optional<SplitGeometry>();
  Result<SplitGeometry> made = SplitGeometry::make(*spec.blocks);
  if (!made.ok()) return std::move(made).error();
  return std::optional(*made);
}

Result<std::optional<BlockGeometry>> exact(const SizeSpec& spec, BlockGeometry) {
  if (spec.m) return invalid_argument("m", "block filters have blocks and no m: give --blocks and -k, or a rate");
  if (spec.blocks.has_value() != spec.k.has_value())
    return invalid_argument("blocks", "blocks and k go together (--blocks, -k): an exact geometry needs both");
  if (!spec.blocks) return std::optional<BlockGeometry>();
  Result<BlockGeometry> made = BlockGeometry::make(*spec.blocks, *spec.k);
  if (!made.ok()) return std::move(made).error();
  return std::optional(*made);
}

// A geometry by rate, and the warning that comes with it.
Result<ClassicGeometry> by_rate(std::uint64_t n, double fpr, ClassicGeometry, std::string& warning) {
  Result<ClassicPlan> plan = plan_classic(n, fpr);
  if (!plan.ok()) return std::move(plan).error();
  warning = plan->warning;
  return plan->geometry;
}
template <class Geometry>
Result<Geometry> by_rate(std::uint64_t n, double fpr, Geometry, std::string&) {
  return Geometry::for_capacity(n, fpr);
}

template <class Geometry>
Result<Geometry> geometry_for(std::uint64_t n, const SizeSpec& spec, std::string& warning) {
  auto given = exact(spec, Geometry{});
  if (!given.ok()) return std::move(given).error();
  if (given->has_value()) return **given;
  if (spec.bits_per_key) return Geometry::for_bits_per_key(n, *spec.bits_per_key);
  return by_rate(n, spec.fpr, Geometry{}, warning);
}

template <class Geometry>
SizePlan plan_of(const Geometry& geometry, std::uint64_t n, std::string warning) {
  return {wire::fields_of(geometry), geometry.payload_bytes(), geometry.bits(), geometry.predicted_fpr_after(n),
          std::move(warning)};
}

// Calls use(Layout tag) for the kind.
template <class Use>
auto with_layout(Kind kind, Use use) {
  switch (kind) {
    case Kind::split: return use(std::type_identity<SplitLayout>{});
    case Kind::block: return use(std::type_identity<BlockLayout>{});
    case Kind::classic: break;
  }
  return use(std::type_identity<ClassicLayout>{});
}

}  // namespace

GeometryFields wire::fields_of(const ClassicGeometry& g) { return {{"m", g.m}, {"k", g.k}}; }
GeometryFields wire::fields_of(const SplitGeometry& g) { return {{"blocks", g.blocks}}; }
GeometryFields wire::fields_of(const BlockGeometry& g) { return {{"blocks", g.blocks}, {"k", g.k}}; }

Hasher default_hasher(Kind kind) noexcept {
  return with_layout(kind, []<class Layout>(std::type_identity<Layout>) { return Layout::default_hasher(); });
}

Result<SizePlan> plan_size(Kind kind, std::uint64_t n, const SizeSpec& spec) {
  return with_layout(kind, [&]<class Layout>(std::type_identity<Layout>) {
    return guarded([&]() -> Result<SizePlan> {
      std::string warning;
      auto geometry = geometry_for<typename Layout::Geometry>(n, spec, warning);
      if (!geometry.ok()) return std::move(geometry).error();
      return plan_of(*geometry, n, std::move(warning));
    });
  });
}

Result<GrowthSize> plan_growth_size(Kind kind, const GrowthPlan& growth, double fpr) {
  return with_layout(kind, [&]<class Layout>(std::type_identity<Layout>) {
    return guarded([&]() -> Result<GrowthSize> {
      const SizeSpec spec{fpr, {}, {}, {}, {}};
      std::string warning;
      auto geometry = geometry_for<typename Layout::Geometry>(growth.n, spec, warning);
      if (!geometry.ok()) return std::move(geometry).error();
      GrowthSize plan;
      plan.fpr_at_rebuild = geometry->predicted_fpr_after(growth.n_at_rebuild);
      const Result<SizePlan> next = plan_size(kind, growth.next_n, spec);
      if (next.ok()) plan.peak_bytes = geometry->payload_bytes() + next->bytes;
      else warning += (warning.empty() ? "at the next rebuild: " : "; at the next rebuild: ") + next.error().message;
      plan.size = plan_of(*geometry, growth.n, std::move(warning));
      return plan;
    });
  });
}

Result<AnyFilter> AnyFilter::with_size(Kind kind, std::uint64_t n, const SizeSpec& spec, std::optional<Hasher> hasher) {
  return with_layout(kind, [&]<class Layout>(std::type_identity<Layout>) {
    return guarded([&]() -> Result<AnyFilter> {
      std::string warning;
      auto geometry = geometry_for<typename Layout::Geometry>(n, spec, warning);
      if (!geometry.ok()) return std::move(geometry).error();
      if (!warning.empty()) log(LogLevel::warning, warning);
      auto filter = BasicFilter<Layout>::with_geometry(*geometry, hasher.value_or(Layout::default_hasher()));
      if (!filter.ok()) return std::move(filter).error();
      return AnyFilter(*std::move(filter));
    });
  });
}

Result<AnyFilter> AnyFilter::with_capacity(Kind kind, std::uint64_t n, double fpr, std::optional<Hasher> hasher) {
  return with_size(kind, n, {fpr, {}, {}, {}, {}}, hasher);
}

}  // namespace bloomery
