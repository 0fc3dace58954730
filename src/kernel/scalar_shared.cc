// The definition of adds to block filters that threads share.
#include "bloomery/detail/salts.h"
#include "kernel/kernel.h"
#include "kernel/shared_adds.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

struct Missing {
  std::uint32_t k;

  unsigned operator()(const std::uint8_t* block, std::uint64_t hash, std::uint64_t* words) const {
    for (std::size_t i = 0; i < 8; ++i) words[i] = 0;
    for (std::uint32_t i = 0; i < k; ++i) {
      const std::uint32_t position = static_cast<std::uint32_t>(hash) * detail::kSalt[i] >> 23;
      words[position >> 6] |= std::uint64_t{1} << (position & 63);
    }
    unsigned left = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      words[i] &= ~__atomic_load_n(reinterpret_cast<const std::uint64_t*>(block) + i, __ATOMIC_RELAXED);
      left |= static_cast<unsigned>(words[i] != 0) << i;
    }
    return left;
  }
};

}  // namespace

bool block_add_shared_one_scalar(std::uint8_t* block, std::uint32_t k, std::uint64_t hash) {
  return add_shared(block, hash, Missing{k});
}
void block_add_shared_scalar(std::uint8_t* bytes, const Batch& batch) {
  add_all_shared(bytes, batch, Missing{batch.k});
}

}  // namespace BLOOMERY_NAMESPACE::kernel
