// Everything read again and compared: checksums, order, index, filters, properties.
#include <algorithm>
#include <array>
#include <string>

#include "core/base/error.h"
#include "table/filter_builder.h"
#include "table/iterator_impl.h"

namespace BLOOMERY_NAMESPACE {

using table::BlockCursor;
using table::Handle;

const char* TableIterator::Impl::why_unsound() const {
  const auto last_of = [](std::string_view contents) {
    BlockCursor cursor(contents);
    cursor.last();
    return cursor.valid() ? std::optional<std::string>(cursor.key()) : std::nullopt;
  };
  if (!table::holds_together(index_block.contents)) return "an index block does not hold together";
  if (!table::holds_together(data_block.contents)) return "a data block does not hold together";
  if (last_of(index_block.contents) != top.key()) return "an index block does not end with the key that the top says";
  // The way of each key through the index tells whether it is below the next block.
  const std::optional<std::string> last = last_of(data_block.contents);
  if (!last || *last > index.key()) return "a block ends behind the key that the index says";
  return nullptr;
}

namespace {

// The filter of keys as the file has it now, asked in their order.
class FilterOfKeys {
 public:
  explicit FilterOfKeys(const Table::Impl& table) : table_(table) {}

  Status open() {
    if (table_.footer.filter.bytes == 0) return {};
    if (!table_.footer.partitioned)
      return take(table_.read_envelope(table_.footer.filter, table_.properties.keys, memory_));
    Result<table::Block> read = table_.block(table_.footer.filter, table::From::file);
    BLOOMERY_TRY(read);
    index_ = *std::move(read);
    if (!table::holds_together(index_.contents)) return corrupt("filter", "its index does not hold together");
    at_ = BlockCursor(index_.contents);
    at_.first();
    return open_partition();
  }

  // Keys ascend.
  Result<bool> denies(std::string_view key) {
    if (table_.footer.partitioned) {
      while (at_.valid() && at_.key() < key) {
        at_.next();
        BLOOMERY_TRY(open_partition());
      }
      if (!at_.valid()) return true;
    }
    return view_ && !view_->contains(key);
  }

 private:
  Status open_partition() {
    if (!at_.valid()) return {};
    const std::optional<Handle> handle = table::decode_handle(at_.value());
    if (!handle) return corrupt("filter", "its index does not hold together");
    Result<table::BlockRef> read = table_.read_partition(*handle, table::From::file);
    BLOOMERY_TRY(read);
    part_ = *std::move(read);
    return take(table::partition_view(part_));
  }
  Status take(Result<AnyView> view) {
    BLOOMERY_TRY(view);
    view_ = *view;
    return {};
  }

  const Table::Impl& table_;
  detail::Buffer memory_;
  table::Block index_;
  BlockCursor at_;
  table::BlockRef part_;
  std::optional<AnyView> view_;
};

// A walk over all entries, each held against the one before, the index, the blocks and the filters.
class Verification {
 public:
  explicit Verification(std::shared_ptr<const Table> table, const Table::Impl& impl)
      : impl_(impl), filter_(impl), at_(std::move(table), table::From::file) {}

  Status run() {
    if (Status status = impl_.verify_frame(); !status.ok()) return in_file(std::move(status).error(), impl_.path);
    BLOOMERY_TRY(open_filters());
    if (impl_.top.size() > 0 && !table::holds_together(impl_.top.contents()))
      return wrong("index", "the top of the index does not hold together");
    for (at_.go(TableIterator::Impl::To::first); at_.valid(); at_.step(true)) BLOOMERY_TRY(compare_entry());
    BLOOMERY_TRY(at_.status);
    return compare_properties();
  }

 private:
  Status wrong(const char* field, std::string what) const {
    what += "; build the table again";
    return in_file(corrupt(field, std::move(what)), impl_.path);
  }
  // A filter that cannot be read, or not without its secret, is no proof of damage.
  Status wrong_filter(const Error& why) const {
    if (why.code != ErrorCode::corrupt) return in_file(why, impl_.path);
    return wrong("filter", "the filter is damaged, or not that of this table: " + why.message);
  }

  // The checksum behind a filter, which has more of its own.
  Status check_trailer(const Handle& handle) const {
    Result<table::Block> stored = impl_.stored(handle);
    BLOOMERY_TRY(stored);
    Result<Compression> sound = table::check_block(stored->contents, handle.offset, true);
    return sound.ok() ? Status() : Status(std::move(sound).error());
  }

  Status open_filters() {
    for (const Handle& handle : {impl_.footer.filter, impl_.prefix_handle})
      if (handle.bytes > 0)
        if (Status status = check_trailer(handle); !status.ok()) return wrong_filter(status.error());
    if (Status status = filter_.open(); !status.ok()) return wrong_filter(status.error());
    if (impl_.prefix_handle.bytes == 0) return {};
    Result<AnyView> view = impl_.read_envelope(impl_.prefix_handle, impl_.properties.prefixes, prefix_memory_);
    if (!view.ok()) return wrong_filter(view.error());
    prefixes_ = *view;
    return {};
  }

  Status compare_entry() {
    const Entry entry = at_.entry();
    const bool first = seen_.entries++ == 0, new_key = first || entry.key != last_;
    if (!first && (new_key ? entry.key < std::string_view(last_) : entry.sequence >= last_sequence_))
      return wrong("order", "the entries are not in order");
    if (first) seen_.smallest.assign(entry.key);
    last_sequence_ = entry.sequence;
    seen_.min_sequence = first ? entry.sequence : std::min(seen_.min_sequence, entry.sequence);
    seen_.max_sequence = std::max(seen_.max_sequence, entry.sequence);
    seen_.deleted += entry.deleted ? 1 : 0;
    seen_.key_bytes += entry.key.size();
    seen_.value_bytes += entry.value.size();
    const std::optional<Handle> here = table::decode_handle(at_.index.value());
    if (here != block_) {
      if (const char* why = at_.why_unsound()) return wrong("block", why);
      ++seen_.blocks;
      block_ = here;
    }
    return new_key ? compare_key(entry) : Status();
  }

  // Compares a key by the ways that a get and a scan take.
  Status compare_key(const Entry& entry) {
    ++seen_.keys;
    last_.assign(entry.key);
    const Result<bool> denied = filter_.denies(entry.key);
    if (!denied.ok()) return wrong_filter(denied.error());
    if (*denied) return wrong("filter", "the filter denies a key that is there");
    if (prefixes_ && impl_.prefix) {
      const Result<std::optional<std::string_view>> prefix = table::prefix_of(*impl_.prefix, entry.key);
      if (!prefix.ok()) return in_file(prefix.error(), impl_.path);
      if (*prefix && !prefixes_->contains(**prefix))
        return wrong("filter", "the filter of prefixes denies one that is there");
    }
    const Result<std::optional<Table::Impl::Place>> place = impl_.place_of(entry.key);
    if (!place.ok()) return in_file(place.error(), impl_.path);
    if (!*place || (*place)->handle() != block_)
      return wrong("index", "the index does not lead to a key that is there");
    const table::Searched found = table::find_newest(at_.data_block.contents, entry.key);
    if (!found.found || found.tag != at_.data.tag())
      return wrong("block", "a search does not find a key that is there");
    return {};
  }

  Status compare_properties() {
    seen_.largest = last_;
    const TableProperties& properties = impl_.properties;
    const auto numbers = [](const TableProperties& p) {
      return std::array{p.entries,   p.keys,        p.deleted,      p.blocks,
                        p.key_bytes, p.value_bytes, p.min_sequence, p.max_sequence};
    };
    if (numbers(seen_) == numbers(properties) && seen_.smallest == properties.smallest &&
        seen_.largest == properties.largest)
      return {};
    return wrong("properties", "the properties say " + std::to_string(properties.entries) + " entries in " +
                                   std::to_string(properties.blocks) + " blocks, and there are " +
                                   std::to_string(seen_.entries) + " in " + std::to_string(seen_.blocks) +
                                   ", or another property is wrong");
  }

  const Table::Impl& impl_;
  FilterOfKeys filter_;
  detail::Buffer prefix_memory_;
  std::optional<AnyView> prefixes_;
  TableIterator::Impl at_;
  TableProperties seen_;
  std::string last_;
  std::uint64_t last_sequence_ = 0;
  std::optional<Handle> block_;
};

}  // namespace

Status Table::verify() const {
  return guarded([&] { return Verification(shared_from_this(), *impl_).run(); });
}

}  // namespace BLOOMERY_NAMESPACE
