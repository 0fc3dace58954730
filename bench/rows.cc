#include "bench/rows.h"

#include <algorithm>
#include <memory>

#include "bench/machine.h"
#include "bench/text.h"
#include "bench/windows.h"
#include "core/base/error.h"
#include "kernel/kernel.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kFewestKeys = 1'000;  // adding fewer takes no longer than reading the clock

Misses median_of(const std::vector<Misses>& all) {
  std::vector<double> cache, tlb;
  for (const Misses& one : all) cache.push_back(one.cache), tlb.push_back(one.tlb);
  return {median(cache), median(tlb)};
}

// Adds and builds by kernels; ribbon has one for batches of lookups. Of the others plain code is all there is.
bool has_kernels(Kind kind) { return kind == Kind::split || kind == Kind::block; }
bool is_static(Kind kind) { return !can(kind, Ability::add); }
const char* isa_of(Kind kind) {
  return has_kernels(kind) || kind == Kind::ribbon ? kernel::active().name : kernel::kScalar.name;
}

// How many times its limits each sample takes, in the window it is of: a machine that is slow for a while is so for
// both.
double ratio_of(const std::vector<double>& samples, const Limits& limits) {
  const std::vector<double>& ceiling = limits.ceiling.windows();
  if (ceiling.empty()) return 0;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const std::size_t window = samples.size() <= ceiling.size() ? i : i * ceiling.size() / samples.size();
    ratios.push_back(samples[i] / (ceiling[window] + (limits.hash.empty() ? 0 : limits.hash[window])));
  }
  return median(ratios);
}

// Returns the median ratio of windows that were measured one after the other.
double median_ratio(const std::vector<double>& these, const std::vector<double>& those) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(these.size(), those.size()); ++i) ratios.push_back(these[i] / those[i]);
  return median(ratios);
}

std::vector<Row> make_rows(const RowSpec& spec, const Samples& samples) {
  std::vector<Row> rows;
  const auto add = [&](const char* op, const std::vector<double>& of, const Limits& limits) {
    rows.push_back({op,
                    median(of),
                    limits.ceiling.ns(),
                    median(limits.hash),
                    ratio_of(of, limits),
                    limits.team.threads,
                    isa_of(spec.kind),
                    {}});
  };
  const Limits &all = samples.limits, &one = samples.limits_of_one();
  if (!is_static(spec.kind)) {
    add("add", samples.add, one);
    add("add_many", samples.add_many, has_kernels(spec.kind) ? all : one);
  }
  add("contains_present", samples.one_present, all);
  add("contains_absent", samples.one_absent, all);
  if (spec.counters != nullptr) rows.back().misses = median_of(samples.one_misses);
  add("contains_many_present", samples.many_present, all);
  add("contains_many_absent", samples.many_absent, all);
  if (spec.counters != nullptr) rows.back().misses = median_of(samples.many_misses);
  if (samples.why_no_build.empty()) add("build", samples.build, all);
  return rows;
}

std::vector<Row> make_rows_by_isa(const Samples& samples) {
  std::vector<Row> rows;
  const Limits& limits = samples.limits_of_one();
  for (std::size_t i = 0; i < samples.by_isa.size(); ++i)
    rows.push_back({"contains_many_absent",
                    median(samples.by_isa[i]),
                    limits.ceiling.ns(),
                    0,
                    ratio_of(samples.by_isa[i], limits),
                    1,
                    kernel::available()[i]->name,
                    {}});
  return rows;
}

// All that follows from the samples; what only the filter knows is there already.
void complete(const RowSpec& spec, const Samples& samples, FilterRows& found) {
  found.kind = spec.kind;
  found.keys = spec.keys;
  found.n = spec.n;
  found.threads = spec.threads;
  found.fpr_target = spec.fpr;
  found.fpr = samples.fpr;
  found.isa = isa_of(spec.kind);
  found.huge_page_share = samples.huge_page_share;
  found.prefault_ms = samples.prefault_ms;
  found.latency_ns = median(samples.latency);
  found.hash_ns = median(samples.limits.hash);
  found.ceiling_distance = samples.limits.ceiling.best_distance();
  found.rows = make_rows(spec, samples);
  found.by_isa = make_rows_by_isa(samples);
  if (!has_kernels(spec.kind) && !is_static(spec.kind)) return;
  if (!samples.why_no_build.empty()) found.notes.push_back("no row of build: " + samples.why_no_build);
  else if (spec.threads > 1)
    found.scaling = {median_ratio(samples.best_build_alone, samples.best_build),
                     median_ratio(samples.alone.ceiling.best_windows(), samples.limits.ceiling.best_windows())};
}

// The filter that the windows begin with: of a static kind they build one of their own.
template <class Filter>
Result<Filter> first_filter(const RowSpec& spec) {
  if constexpr (requires { Filter::with_capacity(spec.n, spec.fpr); }) return Filter::with_capacity(spec.n, spec.fpr);
  else return Filter::build(std::vector<Hash>(), spec.fpr);
}

template <class K>
Result<FilterRows> measure_keys(const RowSpec& spec, std::unique_ptr<Subject<K>> filter) {
  Windows<K> windows(spec, std::move(filter));
  const Result<Samples> samples = windows.run();
  BLOOMERY_TRY(samples);
  const AnyView view = windows.filter().view();
  FilterRows found;
  found.bytes = view.payload().size();
  found.geometry = view.geometry_fields();
  found.bits_per_key = static_cast<double>(view.payload_bits()) / static_cast<double>(spec.n);
  complete(spec, *samples, found);
  return found;
}

template <class Filter>
Result<FilterRows> measure_kind(const RowSpec& spec) {
  Result<Filter> filter = first_filter<Filter>(spec);
  BLOOMERY_TRY(filter);
  if (spec.keys == KeyType::u64)
    return measure_keys<Hash>(spec, std::make_unique<SubjectOf<Filter, Hash>>(*std::move(filter)));
  return measure_keys<std::string_view>(spec,
                                        std::make_unique<SubjectOf<Filter, std::string_view>>(*std::move(filter)));
}

}  // namespace

const char* to_string(KeyType type) { return type == KeyType::u64 ? "u64" : "string"; }

const char* FilterRows::pages() const {
  if (!huge_page_share) return "unknown";
  return *huge_page_share >= 0.5 ? "huge" : "small";
}

const Row* FilterRows::find(const std::string& op) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.op == op; });
  return found == rows.end() ? nullptr : &*found;
}

Status check(const RowSpec& spec) {
  if (forgets(spec.kind))
    return unsupported("kind", std::string(to_string(spec.kind)) + " filters are not measured here: they forget keys");
  Result<SizePlan> plan = plan_size(spec.kind, spec.n, {spec.fpr});
  BLOOMERY_TRY(plan);
  if (spec.n < kFewestKeys || spec.n > kAbsent)
    return invalid_argument("n", "n is " + std::to_string(spec.n) + ": a benchmark takes from 1000 to 2^40 keys");
  // A window holds keys, answers and random lines.
  const std::uint64_t window = spec.threads * spec.window_keys * (2 * KeyList<std::string_view>::kBytes + 16);
  const std::uint64_t needed = plan->bytes + window, available = available_memory();
  if (available == 0 || needed <= available) return {};
  return Error{ErrorCode::out_of_memory,
               format("%s, n = %llu: the filter and its keys take %llu bytes of memory, and %llu are available: use "
                      "fewer keys or a higher rate",
                      to_string(spec.kind), static_cast<unsigned long long>(spec.n),
                      static_cast<unsigned long long>(needed), static_cast<unsigned long long>(available)),
               {},
               {}};
}

Result<FilterRows> measure_rows(const RowSpec& spec) {
  BLOOMERY_TRY(check(spec));
  std::optional<Result<FilterRows>> found;
  AllLayouts::for_each([&]<class Layout>(std::type_identity<Layout>) {
    if constexpr (!ForgettingLayout<Layout>)
      if (Layout::Geometry::kKind == spec.kind) found.emplace(measure_kind<BasicFilter<Layout>>(spec));
  });
  return *std::move(found);
}

}  // namespace bloomery::bench
