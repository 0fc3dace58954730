// A round takes some of the keys, in shares: of each its thread hashes the keys and counts how many fall into each part
// of the filter; then it is moved there, so that the hashes of a part lie together; then the parts are added, each by
// one thread. Parts are whole blocks, so no two threads ever write the same byte.
//
// There are two reasons for it. A filter much larger than the cache is worked on part by part while each is in the
// cache. And many threads need parts of their own. Where neither holds, few threads do better without moving anything:
// each adds its shares to a filter of its own, and these are brought together at the end.
//
// There are more shares than threads, and a thread takes the next when it is done with one: where a core is slower than
// another, for a while or always, its thread does less, and the others do not wait for it.
#include "bloomery/detail/bulk_add.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/buffer.h"
#include "filter/scatter.h"
#include "kernel/caches.h"
#include "kernel/kernel.h"

namespace bloomery::detail {
namespace {

// More parts than this cost more than smaller ones save: a build of 10^8 keys took 1.2 times the ceiling (block: 1.9)
// with 60 parts, and 1.6 (2.9) with 119.
constexpr std::uint64_t kMostParts = 64;
constexpr std::uint64_t kLeastBytes = std::uint64_t{16} << 20;
constexpr unsigned kMostThreads = 256;
constexpr std::size_t kGap = 128;  // bytes: two lines, which are fetched together

// From here on sorting first pays on one thread (10^8 keys: split 8.6 ns instead of 13.5, block 13 instead of 15.7), if
// many keys share each cache line; with 5 of them block took 15.4 ns instead of 14.2.
constexpr std::uint64_t kSortFromBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kSortFromKeysPerLine = 16;
// Below, starting a thread costs more than it does.
constexpr std::uint64_t kThreadsFromKeys = 50'000;
// A thread that is left behind with its last share makes the others wait for no more than that. In all there are so few
// that the counts of their parts are no work.
constexpr unsigned kSharesOfThread = 64, kMostShares = 256;
// More threads than this would take more memory for their copies than the sorting does.
constexpr unsigned kMostCopiers = 4;
// To zero and to unite a copy costs less than a tenth of adding the keys, if it has no more bytes to each of them.
constexpr std::uint64_t kMostCopiedPerKey = 8;

unsigned shares_of(unsigned threads) {
  return threads == 1 ? 1 : std::max(std::min(threads * kSharesOfThread, kMostShares), threads);
}

// Things that a team does in any order, each by one thread.
class Queue {
 public:
  // Not while others take from it.
  void refill() { next_.store(0, std::memory_order_relaxed); }
  template <class Task>
  void take_all(std::uint64_t count, const Task& task) {
    for (std::uint64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count;) task(i);
  }

 private:
  std::atomic<std::uint64_t> next_ = 0;
};

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

template <class Kind>
class BulkAdd {
 public:
  BulkAdd(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, unsigned threads)
      : bytes_(bytes), blocks_(blocks), k_(k), keys_(keys), threads_(threads), shares_(shares_of(threads)) {
    const std::uint64_t near = std::max<std::uint64_t>(kernel::caches().l2 / 2 / Kind::kBytes, 1);
    shift_ = static_cast<unsigned>(std::bit_width(near)) - 1;
    while (parts() > kMostParts) ++shift_;
    while (shift_ > 0 && parts() < 4 * std::uint64_t{threads}) --shift_;
  }

  Status run() {
    const std::uint64_t room = std::max(blocks_ * Kind::kBytes, kLeastBytes) / sizeof(Hash);
    const std::uint64_t most = keys_.hashes != nullptr ? room : room / 2;
    round_ = std::min<std::uint64_t>(keys_.count, most);
    ends_.resize(row() * shares_);
    Result<Buffer> sorted = Buffer::zeroed(round_ * sizeof(Hash));
    if (!sorted.ok()) return std::move(sorted).error();
    sorted_ = reinterpret_cast<Hash*>(sorted->data());
    Result<Buffer> hashed = Buffer::zeroed(keys_.hashes != nullptr ? 0 : round_ * sizeof(Hash));
    if (!hashed.ok()) return std::move(hashed).error();
    hashed_ = reinterpret_cast<Hash*>(hashed->data());
    run_team(threads_, [this](unsigned t, unsigned, std::barrier<>& all) {
      for (std::size_t first = 0; first < keys_.count; first += round_) add_round(first, t, all);
    });
    return {};
  }

 private:
  std::uint64_t parts() const { return ((blocks_ - 1) >> shift_) + 1; }
  // From the counts of one share to those of the next: the gap keeps threads off each other's cache lines.
  std::uint64_t row() const { return parts() + kGap / sizeof(std::size_t); }
  std::uint64_t part(Hash hash) const { return Kind::block(blocks_, hash) >> shift_; }

  // By thread t of the team; each step waits for the one before on all threads.
  void add_round(std::size_t first, unsigned t, std::barrier<>& all) {
    const std::size_t count = std::min<std::size_t>(round_, keys_.count - first);
    const Hash* hashes = keys_.hashes != nullptr ? keys_.hashes + first : hashed_;
    const auto start = [&](std::uint64_t of) { return start_of_share(count, static_cast<unsigned>(of), shares_); };
    const auto share = [&](std::uint64_t of) {
      return std::span<const Hash>(hashes + start(of), hashes + start(of + 1));
    };
    to_count_.take_all(shares_, [&](std::uint64_t of) {
      if (keys_.hashes == nullptr)
        keys_.hash(keys_, first + start(of), std::span(hashed_ + start(of), share(of).size()));
      count_parts(share(of), &ends_[of * row()]);
    });
    all.arrive_and_wait();
    if (t == 0) {
      std::size_t total = 0;  // counts become places: part by part, and in each the shares in order
      for (std::uint64_t p = 0; p < parts(); ++p)
        for (unsigned of = 0; of < shares_; ++of) total += std::exchange(ends_[of * row() + p], total);
      to_add_.refill();
    }
    all.arrive_and_wait();
    to_move_.take_all(shares_, [&](std::uint64_t of) { move_to_parts(share(of), &ends_[of * row()]); });
    all.arrive_and_wait();
    if (t == 0) to_count_.refill(), to_move_.refill();
    to_add_.take_all(parts(), [&](std::uint64_t p) { add_part(p); });
    all.arrive_and_wait();
  }

  void count_parts(std::span<const Hash> share, std::size_t* counts) const {
    std::fill_n(counts, parts(), std::size_t{0});
    for (Hash hash : share) ++counts[part(hash)];
  }

  void move_to_parts(std::span<const Hash> share, std::size_t* places) const {
    for (Hash hash : share) move_to_range(sorted_, places[part(hash)], hash);
  }

  // After the moves the place of a share is its end, and that of the last share the end of the part.
  void add_part(std::uint64_t p) const {
    const std::size_t* last = &ends_[(shares_ - 1) * row()];
    const std::size_t begin = p == 0 ? 0 : last[p - 1];
    const unsigned ahead = kernel::prefetch_ahead(Kind::kBytes << shift_);
    Kind::add(bytes_, {blocks_, k_, &sorted_[begin].bits, last[p] - begin, ahead});
  }

  std::uint8_t* bytes_;
  std::uint64_t blocks_;
  std::uint32_t k_;
  const KeyRun& keys_;
  unsigned threads_, shares_, shift_ = 0;
  std::uint64_t round_ = 0;
  Hash *sorted_ = nullptr, *hashed_ = nullptr;
  std::vector<std::size_t> ends_;  // a row for each share, with a count for each part
  Queue to_count_, to_move_, to_add_;
};

// The keys from first up to last.
template <class Kind>
void add_in_order(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, std::size_t first,
                  std::size_t last) {
  const unsigned ahead = kernel::prefetch_ahead(blocks * Kind::kBytes);
  if (keys.hashes != nullptr) return Kind::add(bytes, {blocks, k, &keys.hashes[first].bits, last - first, ahead});
  std::array<Hash, kHashGroup> group;
  for (; first < last; first += std::min(kHashGroup, last - first)) {
    const std::size_t count = std::min(kHashGroup, last - first);
    keys.hash(keys, first, std::span(group).first(count));
    Kind::add(bytes, {blocks, k, &group[0].bits, count, ahead});
  }
}

bool worth_copying(std::uint64_t filter_bytes, std::uint64_t keys, unsigned threads) {
  return threads <= kMostCopiers && filter_bytes <= kMostCopiedPerKey * keys && !worth_sorting(filter_bytes, keys);
}

template <class Kind>
Status add_to_copies(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, unsigned threads) {
  std::vector<Buffer> copies;
  for (unsigned t = 1; t < threads; ++t) {
    Result<Buffer> copy = Buffer::zeroed(blocks * Kind::kBytes);
    if (!copy.ok()) return std::move(copy).error();
    copies.push_back(*std::move(copy));
  }
  const unsigned shares = shares_of(threads);
  const auto start = [&](std::uint64_t of) { return start_of_share(keys.count, static_cast<unsigned>(of), shares); };
  Queue to_add;
  run_team(threads, [&](unsigned t, unsigned team, std::barrier<>& all) {
    std::uint8_t* own = t == 0 ? bytes : copies[t - 1].data();
    to_add.take_all(shares,
                    [&](std::uint64_t of) { add_in_order<Kind>(own, blocks, k, keys, start(of), start(of + 1)); });
    all.arrive_and_wait();
    const std::uint64_t from = Kind::kBytes * start_of_share(blocks, t, team);
    const std::uint64_t to = Kind::kBytes * start_of_share(blocks, t + 1, team);
    for (unsigned of = 1; of < team; ++of)
      kernel::active().unite(bytes + from, copies[of - 1].data() + from, to - from);
  });
  return {};
}

template <class Kind>
Status bulk_add(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, unsigned threads) {
  if (keys.count == 0) return {};
  threads = std::clamp<unsigned>(threads, 1, kMostThreads);
  if (keys.count < kThreadsFromKeys || (threads == 1 && !worth_sorting(blocks * Kind::kBytes, keys.count))) {
    add_in_order<Kind>(bytes, blocks, k, keys, 0, keys.count);
    return {};
  }
  return guarded([&]() -> Status {
    if (threads > 1 && worth_copying(blocks * Kind::kBytes, keys.count, threads))
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

}  // namespace bloomery::detail
