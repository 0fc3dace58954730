// Every instruction set of the machine against the scalar definition: same hashes of integers, same bits, same answers
// of hashes and of integers, for any blocks, k, batch and prefetch distance the input spells. Cuckoo batches likewise.
#include <algorithm>
#include <cstring>
#include <vector>

#include "bloomery/detail/blocked_probe.h"
#include "bloomery/detail/cuckoo_probe.h"
#include "fuzz/fuzz.h"
#include "kernel/kernel.h"

namespace {

using bloomery::Hash;
using bloomery::kernel::Batch;
using bloomery::kernel::IntegerHashing;
using bloomery::kernel::Kernel;
using bloomery::kernel::kScalar;
namespace detail = bloomery::detail;

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint64_t>;

// Those that are not the definition itself.
const std::vector<const Kernel*>& others() {
  static const std::vector<const Kernel*> kernels = [] {
    std::vector<const Kernel*> all = bloomery::kernel::available();
    std::erase(all, &kScalar);
    return all;
  }();
  return kernels;
}

// Batches of a cuckoo filter whose bytes are the input, too, against the lookup of one key.
void compare_cuckoo(const Words& hashes, std::uint64_t buckets, std::uint32_t bits, bool fetch) {
  Bytes bytes(buckets * bits / 2 + 2), right(hashes.size());
  std::memcpy(bytes.data(), hashes.data(), std::min(bytes.size(), hashes.size() * sizeof(std::uint64_t)));
  detail::with_cuckoo_bucket(bits, [&]<class Bucket>(Bucket) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const detail::CuckooPlaces places = detail::cuckoo_places<Bucket>(buckets, Hash(hashes[i]));
      const std::uint64_t at = i % 2 == 0 ? places.first : places.second;
      if (i % 3 == 0)
        Bucket::store(bytes.data(), at, Bucket::with(Bucket::load(bytes.data(), at), 3, places.fingerprint));
    }
    for (std::size_t i = 0; i < hashes.size(); ++i)
      right[i] = detail::cuckoo_contains<Bucket>(bytes.data(), detail::cuckoo_places<Bucket>(buckets, Hash(hashes[i])));
  });
  const auto compare = [&](const Kernel& kernel) {
    if (kernel.cuckoo_contains == nullptr) return;
    Bytes answers(hashes.size());
    kernel.cuckoo_contains(bytes.data(), {buckets, bits, hashes.data(), hashes.size(), fetch}, answers.data());
    FUZZ_CHECK(answers == right);
  };
  compare(kScalar);
  for (const Kernel* kernel : others()) compare(*kernel);
}

void compare_hashes(const Words& keys, std::uint64_t seed) {
  Words expected(keys.size()), got(keys.size());
  for (const auto hash : {&IntegerHashing::xxh3, &IntegerHashing::xxh64, &IntegerHashing::fnv_splitmix}) {
    (kScalar.hashing.*hash)(keys.data(), keys.size(), seed, expected.data());
    for (const Kernel* kernel : others()) {
      (kernel->hashing.*hash)(keys.data(), keys.size(), seed, got.data());
      FUZZ_CHECK(got == expected);
    }
  }
}

// A split or a block filter to which half of the keys are added, by the definition.
struct Blocked {
  bool split;
  std::uint64_t blocks;
  std::uint32_t k;
  const Words& keys;
  std::size_t added = keys.size() / 2;
  Bytes bytes = Bytes(64 * blocks), answers = Bytes(keys.size());
  std::uint64_t bits_set = 0;

  Batch batch(std::size_t count, unsigned ahead) const { return {blocks, k, keys.data(), count, ahead}; }
  void add(const Kernel& kernel, Bytes& to, unsigned ahead) const {
    (kernel.*(split ? &Kernel::split_add : &Kernel::block_add))(to.data(), batch(added, ahead));
  }
  void add_one_by_one(const Kernel& kernel, Bytes& to) const {
    for (std::size_t i = 0; i < added; ++i) {
      if (split) kernel.split_add_one(to.data() + detail::split_offset(blocks, Hash(keys[i])), keys[i]);
      else kernel.block_add_one(to.data() + detail::block_offset(blocks, Hash(keys[i])), k, keys[i]);
    }
  }
  void ask(const Kernel& kernel, Bytes& to, unsigned ahead) const {
    const auto contains = split ? &Kernel::split_contains : &Kernel::block_contains;
    (kernel.*contains)(bytes.data(), batch(keys.size(), ahead), to.data());
  }
  void define() {
    add(kScalar, bytes, 0);
    ask(kScalar, answers, 0);
    for (std::size_t i = 0; i < added; ++i) FUZZ_CHECK(answers[i] == 1);
    bits_set = kScalar.bits_set(bytes.data(), bytes.size());
  }
  void compare(const Kernel& kernel, unsigned ahead) const {
    Bytes got(bytes.size()), one_by_one(bytes.size()), theirs(keys.size());
    add(kernel, got, ahead);
    FUZZ_CHECK(got == bytes);
    add_one_by_one(kernel, one_by_one);
    FUZZ_CHECK(one_by_one == bytes);
    ask(kernel, theirs, ahead);
    FUZZ_CHECK(theirs == answers);
    if (&kernel == &kScalar) return;
    FUZZ_CHECK(kernel.bits_set(got.data(), got.size()) == bits_set);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) return 0;
  // Mostly few blocks: which one a key falls into is the same arithmetic for any number of them.
  const std::uint64_t blocks = 1u + (data[0] < 0xf0 ? data[0] % 16u : data[0]);
  const std::uint32_t k = 1u + data[1] % 16u;
  const unsigned ahead = data[2] % (bloomery::kernel::kMostAhead + 1);
  // Half are added and all are asked; a prefix of odd length moves the hashes off any alignment of the batch.
  Words hashes((size - 3) / 8);
  if (!hashes.empty()) std::memcpy(hashes.data(), data + 3, hashes.size() * 8);
  compare_hashes(hashes, blocks * k);
  if (!hashes.empty()) compare_cuckoo(hashes, 2 * blocks, 8 + 4 * (k % 3), ahead % 2 == 0);
  for (const bool split : {true, false}) {
    Blocked filter{split, blocks, k, hashes};
    filter.define();
    filter.compare(kScalar, ahead);
    for (const Kernel* kernel : others()) filter.compare(*kernel, ahead);
  }
  return 0;
}
