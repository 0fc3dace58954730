// One filter of a kind, asked for keys of every sort: by one call and in batches, for keys that are there, that are
// not, and both in turn, in caches that are warm and in caches that something else has used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bench/ceiling.h"
#include "bench/clock.h"
#include "bench/key_inputs.h"
#include "bench/key_reference.h"
#include "bench/options.h"
#include "bloomery/detail/batch.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"
#include "kernel/caches.h"

namespace bloomery::bench::by_keys {

inline constexpr std::uint64_t kPresentKeys = 500'000;  // of an input, at most; the rest of a filter are hashes
inline constexpr std::size_t kColdEvery = 3;            // windows: emptying the caches takes longer than all the rest
inline constexpr std::size_t kMostInputs = 16;          // that share the keys of a filter

// In the process of another instruction set.
inline constexpr std::size_t kForcedWindows = 5;
inline bool isa_is_forced() { return std::getenv("BLOOMERY_ISA") != nullptr; }

// Nanoseconds per key; and as multiples of the hash and the same lookup of hashes, each in its own window: what slows
// the machine down for a while slows both. `one_of_sum` is the multiple of two loops, one that hashes and one that
// asks, `one_of_hash` that of the lookup of hashes alone.
struct Times {
  std::vector<double> hash_one, hash_many, ceiling, cold_ceiling, one_of_both, many_of_both, one_of_sum, one_of_hash;
  struct Asked {
    std::vector<double> one, many;
  } present, absent, mixed, cold;
};

// Uses the caches for something else: twice as much as the last one has, and of the largest ones, of which a core has a
// share, 256 MiB.
inline void evict() {
  static std::vector<std::uint64_t> memory(
      std::clamp<std::size_t>(2 * kernel::caches().l3, std::size_t{32} << 20, std::size_t{256} << 20) / 8);
  for (std::size_t i = 0; i < memory.size(); i += 8) memory[i] += i;
  keep(memory[memory.size() / 2]);
}

template <class Filter, class Keys>
[[gnu::noinline]] std::uint64_t ask_one_by_one(const Filter& filter, const Keys& keys) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) found += ask_one(filter, keys[i]) ? 1 : 0;
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
        windows_(isa_is_forced() ? std::min(kForcedWindows, options.windows) : options.windows),
        for_bars_(options.bars),
        n_(n) {}

  // Adds as many keys of the input as are asked for, from number `first` on.
  template <class Input>
  void put(Input input, std::uint64_t first, const Hasher& hasher) {
    const auto keys = input.make(numbers(first, present_count()));
    for (std::size_t i = 0; i < keys.size(); ++i) hashes_.push_back(hash_key(hasher, keys[i]));
  }
  std::uint64_t present_count() const { return std::min<std::uint64_t>(n_ / kMostInputs, kPresentKeys); }

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
    constexpr bool kHashes = std::same_as<typename Input::Key, Hash>;
    Times times;
    Ceiling ceiling, cold_ceiling;
    for (std::size_t w = 0; w < windows_; ++w) {
      if (!for_bars_) {
        ask(input, times.present, true, [&] { return picks(first); });
        ask(input, times.mixed, false, [&] { return mix(first); });
      }
      ask(input, times.absent, false, [&] { return absent(); });
      if constexpr (!kHashes) {
        compare_single_calls(input, times);
        compare_batches(input, times);
      } else {
        ceiling.window(filter_->view().payload(), keys_);
      }
      if (for_bars_ || w % kColdEvery != 0) continue;
      ask_cold(input, times.cold);
      if (kHashes) cold_ceiling.cold_window(filter_->view().payload(), cold_keys(), evict);
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
  // Keys that are not there and that nothing was asked for before.
  std::vector<std::uint64_t> absent() { return numbers(fresh(), keys_); }
  // Keys that are there, in disorder. The next call picks others.
  std::vector<std::uint64_t> picks(std::uint64_t first) {
    std::vector<std::uint64_t> all(keys_);
    const std::uint64_t seed = fresh();
    for (std::size_t i = 0; i < keys_; ++i)
      all[i] = detail::splitmix64(first + detail::splitmix64(seed + i) % present_count());
    return all;
  }
  // Absent keys with about half of them, at random places, replaced by keys that are there.
  std::vector<std::uint64_t> mix(std::uint64_t first) {
    std::vector<std::uint64_t> all = absent();
    const std::vector<std::uint64_t> there = picks(first);
    for (std::size_t i = 0; i < keys_; ++i)
      if (detail::splitmix64(~all[i]) % 2 == 0) all[i] = there[i];
    return all;
  }

  // Times single calls and a batch. Each has keys of its own, which `choose` gives: a batch on the keys of the single
  // calls would find lines in the caches that those have brought there. Checks each by the other, outside the timing.
  template <class Input, class Choose>
  void ask(Input& input, Times::Asked& times, bool all_there, const Choose& choose) {
    times.one.push_back(time_single_calls(input, choose(), all_there));
    times.many.push_back(time_batch(input, choose(), all_there));
  }

  template <class Input>
  double time_single_calls(Input& input, const std::vector<std::uint64_t>& which, bool all_there) {
    const auto keys = input.make(which);
    const auto range = range_of(keys);
    std::uint64_t found = 0;
    warm();
    const double ns = ns_per_item(keys.size(), [&] { found = ask_one_by_one(*filter_, range); });
    std::vector<std::uint8_t> answers(keys.size());
    ask_many(*filter_, range, answers);
    check_counts(found, answers, all_there);
    return ns;
  }

  template <class Input>
  double time_batch(Input& input, const std::vector<std::uint64_t>& which, bool all_there) {
    const auto keys = input.make(which);
    const auto range = range_of(keys);
    std::vector<std::uint8_t> answers(keys.size());
    warm();
    const double ns = ns_per_item(keys.size(), [&] { ask_many(*filter_, range, answers); });
    check_counts(ask_one_by_one(*filter_, range), answers, all_there);
    return ns;
  }

  // Single calls must find as many keys as the batch, and all of them where all are there.
  void check_counts(std::uint64_t found, const std::vector<std::uint8_t>& answers, bool all_there) {
    std::uint64_t in_batch = 0;
    for (const std::uint8_t answer : answers) in_batch += answer;
    if (found != in_batch || (all_there && found != answers.size())) ++wrong_;
  }

  // Keys as they are, and hashed and asked for as hashes, one by one. Hash and lookup happen in one loop, where a
  // lookup that waits for its hash holds up those behind it, as it does in a lookup of keys. Each pass has keys of its
  // own: a processor learns the answers of keys that it has met, and sooner in one loop than in another.
  template <class Input>
  void compare_single_calls(Input& input, Times& times) {
    const auto ask_keys = [&](const auto& range) { return ask_one_by_one(*filter_, range); };
    const auto hash_and_ask = [&](const auto& range) { return hash_and_ask_one_by_one(*filter_, range); };
    const auto hash = [&](const auto& range) { return hash_one_by_one(filter_->hasher(), range); };
    const auto pass = [&](const auto& ask, const auto& check) {
      const auto keys = input.make(absent());
      const auto range = range_of(keys);
      std::uint64_t answer = 0;
      warm();
      const double ns = ns_per_item(keys_, [&] { answer = ask(range); });
      if (answer != check(range)) ++wrong_;
      return ns;
    };
    double asked = pass(ask_keys, hash_and_ask), both = pass(hash_and_ask, ask_keys);
    both += pass(hash_and_ask, ask_keys), asked += pass(ask_keys, hash_and_ask);
    times.one_of_both.push_back(asked / both);
    times.hash_one.push_back(pass(hash, hash));

    const auto keys = input.make(absent());
    const std::vector<Hash> hashes = hashes_of(range_of(keys));
    std::uint64_t found = 0;
    warm();
    const double hashes_asked = ns_per_item(keys_, [&] { found = ask_keys(std::span<const Hash>(hashes)); });
    if (found != ask_keys(range_of(keys))) ++wrong_;
    times.one_of_sum.push_back(asked / 2 / (times.hash_one.back() + hashes_asked));
    times.one_of_hash.push_back(asked / 2 / hashes_asked);
  }

  // Compares batches likewise. Hashing and asking follow each other at once, so that the bytes of the keys take as much
  // of the caches from the filter as in a batch of keys. All passes have the same keys, and the first is not timed, so
  // that each timed pass finds the lines as the one before it has left them. What is compared comes first and last, so
  // that neither side gains by what the other has brought into the caches.
  template <class Input>
  void compare_batches(Input& input, Times& times) {
    const auto keys = input.make(absent());
    const auto range = range_of(keys);
    const std::vector<Hash> hashes = hashes_of(range);
    std::vector<std::uint8_t> answers(hashes.size()), answers_of_hashes(hashes.size());
    const auto ns = [&](const auto& work) { return ns_per_item(hashes.size(), work); };
    const auto warm_ns = [&](const auto& work) { return warm(), ns(work); };
    const auto ask_batch = [&] { ask_many(*filter_, range, answers); };
    const auto hash_batch = [&] {
      detail::for_hash_groups(filter_->hasher(), range,
                              [](std::size_t, std::span<const Hash> some) { keep(some.back().bits); });
    };
    const auto ask_hash_batch = [&] { ask_many(*filter_, hashes, answers_of_hashes); };

    ask_hash_batch();
    double asked = warm_ns(ask_batch);
    const double first_hash = warm_ns(hash_batch), first_asked = ns(ask_hash_batch), hash = warm_ns(hash_batch);
    const double both = first_hash + first_asked + hash + ns(ask_hash_batch);
    asked += warm_ns(ask_batch);
    times.hash_many.push_back((first_hash + hash) / 2);
    times.many_of_both.push_back(asked / both);
    if (answers != answers_of_hashes) ++wrong_;
  }

  template <class Range>
  std::vector<Hash> hashes_of(const Range& range) const {
    std::vector<Hash> hashes;
    for (std::size_t i = 0; i < range.size(); ++i) hashes.push_back(hash_key(filter_->hasher(), range[i]));
    return hashes;
  }

  // Brings the filter into the caches where it fits, by hashes that nothing else asks for.
  void warm() {
    std::vector<Hash> hashes;
    for (const std::uint64_t number : numbers(fresh(), keys_ / 4)) hashes.emplace_back(number);
    std::vector<std::uint8_t> answers(hashes.size());
    ask_many(*filter_, hashes, answers);
    keep(answers.back());
  }

  // So few that most lines they ask for are cold to the end.
  std::size_t cold_keys() const {
    return std::clamp<std::size_t>(filter_->view().payload().size() / 64 / 4, 200, keys_ / 10);
  }

  // After the caches were used otherwise, for the keys as well.
  template <class Input>
  void ask_cold(Input& input, Times::Asked& times) {
    std::vector<std::uint8_t> answers(cold_keys());
    for (const bool batch : {false, true}) {
      const auto keys = input.make(numbers(fresh(), answers.size()));
      const auto range = range_of(keys);
      evict();
      if (batch) times.many.push_back(ns_per_item(keys.size(), [&] { ask_many(*filter_, range, answers); }));
      else times.one.push_back(ns_per_item(keys.size(), [&] { keep(ask_one_by_one(*filter_, range)); }));
    }
  }

  std::size_t keys_, windows_;
  bool for_bars_;
  std::uint64_t n_, asked_ = 0, wrong_ = 0;
  std::vector<Hash> hashes_;
  std::optional<Filter> filter_;
};

}  // namespace bloomery::bench::by_keys
