// The filters in front of a table: opened with it, or part by part when they are asked. A filter that cannot be trusted
// answers "maybe", is counted, and is reported to the log hook.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/log.h"
#include "table/filter_builder.h"
#include "table/table_impl.h"

namespace BLOOMERY_NAMESPACE {

using table::Handle;

namespace {

// A part that was read begins with its view, so that asking it again needs no look at its header.
constexpr std::size_t kViewRoom = 192;
static_assert(sizeof(AnyView) <= kViewRoom && alignof(AnyView) <= detail::kCacheLine &&
              std::is_trivially_copyable_v<AnyView> && std::is_trivially_destructible_v<AnyView>);

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

constexpr std::uint64_t kMostLogged = 16;

// The error for a kind that forgets: what such a filter denies may well be in the table.
Error forgetful() { return unsupported("filter", "the filter is of a kind that forgets keys"); }

constexpr std::string_view kFixed = "fixed:", kThrough = "through:";

// The number behind the name of a prefix extractor that every reader knows.
std::optional<std::uint64_t> number_behind(std::string_view name, std::string_view start) {
  std::uint64_t number = 0;
  if (!name.starts_with(start)) return std::nullopt;
  const auto end = std::from_chars(name.data() + start.size(), name.data() + name.size(), number);
  if (end.ec != std::errc() || end.ptr != name.data() + name.size()) return std::nullopt;
  return number;
}

std::optional<PrefixExtractor> known_prefix(const std::string& name) {
  if (const auto bytes = number_behind(name, kFixed)) return PrefixExtractor::fixed(*bytes);
  if (const auto byte = number_behind(name, kThrough); byte && *byte < 256)
    return PrefixExtractor::through(static_cast<char>(*byte));
  return std::nullopt;
}

}  // namespace

PrefixExtractor PrefixExtractor::fixed(std::size_t bytes) {
  const auto of = [bytes](std::string_view key) {
    return key.size() < bytes ? std::nullopt : std::optional(key.substr(0, bytes));
  };
  return {std::string(kFixed) + std::to_string(bytes), of};
}

PrefixExtractor PrefixExtractor::through(char delimiter) {
  const auto of = [delimiter](std::string_view key) {
    const std::size_t at = key.find(delimiter);
    return at == std::string_view::npos ? std::nullopt : std::optional(key.substr(0, at + 1));
  };
  return {std::string(kThrough) + std::to_string(static_cast<std::uint8_t>(delimiter)), of};
}

// The log hears of the first ones only: a part that is asked again and again is found damaged each time.
void Table::Impl::unusable(const Error& why) const {
  counters.count(kUnusable);
  if (counters.total(kUnusable) <= kMostLogged)
    log(LogLevel::warning, path + ": reading without the filter: " + why.message);
}

// Its own checksums tell whether it is sound.
Result<AnyView> Table::Impl::read_envelope(const Handle& handle, std::uint64_t keys, detail::Buffer& memory) const {
  if (!table::lies_inside(handle, size)) return corrupt("filter", "the filter lies outside the file");
  std::span<const std::uint8_t> bytes;
  if (map) {
    map->will_need(handle.offset, handle.bytes);
    bytes = map->bytes().subspan(handle.offset, handle.bytes);
  } else {
    Result<detail::Buffer> buffer = detail::Buffer::zeroed(handle.bytes);
    BLOOMERY_TRY(buffer);
    memory = *std::move(buffer);
    const std::span<std::uint8_t> into(memory.data(), memory.size());
    BLOOMERY_TRY(file->read_at(handle.offset, into));
    bytes = into;
  }
  Result<Decoded> decoded = decode(bytes, {.secret = options.secret, .without_secret = false, .parquet = false});
  BLOOMERY_TRY(decoded);
  if (decoded->view.forgets()) return forgetful();
  if (decoded->info.key_count && *decoded->info.key_count != keys)
    return corrupt("filter", "the filter holds another number of keys than the table");
  return decoded->view;
}

Status Table::Impl::read_filter() {
  Result<AnyView> view = read_envelope(footer.filter, properties.keys, filter_memory);
  BLOOMERY_TRY(view);
  filter = *view;
  hasher = view->hasher();
  properties.filter = view->kind();
  return {};
}

Status Table::Impl::read_filter_index() {
  Result<table::IndexBlock> index = read_index(footer.filter);
  BLOOMERY_TRY(index);
  filter_index = *std::move(index);
  if (map) partitions = std::make_unique<table::LazyPartition[]>(filter_index.size());
  return {};
}

Status Table::Impl::read_prefix_filter() {
  prefix = options.prefix ? options.prefix : known_prefix(properties.prefix);
  if (!prefix || prefix->name != properties.prefix)
    return unsupported("prefix", "the prefixes are those of '" + properties.prefix + "', which was not given to open");
  Result<AnyView> view = read_envelope(prefix_handle, properties.prefixes, prefix_memory);
  BLOOMERY_TRY(view);
  prefix_filter = *view;
  return {};
}

// A table can be read without its filters, so whatever is wrong with them in the file is no error. A read that fails
// now is an error: the next try may succeed.
Status Table::Impl::read_filters() {
  const auto of_this_moment = [](const Status& status) {
    return status.error().code == ErrorCode::io || status.error().code == ErrorCode::out_of_memory;
  };
  if (footer.filter.bytes == 0) properties.filter.reset();  // whatever they say
  if (!options.use_filter) return {};
  if (footer.filter.bytes > 0) {
    if (Status status = footer.partitioned ? read_filter_index() : read_filter(); !status.ok()) {
      if (of_this_moment(status)) return status;
      properties.filter.reset();
      unusable(status.error());
    }
  }
  if (prefix_handle.bytes > 0) {
    if (Status status = read_prefix_filter(); !status.ok()) {
      if (of_this_moment(status)) return status;
      unusable(status.error());
    }
  }
  return {};
}

bool Table::Impl::may_contain(std::string_view key, Hash hash) const {
  if (filter) return filter->contains(hash);
  if (filter_index.size() == 0) return true;
  try {
    return partition_may_contain(key, hash);
  } catch (const std::bad_alloc&) {
    counters.count(kUnusable);
    return true;
  }
}

void Table::Impl::may_contain_many(std::span<const std::string_view> keys, std::span<Hash> hashes,
                                   std::span<std::uint8_t> answers) const {
  if (has_filter()) hasher.hash_many(keys, hashes);
  if (filter) return filter->contains_many(hashes.first(keys.size()), answers);
  for (std::size_t i = 0; i < keys.size(); ++i) answers[i] = may_contain(keys[i], hashes[i]) ? 1 : 0;
}

Result<bool> Table::Impl::may_contain_prefix(std::string_view asked) const {
  if (!prefix_filter) return true;
  const Result<std::optional<std::string_view>> stored = table::prefix_of(*prefix, asked);
  BLOOMERY_TRY(stored);
  if (!*stored) return true;  // it asks for less than the filter knows
  counters.count(kPrefixes);
  const bool maybe = prefix_filter->contains(**stored);
  if (!maybe) counters.count(kPrefixesDenied);
  return maybe;
}

Result<AnyView> Table::Impl::decode_partition(std::string_view stored, std::uint64_t offset) const {
  BLOOMERY_TRY(table::check_block(stored, offset, true));
  Result<Decoded> decoded = decode(bytes_of(stored.substr(0, stored.size() - table::kTrailerBytes)),
                                   {.secret = options.secret, .without_secret = false, .parquet = false});
  BLOOMERY_TRY(decoded);
  if (decoded->view.forgets()) return forgetful();
  return decoded->view;
}

std::optional<AnyView> Table::Impl::lazy_partition(const Handle& handle, std::size_t number) const {
  table::LazyPartition& part = partitions[number];
  std::call_once(part.once, [&] {
    Result<table::Block> bytes = stored(handle);
    Result<AnyView> view =
        bytes.ok() ? decode_partition(bytes->contents, handle.offset) : Result<AnyView>(bytes.error());
    if (view.ok()) part.view = *view;
    else if (view.error().code == ErrorCode::out_of_memory) throw std::bad_alloc();  // so that it is tried again
    else unusable(view.error());
  });
  return part.view;
}

AnyView table::partition_view(const BlockRef& part) {
  return *std::launder(reinterpret_cast<const AnyView*>(part->view().data()));
}

// Reads a part of the filter through the cache, if there is one.
Result<table::BlockRef> Table::Impl::read_partition(const Handle& handle, table::From from) const {
  // The key in the cache is never that of a block of entries, which a faulty index may name by the same offset: such a
  // block has no view in it.
  const table::BlockKey key{number, ~handle.offset};
  const bool cached = options.cache != nullptr && from == table::From::anywhere;
  if (cached) {
    if (table::BlockRef kept = table::impl_of(*options.cache).find(key)) {
      counters.count(kCacheHits);
      return kept;
    }
  }
  if (!table::lies_inside(handle, size)) return corrupt("filter", "a part of the filter lies outside the file");
  const std::uint64_t bytes = handle.bytes + table::kTrailerBytes;
  Result<table::BlockRef> room = table::BlockRef::make(kViewRoom + bytes);
  BLOOMERY_TRY(room);
  char* const at = (*room)->contents() + kViewRoom;
  if (map) std::memcpy(at, map->bytes().data() + handle.offset, bytes);
  else BLOOMERY_TRY(file->read_at(handle.offset, {reinterpret_cast<std::uint8_t*>(at), bytes}));
  counters.count(kBlocksRead);
  counters.count(kBytesRead, bytes);
  Result<AnyView> view = decode_partition({at, bytes}, handle.offset);
  BLOOMERY_TRY(view);
  new ((*room)->contents()) AnyView(*view);
  if (cached) table::impl_of(*options.cache).insert(key, *room);
  return *std::move(room);
}

bool Table::Impl::partition_may_contain(const AnyView& part, std::string_view key, Hash hash) const {
  return part.hasher() == hasher ? part.contains(hash) : part.contains(key);
}

bool Table::Impl::partition_may_contain(std::string_view key, Hash hash) const {
  const std::size_t number = filter_index.find(key);
  if (number == filter_index.size()) return false;  // behind the last key
  const Handle& handle = filter_index.handle(number);
  if (map) {
    const std::optional<AnyView> view = lazy_partition(handle, number);
    return !view || partition_may_contain(*view, key, hash);
  }
  const Result<table::BlockRef> part = read_partition(handle);
  if (!part.ok()) {
    unusable(part.error());
    return true;
  }
  return partition_may_contain(table::partition_view(*part), key, hash);
}

}  // namespace BLOOMERY_NAMESPACE
