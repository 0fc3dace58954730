// Repair: one replica takes over all that another one has, sending little more than what differs (spec/replica.md,
// Repair). Who is repaired keeps a Repair; who helps keeps nothing and answers each message by itself.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "bloomery/replica/message.h"
#include "bloomery/result.h"
#include "replica/cells.h"

namespace BLOOMERY_NAMESPACE::replica {

// Filters of at most so many chunks compare all digests: 32 KiB.
inline constexpr std::uint64_t kFewChunks = 4096;

// What a message of the source leads to.
struct RepairStep {
  std::optional<Digest> send = {};  // to the source
  bool done = false;
};

// The side that is repaired. One thread at a time.
class Repair {
 public:
  Repair(Cells& cells, std::uint64_t source, std::uint64_t request)
      : cells_(cells), source_(source), request_(request) {}

  using Step = RepairStep;
  Result<Digest> begin();
  // Whether an answer is one to this repair. A source that was started again in between has lost what its first answer
  // told of: then the repair comes to nothing, and has to begin again.
  bool expects(const Header& header, std::uint64_t request) const {
    return header.origin == source_ && request == request_ &&
           (!answered_ || header.incarnation == source_header_.incarnation);
  }
  Result<Step> take(const Header& header, const Digest& answer);
  // `allows` is the fill guard: whether so many more bits may be set.
  Result<Step> take(const Chunks& answer, const std::function<bool(std::uint64_t)>& allows);

  // Of the source when it began to answer.
  const Header& source() const { return source_header_; }
  const std::vector<Position>& positions() const { return positions_; }
  bool source_was_whole() const { return source_whole_; }
  std::uint64_t lines_applied() const { return lines_; }

 private:
  Digest step(Digest::Form form) const;
  Result<Step> take_plain(const Digest& answer);
  Result<Step> take_table(const Digest& answer);
  Step next_lines();

  Cells& cells_;
  std::uint64_t source_, request_;
  Header source_header_ = {};
  std::vector<Position> positions_;
  bool source_whole_ = false, answered_ = false, knows_chunks_ = false;
  std::vector<std::uint64_t> mine_;       // digests when it began
  std::uint64_t plain_next_ = 0;          // the first chunk whose digest has not come
  std::vector<std::uint64_t> differing_;  // chunks, of which those before next_ were asked for
  std::size_t next_ = 0;
  std::set<std::uint64_t> awaited_;  // chunks of the last lines
  std::uint64_t lines_ = 0;
};

// The side that helps: the answer to ask, estimator or lines.
Result<Body> answer_digest(Cells& cells, const Digest& question);

}  // namespace BLOOMERY_NAMESPACE::replica
