// Bytes as the records of a sound envelope: whatever stands between header and payload is refused, or means the same
// when it is written again. The first byte chooses where the payload begins, and whether lengths are made to fit.
#include <vector>

#include "format/header.h"
#include "fuzz/fuzz.h"

namespace {

using namespace bloomery;

// A filter of 47 bits with two keys.
std::vector<std::uint8_t> sound_envelope() {
  ClassicFilter filter = *ClassicFilter::with_geometry(47, 5);
  filter.add("a");
  filter.add("b");
  return *encode(filter.view(), Format::envelope, 2);
}

// The fuzzer seldom guesses a length: of each record, those that leave the area are cut to what is left.
void fit_lengths(std::span<std::uint8_t> area) {
  for (std::size_t at = 0; at + 8 <= area.size();) {
    const std::uint32_t length = detail::load_le<std::uint32_t>(&area[at + 4]);
    const std::size_t room = area.size() - at - 8;
    if (length > room) detail::store_le<std::uint32_t>(&area[at + 4], static_cast<std::uint32_t>(length % (room + 1)));
    at += 8 + (detail::load_le<std::uint32_t>(&area[at + 4]) + 7) / 8 * 8;
  }
}

void check_changes(const Decoded& decoded) {
  const EnvelopeOptions changed = decoded.info.rewrite_options_after_change();
  const auto again = encode(decoded.view, decoded.info.key_count, changed);
  FUZZ_CHECK(again.ok());
  const Result<Decoded> twice = decode(*again);
  FUZZ_CHECK(twice.ok() && twice->info.records == decoded.info.records.after_change());
  FUZZ_CHECK(!twice->info.records.created && !twice->info.chunks);
  FUZZ_CHECK(twice->info.records.after_change() == twice->info.records);
  const Result<Records> merged = Records::merged(decoded.info.records, decoded.info.records);
  FUZZ_CHECK(merged.ok() && merged->keys == decoded.info.records.keys && !merged->label);
}

// Another label: the payload, its checksum and all other records stay.
void check_label(const Decoded& decoded, std::span<const std::uint8_t> file) {
  Records records = decoded.info.records;
  records.label = records.label ? std::nullopt : std::optional<std::string>("a label");
  Result<std::vector<std::uint8_t>> again = format::with_records(file, records, decoded.info.chunks);
  FUZZ_CHECK(again.ok());
  again->insert(again->end(), file.begin() + static_cast<std::ptrdiff_t>(decoded.info.payload_offset), file.end());
  const Result<Decoded> twice = decode(*again);
  FUZZ_CHECK(twice.ok() && twice->info.records == records && twice->info.chunks == decoded.info.chunks);
  FUZZ_CHECK(twice->info.key_count == decoded.info.key_count && twice->view == decoded.view);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  static const std::vector<std::uint8_t> sound = sound_envelope();
  std::vector<std::uint8_t> area(data + 1, data + size);
  area.resize((area.size() + 63) / 64 * 64);
  if (data[0] & 64) fit_lengths(area);
  std::vector<std::uint8_t> file(sound.begin(), sound.begin() + 128);
  file.insert(file.end(), area.begin(), area.end());
  file.insert(file.end(), sound.begin() + 128, sound.end());
  detail::store_le<std::uint64_t>(&file[32], 128 + area.size());
  if (data[0] & 128) file[15] = data[0];  // flags that are ignored
  fuzz::repair_envelope(file, 0);
  const Result<Decoded> decoded = decode(file);
  if (!decoded.ok()) {
    FUZZ_CHECK(!decoded.error().field.empty());
    return 0;
  }
  FUZZ_CHECK(decoded->view.contains("a"));
  fuzz::check_decoded(*decoded, file);
  check_changes(*decoded);
  check_label(*decoded, file);
  // One bit more or less is never taken.
  const std::size_t bit = (data[0] * 2654435761u + size) % (8 * file.size());
  file[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
  FUZZ_CHECK(!decode(file).ok());
  return 0;
}
