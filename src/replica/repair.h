// Repair: one replica takes over all that another one has, sending little more than what differs (spec/replica.md,
// Repair). Who is repaired keeps a Repair; who helps keeps nothing and answers each message by itself.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "bloomery/replica/message.h"
#include "bloomery/result.h"
#include "replica/cells.h"
#include "replica/windows.h"

namespace BLOOMERY_NAMESPACE::replica {

// Filters of at most so many chunks compare all digests: 32 KiB.
inline constexpr std::uint64_t kFewChunks = 4096;

// What a message of the source leads to.
struct RepairStep {
  std::optional<Digest> send = {};  // to the source
  bool done = false;                // with the window
};

// The side that is repaired, one window after the other. One thread at a time.
class Repair {
 public:
  Repair(std::uint64_t source, std::uint64_t request) : source_(source), request_(request) {}

  using Step = RepairStep;
  // The first question about a window, which is the current one from now on.
  Result<Digest> begin(std::shared_ptr<Window> window);
  // Asks whether the source has anything in a window that has not begun here. `like` has the size of all windows.
  Digest probe(std::uint64_t window, const Cells& like);
  std::uint64_t window() const { return number_; }
  // Whether an answer is one to this repair. A source that was started again in between has lost what its first answer
  // told of: then the repair comes to nothing, and has to begin again.
  bool expects(const Header& header, std::uint64_t request) const {
    return header.origin == source_ && request == request_ &&
           (!answered_ || header.incarnation == source_header_.incarnation);
  }
  Result<Step> take(const Header& header, const Digest& answer);
  // `local_keys` is for the fill guard of the window.
  Result<Step> take(const Chunks& answer, std::uint64_t local_keys);

  // The header of the source when it began to answer, or before; the generation is the least of its answers.
  const Header& source() const { return source_header_; }
  const std::vector<Position>& positions() const { return positions_; }
  bool source_was_whole() const { return source_whole_; }
  std::uint64_t source_epoch() const { return source_epoch_; }
  // Whether the source has, or had, something that was not brought: in a window that has not begun here, or that went
  // meanwhile.
  bool source_has_more() const { return source_has_more_; }
  std::uint64_t lines_applied() const { return lines_; }

 private:
  Digest step(Digest::Form form) const;
  void note_source(const Header& header, const Digest& answer);
  Result<Step> take_plain(const Digest& answer);
  Result<Step> take_table(const Digest& answer);
  Step next_lines();

  std::uint64_t source_, request_;
  Header source_header_ = {};
  std::vector<Position> positions_;
  std::uint64_t source_epoch_ = 0;
  bool source_whole_ = false, source_has_more_ = false, answered_ = false;
  std::uint64_t lines_ = 0;

  // The rest belongs to the current window.
  std::uint64_t number_ = 0, chunks_ = 0;
  std::shared_ptr<Window> window_;  // nothing while it is probed for
  bool knows_chunks_ = false;
  std::vector<std::uint64_t> mine_;       // digests when it began
  std::uint64_t plain_next_ = 0;          // the first chunk whose digest has not come
  std::vector<std::uint64_t> differing_;  // chunks, of which those before next_ were asked for
  std::size_t next_ = 0;
  std::set<std::uint64_t> awaited_;  // chunks of the last lines
};

// The side that helps: the answer to ask, estimator or lines. `cells` is null when it has no such window; `chunks` is
// the size of those that it has.
Result<Body> answer_digest(Cells* cells, std::uint64_t chunks, const Digest& question);

}  // namespace BLOOMERY_NAMESPACE::replica
