// bloomery_bench: prints what the filters cost, beside their peers and beside the ceiling of the same run, then
// every bar as met or missed. A missed bar is a result, not a failure: the exit status is 0. A wrong answer is 1.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "bench/machine.h"
#include "bench/peers/peer.h"
#include "bench/questions.h"

int main(int argc, char** argv) {
  namespace bench = bloomery::bench;
  if (argc == 4 && std::strcmp(argv[1], "--compaction") == 0)
    return bench::table_compaction(argv[2], std::strcmp(argv[3], "mapped") == 0);
  const bench::Options options = bench::parse_options(argc, argv);
  for (const auto& [name, value] : bench::describe_machine()) std::printf("%-10s  %s\n", name.c_str(), value.c_str());
  for (const std::string& name : bench::missing_peers()) std::printf("%-10s  %s\n", "not built", name.c_str());
  std::printf(
      "\nMedians of windows of fresh keys, nanoseconds of thread CPU time per key (siblings: of the clock), hash "
      "included.\n(In parentheses: the one-key call of a library that has no batch call.)\n\n");

  bench::Report report;
  const auto asked = [&](const char* name) {
    const auto& only = options.questions;
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  };
  if (asked("classic")) bench::classic_speed(options, report);
  if (asked("keys")) bench::key_speed(options, report);
  if (asked("blocked")) bench::blocked_speed(options, report);
  if (asked("sharing")) bench::live_speed(options, report);
  if (asked("tail")) bench::tail_latency(options, report);
  if (asked("size")) bench::classic_size(report);
  if (asked("hash")) bench::hash_speed(options, report);
  if (asked("hash")) bench::hash_rates(options, report);
  if (asked("fpr")) bench::hash_fpr(options, report);
  if (asked("table")) bench::table_speed(options, report);
  if (asked("changing")) bench::changing_speed(options, report);
  if (asked("static")) bench::static_speed(options, report);
  if (asked("past")) bench::past_capacity(options, report);
  if (asked("extremes")) bench::extremes(options, report);
  report.print_bars();
  if (!options.json.empty() && !report.write_json(options.json)) {
    std::fprintf(stderr, "bloomery_bench: %s: %s\n", options.json.c_str(), std::strerror(errno));
    return 2;
  }
  return report.has_wrong_answers() ? 1 : 0;
}
