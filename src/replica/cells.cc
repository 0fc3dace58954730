#include "replica/cells.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "bloomery/detail/atomic_bits.h"
#include "core/base/error.h"
#include "core/hash/hash_functions.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

using detail::load_shared;
using detail::words_at;

// The bytes of a shared filter, to be changed by atomics alone. They are no constants: Shared owns them and has no door
// to a part of them.
template <class Filter>
std::span<std::uint8_t> shared_payload(Shared<Filter>& filter) {
  const std::span<const std::uint8_t> bytes = filter.view().payload();
  return {const_cast<std::uint8_t*>(bytes.data()), bytes.size()};
}

// Calls use(byte) for a byte of each chunk that a key's bits may be in.
template <class Geometry, class Use>
void for_each_place(const Geometry& geometry, const detail::Remainder& remainder, Hash hash, Use use) {
  if constexpr (std::is_same_v<Geometry, ClassicGeometry>) {
    detail::ClassicIndexes indexes(remainder, hash);
    for (std::uint32_t left = geometry.k; left > 0; --left, indexes.next(remainder.divisor())) use(indexes.at() >> 3);
  } else if constexpr (std::is_same_v<Geometry, SplitGeometry>) {
    use(detail::split_offset(geometry.blocks, hash));
  } else {
    use(detail::block_offset(geometry.blocks, hash));
  }
}

template <class Layout>
class CellsOf final : public Cells {
 public:
  using Geometry = typename Layout::Geometry;

  explicit CellsOf(Shared<BasicFilter<Layout>>& filter)
      : Cells(shared_payload(filter), filter.geometry().bits()),
        filter_(filter),
        geometry_(filter.geometry()),
        remainder_(modulus(geometry_)) {}

  std::uint64_t apply(std::span<const Hash> hashes) override {
    constexpr std::size_t kGroup = 1024;
    const std::size_t groups = (hashes.size() + kGroup - 1) / kGroup;
    // Hashes of a delta are sorted, and so are their places. Who applies at the same time begins elsewhere, and the two
    // meet nowhere: multiples of the golden ratio lie apart.
    const std::size_t first = detail::mulhi64(start_.fetch_add(0x9e3779b97f4a7c15, std::memory_order_relaxed), groups);
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < groups; ++i) {
      const std::size_t at = (first + i) % groups * kGroup;
      changed += apply_group(hashes.subspan(at, std::min(kGroup, hashes.size() - at)));
    }
    return changed;
  }
  void mark(Hash hash) override {
    for_each_place(geometry_, remainder_, hash, [&](std::uint64_t byte) { mark_chunk(byte); });
  }
  void describe(Hello& hello) const override {
    hello.kind = static_cast<std::uint16_t>(Geometry::kKind);
    hello.hash = static_cast<std::uint16_t>(filter_.hasher().id());
    hello.seed = filter_.hasher().seed();
    const auto words = geometry_.values();
    hello.geometry.assign(words.begin(), words.end());
  }
  double fpr_at(std::uint64_t bits_set) const override {
    return geometry_.predicted_fpr_at(std::min(bits_set, geometry_.bits()));
  }
  std::uint64_t bits_per_key() const override {
    if constexpr (requires { geometry_.k; }) return geometry_.k;
    else return 8;
  }

 private:
  // Hashes that change nothing are marked as well: a thread that has just set their bits may not have logged them yet,
  // and the position of this delta must not be told before a digest has them. Marks are written when all hashes of the
  // group are added. Marks are bytes that other appliers write too. Each atomic instruction of an add waits for the
  // stores before it; a mark between two of them would make it wait for a line from another core. Written one behind
  // the other, the marks of a line share that wait.
  std::uint64_t apply_group(std::span<const Hash> hashes) {
    constexpr std::size_t kAhead = 16;  // hashes whose lines are on their way while others are added
    const std::uint8_t* const bytes = filter_.view().payload().data();
    const auto fetch = [&](Hash hash) {
      for_each_place(geometry_, remainder_, hash, [&](std::uint64_t byte) { __builtin_prefetch(bytes + byte, 1); });
    };
    for (std::size_t i = 0; i < std::min(kAhead, hashes.size()); ++i) fetch(hashes[i]);
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (i + kAhead < hashes.size()) fetch(hashes[i + kAhead]);
      changed += filter_.add(hashes[i]) ? 1 : 0;
    }
    for (const Hash hash : hashes) mark(hash);
    return changed;
  }
  static std::uint64_t modulus(const Geometry& geometry) {
    if constexpr (std::is_same_v<Geometry, ClassicGeometry>) return geometry.m;
    else return geometry.blocks;  // not used
  }

  Shared<BasicFilter<Layout>>& filter_;
  Geometry geometry_;
  detail::Remainder remainder_;
  std::atomic<std::uint64_t> start_{0};  // of the next apply, as a share of 2^64
};

}  // namespace

Cells::Cells(std::span<std::uint8_t> payload, std::uint64_t bits)
    : payload_(payload),
      bits_(bits),
      marks_(std::make_unique<std::atomic<std::uint8_t>[]>(chunks())),
      digests_(chunks()) {
  mark_all();
}

void Cells::mark_all() {
  for (std::uint64_t chunk = 0; chunk < chunks(); ++chunk) marks_[chunk].store(1, std::memory_order_release);
}

std::uint64_t Cells::bits_set() const {
  std::uint64_t sum = 0;
  std::size_t i = 0;
  for (; i + 8 <= payload_.size(); i += 8)
    sum += static_cast<std::uint64_t>(std::popcount(load_shared(words_at(&payload_[i]))));
  for (; i < payload_.size(); ++i) sum += static_cast<std::uint64_t>(std::popcount(load_shared(&payload_[i])));
  return sum;
}

void Cells::read(std::uint64_t offset, std::span<std::uint8_t> out) const {
  const std::size_t there = offset < payload_.size() ? payload_.size() - static_cast<std::size_t>(offset) : 0;
  const std::size_t count = std::min(there, out.size());
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) detail::store_le(&out[i], load_shared(words_at(&payload_[offset + i])));
  for (; i < count; ++i) out[i] = load_shared(&payload_[offset + i]);
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(count), out.end(), std::uint8_t{0});
}

Status Cells::check_part(std::uint64_t offset, std::span<const std::uint8_t> part) const {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const std::uint64_t first_bit = 8 * (offset + i);
    const std::uint64_t inside = first_bit >= bits_ ? 0 : std::min<std::uint64_t>(8, bits_ - first_bit);
    if (part[i] >> inside != 0) return corrupt("lines", "a line of the message has bits behind the end of the filter");
  }
  return {};
}

void Cells::unite(std::uint64_t offset, std::span<const std::uint8_t> part) {
  std::size_t i = 0;
  for (; i + 8 <= part.size() && offset + i + 8 <= payload_.size(); i += 8)
    detail::set_shared(words_at(&payload_[offset + i]), detail::load_le<std::uint64_t>(&part[i]));
  for (; i < part.size() && offset + i < payload_.size(); ++i) detail::set_shared(&payload_[offset + i], part[i]);
  mark_chunk(offset);
}

std::vector<std::uint64_t> Cells::digests() {
  const std::lock_guard lock(mutex_);
  // Bytes are hashed where they lie. A mixture of old and new that others leave meanwhile gives a digest of neither,
  // and their mark has it computed again.
  const detail::RacyReads reads;
  for (std::uint64_t i = 0; i < digests_.size(); ++i) {
    if (marks_[i].load(std::memory_order_relaxed) == 0) continue;
    marks_[i].exchange(0, std::memory_order_acq_rel);
    const std::uint64_t offset = i * kChunkBytes;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(kChunkBytes, payload_.size() - offset));
    digests_[i] = detail::xxh3(&payload_[offset], size, 0);
  }
  return digests_;
}

bool Cells::is_empty(const std::vector<std::uint64_t>& digests) const {
  static constexpr std::array<std::uint8_t, kChunkBytes> kZeros{};
  const std::uint64_t last_bytes = payload_.size() - (chunks() - 1) * kChunkBytes;
  const std::uint64_t whole = detail::xxh3(kZeros.data(), kChunkBytes, 0);
  return digests.back() == detail::xxh3(kZeros.data(), static_cast<std::size_t>(last_bytes), 0) &&
         std::all_of(digests.begin(), digests.end() - 1, [&](std::uint64_t digest) { return digest == whole; });
}

std::array<std::uint64_t, kLines> line_digests(std::span<const std::uint8_t, kChunkBytes> chunk,
                                               std::uint64_t request) {
  std::array<std::uint64_t, kLines> digests{};
  for (std::size_t i = 0; i < kLines; ++i) digests[i] = detail::xxh3(&chunk[kLineBytes * i], kLineBytes, request);
  return digests;
}

template <class Layout>
Result<std::unique_ptr<Cells>> make_cells(Shared<BasicFilter<Layout>>& filter) {
  return guarded(
      [&]() -> Result<std::unique_ptr<Cells>> { return std::unique_ptr<Cells>(new CellsOf<Layout>(filter)); });
}

template Result<std::unique_ptr<Cells>> make_cells(Shared<ClassicFilter>& filter);
template Result<std::unique_ptr<Cells>> make_cells(Shared<SplitFilter>& filter);
template Result<std::unique_ptr<Cells>> make_cells(Shared<BlockFilter>& filter);

}  // namespace BLOOMERY_NAMESPACE::replica
