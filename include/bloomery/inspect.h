// Measures a filter: all that `bloomery inspect` prints, as numbers and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/file.h"
#include "bloomery/rate.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// What was measured. It is a plain value that does not change with the filter.
struct Inspection {
  // A part of the payload.
  struct Column {
    std::uint64_t set = 0, bits = 0;
  };

  std::optional<FileInfo> info;  // of a filter in a file
  Kind kind = Kind::block;
  HashId hash = HashId::xxh3;
  std::uint64_t seed = 0;  // the seed, or the id of the secret
  std::optional<std::uint64_t> key_count;
  GeometryFields geometry;
  std::uint64_t payload_bytes = 0, bits_set = 0;
  std::optional<std::uint64_t> retries;
  // Only of kinds that are built of all their keys at once, and have keys.
  std::optional<double> bits_per_key;
  const char* cells = "";  // what bits_set counts
  bool forgets = false;
  double fill = 0, predicted_fpr = 0;
  std::optional<std::uint64_t> estimated_count;
  // The share of random hashes that the filter lets pass. They are absent, whatever the keys were.
  SampledRate sampled = {};
  std::uint64_t samples = 0;
  std::vector<Column> along;  // the fill from the payload's start to its end

  // Returns one object in one line, to the byte as spec/cli.md says. Without a file its format, version and file_bytes
  // are null. Throws std::bad_alloc.
  BLOOMERY_API std::string json() const;
};

// Reads the whole filter, and asks it for a million random hashes. `along` gets at most `columns` entries. The only
// error is out_of_memory.
BLOOMERY_API Result<Inspection> inspect(const AnyView& view, std::optional<std::uint64_t> key_count,
                                        std::uint64_t columns = 64);
BLOOMERY_API Result<Inspection> inspect(const AnyView& view, const FileInfo& info, std::uint64_t columns = 64);

}  // namespace BLOOMERY_NAMESPACE
