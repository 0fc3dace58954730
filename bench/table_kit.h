// What the questions about tables share: a folder on disk, tables in it, and how to forget them.
#pragma once

#include <memory>
#include <string>

#include "bench/entries.h"
#include "bench/options.h"
#include "bench/peers/store.h"
#include "bench/report.h"
#include "bloomery/table/table.h"

namespace bloomery::bench {

// Gone with its contents at the end. Under TMPDIR, or /tmp.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  std::uint64_t free_bytes() const;

 private:
  std::string path_;
};

// The value; an error ends the program.
template <class T>
T got(Result<T> result) {
  if (!result.ok()) store_failed("bloomery", result.error().to_string());
  return *std::move(result);
}

// Entries first, first + step, .. of all, so that some tables can share them.
TableProperties build_table(const Entries& entries, const std::string& path, const TableOptions& options,
                            std::uint64_t first = 0, std::uint64_t step = 1);

std::unique_ptr<Store> store_of(std::shared_ptr<bloomery::Table> table);

// All files in the folder, or the one file, out of the page cache, as far as the system does it: pages that are mapped
// somewhere stay, and so does what the disk itself remembers.
void drop_from_page_cache(const std::string& path);

// Steps of table_speed, each with figures and bars of its own.
void table_multi_get(const std::string& path, const Entries& entries, const Options& options, Report& report);
void table_opening(const std::string& path, Report& report);
void table_building(const Options& options, Report& report);

// A size of the filter in bits per key; 0: none.
TableOptions with_bits(double bits_per_key);

}  // namespace bloomery::bench
