// Walking over a table, and its verification, which is a walk that compares everything.
#include <new>

#include "base/error.h"
#include "table/table_impl.h"

namespace bloomery {

using table::BlockCursor;
using table::Handle;

// Three cursors, one in each level; those below are at no entry when one above is not.
struct TableIterator::Impl {
  explicit Impl(std::shared_ptr<const Table> whose) : table(std::move(whose)), top(self().top.contents) {
    if (self().top.contents.empty()) top = BlockCursor();
  }

  const Table::Impl& self() const { return *table->impl_; }

  // Where to go in a block that was just opened.
  enum class To { first, last, key };

  void go(To to, std::string_view key = {});
  void move(BlockCursor& cursor, To to, std::string_view key) const;
  bool open(const BlockCursor& above, table::Block& block, BlockCursor& cursor);
  void step(bool forward);
  void fail(Error error);
  const char* why_unsound() const;
  // Runs a move; without memory for it, the walk ends with that error.
  template <class Move>
  void guard(const Move& move) noexcept {
    try {
      move();
    } catch (const std::bad_alloc&) {
      status = out_of_memory();
      index = data = BlockCursor();
    }
  }

  std::shared_ptr<const Table> table;
  BlockCursor top, index, data;
  table::Block index_block, data_block;
  Status status;
};

void TableIterator::Impl::fail(Error error) {
  status = in_file(std::move(error), self().path);
  index = data = BlockCursor();
}

void TableIterator::Impl::move(BlockCursor& cursor, To to, std::string_view key) const {
  if (to == To::first) cursor.first();
  else if (to == To::last) cursor.last();
  else cursor.seek(key);
}

// The block that the entry above points to. False at an end and after an error.
bool TableIterator::Impl::open(const BlockCursor& above, table::Block& block, BlockCursor& cursor) {
  if (!above.valid()) {
    cursor = BlockCursor();
    if (above.damaged()) fail(corrupt("index", "the index does not hold together; build the table again"));
    return false;
  }
  const std::optional<Handle> handle = table::decode_handle(above.value());
  Result<table::Block> read =
      handle ? self().block(*handle) : Result<table::Block>(corrupt("index", "the index does not hold together"));
  if (!read.ok()) {
    fail(std::move(read).error());
    return false;
  }
  block = *std::move(read);
  cursor = BlockCursor(block.contents);
  return true;
}

void TableIterator::Impl::go(To to, std::string_view key) {
  status = {};
  data = index = BlockCursor();
  if (self().top.contents.empty()) return;
  top = BlockCursor(self().top.contents);
  move(top, to, key);
  if (!open(top, index_block, index)) return;
  move(index, to, key);
  if (!open(index, data_block, data)) return;
  move(data, to, key);
  if (data.damaged()) fail(corrupt("block", "a data block does not hold together; build the table again"));
}

void TableIterator::Impl::step(bool forward) {
  if (!data.valid()) return;
  const auto next = [&](BlockCursor& cursor) { forward ? cursor.next() : cursor.previous(); };
  const To entering = forward ? To::first : To::last;
  next(data);
  if (!data.valid() && !data.damaged()) {
    next(index);
    if (!index.valid() && !index.damaged()) {
      next(top);
      if (!open(top, index_block, index)) {
        data = BlockCursor();
        return;
      }
      move(index, entering, {});
    }
    if (!open(index, data_block, data)) return;
    move(data, entering, {});
  }
  if (data.damaged()) fail(corrupt("block", "a data block does not hold together; build the table again"));
}

// Why the two lower blocks in which it stands are not as they should be; nothing when they are.
const char* TableIterator::Impl::why_unsound() const {
  const auto ends_with = [](std::string_view contents, std::string_view key) {
    BlockCursor cursor(contents);
    cursor.last();
    return cursor.valid() && cursor.key() == key;
  };
  if (!table::holds_together(index_block.contents)) return "an index block does not hold together";
  if (!table::holds_together(data_block.contents)) return "a data block does not hold together";
  if (!ends_with(index_block.contents, top.key()) || !ends_with(data_block.contents, index.key()))
    return "a block does not end with the key that the index says";
  return nullptr;
}

TableIterator::TableIterator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TableIterator::TableIterator(TableIterator&&) noexcept = default;
TableIterator& TableIterator::operator=(TableIterator&&) noexcept = default;
TableIterator::~TableIterator() = default;

TableIterator Table::iterate() const {
  return TableIterator(std::make_unique<TableIterator::Impl>(shared_from_this()));
}

void TableIterator::first() {
  impl_->guard([&] { impl_->go(Impl::To::first); });
}
void TableIterator::last() {
  impl_->guard([&] { impl_->go(Impl::To::last); });
}
void TableIterator::seek(std::string_view key) {
  impl_->guard([&] { impl_->go(Impl::To::key, key); });
}
void TableIterator::next() {
  impl_->guard([&] { impl_->step(true); });
}
void TableIterator::previous() {
  impl_->guard([&] { impl_->step(false); });
}
bool TableIterator::valid() const { return impl_->data.valid(); }
const Status& TableIterator::status() const { return impl_->status; }
Entry TableIterator::entry() const {
  const BlockCursor& at = impl_->data;
  return {at.key(), at.value(), at.tag() >> 1, (at.tag() & 1) != 0};
}

Status Table::verify() const {
  return guarded([&]() -> Status {
    const auto wrong = [&](const char* field, const std::string& what) {
      return in_file(corrupt(field, what + "; build the table again"), path());
    };
    std::uint64_t entries = 0, keys = 0, deleted = 0;
    std::string last;
    std::uint64_t last_sequence = 0;
    TableIterator at = iterate();
    for (at.first(); at.valid(); at.next(), ++entries) {
      const Entry entry = at.entry();
      const bool new_key = entries == 0 || entry.key != last;
      if (entries > 0 && (new_key ? entry.key < std::string_view(last) : entry.sequence >= last_sequence))
        return wrong("order", "the entries are not in order");
      if (new_key && !may_contain(entry.key)) return wrong("filter", "the filter denies a key that is there");
      if (new_key) last.assign(entry.key);
      last_sequence = entry.sequence;
      keys += new_key ? 1 : 0;
      deleted += entry.deleted ? 1 : 0;
    }
    if (!at.status().ok()) return at.status();
    const TableProperties& told = properties();
    if (entries != told.entries || keys != told.keys || deleted != told.deleted)
      return wrong("properties", "the properties count " + std::to_string(told.entries) + " entries, and there are " +
                                     std::to_string(entries));
    // Every key is found by the way that a get takes, in the block where the walk meets it first.
    if (entries > 0 && !table::holds_together(impl_->top.contents))
      return wrong("index", "the top of the index does not hold together");
    std::optional<Handle> block;
    bool first = true;
    for (at.first(); at.valid(); at.next(), first = false) {
      const Entry entry = at.entry();
      const std::optional<Handle> here = table::decode_handle(at.impl_->index.value());
      if (here != block)
        if (const char* why = at.impl_->why_unsound()) return wrong("block", why);
      block = here;
      if (!first && entry.key == last) continue;
      last.assign(entry.key);
      Result<std::optional<Handle>> handle = impl_->data_block_of(entry.key);
      if (!handle.ok()) return in_file(std::move(handle).error(), path());
      if (*handle != here) return wrong("index", "the index does not lead to a key that is there");
      const table::Searched found = table::find_newest(at.impl_->data_block.contents, entry.key);
      if (!found.found || found.tag != at.impl_->data.tag())
        return wrong("block", "a search does not find a key that is there");
    }
    if (!at.status().ok()) return at.status();
    if (impl_->unusable) return wrong("filter", "the filter is damaged or unknown, and the table is read without it");
    return {};
  });
}

}  // namespace bloomery
