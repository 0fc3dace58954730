// What the commands of `bloomery` share: each is one file, registered in main.cc. No algorithm lives here.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/bloomery.h"

namespace bloomery::cli {

// Exit statuses: yes or done, no, error.
inline constexpr int kYes = 0, kNo = 1, kError = 2;

// Each adds its subcommand; when it is chosen, `status` is set by running it.
void add_plan(CLI::App& app, int& status);
void add_build(CLI::App& app, int& status);
void add_query(CLI::App& app, int& status);
void add_inspect(CLI::App& app, int& status);
void add_verify(CLI::App& app, int& status);
void add_merge(CLI::App& app, int& status);
void add_convert(CLI::App& app, int& status);
void add_change(CLI::App& app, int& status);  // add, remove, resize, fold, list
void add_overlap(CLI::App& app, int& status);
void add_hash(CLI::App& app, int& status);
void add_set_diff(CLI::App& app, int& status);
void add_iblt_size(CLI::App& app, int& status);
void add_table(CLI::App& app, int& status);
void add_bench(CLI::App& app, int& status);
void add_demo(CLI::App& app, int& status);

// Prints "bloomery: why" in one line, whatever the name of the file is, and returns kError.
int fail(const Error& error);
void warn(const std::string& message);

// --hash, --seed, --secret, as several commands take them.
struct HashOptions {
  std::string hash, seed, secret_file;

  void add_to(CLI::App& command, const char* hash_help);
  Result<Hasher> hasher(HashId fallback) const;
};

// --secret alone, for commands that open files.
struct SecretOption {
  std::string file;

  void add_to(CLI::App& command);
  Result<OpenOptions> open_options() const;
};

// "10M", "1e9", "2.5k", "1000": a whole number.
Result<std::uint64_t> parse_count(const std::string& name, const std::string& text);
// Decimal or 0x hexadecimal.
Result<std::uint64_t> parse_seed(const std::string& text);
// Any number the library will judge: 0.01, nan.
Result<double> parse_real(const std::string& name, const std::string& text);

// C's %.4g, the form of spec/cli.md; and the same as a JSON number that is no integer.
std::string four_digits(double value);
std::string json_real(double value);
// "0x" and 16 hex digits.
std::string hex64(std::uint64_t value);

}  // namespace bloomery::cli
