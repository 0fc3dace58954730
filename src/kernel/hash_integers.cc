// Hasher::hash_many of integers, by the kernel of this machine.
#include "bloomery/detail/check.h"
#include "bloomery/hash.h"
#include "kernel/kernel.h"

namespace BLOOMERY_NAMESPACE {

void Hasher::hash_many(std::span<const std::uint64_t> keys, std::span<Hash> out) const noexcept {
  detail::check_lengths("hash_many", keys.size(), out.size());
  static_assert(sizeof(Hash) == sizeof(std::uint64_t));
  auto* hashes = reinterpret_cast<std::uint64_t*>(out.data());
  const kernel::IntegerHashing& hashing = kernel::active().hashing;
  switch (id_) {
    case HashId::xxh3: return hashing.xxh3(keys.data(), keys.size(), k0_, hashes);
    case HashId::xxh64: return hashing.xxh64(keys.data(), keys.size(), k0_, hashes);
    case HashId::fnv_splitmix: return hashing.fnv_splitmix(keys.data(), keys.size(), 0, hashes);
    case HashId::siphash13:
    case HashId::siphash24: break;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) out[i] = (*this)(keys[i]);
}

}  // namespace BLOOMERY_NAMESPACE
