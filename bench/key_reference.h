// A lookup of any kind, and what a lookup of keys is held to: a loop that hashes each key and asks for its hash.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/detail/integer_hash.h"
#include "bloomery/hash.h"

namespace bloomery::bench::by_keys {

// The hash of an integer by a formula that is known when this is compiled: what a program could write by itself. Other
// keys by the library's own hash.
struct ByXxh3 {
  static Hash of(const Hasher& hasher, std::uint64_t key) {
    return Hash(detail::xxh3_of_integer(key, hasher.integer_start()));
  }
};
struct ByXxh64 {
  static Hash of(const Hasher& hasher, std::uint64_t key) {
    return Hash(detail::xxh64_of_integer(key, hasher.integer_start()));
  }
};
struct ByFnv {
  static Hash of(const Hasher&, std::uint64_t key) { return Hash(detail::fnv_splitmix_of_integer(key)); }
};
struct ByHasher {
  template <class Key>
  static Hash of(const Hasher& hasher, const Key& key) {
    return hash_key(hasher, key);
  }
};

// One lookup, and a batch, by the names that they have: a kind that forgets can only say what it has seen recently.
template <class Filter, class Key>
[[gnu::always_inline]] inline bool ask_one(const Filter& filter, const Key& key) {
  if constexpr (requires { filter.seen_recently(key); }) return filter.seen_recently(key);
  else return filter.contains(key);
}
template <class Filter, class Keys>
void ask_many(const Filter& filter, const Keys& keys, std::span<std::uint8_t> answers) {
  if constexpr (requires { filter.seen_recently_many(keys, answers); }) filter.seen_recently_many(keys, answers);
  else filter.contains_many(keys, answers);
}

// Hashes each key and asks for its hash, in one loop: what a lookup of keys one by one is held to.
template <class Formula, class Filter, class Keys>
[[gnu::noinline]] std::uint64_t hash_and_ask(const Filter& filter, const Keys& keys) {
  const Hasher hasher = filter.hasher();
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) found += ask_one(filter, Formula::of(hasher, keys[i])) ? 1 : 0;
  return found;
}

template <class Filter, class Keys>
std::uint64_t hash_and_ask_one_by_one(const Filter& filter, const Keys& keys) {
  if constexpr (std::same_as<Keys, std::span<const std::uint64_t>>) {
    switch (filter.hasher().id()) {
      case HashId::xxh3: return hash_and_ask<ByXxh3>(filter, keys);
      case HashId::xxh64: return hash_and_ask<ByXxh64>(filter, keys);
      case HashId::fnv_splitmix: return hash_and_ask<ByFnv>(filter, keys);
      case HashId::siphash13:
      case HashId::siphash24: break;
    }
  }
  return hash_and_ask<ByHasher>(filter, keys);
}

}  // namespace bloomery::bench::by_keys
