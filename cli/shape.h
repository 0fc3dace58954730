// The options of `bloomery build` that say how large a filter is: by rate, by bits per key, or exactly.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/any.h"
#include "cli/command.h"
#include "cli/parquet.h"

namespace bloomery::cli {

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
