// What the filters of a table will hold: hashes, until the number of keys is known and with it the size.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/table/table.h"
#include "table/format.h"

namespace BLOOMERY_NAMESPACE::table {

// Returns the prefix that the extractor finds in the key; an error when it throws.
Result<std::optional<std::string_view>> prefix_of(const PrefixExtractor& extractor, std::string_view key);

// Protocol: add* finish. In memory: eight bytes a key, or when the filter is in partitions, those of one of them and
// the filters of all.
class FilterBuilder {
 public:
  // Refuses options that no filter can have.
  static Status check(const TableOptions& options);
  explicit FilterBuilder(const TableOptions& options);

  // Adds a key. Keys ascend, and each comes once.
  Status add(std::string_view key);

  // Writes a block that begins at a multiple of kFilterAlignment, or anywhere.
  using Write = std::function<Result<Handle>(std::string_view contents, bool aligned)>;
  struct Written {
    Handle filter, prefixes;  // the filter, or the index of its partitions; a length of 0: none
    bool partitioned = false;
  };
  // Finishes the filters, and describes them in the properties.
  Result<Written> finish(const Write& write, TableProperties& properties);

 private:
  struct Partition {
    std::string last_key;
    std::vector<std::uint8_t> bytes;
  };
  Result<std::vector<std::uint8_t>> make(Kind kind, std::span<const Hash> hashes, double& fpr) const;
  Status add_prefix(std::string_view key);
  Status finish_partition();
  // The filter of all keys, whole or in partitions.
  Result<Handle> write_filter(const Write& write, TableProperties& properties);
  Result<Handle> write_partitions(const Write& write, TableProperties& properties);

  TableOptions options_;
  Hasher hasher_;
  SizeSpec size_;
  std::uint64_t partition_keys_ = 0;  // 0: no partitions
  std::vector<Hash> hashes_, prefixes_;
  std::string last_key_, last_prefix_;
  std::vector<Partition> partitions_;
  double wrong_answers_ = 0;  // rate times keys, of the partitions
  std::uint64_t partitioned_keys_ = 0;
};

}  // namespace BLOOMERY_NAMESPACE::table
