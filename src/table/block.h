// The contents of data, index and properties blocks (spec/table.md): entries in order, keys without what they share
// with the one before, and restart points to search by.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE::table {

// Protocol: add+ finish reset, again and again. Keys in the order of the table.
class BlockBuilder {
 public:
  explicit BlockBuilder(unsigned entries_per_restart) : per_restart_(entries_per_restart) {}

  void add(std::string_view key, std::string_view value, std::uint64_t tag);
  // The contents; valid until reset.
  std::string_view finish();
  void reset();

  bool empty() const { return entries_ == 0; }
  std::size_t bytes() const { return contents_.size() + 4 * restarts_.size() + 4; }
  // Whether the place of another entry is beyond what a block can name.
  bool is_full() const { return std::uint64_t{contents_.size()} > std::numeric_limits<std::uint32_t>::max(); }
  const std::string& last_key() const { return last_key_; }

 private:
  unsigned per_restart_;
  std::uint64_t entries_ = 0;
  std::string contents_, last_key_;
  std::vector<std::uint32_t> restarts_;
};

// The error where an index of a table is full.
Error index_is_full();

// Returns how many bytes both begin with.
std::size_t in_common(std::string_view a, std::string_view b);

// An entry at a restart point, which has all of its key.
struct WholeEntry {
  std::string_view key, value;
};

// Contents as entries and restarts.
struct BlockFrame {
  std::string_view entries;
  std::size_t restarts = 0;  // 0: they do not hold together

  BlockFrame() = default;
  explicit BlockFrame(std::string_view contents);
  std::size_t restart(std::size_t number) const;
  // Returns nothing when the entry is damaged.
  std::optional<WholeEntry> entry(std::size_t number) const;
  // Returns how many restarts have a key that is less, or nothing when one of those looked at is damaged.
  std::optional<std::size_t> restarts_less(std::string_view key) const;
};

// Walks over contents that somebody else keeps. Whatever the bytes are, it reads none outside them: what does not hold
// together makes it stop with damaged(). Starts at no entry.
class BlockCursor {
 public:
  BlockCursor() = default;
  explicit BlockCursor(std::string_view contents);

  bool valid() const { return at_ < frame_.entries.size() && !damaged_; }
  bool damaged() const { return damaged_; }
  // Only while valid(). The key lives until the cursor moves.
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }
  std::uint64_t tag() const { return tag_; }

  void first();
  void last();
  void next();
  void previous();
  // The first entry whose key is not less.
  void seek(std::string_view key);

 private:
  void go(std::size_t offset);  // to the entry there, whose predecessor's key is in key_
  void begin_at(std::size_t number);
  void damage();

  BlockFrame frame_;
  std::size_t at_ = 0, after_ = 0;  // the entry, and the one behind it
  std::string key_;
  std::string_view value_;
  std::uint64_t tag_ = 0;
  bool damaged_ = false;
};

// One entry, looked up without a cursor: no key is put together and no memory is needed.
struct Searched {
  bool found = false, damaged = false;
  std::string_view value = {};
  std::uint64_t tag = 0;
};
// The first entry of that key, which is the newest.
Searched find_newest(std::string_view contents, std::string_view key);

// A filter of 256 bits over the keys of a data block, in memory only. It spares most absent keys a look at the block.
struct Sketch {
  std::array<std::uint64_t, 4> words{};

  // One bit of each word.
  static std::array<std::uint64_t, 4> bits_of(Hash key);
};
// Returns the sketch of the keys, by that hash. Returns nothing when the entries are too many to be worth it, or do not
// hold together.
std::optional<Sketch> sketch_of(std::string_view contents, const Hasher& hasher);

// Whether entries and restarts are as spec/table.md has them, which searches and walks back rely on. Reads all of it.
bool holds_together(std::string_view contents);

}  // namespace BLOOMERY_NAMESPACE::table
