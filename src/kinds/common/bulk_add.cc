// Each thread takes shares of the keys, and moves their hashes to the part of the filter they fall into: to a run of
// places there that no other thread writes to, and to a new one when that is full. When a part has no place left, the
// parts are added, each by one thread, and all begin anew. Parts are whole blocks, so no two threads ever write the
// same byte.
//
// There are two reasons for it. A filter much larger than the cache is worked on part by part while each is in the
// cache. And many threads need parts of their own. Where neither holds, few threads do better without moving anything:
// each adds its shares to a filter of its own, and these are brought together at the end.
//
// There are more shares than threads, and a thread takes the next when it is done with one: where a core is slower than
// another, for a while or always, its thread does less, and the others do not wait for it.
#include "bloomery/detail/bulk_add.h"
#include "bloomery/detail/batch.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/buffer.h"
#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/mem/populate.h"
#include "kernel/caches.h"
#include "kernel/kernel.h"
#include "kinds/common/scatter.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

// Parts are an eighth of the second cache, unless there would be more than this: moving keys to more parts takes
// longer, and adding them from smaller parts takes no less.
constexpr std::uint64_t kMostParts = 64;
constexpr std::uint64_t kLeastBytes = std::uint64_t{16} << 20;
constexpr std::size_t kGroup = 128;            // hashes that are moved at once, of keys after they were hashed
constexpr std::size_t kLine = 64, kGap = 128;  // bytes: a line; two of them, which are fetched together

// From this size on, on one thread, sorting first saves time where memory is slow, and costs little where it is fast,
// if many keys share each cache line; with few keys it costs more than it saves. On several threads it saves time from
// fewer bytes on, because the other way is a copy of the filter for each thread.
constexpr std::uint64_t kSortFromBytes = std::uint64_t{32} << 20, kSortFromBytesOnThreads = std::uint64_t{8} << 20;
constexpr std::uint64_t kSortFromKeysPerLine = 16;
// With fewer hashes a thread costs more to start than it saves. Of keys that have yet to be hashed fewer are enough.
constexpr std::uint64_t kHashesOfThread = 250'000, kKeysOfThread = 25'000;
// Shares of a thread. One that is left behind with its last share makes the others wait for that share alone.
constexpr unsigned kSharesOfThread = 64;
// Hashes in a run, a power of two. Threads that write to neighbouring short runs hold each other up, in runs of 32 KB
// no more. Runs that are left half empty waste room: all threads together hold at most a quarter of a part.
constexpr std::uint64_t kLeastRun = 8, kMostRun = 4096, kRunsInHand = 4;
// Pages that are faulted in one by one, in the middle of adding, cost more than all at once. From this size on memory
// does not come from the heap; with fewer keys for each page some pages would stay untouched.
constexpr std::uint64_t kPopulateFromBytes = std::uint64_t{1} << 20, kMostPopulatedPerKey = 1024;
// More threads than this would take more memory for their copies than the sorting does.
constexpr unsigned kMostCopiers = 4;
// Bytes of a copy for each key, at most. Up to there zeroing and uniting a copy costs little beside adding the keys.
constexpr std::uint64_t kMostCopiedPerKey = 8;

struct Split {
  static constexpr std::uint64_t kBytes = 32;
  static std::uint64_t block(std::uint64_t blocks, Hash hash) { return split_offset(blocks, hash) / kBytes; }
  static void add(std::uint8_t* bytes, const kernel::Batch& batch) { kernel::active().split_add(bytes, batch); }
};

struct Block {
  static constexpr std::uint64_t kBytes = 64;
  static std::uint64_t block(std::uint64_t blocks, Hash hash) { return block_offset(blocks, hash) / kBytes; }
  static void add(std::uint8_t* bytes, const kernel::Batch& batch) { kernel::active().block_add(bytes, batch); }
};

// Puts the share of member t of a team into place, if enough keys come to touch all pages. False: there is no memory.
bool populate_filter(std::uint8_t* bytes, std::uint64_t size, std::uint64_t keys, unsigned t, unsigned team) {
  return size < kPopulateFromBytes || size > kMostPopulatedPerKey * keys || populate_share({bytes, size}, t, team);
}

// Runs task(t, team, barrier) by a team when all of it have done populate(t, team). An error is out_of_memory, and then
// no task was run. Two threads that came to the same new page in the middle of their work would both zero it.
template <class Populate, class Task>
Status run_populated(unsigned threads, const Populate& populate, const Task& task) {
  std::atomic<bool> failed = false;
  run_team(threads, [&](unsigned t, unsigned team, TeamBarrier& all_threads) {
    if (!populate(t, team)) failed = true;
    all_threads.arrive_and_wait();
    if (!failed) task(t, team, all_threads);
  });
  if (failed) return out_of_memory();
  return {};
}

// All keys, in shares.
class Shares {
 public:
  Shares(std::size_t keys, unsigned threads) : keys_(keys), count_(threads * kSharesOfThread) {}
  // The first key of a share, and the one after its last; false if there is no share left.
  bool take(std::size_t& first, std::size_t& last) {
    const unsigned share = next_.fetch_add(1, std::memory_order_relaxed);
    if (share >= count_) return false;
    first = start_of_share(keys_, share, count_);
    last = start_of_share(keys_, share + 1, count_);
    return true;
  }

 private:
  std::size_t keys_;
  unsigned count_;
  std::atomic<unsigned> next_ = 0;
};

template <class Kind>
class BulkAdd {
 public:
  BulkAdd(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, unsigned threads)
      : bytes_(bytes), blocks_(blocks), k_(k), keys_(keys), threads_(threads), shares_(keys.count, threads) {
    const std::uint64_t near = std::max<std::uint64_t>(kernel::caches().l2 / 8 / Kind::kBytes, 1);
    shift_ = static_cast<unsigned>(std::bit_width(near)) - 1;
    while (parts() > kMostParts) ++shift_;
    while (shift_ > 0 && parts() < 4 * std::uint64_t{threads}) --shift_;
  }

  Status run() {
    const std::uint64_t most = std::max(blocks_ * Kind::kBytes, kLeastBytes) / sizeof(Hash);
    const std::uint64_t all = std::min<std::uint64_t>(keys_.count + keys_.count / kRunsInHand, most);
    const std::uint64_t room = std::max(all / parts(), kLeastRun);
    run_ = std::clamp(std::bit_floor(room / (kRunsInHand * threads_)), kLeastRun, kMostRun);
    room_ = room / run_ * run_;
    moved_ = std::vector<Part>(parts());
    lengths_.assign(parts() * room_ / run_, static_cast<std::uint32_t>(run_));
    places_.resize(row() * threads_);
    Result<Buffer> sorted = Buffer::scratch(parts() * room_ * sizeof(Hash));
    BLOOMERY_TRY(sorted);
    sorted_ = reinterpret_cast<Hash*>(sorted->data());
    // The first half of the team puts the pages of the filter in place, the last half those of the memory to sort in,
    // and gives them back.
    const auto half = [](unsigned team) { return (team + 1) / 2; };
    return run_populated(
        threads_,
        [&](unsigned t, unsigned team) {
          return populate_filter(bytes_, blocks_ * Kind::kBytes, keys_.count, t, half(team)) &&
                 populate_share({sorted->data(), sorted->size()}, team - 1 - t, half(team));
        },
        [&](unsigned t, unsigned team, TeamBarrier& all_threads) {
          add_all(t, team, all_threads);
          discard_share(sorted->mapping(), team - 1 - t, half(team));
        });
  }

 private:
  // A part of the filter. `taken` counts the places that runs have asked for; its room in sorted_ has room_ places, and
  // beyond that there was none to be had.
  struct alignas(kGap) Part {
    std::atomic<std::size_t> taken = 0;
  };

  std::uint64_t parts() const { return ((blocks_ - 1) >> shift_) + 1; }
  // From the places of one thread to those of the next: the gap keeps them off each other's cache lines.
  std::uint64_t row() const { return parts() + kGap / sizeof(std::size_t); }
  std::uint64_t part(Hash hash) const { return Kind::block(blocks_, hash) >> shift_; }

  // What member t of the team does; each step waits until all threads are done with the one before.
  void add_all(unsigned t, unsigned team, TeamBarrier& all_threads) {
    std::size_t* places = &places_[t * row()];
    std::size_t first = 0, last = 0;  // keys of the share in hand
    for (unsigned round = 1;; ++round) {
      while (full_in_.load(std::memory_order_relaxed) != round && (first < last || shares_.take(first, last))) {
        first = move_to_parts(first, last, places);
        if (first < last) full_in_.store(round, std::memory_order_relaxed);
      }
      end_runs(places);
      if (t == 0) next_part_.store(0, std::memory_order_relaxed);
      all_threads.arrive_and_wait();
      const bool more = full_in_.load(std::memory_order_relaxed) == round;
      add_parts(team);
      all_threads.arrive_and_wait();
      if (!more) return;
    }
  }

  // Returns the first key there was no place for, or last.
  std::size_t move_to_parts(std::size_t first, std::size_t last, std::size_t* places) {
    HashRoom<kGroup> hashed;
    for (std::size_t moved = kGroup; first < last && moved == kGroup; first += moved) {
      const std::size_t count = std::min(kGroup, last - first);
      if (keys_.hashes != nullptr) {
        const Hash* group = keys_.hashes + first;
        // The processor fetches a stream by itself, but too late.
        for (std::size_t i = 0; i < kGroup; i += kLine / sizeof(Hash)) __builtin_prefetch(group + 2 * kGroup + i);
        moved = move_group({group, count}, places);
      } else {
        keys_.hash(keys_, first, hashed.first(count));
        moved = move_group(hashed.first(count), places);
      }
    }
    return first;
  }

  // Returns how many of them there was a place for.
  std::size_t move_group(std::span<const Hash> hashes, std::size_t* places) {
    const std::size_t within_run = run_ - 1;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const std::uint64_t p = part(hashes[i]);
      if ((places[p] & within_run) == 0 && !begin_run(p, places[p])) [[unlikely]]
        return i;
      move_to_range(sorted_, places[p], hashes[i]);
    }
    return hashes.size();
  }

  // False if the part has no place left. Not inlined: it is rare, and the loop is short of registers.
  [[gnu::noinline]] bool begin_run(std::uint64_t p, std::size_t& place) {
    const std::size_t taken = moved_[p].taken.fetch_add(run_, std::memory_order_relaxed);
    if (taken >= room_) return false;
    place = p * room_ + taken;
    __builtin_prefetch(sorted_ + place, 1);
    return true;
  }

  // Notes how far the runs of a thread are filled; its next hashes begin new ones.
  void end_runs(std::size_t* places) {
    for (std::size_t& place : std::span(places, parts())) {
      if (place % run_ != 0) lengths_[place / run_] = static_cast<std::uint32_t>(place % run_);
      place = 0;
    }
  }

  // Parts that are added at the same time lie far apart, and so on pages of their own.
  void add_parts(unsigned team) {
    const std::uint64_t stride = (parts() + team - 1) / team;
    for (std::uint64_t i; (i = next_part_.fetch_add(1, std::memory_order_relaxed)) < stride * team;)
      if (const std::uint64_t p = i % team * stride + i / team; p < parts()) add_part(p);
  }

  void add_part(std::uint64_t p) {
    const unsigned ahead = kernel::prefetch_ahead(blocks_ * Kind::kBytes);
    const std::size_t begin = p * room_, taken = moved_[p].taken.exchange(0, std::memory_order_relaxed);
    for (std::size_t place = begin; place < begin + std::min<std::uint64_t>(taken, room_); place += run_) {
      const std::size_t length = std::exchange(lengths_[place / run_], static_cast<std::uint32_t>(run_));
      Kind::add(bytes_, {blocks_, k_, &sorted_[place].bits, length, ahead});
    }
  }

  std::uint8_t* bytes_;
  std::uint64_t blocks_;
  std::uint32_t k_;
  const KeyRun& keys_;
  unsigned threads_, shift_ = 0;
  std::uint64_t run_ = 0, room_ = 0;  // places
  Hash* sorted_ = nullptr;
  std::vector<Part> moved_;
  std::vector<std::uint32_t> lengths_;  // of all runs: how many of its places are filled when all wait
  std::vector<std::size_t> places_;     // a row for each thread: where it moves the next hash of each part
  Shares shares_;
  std::atomic<std::uint64_t> next_part_ = 0;
  std::atomic<unsigned> full_in_ = 0;  // the last round in which a part had no place left
};

// The keys from first up to last.
template <class Kind>
void add_in_order(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, std::size_t first,
                  std::size_t last) {
  const unsigned ahead = kernel::prefetch_ahead(blocks * Kind::kBytes);
  if (keys.hashes != nullptr) return Kind::add(bytes, {blocks, k, &keys.hashes[first].bits, last - first, ahead});
  HashRoom<kHashGroup> room;
  for (; first < last; first += std::min(kHashGroup, last - first)) {
    const std::span<Hash> group = room.first(std::min(kHashGroup, last - first));
    keys.hash(keys, first, group);
    Kind::add(bytes, {blocks, k, &group[0].bits, group.size(), ahead});
  }
}

bool worth_copying(std::uint64_t filter_bytes, std::uint64_t keys, unsigned threads) {
  return threads <= kMostCopiers && filter_bytes <= kMostCopiedPerKey * keys && filter_bytes < kSortFromBytesOnThreads;
}

template <class Kind>
Status add_to_copies(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, unsigned threads) {
  std::vector<Buffer> copies;
  for (unsigned t = 1; t < threads; ++t) {
    Result<Buffer> copy = Buffer::zeroed(blocks * Kind::kBytes);
    BLOOMERY_TRY(copy);
    copies.push_back(*std::move(copy));
  }
  Shares shares(keys.count, threads);
  const auto own = [&](unsigned t) { return t == 0 ? bytes : copies[t - 1].data(); };
  return run_populated(
      threads, [&](unsigned t, unsigned) { return populate_filter(own(t), blocks * Kind::kBytes, keys.count, 0, 1); },
      [&](unsigned t, unsigned team, TeamBarrier& all_threads) {
        for (std::size_t first, last; shares.take(first, last);)
          add_in_order<Kind>(own(t), blocks, k, keys, first, last);
        all_threads.arrive_and_wait();
        const std::uint64_t from = Kind::kBytes * start_of_share(blocks, t, team);
        const std::uint64_t to = Kind::kBytes * start_of_share(blocks, t + 1, team);
        for (unsigned of = 1; of < team; ++of) kernel::active().unite(bytes + from, own(of) + from, to - from);
        all_threads.arrive_and_wait();
        if (t > 0) discard_share(copies[t - 1].mapping(), 0, 1);
      });
}

template <class Kind>
Status bulk_add(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, unsigned threads) {
  if (keys.count == 0) return {};
  const std::uint64_t filter_bytes = blocks * Kind::kBytes;
  const std::uint64_t useful = keys.count / (keys.hashes != nullptr ? kHashesOfThread : kKeysOfThread);
  threads = static_cast<unsigned>(std::clamp<std::uint64_t>(std::min<std::uint64_t>(threads, useful), 1, kMostThreads));
  if (threads == 1 && !worth_sorting(filter_bytes, keys.count)) {
    if (!populate_filter(bytes, filter_bytes, keys.count, 0, 1)) return out_of_memory();
    add_in_order<Kind>(bytes, blocks, k, keys, 0, keys.count);
    return {};
  }
  return guarded([&]() -> Status {
    if (threads > 1 && worth_copying(filter_bytes, keys.count, threads))
      return add_to_copies<Kind>(bytes, blocks, k, keys, threads);
    return BulkAdd<Kind>(bytes, blocks, k, keys, threads).run();
  });
}

}  // namespace

bool worth_sorting(std::uint64_t filter_bytes, std::uint64_t keys) {
  return filter_bytes >= kSortFromBytes && keys / kSortFromKeysPerLine >= filter_bytes / 64;
}

Status split_bulk_add(std::uint8_t* bytes, std::uint64_t blocks, const KeyRun& keys, unsigned threads) {
  return bulk_add<Split>(bytes, blocks, 0, keys, threads);
}

Status block_bulk_add(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys,
                      unsigned threads) {
  return bulk_add<Block>(bytes, blocks, k, keys, threads);
}

}  // namespace BLOOMERY_NAMESPACE::detail
