// What a filter is created with beside its keys and its size.
#pragma once

#include <optional>

#include "bloomery/hash.h"
#include "bloomery/memory.h"

namespace BLOOMERY_NAMESPACE {

// A plain value. A Hasher converts to it, so that with_capacity(n, fpr, Hasher::xxh3(7)) says what it means.
struct FilterOptions {
  FilterOptions() = default;
  FilterOptions(const Hasher& hash) : hasher(hash) {}
  FilterOptions(const std::optional<Hasher>& hash, MemorySource* source = nullptr) : hasher(hash), memory(source) {}

  std::optional<Hasher> hasher;  // the kind's own unless given
  // Gives the bytes that the filter holds, for as long as it lives: also those of its clones, and what it grows or is
  // merged to. The system gives them unless it is set, and always gives the memory that a build works in.
  MemorySource* memory = nullptr;
};

}  // namespace BLOOMERY_NAMESPACE
