// Tables that are read.
#include "capi/table.h"

#include <cstdlib>
#include <cstring>
#include <vector>

#include "capi/keys.h"

using namespace bloomery;
using namespace bloomery::capi;

namespace {

Result<TableReadOptions> checked_read(const bloomery_table_read_options* options) {
  bloomery_table_read_options all = BLOOMERY_TABLE_READ_OPTIONS_INIT;
  BLOOMERY_TRY(take(options, all, "options"));
  TableReadOptions read;
  if (all.cache != nullptr) read.cache = all.cache->cache;
  read.map = !all.no_map;
  read.verify = !all.no_verify;
  read.use_filter = !all.no_filter;
  if (all.secret != nullptr) read.secret = secret_of(all.secret);
  return read;
}

void give_lookup(const Lookup& found, bloomery_lookup& out) {
  if (found.found()) {
    out.value = std::malloc(found.value.size() + 1);  // one more, because a value may be empty
    if (out.value == nullptr) throw std::bad_alloc();
    std::memcpy(out.value, found.value.c_str(), found.value.size() + 1);
    out.value_length = found.value.size();
  }
  out.sequence = found.sequence;
  out.state = found.found() ? BLOOMERY_FOUND : found.state == Found::deleted ? BLOOMERY_DELETED : BLOOMERY_ABSENT;
}

// All keys as the library takes them.
Result<std::vector<std::string_view>> strings_of(const Keys& keys) {
  if (!keys.are_bytes())
    return Error{ErrorCode::invalid_argument, "the keys of a table are strings or fixed bytes", {}, "keys"};
  std::vector<std::string_view> all;
  keys.for_ranges(Keys::kAll, [&](std::size_t, const auto& range) {
    for (std::size_t i = 0; i < range.size(); ++i)
      if constexpr (std::convertible_to<decltype(range[i]), std::string_view>) all.push_back(range[i]);
    return true;
  });
  return all;
}

// Gives what was found; on a failure nothing is left to free.
Status give_lookups(const std::vector<Result<Lookup>>& found, bloomery_lookup* out) {
  Status first;
  try {
    for (std::size_t i = 0; i < found.size(); ++i) {
      out[i] = {};
      if (found[i].ok()) give_lookup(*found[i], out[i]);
      else out[i].state = BLOOMERY_UNREADABLE;
      if (!found[i].ok() && first.ok()) first = found[i].status();
    }
  } catch (...) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      std::free(out[i].value);
      out[i] = {BLOOMERY_UNREADABLE, 0, nullptr, 0};
    }
    throw;
  }
  return first;
}

bloomery_error* give_figures(const bloomery_table* table, const char* name, char** text,
                             Result<std::string> (Figures::*as)() const) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(text);
    *text = nullptr;
    BLOOMERY_C_NEEDS(table);
    BLOOMERY_C_NEEDS(name);
    const Result<std::string> page = (table->table->figures(name).*as)();
    BLOOMERY_TRY(page);
    return give_text(*page, text);
  });
}

}  // namespace

bloomery_error* bloomery_block_cache_create(uint64_t capacity_bytes, bloomery_block_cache** cache) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(cache);
    *cache = nullptr;
    *cache = new bloomery_block_cache{std::make_shared<BlockCache>(capacity_bytes)};
    return {};
  });
}
void bloomery_block_cache_free(bloomery_block_cache* cache) { delete cache; }

bloomery_error* bloomery_table_open(const char* path, const bloomery_table_read_options* options,
                                    bloomery_table** table) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(table);
    *table = nullptr;
    BLOOMERY_C_NEEDS(path);
    const Result<TableReadOptions> read = checked_read(options);
    BLOOMERY_TRY(read);
    Result<std::shared_ptr<Table>> opened = Table::open(path, *read);
    BLOOMERY_TRY(opened);
    *table = new bloomery_table{*std::move(opened)};
    return {};
  });
}
void bloomery_table_free(bloomery_table* table) { delete table; }

bloomery_error* bloomery_table_get(const bloomery_table* table, const void* key, size_t length,
                                   bloomery_lookup* lookup) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(lookup);
    *lookup = {};
    BLOOMERY_C_NEEDS(table);
    BLOOMERY_TRY(check_key(key, length));
    const Result<Lookup> found = table->table->get(key_of(key, length));
    BLOOMERY_TRY(found);
    give_lookup(*found, *lookup);
    return {};
  });
}

bloomery_error* bloomery_table_multi_get(const bloomery_table* table, const bloomery_keys* keys,
                                         bloomery_lookup* lookups, size_t length) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(table);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    BLOOMERY_TRY(check_length("lookups", lookups, length, run->count()));
    std::fill_n(lookups, run->count(), bloomery_lookup{BLOOMERY_UNREADABLE, 0, nullptr, 0});
    const Result<std::vector<std::string_view>> strings = strings_of(*run);
    BLOOMERY_TRY(strings);
    const Result<std::vector<Result<Lookup>>> found = table->table->multi_get(*strings);
    BLOOMERY_TRY(found);
    return give_lookups(*found, lookups);
  });
}

bool bloomery_table_may_contain(const bloomery_table* table, const void* key, size_t length) {
  if (table == nullptr || (key == nullptr && length != 0)) return true;
  return answering(true, [&] { return table->table->may_contain(key_of(key, length)); });
}
bool bloomery_table_may_contain_prefix(const bloomery_table* table, const void* prefix, size_t length) {
  if (table == nullptr || (prefix == nullptr && length != 0)) return true;
  return answering(true, [&] { return table->table->may_contain_prefix(key_of(prefix, length)); });
}

bloomery_error* bloomery_table_verify(const bloomery_table* table) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(table);
    return table->table->verify();
  });
}
bloomery_error* bloomery_table_get_properties(const bloomery_table* table, bloomery_table_properties* properties) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(table);
    BLOOMERY_C_NEEDS(properties);
    return give_properties(table->table->properties(), properties);
  });
}
bloomery_error* bloomery_table_prometheus(const bloomery_table* table, const char* name, char** text) {
  return give_figures(table, name, text, &Figures::prometheus);
}
bloomery_error* bloomery_table_json(const bloomery_table* table, const char* name, char** text) {
  return give_figures(table, name, text, &Figures::json);
}

bloomery_error* bloomery_table_iterate(const bloomery_table* table, bloomery_table_iterator** iterator) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iterator);
    *iterator = nullptr;
    BLOOMERY_C_NEEDS(table);
    *iterator = new bloomery_table_iterator{table->table->iterate(), {}};
    return {};
  });
}
void bloomery_table_iterator_free(bloomery_table_iterator* iterator) { delete iterator; }

namespace {

// Moves it; what a move throws (it takes no exception) ends the walk as an error.
template <class Move>
void walk(bloomery_table_iterator* iterator, bool allowed, const Move& move) {
  if (iterator == nullptr) return;
  iterator->refused = Status();
  try {
    if (!allowed) iterator->refused = null_argument("key");
    else move(iterator->iterator);
  } catch (...) {
    iterator->refused = Error{ErrorCode::out_of_memory, "out of memory", {}, {}};
  }
}

}  // namespace

void bloomery_table_iterator_first(bloomery_table_iterator* iterator) {
  walk(iterator, true, [](TableIterator& i) { i.first(); });
}
void bloomery_table_iterator_last(bloomery_table_iterator* iterator) {
  walk(iterator, true, [](TableIterator& i) { i.last(); });
}
void bloomery_table_iterator_next(bloomery_table_iterator* iterator) {
  if (bloomery_table_iterator_valid(iterator)) walk(iterator, true, [](TableIterator& i) { i.next(); });
}
void bloomery_table_iterator_previous(bloomery_table_iterator* iterator) {
  if (bloomery_table_iterator_valid(iterator)) walk(iterator, true, [](TableIterator& i) { i.previous(); });
}
void bloomery_table_iterator_seek(bloomery_table_iterator* iterator, const void* key, size_t length) {
  walk(iterator, key != nullptr || length == 0, [&](TableIterator& i) { i.seek(key_of(key, length)); });
}
void bloomery_table_iterator_seek_prefix(bloomery_table_iterator* iterator, const void* prefix, size_t length) {
  walk(iterator, prefix != nullptr || length == 0, [&](TableIterator& i) { i.seek_prefix(key_of(prefix, length)); });
}
bool bloomery_table_iterator_valid(const bloomery_table_iterator* iterator) {
  return iterator != nullptr && iterator->refused.ok() && iterator->iterator.valid();
}
bloomery_error* bloomery_table_iterator_status(const bloomery_table_iterator* iterator) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iterator);
    return iterator->refused.ok() ? iterator->iterator.status() : iterator->refused;
  });
}
bloomery_entry bloomery_table_iterator_entry(const bloomery_table_iterator* iterator) {
  if (!bloomery_table_iterator_valid(iterator)) return {};
  const Entry entry = iterator->iterator.entry();
  return {entry.key.data(), entry.key.size(), entry.value.data(), entry.value.size(), entry.sequence, entry.deleted};
}
