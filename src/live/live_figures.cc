#include "live/live_figures.h"

#include <algorithm>
#include <atomic>
#include <limits>

namespace BLOOMERY_NAMESPACE::detail {
namespace {

void describe_tenants(Figures& text, const std::vector<TenantStats>& tenants) {
  const auto counters = [&](auto member) {
    Figures::ByTenant<std::uint64_t> values;
    for (const TenantStats& tenant : tenants) values.emplace_back(tenant.name, tenant.*member);
    return values;
  };
  const auto gauges = [&](auto member) {
    Figures::ByTenant<double> values;
    for (const TenantStats& tenant : tenants) values.emplace_back(tenant.name, tenant.wrong_maybes.*member);
    return values;
  };
  text.counter("tenant_false_positives_total", "Maybes that the tenant reported as wrong",
               counters(&TenantStats::false_positives));
  text.counter("tenant_true_positives_total", "Maybes that the tenant reported as right",
               counters(&TenantStats::true_positives));
  text.counter("tenant_false_negatives_total", "Noes that the tenant reported as wrong; must stay 0",
               counters(&TenantStats::false_negatives));
  text.gauge("tenant_wrong_maybes_ratio", "Share of wrong ones among the maybes that the tenant reported",
             gauges(&ObservedRate::rate));
  text.gauge("tenant_wrong_maybes_ratio_low", "Lower bound of it (95 %)", gauges(&ObservedRate::low));
  text.gauge("tenant_wrong_maybes_ratio_high", "Upper bound of it (95 %)", gauges(&ObservedRate::high));
}

void describe(Figures& text, const LiveStats& s) {
  text.counter("queries_total", "Lookups", s.queries);
  text.counter("maybes_total", "Lookups answered maybe", s.maybes);
  text.counter("adds_total", "Adds", s.adds);
  text.counter("new_adds_total", "Adds that changed a bit", s.new_adds);
  text.counter("false_positives_total", "Maybes that the caller reported as wrong", s.false_positives);
  text.counter("false_negatives_total", "Noes that the caller reported as wrong; must stay 0", s.false_negatives);
  text.counter("self_checks_total", "Checks of the sentinel keys", s.self_checks);
  text.counter("sentinel_failures_total", "Checks that missed a sentinel key; must stay 0", s.sentinel_failures);
  text.counter("rebuilds_total", "Rebuilds committed", s.rebuilds);
  text.counter("aborted_rebuilds_total", "Rebuilds aborted", s.aborted_rebuilds);
  text.counter("failed_rebuilds_total", "Rebuilds that could not begin", s.failed_rebuilds);
  text.counter("snapshots_total", "Snapshots written", s.snapshots);
  text.counter("failed_snapshots_total", "Snapshots that failed", s.failed_snapshots);
  text.gauge("last_snapshot_timestamp_seconds", "When this process last wrote a snapshot, 0 for never",
             static_cast<double>(s.last_snapshot));
  text.gauge("bytes", "Memory of the filters in use", static_cast<double>(s.bytes));
  text.gauge("retired_bytes", "Memory that waits for its last reader", static_cast<double>(s.retired_bytes));
  text.gauge("fill_ratio", "Share of the bits that are set", s.fill);
  text.gauge("designed_keys", "Keys it is sized for", static_cast<double>(s.designed_count));
  text.gauge("estimated_keys", "Keys in it, by its fill; +Inf when all bits are set",
             s.estimated_count ? static_cast<double>(*s.estimated_count) : std::numeric_limits<double>::infinity());
  text.gauge("capacity_used_ratio", "Estimated over designed keys", s.capacity_used);
  text.gauge("designed_fpr", "False-positive rate it is sized for", s.designed_fpr);
  text.gauge("predicted_fpr", "False-positive rate by its fill", s.predicted_fpr);
  text.gauge("sampled_fpr", "False-positive rate of random hashes", s.sampled_fpr.rate);
  text.gauge("sampled_fpr_low", "Lower bound of it (95 %)", s.sampled_fpr.low);
  text.gauge("sampled_fpr_high", "Upper bound of it (95 %)", s.sampled_fpr.high);
  text.gauge("reported_fpr", "False-positive rate by the reports of the caller", s.reported_fpr.rate);
  text.gauge("reported_fpr_low", "Lower bound of it (95 %)", s.reported_fpr.low);
  text.gauge("reported_fpr_high", "Upper bound of it (95 %)", s.reported_fpr.high);
  text.gauge("rebuilding", "1 during a rebuild", s.rebuilding ? 1 : 0);
  text.gauge("rebuild_fed_keys", "Keys fed to the rebuild under way", static_cast<double>(s.fed));
  text.gauge("disabled", "1 while the kill switch is on", s.disabled ? 1 : 0);
  text.gauge("damaged", "1 after a sentinel was lost", s.damaged ? 1 : 0);
  text.gauge("oldest_reader_seconds", "How long the oldest reader has been reading",
             std::chrono::duration<double>(s.oldest_reader_age).count());
  describe_tenants(text, s.tenants);
}

}  // namespace

// Where two counts go together the smaller one is read first. On some machines a raise of it may still be seen before
// that of the other one, so the other one is taken to be at least as large.
void count_events(const Readers& readers, const EventNumbers& events, LiveStats& out) {
  out.maybes = readers.total(events.maybes);
  out.queries = std::max(readers.total(events.queries), out.maybes);
  out.new_adds = readers.total(events.new_adds);
  out.adds = std::max(readers.total(events.adds), out.new_adds);
  out.false_positives = readers.total(events.false_positives);
  out.false_negatives = readers.total(events.false_negatives);
  out.reported_fpr = observed_rate(out.false_positives, out.queries - out.maybes + out.false_positives);
}

// With all bits set there is no estimate, and any number of keys may be in the filter.
void measure_capacity_used(LiveStats& out) {
  if (!out.estimated_count) out.capacity_used = std::numeric_limits<double>::infinity();
  else if (out.designed_count > 0)
    out.capacity_used = static_cast<double>(*out.estimated_count) / static_cast<double>(out.designed_count);
}

std::uint64_t fresh_seed() {
  static std::atomic<std::uint64_t> calls{0};
  return splitmix64(~calls.fetch_add(1, std::memory_order_relaxed));
}

Figures figures_of(const std::string& name, const LiveStats& now, const Histogram& rebuild_ms,
                   const Histogram& snapshot_ms) {
  Figures text(name);
  describe(text, now);
  text.durations("rebuild_duration_seconds", "Duration of rebuilds, from begin to commit", rebuild_ms);
  text.durations("snapshot_duration_seconds", "Duration of snapshots", snapshot_ms);
  return text;
}

}  // namespace BLOOMERY_NAMESPACE::detail
