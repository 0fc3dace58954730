// Keys in, a filter out: what `bloomery build` does between its options and its file.
#pragma once

#include "bloomery/bloomery.h"
#include "cli/key_spelling.h"
#include "cli/keys.h"
#include "cli/parquet.h"
#include "cli/shape.h"

namespace bloomery::cli {

struct BuildFromKeys {
  const KeyOptions& keys;
  const ParquetOptions& parquet;
  Kind kind;
  const Shape& shape;
  Hasher hasher;
  KeyEncoder encoder;
  unsigned threads;
};

// The filter, and what was seen of its keys.
struct Built {
  AnyFilter filter;
  KeyFiles keys;
};

// Reads all keys, with a progress bar. An error of memory says what it was for, how much, and what to do.
Result<Built> build_from_keys(const BuildFromKeys& build);

}  // namespace bloomery::cli
