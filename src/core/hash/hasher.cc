// Names, secrets, and the choice of a hash function at run time.
#include <cstdio>
#include <cstdlib>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/check.h"
#include "bloomery/hash.h"
#include "core/base/error.h"
#include "core/hash/hash_functions.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr std::string_view kSecretIdText = "bloomery secret id v1";

std::uint64_t low_half(const Secret& secret) { return detail::load_le<std::uint64_t>(secret.bytes().data()); }
std::uint64_t high_half(const Secret& secret) { return detail::load_le<std::uint64_t>(secret.bytes().data() + 8); }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Some dozen multiplications, once, when the library is loaded.
const bool g_fnv_checked = [] {
  if (detail::fnv_self_check()) return true;
  std::fputs("bloomery: FNV-1a is wrong in this build, so no other program could read its files: compile it anew\n",
             stderr);
  std::abort();
}();

}  // namespace

bool detail::fnv_self_check() noexcept {
  const std::uint8_t foobar[] = {'f', 'o', 'o', 'b', 'a', 'r'};
  volatile std::size_t length = sizeof foobar;  // keeps the compiler from computing the answer at build time
  return fnv1a64(foobar, length - 6) == 0xcbf29ce484222325 && fnv1a64(foobar, length) == 0x85944171f73967e8 &&
         splitmix64(length - 6) == 0xe220a8397b1dcdaf;
}

bool detail::fnv_checked_at_start() noexcept { return g_fnv_checked; }

const char* to_string(HashId id) noexcept {
  switch (id) {
    case HashId::fnv_splitmix: return "fnv_splitmix";
    case HashId::xxh3: return "xxh3";
    case HashId::xxh64: return "xxh64";
    case HashId::siphash13: return "siphash13";
    case HashId::siphash24: return "siphash24";
  }
  return "unknown";
}

std::optional<HashId> hash_id_from_number(std::uint16_t number) noexcept {
  for (HashId id : kAllHashes)
    if (static_cast<std::uint16_t>(id) == number) return id;
  return std::nullopt;
}

Result<HashId> hash_id_from_name(std::string_view name) {
  return guarded([&]() -> Result<HashId> {
    std::string known;
    for (HashId id : kAllHashes) {
      if (name == to_string(id)) return id;
      known += std::string(known.empty() ? "" : ", ") + to_string(id);
    }
    return invalid_argument("hash", "unknown hash '" + std::string(name) + "': use one of " + known);
  });
}

Result<Secret> Secret::from_hex(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  std::array<std::uint8_t, 16> bytes{};
  bool good = text.size() == 2 * bytes.size();
  for (std::size_t i = 0; good && i < bytes.size(); ++i) {
    const int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
    good = high >= 0 && low >= 0;
    bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  if (good) return Secret(bytes);
  return guarded([]() -> Result<Secret> {
    return invalid_argument("secret",
                            "a secret is 32 hexadecimal digits (16 random bytes) and at most one line end; make one "
                            "with Secret::random(), or with: bloomery secret -o FILE");
  });
}

std::uint64_t Secret::id() const noexcept {
  return detail::siphash24(kSecretIdText.data(), kSecretIdText.size(), low_half(*this), high_half(*this));
}

Hasher Hasher::siphash13(const Secret& secret) noexcept {
  return {HashId::siphash13, secret.id(), low_half(secret), high_half(secret)};
}

Hasher Hasher::siphash24(const Secret& secret) noexcept {
  return {HashId::siphash24, secret.id(), low_half(secret), high_half(secret)};
}

Hash Hasher::call(const void* data, std::size_t size) const noexcept {
  switch (id_) {
    case HashId::fnv_splitmix: break;
    case HashId::xxh3: return Hash(detail::xxh3(data, size, seed_));
    case HashId::xxh64: return Hash(detail::xxh64(data, size, seed_));
    case HashId::siphash13: return Hash(detail::siphash13(data, size, k0_, k1_));
    case HashId::siphash24: return Hash(detail::siphash24(data, size, k0_, k1_));
  }
  return Hash(detail::fnv_splitmix(static_cast<const std::uint8_t*>(data), size));
}

Hash Hasher::call_integer(std::uint64_t key) const noexcept {
  std::uint8_t bytes[sizeof key];
  detail::store_le(bytes, key);
  return call(bytes, sizeof bytes);
}

void Hasher::hash_many(std::span<const std::string_view> keys, std::span<Hash> out) const noexcept {
  detail::check_lengths("hash_many", keys.size(), out.size());
  if (id_ == HashId::fnv_splitmix) return detail::fnv_splitmix_many(keys, out.data());
  if (id_ == HashId::xxh3) return detail::xxh3_many(keys, seed_, out.data());
  if (id_ == HashId::xxh64) return detail::xxh64_many(keys, seed_, out.data());
  detail::for_each_string(keys, [&](std::size_t i) { out[i] = (*this)(keys[i]); });
}

}  // namespace BLOOMERY_NAMESPACE
