// bloomery build: keys in, a filter file out.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "cli/build_from_keys.h"
#include "cli/cli.h"
#include "cli/iblt.h"
#include "cli/json.h"
#include "cli/key_spelling.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "cli/progress.h"
#include "cli/records.h"
#include "cli/replace.h"
#include "cli/shape.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace bloomery::cli {
namespace {

struct BuildArguments {
  std::string kind = "block", output, threads;
  ShapeOptions shape;
  KeyOptions keys;
  SpellingOptions spelling;
  HashOptions hash;
  ParquetOptions parquet;
  IbltOptions iblt;
  RecordOptions records;
  bool envelope = false, quiet = false, json = false;

  Result<unsigned> thread_count() const;
};

// --threads; all cores when it is not given.
Result<unsigned> BuildArguments::thread_count() const {
  if (threads.empty()) return std::max(1u, std::thread::hardware_concurrency());
  return parse_threads(threads);
}

// What contradicts what among the options themselves; what does not fit the kind, the library says.
Status check(const BuildArguments& o, Kind kind) {
  if (kind == Kind::classic && !o.envelope && !o.hash.hash.empty() && o.hash.hash != to_string(HashId::fnv_splitmix))
    return invalid_argument("hash", "a raw classic file always uses fnv_splitmix: add --envelope for " + o.hash.hash);
  return {};
}

Format format_of(const BuildArguments& o, Kind kind) {
  if (o.parquet.on) return Format::parquet;
  return kind == Kind::classic && !o.envelope ? Format::raw : Format::envelope;
}

// Writes the records that were asked for and no others: such files are the same whoever writes them.
Status write(const AnyFilter& filter, const BuildArguments& o, Format format, const EnvelopeOptions& options) {
  return replace(o.output, [&] {
    const FileProgress progress("writing", filter.view().payload().size());
    return format == Format::envelope ? save(o.output, filter, options) : save(o.output, filter, format);
  });
}

// How many distinct keys there are: exactly of a kind that is made of them, else estimated where that is possible.
struct DistinctCount {
  std::optional<std::uint64_t> keys;
  bool exactly;
};

DistinctCount count_distinct(const AnyFilter& filter) {
  const AnyView view = filter.view();
  if (!can(view.kind(), Ability::add)) return {filter.key_count(), true};
  return {view.estimated_count(), false};
}

// Returns the bytes of the file that was written; for a device, those that a file without records would have.
std::uint64_t file_bytes(const Built& built, const BuildArguments& o, Format format) {
  std::error_code none;
  const std::uint64_t bytes = std::filesystem::file_size(o.output, none);
  const AnyView view = built.filter.view();
  return none ? view.payload().size() + header_bytes(view, format) : bytes;
}

void print_json(const Built& built, const BuildArguments& o, Format format, double fpr, double bits_per_key) {
  const AnyView view = built.filter.view();
  const KeyCounts& counts = built.keys.counts();
  const DistinctCount distinct = count_distinct(built.filter);
  JsonObject json;
  json.put("file", o.output)
      .put("kind", to_string(view.kind()))
      .put("format", to_string(format))
      .put("keys", built.filter.key_count().value_or(0))
      .put("bytes", file_bytes(built, o, format))
      .put("bits_per_key", Json::four_digits(bits_per_key))
      .put("predicted_fpr", Json::four_digits(fpr))
      .put("lines", counts.lines)
      .put("empty_lines", counts.empty)
      .put("lines_with_cr", counts.with_cr)
      .put("distinct_keys", distinct.keys)
      .put("distinct_exactly", distinct.exactly);
  summarize(json.text() + "\n", o.output);
}

// The line on standard output (spec/cli.md), and for people at a terminal how fast it went.
void report(const Built& built, const BuildArguments& o, Format format, double fpr, double seconds) {
  if (o.quiet) return;
  const AnyFilter& filter = built.filter;
  const AnyView view = filter.view();
  const std::uint64_t keys = filter.key_count().value_or(0);
  const double bits_per_key =
      static_cast<double>(view.payload_bits()) / static_cast<double>(std::max<std::uint64_t>(keys, 1));
  if (o.json) return print_json(built, o, format, fpr, bits_per_key);
  summarize(fmt::format("{}: {}, {} keys, {}, {} bits/key, predicted fpr {}\n", o.output, to_string(view.kind()), keys,
                        bytes_text(file_bytes(built, o, format)), four_digits(bits_per_key), four_digits(fpr)),
            o.output);
  const DistinctCount distinct = count_distinct(filter);
  const std::string remarks = built.keys.remarks(distinct.keys.value_or(built.keys.counts().lines), distinct.exactly);
  if (!remarks.empty()) tell(remarks + "\n");
  if (::isatty(STDERR_FILENO) == 1) {
    tell(speed_text(seconds, keys, "keys") + "\n");
    if (view.retries().value_or(0) > 0) tell(fmt::format("{} attempts failed before\n", *view.retries()));
  }
}

// What is read is not what is written.
Status refuse_inputs_as_output(const BuildArguments& o) {
  BLOOMERY_TRY(refuse_keys_as_output(o.keys.files, o.output));
  return refuse_secret_as_output(o.hash.secret_file, o.output);
}

// An iblt is no filter: it takes other options, and none of a filter's.
Status build_no_filter(const BuildArguments& o) {
  if (!o.spelling.keys.empty()) return invalid_argument("keys", "an iblt takes lines as they are: leave out --keys");
  if (o.shape.given() || o.envelope || o.parquet.on)
    return invalid_argument("kind",
                            "an iblt is no filter: it takes --differences, --key-bytes, --estimator, --hash, "
                            "--seed and --secret, and none of a filter's options");
  BLOOMERY_TRY(refuse_inputs_as_output(o));
  const Result<EnvelopeOptions> envelope = o.records.parse(Format::envelope);
  BLOOMERY_TRY(envelope);
  return build_iblt({o.iblt, o.hash, o.keys, o.output, *envelope, o.quiet, o.json});
}

Status build(const BuildArguments& o) {
  const auto start = std::chrono::steady_clock::now();
  if (o.kind == to_string(Kind::iblt)) return build_no_filter(o);
  if (o.iblt.given()) return invalid_argument("kind", "--differences, --key-bytes and --estimator are for --kind iblt");
  Result<Kind> kind = parse_kind(o.kind);
  BLOOMERY_TRY(kind);
  BLOOMERY_TRY(check(o, *kind));
  Result<Hasher> hasher = o.hash.hasher(default_hasher(*kind).id());
  BLOOMERY_TRY(hasher);
  Result<KeyType> key_type = o.parquet.type();
  BLOOMERY_TRY(key_type);
  BLOOMERY_TRY(o.parquet.check_build(*kind, *hasher, o.envelope));
  const Result<std::optional<Spelling>> spelling = o.spelling.given(o.parquet);
  BLOOMERY_TRY(spelling);
  const Format format = format_of(o, *kind);
  Result<EnvelopeOptions> envelope = o.records.parse(format);
  BLOOMERY_TRY(envelope);
  if (*spelling) envelope->records.keys = record_of(**spelling);
  Result<Shape> shape = o.shape.parse(*kind, o.parquet);
  BLOOMERY_TRY(shape);
  Result<unsigned> threads = o.thread_count();
  BLOOMERY_TRY(threads);
  BLOOMERY_TRY(refuse_inputs_as_output(o));
  // A place that cannot be written to shall be noticed before the work, not after it.
  BLOOMERY_TRY(io::AtomicFile::create(o.output));

  const KeyEncoder encoder(spelling->value_or(Spelling::text), *key_type);
  Result<Built> built = build_from_keys({o.keys, o.parquet, *kind, *shape, *hasher, encoder, *threads});
  BLOOMERY_TRY(built);
  const AnyFilter* filter = &built->filter;

  const double fpr = filter->view().predicted_fpr();
  const bool has_limit = !can(*kind, Ability::fold) && !filter->view().forgets();
  if (has_limit && shape->n && filter->key_count() > shape->n)
    warn(
        fmt::format("{} keys were added to a filter sized for {}: it answers 'maybe' to {} of absent keys; give a "
                    "larger -n, or none to have the keys counted",
                    *filter->key_count(), *shape->n, four_digits(fpr)));
  BLOOMERY_TRY(write(*filter, o, format, *envelope));
  report(*built, o, format, fpr, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return {};
}

}  // namespace

void add_build(Command& program) {
  auto o = std::make_shared<BuildArguments>();
  Command& command = program.add("build", "Build a filter file from keys, one a line");
  command.details(
      "Without -n the keys are counted first (two passes over a file; a stream is kept in a temporary "
      "file in TMPDIR), and the filter is sized for exactly that many. A filter is sized by --fpr, by "
      "--bits-per-key, or exactly: by -m and -k (classic), --blocks (split), --blocks and -k (block), "
      "or --geometry.\n\n--kind iblt makes no filter but a table of some KB from which the difference to "
      "another set can be listed (set-diff); it takes --differences or --estimator.");
  std::vector<std::string> kinds = kind_names();
  kinds.emplace_back(to_string(Kind::iblt));
  command.option("--kind", "K", &o->kind, "Kind of filter (default block); 'bloomery plan' shows them all")
      .choices(kinds);
  o->shape.add_to(command);
  o->hash.add_to(command, "Hash of the keys (default: xxh3; xxh64 for split, fnv_splitmix for classic)");
  command.flag("--envelope", o->envelope, "Write classic as an envelope, with checksums, instead of its raw file");
  o->parquet.add_with_key_type(command, "Write a split filter as it stands in a Parquet column");
  o->iblt.add_to(command);
  o->keys.add_to(command);
  o->spelling.add_to(command);
  o->records.add_to(command);
  command.option("--threads", "T", &o->threads,
                 "Threads that build a static kind (default: as many as there are cores)");
  command.flag("--json", o->json, "One line of JSON");
  command.flag("-q,--quiet", o->quiet, "Print nothing when all goes well");
  command.option("-o,--output", "FILE", &o->output, "The filter file; it appears whole or not at all").required();
  o->keys.add_files_to(command);
  command.runs([o] { return exit_status(build(*o)); });
}

}  // namespace bloomery::cli
