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
#include "bench/one_call.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"
#include "kernel/kernel.h"

namespace bloomery::bench {
namespace {

constexpr double kBatchRatio = 1.1, kStringRatio = 1.15, kOneRatio = 1.1;
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

template <class Filter, class Key>
[[gnu::noinline]] std::uint64_t ask_one_by_one(const Filter& filter, std::span<const Key> keys) {
  std::uint64_t found = 0;
  for (const Key& key : keys) found += filter.contains(key) ? 1 : 0;
  return found;
}

template <class Key>
[[gnu::noinline]] std::uint64_t hash_one_by_one(const Hasher& hasher, std::span<const Key> keys) {
  std::uint64_t all = 0;
  for (const Key& key : keys) all ^= hash_key(hasher, key).bits;
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
    for (const auto& key : keys) hashes_.push_back(hash_key(hasher, key));
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
    const std::span<const typename Input::Key> span(keys);
    std::vector<std::uint8_t> answers(keys.size());
    std::uint64_t one = 0, many = 0;
    warm();
    times.one.push_back(ns_per_item(keys.size(), [&] { one = ask_one_by_one(*filter_, span); }));
    warm();
    times.many.push_back(ns_per_item(keys.size(), [&] { filter_->contains_many(span, answers); }));
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
      const std::span<const typename Input::Key> span(keys);
      evict();
      if (batch) times.many.push_back(ns_per_item(keys.size(), [&] { filter_->contains_many(span, answers); }));
      else times.one.push_back(ns_per_item(keys.size(), [&] { keep(ask_one_by_one(*filter_, span)); }));
    }
  }

  template <class Input>
  void hash(Input& input, const std::vector<std::uint64_t>& which, Times& times) {
    const auto keys = input.make(which);
    const std::span<const typename Input::Key> span(keys);
    times.hash_one.push_back(ns_per_item(keys.size(), [&] { keep(hash_one_by_one(filter_->hasher(), span)); }));
    times.hash_many.push_back(ns_per_item(keys.size(), [&] {
      detail::for_hash_groups(filter_->hasher(), span,
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
    if (hashed) return;
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
};

// A kind that forgets has no contains.
template <class Filter>
void ask_if_it_answers(const Options& options, std::uint64_t n, Kind kind, Report& report) {
  if constexpr (requires(const Filter& filter) { filter.contains(Hash()); })
    Question<Filter>{options, report, n, kind}
        .template run<HashInput, IntegerInput, OwnInput, StringInput, ViewInput<8, 8>, ViewInput<16, 32>,
                      ViewInput<100, 100>>();
}

// One call on hashes in a program that is compiled for AVX2, and as the library dispatches it.
template <class Filter>
void inlined(const Options& options, std::uint64_t n, Kind kind, double most, Report& report) {
  if (!one_call::has_avx2()) return report.no_bar("one call compiled for AVX2: this machine has none");
  std::vector<Hash> hashes;
  for (std::uint64_t i = 0; i < n; ++i) hashes.emplace_back(detail::splitmix64(i));
  const Result<Filter> filter = Filter::build(hashes, 0.01);
  if (!filter.ok()) return report.no_bar(filter.error().message);
  std::vector<double> inline_ns, dispatched_ns;
  Ceiling ceiling;
  for (std::size_t w = 0; w < options.windows; ++w) {
    hashes.clear();
    for (std::uint64_t i = 0; i < 100'000; ++i) hashes.emplace_back(detail::splitmix64(kAbsent + 100'000 * w + i));
    std::uint64_t found = 0, again = 0;
    inline_ns.push_back(ns_per_item(hashes.size(), [&] { found = one_call::count_avx2(filter->view(), hashes); }));
    dispatched_ns.push_back(
        ns_per_item(hashes.size(), [&] { again = ask_one_by_one(*filter, std::span<const Hash>(hashes)); }));
    ceiling.window(filter->view().payload(), hashes.size());
    if (found != again) report.bar(false, "the inline probe answers otherwise than the dispatched one");
  }
  const double here = median(inline_ns), there = median(dispatched_ns), limit = ceiling.ns();
  report.bar(here <= most * limit,
             format("%s, one call from Hash compiled for AVX2, n = %s: %.2f ns, %.2fx of the ceiling "
                    "(bar: %.1fx)",
                    to_string(kind), count_text(n).c_str(), here, here / limit, most));
  report.bar(there <= 1.3 * here,
             format("%s, one call dispatched, n = %s: %.2f ns, %.2fx of the inline one (bar: 1.3x)", to_string(kind),
                    count_text(n).c_str(), there, there / here));
}

// The same table by every other instruction set, each in a process of its own, because the choice is made once.
void other_instruction_sets(std::uint64_t n) {
  const std::string size = count_text(n);
  for (const kernel::Kernel* isa : kernel::available()) {
    if (isa == &kernel::active()) continue;
    std::fflush(stdout);
    const pid_t child = ::fork();
    if (child == 0) {
      ::setenv("BLOOMERY_ISA", isa->name, 1);
      ::execl("/proc/self/exe", "bloomery_bench", "--only", "keys", "--n", size.c_str(), static_cast<char*>(nullptr));
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
    if (n > 1'000'000) continue;
    inlined<SplitFilter>(options, n, Kind::split, 1.9, report);
    inlined<BlockFilter>(options, n, Kind::block, 2.6, report);
  }
  if (!isa_is_forced()) other_instruction_sets(std::min<std::uint64_t>(options.sizes.back(), 1'000'000));
}

}  // namespace bloomery::bench
