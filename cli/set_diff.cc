// bloomery set-diff: the keys in which two sets differ, from files of keys, iblt files, or one of each.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/iblt.h"
#include "cli/json.h"
#include "cli/output.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct SetDiffArguments {
  std::string a, b;
  SecretOption secret;
  KeyOptions keys;
  bool quiet = false, json = false;

  char delimiter() const { return keys.format().delimiter; }
};

// A line of the output: the key, and the side that has it.
struct Line {
  std::string key;
  char sign;               // '-' only in A, '+' only in B
  std::string value = {};  // in hexadecimal digits, of a table that has values
  bool hex = false;        // whether the key is in them too
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
    lines.push_back({std::move(text), sign, geometry.value_bytes != 0 ? hex(items.value(i)) : "", !geometry.variable});
  }
}

Error too_small(const SetDiffArguments& o, const IbltGeometry& geometry, const IbltEstimate& estimate) {
  const std::uint64_t capacity = geometry.capacity();
  const std::uint64_t enough = std::max(estimate.high, capacity + capacity / 2 + 1);
  return {ErrorCode::unsupported,
          fmt::format(
              "the sets differ in about {} keys ({} to {}), which could not all be listed: tables of {} cells list "
              "{} differences with probability {}; build both again with --differences {}",
              estimate.count, estimate.low, estimate.high, geometry.cells, capacity, IbltGeometry::kSuccess, enough),
          o.a + ", " + o.b, "cells"};
}

Result<Difference> of_tables(const SetDiffArguments& o, Side& a, Side& b) {
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
    if (std::binary_search(wanted.begin(), wanted.end(), digest(key)))
      lines.push_back({std::string(key), sign, {}, false});
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

void print_summary(const SetDiffArguments& o, const Difference& difference) {
  const auto only_a = std::count_if(difference.lines.begin(), difference.lines.end(),
                                    [](const Line& line) { return line.sign == '-'; });
  tell(fmt::format("{} keys differ: {} only in {}, {} only in {}\n{}\n", difference.lines.size(), only_a, o.a,
                   difference.lines.size() - static_cast<std::size_t>(only_a), o.b, difference.how));
}

// Prints the difference, and returns whether the sets are equal.
Result<bool> set_diff(const SetDiffArguments& o) {
  Result<OpenOptions> options = o.secret.open_options();
  BLOOMERY_TRY(options);
  if (o.a == "-" && o.b == "-") return invalid_argument("B", "only one of A and B can be standard input");
  KeyFormat format = o.keys.format();
  format.warns = !o.quiet;
  Result<Side> a = Side::open(o.a, format, *options);
  BLOOMERY_TRY(a);
  Result<Side> b = Side::open(o.b, format, *options);
  BLOOMERY_TRY(b);
  const bool keys = a->keys() != nullptr && b->keys() != nullptr;
  Result<Difference> difference = keys ? of_keys(*a->keys(), *b->keys()) : of_tables(o, *a, *b);
  BLOOMERY_TRY(difference);
  std::sort(difference->lines.begin(), difference->lines.end(), [](const Line& x, const Line& y) {
    if (x.key != y.key) return x.key < y.key;
    return x.value != y.value ? x.value < y.value : x.sign > y.sign;  // '-' before '+'
  });
  Output out;
  for (const Line& line : difference->lines) {
    if (o.json) {
      JsonObject json;
      json.put("only_in", line.sign == '-' ? "a" : "b");
      if (line.hex) json.put("key_hex", line.key);
      else json.put_bytes("key", line.key);
      if (!line.value.empty()) json.put("value_hex", line.value);
      out.append(json.text() + "\n");
      continue;
    }
    out.append(line.sign);
    out.append('\t');
    out.append(line.key);
    if (!line.value.empty()) out.append("\t" + line.value);
    out.append(o.delimiter());
  }
  BLOOMERY_TRY(out.flush());
  if (!o.quiet) print_summary(o, *difference);
  return difference->lines.empty();
}

}  // namespace

void add_set_diff(Command& program) {
  auto o = std::make_shared<SetDiffArguments>();
  Command& command = program.add("set-diff", "List the keys in which two sets differ, from keys or iblt files");
  command.details(
      "Prints '-', TAB and the key for each key that only A has, '+' for those that only B has, sorted "
      "by key. A and B are iblt files (from build --kind iblt, both with the same options), files of "
      "keys, or one of each. Repeated lines of a file of keys count once; for that 16 to 32 bytes of "
      "memory a key are used.\n\nFrom iblt files, some KB each, the whole difference is listed or none "
      "of it: when there are too many differences for the tables nothing is printed but the size to "
      "build, and the exit status is 2. On standard error it tells how many differ, how it knows that "
      "none is missing, and why the size was enough. Values, and keys of fixed width, are printed in "
      "hexadecimal digits.\n\nExit status: 0 the sets are equal, 1 they differ, 2 an error.");
  o->secret.add_to(command);
  o->keys.add_to(command, "Keys and lines end in NUL instead of LF");
  command.flag("-q,--quiet", o->quiet, "Do not tell on standard error how many differ, and why none is missing");
  command.flag("--json", o->json, "A line of JSON for each key");
  command.argument("A", &o->a, "An iblt file, or a file of keys ('-' for standard input)").required();
  command.argument("B", &o->b, "The same").required();
  command.runs([o] { return exit_status(set_diff(*o)); });
}

}  // namespace bloomery::cli
