// A round takes as many keys as the memory allows: each thread hashes its share and counts how many fall into each part
// of the filter, then moves them there, so that the hashes of a part lie together; then the parts are added, each by
// one thread. Parts are whole blocks, so no two threads ever write the same byte.
#include "bloomery/detail/bulk_add.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/buffer.h"
#include "kernel/caches.h"
#include "kernel/kernel.h"

namespace bloomery::detail {
namespace {

// Moving a hash to its part takes 2.4 ns with 60 parts and 8.6 with 119 (n = 10^8, pages of 2 MiB; 7.0 when whole cache
// lines are moved): more parts than this cost more than smaller ones save.
constexpr std::uint64_t kMostParts = 64;
constexpr std::uint64_t kLeastBytes = std::uint64_t{16} << 20;
constexpr unsigned kMostThreads = 256;

// From here on sorting first pays on one thread (10^8 keys: split 8.6 ns instead of 13.5, block 13 instead of 15.7), if
// many keys share each cache line; with 5 of them block took 15.4 ns instead of 14.2.
constexpr std::uint64_t kSortFromBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kSortFromKeysPerLine = 16;
// Below, starting a thread costs more than it does.
constexpr std::uint64_t kThreadsFromKeys = 50'000;

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
      : bytes_(bytes), blocks_(blocks), k_(k), keys_(keys), threads_(threads) {
    const std::uint64_t near = std::max<std::uint64_t>(kernel::caches().l2 / 2 / Kind::kBytes, 1);
    shift_ = static_cast<unsigned>(std::bit_width(near)) - 1;
    while (parts() > kMostParts) ++shift_;
    while (shift_ > 0 && parts() < 4 * std::uint64_t{threads}) --shift_;
  }

  Status run() {
    const std::uint64_t room = std::max(blocks_ * Kind::kBytes, kLeastBytes) / sizeof(Hash);
    round_ = std::min<std::uint64_t>(keys_.count, keys_.hashes != nullptr ? room : room / 2);
    ends_.resize(parts() * threads_);
    Result<Buffer> sorted = Buffer::zeroed(round_ * sizeof(Hash));
    if (!sorted.ok()) return std::move(sorted).error();
    sorted_ = reinterpret_cast<Hash*>(sorted->data());
    Result<Buffer> hashed = Buffer::zeroed(keys_.hashes != nullptr ? 0 : round_ * sizeof(Hash));
    if (!hashed.ok()) return std::move(hashed).error();
    hashed_ = reinterpret_cast<Hash*>(hashed->data());
    for (std::size_t first = 0; first < keys_.count; first += round_) add_round(first);
    return {};
  }

 private:
  std::uint64_t parts() const { return ((blocks_ - 1) >> shift_) + 1; }
  std::uint64_t part(Hash hash) const { return Kind::block(blocks_, hash) >> shift_; }

  void add_round(std::size_t first) {
    const std::size_t count = std::min<std::size_t>(round_, keys_.count - first);
    const Hash* hashes = keys_.hashes != nullptr ? keys_.hashes + first : hashed_;
    const auto share = [&](unsigned t) { return count / threads_ * t + std::min<std::size_t>(t, count % threads_); };
    run_parallel(threads_, [&](unsigned t) {
      if (keys_.hashes == nullptr)
        keys_.hash(keys_, first + share(t), std::span(hashed_ + share(t), share(t + 1) - share(t)));
      count_parts(t, std::span(hashes + share(t), hashes + share(t + 1)));
    });
    std::size_t total = 0;  // counts become places: part by part, and in each the shares in order
    for (std::uint64_t p = 0; p < parts(); ++p)
      for (unsigned t = 0; t < threads_; ++t) total += std::exchange(ends_[t * parts() + p], total);
    run_parallel(threads_, [&](unsigned t) { move_to_parts(t, std::span(hashes + share(t), hashes + share(t + 1))); });
    std::atomic<std::uint64_t> next = 0;
    run_parallel(threads_, [&](unsigned) {
      for (std::uint64_t p; (p = next.fetch_add(1, std::memory_order_relaxed)) < parts();) add_part(p);
    });
  }

  void count_parts(unsigned t, std::span<const Hash> share) {
    std::size_t* counts = &ends_[t * parts()];
    std::fill_n(counts, parts(), std::size_t{0});
    for (Hash hash : share) ++counts[part(hash)];
  }

  void move_to_parts(unsigned t, std::span<const Hash> share) {
    std::size_t* places = &ends_[t * parts()];
    for (Hash hash : share) sorted_[places[part(hash)]++] = hash;
  }

  // After the moves the place of a share is its end, and that of the last share the end of the part.
  void add_part(std::uint64_t p) {
    const std::size_t* last = &ends_[(threads_ - 1) * parts()];
    const std::size_t begin = p == 0 ? 0 : last[p - 1];
    Kind::add(bytes_,
              {blocks_, k_, &sorted_[begin].bits, last[p] - begin, kernel::prefetch_ahead(blocks_ * Kind::kBytes)});
  }

  std::uint8_t* bytes_;
  std::uint64_t blocks_;
  std::uint32_t k_;
  const KeyRun& keys_;
  unsigned threads_, shift_ = 0;
  std::uint64_t round_ = 0;
  Hash *sorted_ = nullptr, *hashed_ = nullptr;
  std::vector<std::size_t> ends_;  // of each thread and part
};

template <class Kind>
void add_in_order(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys) {
  const unsigned ahead = kernel::prefetch_ahead(blocks * Kind::kBytes);
  if (keys.hashes != nullptr) return Kind::add(bytes, {blocks, k, &keys.hashes->bits, keys.count, ahead});
  std::array<Hash, kHashGroup> group;
  for (std::size_t first = 0; first < keys.count; first += kHashGroup) {
    const std::size_t count = std::min(kHashGroup, keys.count - first);
    keys.hash(keys, first, std::span(group).first(count));
    Kind::add(bytes, {blocks, k, &group[0].bits, count, ahead});
  }
}

template <class Kind>
Status bulk_add(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys, unsigned threads) {
  if (keys.count == 0) return {};
  threads = std::clamp<unsigned>(threads, 1, kMostThreads);
  if (keys.count < kThreadsFromKeys || (threads == 1 && !worth_sorting(blocks * Kind::kBytes, keys.count))) {
    add_in_order<Kind>(bytes, blocks, k, keys);
    return {};
  }
  return guarded([&]() -> Status { return BulkAdd<Kind>(bytes, blocks, k, keys, threads).run(); });
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
