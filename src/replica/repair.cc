#include "replica/repair.h"

#include <algorithm>
#include <bit>
#include <string>

#include "bloomery/detail/bits.h"
#include "bloomery/iblt.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::replica {
namespace {

using detail::load_le;
using detail::store_le;
using Pair = std::array<std::uint8_t, 16>;

constexpr std::uint64_t kMostCells = 60'000;  // as many as a message holds

Pair pair_of(std::uint64_t chunk, std::uint64_t digest) {
  Pair pair{};
  store_le(pair.data(), chunk);
  store_le(pair.data() + 8, digest);
  return pair;
}

Result<Iblt> table_of(const std::vector<std::uint64_t>& digests, std::uint64_t cells) {
  Result<Iblt> table = Iblt::with_geometry({cells, 16, 0, false, 0});
  BLOOMERY_TRY(table);
  for (std::uint64_t i = 0; i < digests.size(); ++i) BLOOMERY_TRY(table->add(pair_of(i, digests[i])));
  return table;
}

Result<StrataEstimator> strata_of(const std::vector<std::uint64_t>& digests) {
  Result<StrataEstimator> strata = StrataEstimator::make();
  BLOOMERY_TRY(strata);
  for (std::uint64_t i = 0; i < digests.size(); ++i) strata->add(pair_of(i, digests[i]));
  return strata;
}

Result<Body> plain_answer(Digest answer, const std::vector<std::uint64_t>& digests, std::uint64_t first) {
  const std::uint64_t count = std::min<std::uint64_t>(kMostDigests, digests.size() - first);
  answer.form = Digest::Form::plain;
  answer.first = first;
  answer.count = static_cast<std::uint32_t>(count);
  answer.contents.resize(static_cast<std::size_t>(8 * count));
  for (std::uint64_t i = 0; i < count; ++i) store_le(&answer.contents[8 * i], digests[first + i]);
  return Body(std::move(answer));
}

// A table for so many differing pairs, or plain where that is less.
Result<Body> table_answer(Digest answer, const std::vector<std::uint64_t>& digests, std::uint64_t pairs) {
  const std::uint64_t cells =
      IbltGeometry::cells_for(std::min<std::uint64_t>(std::max<std::uint64_t>(pairs, 8), kMostCells));
  if (cells > kMostCells || 28 * cells >= 8 * digests.size()) return plain_answer(std::move(answer), digests, 0);
  const Result<Iblt> table = table_of(digests, cells);
  BLOOMERY_TRY(table);
  answer.form = Digest::Form::table;
  answer.count = static_cast<std::uint32_t>(cells);
  answer.contents.assign(table->payload().begin(), table->payload().end());
  return Body(std::move(answer));
}

Result<Body> estimator_answer(Digest answer, const std::vector<std::uint64_t>& digests, const Digest& question) {
  Result<StrataEstimator> mine = strata_of(digests);
  BLOOMERY_TRY(mine);
  const Result<StrataEstimator> theirs =
      StrataEstimator::copy_of(question.contents, IbltGeometry::estimator(), Hasher::xxh3(), std::nullopt);
  BLOOMERY_TRY(theirs);
  BLOOMERY_TRY(mine->subtract(*theirs));
  const Result<IbltEstimate> pairs = mine->estimate();
  BLOOMERY_TRY(pairs);
  return table_answer(std::move(answer), digests, pairs->high);
}

Result<Body> lines_answer(Cells& cells, const Digest& question) {
  constexpr std::size_t kEntry = 8 + 8 * kLines;
  Chunks answer{question.window, question.request, question.chunks, {}};
  std::array<std::uint8_t, kChunkBytes> bytes;
  for (std::size_t at = 0; at < question.contents.size(); at += kEntry) {
    Chunks::Entry entry;
    entry.chunk = load_le<std::uint64_t>(&question.contents[at]);
    if (entry.chunk >= cells.chunks())
      return corrupt("contents", "the lines are of chunk " + std::to_string(entry.chunk) + ", which is none");
    cells.read(entry.chunk * kChunkBytes, bytes);
    const auto mine = line_digests(bytes, question.request);
    for (std::size_t i = 0; i < kLines; ++i) {
      if (mine[i] == load_le<std::uint64_t>(&question.contents[at + 8 + 8 * i])) continue;
      entry.mask |= std::uint64_t{1} << i;
      entry.lines.insert(entry.lines.end(), &bytes[kLineBytes * i], &bytes[kLineBytes * i] + kLineBytes);
    }
    answer.entries.push_back(std::move(entry));
  }
  return Body(std::move(answer));
}

}  // namespace

Result<Body> answer_digest(Cells* cells, std::uint64_t chunks, const Digest& question) {
  if (question.chunks != chunks)
    return mismatch("chunks", "the digest is of " + std::to_string(question.chunks) + " chunks, and this filter has " +
                                  std::to_string(chunks));
  Digest answer;
  answer.window = question.window;
  answer.request = question.request;
  answer.chunks = question.chunks;
  answer.form = Digest::Form::plain;
  if (cells == nullptr) return Body(std::move(answer));
  if (question.form == Digest::Form::lines) return lines_answer(*cells, question);
  const std::vector<std::uint64_t> digests = cells->digests();
  if (question.first == 0 && cells->is_empty(digests)) return Body(std::move(answer));
  if (question.form == Digest::Form::estimator) return estimator_answer(std::move(answer), digests, question);
  if (question.count != 0) return table_answer(std::move(answer), digests, question.count);
  if (question.first >= digests.size()) return corrupt("first", "there is no such chunk");
  return plain_answer(std::move(answer), digests, question.first);
}

Digest Repair::step(Digest::Form form) const {
  Digest digest;
  digest.window = number_;
  digest.request = request_;
  digest.chunks = chunks_;
  digest.form = form;
  return digest;
}

Result<Digest> Repair::begin(std::shared_ptr<Window> window) {
  window_ = std::move(window);
  number_ = window_->number;
  chunks_ = window_->cells->chunks();
  mine_ = window_->cells->digests();
  knows_chunks_ = false;
  plain_next_ = next_ = 0;
  differing_.clear();
  awaited_.clear();
  if (chunks_ <= kFewChunks) return step(Digest::Form::ask);
  const Result<StrataEstimator> strata = strata_of(mine_);
  BLOOMERY_TRY(strata);
  Digest digest = step(Digest::Form::estimator);
  for (const Iblt& stratum : strata->strata())
    digest.contents.insert(digest.contents.end(), stratum.payload().begin(), stratum.payload().end());
  return digest;
}

Digest Repair::probe(std::uint64_t window, const Cells& like) {
  window_.reset();
  number_ = window;
  chunks_ = like.chunks();
  knows_chunks_ = false;
  plain_next_ = 0;
  Digest digest = step(Digest::Form::ask);
  digest.count = 1;  // whatever is there, a short answer says so
  return digest;
}

Result<Repair::Step> Repair::take(const Header& header, const Digest& answer) {
  if (answer.window != number_) return Step{};  // a doubled answer about an earlier window
  if (answer.chunks != chunks_) return mismatch("chunks", "the answer is of a filter of another size");
  const bool plain = answer.form == Digest::Form::plain;
  const bool nothing = plain && answer.count == 0;  // in it, or no such window there
  // The window has gone there while lines of it were asked for, or a late answer says so: not all of it was brought.
  if (nothing && knows_chunks_ && number_ != 0) {
    source_has_more_ = true;
    return Step{std::nullopt, true};
  }
  if (knows_chunks_ || plain_next_ != (plain ? answer.first : 0)) return Step{};  // doubled or reordered
  note_source(header, answer);
  if (window_ == nullptr) source_has_more_ = source_has_more_ || !nothing;
  if (nothing || window_ == nullptr) return Step{std::nullopt, true};
  return plain ? take_plain(answer) : take_table(answer);
}

// What the source had when it began to answer is what this repair brings; later answers have more. A question that the
// network doubled is answered twice, and the older answer may come last: then the repair brings what both had.
void Repair::note_source(const Header& header, const Digest& answer) {
  if (!answered_) {
    answered_ = true;
    source_header_ = header;
    positions_ = answer.positions;
    source_whole_ = answer.whole;
    source_epoch_ = answer.newest;
    return;
  }
  std::vector<Position> both;
  for (Position position : positions_)
    for (const Position& other : answer.positions)
      if (other.origin == position.origin && other.incarnation == position.incarnation) {
        position.sequence = std::min(position.sequence, other.sequence);
        both.push_back(position);
      }
  positions_ = std::move(both);
  source_header_.generation = std::min(source_header_.generation, header.generation);
  source_whole_ = source_whole_ && answer.whole;
  source_epoch_ = std::max(source_epoch_, answer.newest);
}

Result<Repair::Step> Repair::take_plain(const Digest& answer) {
  if (answer.count > mine_.size() - answer.first)
    return corrupt("count", "the answer has digests of chunks that are none");
  for (std::uint64_t i = 0; i < answer.count; ++i)
    if (load_le<std::uint64_t>(&answer.contents[8 * i]) != mine_[answer.first + i])
      differing_.push_back(answer.first + i);
  plain_next_ += answer.count;
  if (plain_next_ == mine_.size()) {
    knows_chunks_ = true;
    return next_lines();
  }
  Step more{step(Digest::Form::ask)};
  more.send->first = plain_next_;
  return more;
}

Result<Repair::Step> Repair::take_table(const Digest& answer) {
  Result<Iblt> table = Iblt::copy_of(answer.contents, {answer.count, 16, 0, false, 0}, Hasher::xxh3(), std::nullopt);
  BLOOMERY_TRY(table);
  const Result<Iblt> mine = table_of(mine_, answer.count);
  BLOOMERY_TRY(mine);
  BLOOMERY_TRY(table->subtract(*mine));
  const Result<IbltListing> listing = table->list();
  BLOOMERY_TRY(listing);
  if (!listing->complete) {  // too small by bad luck
    Step again{step(Digest::Form::ask)};
    again.send->count = 2 * answer.count >= kMostCells ? 0 : 2 * answer.count;
    return again;
  }
  std::set<std::uint64_t> chunks;
  for (const IbltItems* items : {&listing->added, &listing->removed})
    for (std::size_t i = 0; i < items->size(); ++i) {
      const auto chunk = load_le<std::uint64_t>(items->key(i).data());
      if (chunk >= chunks_) return corrupt("contents", "the table lists chunks that are none");
      chunks.insert(chunk);
    }
  differing_.assign(chunks.begin(), chunks.end());
  knows_chunks_ = true;
  return next_lines();
}

Repair::Step Repair::next_lines() {
  Step step;
  if (next_ == differing_.size()) {
    step.done = true;
    return step;
  }
  step.send = this->step(Digest::Form::lines);
  std::array<std::uint8_t, kChunkBytes> bytes;
  for (; next_ < differing_.size() && step.send->count < kMostChunks; ++next_, ++step.send->count) {
    const std::uint64_t chunk = differing_[next_];
    window_->cells->read(chunk * kChunkBytes, bytes);
    std::array<std::uint8_t, 8 + 8 * kLines> entry;
    store_le(entry.data(), chunk);
    const auto lines = line_digests(bytes, request_);
    for (std::size_t i = 0; i < kLines; ++i) store_le(&entry[8 + 8 * i], lines[i]);
    step.send->contents.insert(step.send->contents.end(), entry.begin(), entry.end());
    awaited_.insert(chunk);
  }
  return step;
}

Result<Repair::Step> Repair::take(const Chunks& answer, std::uint64_t local_keys) {
  if (answer.window != number_ || window_ == nullptr) return Step{};
  Cells& cells = *window_->cells;
  if (answer.chunks != chunks_) return mismatch("chunks", "the chunks are of a filter of another size");
  std::uint64_t bits = 0;
  for (const Chunks::Entry& entry : answer.entries) {  // all is checked before anything changes
    if (entry.chunk >= chunks_) return corrupt("chunks", "the message has a chunk that is none");
    std::size_t at = 0;
    for (std::uint64_t left = entry.mask; left != 0; left &= left - 1, at += kLineBytes) {
      const std::uint64_t offset =
          entry.chunk * kChunkBytes + kLineBytes * static_cast<std::uint64_t>(std::countr_zero(left));
      const std::span<const std::uint8_t> line = std::span(entry.lines).subspan(at, kLineBytes);
      BLOOMERY_TRY(cells.check_part(offset, line));
      std::array<std::uint8_t, kLineBytes> mine;
      cells.read(offset, mine);
      for (std::size_t i = 0; i < kLineBytes; ++i)
        bits += static_cast<std::uint64_t>(std::popcount(static_cast<std::uint8_t>(line[i] & ~mine[i])));
    }
  }
  if (!window_->guard.allows(bits, local_keys))
    return Error{ErrorCode::full, "the chunks would fill the filter beyond its bound", {}, "fill"};
  for (const Chunks::Entry& entry : answer.entries) {
    std::size_t at = 0;
    for (std::uint64_t left = entry.mask; left != 0; left &= left - 1, at += kLineBytes, ++lines_)
      cells.unite(entry.chunk * kChunkBytes + kLineBytes * static_cast<std::uint64_t>(std::countr_zero(left)),
                  std::span(entry.lines).subspan(at, kLineBytes));
    // Lines that agree may agree by bits that another thread has set and not logged yet. No digest need have those, and
    // the positions that this repair brings must not be told before one has.
    cells.mark_chunk(entry.chunk * kChunkBytes);
    awaited_.erase(entry.chunk);
  }
  return awaited_.empty() && knows_chunks_ ? next_lines() : Step{};
}

}  // namespace BLOOMERY_NAMESPACE::replica
