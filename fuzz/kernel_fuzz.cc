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

// Batches of a cuckoo filter whose bytes are the input, too, against the lookup of one key.
void compare_cuckoo(const std::vector<std::uint64_t>& hashes, std::uint64_t buckets, std::uint32_t bits, bool fetch) {
  using bloomery::Hash;
  namespace detail = bloomery::detail;
  std::vector<std::uint8_t> bytes(buckets * bits / 2 + 2), right(hashes.size());
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
  for (const bloomery::kernel::Kernel* kernel : bloomery::kernel::available()) {
    if (kernel->cuckoo_contains == nullptr) continue;
    std::vector<std::uint8_t> answers(hashes.size());
    kernel->cuckoo_contains(bytes.data(), {buckets, bits, hashes.data(), hashes.size(), fetch}, answers.data());
    FUZZ_CHECK(answers == right);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery::kernel;
  namespace detail = bloomery::detail;
  if (size < 4) return 0;
  const std::uint64_t blocks = 1u + data[0];
  const std::uint32_t k = 1u + data[1] % 16u;
  const unsigned ahead = data[2] % (kMostAhead + 1);
  std::vector<std::uint64_t> hashes((size - 3) / 8);
  if (!hashes.empty()) std::memcpy(hashes.data(), data + 3, hashes.size() * 8);
  // Half are added and all are asked; a prefix of odd length moves the hashes off any alignment of the batch.
  const std::size_t added = hashes.size() / 2;
  static const std::vector<const Kernel*> kernels = available();
  for (const Kernel* kernel : kernels) {
    for (const auto hash : {&IntegerHashing::xxh3, &IntegerHashing::xxh64, &IntegerHashing::fnv_splitmix}) {
      std::vector<std::uint64_t> expected(hashes.size()), got(hashes.size());
      (kScalar.hashing.*hash)(hashes.data(), hashes.size(), blocks * k, expected.data());
      (kernel->hashing.*hash)(hashes.data(), hashes.size(), blocks * k, got.data());
      FUZZ_CHECK(got == expected);
    }
  }
  if (!hashes.empty()) compare_cuckoo(hashes, 2 * blocks, 8 + 4 * (k % 3), ahead % 2 == 0);
  for (const bool split : {true, false}) {
    std::vector<std::uint8_t> expected(64 * blocks), answers(hashes.size());
    const auto add = split ? &Kernel::split_add : &Kernel::block_add;
    const auto contains = split ? &Kernel::split_contains : &Kernel::block_contains;
    (kScalar.*add)(expected.data(), {blocks, k, hashes.data(), added, 0});
    (kScalar.*contains)(expected.data(), {blocks, k, hashes.data(), hashes.size(), 0}, answers.data());
    for (std::size_t i = 0; i < added; ++i) FUZZ_CHECK(answers[i] == 1);
    for (const Kernel* kernel : kernels) {
      std::vector<std::uint8_t> got(64 * blocks), theirs(hashes.size());
      (kernel->*add)(got.data(), {blocks, k, hashes.data(), added, ahead});
      FUZZ_CHECK(got == expected);
      std::vector<std::uint8_t> one_by_one(64 * blocks);
      for (std::size_t i = 0; i < added; ++i) {
        if (split) {
          kernel->split_add_one(one_by_one.data() + detail::split_offset(blocks, bloomery::Hash(hashes[i])), hashes[i]);
        } else {
          kernel->block_add_one(one_by_one.data() + detail::block_offset(blocks, bloomery::Hash(hashes[i])), k,
                                hashes[i]);
        }
      }
      FUZZ_CHECK(one_by_one == expected);
      (kernel->*contains)(got.data(), {blocks, k, hashes.data(), hashes.size(), ahead}, theirs.data());
      FUZZ_CHECK(theirs == answers);
      // One integer from its hash to its answer.
      for (const std::size_t which : {0u, 1u, 2u}) {
        for (const std::uint64_t key : hashes) {
          FUZZ_CHECK(split ? kernel->split_contains_integer[which](got.data(), blocks, k, key) ==
                                 kScalar.split_contains_integer[which](got.data(), blocks, k, key)
                           : kernel->block_contains_integer[which](got.data(), blocks, k, k, key) ==
                                 kScalar.block_contains_integer[which](got.data(), blocks, k, k, key));
        }
      }
      FUZZ_CHECK(kernel->bits_set(got.data(), got.size()) == kScalar.bits_set(got.data(), got.size()));
    }
  }
  return 0;
}
