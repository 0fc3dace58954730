// Dumps and files of BLM.* that are being read in parts, while keys may be added. Bloom kinds only gain bits: parts
// that were read one after the other hold every key from before the first. What else a later part must know of the
// beginning is kept here.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "any/registry.h"
#include "core/hash/xxh3_stream.h"
#include "server/filter_value.h"

namespace bloomery::server {

// A file that is being read: its payload first and its head last, because that has the sum of what was sent.
struct FileDump {
  // The sum up to where a part begins. The last part can be asked for again, after a link that broke.
  struct Sum {
    std::uint64_t offset = 0;
    detail::Xxh3Stream of_sent;
  };
  any::GeometryWords geometry;
  std::optional<std::uint64_t> key_count;
  std::size_t head_bytes = 0;
  Sum last_part, next_part;
};

struct Dump {
  std::uint64_t tag = 0;
  std::uint64_t value = 0, losses = 0;  // id() and losses() of the value when it began
  std::uint64_t newest_bytes = 0;       // of the payload of its newest filter then
  std::vector<std::uint8_t> directory;  // of a scalable filter: it changes with each key, and grows
  std::optional<FileDump> file;
};

// Begins a dump. As many as kMostDumps are known at a time; the oldest is forgotten then. Throws std::bad_alloc.
inline constexpr std::size_t kMostDumps = 64;
Dump& begin_dump(const FilterValue& value);
// The dump of the value with that tag; nullptr when there is none, or the value has lost bits since.
Dump* find_dump(const FilterValue& value, std::uint64_t tag) noexcept;
// Copies payload bytes, counted over all filters, from an offset on. They are those of the beginning, or have gained
// bits since; what a filter has grown by is left out.
void copy_dump(const FilterValue& value, const Dump& dump, std::uint64_t offset, std::span<std::uint8_t> out);

}  // namespace bloomery::server
