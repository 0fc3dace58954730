// What main.cc makes, and asks.cc, which is compiled twice, asks and changes: a filter of every kind, and filters that
// threads share.
#pragma once

#include <cstdint>

#include "bloomery/any.h"
#include "bloomery/live/live.h"
#include "bloomery/live/rotating.h"
#include "bloomery/live/shared_counting.h"
#include "bloomery/live/shared_cuckoo.h"

// Calls USE(name, Type) for each filter that takes any thread's keys.
#define SHARED_FILTERS(USE)                                                         \
  USE(shared_classic, bloomery::Shared<bloomery::ClassicFilter>)                    \
  USE(shared_split, bloomery::Shared<bloomery::SplitFilter>)                        \
  USE(shared_block, bloomery::Shared<bloomery::BlockFilter>)                        \
  USE(words_split, bloomery::Shared<bloomery::SplitFilter, bloomery::Reads::words>) \
  USE(words_block, bloomery::Shared<bloomery::BlockFilter, bloomery::Reads::words>) \
  USE(shared_counting, bloomery::Shared<bloomery::CountingFilter>)                  \
  USE(shared_cuckoo, bloomery::Shared<bloomery::CuckooFilter>)                      \
  USE(live, bloomery::LiveFilter<bloomery::BlockFilter>)                            \
  USE(rotating, bloomery::RotatingFilter<bloomery::BlockFilter>)

// Pointers alone, so that no function of its own is compiled twice.
struct Filters {
#define FILTER(name, Class, id) bloomery::Class##Filter* name;
  BLOOMERY_KINDS(FILTER)
#undef FILTER
#define FILTER(name, ...) __VA_ARGS__* name;
  SHARED_FILTERS(FILTER)
#undef FILTER
  bloomery::AnyFilter* any;
};

// A number and a text, the same key to no filter.
struct Keys {
  std::uint64_t number;
  const char* text;
  std::uint64_t size;
};

// Adds both keys to every filter that takes keys. Returns nullptr, or the name of the kind that did not take them.
using Add = const char*(const Filters& filters, const Keys& keys);
// Asks every filter for both keys. Returns nullptr, or the name of the kind that denies one.
using Ask = const char*(const Filters& filters, const Keys& keys);
