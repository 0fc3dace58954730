// bloomery demo: the main job in one minute, with every claim measured as it is made.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>

#include "bloomery/detail/fnv.h"
#include "cli/cli.h"
#include "cli/demo.h"
#include "cli/scratch.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

namespace fs = std::filesystem;

constexpr double kTarget = 0.01;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::uint64_t> keys_from(std::uint64_t first, std::uint64_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::uint64_t i = 0; i < count; ++i) keys[i] = detail::splitmix64(first + i);
  return keys;
}

// How many of the keys may be present, asked one by one and in a batch; both must agree.
std::uint64_t count_maybe(const BlockFilter& filter, const std::vector<std::uint64_t>& keys, double& one_ns,
                          double& batch_ns) {
  std::vector<std::uint8_t> answers(keys.size());
  const double n = static_cast<double>(keys.size());
  std::uint64_t single = 0;
  one_ns = 1e9 / n * seconds_of([&] {
             for (std::uint64_t key : keys) single += filter.contains(key) ? 1 : 0;
           });
  batch_ns = 1e9 / n * seconds_of([&] { filter.contains_many(keys, answers); });
  const auto batch = static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 1));
  return batch == single ? batch : keys.size() + 1;  // an impossible count: never seen as right
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Runs `program build` on the keys without a shell; whether it exited with 0.
bool build_with(const std::string& program, const std::string& keys, const std::string& output) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::execl(program.c_str(), program.c_str(), "build", "--kind", "classic", "--fpr", "0.01", "-q", "-o", output.c_str(),
            keys.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// The siblings that stand beside this program write the same bytes; absent ones are named.
bool languages_agree(const ScratchFolder& scratch, DemoReport& report) {
  const std::string keys = scratch.file("keys");
  std::ofstream out(keys);
  for (int i = 0; i < 1000; ++i) out << "key" << i << '\n';
  out.close();
  const fs::path here = fs::canonical("/proc/self/exe");
  // The command may stand one folder below the siblings, as in a build tree.
  const fs::path folders[] = {here.parent_path(), here.parent_path().parent_path()};
  const std::string ours = scratch.file("cpp.bloom");
  bool agree = build_with(here.string(), keys, ours);
  report.say("  {:<12} {} bytes\n", "C++", contents(ours).size());
  JsonObject languages;
  for (const auto& [language, name] : {std::pair{"Rust", "bloomery-rs"}, std::pair{"Go", "bloomery-go"}}) {
    const auto* folder = std::find_if(std::begin(folders), std::end(folders),
                                      [&, n = name](const fs::path& f) { return fs::exists(f / n); });
    if (folder == std::end(folders)) {
      report.say("  {:<12} not built here (make build)\n", language);
      languages.put(language, Json());
      continue;
    }
    const std::string theirs = scratch.file(name);
    const bool same = build_with((*folder / name).string(), keys, theirs) && contents(theirs) == contents(ours);
    report.say("  {:<12} {} bytes, {}\n", language, contents(theirs).size(),
               same ? "byte for byte the same" : "DIFFERENT");
    languages.put(language, same);
    agree = agree && same;
  }
  report.json.put("languages", languages);
  return agree;
}

// 1 to 3: the filter, its keys, and keys that are not in it. Whether it is as it should be.
bool ask_filter(BlockFilter& filter, std::uint64_t n, DemoReport& report) {
  const std::vector<std::uint64_t> present = keys_from(0, n), absent = keys_from(std::uint64_t{1} << 40, n);
  const double count = static_cast<double>(n);
  const double add_ns = 1e9 / count * seconds_of([&] { (void)filter.add_many(present); });
  const double bits_per_key = 8 * static_cast<double>(filter.bytes()) / count;
  report.say("1. A block filter, the default, of {} keys: false-positive rate {}\n", n, four_digits(kTarget));
  report.say("  {} bytes, {} bits per key, {:.1f} ns per add\n", filter.bytes(), four_digits(bits_per_key), add_ns);
  double one = 0, batch = 0;
  const std::uint64_t found = count_maybe(filter, present, one, batch);
  report.say("2. No key is lost\n  {} of {} keys found; {:.1f} ns each one by one, {:.1f} ns in batches\n", found, n,
             one, batch);
  const std::uint64_t wrong = count_maybe(filter, absent, one, batch);
  const double rate = static_cast<double>(wrong) / count, predicted = filter.predicted_fpr();
  report.say("3. Absent keys are denied in nanoseconds\n  {:.1f} ns each one by one, {:.1f} ns in batches\n", one,
             batch);
  report.say("  'maybe' to {} of {} absent keys: {}, predicted {}, target {}\n", wrong, n, four_digits(rate),
             four_digits(predicted), four_digits(kTarget));
  report.json.put("n", n)
      .put("bytes", filter.bytes())
      .put("bits_per_key", Json::four_digits(bits_per_key))
      .put("add_ns", Json::four_digits(add_ns))
      .put("found", found)
      .put("absent_ns", Json::four_digits(one))
      .put("absent_many_ns", Json::four_digits(batch))
      .put("fpr", Json::four_digits(rate))
      .put("predicted_fpr", Json::four_digits(predicted));
  // Five standard deviations on either side: a wrong filter is far outside, chance is not.
  return found == n && std::abs(rate - predicted) < 5 * std::sqrt(kTarget / count);
}

// 4: a file and back.
Result<bool> save_and_reopen(const BlockFilter& filter, const ScratchFolder& scratch, DemoReport& report) {
  const std::string path = scratch.file("demo.blm");
  BLOOMERY_TRY(save(path, filter.view(), Format::envelope, filter.key_count()));
  Result<FilterFile> reopened = FilterFile::open(path);
  BLOOMERY_TRY(reopened);
  const bool same = reopened->view() == AnyView(filter.view());
  report.say("4. Saved with checksums and reopened\n  {} bytes, {}\n", reopened->info().file_bytes,
             same ? "the same filter" : "DIFFERENT");
  report.json.put("file_bytes", reopened->info().file_bytes);
  return same;
}

Result<bool> demo(std::uint64_t n, bool json) {
  DemoReport report{json, {}};
  const ScratchFolder scratch;
  if (!scratch.ok())
    return Error{ErrorCode::io, "cannot make a temporary folder: set TMPDIR to one that can be written", {}, {}};
  Result<BlockFilter> filter = BlockFilter::with_capacity(n, kTarget);
  if (!filter.ok()) {
    const Result<SizePlan> plan = plan_size(Kind::block, n, {kTarget});
    return named_memory(filter.error(), fmt::format("a block filter of {} keys", n), plan.ok() ? plan->bytes : 0,
                        "give a smaller -n");
  }
  bool good = ask_filter(*filter, n, report);
  const Result<bool> same = save_and_reopen(*filter, scratch, report);
  BLOOMERY_TRY(same);
  report.say("5. Three languages, one file\n");
  good = languages_agree(scratch, report) && *same && good;
  const Result<bool> table = demo_table(scratch, n, report);
  BLOOMERY_TRY(table);
  good = good && *table;
  report.say("{}\n", good ? "All of it holds." : "SOMETHING IS WRONG: please report this output.");
  if (json) fmt::print("{}\n", report.json.put("holds", good).text());
  return good;
}

}  // namespace

void add_demo(Command& program) {
  auto n = std::make_shared<std::string>("1M");
  auto json = std::make_shared<bool>(false);
  Command& command = program.add("demo", "Show the main job in a few seconds, measured as it runs");
  command.option("-n", "N", &*n, "Number of keys (default 1M)");
  command.flag("--json", *json, "One line of JSON");
  command.runs([n, json] {
    const Result<std::uint64_t> count = parse_count("n", *n);
    return exit_status(count.ok() ? demo(*count, *json) : Result<bool>(count.error()));
  });
}

}  // namespace bloomery::cli
