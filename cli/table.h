// What the commands of `bloomery table` share.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "bloomery/table/table.h"
#include "cli/cli.h"

namespace bloomery::cli {

// Each adds its subcommand to `bloomery table`.
void add_table_build(CLI::App& table, int& status);
void add_table_get(CLI::App& table, int& status);
void add_table_scan(CLI::App& table, int& status);
void add_table_stats(CLI::App& table, int& status);
void add_table_verify(CLI::App& table, int& status);
void add_table_compact(CLI::App& table, int& status);
void add_table_refilter(CLI::App& table, int& status);
void add_table_bench(CLI::App& table, int& status);

// The filter of a table that is written.
struct FilterOptions {
  std::string kind = "split", fpr, bits_per_key, partition;
  HashOptions hash;
  bool none = false;

  void add_to(CLI::App& command);
  Status apply(TableOptions& table) const;
};

// The rest of a table that is written.
struct LayoutOptions {
  std::string block_size = "4096", restart_interval = "16", compression = "none";

  void add_to(CLI::App& command);
  Status apply(TableOptions& table) const;
};

// -o, which is required; and -q.
void add_table_output(CLI::App& command, std::string& output, bool& quiet);

// "FILE: N entries, B bytes, filter split of F bytes, 10.5 bits/key, predicted fpr 0.01", in a line.
std::string told_in_a_line(const std::string& path, const TableProperties& properties);
// How fast it went, for people at a terminal.
void print_speed(std::uint64_t entries, double seconds);

Result<std::shared_ptr<Table>> open_table(const std::string& path, const SecretOption& secret, bool use_filter = true);

}  // namespace bloomery::cli
