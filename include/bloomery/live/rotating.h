// A filter that forgets: it answers "seen in the last N windows?". Keys go to the newest generation; when a window
// begins, a new generation begins and the oldest is dropped whole.
//
//   auto seen = bloomery::RotatingFilter<bloomery::BlockFilter>::make({.n = 1'000'000, .fpr = 0.01, .windows = 24});
//   (*seen)->add(key);
//   (*seen)->advance_to(hours_since_1970);      // the caller's epoch; nothing here looks at a clock
//
// The caller numbers the windows by epochs: hours, batch numbers, offsets of a log. Replicas that get the same epochs
// and keys hold the same bits.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/detail/compiled_for.h"
#include "bloomery/detail/published.h"
#include "bloomery/file.h"
#include "bloomery/live/shared.h"

namespace BLOOMERY_NAMESPACE {

struct RotatingOptions {
  std::uint64_t n = 0;   // keys of one window
  double fpr = 0.01;     // of a lookup over all generations when each is full
  unsigned windows = 1;  // a key stays for at least so many whole windows after its own
  std::uint64_t first_epoch = 0;
  std::optional<Hasher> hasher = {};
};

// Generations of filters. Any thread may call any function: lookups and adds are wait-free and take no memory;
// advance_to takes a lock that they do not take. It owns its generations.
template <class Filter>
class RotatingFilter {
 public:
  using View = typename Filter::View;
  using Geometry = typename Filter::Geometry;
  using Generation = Shared<Filter>;

  BLOOMERY_API static Result<std::unique_ptr<RotatingFilter>> make(const RotatingOptions& options);
  // Starts from the files PATH.EPOCH that a snapshot of a Watched<RotatingFilter> wrote, for the window of
  // options.first_epoch. A generation without a file is empty; a file of another geometry or hash is an error.
  BLOOMERY_API static Result<std::unique_ptr<RotatingFilter>> load(const std::string& path,
                                                                   const RotatingOptions& options,
                                                                   const OpenOptions& open = {});

  // Adds a key. Returns whether it changed the newest generation: true also for a key that only older ones hold.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) {
    const detail::ReadGuard guard(state_.readers());
    return state_.read(guard).generations.front()->add(key);
  }
  // Adds all keys to the window that is the newest when the call begins, also when advance_to ends that window
  // meanwhile. It never fails: these kinds take every key.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) {
    const detail::ReadGuard guard(state_.readers());
    return state_.read(guard).generations.front()->add_many(keys);
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add_many(std::initializer_list<T> keys) {
    return add_many(std::span(keys.begin(), keys.size()));
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(Keys first, Keys last) {
    return add_many(std::span(first, last));
  }

  // False: the key was not added in this window or the last N. True also for keys of one window before these.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    const Hash hash = hash_key(hasher_, key);
    for (const auto& generation : state.generations)
      if (generation->contains(hash)) return true;
    return false;
  }
  // As View::contains_many. All answers are of the windows that are there when the call begins.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    detail::check_lengths("contains_many", std::size(keys), answers.size());
    const detail::ReadGuard guard(state_.readers());
    const State& state = state_.read(guard);
    detail::for_hash_groups(hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      ask_generations(state, hashes, answers.subspan(first, hashes.size()));
    });
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(keys.begin(), keys.size()), answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(first, last), answers);
  }
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <class T> bool add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> Status add_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  // clang-format on

  // Adds all that `other` holds to the newest generation, while lookups and adds go on; nobody may write to `other`
  // meanwhile. advance_to waits for it. Refuses another geometry or hash than a generation has; then nothing has
  // changed.
  BLOOMERY_API Status merge(const View& other);
  Status merge(const Filter& other) { return merge(other.view()); }

  // Begins the window of that epoch, and drops the generations that are then too old. The current epoch changes
  // nothing; an earlier one is an error. On an error nothing has changed.
  BLOOMERY_API Status advance_to(std::uint64_t epoch);

  std::uint64_t epoch() const {
    const detail::ReadGuard guard(state_.readers());
    return state_.read(guard).epoch;
  }
  // The geometry of every generation, which a filter to be merged must have.
  BLOOMERY_API Geometry geometry() const;
  const Hasher& hasher() const { return hasher_; }
  unsigned generations() const { return options_.windows + 1; }
  BLOOMERY_API std::uint64_t bytes() const;

  struct State {
    std::uint64_t epoch;
    std::vector<std::shared_ptr<Generation>> generations;  // the newest first, which is that of the epoch
  };
  // Returns the generations of this moment, to be read; they live as long as they are held. Throws std::bad_alloc.
  State hold() const {
    const detail::ReadGuard guard(state_.readers());
    return state_.read(guard);
  }

 private:
  RotatingFilter(const RotatingOptions& options, std::unique_ptr<const State> first, const Hasher& hasher)
      : options_(options), hasher_(hasher), state_(std::move(first)) {}
  BLOOMERY_API static void ask_generations(const State& state, std::span<const Hash> hashes,
                                           std::span<std::uint8_t> answers) noexcept;
  static Result<std::shared_ptr<Generation>> new_generation(const RotatingOptions& options);

  RotatingOptions options_;
  Hasher hasher_;
  std::mutex mutex_;
  alignas(detail::kNoSharing) detail::Published<State> state_;
};

}  // namespace BLOOMERY_NAMESPACE
