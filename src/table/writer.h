// A table's file while it is written: blocks one after the other, then filters, properties and footer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/io/atomic_file.h"
#include "table/filter_builder.h"
#include "table/format.h"

namespace BLOOMERY_NAMESPACE::table {

// Protocol: create (write_block | copy)* finish; destruction without finish leaves nothing behind.
class TableWriter {
 public:
  static Result<TableWriter> create(const std::string& path, io::IfThere if_there = io::IfThere::replace);

  Result<Handle> write_block(std::string_view contents, Compression compression);
  // Writes bytes of another table, as they are.
  Status copy(std::span<const std::uint8_t> bytes);
  std::uint64_t written() const { return written_; }
  // Which file finish has published, where it had to be new.
  const std::optional<io::FileIdentity>& published() const { return file_.published(); }

  // Publishes the file under its name, and completes the properties. `top` is where the top of the index lies.
  Status finish(const Handle& top, FilterBuilder& filters, TableProperties& properties);
  // Finishes the file without a name: it is whole, and gone with this object.
  Status write_end(const Handle& top, FilterBuilder& filters, TableProperties& properties);
  const std::string& temporary_name() const { return file_.temporary_name(); }

 private:
  explicit TableWriter(io::AtomicFile file) : file_(std::move(file)) {}

  io::AtomicFile file_;
  std::uint64_t written_ = 0;
};

}  // namespace BLOOMERY_NAMESPACE::table
