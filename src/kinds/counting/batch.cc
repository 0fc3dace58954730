// The batches of the counting filter: lookups and adds in rounds (kinds/classic/batch.h), removes one by one behind
// prefetches.
#include "kinds/classic/batch.h"
#include "bloomery/detail/counting_probe.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

// How many keys have their lines fetched before they are removed.
constexpr std::size_t kRemoveAhead = 8;

// The keys that have counters left to count up.
struct Adding {
  ClassicIndexes indexes[rounds::kGroup];
  std::uint64_t first[rounds::kGroup];
};

// One counter of every key, then the next, each fetched a round ahead; a key whose indexes repeat leaves.
template <class Counter>
void add_far(std::uint8_t* bytes, Remainder remainder, std::uint32_t k, std::span<const Hash> hashes) {
  const std::uint64_t m = remainder.divisor();
  Adding adding;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    adding.indexes[i] = ClassicIndexes(remainder, hashes[i]);
    adding.first[i] = adding.indexes[i].at();
    __builtin_prefetch(bytes + Counter::byte(adding.first[i]), 1);
  }
  std::size_t left = hashes.size();
  for (std::uint32_t round = 1; round <= k; ++round) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left; ++i) {
      ClassicIndexes indexes = adding.indexes[i];
      const std::uint64_t first = adding.first[i];
      count_up<Counter>(bytes, indexes.at());
      indexes.next(m);
      if (round < k) __builtin_prefetch(bytes + Counter::byte(indexes.at()), 1);
      adding.indexes[kept] = indexes;
      adding.first[kept] = first;
      kept += indexes.at() != first;
    }
    left = kept;
  }
}

template <class Counter>
void add_near(std::uint8_t* bytes, Remainder remainder, std::uint32_t k, std::span<const Hash> hashes) {
  for (Hash hash : hashes) counting_add<Counter>(bytes, remainder, k, hash);
}

template <class Counter>
void add_many(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, std::span<const Hash> hashes) {
  const auto add = rounds::is_far<Counter>(remainder.divisor()) ? add_far<Counter> : add_near<Counter>;
  rounds::for_groups(hashes, [&](std::span<const Hash> group, std::size_t) { add(bytes, remainder, k, group); });
}

// Whether a key can be taken out depends on those before it, so they go one by one; but their lines are fetched some
// keys ahead.
template <class Counter>
void remove_many(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, std::span<const Hash> hashes,
                 std::uint8_t* answers) {
  const bool far = rounds::is_far<Counter>(remainder.divisor());
  for (std::size_t i = 0; i < hashes.size() + kRemoveAhead; ++i) {
    if (far && i < hashes.size()) {
      // The fetch stands here and not in a function of its own: g++ would drop that, because a function that only
      // fetches has no effect.
      ClassicIndexes indexes(remainder, hashes[i]);
      for (std::uint32_t left = k; left > 0; --left, indexes.next(remainder.divisor()))
        __builtin_prefetch(bytes + Counter::byte(indexes.at()), 1);
    }
    if (i < kRemoveAhead) continue;
    const std::size_t at = i - kRemoveAhead;
    answers[at] = counting_remove<Counter>(bytes, remainder, k, hashes[at]) ? 1 : 0;
  }
}

}  // namespace

void counting_contains_many(const std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k,
                            std::uint32_t counter_bits, std::span<const Hash> hashes, std::uint8_t* answers) {
  with_counters(counter_bits, [&]<class Counter>(Counter) {
    rounds::cells_contain_many<Counter>(bytes, remainder, k, hashes, answers);
  });
}

void counting_add_many(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, std::uint32_t counter_bits,
                       std::span<const Hash> hashes) {
  with_counters(counter_bits, [&]<class Counter>(Counter) { add_many<Counter>(bytes, remainder, k, hashes); });
}

void counting_remove_many(std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k, std::uint32_t counter_bits,
                          std::span<const Hash> hashes, std::uint8_t* answers) {
  with_counters(counter_bits,
                [&]<class Counter>(Counter) { remove_many<Counter>(bytes, remainder, k, hashes, answers); });
}

}  // namespace BLOOMERY_NAMESPACE::detail
