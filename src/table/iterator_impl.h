// What is behind a TableIterator: shared with the verification, which is a walk that compares everything.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "table/table_impl.h"

namespace BLOOMERY_NAMESPACE {

// Three cursors, one in each level; those below are at no entry when one above is not.
struct TableIterator::Impl {
  explicit Impl(std::shared_ptr<const Table> whose, table::From where = table::From::anywhere)
      : table(std::move(whose)), from(where) {}

  const Table::Impl& self() const { return table::impl_of(*table); }
  Entry entry() const { return {data.key(), data.value(), data.tag() >> 1, (data.tag() & 1) != 0}; }
  bool valid() const { return data.valid() && (!prefix || data.key().starts_with(*prefix)); }

  // Where to go in a block that was just opened.
  enum class To { first, last, key };

  void go(To to, std::string_view key = {});
  void go_prefix(std::string_view asked);
  void move(table::BlockCursor& cursor, To to, std::string_view key) const;
  bool open(const table::BlockCursor& above, table::Block& block, table::BlockCursor& cursor);
  void step(bool forward);
  // Goes to the first entry of the next data block, or to the last entry of the one before.
  void enter_neighbour(bool forward);
  void read_ahead();
  void fail(Error error);
  // Why the two lower blocks in which it stands are not as they should be; nothing when they are.
  const char* why_unsound() const;

  std::shared_ptr<const Table> table;
  table::From from;
  table::BlockCursor top, index, data;
  table::Block index_block, data_block;
  std::optional<std::string> prefix;  // beyond which it does not go
  std::uint64_t read_ahead_to = 0;    // of a mapped file
  Status status;
};

}  // namespace BLOOMERY_NAMESPACE
