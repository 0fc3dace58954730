// Entries in, file out. In memory: one data block, one index block, the top of the index, and what FilterBuilder holds.
#include <algorithm>
#include <limits>
#include <utility>

#include "bloomery/table/table.h"
#include "core/base/error.h"
#include "table/block.h"
#include "table/cache.h"
#include "table/writer.h"

namespace BLOOMERY_NAMESPACE {

using table::Handle;

const char* to_string(Compression compression) noexcept {
  switch (compression) {
    case Compression::none: return "none";
    case Compression::lz4: return "lz4";
    case Compression::zstd: return "zstd";
  }
  return "?";
}

Result<Compression> compression_from_name(std::string_view name) {
  for (const Compression compression : {Compression::none, Compression::lz4, Compression::zstd})
    if (name == to_string(compression)) return compression;
  return invalid_argument("compression", "there is no compression '" + std::string(name) + "': none, lz4 or zstd");
}

namespace {

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();  // of a key or a value
constexpr std::uint64_t kMostSequence = (std::uint64_t{1} << 63) - 1;
constexpr std::size_t kIndexBlockBytes = 4096;

bool is_known(Compression compression) {
  switch (compression) {
    case Compression::none:
    case Compression::lz4:
    case Compression::zstd: return true;
  }
  return false;
}

Status check(const TableOptions& options) {
  if (options.block_bytes < 64 || options.block_bytes > (std::size_t{1} << 30))
    return invalid_argument("block_bytes",
                            "a data block has from 64 bytes to 1 GiB, and not " + std::to_string(options.block_bytes));
  if (options.restart_interval == 0)
    return invalid_argument("restart_interval",
                            "there is a key written whole every 1 to 2^32 - 1 keys, and not every 0");
  if (!is_known(options.compression))
    return invalid_argument("compression", "compression is " + std::to_string(static_cast<int>(options.compression)) +
                                               ": it is none (0), lz4 (1) or zstd (2)");
  return table::FilterBuilder::check(options);
}

Error is_finished(const char* field) { return invalid_argument(field, "the table is finished: build another one"); }

}  // namespace

struct TableBuilder::Impl {
  Impl(table::TableWriter target, const TableOptions& chosen)
      : file(std::move(target)), options(chosen), data(options.restart_interval), index(1), top(1), filters(options) {}

  static Result<std::unique_ptr<Impl>> create(const std::string& path, io::IfThere if_there,
                                              const TableOptions& options);
  Status add(const Entry& entry);
  Status write_listed(table::BlockBuilder& block, Compression compression, table::BlockBuilder& above);
  Status finish_data_block();
  Status finish_index_block();
  Result<Handle> finish_index();
  Result<TableProperties> finish();

  table::TableWriter file;
  TableOptions options;
  table::BlockBuilder data, index, top;
  table::FilterBuilder filters;
  std::string last_key;
  std::uint64_t last_sequence = 0;
  TableProperties properties;
  bool over = false;      // finished, or failed: what is written may lack something
  bool finished = false;  // finish was called
};

const table::TableWriter& detail::TableAccess::file(const TableBuilder& builder) { return builder.impl_->file; }

TableBuilder::TableBuilder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TableBuilder::TableBuilder(TableBuilder&&) noexcept = default;
TableBuilder& TableBuilder::operator=(TableBuilder&&) noexcept = default;
TableBuilder::~TableBuilder() = default;

Result<std::unique_ptr<TableBuilder::Impl>> TableBuilder::Impl::create(const std::string& path, io::IfThere if_there,
                                                                       const TableOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Impl>> {
    BLOOMERY_TRY(check(options));
    Result<table::TableWriter> file = table::TableWriter::create(path, if_there);
    BLOOMERY_TRY(file);
    return std::make_unique<Impl>(*std::move(file), options);
  });
}

Result<TableBuilder> TableBuilder::create(const std::string& path, const TableOptions& options) {
  Result<std::unique_ptr<Impl>> impl = Impl::create(path, io::IfThere::replace, options);
  BLOOMERY_TRY(impl);
  return TableBuilder(*std::move(impl));
}

Result<TableBuilder> TableBuilder::create_new(const std::string& path, const TableOptions& options) {
  Result<std::unique_ptr<Impl>> impl = Impl::create(path, io::IfThere::refuse, options);
  BLOOMERY_TRY(impl);
  return TableBuilder(*std::move(impl));
}

std::uint64_t TableBuilder::entries() const { return impl_ ? impl_->properties.entries : 0; }
std::uint64_t TableBuilder::file_bytes() const { return impl_ ? impl_->file.written() + impl_->data.bytes() : 0; }

Status TableBuilder::add(const Entry& entry) {
  Status status = guarded([&]() -> Status {
    if (!impl_ || impl_->finished) return is_finished("add");
    return impl_->add(entry);
  });
  if (!status.ok() && impl_) impl_->over = true;
  return status;
}
Result<TableProperties> TableBuilder::finish() {
  return guarded([&]() -> Result<TableProperties> {
    if (!impl_) return is_finished("finish");
    impl_->finished = true;
    if (std::exchange(impl_->over, true))
      return invalid_argument("finish", "the table was finished before, or an entry was refused: build another one");
    return impl_->finish();
  });
}

Status TableBuilder::Impl::add(const Entry& entry) {
  if (entry.key.size() > kMostBytes || entry.value.size() > kMostBytes)
    return invalid_argument("entry", "a key and a value have at most 2^32 - 1 bytes each");
  if (entry.sequence > kMostSequence) return invalid_argument("sequence", "a sequence number is below 2^63");
  if (entry.deleted && !entry.value.empty()) return invalid_argument("value", "a deleted key has no value");
  const bool first = properties.entries == 0, new_key = first || entry.key != last_key;
  if (!first && (new_key ? entry.key < last_key : entry.sequence >= last_sequence))
    return invalid_argument("order", new_key ? "keys must come in ascending order, as unsigned bytes: sort them first"
                                             : "of several entries of a key the newer one comes first, and no two have "
                                               "the same sequence number");
  if (!data.empty() && data.bytes() + entry.key.size() + entry.value.size() > options.block_bytes)
    BLOOMERY_TRY(finish_data_block());
  data.add(entry.key, entry.value, 2 * entry.sequence + (entry.deleted ? 1 : 0));
  if (new_key) {
    ++properties.keys;
    last_key.assign(entry.key);
    BLOOMERY_TRY(filters.add(entry.key));
  }
  if (first) properties.smallest.assign(entry.key);
  last_sequence = entry.sequence;
  properties.min_sequence = first ? entry.sequence : std::min(properties.min_sequence, entry.sequence);
  properties.max_sequence = std::max(properties.max_sequence, entry.sequence);
  properties.key_bytes += entry.key.size();
  properties.value_bytes += entry.value.size();
  properties.deleted += entry.deleted ? 1 : 0;
  ++properties.entries;
  return {};
}

// Puts a finished block into the index above it.
Status TableBuilder::Impl::write_listed(table::BlockBuilder& block, Compression compression,
                                        table::BlockBuilder& above) {
  Result<Handle> handle = file.write_block(block.finish(), compression);
  BLOOMERY_TRY(handle);
  if (above.is_full()) return table::index_is_full();
  above.add(block.last_key(), table::encode_handle(*handle), 0);
  block.reset();
  return {};
}

Status TableBuilder::Impl::finish_data_block() {
  BLOOMERY_TRY(write_listed(data, options.compression, index));
  ++properties.blocks;
  return index.bytes() < kIndexBlockBytes ? Status() : finish_index_block();
}

Status TableBuilder::Impl::finish_index_block() {
  const std::uint64_t before = file.written();
  BLOOMERY_TRY(write_listed(index, Compression::none, top));
  properties.index_bytes += file.written() - before;
  return {};
}

// Writes what is left of the data and of the index. Returns where the top of the index is.
Result<Handle> TableBuilder::Impl::finish_index() {
  if (!data.empty()) BLOOMERY_TRY(finish_data_block());
  if (!index.empty()) BLOOMERY_TRY(finish_index_block());
  Handle top_at;
  if (!top.empty()) {
    Result<Handle> handle = file.write_block(top.finish(), Compression::none);
    BLOOMERY_TRY(handle);
    top_at = *handle;
    properties.index_bytes += handle->bytes + table::kTrailerBytes;
  }
  properties.largest = last_key;
  return top_at;
}

Result<TableProperties> TableBuilder::Impl::finish() {
  Result<Handle> top_at = finish_index();
  BLOOMERY_TRY(top_at);
  BLOOMERY_TRY(file.finish(*top_at, filters, properties));
  return std::move(properties);  // a copy takes memory, and the file is there
}

Result<std::shared_ptr<Table>> TableBuilder::finish_unnamed() {
  return guarded([&]() -> Result<std::shared_ptr<Table>> {
    if (!impl_ || impl_->finished) return is_finished("finish_unnamed");
    if (impl_->over) return invalid_argument("finish_unnamed", "an entry was refused: build another one");
    const std::unique_ptr<Impl> impl = std::move(impl_);  // its end removes the name; the table has the file open
    TableOptions no_filter;
    no_filter.filter.reset();
    impl->filters = table::FilterBuilder(no_filter);
    Result<Handle> top_at = impl->finish_index();
    BLOOMERY_TRY(top_at);
    BLOOMERY_TRY(impl->file.write_end(*top_at, impl->filters, impl->properties));
    TableReadOptions once;  // without a mapping, whose pages would count as memory of this process
    once.map = false;
    return Table::open(impl->file.temporary_name(), once);
  });
}

}  // namespace BLOOMERY_NAMESPACE
