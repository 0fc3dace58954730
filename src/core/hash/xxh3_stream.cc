#include "core/hash/xxh3_stream.h"

#include <new>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace BLOOMERY_NAMESPACE::detail {

struct Xxh3Stream::State : XXH3_state_t {};

Xxh3Stream::Xxh3Stream() : state_(static_cast<State*>(XXH3_createState())) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state_.get());
}

Xxh3Stream::Xxh3Stream(const Xxh3Stream& other) : Xxh3Stream() { XXH3_copyState(state_.get(), other.state_.get()); }

void Xxh3Stream::update(std::span<const std::uint8_t> bytes) {
  XXH3_64bits_update(state_.get(), bytes.data(), bytes.size());
}

std::uint64_t Xxh3Stream::value() const { return XXH3_64bits_digest(state_.get()); }

void Xxh3Stream::Free::operator()(State* state) const { XXH3_freeState(state); }

}  // namespace BLOOMERY_NAMESPACE::detail
