#include "bench/rows_text.h"

#include <algorithm>
#include <cstdio>

#include "bench/text.h"

namespace bloomery::bench {
namespace {

std::string geometry_text(const GeometryFields& geometry) {
  std::string text;
  for (const auto& [name, value] : geometry)
    text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(value);
  return text;
}

std::string threads_text(unsigned threads) { return std::to_string(threads) + (threads == 1 ? " thread" : " threads"); }

std::string pages_text(const FilterRows& found) {
  if (!found.huge_page_share) return "pages unknown";
  return format("%s pages (%.0f %% huge)", found.pages(), 100 * *found.huge_page_share);
}

std::string duration_text(double ms) { return ms < 1000 ? format("%.3g ms", ms) : format("%.1f s", ms / 1000); }

std::string headline(const FilterRows& found) {
  return format("%s, n = %s, %s: %.2f bits per key, %.4g %% false positives (%.4g %% wanted), %s\n",
                to_string(found.kind), count_text(found.n).c_str(),
                found.keys == KeyType::u64 ? "hashes" : "strings of 16 to 32 bytes", found.bits_per_key,
                100 * found.fpr, 100 * found.fpr_target, geometry_text(found.geometry).c_str()) +
         format("  %s, %s, %s, prefault %s, dependent-load latency %s ns\n", found.isa.c_str(),
                threads_text(found.threads).c_str(), pages_text(found).c_str(),
                duration_text(found.prefault_ms).c_str(), ns_text(found.latency_ns).c_str());
}

class RowTable {
 public:
  RowTable(const FilterRows& found, bool with_misses)
      : found_(found),
        with_misses_(with_misses),
        table_(cells("ns per key", "ours", "hash", "ceiling", "ratio", "cache misses", "TLB misses")) {}

  void row(const std::string& name, const Row& row) {
    const std::optional<Misses>& misses = row.misses;
    table_.row(cells(name, ns_text(row.ns), ns_text(row.hash_ns), ns_text(row.ceiling_ns), ratio_text(row.ratio),
                     misses ? format("%.2f", misses->cache) : "-", misses ? format("%.2f", misses->tlb) : "-"));
  }
  std::string text() const { return table_.text(); }

 private:
  // Without the columns that this run has no figures for.
  std::vector<std::string> cells(std::string name, std::string ns, std::string hash, std::string ceiling,
                                 std::string ratio, std::string cache, std::string tlb) const {
    std::vector<std::string> all = {std::move(name), std::move(ns)};
    if (found_.keys == KeyType::string) all.push_back(std::move(hash));
    all.push_back(std::move(ceiling));
    all.push_back(std::move(ratio));
    if (with_misses_) all.push_back(std::move(cache)), all.push_back(std::move(tlb));
    return all;
  }

  const FilterRows& found_;
  bool with_misses_;
  Table table_;
};

}  // namespace

std::string text_of(const FilterRows& found) {
  std::string text = headline(found);
  RowTable table(
      found, std::any_of(found.rows.begin(), found.rows.end(), [](const Row& row) { return row.misses.has_value(); }));
  for (const Row& row : found.rows)
    table.row(row.threads == found.threads ? row.op : row.op + ", " + threads_text(row.threads), row);
  for (const Row& row : found.by_isa) table.row(row.op + ", " + row.isa, row);
  text += table.text();
  if (found.scaling)
    text += format("  %s against 1: build %.2fx as fast, the ceiling's own loop %.2fx\n",
                   threads_text(found.threads).c_str(), found.scaling->build, found.scaling->ceiling);
  for (const std::string& note : found.notes) text += "  " + note + "\n";
  return text + "\n";
}

void print(const FilterRows& found) {
  std::printf("%s", text_of(found).c_str());
  std::fflush(stdout);
}

}  // namespace bloomery::bench
