// bloomery table get and scan: values of keys, and entries in order.
#include <fmt/format.h>

#include <memory>

#include "cli/entries.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/key_spelling.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/table.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

struct GetOptions {
  std::string file;
  std::vector<std::string> keys;
  std::string keys_file;
  KeyOptions lines;
  SpellingOptions spelling;
  SecretOption secret;
  bool no_filter = false, stats = false, json = false;
};

struct ScanOptions {
  std::string file, format = "tsv";
  std::optional<std::string> from, to, prefix, limit;
  bool reverse = false, all_versions = false, json = false;
};

// Looks keys up and prints what is found. A key that cannot be read is told and does not keep the others from it.
class Getter {
 public:
  Getter(const GetOptions& o, const Table& table, Spelling spelling)
      : table_(table),
        encoder_(spelling),
        delimiter_(o.lines.format().delimiter),
        with_keys_(!o.keys_file.empty() || o.keys.size() > 1),
        json_(o.json) {}

  // The keys as they are spelled, and where they stand.
  Status get(std::span<const std::string_view> lines, const std::string& file) {
    const Result<std::span<const std::string_view>> keys = encoder_.encode(lines, file);
    BLOOMERY_TRY(keys);
    Result<std::vector<Result<Lookup>>> all = table_.multi_get(*keys);
    BLOOMERY_TRY(all);
    for (std::size_t i = 0; i < lines.size(); ++i) take(lines[i], (*all)[i]);
    return out_.flush();
  }
  int status() const { return status_; }

 private:
  void take(std::string_view key, const Result<Lookup>& found) {
    if (!found.ok()) {
      Error error = found.error();
      error.message += fmt::format("; the key is {}", readable(key));
      status_ = fail(error);
    } else if (found->found()) {
      print(key, found->value);
    } else {
      status_ = std::max(status_, kNo);
    }
  }
  void print(std::string_view key, std::string_view value) {
    if (json_) {
      out_.append(JsonObject().put_bytes("key", key).put_bytes("value", value).text() + "\n");
      return;
    }
    if (with_keys_) {
      out_.append(key);
      out_.append('\t');
    }
    out_.append(value);
    out_.append(delimiter_);
  }

  const Table& table_;
  KeyEncoder encoder_;
  char delimiter_;
  bool with_keys_, json_;
  Output out_;
  int status_ = kYes;
};

void print_stats(const Table& table) {
  const TableStats stats = table.stats();
  std::string filter = "read without a filter";
  if (stats.designed_fpr > 0)
    filter = fmt::format("the filter denied {} and passed {}, of which {} are there", stats.filter_no,
                         stats.filter_right + stats.filter_wrong, stats.filter_right);
  tell(fmt::format("asked for {}: {}; {} blocks read, {} bytes\n", stats.asked, filter, stats.blocks_read,
                   stats.bytes_read));
}

Result<int> get(const GetOptions& o) {
  if (o.keys.empty() != !o.keys_file.empty())
    return invalid_argument("key", o.keys.empty() ? "which keys? give KEY..., or --key-file FILE"
                                                  : "KEY... and --key-file exclude each other: give one");
  const Result<std::optional<Spelling>> spelling = o.spelling.given();
  BLOOMERY_TRY(spelling);
  Result<std::shared_ptr<Table>> table = open_table(o.file, o.secret, !o.no_filter);
  BLOOMERY_TRY(table);
  Getter getter(o, **table, spelling->value_or(Spelling::text));
  if (o.keys_file.empty()) {
    BLOOMERY_TRY(getter.get(std::vector<std::string_view>(o.keys.begin(), o.keys.end()), "KEY"));
  } else {
    KeyOptions lines = o.lines;
    lines.files = {o.keys_file};
    Result<KeyFiles> keys = KeyFiles::open(lines);
    BLOOMERY_TRY(keys);
    Progress progress("asking", keys->bytes());
    BLOOMERY_TRY(keys->for_each_batch([&](auto batch, std::uint64_t read, const std::string& file) {
      if (!is_terminal()) progress.update(read);  // values on a terminal are progress enough
      return getter.get(batch, file);
    }));
  }
  if (o.stats) print_stats(**table);
  return getter.status();
}

// The first key behind all that begin with the prefix; nothing when there is none.
std::optional<std::string> behind(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return std::nullopt;
  ++prefix.back();
  return prefix;
}

// Keys from `first` on, before `end`.
struct Range {
  std::string first;
  std::optional<std::string> end;
};

Range range_of(const ScanOptions& o) {
  Range range{o.from.value_or(""), o.to};
  if (!o.prefix) return range;
  range.first = std::max(range.first, *o.prefix);
  const std::optional<std::string> end = behind(*o.prefix);
  if (end && (!range.end || *end < *range.end)) range.end = end;
  return range;
}

// Prints the entries of a walk: all of them, or of every key the newest unless it is deleted.
class Scanner {
 public:
  Scanner(const ScanOptions& o, EntryFormat format, std::uint64_t limit)
      : format_(format), reverse_(o.reverse), all_versions_(o.all_versions), left_(limit) {}

  bool full() const { return left_ == 0; }

  Status visit(const Entry& entry) {
    if (all_versions_) return print(entry);
    const bool same = any_ && entry.key == key_;
    // Backwards the newest of a key comes last, so it is known when another key comes.
    if (!same && reverse_) BLOOMERY_TRY(print_held());
    if (same && !reverse_) return {};
    any_ = true;
    key_.assign(entry.key);
    if (!reverse_) return entry.deleted ? Status() : print(entry);
    held_ = entry;
    value_.assign(entry.value);
    return {};
  }
  Status finish() {
    BLOOMERY_TRY(print_held());
    return out_.flush();
  }

 private:
  Status print_held() {
    if (!held_ || held_->deleted) return held_.reset(), Status();
    const Entry entry{key_, value_, held_->sequence, false};
    held_.reset();
    return print(entry);
  }
  Status print(const Entry& entry) {
    if (full()) return {};
    --left_;
    BLOOMERY_TRY(print_entry(out_, format_, entry));
    return ++unflushed_ % 1024 == 0 ? out_.flush() : Status();
  }

  EntryFormat format_;
  bool reverse_, all_versions_, any_ = false;
  std::uint64_t left_, unflushed_ = 0;
  Output out_;
  std::string key_, value_;  // of the entry that was met last
  std::optional<Entry> held_;
};

Status walk(const Table& table, const Range& range, bool reverse, Scanner& scanner) {
  if (range.end && *range.end <= range.first) return scanner.finish();
  TableIterator at = table.iterate();
  if (!reverse) {
    at.seek(range.first);
  } else if (!range.end) {
    at.last();
  } else {
    at.seek(*range.end);
    if (at.valid()) at.previous();
    else if (at.status().ok()) at.last();
  }
  for (; at.valid() && !scanner.full(); reverse ? at.previous() : at.next()) {
    const Entry entry = at.entry();
    if (reverse ? entry.key < range.first : range.end && entry.key >= *range.end) break;
    BLOOMERY_TRY(scanner.visit(entry));
  }
  BLOOMERY_TRY(scanner.finish());
  return at.status();
}

Status scan(const ScanOptions& o) {
  Result<EntryFormat> format = o.json ? EntryFormat::jsonl : entry_format_from_name(o.format);
  BLOOMERY_TRY(format);
  if (o.all_versions && *format == EntryFormat::tsv)
    return invalid_argument("format", "tsv has no place for sequence numbers: give --format jsonl with --all-versions");
  Result<std::uint64_t> limit = o.limit ? parse_count("limit", *o.limit) : Result<std::uint64_t>(~std::uint64_t{0});
  BLOOMERY_TRY(limit);
  Result<std::shared_ptr<Table>> table =
      open_table(o.file, {}, o.prefix.has_value());  // a walk asks no filter but that of prefixes
  BLOOMERY_TRY(table);
  Scanner scanner(o, *format, *limit);
  if (o.prefix && !(*table)->may_contain_prefix(*o.prefix)) return {};  // nothing begins so: no block is read
  Status status = walk(**table, range_of(o), o.reverse, scanner);
  if (!status.ok() && status.error().file.empty()) return in_file(std::move(status).error(), o.file);
  return status;
}

}  // namespace

void add_table_get(Command& table) {
  auto o = std::make_shared<GetOptions>();
  Command& command = table.add("get", "Print the values of keys");
  command.details(
      "Prints the value of a key; of several keys, or those of --key-file, the key, TAB and the value of "
      "each that is there, in the order asked. Exit status 1 when some key is absent or deleted.\n\nThe "
      "file is mapped, as by all commands that read tables but table compact: replace it by rename, "
      "never write in place.");
  command.option("--key-file", "FILE", &o->keys_file,
                 "File of keys, one a line, instead of KEY...; '-' for standard input");
  o->spelling.add_to(command);
  o->lines.add_to(command, "Keys of --key-file and all output end in NUL instead of LF");
  command.flag("--no-filter", o->no_filter, "Read without the filter");
  command.flag("--json", o->json, "A line of JSON for each key that is there");
  command.flag("--stats", o->stats, "Tell on standard error what the filter did");
  o->secret.add_to(command);
  command.argument("FILE", &o->file, "The table").required();
  command.argument("KEY", &o->keys, "One: its value is printed; several: key, TAB, value of those that are there");
  command.runs([o] {
    const Result<int> done = get(*o);
    return done.ok() ? *done : fail(done.error());
  });
}

void add_table_scan(Command& table) {
  auto o = std::make_shared<ScanOptions>();
  Command& command = table.add("scan", "Print entries in the order of their keys");
  command.details(
      "Of every key the newest entry, unless it is deleted. The lines can be read by table build; with "
      "--all-versions --format jsonl on both the same table comes back. tsv refuses to print what it "
      "could not read back.");
  command.option("--from", "KEY", &o->from, "Begin with this key, or the first behind it");
  command.option("--to", "KEY", &o->to, "End before this key");
  command.option("--prefix", "KEY", &o->prefix, "Keys that begin with this");
  command.option("--limit", "N", &o->limit, "At most so many entries");
  command.flag("--reverse", o->reverse, "From the last key to the first");
  command.flag("--all-versions", o->all_versions, "All entries of a key, deletions too (needs jsonl)");
  command.option("--format", "F", &o->format, "tsv (default), or jsonl: a JSON object a line")
      .choices({"tsv", "jsonl"});
  command.flag("--json", o->json, "The same as --format jsonl");
  command.argument("FILE", &o->file, "The table").required();
  command.runs([o] { return exit_status(scan(*o)); });
}

}  // namespace bloomery::cli
