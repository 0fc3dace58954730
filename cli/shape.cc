#include "cli/shape.h"

#include <fmt/format.h>

#include "cli/cli.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

constexpr double kNeverTooFew = 1e6;  // bits per key; a filter of one key takes less, of whatever kind

Status parse_into(GeometryNumbers& numbers, const std::string& name, const std::string& text) {
  Result<std::uint64_t> number = parse_count(name, text);
  BLOOMERY_TRY(number);
  numbers.emplace_back(name, *number);
  return {};
}

// -m, -k, --blocks, and what --geometry names.
Result<GeometryNumbers> parse_numbers(const ShapeOptions& o) {
  GeometryNumbers numbers;
  const std::pair<const char*, const std::string&> given[] = {{"m", o.m}, {"k", o.k}, {"blocks", o.blocks}};
  for (const auto& [name, text] : given) {
    if (text.empty()) continue;
    BLOOMERY_TRY(parse_into(numbers, name, text));
  }
  Result<GeometryNumbers> named = parse_geometry(o.geometry);
  BLOOMERY_TRY(named);
  numbers.insert(numbers.end(), named->begin(), named->end());
  return numbers;
}

// The library speaks of numbers by name; these are the options that give them.
Error with_options(Error error) {
  error.message += " (by -m, -k, --blocks or --geometry NAME=N,..)";
  return error;
}

}  // namespace

Result<GeometryNumbers> parse_geometry(const std::string& text) {
  GeometryNumbers numbers;
  for (std::size_t first = 0; first < text.size();) {
    const std::string part = text.substr(first, text.find(',', first) - first);
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      return invalid_argument("geometry",
                              fmt::format("--geometry has '{}': give names and numbers, as m=1000,k=7", part));
    BLOOMERY_TRY(parse_into(numbers, part.substr(0, equals), part.substr(equals + 1)));
    first += part.size() + 1;
  }
  return numbers;
}

void ShapeOptions::add_to(Command& command) {
  command.option("--fpr", "P", &fpr, "False-positive rate aimed at (default 0.01)");
  command.option("-n", "N", &n, "Size for N keys, as 10M or 1e9 (default: the keys are counted first)");
  command.option("--bits-per-key", "B", &bits_per_key, "Size by bits per key instead of --fpr");
  command.option("-m", "M", &m, "Exactly M bits (classic, with -k)");
  command.option("-k", "K", &k, "Exactly K bits per key (with -m or --blocks)");
  command.option("--blocks", "B", &blocks, "Exactly B blocks (split; block with -k)");
  command.option(
      "--geometry", "NAME=N,..", &geometry,
      "Exactly this geometry, by the names that inspect prints, as slice_bits=1000,k=7; or beside --fpr what "
      "the kind leaves open, as counter_bits=32 or growth=4");
}

bool ShapeOptions::given() const {
  for (const std::string* option : {&fpr, &n, &bits_per_key, &m, &k, &blocks, &geometry})
    if (!option->empty()) return true;
  return false;
}

Result<Shape> ShapeOptions::parse(Kind kind, const ParquetOptions& parquet) const {
  if (!fpr.empty() && !bits_per_key.empty())
    return invalid_argument("fpr", "--fpr and --bits-per-key exclude each other: give one");
  Shape shape;
  if (!n.empty()) {
    Result<std::uint64_t> number = parse_count("n", n);
    BLOOMERY_TRY(number);
    shape.n = *number;
  }
  Result<GeometryNumbers> numbers = parse_numbers(*this);
  BLOOMERY_TRY(numbers);
  shape.size.numbers = *std::move(numbers);
  const std::string& real = bits_per_key.empty() ? fpr : bits_per_key;
  if (!real.empty()) {
    Result<double> value = parse_real(bits_per_key.empty() ? "fpr" : "bits per key", real);
    BLOOMERY_TRY(value);
    if (bits_per_key.empty()) shape.size.fpr = *value;
    else shape.size.bits_per_key = *value;
  }
  if (shape.n == 0) return invalid_argument("n", "n is 0: a filter is sized for at least one key");
  if (shape.size.bits_per_key && !(*shape.size.bits_per_key > 0))
    return invalid_argument("bits per key", "bits per key must be a number above 0");
  // A trial, to refuse before the keys are read what no number of them makes possible: a rate that is too low, and bits
  // that are too many, show with one key. How many bits are too few depends on that number, so without -n there are as
  // many as are enough in the trial, and those that were asked for are judged when it is known.
  const std::uint64_t keys = shape.n.value_or(1);
  SizeSpec tried = shape.size;
  if (!shape.n && tried.bits_per_key) tried.bits_per_key = std::max(*tried.bits_per_key, kNeverTooFew);
  Result<SizeSpec> size = parquet.size(keys, tried);
  BLOOMERY_TRY(size);
  Result<SizePlan> trial = plan_size(kind, keys, *size);
  if (!trial.ok() && !shape.size.numbers.empty()) return with_options(trial.error());
  BLOOMERY_TRY(trial);
  shape.exact = trial->exact && !parquet.on;
  if (shape.exact && !real.empty())
    return invalid_argument("fpr",
                            "-m, -k, --blocks and --geometry fix the geometry: leave out --fpr and --bits-per-key");
  return shape;
}

}  // namespace bloomery::cli
