// The Rust and Go siblings: programs that run the same operations and print one "OP NANOSECONDS" line each.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace bloomery::bench {

struct Sibling {
  std::string name;
  std::string program;  // empty: not given

  // Nanoseconds by operation; empty when the program is absent or fails. Its keys and rate are those of this benchmark.
  std::map<std::string, double> run(std::uint64_t n) const;
  // What to say when run() gave nothing.
  std::string why_absent() const;
};

}  // namespace bloomery::bench
