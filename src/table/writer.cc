#include "table/writer.h"

#include <charconv>

#include "table/block.h"

namespace bloomery::table {
namespace {

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The fewest digits that give the same number back.
std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

}  // namespace

Result<TableWriter> TableWriter::create(const std::string& path) {
  Result<io::AtomicFile> file = io::AtomicFile::create(path);
  BLOOMERY_TRY(file);
  return TableWriter(*std::move(file));
}

Status TableWriter::copy(std::span<const std::uint8_t> bytes) {
  written_ += bytes.size();
  return file_.write(bytes);
}

Result<Handle> TableWriter::write_block(std::string_view contents, Compression compression) {
  Result<std::string> stored = encode_block(contents, compression, written_);
  BLOOMERY_TRY(stored);
  const Handle handle{written_, stored->size() - kTrailerBytes};
  BLOOMERY_TRY(copy(as_bytes(*stored)));
  return handle;
}

Result<Handle> TableWriter::write_properties(const TableProperties& told, const Handle& prefixes) {
  BlockBuilder block(1);
  const auto number = [&](const char* name, std::uint64_t value) { block.add(name, std::to_string(value), 0); };
  // In the order of the names.
  number("blocks", told.blocks);
  number("deleted", told.deleted);
  number("entries", told.entries);
  if (told.filter) {
    number("filter.bytes", told.filter_bytes);
    block.add("filter.fpr", shortest(told.designed_fpr), 0);
    block.add("filter.kind", to_string(*told.filter), 0);
    number("filter.partitions", told.filter_partitions);
  }
  number("index_bytes", told.index_bytes);
  number("key_bytes", told.key_bytes);
  number("keys", told.keys);
  block.add("largest", told.largest, 0);
  number("max_sequence", told.max_sequence);
  number("min_sequence", told.min_sequence);
  if (prefixes.bytes > 0) {
    number("prefix.count", told.prefixes);
    block.add("prefix.filter", encode_handle(prefixes), 0);
    block.add("prefix.name", told.prefix, 0);
  }
  block.add("smallest", told.smallest, 0);
  number("value_bytes", told.value_bytes);
  return write_block(block.finish(), Compression::none);
}

Status TableWriter::finish(const Handle& top, FilterBuilder& filters, TableProperties& told) {
  BLOOMERY_TRY(write_end(top, filters, told));
  return file_.commit();
}

Status TableWriter::write_end(const Handle& top, FilterBuilder& filters, TableProperties& told) {
  const auto write = [&](std::string_view contents, bool aligned) -> Result<Handle> {
    const std::string gap(aligned ? (kFilterAlignment - written_ % kFilterAlignment) % kFilterAlignment : 0, '\0');
    BLOOMERY_TRY(copy(as_bytes(gap)));
    return write_block(contents, Compression::none);
  };
  Result<FilterBuilder::Written> filter = filters.finish(write, told);
  BLOOMERY_TRY(filter);
  Result<Handle> properties = write_properties(told, filter->prefixes);
  BLOOMERY_TRY(properties);
  const Footer footer{.index = top,
                      .filter = filter->filter,
                      .properties = *properties,
                      .partitioned = filter->partitioned,
                      .file_bytes = written_ + kFooterBytes};
  told.file_bytes = footer.file_bytes;
  return file_.write(encode_footer(footer));
}

}  // namespace bloomery::table
