// A TableBuilder that takes entries in any order: what `bloomery table build` stands on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/table/table.h"
#include "table/sorter.h"

namespace BLOOMERY_NAMESPACE::table {

struct AnyOrderOptions {
  TableOptions table = {};
  std::uint64_t memory_bytes = 256'000'000;  // of the sorter; the hashes of the filter, eight bytes a key, come on top
  bool all_versions = false;                 // else of every key only the newest entry
};

// While entries come in order they go straight into the table, and nothing is sorted. The first that does not makes it
// take the table that far as input: it is read back, and sorted with the rest. Of two entries of a key with the same
// sequence number the one added later is the newer; with all_versions they are refused.
//
// Protocol: create add* finish; destruction without finish leaves nothing behind. One thread at a time.
class AnyOrderBuilder {
 public:
  static Result<AnyOrderBuilder> create(const std::string& path, const AnyOrderOptions& options);

  Status add(const Entry& entry);
  // Called now and then with the number of entries taken and of all, when they had to be sorted; false ends the work.
  using Progress = std::function<bool(std::uint64_t done, std::uint64_t total)>;
  Result<TableProperties> finish(const Progress& progress = {});

  bool sorting() const { return sorter_.has_value(); }

 private:
  struct Held {
    std::string key, value;
    std::uint64_t sequence = 0;
    bool deleted = false;

    Entry view() const { return {key, value, sequence, deleted}; }
  };

  AnyOrderBuilder(std::string path, const AnyOrderOptions& options, TableBuilder builder)
      : path_(std::move(path)), options_(options), builder_(std::move(builder)) {}

  Status begin_sorting();
  void hold(const Entry& entry);
  Status write_held();
  Status write_sorted(const Progress& progress);

  std::string path_;
  AnyOrderOptions options_;
  std::optional<TableBuilder> builder_;
  std::optional<Sorter> sorter_;
  // The entries of the last key: one with a larger number may follow. The strings behind held_ keep their memory.
  std::vector<Held> held_;
  std::size_t held_count_ = 0;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace BLOOMERY_NAMESPACE::table
