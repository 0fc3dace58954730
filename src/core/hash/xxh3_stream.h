// XXH3-64 with seed 0 over bytes that come piece by piece: the same value as over all of them at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

class Xxh3Stream {
 public:
  Xxh3Stream();  // throws std::bad_alloc, and so does the copy, which goes on from where this is
  Xxh3Stream(const Xxh3Stream& other);
  Xxh3Stream(Xxh3Stream&&) noexcept = default;
  Xxh3Stream& operator=(Xxh3Stream&&) noexcept = default;
  ~Xxh3Stream() = default;
  void update(std::span<const std::uint8_t> bytes);
  std::uint64_t value() const;

 private:
  struct State;
  struct Free {
    void operator()(State* state) const;
  };
  std::unique_ptr<State, Free> state_;
};

}  // namespace BLOOMERY_NAMESPACE::detail
