// bloomery add, remove, resize, fold and list: what changes a filter file, or tells what is in it. The file is written
// anew and appears whole or not at all.
#include <fmt/format.h>

#include <memory>

#include "cli/cli.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "cli/records.h"
#include "cli/replace.h"
#include "core/base/error.h"
#include "core/io/sys.h"

namespace bloomery::cli {
namespace {

struct Options {
  std::string file, keys, output;
  SecretOption secret;
  ParquetOptions parquet;
  bool nul = false, quiet = false;

  char delimiter() const { return nul ? '\0' : '\n'; }
  const std::string& target() const { return output.empty() ? file : output; }
};

// Which file it is, and when it was last written.
struct Stamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;

  static Stamp of(const std::string& path) {
    struct stat told {};
    if (io::sys_stat(path.c_str(), &told) != 0) return {};
    return {told.st_dev, told.st_ino, told.st_size, told.st_mtim.tv_sec, told.st_mtim.tv_nsec};
  }
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

// The filter of a file, to change, what the file said of itself, and the lock of the file that is written.
struct Opened {
  AnyFilter filter;
  FileInfo info;
  Stamp stamp;
  io::FileLock lock;
};

Result<Opened> open(const Options& o) {
  Result<OpenOptions> options = o.secret.open_options();
  BLOOMERY_TRY(options);
  options->parquet = o.parquet.on;
  BLOOMERY_TRY(refuse_secret_as_output(o.secret.file, o.target()));
  // Before it is read: until it is written, nobody else shall change it.
  Result<io::FileLock> lock = io::FileLock::take(o.target());
  BLOOMERY_TRY(lock);
  const Stamp stamp = Stamp::of(o.file);
  Result<FilterFile> file = FilterFile::open(o.file, *options);
  BLOOMERY_TRY(file);
  Result<AnyFilter> filter = file->copy();
  if (!filter.ok()) return in_file(std::move(filter).error(), o.file);
  return Opened{*std::move(filter), file->info(), stamp, *std::move(lock)};
}

// use(keys as the filter takes them, the same as they stand in the input) for batches of keys.
template <class Use>
Status for_keys(const Options& o, Use use) {
  Result<KeyType> type = o.parquet.type();
  BLOOMERY_TRY(type);
  BLOOMERY_TRY(refuse_keys_as_output(o.keys, o.target()));
  Result<io::File> keys = open_keys(o.keys);
  BLOOMERY_TRY(keys);
  PlainKeys plain(*type, o.keys);
  return for_each_batch(*keys, o.delimiter(), [&](std::span<const std::string_view> batch, std::uint64_t) -> Status {
    Result<std::span<const std::string_view>> values = plain.encode(batch);
    BLOOMERY_TRY(values);
    return use(*values, batch);
  });
}

// Nothing was written; the error says which file it is about.
Error unchanged(Error error, const Options& o) {
  error.message += "; the file is as it was";
  return in_file(std::move(error), o.file);
}

// Writes the file. The line that says what was done is returned, for whoever prints it; empty with -q.
Result<std::string> finish(const Options& o, const Opened& opened, const std::string& what) {
  // A program that takes no lock: what it has done would be undone.
  if (o.output.empty() && Stamp::of(o.file) != opened.stamp)
    return in_file(
        invalid_argument("FILE", "another program has changed the file meanwhile: nothing was written; try again"),
        o.file);
  {
    const SignalsWait wait;
    BLOOMERY_TRY(save_changed(o.target(), opened.filter, opened.info));
  }
  if (o.quiet) return std::string();
  const AnyView view = opened.filter.view();
  return fmt::format("{}: {}, {} keys, {} bytes, predicted fpr {}: {}\n", o.target(), to_string(view.kind()),
                     opened.filter.key_count() ? std::to_string(*opened.filter.key_count()) : "an unknown number of",
                     view.payload().size() + opened.info.payload_offset, four_digits(view.predicted_fpr()),
                     what);
}

Result<bool> finish_and_summarize(const Options& o, const Opened& opened, const std::string& what) {
  Result<std::string> line = finish(o, opened, what);
  BLOOMERY_TRY(line);
  summarize(*line, o.target());
  return true;
}

Result<bool> add(const Options& o) {
  Result<Opened> opened = open(o);
  BLOOMERY_TRY(opened);
  std::uint64_t keys = 0;
  Status status = for_keys(o, [&](auto values, auto) -> Status {
    keys += values.size();
    Status added = opened->filter.add_many(values);
    return added.ok() ? added : Status(unchanged(std::move(added).error(), o));
  });
  BLOOMERY_TRY(status);
  return finish_and_summarize(o, *opened, fmt::format("added {}", keys));
}

// Keys that are certainly not there are told, once the file is written, and left out. The summary is for people, and
// the lines for programs.
Result<bool> remove(const Options& o) {
  Result<Opened> opened = open(o);
  BLOOMERY_TRY(opened);
  if (!can(opened->filter.view().kind(), Ability::remove))  // before a key is read
    return in_file(opened->filter.remove(Hash()).error(), o.file);
  std::uint64_t keys = 0, removed = 0;
  Output out;
  Status status = for_keys(o, [&](auto values, auto lines) -> Status {
    for (std::size_t i = 0; i < values.size(); ++i, ++keys) {
      Result<bool> done = opened->filter.remove(values[i]);
      if (!done.ok()) return in_file(std::move(done).error(), o.file);
      removed += *done ? 1 : 0;
      if (*done) continue;
      out.append("no\t");
      out.append(lines[i]);
      out.append(o.delimiter());
    }
    return {};
  });
  BLOOMERY_TRY(status);
  Result<std::string> line = finish(o, *opened, fmt::format("removed {} of {}", removed, keys));
  BLOOMERY_TRY(line);
  tell(*line);
  if (status = out.flush(); status.ok()) return removed == keys;
  Error error = std::move(status).error();
  error.message += "; " + o.target() + " is written";
  return error;
}

Result<bool> resize(const Options& o) {
  Result<Opened> opened = open(o);
  BLOOMERY_TRY(opened);
  if (Status status = opened->filter.resize(); !status.ok()) return in_file(std::move(status).error(), o.file);
  return finish_and_summarize(o, *opened, "resized");
}

Result<bool> fold(const Options& o) {
  Result<Opened> opened = open(o);
  BLOOMERY_TRY(opened);
  if (!can(opened->filter.view().kind(), Ability::fold))  // before a key is read
    return in_file(opened->filter.fold_into(std::vector<Hash>{}).error(), o.file);
  const auto* chain = std::get_if<ScalableFilter>(&opened->filter.variant());
  const std::uint32_t links = chain == nullptr ? 0 : chain->geometry().links;
  std::vector<Hash> hashes;
  const Hasher hasher = opened->filter.view().hasher();
  Status status = for_keys(o, [&](auto values, auto) -> Status {
    const std::size_t first = hashes.size();
    hashes.resize(first + values.size());
    hasher.hash_many(values, std::span(hashes).subspan(first));
    return {};
  });
  if (status.ok()) {
    status = opened->filter.fold_into(hashes);
    if (!status.ok()) status = unchanged(std::move(status).error(), o);
  }
  BLOOMERY_TRY(status);
  return finish_and_summarize(o, *opened, fmt::format("folded {} links into one", links));
}

Result<bool> list(const Options& o) {
  OpenOptions without;  // fingerprints need no secret
  without.without_secret = true;
  Result<FilterFile> file = FilterFile::open(o.file, without);
  BLOOMERY_TRY(file);
  if (Status status = file->view().check_structure(); !status.ok()) return in_file(std::move(status).error(), o.file);
  constexpr std::uint64_t kLinesAtOnce = 4096;
  Output out;
  Status written;
  std::uint64_t lines = 0;
  Status status = file->view().for_each([&](std::uint64_t fingerprint, std::uint64_t times) {
    if (!written.ok()) return;
    out.append(fmt::format("{:016x}\t{}\n", fingerprint, times));
    if (++lines % kLinesAtOnce == 0) written = out.flush();
  });
  if (!status.ok()) return in_file(std::move(status).error(), o.file);
  if (written.ok()) written = out.flush();
  BLOOMERY_TRY(written);
  return true;
}

enum class Takes { file, file_and_output, file_and_keys, any_file_and_keys };

void add_command(CLI::App& app, int& status, const char* name, const char* help, Takes takes,
                 Result<bool> (*run)(const Options&)) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(name, help);
  if (takes != Takes::file) {
    o->secret.add_to(*command);
    command->add_option("-o,--output", o->output, "Write to this file and leave FILE as it is")->type_name("OUT");
    command->add_flag("-q,--quiet", o->quiet, "Print nothing when all goes well");
  }
  const bool takes_keys = takes == Takes::file_and_keys || takes == Takes::any_file_and_keys;
  if (takes == Takes::any_file_and_keys)
    o->parquet.add_with_key_type(*command, "The file is the filter of a Parquet column");
  if (takes_keys) command->add_flag("-0", o->nul, "Keys end in NUL instead of LF");
  command->add_option("FILE", o->file, "The filter file")->required();
  if (takes_keys) command->add_option("KEYS", o->keys, "File of keys; standard input when none or '-'");
  command->callback([o, run, &status] {
    const Result<bool> done = run(*o);
    status = !done.ok() ? fail(done.error()) : *done ? kYes : kNo;
  });
}

}  // namespace

void add_change(CLI::App& app, int& status) {
  add_command(app, status, "add", "Add keys to a filter file", Takes::any_file_and_keys, add);
  add_command(app, status, "remove", "Remove keys from a filter file of a kind that can", Takes::file_and_keys, remove);
  add_command(app, status, "resize", "Double the room of a quotient filter, without its keys", Takes::file_and_output,
              resize);
  add_command(app, status, "fold", "Make one link of a grown scalable filter, from its keys", Takes::file_and_keys,
              fold);
  add_command(app, status, "list", "Print the fingerprints of a quotient filter in order, and how often each is there",
              Takes::file, list);
}

}  // namespace bloomery::cli
