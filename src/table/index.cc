#include "table/index.h"

#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "table/block.h"

namespace BLOOMERY_NAMESPACE::table {
Error damaged_index() {
  return corrupt("index",
                 "the index does not hold together, though its checksum does: the file was made by a faulty program; "
                 "build it again");
}

std::uint64_t IndexBlock::digest(std::string_view key) const {
  std::uint8_t bytes[8] = {};
  const std::string_view rest = key.substr(common_.size(), sizeof bytes);
  std::memcpy(bytes, rest.data(), rest.size());
  std::uint64_t number;
  std::memcpy(&number, bytes, sizeof number);
  return __builtin_bswap64(number);  // the first byte counts most
}

Result<IndexBlock> IndexBlock::make(Block block, bool sketches) {
  IndexBlock index;
  index.block_ = std::move(block);
  index.frame_ = BlockFrame(index.contents());
  const BlockFrame& frame = index.frame_;
  std::string_view first, last;
  for (std::size_t i = 0; i < frame.restarts; ++i) {
    const std::optional<WholeEntry> entry = frame.entry(i);
    const std::optional<Handle> handle = entry ? decode_handle(entry->value) : std::nullopt;
    if (!handle || (i > 0 && entry->key < last)) return damaged_index();
    if (i == 0) first = entry->key;
    last = entry->key;
    index.handles_.push_back(*handle);
  }
  if (index.handles_.empty()) return damaged_index();
  index.common_ = first.substr(0, in_common(first, last));
  for (std::size_t i = 0; i < frame.restarts; ++i) index.digests_.push_back(index.digest(frame.entry(i)->key));
  if (sketches) index.sketches_ = std::make_unique<SharedSketch[]>(index.size());
  return index;
}

std::size_t IndexBlock::find(std::string_view key) const {
  const int order = key.substr(0, common_.size()).compare(common_);
  if (order != 0) return order < 0 ? 0 : size();
  const std::uint64_t wanted = digest(key);
  auto at = static_cast<std::size_t>(std::lower_bound(digests_.begin(), digests_.end(), wanted) - digests_.begin());
  while (at < size() && digests_[at] == wanted && frame_.entry(at)->key < key) ++at;
  return at;
}

bool IndexBlock::denies(std::size_t number, Hash hash) const {
  if (!sketches_ || !known(number)) return false;
  const auto bits = Sketch::bits_of(hash);
  for (std::size_t i = 0; i < bits.size(); ++i)
    if ((sketches_[number].words[i].load(std::memory_order_relaxed) & bits[i]) == 0) return true;
  return false;
}

// Two threads may learn the same.
void IndexBlock::learn(std::size_t number, const Sketch& sketch) const {
  for (std::size_t i = sketch.words.size(); i-- > 0;)
    sketches_[number].words[i].store(sketch.words[i], std::memory_order_release);
}

std::uint64_t IndexBlock::memory() const {
  return sizeof *this + (block_.owner ? block_.owner->memory() : 0) +
         size() * (sizeof digests_[0] + sizeof handles_[0] + (sketches_ ? sizeof(SharedSketch) : 0));
}

}  // namespace BLOOMERY_NAMESPACE::table
