// What does a lookup cost as users write it? By what is passed, by one call and in batches, for keys that are there,
// that are not, and both in turn, in caches that are warm and in caches that something else has used. Beside each: the
// hash alone, and the same lookup of keys that are hashes already, which together are what it is held to.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/key_inputs.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "kernel/kernel.h"

namespace bloomery::bench {
namespace {

constexpr double kBatchRatio = 1.1, kStringRatio = 1.15, kOneRatio = 1.1;
// Batches of hashes by AVX2 alone, as multiples of the ceiling: up to 1M keys, and above.
constexpr double kAvx2Split = 1.5, kAvx2Block = 1.8, kAvx2Far = 1.15;
constexpr std::uint64_t kPresentKeys = 500'000;  // of an input, at most; the rest of a filter are hashes
constexpr std::size_t kColdEvery = 3;            // windows: emptying the caches takes longer than all the rest
constexpr std::size_t kEvicted = std::size_t{256} << 20;

// In the process of another instruction set.
constexpr std::size_t kForcedWindows = 5;
bool isa_is_forced() { return std::getenv("BLOOMERY_ISA") != nullptr; }

// Nanoseconds per key.
struct Times {
  std::vector<double> hash_one, hash_many, ceiling, cold_ceiling;
  struct Asked {
    std::vector<double> one, many;
  } present, absent, mixed, cold;
};

// Uses the caches for something else.
void evict() {
  static std::vector<std::uint64_t> memory(kEvicted / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < memory.size(); i += 8) memory[i] += i;
  keep(memory[memory.size() / 2]);
}

template <class Filter, class Keys>
[[gnu::noinline]] std::uint64_t ask_one_by_one(const Filter& filter, const Keys& keys) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) found += filter.contains(keys[i]) ? 1 : 0;
  return found;
}

template <class Keys>
[[gnu::noinline]] std::uint64_t hash_one_by_one(const Hasher& hasher, const Keys& keys) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) all ^= hash_key(hasher, keys[i]).bits;
  return all;
}

// One filter of a kind, asked for the keys of every input.
template <class Filter>
class Subject {
 public:
  Subject(const Options& options, std::uint64_t n)
      : keys_(std::min<std::size_t>(options.window_keys, 100'000)),
        windows_(isa_is_forced() ? kForcedWindows : options.windows),
        n_(n) {}

  // Adds as many keys of the input as are asked for, from number `first` on.
  template <class Input>
  void put(Input input, std::uint64_t first, const Hasher& hasher) {
    const auto keys = input.make(numbers(first, present_count()));
    for (std::size_t i = 0; i < keys.size(); ++i) hashes_.push_back(hash_key(hasher, keys[i]));
  }
  std::uint64_t present_count() const { return std::min<std::uint64_t>(n_ / 8, kPresentKeys); }

  Status build(const Hasher& hasher) {
    for (std::uint64_t i = 0; hashes_.size() < n_; ++i) hashes_.emplace_back(detail::splitmix64(3 * kAbsent + i));
    Result<Filter> built = Filter::build(hashes_, 0.01, hasher);
    BLOOMERY_TRY(built);
    filter_.emplace(*std::move(built));
    hashes_.clear();
    hashes_.shrink_to_fit();
    return {};
  }

  template <class Input>
  Times measure(Input input, std::uint64_t first) {
    Times times;
    Ceiling ceiling, cold_ceiling;
    for (std::size_t w = 0; w < windows_; ++w) {
      const std::vector<std::uint64_t> there = picks(first), away = numbers(fresh(), keys_);
      std::vector<std::uint64_t> both = away;
      for (std::size_t i = 0; i < keys_; ++i)
        if (detail::splitmix64(~both[i]) % 2 == 0) both[i] = there[i];
      ask(input, there, times.present, true);
      ask(input, both, times.mixed);
      hash(input, away, times);
      ask(input, away, times.absent);
      ceiling.window(filter_->view().payload(), keys_);
      if (w % kColdEvery != 0) continue;
      ask_cold(input, times.cold);
      evict();
      cold_ceiling.window(filter_->view().payload(), keys_ / 10);
    }
    times.ceiling = {ceiling.ns()};
    times.cold_ceiling = {cold_ceiling.ns()};
    return times;
  }

  const Filter& filter() const { return *filter_; }
  std::uint64_t wrong() const { return wrong_; }

 private:
  static std::vector<std::uint64_t> numbers(std::uint64_t first, std::size_t count) {
    std::vector<std::uint64_t> all(count);
    for (std::size_t i = 0; i < count; ++i) all[i] = detail::splitmix64(first + i);
    return all;
  }
  std::uint64_t fresh() { return kAbsent + keys_ * asked_++; }
  // Keys that are there, in disorder.
  std::vector<std::uint64_t> picks(std::uint64_t first) {
    std::vector<std::uint64_t> all(keys_);
    const std::uint64_t seed = fresh();
    for (std::size_t i = 0; i < keys_; ++i)
      all[i] = detail::splitmix64(first + detail::splitmix64(seed + i) % present_count());
    return all;
  }

  template <class Input>
  void ask(Input& input, const std::vector<std::uint64_t>& which, Times::Asked& times, bool all_there = false) {
    const auto keys = input.make(which);
    const auto range = range_of(keys);
    std::vector<std::uint8_t> answers(keys.size());
    std::uint64_t one = 0, many = 0;
    warm();
    times.one.push_back(ns_per_item(keys.size(), [&] { one = ask_one_by_one(*filter_, range); }));
    warm();
    times.many.push_back(ns_per_item(keys.size(), [&] { filter_->contains_many(range, answers); }));
    for (const std::uint8_t answer : answers) many += answer;
    if (one != many || (all_there && one != keys.size())) ++wrong_;
  }

  // Brings the filter into the caches where it fits, by hashes that nothing else asks for.
  void warm() {
    std::vector<Hash> hashes;
    for (const std::uint64_t number : numbers(fresh(), keys_ / 4)) hashes.emplace_back(number);
    std::vector<std::uint8_t> answers(hashes.size());
    filter_->contains_many(hashes, answers);
    keep(answers.back());
  }

  // After the caches were used otherwise; a tenth of the keys, so that they stay cold to the end.
  template <class Input>
  void ask_cold(Input& input, Times::Asked& times) {
    std::vector<std::uint8_t> answers(keys_ / 10);
    for (const bool batch : {false, true}) {
      const auto keys = input.make(numbers(fresh(), answers.size()));
      const auto range = range_of(keys);
      evict();
      if (batch) times.many.push_back(ns_per_item(keys.size(), [&] { filter_->contains_many(range, answers); }));
      else times.one.push_back(ns_per_item(keys.size(), [&] { keep(ask_one_by_one(*filter_, range)); }));
    }
  }

  template <class Input>
  void hash(Input& input, const std::vector<std::uint64_t>& which, Times& times) {
    const auto keys = input.make(which);
    const auto range = range_of(keys);
    times.hash_one.push_back(ns_per_item(keys.size(), [&] { keep(hash_one_by_one(filter_->hasher(), range)); }));
    times.hash_many.push_back(ns_per_item(keys.size(), [&] {
      detail::for_hash_groups(filter_->hasher(), range,
                              [](std::size_t, std::span<const Hash> hashes) { keep(hashes.back().bits); });
    }));
  }

  std::size_t keys_, windows_;
  std::uint64_t n_, asked_ = 0, wrong_ = 0;
  std::vector<Hash> hashes_;
  std::optional<Filter> filter_;
};

template <class Filter>
struct Question {
  const Options& options;
  Report& report;
  std::uint64_t n;
  Kind kind;
  Subject<Filter> subject{options, n};
  Table table{{"ns per key", "hash, one", "batch", "absent, one", "batch", "present, one", "batch", "mixed, one",
               "batch", "cold, one", "batch", "one / both", "batch / both"}};
  double hashed_one = 0, hashed_many = 0;  // of keys that are hashes

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
    if (hashed) hashed_one = one, hashed_many = many;
    const double one_ratio = one / (hash_one + hashed_one), many_ratio = many / (hash_many + hashed_many);
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
    if (hashed) return against_ceiling(many, median(times.ceiling));
    const bool text = !std::same_as<typename Input::Key, std::uint64_t>;
    const double most = text ? kStringRatio : kBatchRatio;
    report.bar(many_ratio <= most, format("%s, batch from %s, n = %s: %.2fx of hash and batch from hashes (bar: %.2fx)",
                                          to_string(kind), Input::kName, count_text(n).c_str(), many_ratio, most));
    if (!text)
      report.bar(one_ratio <= kOneRatio,
                 format("%s, one call from %s, n = %s: %.2fx of hash and one call from a hash "
                        "(bar: %.2fx)",
                        to_string(kind), Input::kName, count_text(n).c_str(), one_ratio, kOneRatio));
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
  if constexpr (requires(const Filter& filter) { filter.contains(Hash()); })
    Question<Filter>{options, report, n, kind}
        .template run<HashInput, IntegerInput, OwnInput, StringInput, ColumnInput, ViewInput<8, 8>, ViewInput<16, 32>,
                      ViewInput<100, 100>>();
}

// The same table by every other instruction set, each in a process of its own, because the choice is made once.
void other_instruction_sets(const Options& options) {
  std::string sizes;
  for (const std::uint64_t n : options.sizes)
    if (n <= 1'000'000) sizes += (sizes.empty() ? "" : ",") + count_text(n);
  if (sizes.empty()) return;
  for (const kernel::Kernel* isa : kernel::available()) {
    if (isa == &kernel::active()) continue;
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("BLOOMERY_ISA", isa->name, 1);
      ::execl("/proc/self/exe", "bloomery_bench", "--only", "keys", "--n", sizes.c_str(),
              options.quick ? "--quick" : static_cast<char*>(nullptr), static_cast<char*>(nullptr));
      ::_exit(127);
    }
    int status = 0;
    if (child > 0) ::waitpid(child, &status, 0);
  }
}

}  // namespace

void key_speed(const Options& options, Report& report) {
  std::printf("Lookups by what is passed (\"both\": the hash alone and the lookup from hashes)\n\n");
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
