// Differences of sets.
#include "bloomery/iblt.h"

#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "bloomery/iblt_file.h"
#include "capi/handles.h"
#include "capi/keys.h"

struct bloomery_iblt {
  bloomery::Iblt table;
};
struct bloomery_iblt_listing {
  bloomery::IbltListing listing;
};

using namespace bloomery;
using namespace bloomery::capi;

namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The eight bytes of an integer, whatever the machine's order.
std::array<std::uint8_t, 8> bytes_of(std::uint64_t key) {
  std::array<std::uint8_t, 8> bytes{};
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(key);
    key >>= 8;
  }
  return bytes;
}

template <class Change>
bloomery_error* change(bloomery_iblt* iblt, const void* key, size_t key_length, const void* value, size_t value_length,
                       const Change& change) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iblt);
    BLOOMERY_TRY(check_key(key, key_length));
    if (value == nullptr && value_length != 0) return null_argument("value");
    return change(iblt->table, bytes_of(key_of(key, key_length)), bytes_of(key_of(value, value_length)));
  });
}

// The handle of what was read.
Status give(Result<IbltFile> file, bloomery_iblt** iblt) {
  BLOOMERY_TRY(file);
  if (file->table() == nullptr)
    return Error{ErrorCode::unsupported, "this is a strata estimator, which lists no keys", {}, "bytes"};
  if (!file->answers_keys)
    return Error{ErrorCode::wrong_secret, "the table is keyed: it is opened with its secret alone", {}, "secret"};
  *iblt = new bloomery_iblt{std::move(*file->table())};
  return {};
}

const IbltItems* side_of(const bloomery_iblt_listing* listing, bloomery_side side) {
  if (listing == nullptr || (side != BLOOMERY_ONLY_HERE && side != BLOOMERY_ONLY_THERE)) return nullptr;
  return side == BLOOMERY_ONLY_HERE ? &listing->listing.added : &listing->listing.removed;
}

}  // namespace

bloomery_error* bloomery_iblt_create(uint64_t differences, const bloomery_iblt_options* options, bloomery_iblt** iblt) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iblt);
    *iblt = nullptr;
    bloomery_iblt_options all = BLOOMERY_IBLT_OPTIONS_INIT;
    BLOOMERY_TRY(take(options, all, "options"));
    const Result<CheckedOptions> hash = checked(all.options);
    BLOOMERY_TRY(hash);
    if (hash->memory != nullptr)
      return Error{ErrorCode::invalid_argument, "a table of differences takes the system's memory", {}, "memory"};
    const auto geometry = IbltGeometry::for_differences(differences, all.key_bytes == 0 ? 8 : all.key_bytes,
                                                        all.value_bytes, all.variable);
    BLOOMERY_TRY(geometry);
    Result<Iblt> table = Iblt::with_geometry(*geometry, hash->hasher.value_or(Hasher::xxh3()));
    BLOOMERY_TRY(table);
    *iblt = new bloomery_iblt{*std::move(table)};
    return {};
  });
}

void bloomery_iblt_free(bloomery_iblt* iblt) { delete iblt; }

bloomery_error* bloomery_iblt_add(bloomery_iblt* iblt, const void* key, size_t key_length, const void* value,
                                  size_t value_length) {
  return change(iblt, key, key_length, value, value_length,
                [](Iblt& table, auto bytes, auto beside) { return table.add(bytes, beside); });
}
bloomery_error* bloomery_iblt_remove(bloomery_iblt* iblt, const void* key, size_t key_length, const void* value,
                                     size_t value_length) {
  return change(iblt, key, key_length, value, value_length,
                [](Iblt& table, auto bytes, auto beside) { return table.remove(bytes, beside); });
}

bloomery_error* bloomery_iblt_add_many(bloomery_iblt* iblt, const bloomery_keys* keys) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iblt);
    const Result<Keys> run = Keys::check(keys);
    BLOOMERY_TRY(run);
    if (run->are_hashes())
      return Error{
          ErrorCode::unsupported, "a table lists keys, and hashes stand for keys that it never saw", {}, "keys"};
    Status status;
    run->for_ranges(Keys::kAll, [&](std::size_t, const auto& range) {
      for (std::size_t i = 0; i < range.size() && status.ok(); ++i) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(range[i])>, Hash>) continue;  // refused above
        else status = iblt->table.add(bytes_of(range[i]));
      }
      return status.ok();
    });
    return status;
  });
}

bloomery_error* bloomery_iblt_subtract(bloomery_iblt* iblt, const bloomery_iblt* other) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iblt);
    BLOOMERY_C_NEEDS(other);
    return iblt->table.subtract(other->table);
  });
}

bloomery_error* bloomery_iblt_list(const bloomery_iblt* iblt, bloomery_iblt_listing** listing) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(listing);
    *listing = nullptr;
    BLOOMERY_C_NEEDS(iblt);
    Result<IbltListing> found = iblt->table.list();
    BLOOMERY_TRY(found);
    *listing = new bloomery_iblt_listing{*std::move(found)};
    return {};
  });
}

void bloomery_iblt_listing_free(bloomery_iblt_listing* listing) { delete listing; }
bool bloomery_iblt_listing_is_complete(const bloomery_iblt_listing* listing) {
  return listing != nullptr && listing->listing.complete;
}
size_t bloomery_iblt_listing_count(const bloomery_iblt_listing* listing, bloomery_side side) {
  const IbltItems* const items = side_of(listing, side);
  return items == nullptr ? 0 : items->size();
}
bloomery_item bloomery_iblt_listing_item(const bloomery_iblt_listing* listing, bloomery_side side, size_t index) {
  const IbltItems* const items = side_of(listing, side);
  if (items == nullptr || index >= items->size()) return {};
  const auto key = items->key(index), value = items->value(index);
  return {key.data(), key.size(), value.data(), value.size()};
}

bloomery_error* bloomery_iblt_encode(const bloomery_iblt* iblt, void** bytes, size_t* length) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(bytes);
    *bytes = nullptr;
    BLOOMERY_C_NEEDS(length);
    *length = 0;
    BLOOMERY_C_NEEDS(iblt);
    const Result<std::vector<std::uint8_t>> all = encode(iblt->table);
    BLOOMERY_TRY(all);
    *bytes = std::malloc(all->size());
    if (*bytes == nullptr) throw std::bad_alloc();
    std::memcpy(*bytes, all->data(), all->size());
    *length = all->size();
    return {};
  });
}
bloomery_error* bloomery_iblt_save(const bloomery_iblt* iblt, const char* path) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iblt);
    BLOOMERY_C_NEEDS(path);
    return save(path, iblt->table);
  });
}
bloomery_error* bloomery_iblt_decode(const void* bytes, size_t length, const bloomery_open_options* options,
                                     bloomery_iblt** iblt) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iblt);
    *iblt = nullptr;
    if (length != 0) BLOOMERY_C_NEEDS(bytes);
    const Result<OpenOptions> open = checked_open(options);
    BLOOMERY_TRY(open);
    return give(decode_iblt({static_cast<const std::uint8_t*>(bytes), length}, *open), iblt);
  });
}
bloomery_error* bloomery_iblt_open(const char* path, const bloomery_open_options* options, bloomery_iblt** iblt) {
  return returning([&]() -> Status {
    BLOOMERY_C_NEEDS(iblt);
    *iblt = nullptr;
    BLOOMERY_C_NEEDS(path);
    const Result<OpenOptions> open = checked_open(options);
    BLOOMERY_TRY(open);
    return give(open_iblt(path, *open), iblt);
  });
}
