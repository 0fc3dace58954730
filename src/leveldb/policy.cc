// A leveldb::FilterPolicy for each kind. No envelope around the bits: its header alone is larger than the filter of a
// block of LevelDB.
#include <leveldb/slice.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/leveldb.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using leveldb::Slice;

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kTrailerBytes = 2;

// What a kind is called, how its filters are sized, and the first byte of their trailer.
template <class Layout>
struct Framing;

template <>
struct Framing<SplitLayout> {
  static constexpr Kind kKind = Kind::split;
  static constexpr const char* kName = "bloomery.split.1";
  static constexpr std::uint8_t kBitsPerKey = 8;

  static Result<SplitGeometry> size(std::uint64_t n, double fpr) { return SplitGeometry::for_capacity(n, fpr); }
  static std::uint8_t shape(const SplitGeometry&) { return kBitsPerKey; }
  static std::optional<SplitGeometry> geometry(std::uint64_t bytes, std::uint8_t shape) {
    const std::uint64_t blocks = bytes / SplitGeometry::kBlockBytes;
    if (shape != kBitsPerKey || blocks < 1 || blocks > SplitGeometry::kMaxBlocks) return std::nullopt;
    return bytes % SplitGeometry::kBlockBytes == 0 ? std::optional(SplitGeometry{blocks}) : std::nullopt;
  }
};

template <>
struct Framing<BlockLayout> {
  static constexpr Kind kKind = Kind::block;
  static constexpr const char* kName = "bloomery.block.1";

  // With few keys the last block has much room to spare: this takes the k that makes the most of it.
  static Result<BlockGeometry> size(std::uint64_t n, double fpr) {
    const Result<BlockGeometry> geometry = BlockGeometry::for_capacity(n, fpr);
    return geometry.ok() ? BlockGeometry::for_bytes(geometry->payload_bytes(), n) : geometry;
  }
  static std::uint8_t shape(const BlockGeometry& geometry) { return static_cast<std::uint8_t>(geometry.k); }
  static std::optional<BlockGeometry> geometry(std::uint64_t bytes, std::uint8_t shape) {
    if (shape < 1 || shape > BlockGeometry::kMaxK || bytes == 0 || bytes % BlockGeometry::kBlockBytes != 0)
      return std::nullopt;
    return BlockGeometry{bytes / BlockGeometry::kBlockBytes, shape};
  }
};

template <>
struct Framing<ClassicLayout> {
  static constexpr Kind kKind = Kind::classic;
  static constexpr const char* kName = "bloomery.classic.1";
  static constexpr unsigned kShift = 5;  // k below, bits of the last byte that are not in use above
  static constexpr std::uint64_t kMostSteps = 1 << 16;
  static constexpr std::uint64_t kFew = 20, kDozens = 1000;

  // Double hashing repeats positions when there are few bits, so the formula alone misses the rate. More bits, and a
  // number of them with few divisors, bring it back. The prediction is an estimate that is up to a fifth too low for a
  // few keys and somewhat too low for some dozens, by the test of filters of few keys.
  static Result<ClassicGeometry> size(std::uint64_t n, double fpr) {
    Result<ClassicGeometry> geometry = ClassicGeometry::for_capacity(n, fpr);
    BLOOMERY_TRY(geometry);
    const double most = n < kFew ? 0.8 * fpr : n < kDozens ? 0.95 * fpr : fpr;
    const std::uint64_t step = 1 + geometry->m / 1024;
    for (std::uint64_t i = 0; i < kMostSteps && geometry->predicted_fpr_after(n) > most; ++i) geometry->m += step;
    return geometry;
  }
  static std::uint8_t shape(const ClassicGeometry& geometry) {
    return static_cast<std::uint8_t>(geometry.k | (8 * geometry.payload_bytes() - geometry.m) << kShift);
  }
  static std::optional<ClassicGeometry> geometry(std::uint64_t bytes, std::uint8_t shape) {
    const std::uint32_t k = shape % (1u << kShift);
    if (k < 1 || k > ClassicGeometry::kMaxK || bytes == 0) return std::nullopt;
    return ClassicGeometry{8 * bytes - (shape >> kShift), k};
  }
};

template <class Layout>
class Policy : public leveldb::FilterPolicy {
 public:
  using Geometry = typename Layout::Geometry;
  using Frame = Framing<Layout>;

  explicit Policy(double fpr) : fpr_(fpr) {}

  const char* Name() const override { return Frame::kName; }

  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    std::vector<Hash> hashes;
    hashes.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i)  // the versions of a key stand together, and are one
      if (i == 0 || keys[i] != keys[i - 1]) hashes.push_back(Layout::default_hasher()(keys[i].data(), keys[i].size()));
    const std::optional<Geometry> geometry = geometry_for(std::max<std::size_t>(hashes.size(), 1));
    if (!geometry) {
      dst->push_back('\0');  // "maybe" to everything; LevelDB takes a filter of no bytes for one without keys
      return;
    }
    const std::size_t at = dst->size();
    dst->resize(at + geometry->payload_bytes());
    if (!hashes.empty()) Layout(*geometry).add_many(reinterpret_cast<std::uint8_t*>(dst->data() + at), hashes);
    dst->push_back(static_cast<char>(Frame::shape(*geometry)));
    dst->push_back(static_cast<char>(kTag));
  }

  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    if (filter.size() < kTrailerBytes) return true;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(filter.data());
    const std::size_t payload = filter.size() - kTrailerBytes;
    if (bytes[payload + 1] != kTag) return true;
    const std::optional<Geometry> geometry = Frame::geometry(payload, bytes[payload]);
    return !geometry || Layout(*geometry).contains(bytes, Layout::default_hasher()(key.data(), key.size()));
  }

 private:
  static constexpr auto kTag = static_cast<std::uint8_t>(kVersion << 4 | static_cast<unsigned>(Frame::kKind));

  // Sizing searches, which takes longer than filling the filter of some dozen keys, so sizes are remembered.
  std::optional<Geometry> geometry_for(std::size_t n) const {
    std::atomic<std::uint64_t>* known = n < sizes_.size() ? &sizes_[n] : nullptr;
    if (known != nullptr)
      if (const std::uint64_t size = known->load(std::memory_order_relaxed); size != 0)
        return Frame::geometry(size >> 8, static_cast<std::uint8_t>(size));
    const Result<Geometry> geometry = Frame::size(n, fpr_);
    if (!geometry.ok()) return std::nullopt;
    if (known != nullptr)
      known->store(geometry->payload_bytes() << 8 | Frame::shape(*geometry), std::memory_order_relaxed);
    return *geometry;
  }

  double fpr_;
  mutable std::array<std::atomic<std::uint64_t>, 1024> sizes_{};  // by number of keys: bytes and shape; 0: not yet
};

std::unique_ptr<const leveldb::FilterPolicy> policy_of(Kind kind, double fpr) {
  switch (kind) {
    case Kind::classic: return std::make_unique<Policy<ClassicLayout>>(fpr);
    case Kind::block: return std::make_unique<Policy<BlockLayout>>(fpr);
    case Kind::split: return std::make_unique<Policy<SplitLayout>>(fpr);
    default: return nullptr;
  }
}

}  // namespace

Result<std::unique_ptr<const leveldb::FilterPolicy>> leveldb_filter_policy(Kind kind, double fpr) {
  return guarded([&]() -> Result<std::unique_ptr<const leveldb::FilterPolicy>> {
    // What the kind cannot be is said now: LevelDB takes no errors from a policy.
    Result<SizePlan> plan = plan_size(kind, 1'000'000, {fpr});
    BLOOMERY_TRY(plan);
    std::unique_ptr<const leveldb::FilterPolicy> policy = policy_of(kind, fpr);
    if (policy == nullptr)
      return unsupported(
          "kind", std::string("there is no policy of the kind '") + to_string(kind) + "': use split, block or classic");
    return policy;
  });
}

}  // namespace BLOOMERY_NAMESPACE
