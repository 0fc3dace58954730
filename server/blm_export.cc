// BLM.EXPORT sends a .blm file in parts, each with its offset. The head comes last, because it has the checksum of the
// payload as it was sent, and later parts may have gained bits since the first one.
#include <algorithm>
#include <vector>

#include "format/header.h"
#include "server/blm_create.h"
#include "server/blm_open.h"
#include "server/dumps.h"
#include "server/transfer.h"

namespace bloomery::server {

namespace {

constexpr int kTagShift = 40;
constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kTagShift) - 1;
constexpr const char* kChanged = "ERR the filter has changed, begin again with 0";

void reply_part(const Call& call, std::uint64_t cursor, std::uint64_t offset, std::span<const std::uint8_t> part) {
  api.ReplyWithArray(call.context, 3);
  call.number(cursor);
  call.number(offset);
  call.bytes(part);
}

// A file of one part.
void reply_file(const Call& call, const FilterValue& value) {
  Result<std::vector<std::uint8_t>> file = value.head(0);
  if (!file.ok()) return call.error(file.error());
  const std::span<const std::uint8_t> payload = value.payload(0);
  file->insert(file->end(), payload.begin(), payload.end());
  reply_part(call, 0, 0, *file);
}

// The head of a file whose payload has that sum. It is as long as that of the beginning.
Result<std::vector<std::uint8_t>> head_of(const FilterValue& value, const Dump& dump, std::uint64_t sum) {
  const AnyView view = value.newest().view();
  EnvelopeOptions options;
  options.records = value.records();
  options.payload_offset = dump.file->head_bytes;
  const auto payload = view.payload().first(static_cast<std::size_t>(dump.newest_bytes));
  Result<std::vector<std::uint8_t>> head = format::envelope_start(
      {view.kind(), view.hasher(), dump.file->geometry, payload}, dump.file->key_count, sum, options);
  if (head.ok()) value.name_hash(*head);
  return head;
}

// Begins a file of several parts; nullptr when it has replied why not.
Dump* begin_file(const Call& call, const FilterValue& value) {
  Dump& dump = begin_dump(value);
  dump.file = FileDump{any::geometry_words(value.newest().view()), value.newest().key_count(), 0, {}, {}};
  const Result<std::vector<std::uint8_t>> head = head_of(value, dump, 0);
  if (!head.ok()) return call.error(head.error()), nullptr;
  dump.file->head_bytes = head->size();
  return &dump;
}

void reply_next(const Call& call, const FilterValue& value, Dump& dump, std::uint64_t offset) {
  FileDump& file = *dump.file;
  if (offset == file.last_part.offset && offset != file.next_part.offset) {  // asked for again
    file.next_part = FileDump::Sum{offset, detail::Xxh3Stream(file.last_part.of_sent)};
  } else if (offset == file.next_part.offset) {
    file.last_part = FileDump::Sum{offset, detail::Xxh3Stream(file.next_part.of_sent)};
  } else {
    return call.error("ERR the cursor is not the next one, begin again with 0");
  }
  if (offset == dump.newest_bytes) {
    const Result<std::vector<std::uint8_t>> head = head_of(value, dump, file.next_part.of_sent.value());
    return head.ok() ? reply_part(call, 0, 0, *head) : call.error(head.error());
  }
  std::vector<std::uint8_t> part(
      static_cast<std::size_t>(std::min<std::uint64_t>(kMostPart, dump.newest_bytes - offset)));
  copy_dump(value, dump, offset, part);
  file.next_part.of_sent.update(part);
  file.next_part.offset = offset + part.size();
  reply_part(call, file.next_part.offset | dump.tag << kTagShift, file.head_bytes + offset, part);
}

}  // namespace

void blm_export(const Call& call) {
  if (call.count < 2 || call.count > 3) return call.wrong_arity();
  const std::optional<std::uint64_t> cursor = call.count == 3 ? parse_unsigned(call[2]) : 0;
  if (!cursor) return call.error("ERR the cursor must be a number");
  const OpenedKey key(call, 1, kRead);
  const FilterValue* const value = filter_of(call, key);
  if (value == nullptr) return;
  if (value->filters() > 1) return call.error("ERR windows have no file: use BLM.SCANDUMP");
  if (*cursor == 0 && value->payload(0).size() <= kMostPart) return reply_file(call, *value);
  Dump* const dump = *cursor == 0 ? begin_file(call, *value) : find_dump(*value, *cursor >> kTagShift);
  if (dump != nullptr && dump->file) return reply_next(call, *value, *dump, *cursor & kOffsetMask);
  if (*cursor != 0) call.error(kChanged);
}

}  // namespace bloomery::server
