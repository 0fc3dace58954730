// Keys to hashes: the one place where key bytes are looked at. A key is hashed once, at the edge, into a Hash;
// everything inside the library takes a Hash. The functions are fixed by spec/hash.md.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "bloomery/detail/cache_line.h"
#include "bloomery/detail/compiled_for.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/detail/integer_hash.h"
#include "bloomery/detail/xxh3_short.h"
#include "bloomery/export.h"
#include "bloomery/result.h"
#include "bloomery/string_column.h"

namespace BLOOMERY_NAMESPACE {

// 64 hashed bits. The constructor is explicit so that add(42) hashes the integer 42 instead of meaning the hash 42.
struct Hash {
  std::uint64_t bits = 0;

  constexpr Hash() = default;
  constexpr explicit Hash(std::uint64_t value) : bits(value) {}
  friend constexpr bool operator==(Hash, Hash) = default;
};

// Takes numbers that are hashes already as hashes, without a copy. filter.contains_many(as_hashes(numbers), answers) is
// the fastest way to ask.
inline std::span<const Hash> as_hashes(std::span<const std::uint64_t> numbers) noexcept {
  static_assert(sizeof(Hash) == sizeof(std::uint64_t) && alignof(Hash) == alignof(std::uint64_t));
  return {reinterpret_cast<const Hash*>(numbers.data()), numbers.size()};
}

// The hash functions, with the numbers that files store for them (spec/hash.md).
enum class HashId : std::uint16_t { fnv_splitmix = 1, xxh3 = 2, xxh64 = 3, siphash13 = 4, siphash24 = 5 };

inline constexpr std::array kAllHashes = {HashId::fnv_splitmix, HashId::xxh3, HashId::xxh64, HashId::siphash13,
                                          HashId::siphash24};

BLOOMERY_API const char* to_string(HashId id) noexcept;
BLOOMERY_API std::optional<HashId> hash_id_from_number(std::uint16_t number) noexcept;
BLOOMERY_API Result<HashId> hash_id_from_name(std::string_view name);

constexpr bool takes_seed(HashId id) { return id == HashId::xxh3 || id == HashId::xxh64; }
constexpr bool takes_secret(HashId id) { return id == HashId::siphash13 || id == HashId::siphash24; }

// The 128-bit secret of a keyed hash. It is a small value that any thread may copy and read.
class Secret {
 public:
  constexpr explicit Secret(const std::array<std::uint8_t, 16>& bytes) : bytes_(bytes) {}

  // Reads 32 hexadecimal digits, then at most one line end.
  BLOOMERY_API static Result<Secret> from_hex(std::string_view text);
  // Takes 16 random bytes from the system. The error is that the system gives none.
  BLOOMERY_API static Result<Secret> random();

  const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }

  // The number by which a file recognises its secret. It does not help to find the secret.
  BLOOMERY_API std::uint64_t id() const noexcept;

 private:
  std::array<std::uint8_t, 16> bytes_;
};

// A hash function with its seed or secret. It is a small value that any thread may copy and use.
class Hasher {
 public:
  constexpr Hasher() = default;  // fnv_splitmix

  static constexpr Hasher fnv_splitmix() { return {}; }
  static constexpr Hasher xxh3(std::uint64_t seed = 0) { return {HashId::xxh3, seed, detail::xxh3_flip(seed), 0}; }
  static constexpr Hasher xxh64(std::uint64_t seed = 0) { return {HashId::xxh64, seed, detail::xxh64_start(seed), 0}; }
  BLOOMERY_API static Hasher siphash13(const Secret& secret) noexcept;
  BLOOMERY_API static Hasher siphash24(const Secret& secret) noexcept;
  // Stands in for a keyed hash whose secret is not there: it carries the ids of the hash and of the secret, and its
  // hashes mean nothing.
  static constexpr Hasher without_secret(HashId hash, std::uint64_t secret_id) { return {hash, secret_id, 0, 0}; }

  constexpr HashId id() const { return id_; }

  // The number that a file stores: the seed, or the id of the secret.
  std::uint64_t seed() const { return seed_; }
  // The number from which the hash of an integer starts: detail::xxh64_start(seed) of xxh64, detail::xxh3_flip(seed) of
  // xxh3.
  std::uint64_t integer_start() const { return k0_; }

  template <unsigned kIsa = detail::kCompiledFor>
  Hash operator()(const void* data, std::size_t size) const noexcept {
    const auto* key = static_cast<const std::uint8_t*>(data);
    if (id_ == HashId::xxh3 && size <= detail::kXxh3Short) return Hash(detail::xxh3_short<kIsa>(key, size, seed_, k0_));
    if (id_ == HashId::fnv_splitmix) return Hash(detail::fnv_splitmix(key, size));
    return call(data, size);
  }
  template <unsigned kIsa = detail::kCompiledFor>
  Hash operator()(std::string_view key) const noexcept {
    return operator()<kIsa>(key.data(), key.size());
  }
  template <unsigned kIsa = detail::kCompiledFor>
  Hash operator()(std::span<const std::byte> key) const noexcept {
    return operator()<kIsa>(key.data(), key.size());
  }
  template <unsigned kIsa = detail::kCompiledFor>
  Hash operator()(std::span<const std::uint8_t> key) const noexcept {
    return operator()<kIsa>(key.data(), key.size());
  }
  template <unsigned kIsa = detail::kCompiledFor>
  Hash operator()(std::uint64_t key) const noexcept {
    if (id_ == HashId::xxh3) return Hash(detail::xxh3_of_integer(key, k0_));
    if (id_ == HashId::xxh64) return Hash(detail::xxh64_of_integer(key, k0_));
    if (id_ == HashId::fnv_splitmix) return Hash(detail::fnv_splitmix_of_integer(key));
    return call_integer(key);
  }
  // clang-format off
  template <class T> Hash operator()(T) const requires std::is_null_pointer_v<T> = delete;  // nullptr is no key, and "" is the empty one
  // clang-format on
  // Returns what operator() returns, for a hasher whose id is known to be kId.
  template <HashId kId>
  [[gnu::always_inline]] Hash integer_by(std::uint64_t key) const noexcept {
    if constexpr (kId == HashId::xxh3) return Hash(detail::xxh3_of_integer(key, k0_));
    else if constexpr (kId == HashId::xxh64) return Hash(detail::xxh64_of_integer(key, k0_));
    else return Hash(detail::fnv_splitmix_of_integer(key));
  }

  // Sets out[i] to the hash of keys[i]. Ends the program with a sentence when `out` is shorter than the keys. Integers
  // are hashed by the vector instructions of the machine, strings several at a time. `out` may be the memory of the
  // integers.
  BLOOMERY_API void hash_many(std::span<const std::string_view> keys, std::span<Hash> out) const noexcept;
  BLOOMERY_API void hash_many(std::span<const std::uint64_t> keys, std::span<Hash> out) const noexcept;
  template <ColumnOffset Offset>
  BLOOMERY_API void hash_many(const StringColumn<Offset>& keys, std::span<Hash> out) const noexcept;

  friend constexpr bool operator==(const Hasher&, const Hasher&) = default;

 private:
  constexpr Hasher(HashId id, std::uint64_t seed, std::uint64_t k0, std::uint64_t k1)
      : id_(id), seed_(seed), k0_(k0), k1_(k1) {}

  BLOOMERY_API Hash call(const void* data, std::size_t size) const noexcept;
  // It takes the key by value and is pure, so that a loop of lookups stores no key and loads no number of the filter
  // twice.
  [[gnu::pure]] BLOOMERY_API Hash call_integer(std::uint64_t key) const noexcept;

  HashId id_ = HashId::fnv_splitmix;
  std::uint64_t seed_ = 0;
  std::uint64_t k0_ = 0, k1_ = 0;  // the secret of SipHash; of others the first is integer_start()
};

// Integers that may be keys. bool and the character types are left out: add('a') is more likely a mistake than a key.
template <class T>
concept IntegerKey =
    std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
    !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t> && sizeof(T) <= 8;

// Keys that are bytes: strings and spans of bytes. nullptr is none of them, whatever std::string_view takes it for. A
// `const char*` must point to a string: the behaviour of a null pointer is undefined, as it is with std::string_view.
template <class T>
concept BytesKey = !std::is_null_pointer_v<T> && (std::convertible_to<const T&, std::string_view> ||
                                                  std::convertible_to<const T&, std::span<const std::byte>> ||
                                                  std::convertible_to<const T&, std::span<const std::uint8_t>>);

// A type of the user's. Its namespace has a function `Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept`,
// which must not throw because lookups are noexcept.
template <class T>
concept CustomKey = requires(const Hasher& hasher, const T& key) {
  // clang-format off
  { bloomery_hash(hasher, key) } noexcept -> std::same_as<Hash>;
  // clang-format on
};

template <class T>
concept Key = std::same_as<T, Hash> || IntegerKey<T> || BytesKey<T> || CustomKey<T>;

// Returns the hash of any key. A Hash is its own; integers are hashed as 8 bytes, little-endian and sign-extended.
template <Key T, unsigned kIsa = detail::kCompiledFor>
inline Hash hash_key(const Hasher& hasher, const T& key) noexcept {
  if constexpr (std::same_as<T, Hash>) {
    return key;
  } else if constexpr (CustomKey<T>) {
    return bloomery_hash(hasher, key);
  } else if constexpr (IntegerKey<T>) {
    return hasher(static_cast<std::uint64_t>(key));
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return hasher(static_cast<std::string_view>(key));
  } else if constexpr (std::convertible_to<const T&, std::span<const std::byte>>) {
    return hasher(static_cast<std::span<const std::byte>>(key));
  } else {
    return hasher(static_cast<std::span<const std::uint8_t>>(key));
  }
}

namespace detail {

// Where strings lie apart, loops fetch the bytes of the string that comes kStringsAhead later: they arrive while others
// are hashed, which takes half the time. Short strings that begin at most kSideBySide bytes after each other arrive by
// themselves, and to fetch each would cost a quarter of its hash (bench/results/2026-11-19-strings-apart.md).
inline constexpr std::size_t kStringsAhead = 16;
inline constexpr std::uintptr_t kSideBySide = 32;

// Returns whether the strings of a batch lie apart, by a look at a few that follow each other.
template <class T, unsigned kIsa = kCompiledFor>
inline bool lie_apart(std::span<const T> keys) noexcept {
  constexpr std::size_t kPairs = 4;
  if (keys.size() <= kStringsAhead) return false;
  const auto place = [&](std::size_t i) {
    return reinterpret_cast<std::uintptr_t>(static_cast<std::string_view>(keys[i]).data());
  };
  std::size_t apart = 0;
  for (std::size_t pair = 0; pair < kPairs; ++pair) {
    const std::size_t i = pair * (keys.size() - 2) / (kPairs - 1);
    apart += place(i + 1) - place(i) > kSideBySide ? 1 : 0;
  }
  return apart > 0;
}
template <ColumnOffset Offset, unsigned kIsa = kCompiledFor>
inline bool lie_apart(const StringColumn<Offset>&) noexcept {
  return false;
}

// Fetches the first bytes of keys[i], if there is such a key, and the last ones where they cannot be in the same line.
template <class Keys>
[[gnu::always_inline]] inline void fetch_string(const Keys& keys, std::size_t i) noexcept {
  if (i >= keys.size()) return;
  const auto key = static_cast<std::string_view>(keys[i]);
  __builtin_prefetch(key.data());
  if (key.size() > kCacheLine) __builtin_prefetch(key.data() + key.size() - 1);
}

// Calls use(i) for each key in order, and fetches the strings ahead where they lie apart. Two loops, because one that
// may fetch is slower even where it does not.
template <class Keys, class Use, unsigned kIsa = kCompiledFor>
inline void for_each_string(const Keys& keys, Use use) noexcept {
  if (!lie_apart(keys)) {
    for (std::size_t i = 0; i < keys.size(); ++i) use(i);
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    fetch_string(keys, i + kStringsAhead);
    use(i);
  }
}

}  // namespace detail

// Sets out[i] to the hash of keys[i], by the fastest way that there is for their type.
template <Key T, unsigned kIsa = detail::kCompiledFor>
inline void hash_keys(const Hasher& hasher, std::span<const T> keys, std::span<Hash> out) noexcept {
  if constexpr (std::same_as<T, std::string_view> || std::same_as<T, std::uint64_t>) {
    hasher.hash_many(keys, out);
  } else if constexpr (IntegerKey<T> && !CustomKey<T>) {
    if (keys.empty()) return;
    for (std::size_t i = 0; i < keys.size(); ++i) out[i].bits = static_cast<std::uint64_t>(keys[i]);
    hasher.hash_many(std::span(&out.data()->bits, keys.size()), out);
  } else if constexpr (std::convertible_to<const T&, std::string_view> && !CustomKey<T>) {
    // For strings only FNV-1a gains from several keys at a time, so only it gets an array of string_view.
    std::size_t done = 0;
    if (hasher.id() == HashId::fnv_splitmix) {
      std::array<std::string_view, detail::kStringsAhead> views;
      const bool apart = detail::lie_apart(keys);
      for (; done + views.size() <= keys.size(); done += views.size()) {
        for (std::size_t j = 0; j < views.size(); ++j) {
          views[j] = static_cast<std::string_view>(keys[done + j]);
          if (apart) detail::fetch_string(keys, done + j + views.size());
        }
        hasher.hash_many(views, out.subspan(done, views.size()));
      }
    }
    const auto rest = keys.subspan(done);
    detail::for_each_string(rest, [&](std::size_t i) { out[done + i] = hash_key(hasher, rest[i]); });
  } else {
    for (std::size_t i = 0; i < keys.size(); ++i) out[i] = hash_key(hasher, keys[i]);
  }
}

template <ColumnOffset Offset, unsigned kIsa = detail::kCompiledFor>
inline void hash_keys(const Hasher& hasher, const StringColumn<Offset>& keys, std::span<Hash> out) noexcept {
  hasher.hash_many(keys, out);
}

}  // namespace BLOOMERY_NAMESPACE
