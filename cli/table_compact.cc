// bloomery table compact and refilter: tables in, tables out.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "bloomery/table/compact.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/replace.h"
#include "cli/table.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct TableCompactArguments {
  std::vector<std::string> inputs;
  std::string output;
  std::optional<std::string> split, rate;
  FilterOptions filter;
  LayoutOptions layout;
  ReportOptions report;
  bool last_level = false;
};

Result<CompactOptions> parse(const TableCompactArguments& o) {
  CompactOptions options;
  options.last_level = o.last_level;
  options.write_empty = !o.split;  // who asked for one table gets one
  for (Status status : {o.filter.apply(options.table), o.layout.apply(options.table)}) BLOOMERY_TRY(status);
  const auto at_least_one = [](const char* name, const std::optional<std::string>& text,
                               std::uint64_t& into) -> Status {
    if (!text) return {};
    Result<std::uint64_t> number = parse_count(name, *text);
    BLOOMERY_TRY(number);
    if (*number == 0)
      return invalid_argument(name, fmt::format("--{} is 0: give a number of bytes, or leave it out", name));
    into = *number;
    return {};
  };
  for (Status status :
       {at_least_one("split", o.split, options.split_bytes), at_least_one("rate", o.rate, options.bytes_per_second)})
    BLOOMERY_TRY(status);
  return options;
}

// out.blt to out-000001.blt, out-000002.blt and so on.
std::string numbered(const std::string& path, unsigned number) {
  const std::size_t slash = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const std::size_t dot = path.rfind('.');
  const std::size_t at = dot == std::string::npos || dot <= slash ? path.size() : dot;
  return fmt::format("{}-{:06}{}", path.substr(0, at), number + 1, path.substr(at));
}

Result<std::vector<std::shared_ptr<Table>>> open_all(const std::vector<std::string>& paths) {
  std::vector<std::shared_ptr<Table>> tables;
  TableReadOptions options;
  options.use_filter = false;
  options.map = false;  // a block of each in memory, however large they are
  for (const std::string& path : paths) {
    Result<std::shared_ptr<Table>> table = Table::open(path, options);
    BLOOMERY_TRY(table);
    tables.push_back(*std::move(table));
  }
  return tables;
}

Status compact_all(const TableCompactArguments& o) {
  const auto start = std::chrono::steady_clock::now();
  Result<CompactOptions> options = parse(o);
  BLOOMERY_TRY(options);
  Result<std::vector<std::shared_ptr<Table>>> tables = open_all(o.inputs);
  BLOOMERY_TRY(tables);
  Interrupt interrupt;
  std::optional<Progress> bar;
  options->progress = [&](const CompactProgress& at) {
    if (!bar) bar.emplace("compacting", at.total);
    bar->update(at.read);
    return !interrupt.pending();
  };
  const auto name = [&](unsigned i) { return o.split ? numbered(o.output, i) : o.output; };
  Result<Compacted> done = compact(*tables, name, *options);
  bar.reset();
  BLOOMERY_TRY(done);
  if (o.report.quiet) return {};
  for (std::size_t i = 0; i < done->paths.size(); ++i)
    summarize(summary_line(done->paths[i], done->tables[i], o.report.json) + "\n", done->paths[i]);
  print_speed(done->entries.read, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return {};
}

struct RefilterOptions {
  std::string file, output;
  FilterOptions filter;
  ReportOptions report;
};

// The old filter is not asked, so it may be damaged.
Status refilter_file(const RefilterOptions& o) {
  TableOptions options;
  BLOOMERY_TRY(o.filter.apply(options));
  const std::string& output = o.output.empty() ? o.file : o.output;
  BLOOMERY_TRY(refuse_secret_as_output(o.filter.hash.secret_file, output));
  // The lock is taken before the file is read: until it is written, nobody else shall change it.
  const Result<io::FileLock> lock = io::FileLock::take(output);
  BLOOMERY_TRY(lock);
  Result<std::shared_ptr<Table>> table = open_table(o.file, {}, false);
  BLOOMERY_TRY(table);
  const Interrupt interrupt;
  Result<TableProperties> properties = refilter(**table, output, options);
  BLOOMERY_TRY(properties);
  if (!o.report.quiet) summarize(summary_line(output, *properties, o.report.json) + "\n", output);
  return {};
}

}  // namespace

void add_table_refilter(Command& table) {
  auto o = std::make_shared<RefilterOptions>();
  Command& command = table.add("refilter", "Give a table another filter, or repair the one it has");
  command.details(
      "Writes a table again with another filter, or with none, without looking at the one it has: so "
      "it repairs a damaged one. It has what the options say or leave out, and takes nothing from the old "
      "one: give kind, rate, prefix, hash and secret again.");
  o->filter.add_to(command);
  o->report.add_to(command);
  command.option("-o,--output", "FILE", &o->output, "The new table (default: FILE is replaced)");
  command.argument("FILE", &o->file, "The table").required();
  command.runs([o] { return exit_status(refilter_file(*o)); });
}

void add_table_compact(Command& table) {
  auto o = std::make_shared<TableCompactArguments>();
  Command& command = table.add("compact", "Bring tables together: of every key the newest entry");
  command.details(
      "The tables stay as they are; the output has to be a new name. With --split, of out.blt the "
      "names are out-000001.blt, out-000002.blt and so on. A signal leaves nothing of it.");
  command.flag("--last-level", o->last_level, "Nothing older is left elsewhere: drop deleted keys for good");
  command.option("--split", "SIZE", &o->split, "Begin another table at so many bytes: FILE-000001 and so on");
  command.option("--rate", "BYTES", &o->rate, "Write at most so many bytes a second");
  o->filter.add_to(command);
  o->layout.add_to(command);
  o->report.add_to(command);
  add_table_output(command, o->output);
  command.argument("FILE", &o->inputs, "Tables, the newest first; they stay as they are").required();
  command.runs([o] { return exit_status(compact_all(*o)); });
}

}  // namespace bloomery::cli
