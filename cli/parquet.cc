#include "cli/parquet.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"
#include "format/parquet.h"

namespace bloomery::cli {
namespace {

struct TypeName {
  KeyType type;
  const char* name;
  std::size_t bytes;  // of a value; 0: those of the line
};
constexpr TypeName kTypes[] = {{KeyType::bytes, "bytes", 0},
                               {KeyType::int32, "int32", 4},
                               {KeyType::int64, "int64", 8},
                               {KeyType::float64, "double", 8}};

const TypeName& entry_of(KeyType type) { return kTypes[static_cast<std::size_t>(type)]; }

// The whole line as a number, little-endian; false when it is none, or one that does not fit.
template <class Number>
bool store_number(std::string_view line, std::uint8_t* to) {
  Number value{};
  const auto parsed = std::from_chars(line.data(), line.data() + line.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != line.data() + line.size()) return false;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return false;  // from_chars takes "inf" and "nan"
  }
  detail::store_le(to, value);
  return true;
}

bool store_value(KeyType type, std::string_view line, std::uint8_t* to) {
  switch (type) {
    case KeyType::int32: return store_number<std::int32_t>(line, to);
    case KeyType::int64: return store_number<std::int64_t>(line, to);
    case KeyType::float64: return store_number<double>(line, to);
    case KeyType::bytes: break;
  }
  return false;
}

Error no_number(KeyType type, std::string_view line, std::uint64_t number) {
  const char* example =
      type == KeyType::float64 ? "a finite decimal number such as -1.5e3" : "a whole number such as -42";
  return invalid_argument("key", fmt::format("line {}: '{}{}' is no {}: give {}", number, line.substr(0, 40),
                                             line.size() > 40 ? "..." : "", entry_of(type).name, example));
}

}  // namespace

std::optional<KeyType> key_type_of_record(std::string_view record) {
  constexpr std::string_view kStart = "parquet-";
  for (const TypeName& entry : kTypes)
    if (record.starts_with(kStart) && record.substr(kStart.size()) == entry.name) return entry.type;
  return std::nullopt;
}

void ParquetOptions::add_to(Command& command, const char* help) { command.flag("--parquet", on, help); }

void ParquetOptions::add_with_key_type(Command& command, const char* help) {
  add_to(command, help);
  command.option("--key-type", "T", &key_type, "Type of the keys with --parquet: bytes (default), int32, int64, double")
      .choices({"bytes", "int32", "int64", "double"});
}

Result<KeyType> ParquetOptions::type() const {
  if (key_type.empty()) return KeyType::bytes;
  if (!on) return invalid_argument("key type", "--key-type is for Parquet filters: add --parquet, or leave it out");
  for (const TypeName& entry : kTypes)
    if (key_type == entry.name) return entry.type;
  return invalid_argument("key type",
                          fmt::format("there is no key type '{}': use bytes, int32, int64 or double", key_type));
}

Status ParquetOptions::check_build(Kind kind, const Hasher& hasher, bool envelope) const {
  if (!on) return {};
  if (kind != Kind::split) return invalid_argument("kind", "a Parquet filter is a split filter: add --kind split");
  if (envelope) return invalid_argument("format", "--parquet and --envelope exclude each other: give one");
  if (hasher.id() != HashId::xxh64 || hasher.seed() != 0)
    return invalid_argument("hash", "a Parquet filter always uses xxh64 with seed 0: leave out --hash and --seed");
  return {};
}

Result<SizeSpec> ParquetOptions::size(std::uint64_t n, const SizeSpec& asked) const {
  const bool exactly = !asked.numbers.empty();
  if (!on || (exactly && (asked.numbers.size() > 1 || asked.numbers.front().first != "blocks"))) return asked;
  Result<SplitGeometry> size = exactly              ? SplitGeometry::make(asked.numbers.front().second)
                               : asked.bits_per_key ? SplitGeometry::for_bits_per_key(n, *asked.bits_per_key)
                                                    : SplitGeometry::for_parquet(n, asked.fpr);
  BLOOMERY_TRY(size);
  Result<SplitGeometry> rounded = size->rounded_for_parquet();
  BLOOMERY_TRY(rounded);
  if (exactly && *rounded != *size)
    return invalid_argument("blocks",
                            fmt::format("several Parquet readers insist on a power of two of blocks, and {} is "
                                        "none: give {}",
                                        size->blocks, rounded->blocks));
  SizeSpec exact = asked;
  exact.bits_per_key.reset();
  exact.numbers = {{"blocks", rounded->blocks}};
  return exact;
}

Result<std::span<const std::string_view>> PlainKeys::encode(std::span<const std::string_view> lines,
                                                            const std::string& file) {
  if (type_ == KeyType::bytes) return lines;
  if (file != file_) {
    file_ = file;
    lines_before_ = 0;
  }
  const std::size_t width = entry_of(type_).bytes;
  values_.resize(lines.size() * width);
  keys_.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::uint8_t* value = values_.data() + i * width;
    if (!store_value(type_, lines[i], value)) return in_file(no_number(type_, lines[i], lines_before_ + i + 1), file);
    keys_.emplace_back(reinterpret_cast<const char*>(value), width);
  }
  lines_before_ += lines.size();
  return std::span<const std::string_view>(keys_);
}

std::uint64_t header_bytes(const AnyView& view, Format format) {
  switch (format) {
    case Format::raw: return format::kRawHeader;
    case Format::envelope: return format::kEnvelopeHeader;
    case Format::parquet: break;
  }
  const auto* split = view.as<SplitView>();
  return split == nullptr ? 0 : format::parquet_header(split->geometry()).size();
}

}  // namespace bloomery::cli
