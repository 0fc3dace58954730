// Merges several tables into new ones, which hold the newest entry of every key and are sized, filtered and sorted as
// if they had been built from these entries alone.
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
  std::uint64_t read = 0, written = 0, total = 0;  // entries; total is that of all tables that are read
};

struct CompactOptions {
  TableOptions table = {};        // of the tables that are written
  std::uint64_t split_bytes = 0;  // a table ends when it has so many bytes, and another begins; 0: one table
  // Set it when nothing older than these tables is left anywhere: then tombstones hide nothing, and are dropped.
  // Otherwise they are kept, and their keys are in the filter, because an older value would come back without them.
  bool last_level = false;
  std::uint64_t bytes_per_second = 0;  // written at most, of all tables together; 0: as fast as possible
  // Called now and then: after each 10,000 entries or MiB that were read, ten times a second while the work waits for
  // its rate, and at the end. When it returns false or throws, the work ends with an error, and nothing of it stays.
  std::function<bool(const CompactProgress&)> progress = {};
  // Writes one table without entries, name(0), when nothing is left. Otherwise nothing is written then.
  bool write_empty = false;
};

struct Compacted {
  std::vector<std::string> paths;
  std::vector<TableProperties> tables;
  CompactProgress entries;
};

// Merges the tables, which come newest first: of entries with the same key and sequence number the first table has the
// right one. name(i) returns the path of the i-th table to write, where nothing may be; what it throws is an error.
// What another process puts there meanwhile stays, and is an error. The tables that are read stay as they are. Every
// block of them is read from its file and verified, also where a table was opened with verify = false; a damaged one is
// an error. On an error, and when `progress` ends the work, the tables written so far are removed, but for those that
// another process has replaced, or changed in bytes, links or mode. It takes memory for a block of each table, and
// eight bytes for each key of the table that it writes.
BLOOMERY_API Result<Compacted> compact(std::span<const std::shared_ptr<Table>> newest_first,
                                       const std::function<std::string(unsigned)>& name,
                                       const CompactOptions& options = {});

}  // namespace BLOOMERY_NAMESPACE
