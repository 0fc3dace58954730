#include "bench/keys.h"

#include <cstring>

#include "bloomery/detail/fnv.h"

namespace bloomery::bench {

using detail::splitmix64;

KeySet::KeySet(const KeyShape& shape, std::uint64_t first, std::size_t count) : integer_(shape.integer) {
  if (integer_) {
    numbers_.resize(count);
    for (std::size_t i = 0; i < count; ++i) numbers_[i] = splitmix64(first + i);
    return;
  }
  const std::size_t spread = shape.longest - shape.shortest + 1;
  bytes_.resize(count * shape.longest + sizeof(std::uint64_t));
  views_.reserve(count);
  char* at = bytes_.data();
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t seed = splitmix64(first + i);
    const std::size_t length = shape.shortest + splitmix64(seed) % spread;
    for (std::size_t done = 0; done < length; done += sizeof seed) {
      const std::uint64_t word = splitmix64(seed + done);
      std::memcpy(at + done, &word, sizeof word);
    }
    views_.emplace_back(at, length);
    at += length;
  }
}

Keys KeySet::part(std::size_t first, std::size_t count) const {
  if (integer_) return std::span(numbers_).subspan(first, count);
  return std::span(views_).subspan(first, count);
}

KeyList<Hash>::KeyList(std::uint64_t first, std::size_t count) : hashes_(count) {
  for (std::size_t i = 0; i < count; ++i) hashes_[i] = Hash(splitmix64(first + i));
}

}  // namespace bloomery::bench
