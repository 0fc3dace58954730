// A block of another writer: valid by spec/table.md, with entries that share less with the one before than they could.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/detail/bits.h"
#include "support/owned_entry.h"
#include "table/block.h"
#include "table/coding.h"

namespace bloomery::testing {

// Says how many bytes an entry shares, of so many that it could.
using ShareOf = std::size_t (*)(std::size_t in_common, std::size_t number);

inline std::string sparing_block(std::span<const OwnedEntry> entries, std::size_t per_restart, ShareOf share_of) {
  std::string contents;
  std::vector<std::uint32_t> tail;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto& [key, value, sequence, deleted] = entries[i];
    std::size_t shared = 0;
    if (i % per_restart == 0) tail.push_back(static_cast<std::uint32_t>(contents.size()));
    else shared = share_of(table::in_common(entries[i - 1].key, key), i);
    for (const std::uint64_t field : {std::uint64_t{shared}, std::uint64_t{key.size() - shared},
                                      std::uint64_t{value.size()}, 2 * sequence + (deleted ? 1 : 0)})
      table::put_varint(contents, field);
    contents.append(key, shared).append(value);
  }
  tail.push_back(static_cast<std::uint32_t>(tail.size()));
  for (const std::uint32_t number : tail) {
    std::uint8_t bytes[4];
    detail::store_le(bytes, number);
    contents.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
  }
  return contents;
}

}  // namespace bloomery::testing
