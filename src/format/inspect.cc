// What `bloomery inspect` finds, and its JSON: see bloomery/inspect.h.
#include "bloomery/inspect.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>

#include "bloomery/detail/fnv.h"
#include "core/base/error.h"
#include "core/metrics/label.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr std::uint64_t kSamples = 1'000'000;

std::uint64_t count_sampled(const AnyView& view) {
  std::array<Hash, 1000> hashes;
  std::array<std::uint8_t, 1000> answers;
  std::uint64_t hits = 0;
  for (std::uint64_t first = 0; first < kSamples; first += hashes.size()) {
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = Hash(detail::splitmix64(first + i));
    view.contains_many(hashes, answers);
    hits += static_cast<std::uint64_t>(std::count(answers.begin(), answers.end(), 1));
  }
  return hits;
}

// Measures the fill in `most` columns, or in one for each byte of a shorter payload.
std::vector<Inspection::Column> fill_along(const AnyView& view, std::uint64_t most) {
  const std::span<const std::uint8_t> payload = view.payload();
  const std::uint64_t bytes = payload.size(), columns = std::min<std::uint64_t>(most, bytes);
  std::vector<Inspection::Column> along;
  for (std::uint64_t c = 0; c < columns; ++c) {
    const std::uint64_t begin = c * bytes / columns, end = (c + 1) * bytes / columns;
    std::uint64_t set = 0;
    for (std::uint64_t i = begin; i < end; ++i) set += static_cast<std::uint64_t>(std::popcount(payload[i]));
    along.push_back({set, std::min(8 * end, view.payload_bits()) - 8 * begin});
  }
  return along;
}

// C's %.4g, whatever the locale; a real number stays one.
std::string real(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.begin(), text.end(), value, std::chars_format::general, 4).ptr;
  const std::string out(text.begin(), end);
  return out.find_first_of(".en") == std::string::npos ? out + ".0" : out;
}

std::string quoted(std::string_view text) { return '"' + metrics::escaped(metrics::clean_label(text)) + '"'; }

std::string quoted_hex(std::uint64_t value) {
  std::string text = "\"0x0000000000000000\"";
  for (std::size_t i = 18; value != 0; value >>= 4) text[i--] = "0123456789abcdef"[value & 15];
  return text;
}

// Returns the bits of the payload for each distinct key. Only kinds that are built of all their keys at once have the
// number of distinct keys, in their geometry under the name `keys`.
std::optional<double> bits_per_key(const AnyView& view, const GeometryFields& geometry) {
  for (const auto& [name, keys] : geometry)
    if (name == std::string_view("keys") && keys > 0)
      return static_cast<double>(view.payload_bits()) / static_cast<double>(keys);
  return std::nullopt;
}

std::string or_null(const std::optional<std::uint64_t>& value) { return value ? std::to_string(*value) : "null"; }

// Fields in the order in which they are put.
class Fields {
 public:
  Fields& put(const char* name, const std::string& value) {
    text_ += text_.empty() ? "\"" : ",\"";
    ((text_ += name) += "\":") += value;
    return *this;
  }
  std::string object() const { return '{' + text_ + '}'; }

 private:
  std::string text_;
};

void put_file(Fields& fields, const std::optional<FileInfo>& info, const std::string& kind) {
  fields.put("kind", kind);
  fields.put("format", info ? quoted(to_string(info->format)) : "null");
  fields.put("version",
             info && info->format == Format::envelope ? std::to_string(static_cast<unsigned>(info->version)) : "null");
}

void put_records(Fields& fields, const FileInfo& info) {
  if (info.records.label) fields.put("label", quoted(*info.records.label));
  if (info.records.created) fields.put("created", std::to_string(*info.records.created));
  if (info.records.keys) fields.put("keys", quoted(*info.records.keys));
  if (info.chunks) fields.put("chunk_bytes", std::to_string(info.chunks->chunk_bytes));
}

}  // namespace

std::string Inspection::json() const {
  Fields numbers;
  for (const auto& [name, value] : geometry) numbers.put(name, std::to_string(value));
  std::string columns;
  for (const Column& column : along)
    (columns += columns.empty() ? "" : ",") += std::to_string(1000 * column.set / column.bits);
  Fields all;
  put_file(all, info, quoted(to_string(kind)));
  all.put("hash", quoted(to_string(hash)))
      .put("seed", takes_seed(hash) ? quoted_hex(seed) : "null")
      .put("secret_id", takes_secret(hash) ? quoted_hex(seed) : "null")
      .put("geometry", numbers.object())
      .put("file_bytes", info ? std::to_string(info->file_bytes) : "null")
      .put("payload_bytes", std::to_string(payload_bytes))
      .put("key_count", or_null(key_count))
      .put("bits_set", std::to_string(bits_set))
      .put("fill", real(fill))
      .put("estimated_count", or_null(estimated_count))
      .put("predicted_fpr", real(predicted_fpr))
      .put("sampled_fpr", real(sampled.rate))
      .put("sampled_low", real(sampled.low))
      .put("sampled_high", real(sampled.high))
      .put("samples", std::to_string(samples))
      .put("fill_along", '[' + columns + ']');
  if (retries) all.put("retries", std::to_string(*retries));
  if (info) put_records(all, *info);
  if (bits_per_key) all.put("bits_per_key", real(*bits_per_key));
  return all.object();
}

Result<Inspection> inspect(const AnyView& view, std::optional<std::uint64_t> key_count, std::uint64_t columns) {
  return guarded([&]() -> Result<Inspection> {
    Inspection found;
    found.kind = view.kind();
    found.hash = view.hasher().id();
    found.seed = view.hasher().seed();
    found.key_count = key_count;
    found.geometry = view.geometry_fields();
    found.payload_bytes = view.bytes();
    found.bits_set = view.bits_set();
    found.retries = view.retries();
    found.bits_per_key = bits_per_key(view, found.geometry);
    found.cells = view.cells();
    found.forgets = view.forgets();
    found.fill = view.fill();
    found.predicted_fpr = view.predicted_fpr();
    found.estimated_count = view.estimated_count();
    found.sampled = sampled_rate(count_sampled(view), kSamples);
    found.samples = kSamples;
    found.along = fill_along(view, columns);
    return found;
  });
}

Result<Inspection> inspect(const AnyView& view, const FileInfo& info, std::uint64_t columns) {
  return guarded([&]() -> Result<Inspection> {
    Result<Inspection> found = inspect(view, info.key_count, columns);
    BLOOMERY_TRY(found);
    found->info = info;
    found->hash = info.hash;  // of a keyed file that was opened without its secret, the view has another
    found->seed = info.seed;
    return found;
  });
}

}  // namespace BLOOMERY_NAMESPACE
