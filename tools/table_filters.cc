// What the filter of a table costs and saves by its kind and its bits: the rate, a question to the filter, and a whole
// get of an absent key, which reads a block for each wrong "maybe". The default of tables comes from it
// (docs/table.md).
//
//   g++ -std=c++20 -O2 -Iinclude -Ibench tools/table_filters.cc build/release/libbloomery_table.a \
//     build/release/libbloomery.a -llz4 -lzstd -lpthread -o table_filters && ./table_filters 1000000 60
//
// arguments: keys, rounds. A round asks every table 20,000 fresh keys, one table after the other, so that what the
// machine does meanwhile meets all alike; times are medians over rounds of the thread's CPU time, with the quartiles.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/detail/fnv.h"
#include "bloomery/table/table.h"
#include "clock.h"

namespace {

using namespace bloomery;

constexpr std::size_t kQuestions = 20'000;
constexpr std::array kKinds = {Kind::split, Kind::block};
constexpr std::array kBits = {5.0, 8.0, 10.0, 10.5, 12.0, 16.0};

// 16 hexadecimal digits.
std::string key_of(std::uint64_t number) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(detail::splitmix64(number)));
  return text;
}

struct Case {
  Kind kind;
  double bits;
  std::shared_ptr<Table> table;
  std::vector<double> get_ns = {}, ask_ns = {};
};

template <class T>
T must(Result<T> result) {
  if (result.ok()) return *std::move(result);
  std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
  std::exit(2);
}

std::shared_ptr<Table> table_of(const std::string& path, Kind kind, double bits, const std::vector<std::string>& keys) {
  TableOptions options;
  options.filter = kind;
  options.filter_size.bits_per_key = bits;
  TableBuilder builder = must(TableBuilder::create(path, options));
  const std::string value(100, 'v');
  for (const std::string& key : keys)
    if (!builder.add({.key = key, .value = value}).ok()) std::exit(2);
  must(builder.finish());
  return must(Table::open(path));
}

void ask(Case& one, std::uint64_t first) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kQuestions; ++i) keys.push_back(key_of(first + i));
  std::uint64_t found = 0;
  one.get_ns.push_back(bench::ns_per_item(kQuestions, [&] {
    for (const std::string& key : keys) found += one.table->get(key)->found() ? 1 : 0;
  }));
  if (found != 0) std::exit(2);
  for (std::size_t i = 0; i < kQuestions; ++i) keys[i] = key_of(first + kQuestions + i);
  one.ask_ns.push_back(bench::ns_per_item(kQuestions, [&] {
    for (const std::string& key : keys) found += one.table->may_contain(key) ? 1 : 0;
  }));
  bench::keep(found);
}

double at(std::vector<double> samples, double share) {
  std::sort(samples.begin(), samples.end());
  return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t n = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 60;
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < n; ++i) keys.push_back(key_of(i));
  std::sort(keys.begin(), keys.end());
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "bloomery-table-filters";
  std::filesystem::create_directories(folder);
  std::vector<Case> cases;
  for (const double bits : kBits)
    for (const Kind kind : kKinds) {
      const std::string path = folder / (std::string(to_string(kind)) + std::to_string(bits));
      cases.push_back({kind, bits, table_of(path, kind, bits, keys)});
    }
  std::uint64_t fresh = std::uint64_t{1} << 40;
  for (int round = 0; round < rounds; ++round)
    for (Case& one : cases) ask(one, fresh += 2 * kQuestions);
  std::printf("%llu keys of 16 bytes, values of 100, %d rounds of %zu absent keys a table\n",
              static_cast<unsigned long long>(n), rounds, kQuestions);
  std::printf("%4s  %-6s  %10s  %10s  %22s  %22s\n", "bits", "kind", "designed", "measured", "filter, ns (quartiles)",
              "get, ns (quartiles)");
  for (const Case& one : cases) {
    const TableStats stats = one.table->stats();
    std::printf("%4.3g  %-6s  %8.3f %%  %8.3f %%  %6.1f (%5.1f to %5.1f)  %6.1f (%5.1f to %5.1f)\n", one.bits,
                to_string(one.kind), 100 * stats.designed_fpr, 100 * stats.measured_fpr, at(one.ask_ns, 0.5),
                at(one.ask_ns, 0.25), at(one.ask_ns, 0.75), at(one.get_ns, 0.5), at(one.get_ns, 0.25),
                at(one.get_ns, 0.75));
  }
  std::filesystem::remove_all(folder);
}
