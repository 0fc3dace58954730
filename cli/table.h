// What the commands of `bloomery table` share.
#pragma once

#include <optional>
#include <string>

#include "bloomery/table/table.h"
#include "cli/cli.h"

namespace bloomery::cli {

// Each adds its subcommand to `bloomery table`.
void add_table_build(Command& table);
void add_table_get(Command& table);
void add_table_scan(Command& table);
void add_table_stats(Command& table);
void add_table_verify(Command& table);
void add_table_compact(Command& table);
void add_table_refilter(Command& table);
void add_table_bench(Command& table);

// The filter of a table that is written.
struct FilterOptions {
  std::string kind, fpr, bits_per_key, partition, prefix;
  HashOptions hash;
  bool none = false;

  void add_to(Command& command);
  Status apply(TableOptions& table) const;

 private:
  Status apply_size(TableOptions& table) const;
  Status apply_prefix(TableOptions& table) const;
  Status check_no_filter() const;
};

// The rest of a table that is written.
struct LayoutOptions {
  std::string block_size = "4096", restart_interval = "16", compression = "none";

  void add_to(Command& command);
  Status apply(TableOptions& table) const;
};

// -q and --json.
struct ReportOptions {
  bool quiet = false, json = false;

  void add_to(Command& command);
};

// -o, which is required.
void add_table_output(Command& command, std::string& output);

// "FILE: N entries, B bytes, filter block of F bytes, 10.5 bits/key, predicted fpr 0.008", in a line; or the same in
// JSON.
std::string summary_line(const std::string& path, const TableProperties& properties, bool json);
// How fast it went, for people at a terminal.
void print_speed(std::uint64_t entries, double seconds);

Result<std::shared_ptr<Table>> open_table(const std::string& path, const SecretOption& secret, bool use_filter = true);

}  // namespace bloomery::cli
