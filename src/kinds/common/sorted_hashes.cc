// A radix sort from the highest bits down. The first round moves every hash once, into ranges of the key space that are
// small enough for a cache; each of those is then sorted on its own, by any thread. Hashes are random as a rule, so a
// range of few of them is put in order by one more round into two or more places for each, and a last pass makes that
// exact. Where they are not random, std::sort takes over: slower, never wrong.
#include "kinds/common/sorted_hashes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <new>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "kinds/common/scatter.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

constexpr std::size_t kFew = 4096;              // sorted near the first-level cache: 32 KiB, and as much beside
constexpr std::size_t kPlaces = 4 * kFew;       // two to four for each hash, so that most have a place of their own
constexpr unsigned kMostBits = 10;              // of a round: more streams than that miss the TLB
constexpr std::size_t kCrowded = 16;            // in one place: not random
constexpr std::size_t kKeysPerThread = 50'000;  // below, starting a thread costs more than it does

bool less(Hash a, Hash b) { return a.bits < b.bits; }

// Sorts at most kFew hashes, which agree in all bits from `low` on.
void sort_few(std::span<Hash> hashes, unsigned low) {
  if (hashes.size() < 2 || low == 0) return;
  const unsigned bits = std::min(static_cast<unsigned>(std::bit_width(hashes.size())) + 1, low);
  const unsigned shift = low - bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::array<std::uint16_t, kPlaces> ends;
  std::fill_n(ends.begin(), mask + 1, std::uint16_t{0});
  for (Hash hash : hashes) ++ends[(hash.bits >> shift) & mask];
  std::uint16_t total = 0, most = 0;
  for (std::size_t i = 0; i <= mask; ++i) {
    most = std::max(most, ends[i]);
    total = static_cast<std::uint16_t>(total + std::exchange(ends[i], total));
  }
  if (most > kCrowded) return std::sort(hashes.begin(), hashes.end(), less);
  std::array<Hash, kFew> placed;
  for (Hash hash : hashes) placed[ends[(hash.bits >> shift) & mask]++] = hash;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    std::size_t at = i;
    for (; at > 0 && placed[i].bits < hashes[at - 1].bits; --at) hashes[at] = hashes[at - 1];
    hashes[at] = placed[i];
  }
}

// How many bits a round looks at, so that its ranges hold some 1000 hashes each, or as few as it can.
unsigned bits_of_round(std::size_t count, unsigned low) {
  const auto wanted = static_cast<unsigned>(std::bit_width(count / (kFew / 2)));
  return std::min({wanted, kMostBits, low});
}

// Sorts hashes that agree in all bits from `low` on; `spare` is scratch.
void sort_range(std::span<Hash> hashes, unsigned low, std::vector<Hash>& spare) {
  if (hashes.size() <= kFew) return sort_few(hashes, low);
  if (low == 0) return;
  const unsigned bits = bits_of_round(hashes.size(), low), shift = low - bits;
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::vector<std::size_t> ends(mask + 1);
  for (Hash hash : hashes) ++ends[(hash.bits >> shift) & mask];
  std::size_t total = 0;
  for (std::size_t& end : ends) total += std::exchange(end, total);
  spare.assign(hashes.begin(), hashes.end());
  for (Hash hash : spare) move_to_range(hashes.data(), ends[(hash.bits >> shift) & mask], hash);
  std::size_t first = 0;
  for (std::size_t end : ends) {
    sort_range(hashes.subspan(first, end - first), shift, spare);
    first = end;
  }
}

// The first round, by a team: each member counts and moves a share of its own; then they take the ranges one by one.
class Sort {
 public:
  Sort(std::span<const Hash> from, Hash* into, unsigned threads)
      : from_(from), into_(into), bits_(bits_of_round(from.size(), 64)), ends_(row() * threads), kept_(ranges()) {
    run_team(threads, [this](unsigned t, unsigned team, TeamBarrier& all) { run(t, team, all); });
  }

  bool failed() const { return failed_; }

  // Brings together what was kept of each range, and returns how many hashes that are.
  std::size_t close_ranks() {
    std::size_t count = 0, first = 0;
    for (std::size_t r = 0; r < ranges(); ++r) {
      if (count != first) std::copy_n(into_ + first, kept_[r], into_ + count);
      count += kept_[r];
      first = end_of(r);
    }
    return count;
  }

 private:
  std::size_t ranges() const { return std::size_t{1} << bits_; }
  // From the counts of one thread to those of the next: the gap keeps them off each other's cache lines.
  std::size_t row() const { return ranges() + 16; }
  std::size_t range_of(Hash hash) const { return bits_ == 0 ? 0 : hash.bits >> (64 - bits_); }
  // After the moves the place of the last share is the end of the range.
  std::size_t end_of(std::size_t range) const { return ends_[(team_ - 1) * row() + range]; }

  void run(unsigned t, unsigned team, TeamBarrier& all) {
    const std::size_t begin = start_of_share(from_.size(), t, team), end = start_of_share(from_.size(), t + 1, team);
    const std::span<const Hash> share = from_.subspan(begin, end - begin);
    std::size_t* places = &ends_[t * row()];
    for (Hash hash : share) ++places[range_of(hash)];
    all.arrive_and_wait();
    if (t == 0) {
      std::size_t total = 0;  // counts become places: range by range, and in each the shares in order
      for (std::size_t r = 0; r < ranges(); ++r)
        for (unsigned of = 0; of < team; ++of) total += std::exchange(ends_[of * row() + r], total);
      team_ = team;
    }
    all.arrive_and_wait();
    for (Hash hash : share) move_to_range(into_, places[range_of(hash)], hash);
    all.arrive_and_wait();
    try {
      sort_ranges();
    } catch (const std::bad_alloc&) {
      failed_ = true;
    }
  }

  void sort_ranges() {
    std::vector<Hash> spare;
    for (std::size_t r; (r = next_.fetch_add(1, std::memory_order_relaxed)) < ranges();) {
      Hash *const first = into_ + (r == 0 ? 0 : end_of(r - 1)), *const last = into_ + end_of(r);
      sort_range({first, last}, 64 - bits_, spare);
      kept_[r] = static_cast<std::size_t>(std::unique(first, last) - first);
    }
  }

  std::span<const Hash> from_;
  Hash* into_;
  unsigned bits_, team_ = 1;
  std::vector<std::size_t> ends_;  // a row for each thread, with a count for each range
  std::vector<std::size_t> kept_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
};

Result<Buffer> hash_all(const KeyRun& keys, unsigned threads) {
  Result<Buffer> bytes = Buffer::zeroed(keys.hashes != nullptr ? 0 : keys.count * sizeof(Hash));
  if (!bytes.ok() || keys.hashes != nullptr) return bytes;
  auto* hashes = reinterpret_cast<Hash*>(bytes->data());
  run_parallel(threads, [&](unsigned t) {
    const std::size_t begin = start_of_share(keys.count, t, threads), end = start_of_share(keys.count, t + 1, threads);
    keys.hash(keys, begin, std::span(hashes + begin, end - begin));
  });
  return bytes;
}

}  // namespace

Result<SortedHashes> SortedHashes::of(const KeyRun& keys, unsigned threads) {
  if (keys.count == 0) return SortedHashes(Buffer(), 0);
  threads = std::clamp<unsigned>(threads, 1, kMostThreads);
  threads = static_cast<unsigned>(std::min<std::size_t>(threads, keys.count / kKeysPerThread + 1));
  const Result<Buffer> hashed = hash_all(keys, threads);
  BLOOMERY_TRY(hashed);
  const Hash* all = keys.hashes != nullptr ? keys.hashes : reinterpret_cast<const Hash*>(hashed->data());
  Result<Buffer> sorted = Buffer::zeroed(keys.count * sizeof(Hash));
  BLOOMERY_TRY(sorted);
  Sort sort({all, keys.count}, reinterpret_cast<Hash*>(sorted->data()), threads);
  if (sort.failed()) return out_of_memory();
  const std::size_t count = sort.close_ranks();
  return SortedHashes(*std::move(sorted), count);
}

}  // namespace BLOOMERY_NAMESPACE::detail
