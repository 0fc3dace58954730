// What the questions about kinds share: rows of one filter, hashes, measured rates, bars.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/options.h"
#include "bench/report.h"
#include "bench/rows.h"
#include "bloomery/any.h"

namespace bloomery::bench {

[[noreturn]] void give_up(const Error& error);

// spec_of: what to measure of a filter of n keys at 1 %. measured: the rows of such a measurement; without them the
// program ends.
RowSpec spec_of(const Options& options, Kind kind, std::uint64_t n);
FilterRows measured(const RowSpec& spec);

// Measures a filter of n keys at 1 %, prints its rows, and leaves their figures in the report.
FilterRows rows_of(const Options& options, Kind kind, std::uint64_t n, Report& report, unsigned threads = 1);

std::vector<Hash> some_hashes(std::uint64_t first, std::uint64_t count);
// Measures the rate over hashes that some_hashes gives from 2^50 on.
double rate_of(const AnyView& view, std::uint64_t asked);
// How far a measured rate may be from the right one: 10 %, and more where too few keys were asked for that.
double room_of(double rate, std::uint64_t asked);

// "cuckoo contains_absent against the ceiling, n = 1M: 5.10x (bar: at most 7x)"
void hold(Report& report, Kind kind, const std::string& what, std::uint64_t n, double ratio, double most);

}  // namespace bloomery::bench
