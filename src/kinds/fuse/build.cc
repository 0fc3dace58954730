#include "kinds/fuse/build.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <vector>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "kinds/common/scatter.h"
#include "kinds/fuse/peel.h"

namespace BLOOMERY_NAMESPACE::detail {
namespace {

// Where the keys of a part begin.
std::size_t start_of_part(std::span<const Hash> keys, std::uint64_t parts, std::uint64_t part) {
  const auto start =
      std::partition_point(keys.begin(), keys.end(), [&](Hash hash) { return mulhi64(hash.bits, parts) < part; });
  return static_cast<std::size_t>(start - keys.begin());
}

std::uint64_t largest_part(std::span<const Hash> keys, std::uint64_t parts) {
  std::uint64_t largest = 0, start = 0;
  for (std::uint64_t part = 1; part <= parts; ++part) {
    const std::uint64_t end = start_of_part(keys, parts, part);
    largest = std::max(largest, end - start);
    start = end;
  }
  return largest;
}

// Returns these keys nearly in the order of their slots, as sorted ones are with seed 0; otherwise each slot would be a
// cache miss.
std::vector<Hash> in_slot_order(std::span<const Hash> keys, std::uint64_t factor) {
  constexpr unsigned kBits = 10;
  const auto range_of = [&](Hash hash) { return hash.bits * factor >> (64 - kBits); };
  std::vector<std::size_t> places(std::size_t{1} << kBits);
  for (Hash hash : keys) ++places[range_of(hash)];
  std::size_t total = 0;
  for (std::size_t& place : places) total += std::exchange(place, total);
  std::vector<Hash> ordered(keys.size());
  for (Hash hash : keys) move_to_range(ordered.data(), places[range_of(hash)], hash);
  return ordered;
}

// Builds all parts on several threads, which take them one by one.
template <class Probe, class Words>
class Fill {
 public:
  Fill(std::span<const Hash> keys, const FuseGeometry& geometry, std::uint8_t* bytes)
      : keys_(keys),
        largest_(largest_part(keys, geometry.parts)),
        geometry_(geometry),
        ring_(geometry),
        bytes_(bytes) {}

  Result<bool> run(unsigned threads) {
    threads = static_cast<unsigned>(std::clamp<std::uint64_t>(threads, 1, geometry_.parts));
    run_parallel(threads, [this](unsigned) {
      try {
        work();
      } catch (const std::bad_alloc&) {
        no_memory_ = true;
      }
    });
    if (no_memory_) return out_of_memory();
    return !unsolved_;
  }

 private:
  void work() {
    Result<FusePeeler<Words>> peeler = FusePeeler<Words>::make(geometry_.slots, largest_);
    if (!peeler.ok()) throw std::bad_alloc();
    for (std::uint64_t part; !unsolved_ && (part = next_.fetch_add(1)) < geometry_.parts;)
      if (!solve(*peeler, part)) unsolved_ = true;
  }

  bool solve(FusePeeler<Words>& peeler, std::uint64_t part) {
    const std::size_t begin = start_of_part(keys_, geometry_.parts, part);
    const std::size_t end = start_of_part(keys_, geometry_.parts, part + 1);
    const std::span<const Hash> keys = keys_.subspan(begin, end - begin);
    std::uint8_t* into = bytes_ + part * geometry_.slots * geometry_.slot_bytes();
    for (unsigned seed = 0; seed < kFuseSeeds; ++seed) {
      const std::uint64_t factor = fuse_factor(geometry_.parts, seed);
      std::vector<Hash> ordered;
      if (seed > 0) ordered = in_slot_order(keys, factor);
      if (!peeler.template solve<Probe>(seed > 0 ? ordered : keys, ring_, factor, into)) continue;
      store_le(bytes_ + geometry_.factors_at() + 8 * part, factor);
      return true;
    }
    return false;
  }

  std::span<const Hash> keys_;
  std::uint64_t largest_;
  FuseGeometry geometry_;
  FuseRing ring_;
  std::uint8_t* bytes_;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<bool> unsolved_ = false, no_memory_ = false;
};

}  // namespace

FuseGeometry fuse_geometry_for(std::span<const Hash> keys, FuseGeometry target, std::uint64_t parts) {
  const std::uint64_t n = keys.size();
  target.keys = n;
  target.parts = parts > 0 ? parts : FuseGeometry::parts_for(n);
  std::uint64_t largest = largest_part(keys, target.parts);
  const std::uint64_t mean = n / target.parts;
  if (parts == 0 && largest > mean + mean / 64) {  // no random hashes: no part may be much larger than the others
    target.parts = 1;
    largest = n;
  }
  return target.for_part_of(largest);
}

Result<bool> fuse_fill(std::span<const Hash> keys, const FuseGeometry& geometry, unsigned threads,
                       std::uint8_t* bytes) {
  if (keys.empty()) return true;
  return with_fuse_probe(geometry.arity, geometry.fingerprint_bits, [&]<class Probe>() {
    if (geometry.slots <= FuseSmallWords::kMostKeys)
      return Fill<Probe, FuseSmallWords>(keys, geometry, bytes).run(threads);
    return Fill<Probe, FuseLargeWords>(keys, geometry, bytes).run(threads);
  });
}

}  // namespace BLOOMERY_NAMESPACE::detail
