// What does a lookup cost as users write it? By what is passed, by one call and in batches, for keys that are there,
// that are not, and both in turn, in caches that are warm and in caches that something else has used. Beside each: the
// hash alone, and the same lookup of keys that are hashes already, which together are what it is held to.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "bench/key_subject.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "kernel/kernel.h"

namespace bloomery::bench {
namespace {

using by_keys::isa_is_forced, by_keys::kPresentKeys, by_keys::Subject, by_keys::Times;

constexpr double kBatchRatio = 1.1, kStringRatio = 1.15, kOneRatio = 1.1;  // kStringRatio: of 16 to 32 bytes
// Batches of hashes by AVX2 alone, as multiples of the ceiling: up to 1M keys, and above.
constexpr double kAvx2Split = 1.5, kAvx2Block = 1.8, kAvx2Far = 1.15;
template <class Filter>
struct Question {
  const Options& options;
  Report& report;
  std::uint64_t n;
  Kind kind;
  Subject<Filter> subject{options, n};
  Table table{{"ns per key", "hash, one", "batch", "absent, one", "batch", "present, one", "batch", "mixed, one",
               "batch", "cold, one", "batch", "one / both", "batch / both"}};

  template <class... Inputs>
  void run() {
    const Hasher hasher = typename Filter::View().hasher();
    std::uint64_t first = 0;
    ((subject.put(Inputs(), first += kPresentKeys, hasher)), ...);
    if (const Status built = subject.build(hasher); !built.ok())
      return report.no_bar(format("%s from keys: %s", to_string(kind), built.error().message.c_str()));
    first = 0;
    (row<Inputs>(first += kPresentKeys), ...);
    std::printf("%s, n = %s, %s\n", to_string(kind), count_text(n).c_str(), kernel::active().name);
    table.print();
    std::printf("\n");
    if (subject.wrong() > 0) report.bar(false, format("%s: answers that cannot be", to_string(kind)));
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
    const std::string question = format("%s from %s", to_string(kind), Input::kName);
    report.figure(question, n, "contains_absent", "bloomery", one);
    report.figure(question, n, "contains_many_absent", "bloomery", many);
    report.figure(question, n, "contains_cold", "bloomery", median(times.cold.one));
    report.figure(question, n, "contains_many_cold", "bloomery", median(times.cold.many));
    if (hashed) return against_ceiling(many, median(times.ceiling));
    const double most = std::string_view(Input::kName).ends_with("16 to 32 bytes") ? kStringRatio : kBatchRatio;
    report.bar(many_ratio <= most, format("%s, batch from %s, n = %s: %.2fx of hash and batch from hashes (bar: %.2fx)",
                                          to_string(kind), Input::kName, count_text(n).c_str(), many_ratio, most));
    if (std::same_as<typename Input::Key, std::uint64_t>)
      report.bar(
          one_ratio <= kOneRatio,
          format("%s, one call from %s, n = %s: %.2fx of hash and one call from a hash in one loop (bar: %.2fx); "
                 "%.2fx of two loops",
                 to_string(kind), Input::kName, count_text(n).c_str(), one_ratio, kOneRatio, median(times.one_of_sum)));
  }

  void against_ceiling(double many, double ceiling) {
    const bool blocked = kind == Kind::split || kind == Kind::block;
    if (!blocked || std::string_view(kernel::active().name) != "avx2") return;
    const double most = n > 1'000'000 ? kAvx2Far : kind == Kind::split ? kAvx2Split : kAvx2Block;
    report.bar(many <= most * ceiling, format("%s by AVX2, batch from Hash, n = %s: %.2fx of the ceiling (bar: %.2fx)",
                                              to_string(kind), count_text(n).c_str(), many / ceiling, most));
  }
};

// A kind that forgets has no contains.
template <class Filter>
void ask_if_it_answers(const Options& options, std::uint64_t n, Kind kind, Report& report) {
  if (!options.asks_for(to_string(kind))) return;
  if constexpr (requires(const Filter& filter) { filter.contains(Hash()); })
    Question<Filter>{options, report, n, kind}
        .template run<HashInput, IntegerInput, OwnInput, StringInput, ColumnInput, ViewInput<8, 8>, ViewInput<16, 32>,
                      ViewInput<100, 100>>();
}

// The same table by every other instruction set, each in a process of its own, because the choice is made once.
void other_instruction_sets(const Options& options) {
  std::string sizes;
  for (const std::uint64_t n : options.sizes)
    if (n <= 1'000'000) sizes.append(sizes.empty() ? "" : ",").append(count_text(n));
  if (sizes.empty()) return;
  std::string kinds;
  for (const std::string& kind : options.kinds) kinds.append(kinds.empty() ? "" : ",").append(kind);
  for (const kernel::Kernel* isa : kernel::available()) {
    if (isa == &kernel::active()) continue;
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("BLOOMERY_ISA", isa->name, 1);
      ::execl("/proc/self/exe", "bloomery_bench", "--only", "keys", "--n", sizes.c_str(), "--kind", kinds.c_str(),
              options.quick ? "--quick" : static_cast<char*>(nullptr), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    int status = 0;
    if (child > 0) ::waitpid(child, &status, 0);
  }
}

}  // namespace

void key_speed(const Options& options, Report& report) {
  std::printf("Lookups by what is passed (\"both\": the hash and the lookup from hashes)\n\n");
  for (const std::uint64_t n : options.sizes) {
#define BLOOMERY_ASK(name, Class, number) ask_if_it_answers<Class##Filter>(options, n, Kind::name, report);
    BLOOMERY_KINDS(BLOOMERY_ASK)
#undef BLOOMERY_ASK
    if (n <= 1'000'000 && !isa_is_forced()) keys_inline(options, n, report);
  }
  if (isa_is_forced()) return;
  key_builds(options, report);
  other_instruction_sets(options);
}

}  // namespace bloomery::bench
