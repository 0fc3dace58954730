// The hashes of many keys in ascending order, each once: what static kinds are built of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/detail/buffer.h"
#include "bloomery/detail/bulk_add.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::detail {

class SortedHashes {
 public:
  // Sorts on `threads` threads. It takes 8 bytes a key, and until it returns 8 more where the keys are no hashes yet.
  static Result<SortedHashes> of(const KeyRun& keys, unsigned threads);

  std::span<const Hash> hashes() const { return {reinterpret_cast<const Hash*>(bytes_.data()), count_}; }

 private:
  SortedHashes(Buffer bytes, std::size_t count) : bytes_(std::move(bytes)), count_(count) {}

  Buffer bytes_;
  std::size_t count_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
