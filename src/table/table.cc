// Reading tables: lookups by filter, index and block; see bloomery/table/table.h.
#include "table/properties.h"
#include "table/table_impl.h"

#include <algorithm>
#include <array>
#include <utility>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {

using table::Handle;

namespace {

std::span<std::uint8_t> writable(std::string& text) {
  return {reinterpret_cast<std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Table::Table(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Table::~Table() = default;

const TableProperties& Table::properties() const { return impl_->properties; }
const std::string& Table::path() const { return impl_->path; }

Table::Impl::~Impl() {
  for (std::size_t i = 0; index_blocks && i < top.size(); ++i) delete index_blocks[i].load(std::memory_order_relaxed);
  if (options.cache) table::impl_of(*options.cache).unpin(pinned.load(std::memory_order_relaxed));
}

// Counts in the cache what the table holds as long as it is open.
void Table::Impl::pin(std::uint64_t bytes) const {
  if (!options.cache) return;
  pinned.fetch_add(bytes, std::memory_order_relaxed);
  table::impl_of(*options.cache).pin(bytes);
}

std::uint64_t Table::Impl::bytes_held() const {
  return filter_memory.size() + prefix_memory.size() + top.memory() + top.size() * sizeof index_blocks[0] +
         filter_index.memory();
}

Result<table::Block> Table::Impl::stored(const Handle& handle) const {
  if (!table::lies_inside(handle, size)) return table::damaged_index();
  const std::uint64_t bytes = handle.bytes + table::kTrailerBytes;
  if (map) return table::Block{{reinterpret_cast<const char*>(map->bytes().data()) + handle.offset, bytes}, {}};
  Result<table::BlockRef> room = table::BlockRef::make(bytes);
  BLOOMERY_TRY(room);
  const std::span<std::uint8_t> into(reinterpret_cast<std::uint8_t*>((*room)->contents()), bytes);
  BLOOMERY_TRY(file->read_at(handle.offset, into));
  return table::Block{(*room)->view(), *room};
}

// Returns the block without compression and without its trailer.
Result<table::Block> Table::Impl::unpacked(table::Block stored, Compression compression) {
  const std::size_t length = stored.contents.size() - table::kTrailerBytes;
  if (compression == Compression::none) {
    if (stored.owner) stored.owner->keep_first(length);
    return table::Block{stored.contents.substr(0, length), std::move(stored.owner)};
  }
  Result<std::uint64_t> bytes = table::unpacked_bytes(stored.contents, compression);
  BLOOMERY_TRY(bytes);
  Result<table::BlockRef> room = table::BlockRef::make(*bytes);
  BLOOMERY_TRY(room);
  BLOOMERY_TRY(table::unpack(stored.contents, compression, {(*room)->contents(), *bytes}));
  return table::Block{(*room)->view(), *room};
}

Result<table::Block> Table::Impl::read_block(const Handle& handle, bool verify) const {
  Result<table::Block> read = stored(handle);
  BLOOMERY_TRY(read);
  counters.count(kBlocksRead);
  counters.count(kBytesRead, read->contents.size());
  Result<Compression> compression = table::check_block(read->contents, handle.offset, verify);
  BLOOMERY_TRY(compression);
  return unpacked(*std::move(read), *compression);
}

Result<table::Block> Table::Impl::block(const Handle& handle, table::From from) const {
  if (!options.cache || from == table::From::file)
    return read_block(handle, options.verify || from == table::From::file);
  const table::BlockKey key{number, handle.offset};
  if (table::BlockRef kept = table::impl_of(*options.cache).find(key)) {
    counters.count(kCacheHits);
    const std::string_view contents = kept->view();
    return table::Block{contents, std::move(kept)};
  }
  Result<table::Block> read = read_block(handle, options.verify);
  BLOOMERY_TRY(read);
  // A block in the mapping stays there; what the cache keeps of it is that it was verified.
  if (!read->owner) {
    Result<table::BlockRef> in_place = table::BlockRef::make_in_place(read->contents);
    BLOOMERY_TRY(in_place);
    read->owner = *std::move(in_place);
  }
  table::impl_of(*options.cache).insert(key, read->owner);
  return read;
}

Result<table::IndexBlock> Table::Impl::read_index(const Handle& handle, bool sketches) const {
  Result<table::Block> read = block(handle, table::From::file);
  BLOOMERY_TRY(read);
  return table::IndexBlock::make(*std::move(read), sketches);
}

// Index blocks stay once they were read: they are few, and every lookup needs one.
Result<const table::IndexBlock*> Table::Impl::index_block(std::size_t number) const {
  std::atomic<const table::IndexBlock*>& place = index_blocks[number];
  if (const table::IndexBlock* there = place.load(std::memory_order_acquire)) return there;
  Result<table::IndexBlock> read = read_index(top.handle(number), has_filter());
  BLOOMERY_TRY(read);
  auto kept = std::make_unique<const table::IndexBlock>(*std::move(read));
  const table::IndexBlock* other = nullptr;
  if (!place.compare_exchange_strong(other, kept.get(), std::memory_order_acq_rel)) return other;
  pin(kept->memory());
  return kept.release();
}

Result<std::optional<Table::Impl::Place>> Table::Impl::place_of(std::string_view key) const {
  const std::size_t number = top.find(key);
  if (number == top.size()) return std::optional<Place>();
  Result<const table::IndexBlock*> index = index_block(number);
  BLOOMERY_TRY(index);
  const Place place{*index, (*index)->find(key)};
  if (place.number == (*index)->size()) return table::damaged_index();  // the top of it promised one
  return std::optional(place);
}

// With a filter in front, a block that is read leaves a sketch behind: a key that the filter lets pass wrongly then
// costs no second read of it.
Result<table::Block> Table::Impl::data_block(const Place& place) const {
  Result<table::Block> data = block(place.handle());
  if (data.ok() && place.index->wants_sketch(place.number))
    if (const std::optional<table::Sketch> sketch = table::sketch_of(data->contents, hasher))
      place.index->learn(place.number, *sketch);
  return data;
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

Result<Lookup> Table::Impl::find(std::string_view key, Hash hash) const {
  Result<std::optional<Place>> place = place_of(key);
  BLOOMERY_TRY(place);
  if (!*place || (*place)->index->denies((*place)->number, hash)) return Lookup{};
  Result<table::Block> data = data_block(**place);
  BLOOMERY_TRY(data);
  return look_up(data->contents, key);
}

// Counts what came of a key that the filter let pass.
Result<Lookup> Table::Impl::counted(Result<Lookup> result) const {
  if (!result.ok()) {
    counters.count(kFailed);
    if (result.error().code == ErrorCode::corrupt) counters.count(kDamaged);
    return in_file(std::move(result).error(), path);
  }
  counters.count(result->state == Found::absent ? kWrong : kRight, 1);
  return result;
}

bool Table::may_contain(std::string_view key) const noexcept { return impl_->may_contain(key, impl_->hash_of(key)); }
bool Table::may_contain_prefix(std::string_view prefix) const noexcept {
  const Result<bool> maybe = guarded([&] {
    Result<bool> answer = impl_->may_contain_prefix(prefix);
    if (!answer.ok()) impl_->unusable(answer.error());
    return answer;
  });
  return !maybe.ok() || *maybe;
}

Result<Lookup> Table::get(std::string_view key) const {
  const Impl& self = *impl_;
  const Hash hash = self.hash_of(key);
  if (!self.may_contain(key, hash)) {
    self.counters.count(Impl::kDenied);
    return Lookup{};
  }
  return guarded([&] { return self.counted(self.find(key, hash)); });
}

// Looks up the keys that the filter let pass, each block once and in the order of the file.
void Table::Impl::find_all(std::span<const std::string_view> keys, std::span<const Passed> passed,
                           std::span<Result<Lookup>> results) const {
  struct Wanted {
    Place place;
    std::size_t key;

    std::uint64_t offset() const { return place.handle().offset; }
  };
  std::vector<Wanted> wanted;
  wanted.reserve(passed.size());
  for (const auto& [i, hash] : passed) {
    Result<std::optional<Place>> place = place_of(keys[i]);
    if (!place.ok()) results[i] = counted(std::move(place).error());
    else if (!*place || (*place)->index->denies((*place)->number, hash)) results[i] = counted(Lookup{});
    else wanted.push_back({**place, i});
  }
  std::sort(wanted.begin(), wanted.end(), [](const Wanted& a, const Wanted& b) { return a.offset() < b.offset(); });
  for (std::size_t i = 0; i < wanted.size();) {
    const Handle here = wanted[i].place.handle();
    const Result<table::Block> data = data_block(wanted[i].place);
    for (; i < wanted.size() && wanted[i].place.handle() == here; ++i) {
      const std::size_t key = wanted[i].key;
      results[key] = counted(data.ok() ? look_up(data->contents, keys[key]) : Result<Lookup>(data.error()));
    }
  }
}

Status Table::multi_get(std::span<const std::string_view> keys, std::span<Result<Lookup>> results) const {
  return guarded([&]() -> Status {
    const Impl& self = *impl_;
    if (results.size() != keys.size())
      return invalid_argument("results", "there are " + std::to_string(results.size()) + " results for " +
                                             std::to_string(keys.size()) + " keys");
    constexpr std::size_t kGroup = 256;
    std::array<std::uint8_t, kGroup> maybe;
    std::array<Hash, kGroup> hashes;
    std::vector<Impl::Passed> passed;  // none for most batches of absent keys
    for (std::size_t first = 0; first < keys.size(); first += kGroup) {
      const std::size_t count = std::min(kGroup, keys.size() - first);
      self.may_contain_many(keys.subspan(first, count), hashes, maybe);
      for (std::size_t i = 0; i < count; ++i) {
        Result<Lookup>& result = results[first + i];
        if (result.ok()) result->clear();
        else result = Lookup{};
        if (maybe[i] != 0) passed.push_back({first + i, hashes[i]});
      }
    }
    self.counters.count(Impl::kDenied, keys.size() - passed.size());
    if (passed.size() == 1) results[passed[0].key] = self.counted(self.find(keys[passed[0].key], passed[0].hash));
    else if (!passed.empty()) self.find_all(keys, passed, results);
    return {};
  });
}

Result<std::vector<Result<Lookup>>> Table::multi_get(std::span<const std::string_view> keys) const {
  return guarded([&]() -> Result<std::vector<Result<Lookup>>> {
    std::vector<Result<Lookup>> results(keys.size(), Lookup{});
    BLOOMERY_TRY(multi_get(keys, results));
    return results;
  });
}

TableStats Table::stats() const {
  const Impl& self = *impl_;
  TableStats stats;
  stats.filter_no = self.counters.total(Impl::kDenied);
  stats.filter_right = self.counters.total(Impl::kRight);
  stats.filter_wrong = self.counters.total(Impl::kWrong);
  stats.asked = stats.filter_no + stats.filter_right + stats.filter_wrong + self.counters.total(Impl::kFailed);
  stats.filter_unusable = self.counters.total(Impl::kUnusable);
  stats.prefixes_asked = self.counters.total(Impl::kPrefixes);
  stats.prefixes_no = self.counters.total(Impl::kPrefixesDenied);
  stats.blocks_read = self.counters.total(Impl::kBlocksRead);
  stats.bytes_read = self.counters.total(Impl::kBytesRead);
  stats.cache_hits = self.counters.total(Impl::kCacheHits);
  stats.damaged_blocks = self.counters.total(Impl::kDamaged);
  if (!self.has_filter()) {
    stats.filter_right = stats.filter_wrong = 0;
    return stats;
  }
  stats.designed_fpr = self.properties.designed_fpr;
  stats.predicted_fpr = self.filter ? self.filter->predicted_fpr() : stats.designed_fpr;
  const std::uint64_t absent = stats.filter_no + stats.filter_wrong;
  if (absent > 0) stats.measured_fpr = static_cast<double>(stats.filter_wrong) / static_cast<double>(absent);
  stats.alarm = absent >= self.options.alarm_from && stats.measured_fpr > self.options.alarm_least &&
                stats.measured_fpr > self.options.alarm_times * stats.designed_fpr;
  return stats;
}

Status Table::Impl::read_properties() {
  Result<table::Block> read = block(footer.properties, table::From::file);
  BLOOMERY_TRY(read);
  return table::decode_properties(read->contents, properties, prefix_handle);
}

Status Table::Impl::read_end(std::string& end) const {
  end.resize(table::kFooterBytes);
  if (!map) return file->read_at(size - end.size(), writable(end));
  std::copy_n(map->bytes().data() + size - end.size(), end.size(), writable(end).data());
  return {};
}

Status Table::Impl::read_frame() {
  if (size < table::kFooterBytes)
    return corrupt("size", "a file of " + std::to_string(size) + " bytes is no table: the footer alone has " +
                               std::to_string(table::kFooterBytes));
  std::string end;
  BLOOMERY_TRY(read_end(end));
  Result<table::Footer> decoded = table::decode_footer(end, size);
  BLOOMERY_TRY(decoded);
  footer = *decoded;
  properties.file_bytes = size;
  if (footer.index.bytes > 0) {
    Result<table::IndexBlock> read = read_index(footer.index);
    BLOOMERY_TRY(read);
    top = *std::move(read);
    index_blocks = std::make_unique<std::atomic<const table::IndexBlock*>[]>(top.size());
  }
  return read_properties();
}

Status Table::Impl::verify_frame() const {
  std::string end;
  BLOOMERY_TRY(read_end(end));
  if (!std::ranges::equal(table::encode_footer(footer), writable(end)))
    return corrupt("footer", "the footer is another one than when the table was opened: the file is damaged");
  for (const Handle& handle : {footer.index, footer.properties})
    if (handle.bytes > 0) BLOOMERY_TRY(block(handle, table::From::file));
  return {};
}

Result<std::shared_ptr<Table>> Table::open(const std::string& path, const TableReadOptions& options) {
  return guarded([&]() -> Result<std::shared_ptr<Table>> {
    auto impl = std::make_unique<Impl>();
    impl->path = path;
    impl->options = options;
    if (options.map) {
      Result<io::MappedFile> map = io::MappedFile::open(path);
      BLOOMERY_TRY(map);
      map->expect_random_reads();  // a walk asks for what it will need itself
      impl->size = map->bytes().size();
      impl->map.emplace(*std::move(map));
    } else {
      Result<io::File> file = io::File::open_regular(path);
      BLOOMERY_TRY(file);
      Result<std::uint64_t> size = file->size();
      BLOOMERY_TRY(size);
      impl->size = *size;
      impl->file.emplace(*std::move(file));
    }
    if (Status status = impl->read_frame(); !status.ok()) return in_file(std::move(status).error(), path);
    if (Status status = impl->read_filters(); !status.ok()) return in_file(std::move(status).error(), path);
    impl->pin(impl->bytes_held());
    return std::shared_ptr<Table>(new Table(std::move(impl)));
  });
}

}  // namespace BLOOMERY_NAMESPACE
