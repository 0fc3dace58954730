// The options of creating a filter, beside its keys and its size.
#pragma once

#include <optional>

#include "bloomery/hash.h"
#include "bloomery/memory.h"

namespace BLOOMERY_NAMESPACE {

// The hash and the memory of a filter. It is a plain value; the memory source belongs to the caller. A Hasher converts
// to it, so that with_capacity(n, fpr, Hasher::xxh3(7)) says what it means.
struct FilterOptions {
  FilterOptions() = default;
  BLOOMERY_PER_ISA FilterOptions(const Hasher& hash) : hasher(hash) {}
  BLOOMERY_PER_ISA FilterOptions(const std::optional<Hasher>& hash, MemorySource* source = nullptr)
      : hasher(hash), memory(source) {}

  std::optional<Hasher> hasher;  // the kind's own unless given
  // Supplies the bytes of the filter and of its clones, also after they grew or were merged. It must outlive them all.
  // nullptr means the system, which always supplies the memory that a build works in.
  MemorySource* memory = nullptr;
};

}  // namespace BLOOMERY_NAMESPACE
