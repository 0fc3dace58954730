#include "bench/options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/text.h"
#include "bloomery/kind.h"

namespace bloomery::bench {
namespace {

constexpr const char* kUsage =
    "usage: bloomery_bench [--n 100k,1M,10M,100M] [--only Q,..] [--kind K,..] [--quick] [--bars] [--rust PROGRAM] "
    "[--go PROGRAM] [--json FILE]\n"
    "  --n      sizes of the filters, in keys (1k to 1000M); with --only table, of the tables\n"
    "  --only   some of the questions: classic, keys, blocked, sharing, tail, size, hash, fpr, table, changing, "
    "static, "
    "past, extremes\n"
    "  --kind   some of the kinds, for the questions keys and sharing (block and cuckoo)\n"
    "  --quick  small filters and few windows: seconds instead of minutes, and noisy\n"
    "  --bars   the question keys, with only what its bars need: for medians of several runs (bars.py)\n"
    "  --huge   a filter of 10 GB among the extremes, where memory allows\n"
    "  --counters  cache and TLB misses of the extremes, where the machine counts them\n"
    "  --rust   the sibling's bloomery-rs-bench, run beside this one; --go: bloomery-go-bench\n"
    "  --json   writes every figure to a file as well; of keys by other instruction sets to FILE.avx2 and its like\n";

[[noreturn]] void refuse(const std::string& why) {
  std::fprintf(stderr, "bloomery_bench: %s\n%s", why.c_str(), kUsage);
  std::exit(2);
}

std::vector<std::uint64_t> parse_sizes(std::string_view text) {
  std::vector<std::uint64_t> sizes;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    const auto n = count_from_text(one);
    if (!n || *n < 1'000 || *n > 1'000'000'000)
      refuse("--n takes sizes from 1k to 1000M, such as 100k,1M; not '" + std::string(one) + "'");
    sizes.push_back(*n);
  }
  if (sizes.empty()) refuse("--n takes at least one size");
  return sizes;
}

std::vector<std::string> parse_questions(std::string_view text) {
  std::vector<std::string> questions;
  while (!text.empty()) {
    const std::string one(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (std::find(std::begin(kQuestions), std::end(kQuestions), one) == std::end(kQuestions))
      refuse(
          "--only takes classic, keys, blocked, sharing, tail, size, hash, fpr, table, changing, static, past and "
          "extremes; not "
          "'" +
          one + "'");
    questions.push_back(one);
  }
  return questions;
}

bool is_kind(std::string_view name) {
  bool known = false;
#define BLOOMERY_NAMED(kind, Class, number) known = known || name == #kind;
  BLOOMERY_KINDS(BLOOMERY_NAMED)
#undef BLOOMERY_NAMED
  return known;
}

std::vector<std::string> parse_kinds(std::string_view text) {
  std::vector<std::string> kinds;
  while (!text.empty()) {
    const std::string one(text.substr(0, text.find(',')));
    text.remove_prefix(std::min(text.size(), one.size() + 1));
    if (!is_kind(one)) refuse("--kind takes names of kinds, such as split,block; not '" + one + "'");
    kinds.push_back(one);
  }
  return kinds;
}

void make_quick(Options& options) {
  options.quick = true;
  options.sizes = {10'000, 100'000};
  options.key_builds = 200'000;
  options.windows = 3;
  options.window_keys = 50'000;
  options.string_keys = 100'000;
  options.absent_asked = 100'000;
  options.fpr_keys = 20'000;
  options.fpr_asked = 100'000;
  options.fpr_halves = 100;
  options.changing_sizes = {20'000, 50'000};
  options.static_sizes = {20'000};
  options.past_keys = 20'000;
  options.table_sizes = {5'000, 20'000};
  options.table_window = 5'000;
}

void only_bars(Options& options) {
  options.bars = true;
  options.questions = {"keys"};
  options.sizes = {100'000, 1'000'000, 10'000'000};
  options.windows = 5;
  options.window_keys = 50'000;
  options.times_built = 1;
}

}  // namespace

bool Options::asks_for(std::string_view kind) const {
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
}

Options parse_options(int argc, char** argv) {
  Options options;
  bool sizes_given = false;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  for (const std::string& argument : arguments) {  // first, so that --n may follow or precede it
    if (argument == "--bars") only_bars(options);
    if (argument == "--quick") make_quick(options);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name == "--quick" || name == "--bars") continue;
    if (name == "--huge" || name == "--counters") {
      (name == "--huge" ? options.huge : options.counters) = true;
      continue;
    }
    if (name == "--help" || name == "-h") {
      std::printf("%s", kUsage);
      std::exit(0);
    }
    if (name != "--n" && name != "--only" && name != "--kind" && name != "--rust" && name != "--go" && name != "--json")
      refuse("unknown argument '" + name + "'");
    if (i + 1 == arguments.size()) refuse(name + " takes a value");
    const std::string& value = arguments[++i];
    if (name == "--n") options.sizes = parse_sizes(value);
    if (name == "--only") options.questions = parse_questions(value);
    if (name == "--kind") options.kinds = parse_kinds(value);
    if (name == "--rust") options.rust = value;
    if (name == "--go") options.go = value;
    if (name == "--json") options.json = value;
    if (name == "--n") sizes_given = true;
  }
  if (sizes_given && options.questions == std::vector<std::string>{"table"}) options.table_sizes = options.sizes;
  return options;
}

}  // namespace bloomery::bench
