// Tables and caches as figures for Prometheus and JSON.
#include "table/table_impl.h"

namespace BLOOMERY_NAMESPACE {

Figures Table::figures(std::string_view name) const {
  const TableStats s = stats();
  const TableProperties& p = properties();
  Figures text(name);
  text.counter("table_gets_total", "Keys asked for", s.asked);
  text.counter("table_filter_noes_total", "Keys denied by the filter, without a read", s.filter_no);
  text.counter("table_filter_right_maybes_total", "Keys that the filter let pass, and that were there", s.filter_right);
  text.counter("table_filter_wrong_maybes_total", "Keys that the filter let pass, and that were not there",
               s.filter_wrong);
  text.counter("table_filter_unusable_total", "Filters, or parts of one, that could not be used; must stay 0",
               s.filter_unusable);
  text.counter("table_prefix_scans_total", "Scans of a prefix that asked the filter of prefixes", s.prefixes_asked);
  text.counter("table_prefix_noes_total", "Scans of a prefix that it answered without a read", s.prefixes_no);
  text.counter("table_blocks_read_total", "Blocks read from the file", s.blocks_read);
  text.counter("table_bytes_read_total", "Bytes of them", s.bytes_read);
  text.counter("table_cache_hits_total", "Blocks found in the cache", s.cache_hits);
  text.counter("table_damaged_gets_total", "Gets that met a damaged block; must stay 0", s.damaged_blocks);
  text.gauge("table_designed_fpr", "False-positive rate the filter is sized for", s.designed_fpr);
  text.gauge("table_predicted_fpr", "False-positive rate by its fill", s.predicted_fpr);
  text.gauge("table_measured_fpr", "Share of absent keys that the filter let pass", s.measured_fpr);
  text.gauge("table_fpr_alarm", "1 when the measured rate is far above the designed one", s.alarm ? 1 : 0);
  text.gauge("table_bytes", "Of the file", static_cast<double>(p.file_bytes));
  text.gauge("table_filter_bytes", "Of the filter of keys", static_cast<double>(p.filter_bytes));
  text.gauge("table_entries", "Entries in the table", static_cast<double>(p.entries));
  text.gauge("table_keys", "Different keys in the table", static_cast<double>(p.keys));
  return text;
}

Figures BlockCache::figures(std::string_view name) const {
  const Stats s = stats();
  Figures text(name);
  text.counter("block_cache_hits_total", "Blocks found", s.hits);
  text.counter("block_cache_misses_total", "Blocks not found", s.misses);
  text.counter("block_cache_evicted_total", "Blocks that made room for others", s.evicted);
  text.gauge("block_cache_bytes", "Of the blocks it holds", static_cast<double>(s.bytes));
  text.gauge("block_cache_pinned_bytes", "Of what open tables hold", static_cast<double>(s.pinned));
  text.gauge("block_cache_capacity_bytes", "Of both together, at most", static_cast<double>(s.capacity));
  return text;
}

}  // namespace BLOOMERY_NAMESPACE
