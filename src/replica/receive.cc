// What a replica does with the messages of others. Deltas are in deltas.cc.
#include <algorithm>
#include <utility>

#include "bloomery/replica/replica.h"
#include "core/base/error.h"
#include "replica/state.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

// Bounds the figures by reason, whatever fields there are.
constexpr std::size_t kMostReasons = 64;

Error later_start(const char* says) {
  return mismatch(
      "origin", std::string(says) + " a later start of this replica: two of them run, or its incarnations do not rise");
}

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
    return later_start("the message is of");
  const std::lock_guard lock(state_->mutex);
  if (!state_->progress.has_room(header.origin) || !state_->members.has_room(header.origin))
    return Error{ErrorCode::full, "the message is of one origin too many", {}, "origin"};
  return {};
}

// Refuses a message whose sender knows of a later start of this replica: it counts nothing of this one.
Status Replica::check_named(const std::vector<Position>& positions) const {
  for (const Position& position : positions)
    if (position.origin == options_.origin && position.incarnation > options_.incarnation)
      return later_start("the positions name");
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
  {
    const std::lock_guard lock(state_->mutex);
    state_->windows.describe(mine);
  }
  if (hello.hash != mine.hash || hello.seed != mine.seed)
    return mismatch("hash", "the other replica hashes keys in another way, so that its hashes mean other keys");
  BLOOMERY_TRY(check_named(hello.positions));
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

// Call it under the mutex. It takes first what the sender knows of others, then what it acknowledges: the sender may
// say in one message that it has a delta, and that another replica that had the delta was started again. Without room
// for the first the second does not count. Other replicas are told only of origins that were heard and of members, so
// that made-up origins are not repeated everywhere.
void Replica::note_acknowledgement(const Header& header, const std::vector<Position>& positions) {
  if (header.origin == options_.origin) return;  // words of an earlier start
  State& state = *state_;
  for (const Position& position : positions) {
    if (position.origin == options_.origin) continue;
    if (!state.members.started(position.origin, position.incarnation)) return;
    if (position.incarnation > state.progress.newest(position.origin) && state.members.is_known(position.origin) &&
        state.progress.has_room(position.origin))
      state.progress.announced({position.origin, position.incarnation, 0});
  }
  std::uint64_t sequence = 0;
  for (const Position& position : positions)
    if (position.origin == options_.origin && position.incarnation == options_.incarnation)
      sequence = std::min(position.sequence, state.sequence);
  state.members.acknowledged(header, sequence, positions);
}

Status Replica::on(const Header& header, const Digest& digest, Received& received) {
  State& state = *state_;
  if (digest.form == Digest::Form::plain || digest.form == Digest::Form::table) {
    BLOOMERY_TRY(check_named(digest.positions));
    const std::lock_guard lock(state.mutex);
    if (!state.repair.has_value() || !state.repair->expects(header, digest.request)) return {};  // too late
    const Result<RepairStep> step = state.repair->take(header, digest);
    return go_on(step, received);
  }
  Header answered;
  std::vector<Position> positions;
  bool whole = false;
  std::shared_ptr<Window> window;
  std::uint64_t epoch = 0, chunks = 0;
  {
    const std::lock_guard lock(state.mutex);  // before the digests, which then have all that the positions say
    answered = header_now();
    positions = positions_now();
    whole = votes_now();
    BLOOMERY_TRY(state.windows.check(digest.window));
    window = state.windows.find(digest.window);
    epoch = state.windows.epoch();
    chunks = state.windows.any().cells->chunks();
  }
  if (digest.form != Digest::Form::lines) mark_own_adds();
  Result<Body> answer = answer_digest(window == nullptr ? nullptr : window->cells.get(), chunks, digest);
  BLOOMERY_TRY(answer);
  if (Digest* const digests = std::get_if<Digest>(&*answer)) {
    digests->positions = std::move(positions);
    digests->whole = whole;
    digests->newest = epoch;
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
  const Result<RepairStep> step = state.repair->take(chunks, local);
  if (!step.ok() && step.error().field == "fill") {
    state.progress.refused(header.origin, header.incarnation);
    state.repair.reset();
  }
  return go_on(step, received);
}

// Sends the next step of the repair, or takes note that it is complete. Call it under the mutex.
Status Replica::go_on(const Result<RepairStep>& step, Received& received) {
  BLOOMERY_TRY(step);
  if (step->send.has_value()) return ask_source(*step->send, received);
  if (!step->done) return {};
  Result<std::optional<Digest>> next = next_question();
  BLOOMERY_TRY(next);
  if (next->has_value()) return ask_source(**next, received);
  finish_repair();
  received.repaired = true;
  return {};
}

Status Replica::ask_source(const Digest& question, Received& received) {
  Result<Bytes> bytes = write({header_now(), question}, options_.secret);
  BLOOMERY_TRY(bytes);
  received.answers.push_back(*std::move(bytes));
  return {};
}

// Returns the first question about the next window, the oldest first. After all windows of this replica comes the one
// behind its spare, which is the spare of a source one window ahead. Returns nothing when all were asked about.
Result<std::optional<Digest>> Replica::next_question() {
  State& state = *state_;
  Repair& repair = *state.repair;
  if (std::shared_ptr<Window> next = state.windows.after(repair.window())) {
    Result<Digest> question = repair.begin(std::move(next));
    BLOOMERY_TRY(question);
    return std::optional<Digest>(*std::move(question));
  }
  const std::uint64_t epoch = state.windows.epoch();
  if (!state.windows.rotate() || repair.source_epoch() != epoch + 1 || repair.window() >= epoch + 2)
    return std::optional<Digest>();
  return std::optional<Digest>(repair.probe(epoch + 2, *state.windows.any().cells));
}

// Notes that these positions hold here from now on. They tell of starts as an acknowledgement does. Call it under the
// mutex.
void Replica::cover(const std::vector<Position>& positions) {
  State& state = *state_;
  for (const Position& position : positions) {
    const bool own = position.origin == options_.origin;
    if (own && position.incarnation == options_.incarnation) continue;
    if (!state.progress.has_room(position.origin)) continue;
    if (own || state.members.started(position.origin, position.incarnation)) state.progress.cover(position);
  }
}

// What the source has in windows that have not begun here was not brought: then its positions do not hold here. A
// source further ahead than one window has dropped what is still asked for here, and closes nothing either.
void Replica::finish_repair() {
  State& state = *state_;
  const Repair repair = *std::exchange(state.repair, std::nullopt);
  ++state.stats.repairs_done;
  state.stats.lines_applied += repair.lines_applied();
  if (repair.source_has_more() || (state.windows.rotate() && repair.source_epoch() > state.windows.epoch() + 1)) {
    ++state.stats.repairs_partial;
    return;
  }
  cover(repair.positions());
  if (!repair.source_was_whole()) return;
  state.behind = false;
  state.copies_missing.clear();
  state.progress.close_ended();
  state.members.repaired_against(repair.source());
  std::uint32_t& generation = state.recovered_from[repair.source().origin];
  generation = std::max(generation, repair.source().generation);
  state.memory_alone = true;
  if (state.members.bring_memory_back(state.recovered_from)) state.memory_whole = true;
}

Status Replica::on(const Header& header, const Acknowledgement& known, Received&) {
  BLOOMERY_TRY(check_named(known.positions));
  const std::lock_guard lock(state_->mutex);
  note_acknowledgement(header, known.positions);
  return {};
}

Status Replica::on(const Header& header, const Member& member, Received&) {
  const std::lock_guard lock(state_->mutex);
  return state_->members.heard(header, member);
}

}  // namespace BLOOMERY_NAMESPACE::replica
