#include "server/scalable_growth.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/blocked_probe.h"
#include "server/memory.h"

namespace bloomery::server {

namespace {

using detail::load_le;

constexpr std::uint64_t kLeastSlice = 1024, kTryAgainAfter = 4096;

// The entry of the newest link in the directory (spec/scalable.md).
struct Newest {
  std::uint64_t blocks, capacity, count;

  explicit Newest(const ScalableFilter& chain) {
    const std::uint8_t* const entry =
        chain.view().payload().data() + (chain.geometry().links - 1) * ScalableGeometry::kEntryBytes;
    blocks = load_le<std::uint64_t>(entry);
    capacity = load_le<std::uint64_t>(entry + 16);
    count = load_le<std::uint64_t>(entry + 24);
  }
};

}  // namespace

void ScalableGrowth::reset() noexcept {
  next_.reset();
  copied_ = begin_at_ = 0;
}

std::size_t ScalableGrowth::memory() const noexcept {
  if (next_ == nullptr || !next_->done.load(std::memory_order_acquire) || !next_->chain->ok()) return 0;
  return server_memory.counted(const_cast<std::uint8_t*>((*next_->chain)->view().payload().data()));
}

void ScalableGrowth::begin(const ScalableFilter& chain, std::uint64_t most) noexcept {
  begin_at_ = Newest(chain).count + kTryAgainAfter;  // unless it works
  try {
    const auto link = chain.geometry().next_link();
    if (!link.ok()) return;
    const ScalableGeometry longer = chain.geometry().with_link(*link);
    if (longer.payload_bytes() <= sliced_from_ || longer.payload_bytes() > most) return;
    if (!check_server_memory(longer.payload_bytes(), most).ok()) return;
    auto next = std::make_shared<Preparation>();
    std::thread([next, longer, options = chain.options()] {
      try {
        next->chain = ScalableFilter::with_geometry(longer, options);
      } catch (...) {
        next->chain = Error{ErrorCode::out_of_memory, {}, {}, {}};
      }
      next->done.store(true, std::memory_order_release);
    }).detach();
    next_ = std::move(next);
    of_ = chain.geometry();
    copied_ = 0;
  } catch (...) {
    next_.reset();  // it grows at once
  }
}

ScalableFilter* ScalableGrowth::ready() noexcept {
  if (next_ == nullptr || !next_->done.load(std::memory_order_acquire)) return nullptr;
  if (next_->chain->ok()) return &**next_->chain;
  next_.reset();
  return nullptr;
}

void ScalableGrowth::copy_blocks(const ScalableFilter& from, ScalableFilter& to, std::uint64_t bytes) noexcept {
  const std::uint64_t size = std::min(bytes, BlockGeometry::kBlockBytes * from.geometry().blocks - copied_);
  std::memcpy(to.mutable_payload().data() + to.geometry().directory_bytes() + copied_,
              from.view().payload().data() + from.geometry().directory_bytes() + copied_,
              static_cast<std::size_t>(size));
  copied_ += size;
}

bool ScalableGrowth::finish(ScalableFilter& chain) noexcept {
  while (!next_->done.load(std::memory_order_acquire)) std::this_thread::sleep_for(std::chrono::microseconds(50));
  ScalableFilter* const longer = ready();
  if (longer == nullptr) return false;
  copy_blocks(chain, *longer, longer->bytes());
  // The directory of the longer chain: its own last entry, and those of the chain before it.
  const ScalableGeometry old = chain.geometry(), now = longer->geometry();
  std::uint8_t* const directory = longer->mutable_payload().data();
  std::memcpy(directory, chain.view().payload().data(), old.links * ScalableGeometry::kEntryBytes);
  detail::store_le<std::uint64_t>(directory + old.links * ScalableGeometry::kEntryBytes, now.blocks - old.blocks);
  longer->set_key_count(chain.key_count());
  chain = std::move(*longer);
  reset();
  return true;
}

Status ScalableGrowth::before_add(ScalableFilter& chain, Hash hash, std::uint64_t most) {
  const Newest newest(chain);
  if (next_ != nullptr && !(of_ == chain.geometry())) reset();
  if (newest.count < newest.capacity - newest.capacity / 10) return {};
  if (next_ == nullptr && newest.count >= begin_at_) begin(chain, most);
  if (ScalableFilter* const longer = ready()) {
    const std::uint64_t left = BlockGeometry::kBlockBytes * of_.blocks - copied_;
    copy_blocks(chain, *longer, std::max(kLeastSlice, left / (newest.capacity - newest.count + 1) + 1));
  }
  if (newest.count < newest.capacity || chain.contains(hash)) return {};
  if (next_ != nullptr && finish(chain)) return {};
  const auto link = chain.geometry().next_link();
  if (!link.ok()) return {};
  const std::uint64_t longer = chain.geometry().with_link(*link).payload_bytes();
  if (longer > most)
    return Error{ErrorCode::full, "the filter would be larger than bloomery.max-filter-bytes allows", {}, {}};
  return check_server_memory(longer, most);
}

void ScalableGrowth::after_add(const ScalableFilter& chain, Hash hash) noexcept {
  ScalableFilter* const longer = copied_ > 0 ? ready() : nullptr;
  if (longer == nullptr || !(of_ == chain.geometry())) return;
  const Newest newest(chain);
  const std::uint64_t at =
      BlockGeometry::kBlockBytes * (of_.blocks - newest.blocks) + detail::block_offset(newest.blocks, hash);
  if (at >= copied_) return;
  std::memcpy(longer->mutable_payload().data() + longer->geometry().directory_bytes() + at,
              chain.view().payload().data() + of_.directory_bytes() + at, BlockGeometry::kBlockBytes);
}

}  // namespace bloomery::server
