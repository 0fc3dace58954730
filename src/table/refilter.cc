#include <algorithm>

#include "core/base/error.h"
#include "table/iterator_impl.h"
#include "table/writer.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr std::size_t kCopyBytes = 1 << 20;

// Copies data and index, which all lie before the end of the top index.
Status copy_blocks(const Table::Impl& from, std::uint64_t bytes, table::TableWriter& to) {
  if (from.map) return to.copy(from.map->bytes().first(bytes));
  std::vector<std::uint8_t> room(std::min<std::uint64_t>(bytes, kCopyBytes));
  for (std::uint64_t at = 0; at < bytes; at += room.size()) {
    const std::span<std::uint8_t> piece = std::span(room).first(std::min<std::uint64_t>(room.size(), bytes - at));
    BLOOMERY_TRY(from.file->read_at(at, piece));
    BLOOMERY_TRY(to.copy(piece));
  }
  return {};
}

}  // namespace

Result<TableProperties> refilter(const Table& table, const std::string& path, const TableOptions& options) {
  return guarded([&]() -> Result<TableProperties> {
    BLOOMERY_TRY(table::FilterBuilder::check(options));
    const Table::Impl& from = table::impl_of(table);
    table::FilterBuilder filters(options);
    std::string last;
    std::uint64_t entries = 0;
    TableIterator::Impl at(table.shared_from_this(), table::From::file);
    for (at.go(TableIterator::Impl::To::first); at.valid(); at.step(true)) {
      const Entry entry = at.entry();
      if (entries++ > 0 && entry.key == last) continue;
      BLOOMERY_TRY(filters.add(entry.key));
      last.assign(entry.key);
    }
    BLOOMERY_TRY(at.status);
    TableProperties properties = from.properties;
    if (entries != properties.entries)
      return in_file(corrupt("properties", "the table has " + std::to_string(entries) + " entries where it says " +
                                               std::to_string(properties.entries) + "; build it again"),
                     table.path());
    properties.filter.reset();
    properties.filter_bytes = properties.filter_partitions = properties.prefixes = 0;
    properties.designed_fpr = 0;
    properties.prefix.clear();
    Result<table::TableWriter> to = table::TableWriter::create(path);
    BLOOMERY_TRY(to);
    const table::Handle& top = from.footer.index;
    const std::uint64_t bytes = top.bytes == 0 ? 0 : top.offset + top.bytes + table::kTrailerBytes;
    BLOOMERY_TRY(copy_blocks(from, bytes, *to));
    BLOOMERY_TRY(to->finish(top, filters, properties));
    return properties;
  });
}

}  // namespace BLOOMERY_NAMESPACE
