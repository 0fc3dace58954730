// A replica: what it makes, and what it says of itself. What it does with messages is in receive.cc.
#include "bloomery/replica/replica.h"

#include <algorithm>

#include "bloomery/detail/fnv.h"
#include "core/base/error.h"
#include "replica/state.h"

namespace BLOOMERY_NAMESPACE::replica {

Replica::Replica(const ReplicaOptions& options) : options_(options) {}
Replica::~Replica() = default;

void Replica::attach(std::unique_ptr<Log> log, WindowList windows, std::uint64_t kept) {
  log_ = std::move(log);
  state_ = std::make_unique<State>(options_, *log_, Windows(std::move(windows), kept));
}

Result<std::unique_ptr<Log>> Replica::make_log(const ReplicaOptions& options) {
  if (options.incarnation == 0)
    return invalid_argument("incarnation", "incarnations are counted from 1, and rise with each start");
  if (!(options.most_fpr > 0)) return invalid_argument("most_fpr", "the bound of the fill guard is above 0");
  return Log::make(options.log);
}

template <class Layout>
Result<std::unique_ptr<ReplicaOf<BasicFilter<Layout>>>> ReplicaOf<BasicFilter<Layout>>::make(
    Shared<Filter> filter, const ReplicaOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<ReplicaOf>> {
    Result<std::unique_ptr<Log>> log = make_log(options);
    BLOOMERY_TRY(log);
    auto made = std::unique_ptr<ReplicaOf>(new ReplicaOf(std::move(filter), options));
    Result<std::unique_ptr<Cells>> cells = make_cells(made->filter_);
    BLOOMERY_TRY(cells);
    WindowList one = {std::make_shared<Window>(0, nullptr, *std::move(cells), options.most_fpr)};
    made->attach(*std::move(log), std::move(one), 0);
    return made;
  });
}

template class ReplicaOf<ClassicFilter>;
template class ReplicaOf<SplitFilter>;
template class ReplicaOf<BlockFilter>;

// Reads what is in the log and numbers it, one delta for each window.
Result<std::optional<Bytes>> Replica::take_delta(std::size_t most_keys) {
  return guarded([&]() -> Result<std::optional<Bytes>> {
    if (most_keys == 0 || most_keys > kMostHashes)
      return invalid_argument("most_keys", "a delta has 1 to " + std::to_string(kMostHashes) + " keys");
    const std::lock_guard lock(state_->mutex);
    State& state = *state_;
    if (state.ready.empty()) {
      std::vector<LogEntry> entries;
      if (!log_->read(state.out_cursor, most_keys, entries)) {
        ++state.stats.log_overflows;
        ++state.sequence;  // a number that no delta has: the others see a gap, and repair
      }
      std::map<std::uint64_t, Delta> by_window;
      for (const LogEntry& entry : entries) by_window[entry.window].hashes.push_back(entry.hash);
      for (auto& [window, delta] : by_window) {
        delta.window = window;
        state.ready.emplace_back(++state.sequence, std::move(delta));
      }
      constexpr std::size_t kRemembered = 256;
      if (state.made.size() == kRemembered) state.made.pop_front();
      if (state.made.empty() || state.made.back().sequence != state.sequence)
        state.made.push_back({state.sequence, state.out_cursor});
    }
    if (state.ready.empty()) return std::optional<Bytes>();
    auto [sequence, delta] = std::move(state.ready.front());
    state.ready.pop_front();
    const std::size_t keys = delta.hashes.size();
    Header header = header_now();
    header.sequence = sequence;
    Result<Bytes> bytes = write({header, std::move(delta)}, options_.secret);
    BLOOMERY_TRY(bytes);
    ++state.stats.deltas_made;
    state.stats.keys_sent += keys;
    return std::optional<Bytes>(*std::move(bytes));
  });
}

// Returns the header of a message that is written now. Call it under the mutex.
Header Replica::header_now() const {
  state_->spoken = true;
  Header header;
  header.lineage = options_.lineage;
  header.origin = options_.origin;
  header.incarnation = options_.incarnation;
  header.sequence = state_->sequence;
  header.generation = state_->members.generation();
  return header;
}

std::vector<Position> Replica::positions_now() const {
  std::vector<Position> all = known_now();
  std::erase_if(all, [](const Position& position) { return position.sequence == 0; });
  return all;
}

// Its own incarnation is in it, too: as what it has made, or as what was announced when it began.
std::vector<Position> Replica::known_now() const {
  std::vector<Position> all = state_->progress.known();
  const Position own{options_.origin, options_.incarnation, state_->sequence};
  std::erase_if(all, [&](const Position& position) {
    return position.origin == own.origin && position.incarnation == own.incarnation;
  });
  all.push_back(own);
  std::sort(all.begin(), all.end());
  return all;
}

bool Replica::whole_now(std::span<const std::uint64_t> but_for) const {
  const State& state = *state_;
  return state.has_memory() && !state.behind && state.copies_missing.empty() && !state.repair.has_value() &&
         !state.progress.out_of_order(but_for) && !state.progress.anything_refused() && state.held.empty();
}

bool Replica::votes_now() const {
  const State& state = *state_;
  return state.has_memory() && !state.progress.anything_refused() && state.members.may_vote();
}

Result<Bytes> Replica::hello(bool asks) const {
  return guarded([&]() -> Result<Bytes> {
    const std::lock_guard lock(state_->mutex);
    Hello hello;
    state_->windows.describe(hello);
    hello.whole = whole_now();
    hello.asks = asks;
    hello.positions = known_now();
    return write({header_now(), std::move(hello)}, options_.secret);
  });
}

Result<Bytes> Replica::acknowledgement() const {
  return guarded([&]() -> Result<Bytes> {
    const std::lock_guard lock(state_->mutex);
    return write({header_now(), Acknowledgement{whole_now(), known_now()}}, options_.secret);
  });
}

Result<Bytes> Replica::member() const {
  return guarded([&]() -> Result<Bytes> {
    const std::lock_guard lock(state_->mutex);
    const Members& members = state_->members;
    if (!members.now().has_value())
      return invalid_argument("members", "there is no configuration of members yet: call configure");
    Member member{members.next().has_value() && members.ready(), {*members.now()}};
    if (members.next().has_value()) member.configurations.push_back(*members.next());
    return write({header_now(), std::move(member)}, options_.secret);
  });
}

bool Replica::has_spoken() const {
  const std::lock_guard lock(state_->mutex);
  return state_->spoken;
}

std::vector<Position> Replica::positions() const {
  const std::lock_guard lock(state_->mutex);
  return positions_now();
}

std::vector<Position> Replica::known() const {
  const std::lock_guard lock(state_->mutex);
  return known_now();
}

Result<Bytes> Replica::begin_repair(std::uint64_t source) {
  return guarded([&]() -> Result<Bytes> {
    mark_own_adds();
    const std::lock_guard lock(state_->mutex);
    ++state_->stats.repairs_begun;
    const std::uint64_t request = detail::splitmix64(options_.incarnation + (++state_->repairs << 32));
    state_->repair.emplace(source, request);
    Result<Digest> digest = state_->repair->begin(state_->windows.all().front());
    BLOOMERY_TRY(digest);
    return write({header_now(), *std::move(digest)}, options_.secret);
  });
}

bool Replica::repairing() const {
  const std::lock_guard lock(state_->mutex);
  return state_->repair.has_value();
}

void Replica::forget_repair() {
  const std::lock_guard lock(state_->mutex);
  state_->repair.reset();
}

std::vector<std::uint64_t> Replica::gaps() const {
  const std::lock_guard lock(state_->mutex);
  return state_->progress.origins_with_gaps();
}

bool Replica::needs_repair() const {
  const std::lock_guard lock(state_->mutex);
  return state_->behind || !state_->copies_missing.empty() || !state_->has_memory() ||
         !state_->progress.origins_with_gaps().empty();
}

void Replica::fell_behind() {
  const std::lock_guard lock(state_->mutex);
  state_->behind = true;
}

void Replica::lost_copy(const std::string& site) {
  const std::lock_guard lock(state_->mutex);
  state_->miss_copy(site);
}

bool Replica::lacks_copies() const {
  const std::lock_guard lock(state_->mutex);
  return !state_->copies_missing.empty();
}

void Replica::set_cut_off(bool cut_off) { logs_all_.store(cut_off, std::memory_order_relaxed); }

bool Replica::whole(std::span<const std::uint64_t> but_for) const {
  const std::lock_guard lock(state_->mutex);
  return whole_now(but_for);
}

bool Replica::votes() const {
  const std::lock_guard lock(state_->mutex);
  return votes_now();
}

Vote Replica::voting() const {
  const std::lock_guard lock(state_->mutex);
  return {!votes_now(), state_->members.now().has_value() ? state_->members.now()->generation : 0};
}

std::uint64_t Replica::sequence() const {
  const std::lock_guard lock(state_->mutex);
  return state_->sequence;
}

std::uint64_t Replica::acknowledged_by_all() const {
  const std::lock_guard lock(state_->mutex);
  return std::min(state_->members.acknowledged_by_all(), state_->sequence);
}

std::vector<Position> Replica::acknowledgements() const {
  const std::lock_guard lock(state_->mutex);
  return state_->members.acknowledgements();
}

Acknowledged Replica::acknowledged(const Ticket& ticket) const {
  const std::lock_guard lock(state_->mutex);
  const State& state = *state_;
  Acknowledged known;
  // The first delta that was made when the log had been read past the ticket.
  const auto made = std::find_if(state.made.begin(), state.made.end(),
                                 [&](const State::Made& one) { return one.cursor[ticket.stripe] > ticket.position; });
  known.by = made == state.made.end() ? std::vector{options_.origin} : state.members.holders(made->sequence);
  for (const std::uint64_t origin : state.members.everybody())
    if (!std::binary_search(known.by.begin(), known.by.end(), origin)) known.missing.push_back(origin);
  known.enough = state.members.enough(known.by);
  return known;
}

Status Replica::configure(const Configuration& next) {
  return guarded([&]() -> Status {
    // The writer's checks are those of every reader.
    BLOOMERY_TRY(write({Header{}, Member{false, {next}}}));
    const std::lock_guard lock(state_->mutex);
    return state_->members.configure(next);
  });
}

void Replica::retire(std::uint64_t origin) {
  const std::lock_guard lock(state_->mutex);
  state_->members.retire(origin);
}

std::optional<Configuration> Replica::configuration() const {
  const std::lock_guard lock(state_->mutex);
  return state_->members.now();
}

std::optional<Configuration> Replica::next_configuration() const {
  const std::lock_guard lock(state_->mutex);
  return state_->members.next();
}

Status Replica::begin_rebuild(std::uint64_t, double) const {
  return unsupported(
      "lineage",
      "a replicated filter keeps its size, as all replicas of a lineage do: join a second lineage of the new size, add "
      "to both, feed it from the source of truth once all members are in both, and switch (LineageChange does that)");
}

ReplicaStats Replica::stats() const {
  const std::lock_guard lock(state_->mutex);
  ReplicaStats stats = state_->stats;
  stats.window = state_->windows.epoch();
  stats.keys_held = state_->held.keys();
  return stats;
}

}  // namespace BLOOMERY_NAMESPACE::replica
