// Reading tables: lookups by filter, index and block; see bloomery/table.h.
#include "table/table_impl.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "bloomery/detail/bits.h"

namespace bloomery {

using table::Handle;

namespace {

std::span<std::uint8_t> writable(std::string& text) {
  return {reinterpret_cast<std::uint8_t*>(text.data()), text.size()};
}

Error damaged_index() {
  return corrupt("index",
                 "the index does not hold together, though its checksum does: the file was made by a faulty "
                 "program; build it again");
}

// Numbers of a property; 0 of one that is none.
template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

Table::Table(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Table::~Table() = default;

const TableProperties& Table::properties() const { return impl_->told; }
const std::string& Table::path() const { return impl_->path; }

Result<std::string_view> Table::Impl::stored(const Handle& handle, std::string& room) const {
  if (!table::lies_inside(handle, size)) return damaged_index();
  const std::uint64_t bytes = handle.bytes + table::kTrailerBytes;
  if (map) {
    const std::span<const std::uint8_t> there = map->bytes().subspan(handle.offset, bytes);
    return std::string_view(reinterpret_cast<const char*>(there.data()), there.size());
  }
  room.resize(bytes);
  if (Status status = file->read_at(handle.offset, writable(room)); !status.ok()) return std::move(status).error();
  return std::string_view(room);
}

Result<table::Block> Table::Impl::block(const Handle& handle) const {
  const table::BlockKey key{number, handle.offset};
  if (options.cache) {
    if (table::SharedBlock kept = options.cache->impl().find(key)) {
      counters.count(kCacheHits);
      return table::Block{*kept, kept};
    }
  }
  std::string room;
  Result<std::string_view> bytes = stored(handle, room);
  if (!bytes.ok()) return std::move(bytes).error();
  counters.count(kBlocksRead);
  counters.count(kBytesRead, bytes->size());
  Result<Compression> compression = table::check_block(*bytes, handle.offset, options.verify);
  if (!compression.ok()) return std::move(compression).error();
  const std::string_view contents = bytes->substr(0, handle.bytes);
  if (*compression == Compression::none) {
    if (map && !options.cache) return table::Block{contents, nullptr};  // in place
    if (map) room.assign(contents);
    else room.resize(handle.bytes);
  } else {
    Result<std::string> unpacked = table::decompress(*bytes, *compression);
    if (!unpacked.ok()) return std::move(unpacked).error();
    room = *std::move(unpacked);
  }
  auto shared = std::make_shared<const std::string>(std::move(room));
  if (options.cache) options.cache->impl().insert(key, shared);
  return table::Block{*shared, shared};
}

Result<std::optional<Handle>> Table::Impl::data_block_of(std::string_view key) const {
  if (top.contents.empty()) return std::optional<Handle>();
  table::Searched found = table::find_block(top.contents, key);
  table::Block index;
  if (found.found) {
    const std::optional<Handle> handle = table::decode_handle(found.value);
    if (!handle) return damaged_index();
    Result<table::Block> read = block(*handle);
    if (!read.ok()) return std::move(read).error();
    index = *std::move(read);
    found = table::find_block(index.contents, key);
  }
  if (found.damaged) return damaged_index();
  if (!found.found) return std::optional<Handle>();
  const std::optional<Handle> handle = table::decode_handle(found.value);
  if (!handle) return damaged_index();
  return handle;
}

Result<Lookup> Table::Impl::look_up(std::string_view contents, std::string_view key) const {
  const table::Searched found = table::find_newest(contents, key);
  if (found.damaged)
    return corrupt("block",
                   "a data block does not hold together, though its checksum does: the file was made by a "
                   "faulty program; build it again");
  if (!found.found) return Lookup{};
  const bool deleted = (found.tag & 1) != 0;
  return Lookup{deleted ? Found::deleted : Found::found, found.tag >> 1, std::string(found.value)};
}

Result<Lookup> Table::Impl::find(std::string_view key) const {
  Result<std::optional<Handle>> handle = data_block_of(key);
  if (!handle.ok()) return std::move(handle).error();
  if (!*handle) return Lookup{};
  Result<table::Block> data = block(**handle);
  if (!data.ok()) return std::move(data).error();
  return look_up(data->contents, key);
}

// What came of a key that the filter let pass.
Result<Lookup> Table::Impl::counted(Result<Lookup> result) const {
  if (!result.ok()) {
    if (result.error().code == ErrorCode::corrupt) counters.count(kDamaged);
    return in_file(std::move(result).error(), path);
  }
  counters.count(result->state == Found::absent ? kWrong : kRight, 1);
  return result;
}

bool Table::may_contain(std::string_view key) const { return !impl_->filter || impl_->filter->contains(key); }

Result<Lookup> Table::get(std::string_view key) const {
  const Impl& self = *impl_;
  if (!may_contain(key)) {
    self.counters.count(Impl::kDenied, 1);
    return Lookup{};
  }
  return guarded([&] { return self.counted(self.find(key)); });
}

std::vector<Result<Lookup>> Table::multi_get(std::span<const std::string_view> keys) const {
  const Impl& self = *impl_;
  std::vector<Result<Lookup>> results(keys.size(), Lookup{});
  std::vector<std::uint8_t> maybe(keys.size(), 1);
  if (self.filter) self.filter->contains_many(keys, maybe);
  struct Wanted {
    Handle block;
    std::size_t key;
  };
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (maybe[i] == 0) continue;
    Result<std::optional<Handle>> handle = guarded([&] { return self.data_block_of(keys[i]); });
    if (!handle.ok()) results[i] = self.counted(std::move(handle).error());
    else if (*handle) wanted.push_back({**handle, i});
    else results[i] = self.counted(Lookup{});
  }
  self.counters.count(Impl::kDenied, keys.size() - static_cast<std::size_t>(
                                                       std::accumulate(maybe.begin(), maybe.end(), std::size_t{0})));
  std::sort(wanted.begin(), wanted.end(),
            [](const Wanted& a, const Wanted& b) { return a.block.offset < b.block.offset; });
  for (std::size_t i = 0; i < wanted.size();) {
    Result<table::Block> data = guarded([&] { return self.block(wanted[i].block); });
    const Handle here = wanted[i].block;
    for (; i < wanted.size() && wanted[i].block == here; ++i) {
      const std::size_t key = wanted[i].key;
      results[key] = self.counted(data.ok() ? guarded([&] { return self.look_up(data->contents, keys[key]); })
                                            : Result<Lookup>(Error(data.error())));
    }
  }
  return results;
}

TableStats Table::stats() const {
  const Impl& self = *impl_;
  TableStats stats;
  stats.filter_no = self.counters.total(Impl::kDenied);
  stats.filter_right = self.counters.total(Impl::kRight);
  stats.filter_wrong = self.counters.total(Impl::kWrong);
  stats.asked = stats.filter_no + stats.filter_right + stats.filter_wrong;
  stats.filter_unusable = self.unusable ? 1 : 0;
  stats.blocks_read = self.counters.total(Impl::kBlocksRead);
  stats.bytes_read = self.counters.total(Impl::kBytesRead);
  stats.cache_hits = self.counters.total(Impl::kCacheHits);
  stats.damaged_blocks = self.counters.total(Impl::kDamaged);
  if (!self.filter) {
    stats.filter_right = stats.filter_wrong = 0;
    return stats;
  }
  stats.designed_fpr = self.told.designed_fpr;
  stats.predicted_fpr = self.filter->predicted_fpr();
  const std::uint64_t absent = stats.filter_no + stats.filter_wrong;
  if (absent > 0) stats.measured_fpr = static_cast<double>(stats.filter_wrong) / static_cast<double>(absent);
  stats.alarm = absent >= self.options.alarm_from && stats.measured_fpr > self.options.alarm_least &&
                stats.measured_fpr > self.options.alarm_times * stats.designed_fpr;
  return stats;
}

Status Table::Impl::read_properties() {
  Result<table::Block> read = block(footer.properties);
  if (!read.ok()) return std::move(read).error();
  table::BlockCursor cursor(read->contents);
  for (cursor.first(); cursor.valid(); cursor.next()) {
    const std::pair<const char*, std::uint64_t*> numbers[] = {{"blocks", &told.blocks},
                                                              {"deleted", &told.deleted},
                                                              {"entries", &told.entries},
                                                              {"index_bytes", &told.index_bytes},
                                                              {"key_bytes", &told.key_bytes},
                                                              {"keys", &told.keys},
                                                              {"max_sequence", &told.max_sequence},
                                                              {"min_sequence", &told.min_sequence},
                                                              {"value_bytes", &told.value_bytes}};
    for (const auto& [name, into] : numbers)
      if (cursor.key() == name) *into = number_of<std::uint64_t>(cursor.value());
    if (cursor.key() == "filter.fpr") told.designed_fpr = number_of<double>(cursor.value());
    if (cursor.key() == "largest") told.largest = cursor.value();
    if (cursor.key() == "smallest") told.smallest = cursor.value();
  }
  return cursor.damaged() ? Status(corrupt("properties", "the properties do not hold together")) : Status();
}

// Its own checksums tell whether it is sound. Whatever is wrong with it, the table can be read without.
Status Table::Impl::read_filter() {
  if (!table::lies_inside(footer.filter, size)) return corrupt("filter", "the footer points outside the file");
  std::span<const std::uint8_t> bytes;
  if (map) {
    bytes = map->bytes().subspan(footer.filter.offset, footer.filter.bytes);
  } else {
    Result<detail::Buffer> buffer = detail::Buffer::zeroed(footer.filter.bytes);
    if (!buffer.ok()) return std::move(buffer).error();
    filter_memory = *std::move(buffer);
    const std::span<std::uint8_t> into(filter_memory.data(), filter_memory.size());
    if (Status status = file->read_at(footer.filter.offset, into); !status.ok()) return status;
    bytes = into;
  }
  Result<Decoded> decoded = decode(bytes, {.secret = options.secret, .without_secret = false, .parquet = false});
  if (!decoded.ok()) return std::move(decoded).error();
  if (decoded->info.key_count && *decoded->info.key_count != told.keys)
    return corrupt("filter", "the filter holds another number of keys than the table");
  filter = decoded->view;
  told.filter = decoded->view.kind();
  told.filter_bytes = footer.filter.bytes;
  return {};
}

Status Table::Impl::read_frame() {
  if (size < table::kFooterBytes)
    return corrupt("size", "a file of " + std::to_string(size) + " bytes is no table: the footer alone has " +
                               std::to_string(table::kFooterBytes));
  std::string end(table::kFooterBytes, '\0');
  if (map) std::copy_n(map->bytes().data() + size - end.size(), end.size(), writable(end).data());
  else if (Status status = file->read_at(size - end.size(), writable(end)); !status.ok()) return status;
  Result<table::Footer> decoded = table::decode_footer(end, size);
  if (!decoded.ok()) return std::move(decoded).error();
  footer = *decoded;
  told.file_bytes = size;
  if (footer.index.bytes > 0) {
    Result<table::Block> read = block(footer.index);
    if (!read.ok()) return std::move(read).error();
    top = *std::move(read);
  }
  return read_properties();
}

Result<std::shared_ptr<Table>> Table::open(const std::string& path, const TableReadOptions& options) {
  return guarded([&]() -> Result<std::shared_ptr<Table>> {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->options = options;
    if (options.map) {
      Result<io::MappedFile> map = io::MappedFile::open(path);
      if (!map.ok()) return std::move(map).error();
      impl->size = map->bytes().size();
      impl->map.emplace(*std::move(map));
    } else {
      Result<io::File> file = io::File::open_read(path);
      if (!file.ok()) return std::move(file).error();
      Result<std::uint64_t> size = file->size();
      if (!size.ok()) return std::move(size).error();
      impl->size = *size;
      impl->file.emplace(*std::move(file));
    }
    if (Status status = impl->read_frame(); !status.ok()) return in_file(std::move(status).error(), path);
    if (impl->footer.filter.bytes > 0 && options.use_filter) {
      if (Status status = impl->read_filter(); !status.ok()) {
        impl->unusable = true;
        log(LogLevel::warning, path + ": reading without the filter: " + status.error().message);
      }
    }
    return std::shared_ptr<Table>(new Table(std::move(impl)));
  });
}

}  // namespace bloomery
