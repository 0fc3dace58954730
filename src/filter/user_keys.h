// The keys of a KeyRun, hashed on several threads by a function that may be the user's own and throw.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <span>

#include "base/callback.h"
#include "bloomery/detail/bulk_add.h"
#include "bloomery/hash.h"

namespace bloomery::detail {

class UserKeys : public KeyRun {
 public:
  explicit UserKeys(const KeyRun& keys) : KeyRun(keys) {}

  // Fills `out` with the hashes of the keys from `first` on; of keys that are no hashes themselves. False when the hash
  // function threw, now or before, on this thread or another: then `out` is of no use. From any thread.
  bool hash_from(std::size_t first, std::span<Hash> out) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return false;
    try {
      hash(*this, first, out);
      return true;
    } catch (...) {
      if (!failed_.exchange(true)) thrown_ = std::current_exception();
      return false;
    }
  }

  // What was thrown first, as an error. Only when no thread hashes any more.
  Status status() const {
    if (!thrown_) return {};
    return call_user("key", "the hash function bloomery_hash", [this]() -> Status { std::rethrow_exception(thrown_); });
  }

 private:
  std::atomic<bool> failed_ = false;
  std::exception_ptr thrown_;
};

}  // namespace bloomery::detail
