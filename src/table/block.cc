#include "table/block.h"

#include <algorithm>
#include <cstring>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"
#include "table/coding.h"

namespace BLOOMERY_NAMESPACE::table {
namespace {

// The fields in front of an entry's key.
struct Head {
  std::uint64_t shared = 0, unshared = 0, length = 0, tag = 0;
};

// Takes it off the front of `bytes`; false when what it says is not there.
bool take_head(std::string_view& bytes, Head& head) {
  // Most have one byte for each field.
  if (bytes.size() >= 4) {
    std::uint32_t four;
    std::memcpy(&four, bytes.data(), 4);
    if ((four & 0x80808080) == 0) {
      head = {static_cast<std::uint8_t>(bytes[0]), static_cast<std::uint8_t>(bytes[1]),
              static_cast<std::uint8_t>(bytes[2]), static_cast<std::uint8_t>(bytes[3])};
      bytes.remove_prefix(4);
      return head.unshared + head.length <= bytes.size();
    }
  }
  for (std::uint64_t* field : {&head.shared, &head.unshared, &head.length, &head.tag}) {
    const std::optional<std::uint64_t> value = take_varint(bytes);
    if (!value) return false;
    *field = *value;
  }
  return head.unshared <= bytes.size() && head.length <= bytes.size() - head.unshared;
}

}  // namespace

Error index_is_full() {
  return unsupported("index",
                     "the keys are too long for one table, whose index they fill: make several, or take larger blocks");
}

std::size_t in_common(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t n = 0;
  while (n < most && a[n] == b[n]) ++n;
  return n;
}

void BlockBuilder::add(std::string_view key, std::string_view value, std::uint64_t tag) {
  std::size_t shared = 0;
  if (entries_ % per_restart_ == 0) restarts_.push_back(static_cast<std::uint32_t>(contents_.size()));
  else shared = in_common(last_key_, key);
  put_varint(contents_, shared);
  put_varint(contents_, key.size() - shared);
  put_varint(contents_, value.size());
  put_varint(contents_, tag);
  contents_.append(key.substr(shared)).append(value);
  last_key_.assign(key);
  ++entries_;
}

std::string_view BlockBuilder::finish() {
  restarts_.push_back(static_cast<std::uint32_t>(restarts_.size()));
  for (const std::uint32_t restart : restarts_) {
    std::uint8_t bytes[4];
    detail::store_le(bytes, restart);
    contents_.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
  }
  return contents_;
}

void BlockBuilder::reset() {
  entries_ = 0;
  contents_.clear();
  last_key_.clear();
  restarts_.clear();
}

BlockFrame::BlockFrame(std::string_view contents) {
  if (contents.size() < 8) return;
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(contents.data());
  const std::size_t count = detail::load_le<std::uint32_t>(bytes + contents.size() - 4);
  if (count == 0 || count > (contents.size() - 4) / 4) return;
  entries = contents.substr(0, contents.size() - 4 - 4 * count);
  restarts = count;
}

std::size_t BlockFrame::restart(std::size_t number) const {
  return detail::load_le<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(entries.data()) + entries.size() +
                                        4 * number);
}

std::optional<WholeEntry> BlockFrame::entry(std::size_t number) const {
  const std::size_t at = restart(number);
  if (at >= entries.size()) return std::nullopt;
  std::string_view bytes = entries.substr(at);
  Head head;
  if (!take_head(bytes, head) || head.shared != 0) return std::nullopt;
  return WholeEntry{bytes.substr(0, head.unshared), bytes.substr(head.unshared, head.length)};
}

std::optional<std::size_t> BlockFrame::restarts_less(std::string_view key) const {
  std::size_t low = 0, high = restarts;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::optional<WholeEntry> there = entry(middle);
    if (!there) return std::nullopt;
    if (there->key < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

BlockCursor::BlockCursor(std::string_view contents) : frame_(contents), at_(frame_.entries.size()) {
  if (frame_.restarts == 0) damage();
}

void BlockCursor::damage() {
  damaged_ = true;
  frame_ = {};
  at_ = 0;
}

void BlockCursor::go(std::size_t offset) {
  at_ = offset;
  if (at_ >= frame_.entries.size()) return;
  std::string_view bytes = frame_.entries.substr(at_);
  Head head;
  if (!take_head(bytes, head) || head.shared > key_.size()) return damage();
  key_.resize(head.shared);
  key_.append(bytes.data(), head.unshared);
  value_ = bytes.substr(head.unshared, head.length);
  tag_ = head.tag;
  after_ = static_cast<std::size_t>(value_.data() + value_.size() - frame_.entries.data());
}

void BlockCursor::begin_at(std::size_t number) {
  key_.clear();
  const std::size_t at = frame_.restart(number);
  if (at >= frame_.entries.size()) return damage();
  go(at);
}

void BlockCursor::first() {
  if (!damaged_) begin_at(0);
}

void BlockCursor::last() {
  if (damaged_) return;
  begin_at(frame_.restarts - 1);
  while (valid() && after_ < frame_.entries.size()) go(after_);
}

void BlockCursor::next() {
  if (valid()) go(after_);
}

void BlockCursor::previous() {
  if (!valid()) return;
  const std::size_t here = at_;
  // The last restart before this entry.
  std::size_t low = 0, high = frame_.restarts;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (frame_.restart(middle) < here) low = middle + 1;
    else high = middle;
  }
  if (low == 0) {
    at_ = frame_.entries.size();
    return;
  }
  begin_at(low - 1);
  while (valid() && after_ < here) go(after_);
  if (valid() && after_ != here) damage();  // restarts that do not ascend
}

void BlockCursor::seek(std::string_view key) {
  if (damaged_) return;
  const std::optional<std::size_t> less = frame_.restarts_less(key);
  if (!less) return damage();
  begin_at(*less == 0 ? 0 : *less - 1);
  while (valid() && std::string_view(key_) < key) go(after_);
}

Searched find_newest(std::string_view contents, std::string_view key) {
  const Searched damaged{.damaged = true};
  const BlockFrame frame(contents);
  if (frame.restarts == 0) return damaged;
  const std::optional<std::size_t> less = frame.restarts_less(key);
  if (!less) return damaged;
  const std::size_t at = frame.restart(*less == 0 ? 0 : *less - 1);
  if (at >= frame.entries.size()) return damaged;
  // As long as this goes on, the entry before is less than the key, and has `matched` bytes in common with it. An entry
  // that shares more than those differs from the key where that one did, and is less, too. Of any other the shared
  // bytes are the key's, and the rest is compared. Whether an entry shares all that it could makes no difference.
  std::size_t matched = 0;
  bool first = true;
  for (std::string_view bytes = frame.entries.substr(at); !bytes.empty(); first = false) {
    Head head;
    if (!take_head(bytes, head) || (first && head.shared != 0)) return damaged;
    const std::string_view rest = bytes.substr(0, head.unshared);
    if (head.shared <= matched) {
      matched = head.shared;
      const std::string_view wanted = key.substr(matched);
      const std::size_t more = in_common(rest, wanted);
      if (more == wanted.size())
        return more == rest.size()
                   ? Searched{.found = true, .value = bytes.substr(head.unshared, head.length), .tag = head.tag}
                   : Searched{};
      if (more < rest.size() && static_cast<std::uint8_t>(rest[more]) > static_cast<std::uint8_t>(wanted[more]))
        return {};
      matched += more;
    }
    bytes.remove_prefix(head.unshared + head.length);
  }
  return {};
}

std::array<std::uint64_t, 4> Sketch::bits_of(Hash key) {
  const auto bit = [&](unsigned word) { return std::uint64_t{1} << (key.bits >> (6 * word) & 63); };
  return {bit(0), bit(1), bit(2), bit(3)};
}

std::optional<Sketch> sketch_of(std::string_view contents, const Hasher& hasher) {
  constexpr std::size_t kMostKeys = 100;  // 4 of 10 absent keys pass then; of 35, a usual number, 3 of 100
  Sketch sketch;
  std::size_t keys = 0;
  BlockCursor at(contents);
  for (at.first(); at.valid(); at.next()) {
    if (++keys > kMostKeys) return std::nullopt;
    const auto bits = Sketch::bits_of(hasher(at.key()));
    for (std::size_t i = 0; i < bits.size(); ++i) sketch.words[i] |= bits[i];
  }
  if (at.damaged() || keys == 0) return std::nullopt;
  return sketch;
}

bool holds_together(std::string_view contents) {
  const BlockFrame frame(contents);
  if (frame.restarts == 0 || frame.restart(0) != 0) return false;
  std::string last;
  std::size_t number = 0;  // of the restart that comes next
  for (std::string_view bytes = frame.entries; !bytes.empty();) {
    const std::size_t at = frame.entries.size() - bytes.size();
    const bool restart = number < frame.restarts && frame.restart(number) == at;
    Head head;
    if (!take_head(bytes, head) || head.shared > last.size()) return false;
    const std::string_view rest = bytes.substr(0, head.unshared);
    if (restart && head.shared != 0) return false;
    number += restart ? 1 : 0;
    last.resize(head.shared);
    last.append(rest);
    bytes.remove_prefix(head.unshared + head.length);
  }
  return number == frame.restarts;
}

}  // namespace BLOOMERY_NAMESPACE::table
