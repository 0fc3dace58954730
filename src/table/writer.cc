#include "table/writer.h"

#include "table/block.h"
#include "table/properties.h"

namespace BLOOMERY_NAMESPACE::table {
namespace {

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Result<TableWriter> TableWriter::create(const std::string& path, io::IfThere if_there) {
  Result<io::AtomicFile> file = io::AtomicFile::create(path, if_there);
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

Status TableWriter::finish(const Handle& top, FilterBuilder& filters, TableProperties& properties) {
  BLOOMERY_TRY(write_end(top, filters, properties));
  return file_.commit();
}

Status TableWriter::write_end(const Handle& top, FilterBuilder& filters, TableProperties& properties) {
  const auto write = [&](std::string_view contents, bool aligned) -> Result<Handle> {
    const std::string gap(aligned ? (kFilterAlignment - written_ % kFilterAlignment) % kFilterAlignment : 0, '\0');
    BLOOMERY_TRY(copy(as_bytes(gap)));
    return write_block(contents, Compression::none);
  };
  Result<FilterBuilder::Written> filter = filters.finish(write, properties);
  BLOOMERY_TRY(filter);
  Result<Handle> written = write_block(encode_properties(properties, filter->prefixes), Compression::none);
  BLOOMERY_TRY(written);
  const Footer footer{.index = top,
                      .filter = filter->filter,
                      .properties = *written,
                      .partitioned = filter->partitioned,
                      .file_bytes = written_ + kFooterBytes};
  properties.file_bytes = footer.file_bytes;
  return file_.write(encode_footer(footer));
}

}  // namespace BLOOMERY_NAMESPACE::table
