// What each operation of one filter costs, beside the ceilings of its own memory: the rows that `bloomery bench` and
// `make bench` print. README.md beside this says what is measured and how.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/counters.h"
#include "bloomery/any.h"
#include "bloomery/result.h"

namespace bloomery::bench {

enum class KeyType { u64, string };  // hashes already; or strings of 16 to 32 bytes, hashed by the kind's own hash
const char* to_string(KeyType type);

struct RowSpec {
  Kind kind = Kind::block;
  std::uint64_t n = 1'000'000;
  double fpr = 0.01;
  KeyType keys = KeyType::u64;
  unsigned threads = 1;
  bool every_isa = false;  // contains_many_absent by each instruction set of the machine as well

  // How long to measure.
  std::size_t windows = 25;                // the median is taken over these
  std::size_t window_keys = 400'000;       // keys of each, by each thread
  std::uint64_t absent_keys = 10'000'000;  // asked for the false-positive rate

  const Counters* counters = nullptr;    // to count misses with
  std::function<void(double)> progress;  // told the share that is done, 0 to 1
};

struct Row {
  std::string op;
  double ns = 0;          // per key; of several threads, elapsed time over the keys of all
  double ceiling_ns = 0;  // one random cache line, by as many threads; 0 of a filter smaller than a line
  double hash_ns = 0;     // the hash alone, by as many threads; 0 for keys that are hashes
  double ratio = 0;       // how many times both it takes: the median of the windows' own; 0 where there is no ceiling
  unsigned threads = 1;
  std::string isa;
  std::optional<Misses> misses;
};

// How many times as fast several threads are as one.
struct Scaling {
  double build = 0, ceiling = 0;
};

struct FilterRows {
  Kind kind = Kind::block;
  KeyType keys = KeyType::u64;
  std::uint64_t n = 0, bytes = 0;
  unsigned threads = 1;
  GeometryFields geometry;
  double fpr_target = 0, fpr = 0, bits_per_key = 0;
  std::string isa;
  std::optional<double> huge_page_share;
  double prefault_ms = 0, latency_ns = 0, hash_ns = 0;
  std::size_t ceiling_distance = 0;
  std::vector<Row> rows;
  std::vector<Row> by_isa;         // contains_many_absent again, when every_isa was asked for
  std::optional<Scaling> scaling;  // when more than one thread was
  std::vector<std::string> notes;  // rows that are not there, and why

  // "huge" when at least half of the filter is in huge pages, "small", or "unknown".
  const char* pages() const;
  // The row of that name, or nullptr.
  const Row* find(const std::string& op) const;
};

// Refuses what cannot be measured here: a size or rate the kind does not have, or more bytes than are available.
Status check(const RowSpec& spec);

// Takes seconds. An error other than those of check means that the filter gave a wrong answer.
Result<FilterRows> measure_rows(const RowSpec& spec);

}  // namespace bloomery::bench
