// The command line of the benchmark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::bench {

struct Options {
  std::vector<std::uint64_t> sizes = {100'000, 1'000'000, 10'000'000, 100'000'000};  // n, the keys of a filter
  std::string rust, go;                                                              // programs of the siblings
  std::string json;                                                                  // file to write
  std::vector<std::string> questions;                                                // all of them when empty
  std::vector<std::string> kinds;                                                    // of `keys`: all when empty

  bool asks_for(std::string_view kind) const;

  bool quick = false;
  bool bars = false;      // of `keys`: only what its bars need, each measured less often
  bool huge = false;      // the filter of 10 GB too
  bool counters = false;  // cache and TLB misses, where the machine counts them

  // How long to measure; --quick sets all of them to what a smoke test can afford.
  std::size_t windows = 15;                 // the median is taken over these
  std::size_t window_keys = 400'000;        // keys asked in each
  std::uint64_t string_keys = 1'000'000;    // n of the tables of string keys
  std::uint64_t absent_asked = 10'000'000;  // absent keys asked of split and block
  std::uint64_t fpr_keys = 100'000;         // n of the table of hashes
  std::uint64_t fpr_asked = 1'000'000;      // absent keys asked there
  std::size_t fpr_halves = 1'000;           // splits of the 1-byte keys there
  // n of all kinds, of those that change, of static ones
  std::vector<std::uint64_t> changing_sizes = {1'000'000, 10'000'000};
  std::uint64_t past_keys = 1'000'000;                                         // the capacity that is filled past
  std::vector<std::uint64_t> static_sizes = {100'000, 1'000'000, 10'000'000};  // n of the table of their bits
  std::uint64_t key_builds = 10'000'000;                                       // n of the builds from keys
  std::size_t times_built = 3;                                                 // the same; the fastest counts
  std::vector<std::uint64_t> table_sizes = {1'000'000, 10'000'000};            // entries of the tables
  std::size_t table_window = 50'000;                                           // keys asked of a table in a window
};

// The names of the questions, in their order.
inline constexpr const char* kQuestions[] = {"classic", "keys",  "blocked",  "sharing", "tail", "size",    "hash",
                                             "fpr",     "table", "changing", "static",  "past", "extremes"};

// Ends the program with a message and status 2 when the arguments make no sense, and with status 0 after --help.
Options parse_options(int argc, char** argv);

}  // namespace bloomery::bench
