// bloomery build: keys in, a filter file out.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/keys.h"
#include "cli/output.h"
#include "io/atomic_file.h"

namespace bloomery::cli {
namespace {

struct Options {
  std::string kind = "classic", fpr, n, bits_per_key, m, k, blocks, output, keys;
  HashOptions hash;
  bool envelope = false, nul = false, quiet = false;

  char delimiter() const { return nul ? '\0' : '\n'; }
};

// Signals that would end the program wait until this is gone, so that no temporary file stays behind.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t set;
    sigemptyset(&set);
    for (int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_;
};

// What contradicts what, in one place.
Status check(const Options& o) {
  if (!o.blocks.empty()) return invalid_argument("blocks", "classic filters have no blocks: give -m and -k, or --fpr");
  if (o.m.empty() != o.k.empty()) return invalid_argument("m", "-m and -k go together: an exact geometry needs both");
  if (!o.m.empty() && (!o.fpr.empty() || !o.bits_per_key.empty()))
    return invalid_argument("m", "-m and -k fix the geometry: leave out --fpr and --bits-per-key");
  if (!o.fpr.empty() && !o.bits_per_key.empty())
    return invalid_argument("fpr", "--fpr and --bits-per-key exclude each other: give one");
  if (!o.envelope && !o.hash.hash.empty() && o.hash.hash != to_string(HashId::fnv_splitmix))
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
  if (!status.ok()) return std::move(status).error();
  if (Status rewound = keys.rewind(); !rewound.ok()) return std::move(rewound).error();
  return count;
}

// What the arguments say of the size; the number of keys may follow later.
struct Shape {
  std::optional<std::uint64_t> n;
  std::optional<ClassicGeometry> exact;
  std::optional<double> bits_per_key;
  double fpr = 0.01;
};

// Refuses bad numbers before any key is read.
Result<Shape> parse_shape(const Options& o) {
  Shape shape;
  if (!o.n.empty()) {
    Result<std::uint64_t> n = parse_count("n", o.n);
    if (!n.ok()) return std::move(n).error();
    shape.n = *n;
  }
  if (!o.m.empty()) {
    Result<std::uint64_t> m = parse_count("m", o.m), k = parse_count("k", o.k);
    if (!m.ok()) return std::move(m).error();
    if (!k.ok()) return std::move(k).error();
    Result<ClassicGeometry> exact = ClassicGeometry::make(*m, *k);
    if (!exact.ok()) return std::move(exact).error();
    shape.exact = *exact;
  }
  const std::string& real = o.bits_per_key.empty() ? o.fpr : o.bits_per_key;
  if (!real.empty()) {
    Result<double> value = parse_real(o.bits_per_key.empty() ? "fpr" : "bits per key", real);
    if (!value.ok()) return std::move(value).error();
    if (o.bits_per_key.empty()) shape.fpr = *value;
    else shape.bits_per_key = *value;
  }
  Result<ClassicGeometry> trial = shape.bits_per_key
                                      ? ClassicGeometry::for_bits_per_key(shape.n.value_or(1), *shape.bits_per_key)
                                      : ClassicGeometry::for_capacity(shape.n.value_or(1), shape.fpr);
  if (!trial.ok()) return std::move(trial).error();
  return shape;
}

Result<ClassicFilter> make_filter(const Shape& shape, std::uint64_t n, const Hasher& hasher) {
  if (shape.exact) return ClassicFilter::with_geometry(shape.exact->m, shape.exact->k, hasher);
  if (!shape.bits_per_key) return ClassicFilter::with_capacity(n, shape.fpr, hasher);
  Result<ClassicGeometry> sized = ClassicGeometry::for_bits_per_key(n, *shape.bits_per_key);
  if (!sized.ok()) return std::move(sized).error();
  return ClassicFilter::with_geometry(sized->m, sized->k, hasher);
}

Status add_keys(ClassicFilter& filter, io::File& keys, const Options& o, std::uint64_t total) {
  Progress progress("adding", total);
  return for_each_batch(keys, o.delimiter(), [&](auto batch, std::uint64_t read) -> Status {
    filter.add_many(batch);
    progress.update(read);
    return {};
  });
}

Status write(const ClassicFilter& filter, const Options& o) {
  const SignalsWait wait;
  return save(o.output, filter.view(), o.envelope ? Format::envelope : Format::raw, filter.key_count());
}

// The line on standard output (spec/cli.md), and for people at a terminal how fast it went.
void report(const ClassicFilter& filter, const Options& o, double fpr, double seconds) {
  if (o.quiet) return;
  const std::uint64_t keys = filter.key_count().value_or(0), header = o.envelope ? 128 : 12;
  fmt::print(
      "{}: {}, {} keys, {} bytes, {} bits/key, predicted fpr {}\n", o.output, o.kind, keys, filter.bytes() + header,
      four_digits(static_cast<double>(filter.geometry().m) / static_cast<double>(std::max<std::uint64_t>(keys, 1))),
      four_digits(fpr));
  if (::isatty(STDERR_FILENO) == 1)
    fmt::print(stderr, "{:.3g} s, {:.3g} M keys/s\n", seconds, static_cast<double>(keys) / seconds / 1e6);
}

Status build(const Options& o) {
  const auto start = std::chrono::steady_clock::now();
  if (Result<Kind> kind = kind_from_name(o.kind); !kind.ok()) return std::move(kind).error();
  if (Status status = check(o); !status.ok()) return status;
  Result<Hasher> hasher = o.hash.hasher(HashId::fnv_splitmix);
  if (!hasher.ok()) return std::move(hasher).error();
  Result<Shape> shape = parse_shape(o);
  if (!shape.ok()) return std::move(shape).error();
  // A place that cannot be written to shall be noticed before the work, not after it.
  if (Result<io::AtomicFile> trial = io::AtomicFile::create(o.output); !trial.ok()) return std::move(trial).error();

  const bool count_first = !shape->n && !shape->exact;
  Result<io::File> keys = count_first ? open_keys_rewindable(o.keys) : open_keys(o.keys);
  if (!keys.ok()) return std::move(keys).error();
  const std::uint64_t total = keys->is_regular() ? keys->size().value() : 0;
  Result<std::uint64_t> n = count_first ? count_keys(*keys, o, total) : shape->n.value_or(1);
  if (!n.ok()) return std::move(n).error();
  Result<ClassicFilter> filter = make_filter(*shape, std::max<std::uint64_t>(*n, 1), *hasher);
  if (!filter.ok()) return std::move(filter).error();
  if (Status status = add_keys(*filter, *keys, o, total); !status.ok()) return status;

  const double fpr = filter->predicted_fpr();
  if (shape->n && filter->key_count() > shape->n)
    warn(
        fmt::format("{} keys were added to a filter sized for {}: it answers 'maybe' to {} of absent keys; give a "
                    "larger -n, or none to have "
                    "the keys counted",
                    *filter->key_count(), *shape->n, four_digits(fpr)));
  if (Status status = write(*filter, o); !status.ok()) return status;
  report(*filter, o, fpr, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return {};
}

}  // namespace

void add_build(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("build", "Build a filter file from keys, one a line");
  command->add_option("--kind", o->kind, "Kind of filter (default classic)")->type_name("K");
  command->add_option("--fpr", o->fpr, "False-positive rate aimed at (default 0.01)")->type_name("P");
  command->add_option("-n", o->n, "Size for N keys, as 10M or 1e9 (default: the keys are counted first)")
      ->type_name("N");
  command->add_option("--bits-per-key", o->bits_per_key, "Size by bits per key instead of --fpr")->type_name("B");
  command->add_option("-m", o->m, "Exactly M bits (with -k)")->type_name("M");
  command->add_option("-k", o->k, "Exactly K indexes per key (with -m)")->type_name("K");
  command->add_option("--blocks", o->blocks, "Exactly B blocks, for kinds that have blocks")->type_name("B");
  o->hash.add_to(*command, "Hash of the keys; other than fnv_splitmix needs --envelope");
  command->add_flag("--envelope", o->envelope, "Write the envelope, with checksums, instead of the raw classic file");
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
