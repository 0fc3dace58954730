// bloomery build: keys in, a filter file out.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "cli/cli.h"
#include "cli/iblt.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "cli/parquet.h"
#include "cli/replace.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"

namespace bloomery::cli {
namespace {

struct Options {
  std::string kind = "block", fpr, n, bits_per_key, m, k, blocks, geometry, output, keys;
  HashOptions hash;
  ParquetOptions parquet;
  IbltOptions iblt;
  bool envelope = false, nul = false, quiet = false;

  char delimiter() const { return nul ? '\0' : '\n'; }
};

// What contradicts what among the options themselves; what does not fit the kind, the library says.
Status check(const Options& o, Kind kind) {
  if (!o.fpr.empty() && !o.bits_per_key.empty())
    return invalid_argument("fpr", "--fpr and --bits-per-key exclude each other: give one");
  if (kind == Kind::classic && !o.envelope && !o.hash.hash.empty() && o.hash.hash != to_string(HashId::fnv_splitmix))
    return invalid_argument("hash", "a raw classic file always uses fnv_splitmix: add --envelope for " + o.hash.hash);
  return {};
}

Result<std::uint64_t> count_keys(io::File& keys, const Options& o, std::uint64_t total) {
  Progress progress("counting", total);
  std::uint64_t count = 0;
  Status status = for_each_batch(keys, o.delimiter(), [&](auto batch, std::uint64_t read) -> Status {
    count += batch.size();
    progress.update(read);
    return {};
  });
  BLOOMERY_TRY(status);
  BLOOMERY_TRY(keys.rewind());
  return count;
}

// What the arguments say of the size; the number of keys may follow later.
struct Shape {
  std::optional<std::uint64_t> n;
  SizeSpec size;
  bool exact = false;
};

using Numbers = std::vector<std::pair<std::string, std::uint64_t>>;

Status parse_into(Numbers& numbers, const std::string& name, const std::string& text) {
  Result<std::uint64_t> number = parse_count(name, text);
  BLOOMERY_TRY(number);
  numbers.emplace_back(name, *number);
  return {};
}

// -m, -k, --blocks, and what --geometry names: "m=1000,k=7".
Result<Numbers> parse_numbers(const Options& o) {
  Numbers numbers;
  const std::pair<const char*, const std::string&> given[] = {{"m", o.m}, {"k", o.k}, {"blocks", o.blocks}};
  for (const auto& [name, text] : given) {
    if (text.empty()) continue;
    BLOOMERY_TRY(parse_into(numbers, name, text));
  }
  for (std::size_t first = 0; first < o.geometry.size();) {
    const std::string part = o.geometry.substr(first, o.geometry.find(',', first) - first);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      return invalid_argument("geometry",
                              fmt::format("--geometry has '{}': give names and numbers, as m=1000,k=7", part));
    BLOOMERY_TRY(parse_into(numbers, part.substr(0, equals), part.substr(equals + 1)));
    first += part.size() + 1;
  }
  return numbers;
}

// Refuses bad numbers before any key is read.
Result<Shape> parse_shape(const Options& o, Kind kind) {
  Shape shape;
  if (!o.n.empty()) {
    Result<std::uint64_t> n = parse_count("n", o.n);
    BLOOMERY_TRY(n);
    shape.n = *n;
  }
  Result<Numbers> numbers = parse_numbers(o);
  BLOOMERY_TRY(numbers);
  shape.size.numbers = *std::move(numbers);
  const std::string& real = o.bits_per_key.empty() ? o.fpr : o.bits_per_key;
  if (!real.empty()) {
    Result<double> value = parse_real(o.bits_per_key.empty() ? "fpr" : "bits per key", real);
    BLOOMERY_TRY(value);
    if (o.bits_per_key.empty()) shape.size.fpr = *value;
    else shape.size.bits_per_key = *value;
  }
  if (shape.n == 0) return invalid_argument("n", "n is 0: a filter is sized for at least one key");
  // A trial, to refuse what no number of keys makes possible: a rate that is too low shows with one, bits that are too
  // few with many.
  const std::uint64_t n = shape.n.value_or(shape.size.bits_per_key ? 1'000'000 : 1);
  Result<SizeSpec> size = o.parquet.size(n, shape.size);
  BLOOMERY_TRY(size);
  Result<SizePlan> trial = plan_size(kind, n, *size);
  BLOOMERY_TRY(trial);
  shape.exact = trial->exact && !o.parquet.on;
  if (shape.exact && !real.empty())
    return invalid_argument("fpr",
                            "-m, -k, --blocks and --geometry fix the geometry: leave out --fpr and --bits-per-key");
  return shape;
}

// use(keys of a batch) for all of them.
template <class Use>
Status use_keys(io::File& keys, const Options& o, KeyType type, std::uint64_t total, const char* doing, Use use) {
  Progress progress(doing, total);
  PlainKeys plain(type, o.keys);
  return for_each_batch(keys, o.delimiter(), [&](auto batch, std::uint64_t read) -> Status {
    Result<std::span<const std::string_view>> values = plain.encode(batch);
    BLOOMERY_TRY(values);
    BLOOMERY_TRY(use(*values));
    progress.update(read);
    return {};
  });
}

// A kind that takes keys: counted first unless their number is given, then added as they are read.
Result<AnyFilter> fill(const Options& o, Kind kind, const Shape& shape, const Hasher& hasher, KeyType type) {
  const bool count_first = !shape.n && !shape.exact;
  Result<io::File> keys = count_first ? open_keys_rewindable(o.keys) : open_keys(o.keys);
  BLOOMERY_TRY(keys);
  const std::uint64_t total = keys->is_regular() ? keys->size().value() : 0;
  Result<std::uint64_t> n = count_first ? count_keys(*keys, o, total) : shape.n.value_or(1);
  BLOOMERY_TRY(n);
  const std::uint64_t sized_for = std::max<std::uint64_t>(*n, 1);
  Result<SizeSpec> size = o.parquet.size(sized_for, shape.size);
  BLOOMERY_TRY(size);
  Result<AnyFilter> filter = AnyFilter::with_size(kind, sized_for, *size, hasher);
  BLOOMERY_TRY(filter);
  Status added = use_keys(*keys, o, type, total, "adding", [&](auto batch) { return filter->add_many(batch); });
  BLOOMERY_TRY(added);
  return filter;
}

// A static kind: all hashes first, then the filter, on all cores.
Result<AnyFilter> build_at_once(const Options& o, Kind kind, const Shape& shape, const Hasher& hasher, KeyType type) {
  if (shape.n)
    return invalid_argument(
        "n", fmt::format("{} filters are sized for the very keys they are built of: leave out -n", to_string(kind)));
  Result<io::File> keys = open_keys(o.keys);
  BLOOMERY_TRY(keys);
  const std::uint64_t total = keys->is_regular() ? keys->size().value() : 0;
  std::vector<Hash> hashes;
  Status read = use_keys(*keys, o, type, total, "reading", [&](auto batch) -> Status {
    return guarded([&]() -> Status {
      hashes.resize(hashes.size() + batch.size());
      hash_keys(hasher, batch, std::span(hashes).last(batch.size()));
      return {};
    });
  });
  BLOOMERY_TRY(read);
  return AnyFilter::build(kind, hashes, shape.size, hasher, std::max(1u, std::thread::hardware_concurrency()));
}

Format format_of(const Options& o, Kind kind) {
  if (o.parquet.on) return Format::parquet;
  return kind == Kind::classic && !o.envelope ? Format::raw : Format::envelope;
}

Status write(const AnyFilter& filter, const Options& o, Format format) {
  return replace(o.output, [&] { return save(o.output, filter, format); });
}

// The line on standard output (spec/cli.md), and for people at a terminal how fast it went.
void report(const AnyFilter& filter, const Options& o, Format format, double fpr, double seconds) {
  if (o.quiet) return;
  const AnyView view = filter.view();
  const std::uint64_t keys = filter.key_count().value_or(0), header = header_bytes(view, format);
  const double bits_per_key =
      static_cast<double>(view.payload_bits()) / static_cast<double>(std::max<std::uint64_t>(keys, 1));
  summarize(fmt::format("{}: {}, {} keys, {} bytes, {} bits/key, predicted fpr {}\n", o.output, to_string(view.kind()),
                        keys, view.payload().size() + header, four_digits(bits_per_key), four_digits(fpr)),
            o.output);
  if (::isatty(STDERR_FILENO) == 1) {
    tell(fmt::format("{:.3g} s, {:.3g} M keys/s\n", seconds, static_cast<double>(keys) / seconds / 1e6));
    if (view.retries().value_or(0) > 0) tell(fmt::format("{} attempts failed before\n", *view.retries()));
  }
}

// What is read is not what is written.
Status refuse_inputs_as_output(const Options& o) {
  BLOOMERY_TRY(refuse_keys_as_output(o.keys, o.output));
  return refuse_secret_as_output(o.hash.secret_file, o.output);
}

// An iblt is no filter: it takes other options, and none of a filter's.
Status build_no_filter(const Options& o) {
  for (const std::string* given : {&o.fpr, &o.n, &o.bits_per_key, &o.m, &o.k, &o.blocks, &o.geometry})
    if (!given->empty() || o.envelope || o.parquet.on)
      return invalid_argument("kind",
                              "an iblt is no filter: it takes --differences, --key-bytes, --estimator, --hash, "
                              "--seed and --secret, and none of a filter's options");
  BLOOMERY_TRY(refuse_inputs_as_output(o));
  return build_iblt({o.iblt, o.hash, o.keys, o.output, o.delimiter(), o.quiet});
}

Status build(const Options& o) {
  const auto start = std::chrono::steady_clock::now();
  if (o.kind == to_string(Kind::iblt)) return build_no_filter(o);
  if (o.iblt.given()) return invalid_argument("kind", "--differences, --key-bytes and --estimator are for --kind iblt");
  Result<Kind> kind = kind_from_name(o.kind);
  BLOOMERY_TRY(kind);
  BLOOMERY_TRY(check(o, *kind));
  Result<Hasher> hasher = o.hash.hasher(default_hasher(*kind).id());
  BLOOMERY_TRY(hasher);
  Result<KeyType> key_type = o.parquet.type();
  BLOOMERY_TRY(key_type);
  BLOOMERY_TRY(o.parquet.check_build(*kind, *hasher, o.envelope));
  Result<Shape> shape = parse_shape(o, *kind);
  BLOOMERY_TRY(shape);
  BLOOMERY_TRY(refuse_inputs_as_output(o));
  // A place that cannot be written to shall be noticed before the work, not after it.
  BLOOMERY_TRY(io::AtomicFile::create(o.output));

  Result<AnyFilter> filter = can(*kind, Ability::add) ? fill(o, *kind, *shape, *hasher, *key_type)
                                                      : build_at_once(o, *kind, *shape, *hasher, *key_type);
  BLOOMERY_TRY(filter);

  const double fpr = filter->view().predicted_fpr();
  const bool has_limit = !can(*kind, Ability::fold) && !filter->view().forgets();
  if (has_limit && shape->n && filter->key_count() > shape->n)
    warn(
        fmt::format("{} keys were added to a filter sized for {}: it answers 'maybe' to {} of absent keys; give a "
                    "larger -n, or none to have "
                    "the keys counted",
                    *filter->key_count(), *shape->n, four_digits(fpr)));
  const Format format = format_of(o, *kind);
  BLOOMERY_TRY(write(*filter, o, format));
  report(*filter, o, format, fpr, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return {};
}

}  // namespace

void add_build(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("build", "Build a filter file from keys, one a line");
  command->add_option("--kind", o->kind, "Kind of filter (default block); 'bloomery plan' shows them all")
      ->type_name("K");
  command->add_option("--fpr", o->fpr, "False-positive rate aimed at (default 0.01)")->type_name("P");
  command->add_option("-n", o->n, "Size for N keys, as 10M or 1e9 (default: the keys are counted first)")
      ->type_name("N");
  command->add_option("--bits-per-key", o->bits_per_key, "Size by bits per key instead of --fpr")->type_name("B");
  command->add_option("-m", o->m, "Exactly M bits (classic, with -k)")->type_name("M");
  command->add_option("-k", o->k, "Exactly K bits per key (with -m or --blocks)")->type_name("K");
  command->add_option("--blocks", o->blocks, "Exactly B blocks (split; block with -k)")->type_name("B");
  command
      ->add_option(
          "--geometry", o->geometry,
          "Exactly this geometry, by the names that inspect prints, as slice_bits=1000,k=7; or beside --fpr what "
          "the kind leaves open, as counter_bits=32 or growth=4")
      ->type_name("NAME=N,..");
  o->hash.add_to(*command, "Hash of the keys (default: xxh3; xxh64 for split, fnv_splitmix for classic)");
  command->add_flag("--envelope", o->envelope, "Write classic as an envelope, with checksums, instead of its raw file");
  o->parquet.add_with_key_type(*command, "Write a split filter as it stands in a Parquet column");
  o->iblt.add_to(*command);
  command->add_flag("-0", o->nul, "Keys end in NUL instead of LF");
  command->add_flag("-q,--quiet", o->quiet, "Print nothing when all goes well");
  command->add_option("-o,--output", o->output, "The filter file; it appears whole or not at all")
      ->required()
      ->type_name("FILE");
  command->add_option("KEYS", o->keys, "File of keys; standard input when none or '-'");
  command->callback([o, &status] {
    const Status built = build(*o);
    status = built.ok() ? kYes : fail(built.error());
  });
}

}  // namespace bloomery::cli
