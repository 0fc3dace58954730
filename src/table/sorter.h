// Entries in any order in, entries in the order of a table out, within a number of bytes: what does not fit in memory
// goes to an unnamed temporary file in sorted runs, which are merged.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bloomery/detail/buffer.h"
#include "bloomery/table/table.h"
#include "core/io/file.h"

namespace BLOOMERY_NAMESPACE::table {

// One run, read from its beginning to its end.
class RunReader {
 public:
  RunReader(const io::File& file, std::uint64_t begin, std::uint64_t end, std::size_t buffer_bytes)
      : file_(&file), at_(begin), end_(end), buffer_(buffer_bytes) {}

  // Goes to the first entry, then to each after it.
  Status next();
  bool valid() const { return valid_; }
  const Entry& entry() const { return entry_; }

 private:
  Status have(std::uint64_t bytes);

  const io::File* file_;
  std::uint64_t at_, end_;  // what of the file is not yet read
  std::vector<std::uint8_t> buffer_;
  std::size_t begin_ = 0, filled_ = 0;  // of the buffer
  std::size_t current_ = 0;             // bytes of the entry that stands at begin_
  Entry entry_;
  bool valid_ = false;
};

// Several runs as one, those of earlier entries first.
class RunMerger {
 public:
  RunMerger() = default;
  explicit RunMerger(std::vector<RunReader> runs) : runs_(std::move(runs)) {}

  Status start();
  bool valid() const { return !heap_.empty(); }
  const Entry& entry() const { return runs_[heap_.front()].entry(); }
  Status next();

 private:
  auto later() const;

  std::vector<RunReader> runs_;
  std::vector<std::size_t> heap_;  // of those that are not at their end; the one with the first entry in front
};

// Protocol: create add* sort (entry next)* until not valid; after an error nothing but destruction. One thread at a
// time.
// The order: keys ascend; of a key the largest sequence number comes first, and of the same number what was added last.
class Sorter {
 public:
  static constexpr std::uint64_t kLeastMemory = 64 << 10;

  // `memory_bytes` limits all memory that it takes, except for a single entry that is larger. It takes only as much as
  // it needs.
  static Result<Sorter> create(std::uint64_t memory_bytes);

  Status add(const Entry& entry);
  Status sort();

  bool valid() const { return runs_.empty() ? next_ < count_ : merger_.valid(); }
  Entry entry() const { return runs_.empty() ? entry_at(refs()[next_]) : merger_.entry(); }  // until next()
  Status next();

  std::uint64_t entries() const { return entries_; }
  std::uint64_t spilled_bytes() const { return spilled_bytes_; }
  unsigned passes() const { return passes_; }  // over all runs, before the walk

 private:
  struct Run {
    std::uint64_t begin, end;
  };
  // An entry in memory, with some bytes of its key that decide most comparisons.
  struct Ref {
    std::uint64_t prefix, offset;
  };
  class Writer;

  Sorter(std::uint64_t memory, detail::Buffer buffer) : memory_(memory), buffer_(std::move(buffer)) {}

  // Entries are written from the front of the buffer, references to them from its end.
  Ref* refs() { return reinterpret_cast<Ref*>(buffer_.data() + buffer_.size()) - count_; }
  const Ref* refs() const { return reinterpret_cast<const Ref*>(buffer_.data() + buffer_.size()) - count_; }
  bool fits(std::uint64_t bytes) const { return bytes + used_ + (count_ + 1) * sizeof(Ref) <= buffer_.size(); }
  Entry entry_at(const Ref& ref) const;
  void keep(const Entry& entry);
  void sort_memory();
  Status open_file();
  Status spill();
  Status spill_alone(const Entry& entry);
  Status merge_pass();
  std::size_t most_runs() const;
  RunMerger merger_of(const io::File& file, std::size_t first, std::size_t count) const;

  std::uint64_t memory_;
  detail::Buffer buffer_;
  std::uint64_t used_ = 0, count_ = 0, next_ = 0;
  std::size_t common_ = 0;  // bytes that all keys in memory begin with
  bool in_order_ = true;    // those in memory
  std::uint64_t entries_ = 0, spilled_bytes_ = 0;
  unsigned passes_ = 0;
  std::unique_ptr<io::File> file_;
  std::uint64_t file_bytes_ = 0;
  std::vector<Run> runs_;
  RunMerger merger_;
};

}  // namespace BLOOMERY_NAMESPACE::table
