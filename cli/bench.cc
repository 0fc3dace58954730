// bloomery bench: what the operations of a filter cost on this machine, beside what the machine can do at best. The
// measuring itself is in bench/, which `make bench` stands on too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/machine.h"
#include "bench/rows.h"
#include "bench/rows_text.h"
#include "bench/text.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "core/base/error.h"
#include "kernel/kernel.h"

namespace bloomery::cli {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSizes = "100k,1M,10M,100M";
constexpr const char* kQuickSizes = "100k,1M";
constexpr std::uint64_t kMostThreads = 256;

struct Options {
  std::string kinds = "split,block", fpr = "0.01", keys = "u64", threads = "1";
  std::optional<std::string> n, isa;
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

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') parts.emplace_back();
    else parts.back() += c;
  }
  return parts;
}

// What all filters of the run have in common.
Result<bench::RowSpec> parse_common(const Options& o) {
  bench::RowSpec spec;
  Result<double> fpr = parse_real("fpr", o.fpr);
  BLOOMERY_TRY(fpr);
  const Result<std::uint64_t> threads = parse_count("threads", o.threads);
  if (!threads.ok() || *threads < 1 || *threads > kMostThreads)
    return invalid_argument("threads",
                            fmt::format("--threads is '{}': give a number from 1 to {}", o.threads, kMostThreads));
  if (o.keys != "u64" && o.keys != "string")
    return invalid_argument("keys", fmt::format("--keys is '{}': give u64 or string", o.keys));
  spec.fpr = *fpr;
  spec.threads = static_cast<unsigned>(*threads);
  spec.keys = o.keys == "u64" ? bench::KeyType::u64 : bench::KeyType::string;
  if (o.quick) {
    spec.windows = 3;
    spec.window_keys = 50'000;
    spec.absent_keys = 1'000'000;
  }
  return spec;
}

// Every filter of the run, all of them possible: what is not shall be known before the first is measured.
Result<std::vector<bench::RowSpec>> parse(const Options& o) {
  Result<bench::RowSpec> common = parse_common(o);
  BLOOMERY_TRY(common);
  std::vector<bench::RowSpec> specs;
  for (const std::string& size : split_list(o.n.value_or(o.quick ? kQuickSizes : kSizes))) {
    Result<std::uint64_t> n = parse_count("n", size);
    BLOOMERY_TRY(n);
    for (const std::string& name : split_list(o.kinds)) {
      Result<Kind> kind = kind_from_name(name);
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
ordered_json json_ns(double ns) { return ns > 0 ? ordered_json(std::round(ns * 1000) / 1000) : ordered_json(); }

ordered_json json_row(const bench::FilterRows& found, const bench::Row& row, bool counters) {
  ordered_json json = {{"kind", to_string(found.kind)},
                       {"op", row.op},
                       {"n", found.n},
                       {"fpr_target", found.fpr_target},
                       {"bits_per_key", found.bits_per_key},
                       {"fpr", found.fpr},
                       {"ns", json_ns(row.ns)},
                       {"ceiling_ns", json_ns(row.ceiling_ns)},
                       {"isa", row.isa},
                       {"threads", row.threads},
                       {"pages", found.pages()},
                       {"keys", to_string(found.keys)},
                       {"latency_ns", json_ns(found.latency_ns)},
                       {"prefault_ms", json_ns(found.prefault_ms)}};
  if (found.keys == bench::KeyType::string) json["hash_ns"] = json_ns(row.hash_ns);
  if (counters) {
    json["cache_misses"] = row.misses ? ordered_json(row.misses->cache) : ordered_json();
    json["tlb_misses"] = row.misses ? ordered_json(row.misses->tlb) : ordered_json();
  }
  return json;
}

class Report {
 public:
  explicit Report(const Options& o) : o_(o) {
    if (o.json) return;
    for (const auto& [name, value] : bench::describe_machine()) fmt::print("{:<10}  {}\n", name, value);
    fmt::print(
        "\nMedians over windows of fresh keys. The ceiling is one random cache line of the same memory, with the "
        "best prefetch;\nthe ratio is to it{}.\n",
        o.keys == "u64" ? "" : " and the hash together");
    if (o.quick) fmt::print("Quick: few windows, noisy figures.\n");
    fmt::print("\n");
  }

  void add(const bench::FilterRows& found) {
    if (!o_.json) return bench::print(found);
    for (const bench::Row& row : found.rows) rows_.push_back(json_row(found, row, o_.counters));
    for (const std::string& note : found.notes)
      notes_.push_back(fmt::format("{}, n = {}: {}", to_string(found.kind), bench::count_text(found.n), note));
    if (found.scaling)
      scaling_.push_back({{"kind", to_string(found.kind)},
                          {"n", found.n},
                          {"threads", found.threads},
                          {"build", found.scaling->build},
                          {"ceiling", found.scaling->ceiling}});
  }

  void finish() const {
    if (!o_.json) return;
    ordered_json machine;
    for (const auto& [name, value] : bench::describe_machine()) machine[name] = value;
    ordered_json all = {{"machine", machine}, {"commit", bench::commit()}, {"quick", o_.quick}, {"rows", rows_}};
    if (!scaling_.empty()) all["scaling"] = scaling_;
    if (!notes_.empty()) all["notes"] = notes_;
    fmt::print("{}\n", all.dump());
  }

 private:
  const Options& o_;
  ordered_json rows_ = ordered_json::array(), scaling_ = ordered_json::array(), notes_ = ordered_json::array();
};

Result<bench::FilterRows> measure(bench::RowSpec spec) {
  constexpr double kSteps = 1000;
  Progress progress(fmt::format("{}, n = {}", to_string(spec.kind), bench::count_text(spec.n)),
                    static_cast<std::uint64_t>(kSteps));
  spec.progress = [&](double share) { progress.update(static_cast<std::uint64_t>(share * kSteps)); };
  return bench::measure_rows(spec);
}

Status bench_all(const Options& o) {
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
  Report report(o);
  for (bench::RowSpec& spec : *specs) {
    spec.counters = counters ? &*counters : nullptr;
    Result<bench::FilterRows> found = measure(spec);
    BLOOMERY_TRY(found);
    report.add(*found);
  }
  report.finish();
  return {};
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("bench", "Measure filters on this machine, beside what its memory can do at best");
  command->add_option("--kind", o->kinds, "Kinds of filter, all but stable (default split,block)")->type_name("K,..");
  command->add_option("-n,--n", o->n, fmt::format("Numbers of keys (default {})", kSizes))->type_name("N,..");
  command->add_option("--fpr", o->fpr, "False-positive rate aimed at (default 0.01)")->type_name("P");
  command->add_option("--keys", o->keys, "u64: hashes already (default); string: 16 to 32 bytes, hash included")
      ->type_name("T");
  command->add_option("--threads", o->threads, "Threads that look up, add batches and build (default 1)")
      ->type_name("T");
  // The library asks for the variable once, when it first needs a kernel, which is after this.
  const auto force = [o](const std::string& isa) {
    o->isa = isa;
    if (can_run(isa)) ::setenv("BLOOMERY_ISA", isa.c_str(), 1);
  };
  command->add_option_function<std::string>("--isa", force, "Instruction set to use; 'list' shows those there are")
      ->type_name("I");
  command->add_flag("--json", o->json, "One line of JSON");
  command->add_flag("--counters", o->counters, "Count cache and TLB misses of lookups as well");
  command->add_flag("--quick", o->quick,
                    fmt::format("Few windows and 1M absent keys: noisy (sizes then default to {})", kQuickSizes));
  command->callback([o, &status] {
    const Status done = bench_all(*o);
    status = done.ok() ? kYes : fail(done.error());
  });
}

}  // namespace bloomery::cli
