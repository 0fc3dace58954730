// LevelDB's built-in filter policy at 10 bits a key, its documented setting for about 1 %. It makes a filter of all
// keys in one call and has no batch lookup.
#include <leveldb/filter_policy.h>
#include <leveldb/slice.h>

#include <climits>

#include "bench/machine.h"
#include "bench/peers/peer.h"

namespace bloomery::bench {
namespace {

constexpr int kBitsPerKey = 10;
constexpr std::uint64_t kBytesToBuild = sizeof(leveldb::Slice) + 4;  // a slice and the filter, per key

class LevelDb : public Peer {
 public:
  LevelDb() : policy_(leveldb::NewBloomFilterPolicy(kBitsPerKey)) {}

  std::string name() const override { return "LevelDB"; }
  std::string why_not(std::uint64_t n) const override {
    if (n > INT_MAX) return "it counts its keys in an int";
    return n * kBytesToBuild > available_memory() ? "not enough memory for a slice of every key" : "";
  }

  std::vector<double> build(const Keys& keys) override {
    std::vector<leveldb::Slice> slices;
    slices.reserve(size(keys));
    std::visit(
        [&](const auto& span) {
          for (const auto& key : span) slices.emplace_back(bytes_of(key).data(), bytes_of(key).size());
        },
        keys);
    filter_.clear();
    return {ns_per_item(slices.size(),
                        [&] { policy_->CreateFilter(slices.data(), static_cast<int>(slices.size()), &filter_); })};
  }

  void contains(const Keys& keys, std::span<std::uint8_t> answers) const override {
    std::visit(
        [&](const auto& span) {
          for (std::size_t i = 0; i < span.size(); ++i) {
            const std::string_view key = bytes_of(span[i]);
            answers[i] = policy_->KeyMayMatch(leveldb::Slice(key.data(), key.size()), filter_) ? 1 : 0;
          }
        },
        keys);
  }

  std::uint64_t bits() const override { return filter_.size() * 8; }

 private:
  std::unique_ptr<const leveldb::FilterPolicy> policy_;
  std::string filter_;
};

}  // namespace

std::unique_ptr<Peer> make_leveldb() { return std::make_unique<LevelDb>(); }

}  // namespace bloomery::bench
