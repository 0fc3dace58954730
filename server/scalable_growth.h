// How the scalable filter of a BLM.* key grows without holding its command up. A thread takes and zeroes the memory of
// the longer chain when the newest link is nine tenths full. Each key that is added then copies a slice of the old
// chain, so that little is left to do when the link is full. The bytes are those that the library's own growth makes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <variant>

#include "bloomery/any.h"
#include "bloomery/scalable.h"
#include "server/next_link.h"

namespace bloomery::server {

// The filter as a scalable one, or nullptr. Whoever asks owns it.
inline ScalableFilter* as_scalable(AnyFilter& filter) {
  return std::get_if<ScalableFilter>(&const_cast<AnyFilter::Variant&>(filter.variant()));
}

// Belongs to one chain. One thread; the thread that takes memory touches nothing of the chain.
class ScalableGrowth {
 public:
  // Chains that will have fewer bytes grow when they are full, at once.
  explicit ScalableGrowth(std::uint64_t sliced_from = kZeroedAtOnce) : sliced_from_(sliced_from) {}

  // To be called before a key is added. The chain has room for the key afterwards, or will grow by itself. `most` is
  // the limit of payload bytes. Errors: full, when the server has no memory; then nothing has changed.
  Status before_add(ScalableFilter& chain, Hash hash, std::uint64_t most);
  // To be called after it.
  void after_add(const ScalableFilter& chain, Hash hash) noexcept;
  // Forgets what was prepared: the chain has changed in another way.
  void reset() noexcept;
  // The bytes that the allocator spends on what was prepared.
  std::size_t memory() const noexcept;
  bool prepares() const { return next_ != nullptr; }

 private:
  struct Preparation {
    std::optional<Result<ScalableFilter>> chain;
    std::atomic<bool> done{false};
  };

  void begin(const ScalableFilter& chain, std::uint64_t most) noexcept;
  // The longer chain once its memory is there; nullptr before, and when there is none.
  ScalableFilter* ready() noexcept;
  void copy_blocks(const ScalableFilter& from, ScalableFilter& to, std::uint64_t bytes) noexcept;
  // Puts the longer chain in the place of this one. False when it has no memory: then the chain tries itself, and says
  // why not.
  bool finish(ScalableFilter& chain) noexcept;

  std::uint64_t sliced_from_;
  std::shared_ptr<Preparation> next_;
  ScalableGeometry of_;         // of the chain that it is prepared for
  std::uint64_t copied_ = 0;    // bytes of its blocks
  std::uint64_t begin_at_ = 0;  // keys of the newest link before which memory is not asked for again
};

}  // namespace bloomery::server
