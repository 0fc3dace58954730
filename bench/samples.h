// What was timed of one filter, before rows are made of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/ceiling.h"
#include "bench/rows.h"
#include "bench/team.h"

namespace bloomery::bench {

// What a row is held to, by some number of threads.
struct Limits {
  explicit Limits(Team who) : team(who), ceiling(who) {}

  Team team;
  Ceiling ceiling;
  std::vector<double> hash;
};

// What the windows of a filter found.
struct Samples {
  explicit Samples(const RowSpec& spec) : limits(Team{spec.threads}), alone(Team{1, spec.threads > 1}) {}

  // Returns the limits of one thread, for rows that are measured by one.
  const Limits& limits_of_one() const { return limits.team.threads > 1 ? alone : limits; }

  Limits limits, alone;  // of all threads; of one, by the wall, where there are more
  std::vector<double> add, add_many, one_present, one_absent, many_present, many_absent, build, latency;
  std::vector<double> best_build, best_build_alone;  // of each round, by all threads and by one
  std::vector<std::vector<double>> by_isa;           // contains_many of absent keys, as kernel::available() has them
  std::vector<Misses> one_misses, many_misses;
  double prefault_ms = 0, fpr = 0;
  std::optional<double> huge_page_share;
  std::string why_no_build;  // empty where there are samples of it
};

}  // namespace bloomery::bench
