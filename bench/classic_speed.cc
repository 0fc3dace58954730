// The tables of the classic filter, and the bars they are held to.
#include <algorithm>
#include <cstdio>

#include "bench/measure.h"
#include "bench/peers/sibling.h"
#include "bench/questions.h"
#include "bench/text.h"

namespace bloomery::bench {
namespace {

constexpr double kBatchGain = 1.5;    // contains_many against libbloom
constexpr double kCeilingFactor = 5;  // contains_many of absent keys at n = 10M against the ceiling
constexpr std::uint64_t kOneKeyBarAt = 1'000'000, kCeilingBarAt = 10'000'000;

constexpr const char* kOurs = "bloomery";
constexpr const char* kLibbloom = "libbloom";

double figure(const Measured& measured, const std::string& operation, const std::string& who) {
  const auto by_who = measured.ns.find(operation);
  if (by_who == measured.ns.end()) return 0;
  const auto ns = by_who->second.find(who);
  return ns == by_who->second.end() ? 0 : ns->second;
}

// The call that stands in for a batch where a library has none.
std::string one_key_call(const std::string& operation) {
  const std::size_t many = operation.find("_many");
  return many == std::string::npos ? operation : operation.substr(0, many) + operation.substr(many + 5);
}

double figure_or_one_key(const Measured& measured, const std::string& operation, const std::string& who) {
  const double ns = figure(measured, operation, who);
  return ns > 0 ? ns : figure(measured, one_key_call(operation), who);
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::string cell(const Measured& measured, const std::string& operation, const std::string& who) {
  const double ns = figure(measured, operation, who);
  if (ns > 0) return ns_text(ns);
  if (measured.fpr.count(who) == 0) return "-";  // a sibling: it may have the call, and has not reported it
  const double stand_in = figure_or_one_key(measured, operation, who);
  return stand_in > 0 ? format("(%s)", ns_text(stand_in).c_str()) : "-";
}

void print_table(const Measured& measured, const std::vector<std::string>& columns) {
  std::vector<std::string> head = {"ns per key"};
  head.insert(head.end(), columns.begin(), columns.end());
  for (const char* name : {"ceiling", "libbloom/ours", "ours/ceiling"}) head.emplace_back(name);
  Table table(head);
  for (const std::string& operation : kOperations) {
    std::vector<std::string> row = {operation};
    for (const std::string& who : columns) row.push_back(cell(measured, operation, who));
    const double ours = figure(measured, operation, kOurs);
    row.push_back(ns_text(measured.ceiling_ns));
    row.push_back(ratio_text(ratio(figure_or_one_key(measured, operation, kLibbloom), ours)));
    row.push_back(ratio_text(ratio(ours, measured.ceiling_ns)));
    table.row(row);
  }
  std::vector<std::string> bits = {"bits per key"}, fpr = {"false positives"};
  for (const std::string& who : columns) {
    const bool known = measured.fpr.count(who) != 0;
    bits.push_back(known ? format("%.2f", measured.bits_per_key.at(who)) : "");
    fpr.push_back(known ? format("%.2f %%", measured.fpr.at(who) * 100) : "");
  }
  table.row(bits);
  table.row(fpr);
  table.print();
  std::printf("  ceiling: one random 64-byte line of our filter's memory, best prefetch distance %zu\n",
              measured.ceiling_distance);
  for (const std::string& why : measured.skipped) std::printf("  skipped: %s\n", why.c_str());
  std::printf("\n");
}

void keep_figures(const Measured& measured, const std::string& question, std::uint64_t n, Report& report) {
  for (const auto& [operation, by_who] : measured.ns)
    for (const auto& [who, ns] : by_who) report.figure(question, n, operation, who, ns);
  for (const auto& [who, bits] : measured.bits_per_key) report.figure(question, n, "bits_per_key", who, bits, "bits");
  for (const auto& [who, rate] : measured.fpr) report.figure(question, n, "false_positives", who, rate, "rate");
  report.figure(question, n, "random_line", "ceiling", measured.ceiling_ns);
}

// One bar against libbloom: ours at least `wanted` times as fast.
void hold_against_libbloom(const Measured& measured, const std::string& operation, std::uint64_t n, double wanted,
                           Report& report) {
  const double ours = figure(measured, operation, kOurs);
  const double theirs = figure_or_one_key(measured, operation, kLibbloom);
  const std::string what = operation + ", n = " + count_text(n) + ": ";
  if (theirs <= 0) return report.no_bar(what + "libbloom is not in this run");
  report.bar(
      theirs / ours >= wanted,
      what + format("%.2fx as fast as libbloom (bar: at least %.1fx); %s against %s ns, ceiling %s ns", theirs / ours,
                    wanted, ns_text(ours).c_str(), ns_text(theirs).c_str(), ns_text(measured.ceiling_ns).c_str()));
}

void hold_bars(const Measured& measured, std::uint64_t n, Report& report) {
  if (n == kOneKeyBarAt)
    for (const char* operation : {"contains_present", "contains_absent"})
      hold_against_libbloom(measured, operation, n, 1, report);
  for (const char* operation : {"contains_many_present", "contains_many_absent"})
    hold_against_libbloom(measured, operation, n, kBatchGain, report);
  if (n != kCeilingBarAt) return;
  const double ours = figure(measured, "contains_many_absent", kOurs), factor = ratio(ours, measured.ceiling_ns);
  report.bar(factor <= kCeilingFactor,
             format("contains_many_absent, n = %s: %.1fx of the ceiling (bar: at most %.0fx); %s against %s ns",
                    count_text(n).c_str(), factor, kCeilingFactor, ns_text(ours).c_str(),
                    ns_text(measured.ceiling_ns).c_str()));
}

void name_unmeasured_bars(const Options& options, Report& report) {
  for (std::uint64_t n : {kOneKeyBarAt, kCeilingBarAt})
    if (std::find(options.sizes.begin(), options.sizes.end(), n) == options.sizes.end())
      report.no_bar("the bars of n = " + count_text(n) + ": not among the sizes of this run");
}

// Adds the siblings' figures, or why there are none.
void run_siblings(const std::vector<Sibling>& siblings, std::uint64_t n, Measured& measured) {
  for (const Sibling& sibling : siblings) {
    const std::map<std::string, double> figures = sibling.run(n);
    for (const auto& [operation, ns] : figures) measured.ns[operation][sibling.name] = ns;
    if (figures.empty()) measured.skipped.push_back(sibling.name + ": " + sibling.why_absent());
  }
}

}  // namespace

void classic_speed(const Options& options, Report& report) {
  const std::vector<Sibling> siblings = {{"Rust", options.rust}, {"Go", options.go}};
  const std::vector<std::unique_ptr<Peer>> peers = all_peers();
  std::vector<std::string> columns;
  columns.reserve(peers.size() + siblings.size());
  for (const std::unique_ptr<Peer>& peer : peers) columns.push_back(peer->name());
  std::vector<std::string> all_columns = columns;
  for (const Sibling& sibling : siblings) all_columns.push_back(sibling.name);

  for (const std::uint64_t n : options.sizes) {
    std::printf("classic, n = %s, 8-byte keys, 1 %%\n", count_text(n).c_str());
    Measured measured = measure(peers, {}, n, options);
    run_siblings(siblings, n, measured);
    print_table(measured, all_columns);
    keep_figures(measured, "classic, 8-byte keys", n, report);
    hold_bars(measured, n, report);
  }
  name_unmeasured_bars(options, report);
  const std::pair<const char*, KeyShape> shapes[] = {{"8-byte strings", KeyShape::strings(8, 8)},
                                                     {"strings of 16 to 32 bytes", KeyShape::strings(16, 32)}};
  for (const auto& [name, shape] : shapes) {
    std::printf("classic, n = %s, %s, 1 %%\n", count_text(options.string_keys).c_str(), name);
    const Measured measured = measure(peers, shape, options.string_keys, options);
    print_table(measured, columns);
    keep_figures(measured, std::string("classic, ") + name, options.string_keys, report);
  }
}

}  // namespace bloomery::bench
