#include "bench/leveldb_rates.h"

#include <leveldb/db.h>
#include <leveldb/filter_policy.h>

#include <cmath>
#include <filesystem>

#include "bench/peers/store.h"
#include "bench/text.h"
#include "bloomery/leveldb.h"

namespace bloomery::bench {
namespace {

using leveldb::Slice;

constexpr double kDesigned = 0.01;

// Counts the answers of a policy, the bytes of its filters, and what their sizes promise if they are of the kind split.
class Counted : public leveldb::FilterPolicy {
 public:
  explicit Counted(const leveldb::FilterPolicy& policy, bool split) : policy_(policy), split_(split) {}

  const char* Name() const override { return policy_.Name(); }
  void CreateFilter(const Slice* keys, int n, std::string* dst) const override {
    const std::size_t before = dst->size();
    policy_.CreateFilter(keys, n, dst);
    keys_ += static_cast<double>(n);
    bytes_ += static_cast<double>(dst->size() - before);
    const auto geometry = SplitGeometry::for_bytes(dst->size() - before);
    if (split_ && geometry.ok())
      promised_ += static_cast<double>(n) * geometry->predicted_fpr_after(static_cast<std::uint64_t>(n));
  }
  bool KeyMayMatch(const Slice& key, const Slice& filter) const override {
    const bool maybe = policy_.KeyMayMatch(key, filter);
    asked_ += 1;
    yes_ += maybe ? 1 : 0;
    return maybe;
  }

  double promised() const { return keys_ > 0 ? promised_ / keys_ : 0; }
  double measured() const { return asked_ > 0 ? yes_ / asked_ : 0; }
  double bits_per_key() const { return keys_ > 0 ? 8 * bytes_ / keys_ : 0; }

 private:
  const leveldb::FilterPolicy& policy_;
  bool split_;
  mutable double asked_ = 0, yes_ = 0, keys_ = 0, bytes_ = 0, promised_ = 0;  // by one thread at a time
};

void check(const leveldb::Status& status) {
  if (!status.ok()) store_failed("LevelDB", status.ToString());
}

LevelDbRate rate_of(const std::string& who, const leveldb::FilterPolicy& policy, bool split, std::uint64_t n,
                    std::size_t value_bytes, const std::string& folder) {
  const Counted counted(policy, split);
  leveldb::Options options;
  options.create_if_missing = true;
  options.compression = leveldb::kNoCompression;
  options.filter_policy = &counted;
  leveldb::DB* opened = nullptr;
  check(leveldb::DB::Open(options, folder, &opened));
  std::unique_ptr<leveldb::DB> db(opened);
  const auto key = [](std::uint64_t number) { return format("%016llu", static_cast<unsigned long long>(number)); };
  const std::string value(value_bytes, 'v');
  for (std::uint64_t i = 0; i < n; ++i) check(db->Put(leveldb::WriteOptions(), key(2 * i), value));
  db->CompactRange(nullptr, nullptr);
  std::string found;
  for (std::uint64_t i = 0; i < n; ++i)
    if (!db->Get(leveldb::ReadOptions(), key(2 * i + 1), &found).IsNotFound())
      store_failed("LevelDB", "found a key that is not there");
  db.reset();
  std::filesystem::remove_all(folder);
  return {who, counted.promised(), counted.measured(), counted.bits_per_key()};
}

}  // namespace

std::vector<LevelDbRate> leveldb_rates(std::uint64_t n, std::size_t value_bytes, const std::string& folder) {
  const std::unique_ptr<const leveldb::FilterPolicy> theirs(leveldb::NewBloomFilterPolicy(10));
  std::vector<LevelDbRate> rates = {rate_of("LevelDB, its own policy", *theirs, false, n, value_bytes, folder)};
  for (const Kind kind : {Kind::split, Kind::classic}) {
    const auto ours = leveldb_filter_policy(kind, kDesigned);
    if (!ours.ok()) store_failed("bloomery", ours.error().to_string());
    const std::string who = std::string("LevelDB, our policy, ") + to_string(kind);
    rates.push_back(rate_of(who, **ours, kind == Kind::split, n, value_bytes, folder));
  }
  rates.back().by_size = kDesigned;  // bits can be had one by one
  return rates;
}

}  // namespace bloomery::bench
