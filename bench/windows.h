// The windows of one filter: what is done in which order, and the samples it leaves. rows.cc makes rows of them.
#pragma once

#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/ceiling.h"
#include "bench/keys.h"
#include "bench/machine.h"
#include "bench/rows.h"
#include "bench/samples.h"
#include "bench/subject.h"
#include "bench/text.h"
#include "bloomery/any.h"
#include "core/base/error.h"
#include "kernel/caches.h"
#include "kernel/kernel.h"

namespace bloomery::bench {

inline constexpr std::uint64_t kFprKeys = 2 * kAbsent, kWarmKeys = 3 * kAbsent;  // ceiling.cc has further ones

// contains_many as one kernel does it, whichever is in use.
inline void contains_with(const kernel::Kernel& isa, const AnyView& view, std::span<const Hash> hashes,
                          std::vector<std::uint8_t>& answers) {
  const auto fields = view.geometry_fields();
  const kernel::Batch batch{fields[0].second, static_cast<std::uint32_t>(fields.back().second), &hashes.data()->bits,
                            hashes.size(), kernel::prefetch_ahead(isa, view.payload().size())};
  const auto contains = view.kind() == Kind::split ? isa.split_contains : isa.block_contains;
  contains(view.payload().data(), batch, answers.data());
}

// One filter through all its windows. K is the type of the keys.
template <class K>
class Windows {
 public:
  Windows(const RowSpec& spec, std::unique_ptr<Subject<K>> filter)
      : spec_(spec),
        filter_(std::move(filter)),
        asked_(spec.threads * spec.window_keys),
        refilled_(spec.n <= kMostRefilled / spec.windows),
        warm_(kWarmKeys, spec.window_keys / 4),
        answers_(asked_),
        samples_(spec) {
    samples_.why_no_build = why_no_build();
    builds_ = !can_build() ? 0 : refilled_ ? spec.windows : std::min(spec.windows, kLargeBuilds);
    const std::uint64_t filled = spec.n * (refilled_ ? spec.windows : 1);
    work_ = static_cast<double>(spec.windows * window_work() + filled + spec.n * builds_ + spec.absent_keys);
  }

  Result<Samples> run() {
    const double start = elapsed_ns();
    BLOOMERY_TRY(filter_->prefault(spec_.threads));
    samples_.prefault_ms = filter_->is_static() ? 0 : (elapsed_ns() - start) / 1e6;
    if (filter_->is_static() && !can_build())
      return Error{ErrorCode::out_of_memory, "no filter: " + samples_.why_no_build, {}, {}};
    for (std::size_t w = 0; w < spec_.windows; ++w) {
      if (refilled_ || w == 0) fill(w);
      if (!wrong_.empty()) break;
      if (w < builds_ && can_build()) build(w);
      look_up(w);
      progress(window_work());
    }
    samples_.fpr = measured_fpr();
    samples_.huge_page_share = filter_->huge_page_share();
    if (!wrong_.empty()) return Error{ErrorCode::corrupt, wrong_ + ": please report this", {}, {}};
    return std::move(samples_);
  }

  const Subject<K>& filter() const { return *filter_; }

 private:
  using Keys = std::span<const K>;

  static constexpr std::uint64_t kMostRefilled = 250'000'000;  // keys added in all windows together
  static constexpr std::uint64_t kMostBuilt = 100'000'000;     // keys in memory at once
  static constexpr std::size_t kLargeBuilds = 5;
  static constexpr int kInARow = 5, kUntimedBuilds = 2, kPairsOfBuilds = 3;
  static constexpr std::uint64_t kLeastSorted = std::uint64_t{16} << 20;  // bytes a build takes beside the filter
  static constexpr std::uint64_t kStaticBytes = 48;                       // the same of a static kind, for each key
  static constexpr std::size_t kLeastAsked = 20'000;  // fewer lookups than this are too short for the clock

  bool can_build() const { return samples_.why_no_build.empty(); }
  std::uint64_t window_work() const { return (15 + 4 * kInARow) * asked_; }  // lookups, about

  void progress(std::uint64_t done) {
    done_ += static_cast<double>(done);
    if (spec_.progress) spec_.progress(std::min(done_ / work_, 1.0));
  }

  // Brings the filter into the caches where it fits, by lookups of keys that no window asks for.
  auto warm() {
    return [this] {
      std::vector<std::uint8_t> answers(warm_.keys().size());
      filter_->contains_many(warm_.keys(), answers);
      keep(answers.back());
    };
  }

  // Empties the filter and adds n new keys in pieces. Some of them are the windows of add and of add_many in turn, and
  // lie all along the way, so that they meet the filter empty, half full and full.
  void fill(std::uint64_t round) {
    first_ = round * spec_.n;
    if (filter_->is_static()) {
      auto built = filter_->build(KeyList<K>(first_, spec_.n).keys(), spec_.fpr, spec_.threads);
      if (built.ok()) filter_ = *std::move(built);
      else wrong_ = built.error().message;
    } else {
      if (round > 0) filter_->clear();
      add_all(round);
    }
  }

  void add_all(std::uint64_t round) {
    const std::uint64_t piece = std::min<std::uint64_t>(asked_, spec_.n), pieces = (spec_.n + piece - 1) / piece;
    const std::uint64_t stride = std::max<std::uint64_t>(pieces / (2 * spec_.windows), 1);
    for (std::uint64_t i = 0; i < pieces; ++i) {
      const KeyList<K> list(first_ + i * piece, std::min(piece, spec_.n - i * piece));
      const bool timed = i % stride == 0 && list.keys().size() == piece;
      if (timed) warm()();
      if (timed && (i / stride + round) % 2 == 0) samples_.add.push_back(add_one_by_one(list.keys()));
      else if (const double ns = add_many(list.keys()); timed) samples_.add_many.push_back(ns);
      progress(list.keys().size());
    }
  }

  double add_one_by_one(Keys keys) {
    return samples_.alone.team.ns_of_call(keys.size(), [&] { note_full(filter_->add_one_by_one(keys)); });
  }

  double add_many(Keys keys) {
    return samples_.limits.team.ns_of_call(keys.size(), [&] { note_full(filter_->add_many(keys, spec_.threads)); });
  }

  void note_full(const Status& status) {
    if (!status.ok()) wrong_ = status.error().message;
  }

  std::string why_no_build() const {
    if (!filter_->has_build()) return "the kind has none";
    if (spec_.n > kMostBuilt) return "it holds all keys in memory, and does so here up to " + count_text(kMostBuilt);
    const std::uint64_t bytes = filter_->view().payload().size();
    const std::uint64_t beside = filter_->is_static() ? spec_.n * kStaticBytes : 2 * std::max(bytes, kLeastSorted);
    const std::uint64_t needed = spec_.n * KeyList<K>::kBytes + beside;
    const std::uint64_t available = available_memory();
    if (available == 0 || bytes + needed < available) return {};
    return "it takes " + std::to_string(needed) + " bytes beside the filter, and " + std::to_string(available) +
           " are available for both";
  }

  // From keys in memory to a finished filter, its memory included.
  void build(std::uint64_t round) {
    const KeyList<K> list(round * spec_.n, spec_.n);
    const auto timed = [&](const Team& team) {
      std::optional<Result<std::unique_ptr<Subject<K>>>> built;
      const double ns = team.ns_of_call(list.keys().size(),
                                        [&] { built.emplace(filter_->build(list.keys(), spec_.fpr, team.threads)); });
      if (!built->ok()) samples_.why_no_build = built->error().message;
      return ns;
    };
    if (spec_.threads > 1) compare_builds(timed);
    else samples_.build.push_back(timed(samples_.limits.team));
    progress(spec_.n);
  }

  // By all threads and by one in turns, and the best of each, after some that are not timed. A build takes memory from
  // the system, which may have to find it first: the first two after a new, large list of keys pay for it, and now
  // and then another one.
  template <class Timed>
  void compare_builds(const Timed& timed) {
    for (int i = 0; i < kUntimedBuilds; ++i) timed(samples_.limits.team);
    std::vector<double> all, alone;
    for (int i = 0; i < kPairsOfBuilds; ++i) {
      all.push_back(timed(samples_.limits.team));
      alone.push_back(timed(samples_.alone.team));
    }
    samples_.build.insert(samples_.build.end(), all.begin(), all.end());
    samples_.best_build.push_back(std::ranges::min(all));
    samples_.best_build_alone.push_back(std::ranges::min(alone));
  }

  KeyList<K> fresh_absent() {
    absent_ += asked_;
    return {kAbsent + absent_ - asked_, asked_};
  }

  KeyList<K> fresh_present() {
    const std::uint64_t count = std::min<std::uint64_t>(asked_, spec_.n);
    const std::uint64_t at = present_ % (spec_.n - count + 1);
    present_ += count;
    return {first_ + at, count};
  }

  // Windows of every lookup, each on keys of its own. What is compared stands side by side: the ceiling, by all threads
  // and by one in turns, and the batch of absent keys. Each has some in a row, as the ceiling has: after another kind
  // of work the first is slower than those that follow.
  void look_up(std::size_t round) {
    for (std::size_t d = 0; d < Ceiling::distances(); ++d) {
      samples_.limits.ceiling.window(filter_->view().payload(), asked_, d);
      if (spec_.threads > 1) samples_.alone.ceiling.window(filter_->view().payload(), spec_.window_keys, d);
    }
    const auto in_a_row = [](const auto& ask) {
      for (int i = 0; i < kInARow; ++i) ask();
    };
    in_a_row([&] { ask_many(samples_.many_absent, fresh_absent().keys()); });
    in_a_row([&] { ask_one(samples_.one_absent, fresh_absent().keys()); });
    in_a_row([&] { must_find_all(fresh_present(), &Windows::ask_many, samples_.many_present); });
    in_a_row([&] { must_find_all(fresh_present(), &Windows::ask_one, samples_.one_present); });
    samples_.latency.push_back(dependent_load_ns(filter_->view().payload(), round, spec_.window_keys / 8));
    hash_alone(samples_.limits);
    if (spec_.threads > 1) hash_alone(samples_.alone);
    if (spec_.every_isa) ask_every_isa();
    if (spec_.counters != nullptr) count_misses();
    compare_answers();
  }

  void must_find_all(const KeyList<K>& list, std::uint64_t (Windows::*ask)(std::vector<double>&, Keys),
                     std::vector<double>& samples) {
    if ((this->*ask)(samples, list.keys()) != list.keys().size()) wrong_ = "a key that was added is not found";
  }

  // Both return how many of the keys were found.
  std::uint64_t ask_many(std::vector<double>& samples, Keys keys) {
    samples.push_back(ns_of_lookups(keys, [&](std::size_t first, std::size_t count) {
      filter_->contains_many(keys.subspan(first, count), std::span(answers_).subspan(first, count));
    }));
    return count_found(keys.size());
  }

  std::uint64_t ask_one(std::vector<double>& samples, Keys keys) {
    std::atomic<std::uint64_t> found = 0, asked = 0;
    samples.push_back(ns_of_lookups(keys, [&](std::size_t first, std::size_t count) {
      found += filter_->count_one_by_one(keys.subspan(first, count));
      asked += count;
    }));
    return found / (asked / keys.size());
  }

  template <class Work>
  double ns_of_lookups(Keys keys, const Work& work) {
    const std::size_t times = std::max<std::size_t>(kLeastAsked / keys.size(), 1);
    const auto share = [&](std::size_t first, std::size_t last) {
      for (std::size_t i = 0; i < times; ++i) work(first, last - first);
    };
    return samples_.limits.team.ns_per_item(keys.size(), warm(), share) / static_cast<double>(times);
  }

  std::uint64_t count_found(std::size_t asked) const {
    return std::accumulate(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(asked), std::uint64_t{0});
  }

  // The hash as a batch computes it, and nothing else.
  void hash_alone(Limits& limits) {
    if constexpr (!std::same_as<K, Hash>) {
      const Hasher hasher = filter_->hasher();
      const KeyList<K> list = fresh_absent();
      limits.hash.push_back(limits.team.ns_per_item(
          list.keys().size(), [] {},
          [&](std::size_t first, std::size_t last) {
            detail::for_hash_groups(hasher, list.keys().subspan(first, last - first),
                                    [](std::size_t, std::span<const Hash> hashes) { keep(hashes.back().bits); });
          }));
    }
  }

  void ask_every_isa() {
    if constexpr (std::same_as<K, Hash>) {
      if (!filter_->has_build() || filter_->is_static()) return;
      const std::vector<const kernel::Kernel*> isas = kernel::available();
      samples_.by_isa.resize(isas.size());
      for (std::size_t i = 0; i < isas.size(); ++i) {
        const KeyList<K> list = fresh_absent();
        warm()();
        samples_.by_isa[i].push_back(samples_.alone.team.ns_of_call(
            list.keys().size(), [&] { contains_with(*isas[i], filter_->view(), list.keys(), answers_); }));
      }
    }
  }

  // By this thread alone, and untimed.
  void count_misses() {
    const KeyList<K> many = fresh_absent(), one = fresh_absent();
    warm()();
    samples_.many_misses.push_back(
        spec_.counters->per_item(asked_, [&] { filter_->contains_many(many.keys(), answers_); }));
    warm()();
    samples_.one_misses.push_back(
        spec_.counters->per_item(asked_, [&] { keep(filter_->count_one_by_one(one.keys())); }));
  }

  void compare_answers() {
    std::vector<std::uint8_t> answers(warm_.keys().size());
    filter_->contains_many(warm_.keys(), answers);
    if (std::accumulate(answers.begin(), answers.end(), std::uint64_t{0}) != filter_->count_one_by_one(warm_.keys()))
      wrong_ = "a batch answers otherwise than single calls";
  }

  double measured_fpr() {
    std::uint64_t hits = 0;
    for (std::uint64_t at = 0; at < spec_.absent_keys; at += answers_.size()) {
      const KeyList<K> list(kFprKeys + at, std::min<std::uint64_t>(answers_.size(), spec_.absent_keys - at));
      filter_->contains_many(list.keys(), answers_);
      hits += count_found(list.keys().size());
      progress(list.keys().size());
    }
    return static_cast<double>(hits) / static_cast<double>(spec_.absent_keys);
  }

  const RowSpec& spec_;
  std::unique_ptr<Subject<K>> filter_;
  std::uint64_t asked_;  // keys of a window, by all threads
  bool refilled_;        // before every window, with new keys; a large filter is filled once
  KeyList<K> warm_;
  std::vector<std::uint8_t> answers_;
  Samples samples_;
  std::size_t builds_ = 0;
  double work_ = 0, done_ = 0;
  std::uint64_t first_ = 0;                 // number of the first key in the filter
  std::uint64_t absent_ = 0, present_ = 0;  // keys asked so far
  std::string wrong_;                       // what the filter answered that cannot be
};

}  // namespace bloomery::bench
