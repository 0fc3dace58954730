#include "server/transfer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "bloomery/hash.h"
#include "server/bloom_chain.h"
#include "server/cuckoo_chain.h"
#include "server/filter_value.h"

namespace bloomery::server {

namespace {

constexpr std::array<std::uint8_t, 4> kMagic = {'B', 'L', 'M', 'V'};
constexpr std::uint8_t kHeaderVersion = 1;
constexpr std::size_t kHead = kMagic.size() + 2, kSum = 8;  // magic, version, kind; the sum stands at the end
constexpr int kTagShift = 40;
constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kTagShift) - 1;
constexpr std::uint64_t kTagMask = (std::uint64_t{1} << 22) - 1;
constexpr std::size_t kRdbPiece = std::size_t{1} << 20;

std::uint64_t sum_of(std::uint64_t seed, std::span<const std::uint8_t> bytes) { return Hasher::xxh3(seed)(bytes).bits; }

void append_sum(std::vector<std::uint8_t>& bytes, std::uint64_t sum) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<std::uint8_t>(sum >> (8 * i)));
}

std::uint64_t read_sum(std::span<const std::uint8_t> bytes) { return HeaderReader(bytes.last(kSum)).u64(); }

Error bad_data() { return {ErrorCode::corrupt, "received bad data", {}, {}}; }
Error changed() { return {ErrorCode::mismatch, "the filter has changed, begin again with 0", {}, {}}; }

// use(bytes of one payload) for the range of payload bytes.
template <class V, class Use>
void for_range(V& value, std::uint64_t offset, std::uint64_t size, Use use) {
  for (std::size_t i = 0; i < value.payloads() && size > 0; ++i) {
    const auto payload = value.payload(i);
    if (offset >= payload.size()) {
      offset -= payload.size();
      continue;
    }
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(size, payload.size() - offset));
    use(payload.subspan(static_cast<std::size_t>(offset), count));
    offset = 0;
    size -= count;
  }
}

Result<ValuePointer> parse_fields(ValueKind kind, HeaderReader& fields, std::uint64_t most) {
  switch (kind) {
    case ValueKind::bloom: return BloomChain::from_header(fields, most);
    case ValueKind::cuckoo: return CuckooChain::from_header(fields, most);
    case ValueKind::filter: return FilterValue::from_header(fields, most);
  }
  return bad_data();
}

// `size` payload bytes from `offset` on, which copy(bytes) puts in, and their sum.
template <class Copy>
std::vector<std::uint8_t> part_of(std::uint64_t offset, std::size_t size, Copy copy) {
  std::vector<std::uint8_t> part;
  part.reserve(size + kSum);
  part.resize(size);
  copy(std::span(part));
  append_sum(part, sum_of(offset + size, part));
  return part;
}

}  // namespace

std::vector<std::uint8_t> header_of(const Value& value) {
  HeaderWriter out;
  for (const std::uint8_t byte : kMagic) out.u8(byte);
  out.u8(kHeaderVersion);
  out.u8(static_cast<std::uint8_t>(value.kind()));
  value.write_header(out);
  std::vector<std::uint8_t> bytes = std::move(out).take();
  append_sum(bytes, sum_of(0, bytes));
  return bytes;
}

Result<ValuePointer> value_from_header(ValueKind kind, std::span<const std::uint8_t> header, std::uint64_t most) {
  if (header.size() < kHead + kSum || !std::equal(kMagic.begin(), kMagic.end(), header.begin())) return bad_data();
  if (header[kMagic.size()] != kHeaderVersion)
    return Error{ErrorCode::unsupported, "the dump was made by a newer version of this module: upgrade it", {}, {}};
  if (header[kMagic.size() + 1] != static_cast<std::uint8_t>(kind)) return bad_data();
  const auto summed = header.first(header.size() - kSum);
  if (sum_of(0, summed) != read_sum(header)) return bad_data();
  HeaderReader fields(summed.subspan(kHead));
  return parse_fields(kind, fields, most);
}

void copy_out(const Value& value, std::uint64_t offset, std::span<std::uint8_t> out) {
  std::size_t done = 0;
  for_range(value, offset, out.size(), [&](std::span<const std::uint8_t> bytes) {
    std::memcpy(out.data() + done, bytes.data(), bytes.size());
    done += bytes.size();
  });
}

void copy_in(Value& value, std::uint64_t offset, std::span<const std::uint8_t> bytes) {
  std::size_t done = 0;
  for_range(value, offset, bytes.size(), [&](std::span<std::uint8_t> into) {
    std::memcpy(into.data(), bytes.data() + done, into.size());
    done += into.size();
  });
}

void Value::copy_dump(std::uint64_t, std::uint64_t offset, std::span<std::uint8_t> out) const {
  copy_out(*this, offset, out);
}

Result<DumpPart> dump_part(Value& value, std::uint64_t iterator) {
  DumpPart part;
  if (iterator == 0) {
    part.next = 1 | (value.begin_dump() & kTagMask) << kTagShift;
    part.bytes = header_of(value);
    return part;
  }
  const std::uint64_t tag = iterator >> kTagShift, offset = (iterator & kOffsetMask) - 1;
  const std::optional<std::uint64_t> total = value.dump_bytes(tag);
  if (!total || (iterator & kOffsetMask) == 0 || offset > *total) return changed();
  if (offset == *total) return part;
  const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(kMostPart - kSum, *total - offset));
  part.bytes = part_of(offset, size, [&](std::span<std::uint8_t> out) { value.copy_dump(tag, offset, out); });
  part.next = (offset + size + 1) | tag << kTagShift;
  return part;
}

Status load_part(Value& value, std::uint64_t iterator, std::span<const std::uint8_t> part) {
  const std::uint64_t place = iterator & kOffsetMask;
  if (!value.loaded || place < 1) return Error{ErrorCode::mismatch, "invalid offset - no link found", {}, {}};
  const std::uint64_t total = value.payload_bytes(), end = place - 1;
  if (end > total) return Error{ErrorCode::mismatch, "invalid chunk - Too big for current filter", {}, {}};
  if (part.size() < kSum || part.size() - kSum > end) return bad_data();
  const auto bytes = part.first(part.size() - kSum);
  if (sum_of(end, bytes) != read_sum(part)) return bad_data();
  if (end <= *value.loaded) return {};
  if (end - bytes.size() != *value.loaded) return Error{ErrorCode::mismatch, "invalid offset - no link found", {}, {}};
  copy_in(value, *value.loaded, bytes);
  const Status finished = end < total ? Status() : value.finish_loading();
  value.loaded = end;
  if (end == total && finished.ok()) value.loaded.reset();
  return finished;
}

Result<ValuePointer> copy_value(const Value& value) {
  Result<ValuePointer> copy =
      value_from_header(value.kind(), header_of(value), std::numeric_limits<std::uint64_t>::max());
  BLOOMERY_TRY(copy);
  for (std::size_t i = 0; i < value.payloads(); ++i) {
    const auto from = value.payload(i);
    const auto to = (*copy)->payload(i);
    if (from.size() != to.size()) return bad_data();
    std::memcpy(to.data(), from.data(), from.size());
  }
  (*copy)->loaded = value.loaded;
  if (!value.loaded) BLOOMERY_TRY((*copy)->finish_loading());
  return copy;
}

void digest_value(Digest* digest, const Value& value) {
  const std::vector<std::uint8_t> header = header_of(value);
  api.DigestAddStringBuffer(digest, reinterpret_cast<const char*>(header.data()), header.size());
  for (std::size_t i = 0; i < value.payloads(); ++i) {
    std::vector<std::uint8_t> sum;
    append_sum(sum, sum_of(i, value.payload(i)));
    api.DigestAddStringBuffer(digest, reinterpret_cast<const char*>(sum.data()), sum.size());
  }
  api.DigestEndSequence(digest);
}

void save_value(Io* io, const Value& value) {
  const std::vector<std::uint8_t> header = header_of(value);
  api.SaveStringBuffer(io, reinterpret_cast<const char*>(header.data()), header.size());
  api.SaveUnsigned(io, value.loaded ? 1 + *value.loaded : 0);
  std::uint64_t sum = sum_of(value.loaded ? 1 + *value.loaded : 0, header);
  for (std::size_t i = 0; i < value.payloads(); ++i) {
    for (auto rest = value.payload(i); !rest.empty();) {
      const auto piece = rest.first(std::min(rest.size(), kRdbPiece));
      rest = rest.subspan(piece.size());
      sum = sum_of(sum, piece);
      api.SaveStringBuffer(io, reinterpret_cast<const char*>(piece.data()), piece.size());
    }
  }
  api.SaveUnsigned(io, sum);
}

namespace {

// A string of the RDB, given back when it goes.
struct LoadedString {
  explicit LoadedString(Io* io) : data(api.LoadStringBuffer(io, &size)) {}
  ~LoadedString() {
    if (data != nullptr) api.Free(data);
  }
  LoadedString(const LoadedString&) = delete;
  LoadedString& operator=(const LoadedString&) = delete;
  std::span<const std::uint8_t> bytes() const { return {reinterpret_cast<const std::uint8_t*>(data), size}; }

  std::size_t size = 0;
  char* data;
};

Error short_file() {
  return {ErrorCode::corrupt, "the stored filter ends too early or is damaged: restore it from a backup", {}, {}};
}

// Fills the payloads; returns the sum over what was read.
Result<std::uint64_t> load_payloads(Io* io, Value& value, std::uint64_t sum) {
  for (std::size_t i = 0; i < value.payloads(); ++i) {
    for (auto rest = value.payload(i); !rest.empty();) {
      const LoadedString piece(io);
      if (piece.data == nullptr || api.IsIOError(io) != 0) return short_file();
      if (piece.size != std::min(rest.size(), kRdbPiece)) return short_file();
      std::memcpy(rest.data(), piece.data, piece.size);
      sum = sum_of(sum, piece.bytes());
      rest = rest.subspan(piece.size);
    }
  }
  return sum;
}

}  // namespace

Result<ValuePointer> load_value(Io* io, ValueKind kind) {
  const LoadedString header(io);
  if (header.data == nullptr || api.IsIOError(io) != 0) return short_file();
  const std::uint64_t state = api.LoadUnsigned(io);
  if (api.IsIOError(io) != 0) return short_file();
  Result<ValuePointer> value = value_from_header(kind, header.bytes(), std::numeric_limits<std::uint64_t>::max());
  BLOOMERY_TRY(value);
  const Result<std::uint64_t> sum = load_payloads(io, **value, sum_of(state, header.bytes()));
  BLOOMERY_TRY(sum);
  const std::uint64_t stored = api.LoadUnsigned(io);
  if (api.IsIOError(io) != 0) return short_file();
  if (stored != *sum)
    return Error{ErrorCode::corrupt, "the sum of a stored filter is wrong: restore it from a backup", {}, {}};
  if (state > (*value)->payload_bytes()) return short_file();
  if (state == 0) BLOOMERY_TRY((*value)->finish_loading());
  (*value)->loaded = state == 0 ? std::nullopt : std::optional(state - 1);
  return value;
}

void rewrite_value(Io* io, String* key, const Value& value, const char* load_command) {
  const auto emit = [&](std::uint64_t iterator, const std::vector<std::uint8_t>& part) {
    api.EmitAOF(io, load_command, "slb", key, static_cast<long long>(iterator),
                reinterpret_cast<const char*>(part.data()), part.size());
  };
  emit(1, header_of(value));
  const std::uint64_t total = value.loaded ? *value.loaded : value.payload_bytes();
  for (std::uint64_t offset = 0; offset < total;) {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(kMostPart - kSum, total - offset));
    const auto copy = [&](std::span<std::uint8_t> out) { copy_out(value, offset, out); };
    emit(offset + size + 1, part_of(offset, size, copy));
    offset += size;
  }
}

}  // namespace bloomery::server
