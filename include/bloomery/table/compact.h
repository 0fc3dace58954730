// Several tables brought together into new ones: of every key the newest entry, in tables that are sized, filtered and
// sorted as if they had been built from those alone.
//
//   auto merged = bloomery::compact(newest_first, [](unsigned i) { return "level1-" + std::to_string(i) + ".blt"; },
//                                   {.last_level = true});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bloomery/table/table.h"

namespace BLOOMERY_NAMESPACE {

struct CompactProgress {
  std::uint64_t read = 0, written = 0, total = 0;  // entries; total: of all tables that are read
};

struct CompactOptions {
  TableOptions table = {};        // of those that are written
  std::uint64_t split_bytes = 0;  // a table ends when it has so many, and another begins; 0: one table
  // Nothing older than these tables is left anywhere, so tombstones have nothing to hide and are dropped with what they
  // hid. Elsewhere they are kept, and their keys are in the filter: an older value would come back else.
  bool last_level = false;
  std::uint64_t bytes_per_second = 0;  // of what is written; 0: as fast as it goes
  // Asked now and then; false ends the work, and nothing of it stays. An exception does the same, as an error.
  std::function<bool(const CompactProgress&)> progress = {};
};

struct Compacted {
  std::vector<std::string> paths;
  std::vector<TableProperties> tables;
  CompactProgress entries;
};

// The newest table first: of entries with the same key and sequence number it has the right one. name(i) is the path of
// the i-th table that is written; none of them may be one that is read; what it throws is an error. The tables that are
// read stay as they are. On an error or when it is ended, those written so far are removed. Memory: a block of each
// table, and eight bytes for each key of the table that is being written.
BLOOMERY_API Result<Compacted> compact(std::span<const std::shared_ptr<Table>> newest_first,
                                       const std::function<std::string(unsigned)>& name,
                                       const CompactOptions& options = {});

}  // namespace BLOOMERY_NAMESPACE
