// What the commands of `bloomery` share: each is one file, registered in main.cc. No algorithm lives here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/bloomery.h"
#include "cli/command.h"

namespace bloomery::cli {

// Exit statuses: yes or done, no, error.
inline constexpr int kYes = 0, kNo = 1, kError = 2;

// Each adds its command, or several of one family.
void add_plan(Command& program);
void add_build(Command& program);
void add_query(Command& program);
void add_inspect(Command& program);
void add_label(Command& program);
void add_verify(Command& program);
void add_merge(Command& program);
void add_convert(Command& program);
void add_change(Command& program);  // add, remove, resize, fold, list
void add_overlap(Command& program);
void add_hash(Command& program);
void add_secret(Command& program);
void add_set_diff(Command& program);
void add_iblt_size(Command& program);
void add_table(Command& program);
void add_server(Command& program);  // push, pull
void add_replica(Command& program);
void add_bench(Command& program);
void add_demo(Command& program);
// The version; when verbose, what this build can do on this machine.
void print_version(bool verbose);
void add_describe(Command& program);  // help, completion, man; the last, since it knows the others

// The command whose help the errors of its options name.
void set_running(const Command& command);
// Prints "bloomery: why" in one line, whatever the name of the file is, and returns kError.
int fail(const Error& error);
// kYes, or what fail returns; of a bool that is false, kNo.
int exit_status(const Status& done);
int exit_status(const Result<bool>& done);
void warn(const std::string& message);

// An error of memory with what it was for, how many bytes that takes and what to do; any other error as it is.
Error named_memory(Error error, const std::string& what, std::uint64_t bytes, const std::string& mend);

// The names of all filter kinds, the default first, for completions; and of all hashes.
std::vector<std::string> kind_names();
std::vector<std::string> hash_names();
// The one that has the name; an error suggests one that is nearly the same.
Result<Kind> parse_kind(const std::string& name);

// What verify says of a file: that it is sound, with a sentence on standard output; or why not. A damaged or foreign
// file is a "no", one that cannot be read or judged an error. In JSON everything is on standard output. Returns the
// exit status.
int report_verdict(const std::string& path, const Status& found, const std::string& sound, bool json);

// --hash, --seed, --secret, as several commands take them.
struct HashOptions {
  std::string hash, seed, secret_file;

  void add_to(Command& command, const char* hash_help);
  Result<Hasher> hasher(HashId fallback) const;
};

// --secret alone, for commands that open files.
struct SecretOption {
  std::string file;

  void add_to(Command& command);
  Result<OpenOptions> open_options() const;
};

// Numbers as spec/cli.md has them. A count: "10M", "1e9", "2.5k", "1000".
Result<std::uint64_t> parse_count(const std::string& name, const std::string& text);
// Decimal or 0x hexadecimal.
Result<std::uint64_t> parse_seed(const std::string& text);
// A decimal number, which the library will judge: 0.01, 1e-3.
Result<double> parse_real(const std::string& name, const std::string& text);
// --threads: 1 to 256.
Result<unsigned> parse_threads(const std::string& text);
// Takes the decimal number that a text begins with; nothing, and no byte, when it begins with none.
std::optional<double> take_real(std::string_view& text);
// A power of two, where k and M are 2^10 and 2^20: "4096", "64k", "2M". That it is one, the library judges.
Result<std::uint64_t> parse_alignment(const std::string& name, const std::string& text);

// C's %.4g, the form of spec/cli.md; and the same as a JSON number that is no integer.
std::string four_digits(double value);
std::string json_real(double value);
// "0x" and 16 hex digits.
std::string hex64(std::uint64_t value);

}  // namespace bloomery::cli
