// The questions this benchmark answers. Each prints its table and leaves its figures and bars in the report.
#pragma once

#include <string>

#include "bench/options.h"
#include "bench/report.h"

namespace bloomery::bench {

// What do the operations of the classic filter cost, beside other libraries, its siblings and the ceiling?
void classic_speed(const Options& options, Report& report);

// What does a lookup cost as users write it: from integers, strings and keys of their own, by one call and in batches?
void key_speed(const Options& options, Report& report);
// What does a build from keys cost beside one from hashes? A part of that question.
void key_builds(const Options& options, Report& report);
// What do batches of hashes cost by each instruction set, in turns? Another part of it, of filters of n keys.
void keys_by_isa(const Options& options, std::uint64_t n, Report& report);
// What does one call cost where the probe is inline? Another part of it, of a filter of n keys.
void keys_inline(const Options& options, std::uint64_t n, Report& report);

// What do split and block cost, by instruction set, beside the ceiling?
void blocked_speed(const Options& options, Report& report);

// Do all kinds keep to their plan, and what do those that change cost?
void changing_speed(const Options& options, Report& report);

// How near to the information limit are the static kinds, and what do they cost?
void static_speed(const Options& options, Report& report);
// What is the rate of a filter past its capacity?
void past_capacity(const Options& options, Report& report);

// What does sharing a filter between threads cost, and does it scale?
void live_speed(const Options& options, Report& report);
// What do adds to such a filter cost? A part of that question.
void shared_adds(const Options& options, Report& report);
// What do adds to a cuckoo filter cost, by threads that move each other's keys? Another part.
void cuckoo_adds(const Options& options, Report& report);

// How long can a lookup take while others add, save or rebuild?
void tail_latency(const Options& options, Report& report);

// How much faster is hash_many than hashing one by one?
void hash_speed(const Options& options, Report& report);

// How many bytes a second does each hash take in? Part of that question.
void hash_rates(const Options& options, Report& report);

// What false-positive rate does each hash give on keys of different shapes?
void hash_fpr(const Options& options, Report& report);

// What do lookups cost in the smallest and largest filters, on small and huge pages, and one call at a time?
void extremes(const Options& options, Report& report);

// How many bits does a key take?
void classic_size(Report& report);

// What do the operations of a table cost, beside LevelDB and RocksDB?
void table_speed(const Options& options, Report& report);
// Does a table's filter hold its rate, what does it save, and what does a compaction take? Part of table_speed.
void table_cases(const Options& options, Report& report);
// What table_cases runs in a process of its own: merges the tables 0 to 9 of the folder and prints what it took.
int table_compaction(const std::string& folder, bool map);

}  // namespace bloomery::bench
