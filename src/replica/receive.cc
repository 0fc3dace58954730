// What a replica does with the messages of others.
#include <algorithm>

#include "bloomery/replica/replica.h"
#include "core/base/error.h"
#include "replica/state.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

// Bounds the figures by reason, whatever fields there are.
constexpr std::size_t kMostReasons = 64;

}  // namespace

Result<Received> Replica::receive(std::span<const std::uint8_t> bytes) {
  return guarded([&]() -> Result<Received> {
    Result<Received> received = take(bytes);
    if (!received.ok()) {
      const std::lock_guard lock(state_->mutex);
      auto& refused = state_->stats.refused;
      if (refused.size() < kMostReasons || refused.count(received.error().field) != 0)
        ++refused[received.error().field];
    }
    return received;
  });
}

Status Replica::check_sender(const Header& header) const {
  if (header.lineage != options_.lineage)
    return mismatch("lineage",
                    "the message is of lineage " + header.lineage.to_hex() + ", not of " + options_.lineage.to_hex());
  if (header.incarnation == 0) return corrupt("incarnation", "the message has no incarnation");
  if (header.origin == options_.origin && header.incarnation > options_.incarnation)
    return mismatch("origin",
                    "the message is of a later start of this replica: two of them run, or its incarnations "
                    "do not rise");
  const std::lock_guard lock(state_->mutex);
  if (!state_->progress.has_room(header.origin) || !state_->members.has_room(header.origin))
    return Error{ErrorCode::full, "the message is of one origin too many", {}, "origin"};
  return {};
}

Result<Received> Replica::take(std::span<const std::uint8_t> bytes) {
  Result<Message> message = parse(bytes, options_.secret);
  BLOOMERY_TRY(message);
  const Header& header = message->header;
  BLOOMERY_TRY(check_sender(header));
  Received received;
  received.type = message->type();
  received.header = header;
  const bool own = header.origin == options_.origin;
  if (own && header.incarnation == options_.incarnation) return received;  // our own words, come back by a stream
  if (!own) {
    const std::lock_guard lock(state_->mutex);
    state_->members.heard(header);
    if (received.type != Type::delta) state_->progress.announced({header.origin, header.incarnation, header.sequence});
  }
  const Status status = std::visit([&](const auto& body) { return on(header, body, received); }, message->body);
  if (!status.ok()) return status;
  return received;
}

Status Replica::on(const Header& header, const Hello& hello, Received& received) {
  Hello mine;
  state_->cells->describe(mine);
  if (hello.hash != mine.hash || hello.seed != mine.seed)
    return mismatch("hash", "the other replica hashes keys in another way, so that its hashes mean other keys");
  {
    const std::lock_guard lock(state_->mutex);
    note_acknowledgement(header, hello.positions);
  }
  if (!hello.asks) return {};
  Result<Bytes> answer = this->hello(false);
  BLOOMERY_TRY(answer);
  received.answers.push_back(*std::move(answer));
  return {};
}

// Under the mutex.
void Replica::note_acknowledgement(const Header& header, const std::vector<Position>& positions) {
  for (const Position& position : positions)
    if (position.origin == options_.origin && position.incarnation == options_.incarnation)
      state_->members.acknowledged(header, std::min(position.sequence, state_->sequence));
}

Status Replica::on(const Header& header, const Delta& delta, Received& received) {
  State& state = *state_;
  if (header.sequence == 0) return corrupt("sequence", "deltas are numbered from 1");
  if (delta.window != 0) return mismatch("window", "the delta is of a window, and this filter does not rotate");
  if (!state.guard.allows(delta.hashes.size() * state.cells->bits_per_key(),
                          log_->behind(LogCursor(log_->end().size())))) {
    const std::lock_guard lock(state.mutex);
    state.progress.refused(header.origin, header.incarnation);
    return Error{ErrorCode::full, "the delta would fill the filter beyond its bound", {}, "fill"};
  }
  const std::uint64_t changed = state.cells->apply(delta.hashes);
  received.keys = delta.hashes.size();
  received.known = received.keys - changed;
  const std::lock_guard lock(state.mutex);  // after the bits are set, so that a position is never ahead of them
  received.gap = state.progress.applied({header.origin, header.incarnation, header.sequence});
  ++state.stats.deltas_applied;
  state.stats.keys_applied += received.keys;
  state.stats.keys_known += received.known;
  state.stats.gaps += received.gap ? 1 : 0;
  return {};
}

// Marks the chunks of what was added here since the last time, so that digests are computed of all that was logged.
void Replica::mark_own_adds() {
  State& state = *state_;
  const std::lock_guard lock(state.mark_mutex);
  std::vector<LogEntry> entries;
  do {
    entries.clear();
    if (!log_->read(state.mark_cursor, 1 << 16, entries)) state.cells->mark_all();
    for (const LogEntry& entry : entries) state.cells->mark(entry.hash);
  } while (!entries.empty());
}

Status Replica::on(const Header& header, const Digest& digest, Received& received) {
  State& state = *state_;
  if (digest.window != 0) return mismatch("window", "the digest is of a window, and this filter does not rotate");
  if (digest.form == Digest::Form::plain || digest.form == Digest::Form::table) {
    const std::lock_guard lock(state.mutex);
    if (!state.repair.has_value() || !state.repair->expects(header, digest.request)) return {};  // too late
    const Result<RepairStep> step = state.repair->take(header, digest);
    return go_on(step, received);
  }
  Header answered;
  std::vector<Position> positions;
  bool whole = false;
  {
    const std::lock_guard lock(state.mutex);  // before the digests, which then have all that the positions say
    answered = header_now();
    positions = positions_now();
    whole = votes_now();
  }
  if (digest.form != Digest::Form::lines) mark_own_adds();
  Result<Body> answer = answer_digest(*state.cells, digest);
  BLOOMERY_TRY(answer);
  if (Digest* const digests = std::get_if<Digest>(&*answer)) {
    digests->positions = std::move(positions);
    digests->whole = whole;
  } else {
    const std::lock_guard lock(state.mutex);
    state.stats.chunks_sent += std::get<Chunks>(*answer).entries.size();
  }
  Result<Bytes> written = write({answered, *std::move(answer)}, options_.secret);
  BLOOMERY_TRY(written);
  received.answers.push_back(*std::move(written));
  return {};
}

Status Replica::on(const Header& header, const Chunks& chunks, Received& received) {
  State& state = *state_;
  const std::uint64_t local = log_->behind(LogCursor(log_->end().size()));
  const std::lock_guard lock(state.mutex);
  if (!state.repair.has_value() || !state.repair->expects(header, chunks.request)) return {};
  const Result<RepairStep> step =
      state.repair->take(chunks, [&](std::uint64_t bits) { return state.guard.allows(bits, local); });
  if (!step.ok() && step.error().field == "fill") {
    state.progress.refused(header.origin, header.incarnation);
    state.repair.reset();
  }
  return go_on(step, received);
}

// Under the mutex: sends the next step of the repair, or takes note that it is complete.
Status Replica::go_on(const Result<RepairStep>& step, Received& received) {
  BLOOMERY_TRY(step);
  State& state = *state_;
  if (step->send.has_value()) {
    Result<Bytes> bytes = write({header_now(), *step->send}, options_.secret);
    BLOOMERY_TRY(bytes);
    received.answers.push_back(*std::move(bytes));
  }
  if (!step->done) return {};
  const Repair& repair = *state.repair;
  const Header& source = repair.source();
  for (const Position& position : repair.positions())
    if (state.progress.has_room(position.origin) &&
        (position.origin != options_.origin || position.incarnation != options_.incarnation))
      state.progress.cover(position);
  if (repair.source_was_whole()) {
    state.behind = false;
    state.progress.close_ended();
    state.members.repaired_against(source);
    state.recovered_from.insert(source.origin);
    if (state.members.bring_memory_back(state.recovered_from)) state.memory_whole = true;
  }
  ++state.stats.repairs_done;
  state.stats.lines_applied += repair.lines_applied();
  state.repair.reset();
  received.repaired = true;
  return {};
}

Status Replica::on(const Header& header, const Acknowledgement& known, Received&) {
  const std::lock_guard lock(state_->mutex);
  note_acknowledgement(header, known.positions);
  return {};
}

Status Replica::on(const Header& header, const Member& member, Received&) {
  const std::lock_guard lock(state_->mutex);
  return state_->members.heard(header, member);
}

}  // namespace BLOOMERY_NAMESPACE::replica
