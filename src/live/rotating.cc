#include "bloomery/live/rotating.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {

// All generations together shall have the rate, so each has about its share of it.
template <class Filter>
Result<std::shared_ptr<Shared<Filter>>> RotatingFilter<Filter>::new_generation(const RotatingOptions& options) {
  const double count = static_cast<double>(options.windows) + 1;
  const double share = options.fpr > 0 && options.fpr < 1 ? -std::expm1(std::log1p(-options.fpr) / count) : options.fpr;
  Result<Generation> generation =
      Generation::with_capacity(options.n, share, options.hasher.value_or(typename Filter::View().hasher()));
  BLOOMERY_TRY(generation);
  return std::make_shared<Generation>(*std::move(generation));
}

template <class Filter>
Result<std::unique_ptr<RotatingFilter<Filter>>> RotatingFilter<Filter>::make(const RotatingOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<RotatingFilter>> {
    constexpr unsigned kMostWindows = 1000;
    if (options.windows < 1 || options.windows > kMostWindows)
      return invalid_argument("windows", "windows is " + std::to_string(options.windows) +
                                             ": a key is kept for 1 to 1000 windows; make each longer for more");
    auto state = std::make_unique<State>();
    state->epoch = options.first_epoch;
    for (unsigned i = 0; i <= options.windows; ++i) {
      Result<std::shared_ptr<Generation>> generation = new_generation(options);
      BLOOMERY_TRY(generation);
      state->generations.push_back(*std::move(generation));
    }
    const Hasher hasher = state->generations.front()->hasher();
    return std::unique_ptr<RotatingFilter>(new RotatingFilter(options, std::move(state), hasher));
  });
}

template <class Filter>
Status RotatingFilter<Filter>::advance_to(std::uint64_t epoch) {
  return guarded([&]() -> Status {
    const std::lock_guard lock(mutex_);
    auto next = [&] {
      const detail::ReadGuard guard(state_.readers());
      return std::make_unique<State>(state_.read(guard));
    }();
    if (epoch < next->epoch)
      return invalid_argument(
          "epoch", "the epoch is " + std::to_string(next->epoch) + " and cannot go back to " + std::to_string(epoch));
    if (epoch == next->epoch) return {};
    const std::uint64_t steps = std::min<std::uint64_t>(epoch - next->epoch, next->generations.size());
    for (std::uint64_t i = 0; i < steps; ++i) {
      Result<std::shared_ptr<Generation>> fresh = new_generation(options_);
      BLOOMERY_TRY(fresh);
      next->generations.pop_back();
      next->generations.insert(next->generations.begin(), *std::move(fresh));
    }
    next->epoch = epoch;
    state_.replace(std::move(next));
    state_.reclaim();
    return {};
  });
}

// Asks the newest generation for all, and each older one for the keys that no newer one has, so that cache misses
// overlap and a key that is found costs no more.
template <class Filter>
void RotatingFilter<Filter>::ask_generations(const State& state, std::span<const Hash> hashes,
                                             std::span<std::uint8_t> answers) noexcept {
  std::array<Hash, detail::kHashGroup> missing;
  std::array<std::size_t, detail::kHashGroup> places;
  std::array<std::uint8_t, detail::kHashGroup> answered;
  state.generations.front()->contains_many(hashes, answers);
  for (std::size_t first = 0; first < hashes.size(); first += detail::kHashGroup) {
    const std::size_t end = std::min(first + detail::kHashGroup, hashes.size());
    for (std::size_t age = 1; age < state.generations.size(); ++age) {
      std::size_t count = 0;
      for (std::size_t i = first; i < end; ++i) {
        if (answers[i] != 0) continue;
        missing[count] = hashes[i];
        places[count++] = i;
      }
      if (count == 0) break;
      state.generations[age]->contains_many(std::span<const Hash>(missing).first(count), answered);
      for (std::size_t i = 0; i < count; ++i) answers[places[i]] = answered[i];
    }
  }
}

template <class Filter>
std::uint64_t RotatingFilter<Filter>::bytes() const {
  const detail::ReadGuard guard(state_.readers());
  std::uint64_t sum = 0;
  for (const auto& generation : state_.read(guard).generations) sum += generation->bytes();
  return sum;
}

template class RotatingFilter<ClassicFilter>;
template class RotatingFilter<SplitFilter>;
template class RotatingFilter<BlockFilter>;

}  // namespace BLOOMERY_NAMESPACE
