// The options of `bloomery build` that say how large a filter is: by rate, by bits per key, or exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/any.h"
#include "cli/command.h"
#include "cli/parquet.h"

namespace bloomery::cli {

// Numbers by their names in the geometry of a kind.
using GeometryNumbers = std::vector<std::pair<std::string, std::uint64_t>>;
// --geometry: "m=1000,k=7".
Result<GeometryNumbers> parse_geometry(const std::string& text);

// What the arguments say of the size; the number of keys may follow later.
struct Shape {
  std::optional<std::uint64_t> n;
  SizeSpec size;
  bool exact = false;
};

// The options as given.
struct ShapeOptions {
  std::string fpr, n, bits_per_key, m, k, blocks, geometry;

  void add_to(Command& command);
  bool given() const;
  // Refuses bad numbers before any key is read.
  Result<Shape> parse(Kind kind, const ParquetOptions& parquet) const;
};

}  // namespace bloomery::cli
