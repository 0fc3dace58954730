// How near to the information limit are the kinds made of all their keys at once, and what do they cost? Bits per key
// and rates of fuse and ribbon beside n * log2(1 / rate); lookups and builds beside the ceiling.
#include <cmath>
#include <cstdio>

#include "bench/kind_kit.h"
#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/bloomery.h"

namespace bloomery::bench {
namespace {

// A filter to be measured, and how many times the limit it may take from 10^5 keys on, and from 10^6.
struct Shape {
  const char* name;
  Kind kind;
  SizeSpec size;
  double from_100k, from_1M;
};

std::vector<Shape> shapes() {
  constexpr double kEightBits = 1.0 / 256, kSixteenBits = 1.0 / 65536;
  return {{"fuse, 3 of 8 bits", Kind::fuse, {kEightBits, {}, {{"arity", 3}}}, 1.18, 1.13},
          {"fuse, 4 of 8 bits", Kind::fuse, {kEightBits, {}, {{"arity", 4}}}, 1.13, 1.08},
          {"fuse, 3 of 16 bits", Kind::fuse, {kSixteenBits, {}, {{"arity", 3}}}, 1.18, 1.13},
          {"fuse, 4 of 16 bits", Kind::fuse, {kSixteenBits, {}, {{"arity", 4}}}, 1.13, 1.08},
          {"ribbon, 1 %", Kind::ribbon, {0.01}, 1.02, 1.02},
          {"ribbon, 0.1 %", Kind::ribbon, {0.001}, 1.02, 1.02}};
}

void measure_space(const Options& options, const Shape& shape, std::uint64_t n, Table& table, Report& report) {
  const Result<AnyFilter> filter = AnyFilter::build(shape.kind, some_hashes(0, n), shape.size);
  if (!filter.ok()) give_up(filter.error());
  const double bits = static_cast<double>(filter->view().payload_bits()) / static_cast<double>(n);
  const double limit = std::log2(1 / shape.size.fpr), times = bits / limit;
  const double rate = rate_of(filter->view(), options.absent_asked);
  const std::optional<std::uint64_t> retries = filter->view().retries();
  table.row({shape.name, format("%.4f", limit), format("%.4f", bits), format("%.4f", times),
             format("%.4g %%", 100 * shape.size.fpr), format("%.4g %%", 100 * rate),
             retries ? std::to_string(*retries) : "-"});
  report.figure(shape.name, n, "bits_per_key", "bloomery", bits, "bits");
  report.figure(shape.name, n, "fpr", "bloomery", rate, "rate");
  const double most = n >= 1'000'000 ? shape.from_1M : shape.from_100k;
  const double room = room_of(shape.size.fpr, options.absent_asked);
  report.bar(times <= most && rate <= (1 + room) * shape.size.fpr,
             format("%s, n = %s: %.4fx of n log2(1/p) (bar: at most %.4gx), rate %.4g %% for %.4g %%", shape.name,
                    count_text(n).c_str(), times, most, 100 * rate, 100 * shape.size.fpr));
}

void space(const Options& options, Report& report) {
  for (const std::uint64_t n : options.static_sizes) {
    std::printf("Built of %s keys, beside the information limit, log2(1/p) bits per key\n", count_text(n).c_str());
    Table table({"filter", "limit", "bits/key", "times", "p", "fpr", "retries"});
    for (const Shape& shape : shapes()) measure_space(options, shape, n, table, report);
    table.print();
    std::printf("\n");
  }
}

// What a kind is held to, times the ceiling. Lines: those that a lookup must touch. Of ribbon the line of its code, and
// its window of 54 bytes, which begins anywhere: in 54 of 64 places that is two lines.
struct Held {
  Kind kind;
  double one_key, build;  // at the smaller size
  double lines;           // of a batch, at the larger one
};
constexpr Held kHeld[] = {{Kind::fuse, 4, 45, 3}, {Kind::ribbon, 22, 120, 2.8}};
constexpr double kBatch = 2, kScaling = 0.8;

void bars(const Options& options, Report& report) {
  const std::uint64_t small = options.changing_sizes.front(), large = options.changing_sizes.back();
  for (const Held& held : kHeld) {
    const FilterRows found = rows_of(options, held.kind, small, report);
    hold(report, held.kind, "contains_absent against the ceiling", small, found.find("contains_absent")->ratio,
         held.one_key);
    hold(report, held.kind, "build against the ceiling", small, found.find("build")->ratio, held.build);
    const Row batch = *rows_of(options, held.kind, large, report).find("contains_many_absent");
    hold(report, held.kind, format("contains_many_absent against the ceiling times %.2g lines", held.lines), large,
         batch.ratio / held.lines, kBatch);
  }
  for (const Held& held : kHeld) {
    const Scaling scaling = *rows_of(options, held.kind, small, report, 2).scaling;
    const std::string text = format(
        "%s build by 2 threads, n = %s: %.2f times as fast as by one, %.2f of the ceiling's %.2f", to_string(held.kind),
        count_text(small).c_str(), scaling.build, scaling.build / scaling.ceiling, scaling.ceiling);
    if (held.kind != Kind::fuse) std::printf("%s\n\n", text.c_str());
    else report.bar(scaling.build >= kScaling * scaling.ceiling, text + " (bar: at least 0.8)");
  }
}

}  // namespace

void static_speed(const Options& options, Report& report) {
  space(options, report);
  bars(options, report);
}

}  // namespace bloomery::bench
