// Entries of the stream, and messages for one replica in its inbox. XREAD skips what was trimmed without a word: after
// each read the entry at the old cursor must still be there. An XADD that returned is no confirmation: deltas stay
// pending until everybody has acknowledged them or a checkpoint covers them.
#include <algorithm>

#include "core/base/error.h"
#include "streams/state.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

// An inbox holds the steps of one repair at a time. The inbox of a replica that has gone expires.
constexpr const char* kInboxCap = "64";
constexpr const char* kInboxLife = "600";

Error odd_entry(const char* what) {
  return corrupt("server", std::string("the server answered XREAD with an entry ") + what);
}

}  // namespace

// Others append too: the length is asked for with every entry, so that a full stream gets one more of each replica.
Status Streams::State::append(const Bytes& message) {
  connection->queue({"XADD", stream, "*", kMessageField, as_text(message), kSiteField, options.site});
  connection->queue({"XLEN", stream});
  Result<Reply> added = connection->next(), length = connection->next();
  BLOOMERY_TRY(added);
  BLOOMERY_TRY(length);
  if (!EntryId::parse(added->text())) return corrupt("server", "the server answered XADD with something that is no id");
  note_length(*length);
  stats.bytes_sent += message.size();
  return {};
}

void Streams::State::note_length(const Reply& length) {
  stats.stream_length = static_cast<std::uint64_t>(std::max<std::int64_t>(length.number(), 0));
}

// What a full stream does not take waits for the next time.
Status Streams::State::append_pending() {
  for (Pending& one : pending) {
    if (one.appended) continue;
    if (stream_is_full()) return {};
    BLOOMERY_TRY(append(one.message));
    stats.appended_again += one.again ? 1 : 0;
    one.appended = one.again = true;
  }
  return {};
}

// Alone, nobody can have acknowledged anything: then only a checkpoint confirms.
void Streams::State::drop_covered(const std::vector<Position>& covered) {
  std::uint64_t sequence = replica.acknowledgements().empty() ? 0 : replica.acknowledged_by_all();
  for (const Position& at : covered)
    if (at.origin == replica.options().origin && at.incarnation == replica.options().incarnation)
      sequence = std::max(sequence, at.sequence);
  while (!pending.empty() && pending.front().sequence <= sequence) {
    stats.pending_bytes -= pending.front().message.size();
    pending.pop_front();
  }
  stats.pending = pending.size();
  stats.confirmed = pending.empty() ? replica.sequence() : pending.front().sequence - 1;
}

// A delta is pending before it is appended. While too much is pending, or the stream is full, nothing is taken out of
// the log, which then overflows in its own way: a number is left out, and the others repair.
Status Streams::State::send(StreamStep& step) {
  drop_covered({});
  Result<Reply> length = connection->run({"XLEN", stream});
  BLOOMERY_TRY(length);
  note_length(*length);
  BLOOMERY_TRY(append_pending());
  while (stats.pending_bytes < options.pending_cap && !stream_is_full()) {
    const std::uint64_t before = replica.stats().keys_sent;
    Result<std::optional<Bytes>> delta = replica.take_delta(options.delta_keys);
    BLOOMERY_TRY(delta);
    if (!*delta) break;
    note_made(replica.stats().keys_sent - before);
    stats.pending_bytes += (*delta)->size();
    pending.push_back(
        {parse_header(**delta, replica.options().secret)->header.sequence, **std::move(delta), false, false});
    stats.pending = pending.size();
    BLOOMERY_TRY(append(pending.back().message));
    pending.back().appended = true;
    ++step.sent;
  }
  stats.confirmed = pending.empty() ? replica.sequence() : pending.front().sequence - 1;
  return {};
}

Status Streams::State::send_to(std::uint64_t origin, const Bytes& message) {
  const std::string to = names.inbox(origin);
  connection->queue({"XADD", to, "MAXLEN", kInboxCap, "*", kMessageField, as_text(message)});
  connection->queue({"EXPIRE", to, kInboxLife});
  Result<Reply> added = connection->next(), expires = connection->next();
  BLOOMERY_TRY(added);
  BLOOMERY_TRY(expires);
  stats.bytes_sent += message.size();
  return {};
}

Status Streams::State::take_message(std::string_view message, std::string_view site, StreamStep& step) {
  const auto bytes = as_bytes(message);
  stats.bytes_received += bytes.size();
  Result<Received> received = replica.receive(bytes);
  if (!received.ok()) {
    ++step.refused, ++stats.refused;
    return {};
  }
  for (const Bytes& answer : received->answers) BLOOMERY_TRY(send_to(received->header.origin, answer));
  if (!site.empty() && site != options.site && site_of.size() < kMostPositions) site_of[received->header.origin] = site;
  if (received->repaired) repaired = Clock::now(), repair_wanted = false, asked_in_vain = 0, sites_asked.reset();
  return {};
}

// Ids must rise, whatever a server says; otherwise the cursor would go in circles.
Status Streams::State::take_entries(const redisReply* entries, bool is_inbox, StreamStep& step) {
  EntryId& at = is_inbox ? inbox_cursor : cursor;
  for (std::size_t i = 0; i < Reply::size(entries); ++i) {
    const redisReply* entry = Reply::item(entries, i);
    const std::optional<EntryId> id = EntryId::parse(Reply::text(Reply::item(entry, 0)));
    if (!id) return odd_entry("that has no id");
    if (*id <= at) return odd_entry("that it was not asked for");
    if (!is_inbox && !field_of(entry, kCopyField).empty()) BLOOMERY_TRY(take_copy(entry));
    else BLOOMERY_TRY(take_message(field_of(entry, kMessageField), field_of(entry, kSiteField), step));
    at = *id;
    ++step.read;
    if (is_inbox) continue;
    ++read_since_checkpoint;
    cursor_was_lost = false;
  }
  return {};
}

// A lost range is reported once: from the next entry on, which is an acknowledgement if nothing else, the cursor is on
// firm ground again. What a replica that was always alone has lost came over bridges.
void Streams::State::lost_range() {
  ++stats.lost_ranges;
  if (!peers.empty()) replica.fell_behind();
  cursor_was_lost = tell_anyway = copies_wanted = true;
}

Status Streams::State::read(milliseconds wait, StreamStep& step) {
  const std::string from = cursor.to_string(), inbox_from = inbox_cursor.to_string(),
                    block = std::to_string(wait.count());
  Words words = {"XREAD", "COUNT", kEntriesAtOnce};
  if (wait.count() > 0) words.insert(words.end(), {"BLOCK", block});
  words.insert(words.end(), {"STREAMS", stream, inbox, from, inbox_from});
  BLOOMERY_TRY(connection->set_timeout(options.server.timeout + wait));
  connection->queue(words);
  connection->queue({"XRANGE", stream, from, from});
  connection->queue({"XTRIM", inbox, "MINID", inbox_from});
  connection->queue({"XLEN", stream});
  Result<Reply> read = connection->next(), kept = connection->next(), trimmed = connection->next(),
                length = connection->next();
  for (const Result<Reply>* reply : {&read, &kept, &trimmed, &length})
    if (!reply->ok()) return reply->error();
  note_length(*length);
  if (cursor != EntryId() && kept->size() == 0 && !cursor_was_lost) lost_range();  // perhaps before the read
  for (std::size_t i = 0; i < read->size(); ++i) {
    const std::string_view name = Reply::text(Reply::item(read->item(i), 0));
    if (name != stream && name != inbox) return odd_entry("of a stream that it was not asked for");
    BLOOMERY_TRY(take_entries(Reply::item(read->item(i), 1), name == inbox, step));
  }
  stats.cursor = cursor.to_string();
  return {};
}

// Only what has changed since the last time: an acknowledgement moves nobody's position, so they do not go round.
Status Streams::State::acknowledge() {
  std::vector<Position> now = replica.known();
  std::erase_if(now, [&](const Position& at) { return at.origin == replica.options().origin; });
  if ((now == acknowledged && !tell_anyway) || stream_is_full()) return {};
  Result<Bytes> message = replica.acknowledgement();
  BLOOMERY_TRY(message);
  BLOOMERY_TRY(append(*message));
  acknowledged = std::move(now);
  tell_anyway = false;
  return {};
}

}  // namespace BLOOMERY_NAMESPACE::replica
