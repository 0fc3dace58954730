#include "replica/bodies.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "bloomery/iblt.h"
#include "core/base/error.h"
#include "replica/fields.h"
#include "replica/rice.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

constexpr std::size_t kMostWords = 8;
constexpr std::uint64_t kMostTable = 60'000;          // cells of a table, of 28 bytes
constexpr std::uint64_t kLineEntry = 8 + 8 * kLines;  // a chunk's number and the digests of its lines

Error too_many(const char* field, std::uint64_t count, std::uint64_t most) {
  return corrupt(field, std::string(field) + " has " + std::to_string(count) + " entries, and at most " +
                            std::to_string(most) + " are taken");
}
Error cut_off(const char* field) {
  return corrupt(field, std::string("the message ends before its ") + field + " does");
}
Error not_zero(const char* field) { return corrupt(field, std::string(field) + " has bits that must be zero"); }

Error no_incarnation() { return corrupt("positions", "incarnations are counted from 1"); }

Status put_positions(FieldWriter& fields, const std::vector<Position>& positions) {
  if (positions.size() > kMostPositions) return too_many("positions", positions.size(), kMostPositions);
  for (const Position& position : positions) {
    if (position.incarnation == 0) return no_incarnation();
    fields.put(position.origin);
    fields.put(position.incarnation);
    fields.put(position.sequence);
  }
  return {};
}

// The caller has compared count with its cap.
Result<std::vector<Position>> take_positions(FieldReader& fields, std::uint64_t count) {
  if (count > kMostPositions) return too_many("positions", count, kMostPositions);
  if (fields.left() / 24 < count) return cut_off("positions");
  std::vector<Position> positions(static_cast<std::size_t>(count));
  for (Position& position : positions) {
    position.origin = fields.take<std::uint64_t>();
    position.incarnation = fields.take<std::uint64_t>();
    position.sequence = fields.take<std::uint64_t>();
    if (position.incarnation == 0) return no_incarnation();
  }
  return positions;
}

Status put(const Hello& hello, FieldWriter& fields, Bytes&) {
  if (hello.geometry.size() > kMostWords) return too_many("geometry", hello.geometry.size(), kMostWords);
  fields.put(hello.kind);
  fields.put(hello.hash);
  fields.put(static_cast<std::uint8_t>((hello.whole ? 1 : 0) | (hello.asks ? 2 : 0)));
  fields.put(static_cast<std::uint8_t>(hello.geometry.size()));
  fields.put(static_cast<std::uint16_t>(hello.positions.size()));
  fields.put(hello.seed);
  fields.put(hello.window);
  for (const std::uint64_t word : hello.geometry) fields.put(word);
  return put_positions(fields, hello.positions);
}

Result<Body> take_hello(FieldReader& fields) {
  Hello hello;
  hello.kind = fields.take<std::uint16_t>();
  hello.hash = fields.take<std::uint16_t>();
  const auto flags = fields.take<std::uint8_t>();
  const auto words = fields.take<std::uint8_t>();
  const auto positions = fields.take<std::uint16_t>();
  hello.seed = fields.take<std::uint64_t>();
  hello.window = fields.take<std::uint64_t>();
  if (flags > 3) return not_zero("state");
  if (words > kMostWords) return too_many("geometry", words, kMostWords);
  if (fields.failed() || fields.left() / 8 < words) return cut_off("geometry");
  hello.whole = (flags & 1) != 0;
  hello.asks = (flags & 2) != 0;
  for (unsigned i = 0; i < words; ++i) hello.geometry.push_back(fields.take<std::uint64_t>());
  Result<std::vector<Position>> list = take_positions(fields, positions);
  BLOOMERY_TRY(list);
  hello.positions = *std::move(list);
  return Body(std::move(hello));
}

Status put(const Delta& delta, FieldWriter& fields, Bytes& to) {
  if (delta.hashes.empty()) return invalid_argument("hashes", "a delta has at least one hash");
  if (delta.hashes.size() > kMostHashes) return too_many("hashes", delta.hashes.size(), kMostHashes);
  const unsigned low_bits = rice_bits(delta.hashes.size());
  fields.put(delta.window);
  fields.put(static_cast<std::uint32_t>(delta.hashes.size()));
  const std::size_t length_at = to.size();
  fields.put(std::uint32_t{0});
  fields.put(std::uint64_t{low_bits});
  const std::size_t start = to.size();
  rice_encode(delta.hashes, low_bits, to);
  detail::store_le(to.data() + length_at, static_cast<std::uint32_t>(to.size() - start));
  return {};
}

Result<Body> take_delta(FieldReader& fields) {
  Delta delta;
  delta.window = fields.take<std::uint64_t>();
  const auto count = fields.take<std::uint32_t>();
  const auto length = fields.take<std::uint32_t>();
  const auto low_bits = fields.take<std::uint64_t>();
  if (fields.failed() || length > fields.left()) return cut_off("hashes");
  if (low_bits > 63) return not_zero("hashes");
  if (count == 0) return corrupt("hashes", "the delta has no hashes");
  if (count > kMostHashes) return too_many("hashes", count, kMostHashes);
  if ((low_bits + 1) * count > 8 * std::uint64_t{length}) return cut_off("hashes");
  Result<std::vector<Hash>> hashes = rice_decode(fields.take_bytes(length), count, static_cast<unsigned>(low_bits));
  BLOOMERY_TRY(hashes);
  delta.hashes = *std::move(hashes);
  return Body(std::move(delta));
}

// The bytes of what a digest carries; the error is that of a count above its cap.
Result<std::uint64_t> contents_bytes(Digest::Form form, std::uint64_t count) {
  const auto capped = [&](std::uint64_t most, std::uint64_t each) -> Result<std::uint64_t> {
    if (count > most) return too_many("count", count, most);
    return each * count;
  };
  constexpr IbltGeometry kPair{4, 16, 0, false, 0};  // a chunk's number and its digest
  switch (form) {
    case Digest::Form::ask: return std::uint64_t{0};
    case Digest::Form::estimator: return IbltGeometry::estimator().payload_bytes();
    case Digest::Form::plain: return capped(kMostDigests, 8);
    case Digest::Form::table: return capped(kMostTable, kPair.cell_bytes());
    case Digest::Form::lines: return capped(kMostChunks, kLineEntry);
  }
  return unsupported("form", "there is no such form of a digest");
}

Status put(const Digest& digest, FieldWriter& fields, Bytes&) {
  const Result<std::uint64_t> bytes = contents_bytes(digest.form, digest.count);
  BLOOMERY_TRY(bytes);
  if (*bytes != digest.contents.size())
    return invalid_argument("contents", "the contents of the digest are not as long as form and count say");
  fields.put(digest.window);
  fields.put(digest.request);
  fields.put(digest.chunks);
  fields.put(digest.first);
  fields.put(digest.newest);
  fields.put(digest.count);
  fields.put(static_cast<std::uint8_t>(digest.form));
  fields.put(static_cast<std::uint8_t>(digest.whole ? 1 : 0));
  fields.put(static_cast<std::uint16_t>(digest.positions.size()));
  fields.put_bytes(digest.contents);
  return put_positions(fields, digest.positions);
}

Result<Body> take_digest(FieldReader& fields) {
  Digest digest;
  digest.window = fields.take<std::uint64_t>();
  digest.request = fields.take<std::uint64_t>();
  digest.chunks = fields.take<std::uint64_t>();
  digest.first = fields.take<std::uint64_t>();
  digest.newest = fields.take<std::uint64_t>();
  digest.count = fields.take<std::uint32_t>();
  digest.form = static_cast<Digest::Form>(fields.take<std::uint8_t>());
  const auto flags = fields.take<std::uint8_t>();
  const auto positions = fields.take<std::uint16_t>();
  if (fields.failed()) return cut_off("digest");
  if (flags > 1) return not_zero("state");
  digest.whole = flags == 1;
  const Result<std::uint64_t> bytes = contents_bytes(digest.form, digest.count);
  BLOOMERY_TRY(bytes);
  if (*bytes > fields.left()) return cut_off("contents");
  const std::span<const std::uint8_t> contents = fields.take_bytes(*bytes);
  digest.contents.assign(contents.begin(), contents.end());
  Result<std::vector<Position>> list = take_positions(fields, positions);
  BLOOMERY_TRY(list);
  digest.positions = *std::move(list);
  return Body(std::move(digest));
}

Status put(const Chunks& chunks, FieldWriter& fields, Bytes&) {
  if (chunks.entries.size() > kMostChunks) return too_many("entries", chunks.entries.size(), kMostChunks);
  fields.put(chunks.window);
  fields.put(chunks.request);
  fields.put(chunks.chunks);
  fields.put(static_cast<std::uint64_t>(chunks.entries.size()));
  for (const Chunks::Entry& entry : chunks.entries) {
    if (entry.lines.size() != kLineBytes * static_cast<std::size_t>(std::popcount(entry.mask)))
      return invalid_argument("lines", "an entry of chunks has not as many lines as its mask says");
    fields.put(entry.chunk);
    fields.put(entry.mask);
    fields.put_bytes(entry.lines);
  }
  return {};
}

Result<Body> take_chunks(FieldReader& fields) {
  Chunks chunks;
  chunks.window = fields.take<std::uint64_t>();
  chunks.request = fields.take<std::uint64_t>();
  chunks.chunks = fields.take<std::uint64_t>();
  const auto count = fields.take<std::uint64_t>();
  if (count > kMostChunks) return too_many("entries", count, kMostChunks);
  if (fields.failed() || fields.left() / 16 < count) return cut_off("entries");
  for (std::uint64_t i = 0; i < count; ++i) {
    Chunks::Entry entry;
    entry.chunk = fields.take<std::uint64_t>();
    entry.mask = fields.take<std::uint64_t>();
    const std::uint64_t bytes = kLineBytes * static_cast<std::uint64_t>(std::popcount(entry.mask));
    if (fields.failed() || bytes > fields.left()) return cut_off("lines");
    const std::span<const std::uint8_t> lines = fields.take_bytes(bytes);
    entry.lines.assign(lines.begin(), lines.end());
    chunks.entries.push_back(std::move(entry));
  }
  return Body(std::move(chunks));
}

Status put(const Acknowledgement& known, FieldWriter& fields, Bytes&) {
  fields.put(static_cast<std::uint32_t>(known.positions.size()));
  fields.put(std::uint32_t{known.whole ? 1u : 0u});
  return put_positions(fields, known.positions);
}

Result<Body> take_acknowledgement(FieldReader& fields) {
  Acknowledgement known;
  const auto count = fields.take<std::uint32_t>();
  const auto flags = fields.take<std::uint32_t>();
  if (fields.failed()) return cut_off("positions");
  if (flags > 1) return not_zero("state");
  known.whole = flags == 1;
  Result<std::vector<Position>> list = take_positions(fields, count);
  BLOOMERY_TRY(list);
  known.positions = *std::move(list);
  return Body(std::move(known));
}

Status check_configuration(const Configuration& of) {
  const std::size_t n = of.members.size();
  if (n == 0 || n > kMostMembers) return too_many("members", n, kMostMembers);
  if (of.generation == 0) return corrupt("generation", "generations of members are counted from 1");
  if (of.w == 0 || of.r == 0 || of.w > n || of.r > n)
    return corrupt("w", "w and r are from 1 to the number of members");
  if (of.w + of.r <= n)
    return corrupt("w", "w + r is not above the number of members, so that a reader may miss an add");
  for (std::size_t i = 1; i < n; ++i)
    if (of.members[i - 1] >= of.members[i]) return corrupt("members", "members are not sorted, or one stands twice");
  return {};
}

Status put(const Member& member, FieldWriter& fields, Bytes&) {
  if (member.configurations.empty() || member.configurations.size() > 2)
    return too_many("configurations", member.configurations.size(), 2);
  fields.put(static_cast<std::uint32_t>(member.configurations.size()));
  fields.put(std::uint32_t{member.ready ? 1u : 0u});
  for (const Configuration& one : member.configurations) {
    BLOOMERY_TRY(check_configuration(one));
    fields.put(one.generation);
    fields.put(one.w);
    fields.put(one.r);
    fields.put(static_cast<std::uint64_t>(one.members.size()));
    for (const std::uint64_t origin : one.members) fields.put(origin);
  }
  return {};
}

Result<Body> take_member(FieldReader& fields) {
  Member member;
  const auto count = fields.take<std::uint32_t>();
  const auto flags = fields.take<std::uint32_t>();
  if (count < 1 || count > 2) return too_many("configurations", count, 2);
  if (flags > 1) return not_zero("state");
  member.ready = flags == 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    Configuration one;
    one.generation = fields.take<std::uint32_t>();
    one.w = fields.take<std::uint16_t>();
    one.r = fields.take<std::uint16_t>();
    const auto n = fields.take<std::uint64_t>();
    if (n > kMostMembers) return too_many("members", n, kMostMembers);
    if (fields.failed() || fields.left() / 8 < n) return cut_off("members");
    for (std::uint64_t j = 0; j < n; ++j) one.members.push_back(fields.take<std::uint64_t>());
    BLOOMERY_TRY(check_configuration(one));
    member.configurations.push_back(std::move(one));
  }
  return Body(std::move(member));
}

Result<Body> take_body(Type type, FieldReader& fields) {
  switch (type) {
    case Type::hello: return take_hello(fields);
    case Type::delta: return take_delta(fields);
    case Type::digest: return take_digest(fields);
    case Type::chunks: return take_chunks(fields);
    case Type::acknowledgement: return take_acknowledgement(fields);
    case Type::member: return take_member(fields);
  }
  return unsupported("type", "there is no such message");
}

}  // namespace

Status write_body(const Body& body, Bytes& to) {
  FieldWriter fields(to);
  return std::visit([&](const auto& one) { return put(one, fields, to); }, body);
}

Result<Body> parse_body(Type type, std::span<const std::uint8_t> bytes, bool newer) {
  FieldReader fields(bytes);
  Result<Body> body = take_body(type, fields);
  BLOOMERY_TRY(body);
  if (fields.left() > 0 && !newer)
    return corrupt("length", std::string("the ") + to_string(type) + " has bytes behind its last field");
  return body;
}

}  // namespace BLOOMERY_NAMESPACE::replica
