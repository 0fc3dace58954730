// Adding very many keys to a split or block filter: sorted first by the part of the filter they fall into, so that each part
// is worked on while it is in the cache, and by several threads, each with parts of its own.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>

#include "bloomery/detail/batch.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace bloomery::detail {

// Keys of any type behind one door: `hash` fills out with the hashes of the keys from `first` on. Keys that are hashes
// already are just that.
struct KeyRun {
  std::size_t count = 0;
  const Hash* hashes = nullptr;
  const void* keys = nullptr;
  const Hasher* hasher = nullptr;
  void (*hash)(const KeyRun& run, std::size_t first, std::span<Hash> out) = nullptr;
};

template <KeyRange Range>
KeyRun key_run(const Hasher& hasher, const Range& range) {
  using T = std::ranges::range_value_t<const Range>;
  KeyRun run;
  run.count = std::ranges::size(range);
  if constexpr (std::same_as<T, Hash>) {
    run.hashes = std::ranges::data(range);
  } else {
    run.keys = std::ranges::data(range);
    run.hasher = &hasher;
    run.hash = [](const KeyRun& self, std::size_t first, std::span<Hash> out) {
      hash_keys(*self.hasher, std::span(static_cast<const T*>(self.keys) + first, out.size()), out);
    };
  }
  return run;
}

// The bits are the same for any number of threads. Needs memory beside the filter: at most as much as the filter itself
// or 16 MiB, whichever is more, and 16 KiB for each thread. The only error is out_of_memory, and then nothing was added.
// Above 1 thread the hash function runs on several at once and must not throw.
BLOOMERY_API Status split_bulk_add(std::uint8_t* bytes, std::uint64_t blocks, const KeyRun& keys, unsigned threads);
BLOOMERY_API Status block_bulk_add(std::uint8_t* bytes, std::uint64_t blocks, std::uint32_t k, const KeyRun& keys,
                                   unsigned threads);

}  // namespace bloomery::detail
