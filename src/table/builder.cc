// Entries in, file out. In memory: one data block, one index block, the top of the index, and for the filter eight
// bytes a key.
#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "base/error.h"
#include "bloomery/detail/bits.h"
#include "bloomery/table.h"
#include "io/atomic_file.h"
#include "table/block.h"
#include "table/format.h"

namespace bloomery {

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

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The fewest digits that give the same number back.
std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

Status check(const TableOptions& options) {
  if (options.block_bytes < 64 || options.block_bytes > (std::size_t{1} << 30))
    return invalid_argument("block_bytes",
                            "a data block has from 64 bytes to 1 GiB, and not " + std::to_string(options.block_bytes));
  if (options.restart_interval == 0)
    return invalid_argument("restart_interval",
                            "there is a key written whole every 1 to 2^32 - 1 keys, and not every 0");
  if (!options.filter) return {};
  // What the kind cannot be is said before anything is written.
  Result<SizePlan> plan = plan_size(*options.filter, 1'000'000, options.filter_size);
  if (!plan.ok()) return std::move(plan).error();
  return {};
}

}  // namespace

struct TableBuilder::Impl {
  Impl(io::AtomicFile target, TableOptions chosen)
      : file(std::move(target)), options(std::move(chosen)), data(options.restart_interval), index(1), top(1) {
    if (options.filter) hasher = options.hasher.value_or(default_hasher(*options.filter));
  }

  Status add(const Entry& entry);
  Status write_listed(table::BlockBuilder& block, Compression compression, table::BlockBuilder& above);
  Status finish_data_block();
  Status finish_index_block();
  Result<Handle> write_block(std::string_view contents, Compression compression);
  Status write_filter();
  Status write_properties();
  Result<TableProperties> finish();

  io::AtomicFile file;
  TableOptions options;
  std::optional<Hasher> hasher;
  std::uint64_t written = 0;
  table::BlockBuilder data, index, top;
  std::vector<Hash> hashes;  // of the different keys
  std::string last_key;
  std::uint64_t last_sequence = 0;
  TableProperties told;
  table::Footer footer;
};

TableBuilder::TableBuilder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TableBuilder::TableBuilder(TableBuilder&&) noexcept = default;
TableBuilder& TableBuilder::operator=(TableBuilder&&) noexcept = default;
TableBuilder::~TableBuilder() = default;

Result<TableBuilder> TableBuilder::create(const std::string& path, const TableOptions& options) {
  return guarded([&]() -> Result<TableBuilder> {
    if (Status status = check(options); !status.ok()) return std::move(status).error();
    Result<io::AtomicFile> file = io::AtomicFile::create(path);
    if (!file.ok()) return std::move(file).error();
    return TableBuilder(std::make_unique<Impl>(*std::move(file), options));
  });
}

std::uint64_t TableBuilder::entries() const { return impl_->told.entries; }
std::uint64_t TableBuilder::file_bytes() const { return impl_->written + impl_->data.bytes(); }

Status TableBuilder::add(const Entry& entry) {
  return guarded([&] { return impl_->add(entry); });
}
Result<TableProperties> TableBuilder::finish() {
  return guarded([&] { return impl_->finish(); });
}

Status TableBuilder::Impl::add(const Entry& entry) {
  if (entry.key.size() > kMostBytes || entry.value.size() > kMostBytes)
    return invalid_argument("entry", "a key and a value have at most 2^32 - 1 bytes each");
  if (entry.sequence > kMostSequence) return invalid_argument("sequence", "a sequence number is below 2^63");
  if (entry.deleted && !entry.value.empty()) return invalid_argument("value", "a deleted key has no value");
  const bool first = told.entries == 0, new_key = first || entry.key != last_key;
  if (!first && (new_key ? entry.key < last_key : entry.sequence >= last_sequence))
    return invalid_argument("order", new_key ? "keys must come in ascending order, as unsigned bytes: sort them first"
                                             : "of several entries of a key the newer one comes first, and no two have "
                                               "the same sequence number");
  if (!data.empty() && data.bytes() + entry.key.size() + entry.value.size() > options.block_bytes)
    if (Status status = finish_data_block(); !status.ok()) return status;
  data.add(entry.key, entry.value, 2 * entry.sequence + (entry.deleted ? 1 : 0));
  if (new_key) {
    ++told.keys;
    last_key.assign(entry.key);
    if (hasher) hashes.push_back(hash_key(*hasher, entry.key));
  }
  if (first) told.smallest.assign(entry.key);
  last_sequence = entry.sequence;
  told.min_sequence = first ? entry.sequence : std::min(told.min_sequence, entry.sequence);
  told.max_sequence = std::max(told.max_sequence, entry.sequence);
  told.key_bytes += entry.key.size();
  told.value_bytes += entry.value.size();
  told.deleted += entry.deleted ? 1 : 0;
  ++told.entries;
  return {};
}

Result<Handle> TableBuilder::Impl::write_block(std::string_view contents, Compression compression) {
  Result<std::string> stored = table::encode_block(contents, compression, written);
  if (!stored.ok()) return std::move(stored).error();
  if (Status status = file.write(as_bytes(*stored)); !status.ok()) return std::move(status).error();
  const Handle handle{written, stored->size() - table::kTrailerBytes};
  written += stored->size();
  return handle;
}

// Puts a finished block into the index above it.
Status TableBuilder::Impl::write_listed(table::BlockBuilder& block, Compression compression,
                                        table::BlockBuilder& above) {
  Result<Handle> handle = write_block(block.finish(), compression);
  if (!handle.ok()) return std::move(handle).error();
  above.add(block.last_key(), table::encode_handle(*handle), 0);
  block.reset();
  return {};
}

Status TableBuilder::Impl::finish_data_block() {
  if (Status status = write_listed(data, options.compression, index); !status.ok()) return status;
  ++told.blocks;
  return index.bytes() < kIndexBlockBytes ? Status() : finish_index_block();
}

Status TableBuilder::Impl::finish_index_block() {
  const std::uint64_t before = written;
  if (Status status = write_listed(index, Compression::none, top); !status.ok()) return status;
  told.index_bytes += written - before;
  return {};
}

Status TableBuilder::Impl::write_filter() {
  Result<AnyFilter> filter = AnyFilter::with_size(*options.filter, hashes.size(), options.filter_size, hasher);
  if (!filter.ok()) return std::move(filter).error();
  filter->add_many(std::span<const Hash>(hashes));
  if (options.check_filter) {
    std::vector<std::uint8_t> answers(std::min<std::size_t>(hashes.size(), 1 << 16));
    for (std::size_t first = 0; first < hashes.size(); first += answers.size()) {
      const auto some = std::span<const Hash>(hashes).subspan(first, std::min(answers.size(), hashes.size() - first));
      filter->view().contains_many(some, answers);
      for (std::size_t i = 0; i < some.size(); ++i)
        if (answers[i] == 0)
          return corrupt("filter",
                         "the filter denies a key that was added to it: memory is failing; nothing was written");
    }
  }
  Result<std::vector<std::uint8_t>> bytes = encode(filter->view(), Format::envelope, hashes.size());
  if (!bytes.ok()) return std::move(bytes).error();
  const std::string gap(table::kFilterAlignment - 1 - (written + table::kFilterAlignment - 1) % table::kFilterAlignment,
                        '\0');
  if (Status status = file.write(as_bytes(gap)); !status.ok()) return status;
  written += gap.size();
  Result<Handle> handle = write_block({reinterpret_cast<const char*>(bytes->data()), bytes->size()}, Compression::none);
  if (!handle.ok()) return std::move(handle).error();
  footer.filter = *handle;
  told.filter = options.filter;
  told.filter_bytes = handle->bytes;
  told.designed_fpr = filter->view().predicted_fpr();
  return {};
}

Status TableBuilder::Impl::write_properties() {
  table::BlockBuilder block(1);
  const auto number = [&](const char* name, std::uint64_t value) { block.add(name, std::to_string(value), 0); };
  // In the order of the names.
  number("blocks", told.blocks);
  number("deleted", told.deleted);
  number("entries", told.entries);
  if (told.filter) block.add("filter.fpr", shortest(told.designed_fpr), 0);
  number("index_bytes", told.index_bytes);
  number("key_bytes", told.key_bytes);
  number("keys", told.keys);
  block.add("largest", last_key, 0);
  number("max_sequence", told.max_sequence);
  number("min_sequence", told.min_sequence);
  block.add("smallest", told.smallest, 0);
  number("value_bytes", told.value_bytes);
  Result<Handle> handle = write_block(block.finish(), Compression::none);
  if (!handle.ok()) return std::move(handle).error();
  footer.properties = *handle;
  return {};
}

Result<TableProperties> TableBuilder::Impl::finish() {
  const auto steps = [&]() -> Status {
    if (!data.empty())
      if (Status status = finish_data_block(); !status.ok()) return status;
    if (!index.empty())
      if (Status status = finish_index_block(); !status.ok()) return status;
    if (!top.empty()) {
      Result<Handle> handle = write_block(top.finish(), Compression::none);
      if (!handle.ok()) return std::move(handle).error();
      footer.index = *handle;
      told.index_bytes += handle->bytes + table::kTrailerBytes;
    }
    if (hasher && !hashes.empty())
      if (Status status = write_filter(); !status.ok()) return status;
    if (Status status = write_properties(); !status.ok()) return status;
    footer.file_bytes = written + table::kFooterBytes;
    if (Status status = file.write(table::encode_footer(footer)); !status.ok()) return status;
    return file.commit();
  };
  if (Status status = steps(); !status.ok()) return std::move(status).error();
  told.file_bytes = footer.file_bytes;
  told.largest = last_key;
  return told;
}

}  // namespace bloomery
