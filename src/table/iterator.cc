// Walking over a table.
#include <new>
#include <string>

#include "core/base/error.h"
#include "table/iterator_impl.h"

namespace BLOOMERY_NAMESPACE {

using table::BlockCursor;
using table::Handle;

void TableIterator::Impl::fail(Error error) {
  status = in_file(std::move(error), self().path);
  index = data = BlockCursor();
}

void TableIterator::Impl::move(BlockCursor& cursor, To to, std::string_view key) const {
  if (to == To::first) cursor.first();
  else if (to == To::last) cursor.last();
  else cursor.seek(key);
}

// Opens the block that the entry above points to. False at an end and after an error.
bool TableIterator::Impl::open(const BlockCursor& above, table::Block& block, BlockCursor& cursor) {
  if (!above.valid()) {
    cursor = BlockCursor();
    if (above.damaged()) fail(corrupt("index", "the index does not hold together; build the table again"));
    return false;
  }
  const std::optional<Handle> handle = table::decode_handle(above.value());
  Result<table::Block> read =
      handle ? self().block(*handle, from) : Result<table::Block>(corrupt("index", "the index does not hold together"));
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
  prefix.reset();
  read_ahead_to = 0;
  data = index = BlockCursor();
  if (self().top.size() == 0) return;
  top = BlockCursor(self().top.contents());
  move(top, to, key);
  if (!open(top, index_block, index)) return;
  move(index, to, key);
  if (index.valid() || index.damaged()) {
    if (!open(index, data_block, data)) return;
    move(data, to, key);
  }
  // The index may have a key for a block that is above the last key in it: then the key that is looked for is in the
  // next block.
  if (to == To::key && index.valid() && !data.valid() && !data.damaged()) return enter_neighbour(true);
  if (data.damaged()) fail(corrupt("block", "a data block does not hold together; build the table again"));
  else if (!data.valid())
    fail(corrupt("index", "the index promises a key that its block lacks; build the table again"));
}

void TableIterator::Impl::go_prefix(std::string_view asked) {
  Result<bool> maybe = self().may_contain_prefix(asked);
  if (!maybe.ok()) return fail(std::move(maybe).error());
  if (*maybe) {
    go(To::key, asked);
  } else {
    status = {};
    data = index = BlockCursor();
  }
  prefix.emplace(asked);
}

// A mapped file is told to expect reads here and there, so a walk forward says what comes.
void TableIterator::Impl::read_ahead() {
  constexpr std::uint64_t kAhead = 2 << 20;
  const std::optional<Handle> next = index.valid() ? table::decode_handle(index.value()) : std::nullopt;
  if (!self().map || !next || next->offset >= self().size || next->offset + kAhead / 2 < read_ahead_to) return;
  self().map->will_need(next->offset, kAhead);
  read_ahead_to = next->offset + kAhead;
}

void TableIterator::Impl::step(bool forward) {
  if (!valid()) return;
  forward ? data.next() : data.previous();
  if (!data.valid() && !data.damaged()) return enter_neighbour(forward);
  if (data.damaged()) fail(corrupt("block", "a data block does not hold together; build the table again"));
}

void TableIterator::Impl::enter_neighbour(bool forward) {
  const auto next = [&](BlockCursor& cursor) { forward ? cursor.next() : cursor.previous(); };
  const To entering = forward ? To::first : To::last;
  next(index);
  if (!index.valid() && !index.damaged()) {
    next(top);
    if (!open(top, index_block, index)) {
      data = BlockCursor();
      return;
    }
    move(index, entering, {});
  }
  if (forward) read_ahead();
  if (!open(index, data_block, data)) return;
  move(data, entering, {});
  if (data.damaged()) fail(corrupt("block", "a data block does not hold together; build the table again"));
}

TableIterator::TableIterator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TableIterator::TableIterator(TableIterator&&) noexcept = default;
TableIterator& TableIterator::operator=(TableIterator&&) noexcept = default;
TableIterator::~TableIterator() = default;

TableIterator Table::iterate() const {
  try {
    return TableIterator(std::make_unique<TableIterator::Impl>(shared_from_this()));
  } catch (const std::bad_alloc&) {
    return TableIterator(nullptr);  // its status says why
  }
}

template <class Move>
void TableIterator::guard(const Move& move) noexcept {
  if (impl_ == nullptr) return;
  try {
    move(*impl_);
  } catch (const std::bad_alloc&) {
    impl_->status = out_of_memory();
    impl_->index = impl_->data = BlockCursor();
  }
}

void TableIterator::first() {
  guard([](Impl& impl) { impl.go(Impl::To::first); });
}
void TableIterator::last() {
  guard([](Impl& impl) { impl.go(Impl::To::last); });
}
void TableIterator::seek(std::string_view key) {
  guard([&](Impl& impl) { impl.go(Impl::To::key, std::string(key)); });  // it may be of the entry, which goes
}
void TableIterator::seek_prefix(std::string_view prefix) {
  guard([&](Impl& impl) { impl.go_prefix(std::string(prefix)); });
}
void TableIterator::next() {
  guard([](Impl& impl) { impl.step(true); });
}
void TableIterator::previous() {
  guard([](Impl& impl) { impl.step(false); });
}
bool TableIterator::valid() const { return impl_ != nullptr && impl_->valid(); }
const Status& TableIterator::status() const {
  static const Status no_memory = out_of_memory();
  return impl_ != nullptr ? impl_->status : no_memory;
}
Entry TableIterator::entry() const { return impl_->entry(); }

}  // namespace BLOOMERY_NAMESPACE
