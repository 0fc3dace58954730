#include <algorithm>

#include "base/error.h"
#include "table/iterator_impl.h"
#include "table/writer.h"

namespace bloomery {
namespace {

constexpr std::size_t kCopyBytes = 1 << 20;

// Data and index, which all lie before the end of the top index.
Status copy_blocks(const Table::Impl& from, std::uint64_t bytes, table::TableWriter& to) {
  if (from.map) return to.copy(from.map->bytes().first(bytes));
  std::vector<std::uint8_t> room(std::min<std::uint64_t>(bytes, kCopyBytes));
  for (std::uint64_t at = 0; at < bytes; at += room.size()) {
    const std::span<std::uint8_t> piece = std::span(room).first(std::min<std::uint64_t>(room.size(), bytes - at));
    if (Status status = from.file->read_at(at, piece); !status.ok()) return status;
    if (Status status = to.copy(piece); !status.ok()) return status;
  }
  return {};
}

}  // namespace

Result<TableProperties> refilter(const Table& table, const std::string& path, const TableOptions& options) {
  return guarded([&]() -> Result<TableProperties> {
    if (Status status = table::FilterBuilder::check(options); !status.ok()) return std::move(status).error();
    const Table::Impl& from = table.impl();
    table::FilterBuilder filters(options);
    std::string last;
    std::uint64_t entries = 0;
    TableIterator::Impl at(table.shared_from_this(), table::From::file);
    for (at.go(TableIterator::Impl::To::first); at.valid(); at.step(true)) {
      const Entry entry = at.entry();
      if (entries++ > 0 && entry.key == last) continue;
      if (Status status = filters.add(entry.key); !status.ok()) return std::move(status).error();
      last.assign(entry.key);
    }
    if (!at.status.ok()) return at.status.error();
    TableProperties told = from.told;
    if (entries != told.entries)
      return in_file(corrupt("properties", "the table has " + std::to_string(entries) + " entries where it says " +
                                               std::to_string(told.entries) + "; build it again"),
                     table.path());
    told.filter.reset();
    told.filter_bytes = told.filter_partitions = told.prefixes = 0;
    told.designed_fpr = 0;
    told.prefix.clear();
    Result<table::TableWriter> to = table::TableWriter::create(path);
    if (!to.ok()) return std::move(to).error();
    const table::Handle& top = from.footer.index;
    const std::uint64_t bytes = top.bytes == 0 ? 0 : top.offset + top.bytes + table::kTrailerBytes;
    if (Status status = copy_blocks(from, bytes, *to); !status.ok()) return std::move(status).error();
    if (Status status = to->finish(top, filters, told); !status.ok()) return std::move(status).error();
    return told;
  });
}

}  // namespace bloomery
