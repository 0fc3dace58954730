// What does a lookup cost as users write it? By what is passed, by one call and in batches, for keys that are there,
// that are not, and both in turn, in caches that are warm and in caches that something else has used. Beside each: the
// hash alone, and the same lookup of keys that are hashes already, which together are what it is held to.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "bench/key_subject.h"
#include "bench/machine.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "kernel/kernel.h"

namespace bloomery::bench {
namespace {

using by_keys::isa_is_forced, by_keys::kPresentKeys, by_keys::Subject, by_keys::Times;

constexpr double kBatchRatio = 1.1, kStringRatio = 1.15, kOneRatio = 1.1;  // kStringRatio: of 16 to 32 bytes
constexpr std::uint64_t kOtherHashes = 100'000;                            // n of the rows by other hashes
constexpr std::uint64_t kFarKeys = 100'000'000;                            // of the bars by AVX2 alone, the largest n
constexpr double kCuckooKeys = 1.25;  // one call from an integer, as a multiple of one call from a hash

// What another library took on another machine, and the ceiling there: results/2026-11-16-peers-x86-64-16-cores.csv.
// These are bars of a machine of that size.
struct OtherMachine {
  Kind kind;
  bool batch;
  const char* input;
  std::uint64_t n;
  double ns, ceiling;
};
constexpr const char* kBlockPeer = "fast_multiblock32<8>";
constexpr const char* kCuckooPeer = "cuckoo12";
constexpr unsigned kCoresThere = 16;
constexpr OtherMachine kOtherMachine[] = {{Kind::block, true, "uint64_t", 100'000, 2.350, 0.598},
                                          {Kind::block, true, "uint64_t", 1'000'000, 3.180, 0.761},
                                          {Kind::block, true, "uint64_t", 10'000'000, 5.985, 2.129},
                                          {Kind::block, true, "uint64_t", 100'000'000, 11.290, 3.536},
                                          {Kind::cuckoo, false, "Hash", 100'000, 3.591, 0.608},
                                          {Kind::cuckoo, false, "Hash", 1'000'000, 3.717, 0.948},
                                          {Kind::cuckoo, false, "Hash", 10'000'000, 12.320, 2.190}};

template <class Filter>
struct Question {
  const Options& options;
  Report& report;
  std::uint64_t n;
  Kind kind;
  Hasher hasher;
  std::string name;
  double ceiling = 0;  // of this filter, once hashes were asked for
  Subject<Filter> subject{options, n};
  Table table{{"ns per key", "hash, one", "batch", "absent, one", "batch", "present, one", "batch", "mixed, one",
               "batch", "cold, one", "batch", "one / both", "batch / both"}};

  template <class... Inputs>
  void run() {
    std::uint64_t first = 0;
    ((subject.put(Inputs(), first += kPresentKeys, hasher)), ...);
    if (const Status built = subject.build(hasher); !built.ok())
      return report.no_bar(format("%s from keys: %s", name.c_str(), built.error().message.c_str()));
    first = 0;
    (row<Inputs>(first += kPresentKeys), ...);
    std::printf("%s, n = %s, %s\n", name.c_str(), count_text(n).c_str(), kernel::active().name);
    table.print();
    std::printf("\n");
    if (subject.wrong() > 0) report.wrong_answer(name + ": answers that cannot be");
  }

 private:
  template <class Input>
  void row(std::uint64_t first) {
    const Times times = subject.measure(Input(), first);
    const bool hashed = std::same_as<typename Input::Key, Hash>;
    const double one = median(times.absent.one), many = median(times.absent.many);
    const double hash_one = hashed ? 0 : median(times.hash_one), hash_many = hashed ? 0 : median(times.hash_many);
    const double one_ratio = hashed ? 1 : median(times.one_of_both),
                 many_ratio = hashed ? 1 : median(times.many_of_both);
    table.row({Input::kName, ns_text(hash_one), ns_text(hash_many), ns_text(one), ns_text(many),
               ns_text(median(times.present.one)), ns_text(median(times.present.many)),
               ns_text(median(times.mixed.one)), ns_text(median(times.mixed.many)), ns_text(median(times.cold.one)),
               ns_text(median(times.cold.many)), ratio_text(one_ratio), ratio_text(many_ratio)});
    if (hashed)
      table.row({"ceiling", "-", "-", "-", ns_text(median(times.ceiling)), "-", "-", "-", "-", "-",
                 ns_text(median(times.cold_ceiling)), "-", "-"});
    const std::string question = format("%s from %s", name.c_str(), Input::kName);
    report.figure(question, n, "contains_absent", "bloomery", one);
    report.figure(question, n, "contains_many_absent", "bloomery", many);
    report.figure(question, n, "contains_cold", "bloomery", median(times.cold.one));
    report.figure(question, n, "contains_many_cold", "bloomery", median(times.cold.many));
    if (hashed) ceiling = median(times.ceiling);
    against_other_machine(Input::kName, one, many);
    if (!hashed) against_hashes<Input>(times, one_ratio, many_ratio);
  }

  template <class Input>
  void against_hashes(const Times& times, double one_ratio, double many_ratio) {
    const double most = std::string_view(Input::kName).ends_with("16 to 32 bytes") ? kStringRatio : kBatchRatio;
    const std::string of = format("from %s, n = %s", Input::kName, count_text(n).c_str());
    report.bar(name + ", batch " + of, many_ratio, most, "hash and batch from hashes");
    if (!std::same_as<typename Input::Key, std::uint64_t>) return;
    report.bar(name + ", one call " + of, one_ratio, kOneRatio, "hash and one call from a hash in one loop",
               format("; %.2fx of two loops", median(times.one_of_sum)));
    if (kind == Kind::cuckoo)
      report.bar(name + ", one call beside hashes " + of, median(times.one_of_hash), kCuckooKeys,
                 "one call from a hash");
  }

  void against_other_machine(std::string_view input, double one, double many) {
    for (const OtherMachine& other : kOtherMachine) {
      if (name != to_string(other.kind) || other.input != input || other.n != n || isa_is_forced()) continue;
      const double here = other.batch ? many : one;
      const std::string what = format("%s, %s from %s, n = %s, beside another machine", name.c_str(),
                                      other.batch ? "batch" : "one call", other.input, count_text(n).c_str());
      const std::string of =
          format("the %.2f ns that %s took there", other.ns, kind == Kind::block ? kBlockPeer : kCuckooPeer);
      const std::string ceilings =
          format("; %.2f ns, %.1fx of the ceiling here, where that is %.1fx of the ceiling there", here, here / ceiling,
                 other.ns / other.ceiling);
      if (std::thread::hardware_concurrency() >= kCoresThere) report.bar(what, here / other.ns, 1, of, ceilings);
      else
        report.no_bar(format("%s: a bar of 16 cores; %.2fx of %s%s", what.c_str(), here / other.ns, of.c_str(),
                             ceilings.c_str()));
    }
  }
};

template <class Filter>
void ask_filter(const Options& options, std::uint64_t n, Kind kind, Report& report) {
  if (!options.asks_for(to_string(kind))) return;
  const Hasher own = typename Filter::View().hasher();
  Question<Filter>{options, report, n, kind, own, to_string(kind)}
      .template run<HashInput, IntegerInput, OwnInput, StringInput<8, 8>, StringInput<16, 32>, StringInput<100, 100>,
                    ColumnInput, ViewInput<8, 8>, ViewInput<16, 32>, ViewInput<100, 100>>();
}

// Integers by the other hashes that a filter can have: of one kind, since the hash knows nothing of the kind.
void ask_other_hashes(const Options& options, std::uint64_t n, Report& report) {
  if (!options.asks_for("block") || n != kOtherHashes) return;
  const Secret secret({});
  for (const Hasher& hasher :
       {Hasher::fnv_splitmix(), Hasher::xxh64(), Hasher::siphash13(secret), Hasher::siphash24(secret)})
    Question<BlockFilter>{options, report, n, Kind::block, hasher, format("block by %s", to_string(hasher.id()))}
        .run<HashInput, IntegerInput, ViewInput<16, 32>>();
}

// The same table by every other instruction set, each in a process of its own, because the choice is made once. Its
// figures go to a file beside that of this process. Of the bars, those of AVX2 alone.
void other_instruction_sets(const Options& options, Report& report) {
  std::string sizes;
  for (const std::uint64_t n : options.sizes)
    if (n <= 1'000'000) sizes.append(sizes.empty() ? "" : ",").append(count_text(n));
  if (sizes.empty()) return;
  std::string kinds;
  for (const std::string& kind : options.kinds) kinds.append(kinds.empty() ? "" : ",").append(kind);
  for (const kernel::Kernel* isa : kernel::available()) {
    if (isa == &kernel::active() || (options.bars && isa != kernel::avx2())) continue;
    std::vector<std::string> arguments = {"bloomery_bench", "--only", "keys", "--n", sizes, "--kind", kinds};
    if (options.bars) arguments.emplace_back("--bars");
    if (options.quick) arguments.emplace_back("--quick");
    if (!options.json.empty()) arguments.insert(arguments.end(), {"--json", options.json + "." + isa->name});
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("BLOOMERY_ISA", isa->name, 1);
      ::execv("/proc/self/exe", pointers.data());
      ::_exit(127);
    }
    int status = 0;
    if (child > 0) ::waitpid(child, &status, 0);
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
      report.wrong_answer(format("the run by %s failed: see above", isa->name));
  }
}

}  // namespace

void key_speed(const Options& options, Report& report) {
  std::printf("Lookups by what is passed (\"both\": the hash and the lookup from hashes)\n\n");
  for (const std::uint64_t n : options.sizes) {
#define BLOOMERY_ASK(name, Class, number) ask_filter<Class##Filter>(options, n, Kind::name, report);
    BLOOMERY_KINDS(BLOOMERY_ASK)
#undef BLOOMERY_ASK
    ask_other_hashes(options, n, report);
    if (isa_is_forced()) continue;
    if (n <= 1'000'000) keys_inline(options, n, report);
    keys_by_isa(options, n, report);
  }
  if (isa_is_forced()) return;
  const bool has_room = available_memory() > 3 * kFarKeys * sizeof(Hash);
  if (options.bars && options.sizes.back() < kFarKeys && has_room) keys_by_isa(options, kFarKeys, report);
  key_builds(options, report);
  other_instruction_sets(options, report);
}

}  // namespace bloomery::bench
