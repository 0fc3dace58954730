// One part of a fuse filter: takes keys away one by one, each from a slot that is its own, and then sets the slots in
// reverse (spec/fuse.md, "Building"). A slot knows its keys by a word: how many they are, and the xor of their numbers;
// with one key left that is its number. FuseWords says how wide these are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bloomery/detail/buffer.h"
#include "bloomery/detail/fuse_probe.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::detail {

template <class WordType, unsigned kKeyBits>
struct FuseWords {
  using Word = WordType;  // also wide enough for the number of a slot
  static constexpr Word kOne = Word{1} << kKeyBits, kKey = kOne - 1;
  static constexpr std::uint64_t kMostKeys = kKey;

  static Word count(Word word) { return word >> kKeyBits; }
};
using FuseSmallWords = FuseWords<std::uint32_t, 24>;  // half the memory, and quicker
using FuseLargeWords = FuseWords<std::uint64_t, 40>;

// The scratch of a thread, for parts of a given number of slots and at most a given number of keys.
template <class Words>
class FusePeeler {
 public:
  static Result<FusePeeler> make(std::uint64_t slots, std::uint64_t keys) {
    FusePeeler peeler(slots);
    const std::uint64_t waiting = slots + peeler.groups_.size() + kAhead;
    Result<Buffer> scratch = Buffer::zeroed((slots + waiting + keys) * sizeof(Word));  // in one: it gets huge pages
    BLOOMERY_TRY(scratch);
    peeler.scratch_ = *std::move(scratch);
    peeler.words_ = reinterpret_cast<Word*>(peeler.scratch_.data());
    peeler.waiting_ = peeler.words_ + slots;
    peeler.taken_ = peeler.waiting_ + waiting;
    return peeler;
  }

  // Solves the part with the seed of this factor, and sets its slots, which are 0. Returns false when the seed does not
  // do.
  template <class Probe>
  bool solve(std::span<const Hash> keys, const FuseRing& ring, std::uint64_t factor, std::uint8_t* into) {
    const KeysOf<Probe> probes{keys, ring, factor};
    count(probes);
    if (!queue_first(keys.size() * Probe::kArity)) return false;
    if (peel(probes) != keys.size()) return false;
    assign(probes, into);
    return true;
  }

 private:
  using Word = typename Words::Word;
  static constexpr unsigned kGroupBits = 14;
  static constexpr std::uint64_t kMostOfSlot = 255;
  static constexpr std::uint64_t kAhead = 8;    // how far keys are fetched ahead
  static constexpr std::uint64_t kAtOnce = 32;  // keys between two looks at the queues

  template <class Probe>
  struct KeysOf {
    Probe operator[](std::uint64_t key) const { return Probe(ring, keys[key], keys[key].bits * factor); }
    void fetch(std::uint64_t key) const { __builtin_prefetch(keys.data() + key); }

    std::span<const Hash> keys;
    FuseRing ring;
    std::uint64_t factor;
  };
  struct Group {
    std::uint64_t next, end;  // of those that wait, in waiting_
  };

  explicit FusePeeler(std::uint64_t slots) : slots_(slots), groups_((slots >> kGroupBits) + 1) {}

  template <class Probe>
  void count(KeysOf<Probe> probes) {
    Word* words = words_;
    std::fill_n(words, slots_, Word{0});
    for (std::uint64_t key = 0; key < probes.keys.size(); ++key)
      probes[key].for_each(
          [&](std::uint64_t slot) { words[slot] = static_cast<Word>((words[slot] + Words::kOne) ^ key); });
  }

  // The slots of one key wait in their groups. Every slot waits at most once, so the queue of a group has as many
  // places as it has slots, and one more, which may be written in vain. False when a slot has more keys than it may;
  // its count has then perhaps spilled over, and some are missing.
  bool queue_first(std::uint64_t expected) {
    const Word* words = words_;
    Word* waiting = waiting_;
    std::uint64_t total = 0, most = 0;
    for (std::uint64_t group = 0, slot = 0; group < groups_.size(); ++group) {
      const std::uint64_t start = slot + group, last = std::min(slots_, (group + 1) << kGroupBits);
      std::uint64_t end = start;
      for (; slot < last; ++slot) {
        const std::uint64_t count = Words::count(words[slot]);
        total += count;
        most = std::max(most, count);
        waiting[end] = static_cast<Word>(slot);
        end += count == 1 ? 1 : 0;
      }
      groups_[group] = {start, end};
    }
    return total == expected && most <= kMostOfSlot;
  }

  // Takes away every key that can be taken away, and returns how many. Their slots are in taken_, and the word of each
  // is its key.
  template <class Probe>
  std::uint64_t peel(KeysOf<Probe> probes) {
    taken_count_ = 0;
    for (std::uint64_t group = 0; group < groups_.size();) {
      group = empty(group, probes);
      while (group < groups_.size() && groups_[group].next == groups_[group].end) ++group;
    }
    return taken_count_;
  }

  // Works on a group until no slot waits there. Returns the lowest group where one may wait now. Slots that come to
  // wait are put in their queues some keys later; otherwise their way through memory would hold up each key.
  template <class Probe>
  std::uint64_t empty(std::uint64_t group, KeysOf<Probe> probes) {
    Word* words = words_;
    Word* waiting = waiting_;
    Word* taken = taken_;
    Group* groups = groups_.data();
    std::array<Word, kAtOnce * Probe::kArity + 1> alone;
    std::uint64_t lowest = group + 1, next = groups[group].next, count = taken_count_;
    while (next < groups[group].end) {
      const std::uint64_t stop = std::min(groups[group].end, next + kAtOnce);
      std::uint64_t found = 0;
      for (; next < stop; ++next) {
        const std::uint64_t slot = waiting[next];
        const Word key = words[slot] & Words::kKey;
        probes.fetch(words[waiting[next + kAhead]] & Words::kKey);
        if (Words::count(words[slot]) != 1) continue;
        probes[key].for_each([&](std::uint64_t other) {
          const Word word = static_cast<Word>((words[other] - Words::kOne) ^ key);
          words[other] = word;
          alone[found] = static_cast<Word>(other);
          found += Words::count(word) == 1 ? 1 : 0;  // a number: a branch would be wrong too often
        });
        words[slot] = key;
        taken[count++] = static_cast<Word>(slot);
      }
      for (std::uint64_t i = 0; i < found; ++i) {
        const std::uint64_t its_group = alone[i] >> kGroupBits;
        waiting[groups[its_group].end++] = alone[i];
        lowest = std::min(lowest, its_group);
      }
    }
    groups[group].next = next;
    taken_count_ = count;
    return lowest;
  }

  template <class Probe>
  void assign(KeysOf<Probe> probes, std::uint8_t* into) {
    const Word* words = words_;
    const Word* taken = taken_;
    for (std::uint64_t i = taken_count_; i > 0; --i) {
      const std::uint64_t slot = taken[i - 1];
      probes.fetch(words[taken[i > 2 * kAhead ? i - 2 * kAhead : 0]]);
      const Probe probe = probes[words[slot]];
      store_le(into + slot * sizeof(typename Probe::Slot), probe.difference(into));
    }
  }

  Buffer scratch_;
  Word* words_ = nullptr;    // of the slots
  Word* waiting_ = nullptr;  // the queues of the groups
  Word* taken_ = nullptr;    // slots, in the order in which they gave a key away
  std::uint64_t slots_, taken_count_ = 0;
  std::vector<Group> groups_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
