// bloomery bench: what the operations of a filter cost on this machine, beside what the machine can do at best. The
// measuring itself is in bench/, which `make bench` stands on too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>

#include "bench/machine.h"
#include "bench/rows.h"
#include "bench/rows_text.h"
#include "bench/text.h"
#include "cli/cli.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "cli/progress.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "kernel/kernel.h"

namespace bloomery::cli {
namespace {

constexpr const char* kSizes = "100k,1M,10M,100M";
constexpr const char* kQuickSizes = "100k,1M";

struct BenchArguments {
  std::string kinds = "split,block", fpr = "0.01", keys = "u64", threads = "1";
  std::optional<std::string> n, isa;
  std::string plot;
  bool json = false, counters = false, quick = false;
};

bool can_run(const std::string& isa) {
  const std::vector<const kernel::Kernel*> all = kernel::available();
  return std::any_of(all.begin(), all.end(), [&](const kernel::Kernel* kernel) { return isa == kernel->name; });
}

Error no_such_isa(const std::string& isa) {
  std::string names;
  for (const kernel::Kernel* kernel : kernel::available())
    names += (names.empty() ? "" : ", ") + std::string(kernel->name);
  return invalid_argument("isa", fmt::format("--isa is '{}', and this machine has {}: name one of these", isa, names));
}

void list_isas() {
  for (const kernel::Kernel* kernel : kernel::available())
    fmt::print("{}{}\n", kernel->name, kernel == &kernel::active() ? "  in use" : "");
}

std::vector<std::string> isa_names() {
  std::vector<std::string> names = {"list"};
  for (const kernel::Kernel* kernel : kernel::available()) names.emplace_back(kernel->name);
  return names;
}

// A kind that forgets has no false-positive rate over keys that were never added.
std::vector<std::string> measured_kinds() {
  std::vector<std::string> names;
  for (const Kind kind : kAllKinds)
    if (!forgets(kind)) names.emplace_back(to_string(kind));
  return names;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

// What all filters of the run have in common.
Result<bench::RowSpec> parse_common(const BenchArguments& o) {
  bench::RowSpec spec;
  Result<double> fpr = parse_real("fpr", o.fpr);
  BLOOMERY_TRY(fpr);
  const Result<unsigned> threads = parse_threads(o.threads);
  BLOOMERY_TRY(threads);
  if (o.keys != "u64" && o.keys != "string")
    return invalid_argument("keys", fmt::format("--keys is '{}': give u64 or string", o.keys));
  spec.fpr = *fpr;
  spec.threads = *threads;
  spec.keys = o.keys == "u64" ? bench::KeyType::u64 : bench::KeyType::string;
  if (o.quick) {
    spec.windows = 3;
    spec.window_keys = 50'000;
    spec.absent_keys = 1'000'000;
  }
  return spec;
}

// Every filter of the run, all of them possible: what is not shall be known before the first is measured.
Result<std::vector<bench::RowSpec>> parse(const BenchArguments& o) {
  Result<bench::RowSpec> common = parse_common(o);
  BLOOMERY_TRY(common);
  std::vector<bench::RowSpec> specs;
  for (const std::string& size : split_list(o.n.value_or(o.quick ? kQuickSizes : kSizes))) {
    Result<std::uint64_t> n = parse_count("n", size);
    BLOOMERY_TRY(n);
    for (const std::string& name : split_list(o.kinds)) {
      Result<Kind> kind = parse_kind(name);
      BLOOMERY_TRY(kind);
      specs.push_back(*common);
      specs.back().kind = *kind;
      specs.back().n = *n;
      BLOOMERY_TRY(bench::check(specs.back()));
    }
  }
  return specs;
}

// Nanoseconds to a thousandth; null of what could not be measured.
Json json_ns(double ns) { return ns > 0 ? Json(std::round(ns * 1000) / 1000) : Json(); }

JsonObject json_row(const bench::FilterRows& found, const bench::Row& row, bool counters) {
  JsonObject json;
  json.put("kind", to_string(found.kind))
      .put("op", row.op)
      .put("n", found.n)
      .put("fpr_target", found.fpr_target)
      .put("bits_per_key", found.bits_per_key)
      .put("fpr", found.fpr)
      .put("ns", json_ns(row.ns))
      .put("ceiling_ns", json_ns(row.ceiling_ns))
      .put("isa", row.isa)
      .put("threads", row.threads)
      .put("pages", found.pages())
      .put("keys", to_string(found.keys))
      .put("latency_ns", json_ns(found.latency_ns))
      .put("prefault_ms", json_ns(found.prefault_ms));
  if (found.keys == bench::KeyType::string) json.put("hash_ns", json_ns(row.hash_ns));
  if (counters)
    json.put("cache_misses", row.misses ? Json(row.misses->cache) : Json())
        .put("tlb_misses", row.misses ? Json(row.misses->tlb) : Json());
  return json;
}

class Report {
 public:
  explicit Report(const BenchArguments& o) : o_(o) {
    if (o.json) return;
    for (const auto& [name, value] : bench::describe_machine())
      fmt::print("{}", fitted(fmt::format("{:<10}  {}\n", name, value)));
    fmt::print("\n{}",
               wrapped(fmt::format("Medians over windows of fresh keys. The ceiling is one random cache line of "
                                   "the same memory, with the best prefetch; the ratio is to it{}.\n",
                                   o.keys == "u64" ? "" : " and the hash together"),
                       terminal_columns()));
    if (o.quick) fmt::print("Quick: few windows, noisy figures.\n");
    fmt::print("\n");
  }

  void add(const bench::FilterRows& found) {
    for (const bench::Row& row : found.rows)
      bars_.push_back({fmt::format("{} {}, {}", to_string(found.kind), row.op, bench::count_text(found.n)),
                       bench::ns_text(row.ns) + " ns", row.ns, row.ceiling_ns});
    if (!o_.json) {
      fmt::print("{}", fitted(bench::text_of(found)));
      std::fflush(stdout);
      return;
    }
    for (const bench::Row& row : found.rows) rows_.add(json_row(found, row, o_.counters));
    for (const std::string& note : found.notes)
      notes_.add(fmt::format("{}, n = {}: {}", to_string(found.kind), bench::count_text(found.n), note));
    if (found.scaling)
      scaling_.add(JsonObject()
                       .put("kind", to_string(found.kind))
                       .put("n", found.n)
                       .put("threads", found.threads)
                       .put("build", found.scaling->build)
                       .put("ceiling", found.scaling->ceiling));
  }

  Status save_plot() const {
    if (o_.plot.empty()) return {};
    return save_picture(o_.plot, bar_chart("Nanoseconds a key, by operation", bars_,
                                           "the mark is the ceiling: one random cache line of the same memory"));
  }

  void finish() const {
    if (!o_.json) return;
    JsonObject machine, all;
    for (const auto& [name, value] : bench::describe_machine()) machine.put(name, value);
    all.put("machine", machine).put("commit", bench::commit()).put("quick", o_.quick).put("rows", rows_);
    if (!scaling_.empty()) all.put("scaling", scaling_);
    if (!notes_.empty()) all.put("notes", notes_);
    fmt::print("{}\n", all.text());
  }

 private:
  const BenchArguments& o_;
  JsonArray rows_, scaling_, notes_;
  std::vector<Bar> bars_;
};

Result<bench::FilterRows> measure(bench::RowSpec spec) {
  constexpr double kSteps = 1000;
  Progress progress(fmt::format("{}, n = {}", to_string(spec.kind), bench::count_text(spec.n)),
                    static_cast<std::uint64_t>(kSteps), Progress::Unit::steps);
  spec.progress = [&](double share) { progress.update(static_cast<std::uint64_t>(share * kSteps)); };
  return bench::measure_rows(spec);
}

Status bench_all(const BenchArguments& o) {
  if (o.isa == "list") return list_isas(), Status();
  if (o.isa && !can_run(*o.isa)) return no_such_isa(*o.isa);
  Result<std::vector<bench::RowSpec>> specs = parse(o);
  BLOOMERY_TRY(specs);
  std::optional<bench::Counters> counters;
  if (o.counters) {
    Result<bench::Counters> opened = bench::Counters::open();
    if (opened.ok()) counters.emplace(*std::move(opened));
    else warn(opened.error().message);
  }
  // A place that cannot be written to shall be noticed before the work, not after it.
  if (!o.plot.empty()) BLOOMERY_TRY(io::AtomicFile::create(o.plot));
  Report report(o);
  for (bench::RowSpec& spec : *specs) {
    spec.counters = counters ? &*counters : nullptr;
    Result<bench::FilterRows> found = measure(spec);
    BLOOMERY_TRY(found);
    report.add(*found);
  }
  report.finish();
  return report.save_plot();
}

}  // namespace

void add_bench(Command& program) {
  auto o = std::make_shared<BenchArguments>();
  Command& command = program.add("bench", "Measure filters on this machine, beside what its memory can do at best");
  command.details(
      "Nanoseconds per key of add, add_many, contains and contains_many (of present and absent keys) "
      "and build, as medians over windows of fresh keys; bits per key; and the false-positive rate "
      "over ten million absent keys. Each row stands beside its ceiling, one random cache line of the "
      "same memory with the best prefetch, and as a ratio to it; the latency of a load that depends on "
      "the one before, the time to have the memory in place and its share of huge pages are told too. "
      "Times are CPU time of the thread; with several threads, elapsed time over the keys of "
      "all.\n\n--counters needs a kernel that permits it (sysctl kernel.perf_event_paranoid, 2 or less). "
      "The environment variable BLOOMERY_ISA forces an instruction set for every command.");
  command.option("--kind", "K,..", &o->kinds, "Kinds of filter, all but stable (default split,block)")
      .choices(measured_kinds(), true);
  command.option("-n,--n", "N,..", &o->n, fmt::format("Numbers of keys (default {})", kSizes));
  command.option("--fpr", "P", &o->fpr, "False-positive rate aimed at (default 0.01)");
  command.option("--keys", "T", &o->keys, "u64: hashes already (default); string: 16 to 32 bytes, hash included")
      .choices({"u64", "string"});
  command.option("--threads", "T", &o->threads, "Threads that look up, add batches and build (default 1)");
  // The library asks for the variable once, when it first needs a kernel, which is after this.
  command.option("--isa", "I", &o->isa, "Instruction set to use; 'list' shows those there are").choices(isa_names());
  command.after_parsing([o] {
    if (o->isa && can_run(*o->isa)) ::setenv("BLOOMERY_ISA", o->isa->c_str(), 1);
  });
  command.flag("--json", o->json, "One line of JSON");
  command.option("--plot", "OUT", &o->plot, "Write a picture of the rows, as SVG");
  command.flag("--counters", o->counters, "Count cache and TLB misses of lookups as well");
  command.flag("--quick", o->quick,
               fmt::format("Few windows and 1M absent keys: noisy (sizes then default to {})", kQuickSizes));
  command.runs([o] { return exit_status(bench_all(*o)); });
}

}  // namespace bloomery::cli
