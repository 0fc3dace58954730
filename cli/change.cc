// bloomery add, remove, resize, fold and list: what changes a filter file, or tells what is in it. The file is written
// anew and appears whole or not at all.
#include <fmt/format.h>

#include <memory>

#include "cli/cli.h"
#include "cli/filter_file.h"
#include "cli/help.h"
#include "cli/json.h"
#include "cli/key_spelling.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "cli/progress.h"
#include "cli/records.h"
#include "cli/replace.h"
#include "core/base/error.h"
#include "core/io/sys.h"

namespace bloomery::cli {
namespace {

struct ChangeArguments {
  std::string file, output;
  KeyOptions keys;
  SpellingOptions spelling;
  SecretOption secret;
  ParquetOptions parquet;
  bool quiet = false, json = false;

  char delimiter() const { return keys.format().delimiter; }
  const std::string& target() const { return output.empty() ? file : output; }
};

// Which file it is, and when it was last written.
struct Stamp {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  std::int64_t seconds = 0, nanoseconds = 0;

  static Stamp of(const std::string& path) {
    struct stat found {};
    if (io::sys_stat(path.c_str(), &found) != 0) return {};
    return {found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
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

Result<Opened> open(const ChangeArguments& o) {
  Result<OpenOptions> options = o.secret.open_options();
  BLOOMERY_TRY(options);
  options->parquet = o.parquet.on;
  BLOOMERY_TRY(refuse_secret_as_output(o.secret.file, o.target()));
  // The lock is taken before the file is read: until it is written, nobody else shall change it.
  Result<io::FileLock> lock = io::FileLock::take(o.target());
  BLOOMERY_TRY(lock);
  const Stamp stamp = Stamp::of(o.file);
  Result<FilterFile> file = open_filter(o.file, *options);
  BLOOMERY_TRY(file);
  Result<AnyFilter> filter = copy_filter(*file, o.file);
  BLOOMERY_TRY(filter);
  return Opened{*std::move(filter), file->info(), stamp, *std::move(lock)};
}

// use(keys as the filter takes them, the same as they stand in the input) for batches of keys.
template <class Use>
Status for_keys(const ChangeArguments& o, const Records& records, Use use) {
  BLOOMERY_TRY(o.parquet.type());
  Result<KeyEncoder> encoder = o.spelling.encoder_for(records, o.parquet);
  if (!encoder.ok()) return in_file(std::move(encoder).error(), o.file);
  BLOOMERY_TRY(refuse_keys_as_output(o.keys.files, o.target()));
  Result<KeyFiles> keys = KeyFiles::open(o.keys);
  BLOOMERY_TRY(keys);
  Progress progress("reading", keys->bytes());
  return keys->for_each_batch([&](auto batch, std::uint64_t read, const std::string& file) -> Status {
    Result<std::span<const std::string_view>> values = encoder->encode(batch, file);
    BLOOMERY_TRY(values);
    progress.update(read);
    return use(*values, batch);
  });
}

// Nothing was written; the error says which file it is about.
Error unchanged(Error error, const ChangeArguments& o) {
  error.message += "; the file is as it was";
  return in_file(std::move(error), o.file);
}

// What was done: in words, and as a number of keys or links.
struct Done {
  const char* action;
  std::string words;
  std::uint64_t count;
};

// Writes the file. The line that says what was done is returned, for whoever prints it; empty with -q.
Result<std::string> finish(const ChangeArguments& o, const Opened& opened, const Done& done) {
  // A program that takes no lock: what it has done would be undone.
  if (o.output.empty() && Stamp::of(o.file) != opened.stamp)
    return in_file(
        invalid_argument("FILE", "another program has changed the file meanwhile: nothing was written; try again"),
        o.file);
  BLOOMERY_TRY(write_filter(opened.filter.view().payload().size(),
                            [&] { return save_changed(o.target(), opened.filter, opened.info); }));
  if (o.quiet) return std::string();
  const AnyView view = opened.filter.view();
  const std::uint64_t bytes = view.payload().size() + opened.info.payload_offset;
  if (o.json) {
    JsonObject json;
    json.put("file", o.target())
        .put("kind", to_string(view.kind()))
        .put("keys", opened.filter.key_count())
        .put("bytes", bytes)
        .put("predicted_fpr", Json::four_digits(view.predicted_fpr()))
        .put("action", done.action)
        .put("count", done.count);
    return json.text() + "\n";
  }
  return fmt::format("{}: {}, {} keys, {}, predicted fpr {}: {}\n", o.target(), to_string(view.kind()),
                     opened.filter.key_count() ? std::to_string(*opened.filter.key_count()) : "an unknown number of",
                     bytes_text(bytes), four_digits(view.predicted_fpr()), done.words);
}

Result<bool> finish_and_summarize(const ChangeArguments& o, const Opened& opened, const Done& done) {
  Result<std::string> line = finish(o, opened, done);
  BLOOMERY_TRY(line);
  summarize(*line, o.target());
  return true;
}

Result<bool> add(const ChangeArguments& o) {
  Result<Opened> opened = open(o);
  BLOOMERY_TRY(opened);
  std::uint64_t keys = 0;
  Status status = for_keys(o, opened->info.records, [&](auto values, auto) -> Status {
    keys += values.size();
    Status added = opened->filter.add_many(values);
    return added.ok() ? added : Status(unchanged(std::move(added).error(), o));
  });
  BLOOMERY_TRY(status);
  return finish_and_summarize(o, *opened, {"add", fmt::format("added {}", keys), keys});
}

// Keys that are certainly not there are told, once the file is written, and left out. The summary is for people, and
// the lines for programs.
Result<bool> remove(const ChangeArguments& o) {
  Result<Opened> opened = open(o);
  BLOOMERY_TRY(opened);
  if (!can(opened->filter.view().kind(), Ability::remove))  // before a key is read
    return in_file(opened->filter.remove(Hash()).error(), o.file);
  std::uint64_t keys = 0, removed = 0;
  Output out;
  Status status = for_keys(o, opened->info.records, [&](auto values, auto lines) -> Status {
    for (std::size_t i = 0; i < values.size(); ++i, ++keys) {
      Result<bool> done = opened->filter.remove(values[i]);
      if (!done.ok()) return in_file(std::move(done).error(), o.file);
      removed += *done ? 1 : 0;
      if (*done) continue;
      if (o.json) {
        out.append(JsonObject().put_bytes("key", lines[i]).put("answer", "no").text() + "\n");
        continue;
      }
      out.append("no\t");
      out.append(lines[i]);
      out.append(o.delimiter());
    }
    return {};
  });
  BLOOMERY_TRY(status);
  Result<std::string> line = finish(o, *opened, {"remove", fmt::format("removed {} of {}", removed, keys), removed});
  BLOOMERY_TRY(line);
  tell(o.json ? *line : fitted(*line, Stream::error));
  if (status = out.flush(); status.ok()) return removed == keys;
  Error error = std::move(status).error();
  error.message += "; " + o.target() + " is written";
  return error;
}

Result<bool> resize(const ChangeArguments& o) {
  Result<Opened> opened = open(o);
  BLOOMERY_TRY(opened);
  const Waiting waiting("resizing");
  if (Status status = opened->filter.resize(); !status.ok()) return in_file(std::move(status).error(), o.file);
  return finish_and_summarize(o, *opened, {"resize", "resized", 1});
}

Result<bool> fold(const ChangeArguments& o) {
  Result<Opened> opened = open(o);
  BLOOMERY_TRY(opened);
  if (!can(opened->filter.view().kind(), Ability::fold))  // before a key is read
    return in_file(opened->filter.fold_into(std::vector<Hash>{}).error(), o.file);
  const auto* chain = std::get_if<ScalableFilter>(&opened->filter.variant());
  const std::uint32_t links = chain == nullptr ? 0 : chain->geometry().links;
  std::vector<Hash> hashes;
  const Hasher hasher = opened->filter.view().hasher();
  Status status = for_keys(o, opened->info.records, [&](auto values, auto) -> Status {
    const std::size_t first = hashes.size();
    hashes.resize(first + values.size());
    hasher.hash_many(values, std::span(hashes).subspan(first));
    return {};
  });
  if (status.ok()) {
    const Waiting waiting("folding");
    status = opened->filter.fold_into(hashes);
    if (!status.ok()) status = unchanged(std::move(status).error(), o);
  }
  BLOOMERY_TRY(status);
  return finish_and_summarize(o, *opened, {"fold", fmt::format("folded {} links into one", links), links});
}

Result<bool> list(const ChangeArguments& o) {
  OpenOptions without;  // fingerprints need no secret
  without.without_secret = true;
  Result<FilterFile> file = open_filter(o.file, without);
  BLOOMERY_TRY(file);
  if (Status status = file->view().check_structure(); !status.ok()) return in_file(std::move(status).error(), o.file);
  constexpr std::uint64_t kLinesAtOnce = 4096;
  Output out;
  Status written;
  std::uint64_t lines = 0;
  Status status = file->view().for_each([&](std::uint64_t fingerprint, std::uint64_t times) {
    if (!written.ok()) return;
    const std::string digits = fmt::format("{:016x}", fingerprint);
    out.append(o.json ? JsonObject().put("fingerprint", digits).put("times", times).text()
                      : fmt::format("{}\t{}", digits, times));
    out.append('\n');
    if (++lines % kLinesAtOnce == 0) written = out.flush();
  });
  if (!status.ok()) return in_file(std::move(status).error(), o.file);
  if (written.ok()) written = out.flush();
  BLOOMERY_TRY(written);
  return true;
}

enum class Takes { file, file_and_output, file_and_keys, any_file_and_keys };

Command& add_command(Command& program, const char* name, const char* help, Takes takes,
                     Result<bool> (*run)(const ChangeArguments&)) {
  auto o = std::make_shared<ChangeArguments>();
  Command& command = program.add(name, help);
  if (takes != Takes::file) {
    o->secret.add_to(command);
    command.option("-o,--output", "OUT", &o->output, "Write to this file and leave FILE as it is");
    command.flag("-q,--quiet", o->quiet, "Print nothing when all goes well");
  }
  const bool takes_keys = takes == Takes::file_and_keys || takes == Takes::any_file_and_keys;
  if (takes == Takes::any_file_and_keys)
    o->parquet.add_with_key_type(command, "The file is the filter of a Parquet column");
  if (takes_keys) {
    o->keys.add_to(command);
    o->spelling.add_with_force(command);
  }
  command.flag("--json", o->json, takes == Takes::file ? "A line of JSON for each" : "One line of JSON");
  command.argument("FILE", &o->file, "The filter file").required();
  if (takes_keys) o->keys.add_files_to(command);
  command.runs([o, run] { return exit_status(run(*o)); });
  return command;
}

}  // namespace

void add_change(Command& program) {
  add_command(program, "add", "Add keys to a filter file", Takes::any_file_and_keys, add)
      .details(
          "The file is written anew and appears whole or not at all; with -o it stays as it is and another one is "
          "written. What has no room is refused, and then nothing has changed; so is a file that a program without the "
          "lock has changed meanwhile.");
  add_command(program, "remove", "Remove keys from a filter file of a kind that can", Takes::file_and_keys, remove)
      .details(
          "The kinds that can are counting, cuckoo and quotient. Remove only what was added: a key that only looks "
          "present cannot be told from one that is. Prints 'no', TAB, and the key for each that is certainly not "
          "there, "
          "leaves the filter alone for it, and exits with 1.");
  add_command(program, "resize", "Double the room of a quotient filter, without its keys", Takes::file_and_output,
              resize);
  add_command(program, "fold", "Make one link of a grown scalable filter, from its keys", Takes::file_and_keys, fold)
      .details(
          "All keys have to be offered again: one that is left out is lost. Fewer than the links hold are refused.");
  add_command(program, "list", "Print the fingerprints of a quotient filter in order, and how often each is there",
              Takes::file, list)
      .details("A line a fingerprint: 16 hexadecimal digits, TAB, and the number of times.");
}

}  // namespace bloomery::cli
