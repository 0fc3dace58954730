// bloomery table build: entries in any order in, a table out.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "cli/entries.h"
#include "cli/interrupt.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/replace.h"
#include "cli/table.h"
#include "core/base/error.h"
#include "table/any_order.h"

namespace bloomery::cli {
namespace {

struct TableBuildArguments {
  std::string input, output, format = "tsv", memory = "256M", expect;
  FilterOptions filter;
  LayoutOptions layout;
  ReportOptions report;
  bool all_versions = false, crlf = false;
};

// What the options say, all of it judged before anything is read.
struct Plan {
  table::AnyOrderOptions builder;
  EntryFormat format = EntryFormat::tsv;
  std::optional<std::uint64_t> expected;
};

Result<Plan> parse(const TableBuildArguments& o) {
  Plan plan;
  Result<EntryFormat> format = entry_format_from_name(o.format);
  BLOOMERY_TRY(format);
  plan.format = *format;
  for (Status status : {o.filter.apply(plan.builder.table), o.layout.apply(plan.builder.table)}) BLOOMERY_TRY(status);
  Result<std::uint64_t> memory = parse_count("memory", o.memory);
  BLOOMERY_TRY(memory);
  plan.builder.memory_bytes = *memory;
  plan.builder.all_versions = o.all_versions;
  if (!o.expect.empty()) {
    Result<std::uint64_t> expected = parse_count("expect", o.expect);
    BLOOMERY_TRY(expected);
    plan.expected = *expected;
  }
  return plan;
}

// Progress goes by the bytes of a file, and by the lines of a stream when it is known how many to expect.
Status add_lines(table::AnyOrderBuilder& builder, io::File& input, const TableBuildArguments& o, const Plan& plan,
                 const Interrupt& interrupt) {
  const std::uint64_t bytes = input.is_regular() ? input.size().value() : 0;
  const bool by_lines = bytes == 0 && plan.expected;
  Progress progress("reading", by_lines ? *plan.expected : bytes,
                    by_lines ? Progress::Unit::entries : Progress::Unit::bytes);
  EntryParser parser(plan.format, o.input);
  KeyFormat lines_end('\n', o.crlf);
  lines_end.last_part = "value";
  lines_end.warns = plan.format == EntryFormat::tsv;  // to JSON a CR behind an object is white space
  KeyCounts counts;
  const auto add = [&](std::span<const std::string_view> lines, std::uint64_t read) -> Status {
    BLOOMERY_TRY(interrupt.status());
    for (const std::string_view line : lines) {
      Result<Entry> entry = parser.parse(line);
      BLOOMERY_TRY(entry);
      BLOOMERY_TRY(builder.add(*entry));
    }
    progress.update(by_lines ? parser.lines() : read);
    return {};
  };
  return for_each_batch(input, lines_end, add, &counts);
}

Result<TableProperties> finish(table::AnyOrderBuilder& builder, const Interrupt& interrupt) {
  std::optional<Progress> progress;
  return builder.finish([&](std::uint64_t done, std::uint64_t total) {
    if (!progress) progress.emplace("writing", total, Progress::Unit::entries);
    progress->update(done);
    return !interrupt.pending();
  });
}

Status build(const TableBuildArguments& o) {
  const auto start = std::chrono::steady_clock::now();
  Result<Plan> plan = parse(o);
  BLOOMERY_TRY(plan);
  for (Status status : {refuse_keys_as_output(std::span(&o.input, 1), o.output),
                        refuse_secret_as_output(o.filter.hash.secret_file, o.output)})
    BLOOMERY_TRY(status);
  Result<io::File> input = open_keys(o.input);
  BLOOMERY_TRY(input);
  const Result<io::FileLock> lock = io::FileLock::take(o.output);
  BLOOMERY_TRY(lock);
  Interrupt interrupt;
  interrupt.watch(*input);
  Result<table::AnyOrderBuilder> builder = table::AnyOrderBuilder::create(o.output, plan->builder);
  BLOOMERY_TRY(builder);
  BLOOMERY_TRY(add_lines(*builder, *input, o, *plan, interrupt));
  // Its end may be that of an input that a signal cut off.
  BLOOMERY_TRY(interrupt.status());
  interrupt.unwatch();
  Result<TableProperties> properties = finish(*builder, interrupt);
  BLOOMERY_TRY(properties);
  if (o.report.quiet) return {};
  summarize(summary_line(o.output, *properties, o.report.json) + "\n", o.output);
  print_speed(properties->entries, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return {};
}

}  // namespace

void add_table_build(Command& table) {
  auto o = std::make_shared<TableBuildArguments>();
  Command& command = table.add("build", "Build a table from keys and values, in any order");
  command.details(
      "A line of tsv is a key, TAB, and its value, which may have further TABs; with --format jsonl it "
      "is a JSON object with the fields key (or key_hex, in hexadecimal digits, for what is no UTF-8), "
      "value (or value_hex), sequence, and deleted (true for a key that is deleted). What has no "
      "sequence number has that of its line, so a later line of a key is the newer one.\n\nLines in "
      "order are written as they come; others are sorted within --memory, what does not fit in "
      "temporary files in TMPDIR. Eight bytes a key for the filter come on top.");
  command.option("--format", "F", &o->format, "Of the input: tsv (default), or jsonl: a JSON object a line")
      .choices({"tsv", "jsonl"});
  command.flag("--crlf", o->crlf, "Lines end in CR LF: the CR is no part of the value");
  command.flag("--all-versions", o->all_versions, "Keep all entries of a key, not the newest alone");
  command.option("--memory", "SIZE", &o->memory, "To sort in; what does not fit goes to TMPDIR (default 256M)");
  command.option("--expect", "N", &o->expect, "About how many lines will come, for the progress bar");
  o->filter.add_to(command);
  o->layout.add_to(command);
  o->report.add_to(command);
  add_table_output(command, o->output);
  command.argument("INPUT", &o->input, "File of entries, a line each; standard input when none or '-'");
  command.runs([o] { return exit_status(build(*o)); });
}

}  // namespace bloomery::cli
