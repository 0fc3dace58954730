// The kinds of filters, with the numbers that files store for them (spec/envelope.md).
#pragma once

#include <cstdint>

#include "bloomery/export.h"

// The one list of filter kinds: KIND(name, class prefix, number in files). The registry, the build, the fuzzers, the
// checks and the tests follow from it; cmake/kinds.cmake and tools/kinds.py read it here.
#define BLOOMERY_KINDS(KIND)        \
  KIND(classic, Classic, 1)         \
  KIND(split, Split, 2)             \
  KIND(block, Block, 3)             \
  KIND(counting, Counting, 4)       \
  KIND(partitioned, Partitioned, 5) \
  KIND(scalable, Scalable, 6)       \
  KIND(stable, Stable, 7)           \
  KIND(cuckoo, Cuckoo, 8)           \
  KIND(quotient, Quotient, 9)       \
  KIND(fuse, Fuse, 10)              \
  KIND(ribbon, Ribbon, 11)

namespace BLOOMERY_NAMESPACE {

enum class Kind : std::uint16_t {
#define BLOOMERY_KIND(name, Class, number) name = (number),
  BLOOMERY_KINDS(BLOOMERY_KIND)
#undef BLOOMERY_KIND
      iblt = 12,  // no filter: it has a class and files of its own
};

// Returns the name of the kind, or "unknown" for a number that is no kind.
BLOOMERY_API const char* to_string(Kind kind) noexcept;
// Returns whether the number is that of a kind.
BLOOMERY_API bool is_known(Kind kind) noexcept;

}  // namespace BLOOMERY_NAMESPACE
