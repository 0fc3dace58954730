// bloomery set-diff: the keys in which two sets differ, from files of keys, iblt files, or one of each.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/iblt.h"
#include "cli/output.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct Options {
  std::string a, b;
  SecretOption secret;
  bool nul = false, quiet = false;

  char delimiter() const { return nul ? '\0' : '\n'; }
};

// A line of the output: the key, and the side that has it.
struct Line {
  std::string key;
  char sign;  // '-' only in A, '+' only in B
};

struct Difference {
  std::vector<Line> lines;
  std::string how;  // it is known that none is missing
};

std::string hex(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

// A key of variable length was a line; one of fixed width may be anything, and so may a value.
void append(const IbltItems& items, char sign, const IbltGeometry& geometry, std::vector<Line>& lines) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto key = items.key(i);
    std::string text = geometry.variable ? std::string(key.begin(), key.end()) : hex(key);
    if (geometry.value_bytes != 0) text += "\t" + hex(items.value(i));
    lines.push_back({std::move(text), sign});
  }
}

Error too_small(const Options& o, const IbltGeometry& geometry, const IbltEstimate& estimate) {
  const std::uint64_t capacity = geometry.capacity();
  const std::uint64_t enough = std::max(estimate.high, capacity + capacity / 2 + 1);
  return {ErrorCode::unsupported,
          fmt::format(
              "the sets differ in about {} keys ({} to {}), which could not all be listed: tables of {} cells list "
              "{} differences with probability {}; build both again with --differences {}",
              estimate.count, estimate.low, estimate.high, geometry.cells, capacity, IbltGeometry::kSuccess, enough),
          o.a + ", " + o.b, "cells"};
}

Result<Difference> of_tables(const Options& o, Side& a, Side& b) {
  const Iblt* shape = a.table() != nullptr ? a.table() : b.table();
  if (shape == nullptr) {  // an estimator, and nothing that could list
    Side& one = a.estimator() != nullptr ? a : b;
    return one.table_like(*one.estimator()->strata().data()).error();
  }
  Result<Iblt> left = a.table_like(*shape);
  BLOOMERY_TRY(left);
  Result<Iblt> right = b.table_like(*shape);
  BLOOMERY_TRY(right);
  if (Status status = left->subtract(*right); !status.ok()) return in_file(std::move(status).error(), o.a + ", " + o.b);
  Result<IbltListing> listing = left->list();
  BLOOMERY_TRY(listing);
  const IbltGeometry& geometry = left->geometry();
  const IbltEstimate estimate = left->estimate();
  if (!listing->complete) return too_small(o, geometry, estimate);
  Difference difference;
  append(listing->added, '-', geometry, difference.lines);
  append(listing->removed, '+', geometry, difference.lines);
  difference.how = fmt::format(
      "nothing is missing: with these taken out, all {} cells are zero\nthe size was enough: {} cells list {} "
      "differences with probability {}, and the counts in them foretold {} to {}",
      geometry.cells, geometry.cells, geometry.capacity(), IbltGeometry::kSuccess, estimate.low, estimate.high);
  return difference;
}

Status append_only(DistinctKeys& keys, const std::vector<Digest>& wanted, char sign, std::vector<Line>& lines) {
  if (wanted.empty()) return {};
  return keys.for_each([&](std::string_view key) -> Status {
    if (std::binary_search(wanted.begin(), wanted.end(), digest(key))) lines.push_back({std::string(key), sign});
    return {};
  });
}

// No iblt is needed where all keys are at hand.
Result<Difference> of_keys(DistinctKeys& a, DistinctKeys& b) {
  Difference difference;
  Status status = append_only(a, only_in(a.digests(), b.digests()), '-', difference.lines);
  if (status.ok()) status = append_only(b, only_in(b.digests(), a.digests()), '+', difference.lines);
  BLOOMERY_TRY(status);
  difference.how = fmt::format("nothing is missing: all {} and {} keys were compared, by hashes of 128 bits",
                               a.digests().size(), b.digests().size());
  return difference;
}

void print_summary(const Options& o, const Difference& difference) {
  const auto only_a = std::count_if(difference.lines.begin(), difference.lines.end(),
                                    [](const Line& line) { return line.sign == '-'; });
  tell(fmt::format("{} keys differ: {} only in {}, {} only in {}\n{}\n", difference.lines.size(), only_a, o.a,
                   difference.lines.size() - static_cast<std::size_t>(only_a), o.b, difference.how));
}

// Whether they are equal.
Result<bool> set_diff(const Options& o) {
  Result<OpenOptions> options = o.secret.open_options();
  BLOOMERY_TRY(options);
  if (o.a == "-" && o.b == "-") return invalid_argument("B", "only one of A and B can be standard input");
  Result<Side> a = Side::open(o.a, o.delimiter(), *options);
  BLOOMERY_TRY(a);
  Result<Side> b = Side::open(o.b, o.delimiter(), *options);
  BLOOMERY_TRY(b);
  const bool keys = a->keys() != nullptr && b->keys() != nullptr;
  Result<Difference> difference = keys ? of_keys(*a->keys(), *b->keys()) : of_tables(o, *a, *b);
  BLOOMERY_TRY(difference);
  std::sort(difference->lines.begin(), difference->lines.end(), [](const Line& x, const Line& y) {
    return x.key != y.key ? x.key < y.key : x.sign > y.sign;  // '-' before '+'
  });
  Output out;
  for (const Line& line : difference->lines) {
    out.append(line.sign);
    out.append('\t');
    out.append(line.key);
    out.append(o.delimiter());
  }
  BLOOMERY_TRY(out.flush());
  if (!o.quiet) print_summary(o, *difference);
  return difference->lines.empty();
}

}  // namespace

void add_set_diff(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("set-diff", "List the keys in which two sets differ, from keys or iblt files");
  o->secret.add_to(*command);
  command->add_flag("-0", o->nul, "Keys and lines end in NUL instead of LF");
  command->add_flag("-q,--quiet", o->quiet, "Do not tell on standard error how many differ, and why none is missing");
  command->add_option("A", o->a, "An iblt file, or a file of keys ('-' for standard input)")->required();
  command->add_option("B", o->b, "The same")->required();
  command->footer(
      "Prints '-', TAB and the key for each key that only A has, '+' for those of B, sorted by key. Exit\n"
      "status: 0 equal, 1 they differ, 2 error or too many differences for the tables (then nothing is\n"
      "printed but the size to build).");
  command->callback([o, &status] {
    const Result<bool> equal = set_diff(*o);
    status = !equal.ok() ? fail(equal.error()) : *equal ? kYes : kNo;
  });
}

}  // namespace bloomery::cli
