// The demo's table: absent gets with the filter in front and without it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "bloomery/table/table.h"
#include "cli/cli.h"
#include "cli/demo.h"

namespace bloomery::cli {
namespace {

constexpr std::uint64_t kAsked = 300'000;
constexpr double kDiskSeconds = 100e-6;  // of one read from a disk

std::string key_of(std::uint64_t i) { return fmt::format("{:016}", i); }

// Keys with even numbers.
Result<TableProperties> build(const std::string& path, std::uint64_t n) {
  Result<TableBuilder> builder = TableBuilder::create(path, {});
  BLOOMERY_TRY(builder);
  const std::string value(100, 'v');
  for (std::uint64_t i = 0; i < n; ++i) BLOOMERY_TRY(builder->add({key_of(2 * i), value, 0, false}));
  return builder->finish();
}

struct Asked {
  double per_second = 0;
  std::uint64_t reads = 0, wrong = 0;  // blocks read; answers that are not what was put in
};

// Asks for some keys that are there, which brings the index into memory, then for keys with odd numbers, which are not
// there.
Result<Asked> ask(const std::string& path, std::uint64_t n, bool with_filter) {
  TableReadOptions options;
  options.use_filter = with_filter;
  Result<std::shared_ptr<Table>> table = Table::open(path, options);
  BLOOMERY_TRY(table);
  const auto number = [&](std::uint64_t i) { return 2 * ((i * 2'654'435'761) % n); };
  std::vector<std::string> keys;
  for (std::uint64_t i = 0; i < kAsked; ++i) keys.push_back(key_of(number(i) + 1));
  Asked asked;
  for (std::uint64_t i = 0; i < kAsked / 10; ++i) {
    const Result<Lookup> got = (*table)->get(key_of(number(i)));
    asked.wrong += got.ok() && got->found() ? 0 : 1;
  }
  const std::uint64_t read_before = (*table)->stats().blocks_read;
  const auto start = std::chrono::steady_clock::now();
  for (const std::string& key : keys) {
    const Result<Lookup> got = (*table)->get(key);
    asked.wrong += got.ok() && got->state == Found::absent ? 0 : 1;
  }
  asked.per_second =
      static_cast<double>(kAsked) / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  asked.reads = (*table)->stats().blocks_read - read_before;
  return asked;
}

void draw(const char* what, const Asked& asked, double most, const DemoReport& report) {
  constexpr double kWidth = 40;
  const auto width = static_cast<std::size_t>(std::max(kWidth * asked.per_second / most, 1.0));
  report.say("  {:<12} {:>5.1f} million a second  {}\n", what, asked.per_second / 1e6, std::string(width, '#'));
}

JsonObject json_of(const Asked& asked) {
  return JsonObject().put("gets_per_second", Json::four_digits(asked.per_second)).put("blocks_read", asked.reads);
}

}  // namespace

Result<bool> demo_table(const ScratchFolder& scratch, std::uint64_t n, DemoReport& report) {
  const std::string path = scratch.file("demo.blt");
  const Result<TableProperties> built = build(path, n);
  BLOOMERY_TRY(built);
  report.say("6. A sorted table with a filter in front: {} gets of absent keys\n", kAsked);
  report.say("  {} entries in {} bytes, of which the filter has {:.1f} %\n", built->entries, built->file_bytes,
             100 * static_cast<double>(built->filter_bytes) / static_cast<double>(built->file_bytes));
  const Result<Asked> with = ask(path, n, true), without = ask(path, n, false);
  BLOOMERY_TRY(with);
  BLOOMERY_TRY(without);
  const double most = std::max(with->per_second, without->per_second);
  draw("with it", *with, most, report);
  draw("without it", *without, most, report);
  report.say("  blocks read: {} and {}; from a disk of 100 us a read, {:.2f} s and {:.1f} s\n", with->reads,
             without->reads, kDiskSeconds * static_cast<double>(with->reads),
             kDiskSeconds * static_cast<double>(without->reads));
  report.json.put("table", JsonObject()
                               .put("entries", built->entries)
                               .put("file_bytes", built->file_bytes)
                               .put("with_filter", json_of(*with))
                               .put("without_filter", json_of(*without)));
  return with->wrong == 0 && without->wrong == 0;
}

}  // namespace bloomery::cli
