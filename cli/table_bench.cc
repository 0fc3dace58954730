// bloomery table bench: what a table does on this machine, beside what its memory and the hash alone take.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/machine.h"
#include "bench/text.h"
#include "bloomery/detail/fnv.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scratch.h"
#include "cli/table.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

constexpr std::size_t kWindows = 7, kBuilds = 3, kAsked = 20'000, kBatch = 64, kKeyBytes = 16;

struct TableBenchArguments {
  std::string n = "1M", value_bytes = "100";
  bool json = false;
};

// The i-th key in order; those that are there have even numbers.
std::string key_of(std::uint64_t i) { return fmt::format("{:016}", i); }

// Keys that no window before has asked for, in no order.
class Asked {
 public:
  Asked(std::uint64_t n, bool present, std::uint64_t window) {
    for (std::uint64_t i = 0; i < kAsked; ++i)
      names_ += key_of(2 * (detail::splitmix64(window * kAsked + i) % n) + (present ? 0 : 1));
    for (std::size_t i = 0; i < kAsked; ++i) keys_.push_back(std::string_view(names_).substr(i * kKeyBytes, kKeyBytes));
  }
  Asked(const Asked&) = delete;
  std::span<const std::string_view> keys() const { return keys_; }

 private:
  std::string names_;  // one behind the other, so that fetching them is not what is measured
  std::vector<std::string_view> keys_;
};

struct Row {
  const char* op;
  std::vector<double> samples = {};

  double ns() const { return bench::median(samples); }
};

class TableBench {
 public:
  TableBench(std::uint64_t n, std::size_t value_bytes) : n_(n), value_(value_bytes, 'v') {}

  Status run();
  void print_text() const;
  void print_json() const;

 private:
  Status build(const std::string& path);
  Status open(const std::string& path);
  Status window(std::uint64_t number);
  Status ask_each(const Table& table, bool present, std::uint64_t number, Row& row);
  Status ask_many(std::uint64_t number);
  Status scan();
  void hash(std::uint64_t number);

  std::uint64_t n_;
  std::string value_;
  ScratchFolder scratch_;
  std::shared_ptr<Table> table_, unfiltered_;
  TableProperties properties_;
  std::vector<std::uint8_t> memory_;  // as large as the filter
  bench::Ceiling ceiling_;
  Row build_{"build"}, absent_{"get_absent"}, without_{"get_absent_no_filter"}, present_{"get_present"},
      many_{"multi_get_64_absent"}, scan_{"scan"}, hash_{"hash"};
  std::array<const Row*, 7> rows_ = {&build_, &absent_, &without_, &present_, &many_, &scan_, &hash_};
};

// The time of add and finish alone: the keys are made between.
Status TableBench::build(const std::string& path) {
  constexpr std::uint64_t kAtOnce = 1000;
  Result<TableBuilder> builder = TableBuilder::create(path, {});
  BLOOMERY_TRY(builder);
  double ns = 0;
  std::vector<std::string> names;
  for (std::uint64_t first = 0; first < n_; first += names.size()) {
    names.clear();
    for (std::uint64_t i = first; i < std::min(first + kAtOnce, n_); ++i) names.push_back(key_of(2 * i));
    const double start = bench::thread_ns();
    for (const std::string& name : names) BLOOMERY_TRY(builder->add({name, value_, builder->entries(), false}));
    ns += bench::thread_ns() - start;
  }
  const double start = bench::thread_ns();
  Result<TableProperties> properties = builder->finish();
  BLOOMERY_TRY(properties);
  properties_ = *std::move(properties);
  build_.samples.push_back((ns + bench::thread_ns() - start) / static_cast<double>(n_));
  return {};
}

// Each with a cache that holds all of it.
Status TableBench::open(const std::string& path) {
  for (const bool use_filter : {true, false}) {
    TableReadOptions options;
    options.use_filter = use_filter;
    options.cache = std::make_shared<BlockCache>(2 * properties_.file_bytes + (std::uint64_t{64} << 20));
    Result<std::shared_ptr<Table>> table = Table::open(path, options);
    BLOOMERY_TRY(table);
    (use_filter ? table_ : unfiltered_) = *std::move(table);
  }
  for (const Table* table : {table_.get(), unfiltered_.get()}) {  // into the cache
    TableIterator at = table->iterate();
    at.first();
    while (at.valid()) at.next();
    if (!at.status().ok()) return at.status();
  }
  memory_.assign(properties_.filter_bytes, 1);
  return {};
}

Status TableBench::ask_each(const Table& table, bool present, std::uint64_t number, Row& row) {
  const Asked asked(n_, present, number);
  std::uint64_t found = 0;
  bool ok = true;
  row.samples.push_back(bench::ns_per_item(kAsked, [&] {
    for (const std::string_view key : asked.keys()) {
      const Result<Lookup> got = table.get(key);
      ok = ok && got.ok();
      found += got.ok() && got->found() ? 1 : 0;
    }
  }));
  if (!ok || found != (present ? kAsked : 0))
    return Error{ErrorCode::corrupt, "the table gave a wrong answer: please report this", table.path(), {}};
  return {};
}

Status TableBench::ask_many(std::uint64_t number) {
  const Asked asked(n_, false, number);
  std::vector<Result<Lookup>> results(kBatch, Lookup{});
  Status status;
  many_.samples.push_back(bench::ns_per_item(kAsked / kBatch * kBatch, [&] {
    for (std::size_t first = 0; first + kBatch <= kAsked && status.ok(); first += kBatch)
      status = table_->multi_get(asked.keys().subspan(first, kBatch), results);
  }));
  return status;
}

Status TableBench::scan() {
  TableIterator at = table_->iterate();
  std::uint64_t entries = 0, bytes = 0;
  scan_.samples.push_back(bench::ns_per_item(n_, [&] {
    for (at.first(); at.valid(); at.next(), ++entries) bytes += at.entry().value.size();
  }));
  if (!at.status().ok()) return at.status();
  if (entries != n_ || bytes != n_ * value_.size())
    return Error{ErrorCode::corrupt, "the walk missed entries: please report this", table_->path(), {}};
  return {};
}

void TableBench::hash(std::uint64_t number) {
  const Asked asked(n_, false, number);
  const Hasher hasher = Hasher::xxh3();  // that of the filter
  std::uint64_t sum = 0;
  hash_.samples.push_back(bench::ns_per_item(kAsked, [&] {
    for (const std::string_view key : asked.keys()) sum += hasher(key).bits;
  }));
  bench::keep(sum);
}

// Everything in turn, so that a busy moment of the machine meets all alike.
Status TableBench::window(std::uint64_t number) {
  BLOOMERY_TRY(ask_each(*table_, false, 4 * number, absent_));
  BLOOMERY_TRY(ask_each(*unfiltered_, false, 4 * number + 1, without_));
  BLOOMERY_TRY(ask_each(*table_, true, 4 * number + 2, present_));
  BLOOMERY_TRY(ask_many(4 * number + 3));
  BLOOMERY_TRY(scan());
  hash(4 * number + 3);
  ceiling_.window(memory_, kAsked);
  return {};
}

Status TableBench::run() {
  if (!scratch_.ok())
    return Error{ErrorCode::io, "cannot make a folder in TMPDIR: set it to one that can be written to", {}, {}};
  Progress progress("measuring", kBuilds + kWindows, Progress::Unit::steps);
  const std::string path = scratch_.file("table.blt");
  for (std::uint64_t i = 0; i < kBuilds; ++i, progress.update(i)) BLOOMERY_TRY(build(path));
  BLOOMERY_TRY(open(path));
  for (std::uint64_t i = 0; i < kWindows; ++i, progress.update(kBuilds + i)) BLOOMERY_TRY(window(i));
  return {};
}

void TableBench::print_text() const {
  for (const auto& [name, value] : bench::describe_machine())
    fmt::print("{}", fitted(fmt::format("{:<10}  {}\n", name, value)));
  const std::string what = fmt::format(
      "{} entries, keys of 16 bytes, values of {}; {} bytes, of which the filter has {}; all in the cache. Medians "
      "over "
      "windows in turn. The ceiling is one random cache line of memory as large as the filter, with the best prefetch.",
      n_, value_.size(), properties_.file_bytes, properties_.filter_bytes);
  fmt::print("\n{}\n\n", wrapped(what, terminal_columns()));
  bench::Table text({"", "ns", "M/s"});
  for (const Row* row : rows_) text.row({row->op, bench::ns_text(row->ns()), bench::ns_text(1000 / row->ns())});
  text.row({"ceiling", bench::ns_text(ceiling_.ns()), ""});
  text.print();
  const std::string found =
      fmt::format("Without the filter an absent get takes {} times as long; multi_get takes {} times hash and ceiling.",
                  four_digits(without_.ns() / absent_.ns()), four_digits(many_.ns() / (hash_.ns() + ceiling_.ns())));
  fmt::print("\n{}\n", wrapped(found, terminal_columns()));
}

void TableBench::print_json() const {
  JsonObject json, machine;
  JsonArray rows;
  for (const auto& [name, value] : bench::describe_machine()) machine.put(name, value);
  for (const Row* row : rows_) rows.add(JsonObject().put("op", row->op).put("ns", row->ns()));
  json.put("machine", machine)
      .put("commit", bench::commit())
      .put("n", n_)
      .put("key_bytes", kKeyBytes)
      .put("value_bytes", value_.size())
      .put("file_bytes", properties_.file_bytes)
      .put("filter_bytes", properties_.filter_bytes)
      .put("ceiling_ns", ceiling_.ns())
      .put("rows", rows);
  fmt::print("{}\n", json.text());
}

Status measure(const TableBenchArguments& o) {
  constexpr std::uint64_t kLeast = 1000;
  Result<std::uint64_t> n = parse_count("n", o.n);
  BLOOMERY_TRY(n);
  if (*n < kLeast || *n > std::uint64_t{1'000'000'000})
    return invalid_argument("n", fmt::format("--n is {}: give a number from {} to 1G", o.n, kLeast));
  Result<std::uint64_t> bytes = parse_count("value bytes", o.value_bytes);
  BLOOMERY_TRY(bytes);
  if (*bytes > std::uint64_t{1'000'000})
    return invalid_argument("value bytes", fmt::format("--value-bytes is {}: give a number up to 1M", o.value_bytes));
  TableBench bench(*n, *bytes);
  BLOOMERY_TRY(bench.run());
  if (o.json) bench.print_json();
  else bench.print_text();
  return {};
}

}  // namespace

void add_table_bench(Command& table) {
  auto o = std::make_shared<TableBenchArguments>();
  Command& command = table.add("bench", "Measure a table on this machine, in a temporary folder");
  command.details(
      "Measures a table of N entries with keys of 16 bytes: build, get of absent keys with and without "
      "the filter, get of present ones, multi_get of 64 absent ones, and a scan; beside one random "
      "cache line of memory as large as the filter, and the hash alone.");
  command.option("-n,--n", "N", &o->n, "Number of entries (default 1M)");
  command.option("--value-bytes", "V", &o->value_bytes, "Bytes of a value (default 100)");
  command.flag("--json", o->json, "One line of JSON");
  command.runs([o] { return exit_status(measure(*o)); });
}

}  // namespace bloomery::cli
