#include "table/sorter.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "bloomery/detail/bits.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::table {
namespace {

// In memory and in runs an entry is: sequence number u64, bytes of the key u32 and of the value u32, deleted u8, key,
// value.
constexpr std::size_t kHeaderBytes = 17;
constexpr std::size_t kLeastRead = 16 << 10, kMostRead = 1 << 20;  // of a run at once

struct Header {
  std::uint64_t sequence;
  std::uint32_t key_bytes, value_bytes;
  bool deleted;

  std::uint64_t bytes() const { return kHeaderBytes + std::uint64_t{key_bytes} + value_bytes; }
};

Header decode_header(const std::uint8_t* at) {
  return {detail::load_le<std::uint64_t>(at), detail::load_le<std::uint32_t>(at + 8),
          detail::load_le<std::uint32_t>(at + 12), at[16] != 0};
}

Entry decode_entry(const std::uint8_t* at) {
  const Header header = decode_header(at);
  const char* key = reinterpret_cast<const char*>(at) + kHeaderBytes;
  return {{key, header.key_bytes}, {key + header.key_bytes, header.value_bytes}, header.sequence, header.deleted};
}

std::uint64_t encoded_bytes(const Entry& entry) { return kHeaderBytes + entry.key.size() + entry.value.size(); }

void encode_header(const Entry& entry, std::uint8_t* at) {
  detail::store_le<std::uint64_t>(at, entry.sequence);
  detail::store_le<std::uint32_t>(at + 8, static_cast<std::uint32_t>(entry.key.size()));
  detail::store_le<std::uint32_t>(at + 12, static_cast<std::uint32_t>(entry.value.size()));
  at[16] = entry.deleted ? 1 : 0;
}

// Returns less than 0 when a comes before b. For 0 the one that was added last comes first.
int compare(const Entry& a, const Entry& b) {
  if (const int order = a.key.compare(b.key); order != 0) return order;
  if (a.sequence == b.sequence) return 0;
  return a.sequence > b.sequence ? -1 : 1;
}

// Eight bytes of the key from `from` on, as a number that compares like them.
std::uint64_t prefix_of(std::string_view key, std::size_t from) {
  std::uint8_t bytes[8] = {};
  key.remove_prefix(std::min(from, key.size()));
  std::memcpy(bytes, key.data(), std::min(key.size(), sizeof bytes));
  return __builtin_bswap64(detail::load_le<std::uint64_t>(bytes));
}

std::size_t common_bytes(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

Error with_advice(Error error) {
  error.message += "; what does not fit in memory is sorted there: give more memory, or set TMPDIR to a larger folder";
  return error;
}

}  // namespace

// Appends entries to a file through a buffer.
class Sorter::Writer {
 public:
  Writer(io::File& file, std::size_t buffer_bytes) : file_(file) { buffer_.reserve(buffer_bytes); }

  Status add(const Entry& entry) {
    std::uint8_t header[kHeaderBytes];
    encode_header(entry, header);
    for (const std::span<const std::uint8_t> part :
         {std::span<const std::uint8_t>(header), bytes(entry.key), bytes(entry.value)})
      BLOOMERY_TRY(write(part));
    return {};
  }
  Status flush() {
    Status status = write_through(buffer_);
    buffer_.clear();
    return status;
  }

 private:
  static std::span<const std::uint8_t> bytes(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
  Status write(std::span<const std::uint8_t> part) {
    if (buffer_.size() + part.size() > buffer_.capacity()) BLOOMERY_TRY(flush());
    if (part.size() > buffer_.capacity()) return write_through(part);
    buffer_.insert(buffer_.end(), part.begin(), part.end());
    return {};
  }

  Status write_through(std::span<const std::uint8_t> some) {
    Status status = file_.write_all(some);
    return status.ok() ? status : Status(with_advice(std::move(status).error()));
  }

  io::File& file_;
  std::vector<std::uint8_t> buffer_;
};

// Reads until the buffer has `bytes` bytes from begin_ on.
Status RunReader::have(std::uint64_t bytes) {
  if (filled_ - begin_ >= bytes) return {};
  if (bytes - (filled_ - begin_) > end_ - at_)
    return in_file(corrupt("run", "what was sorted there does not come back as it was written: the disk is failing"),
                   file_->name());
  std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
  filled_ -= begin_;
  begin_ = 0;
  if (buffer_.size() < bytes) buffer_.resize(bytes);
  const std::uint64_t more = std::min<std::uint64_t>(buffer_.size() - filled_, end_ - at_);
  BLOOMERY_TRY(file_->read_at(at_, std::span(buffer_).subspan(filled_, more)));
  at_ += more;
  filled_ += more;
  return {};
}

Status RunReader::next() {
  begin_ += current_;
  current_ = 0;
  valid_ = begin_ < filled_ || at_ < end_;
  if (!valid_) return {};
  BLOOMERY_TRY(have(kHeaderBytes));
  const std::uint64_t bytes = decode_header(buffer_.data() + begin_).bytes();
  BLOOMERY_TRY(have(bytes));
  current_ = bytes;
  entry_ = decode_entry(buffer_.data() + begin_);
  return {};
}

// Whether one run's entry comes after another's; of equal ones that of the later run, which was added later, is first.
auto RunMerger::later() const {
  return [this](std::size_t a, std::size_t b) {
    const int order = compare(runs_[a].entry(), runs_[b].entry());
    return order != 0 ? order > 0 : a < b;
  };
}

Status RunMerger::start() {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    BLOOMERY_TRY(runs_[i].next());
    if (runs_[i].valid()) heap_.push_back(i);
  }
  std::make_heap(heap_.begin(), heap_.end(), later());
  return {};
}

Status RunMerger::next() {
  std::pop_heap(heap_.begin(), heap_.end(), later());
  RunReader& run = runs_[heap_.back()];
  BLOOMERY_TRY(run.next());
  if (run.valid()) std::push_heap(heap_.begin(), heap_.end(), later());
  else heap_.pop_back();
  return {};
}

Result<Sorter> Sorter::create(std::uint64_t memory_bytes) {
  if (memory_bytes < kLeastMemory)
    return invalid_argument("memory", "sorting takes at least " + std::to_string(kLeastMemory) +
                                          " bytes of memory, and not " + std::to_string(memory_bytes));
  // Pages that are never written are never taken, so a limit that is beyond this machine is no error.
  std::uint64_t bytes = memory_bytes - std::min<std::uint64_t>(memory_bytes / 4, kMostRead);  // the rest: for writing
  for (;; bytes /= 2) {
    Result<detail::Buffer> buffer = detail::Buffer::zeroed(bytes / sizeof(Ref) * sizeof(Ref));
    if (buffer.ok()) return Sorter(memory_bytes, *std::move(buffer));
    if (bytes < kLeastMemory) return std::move(buffer).error();
  }
}

Entry Sorter::entry_at(const Ref& ref) const { return decode_entry(buffer_.data() + ref.offset); }

Status Sorter::add(const Entry& entry) {
  constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();
  if (entry.key.size() > kMostBytes || entry.value.size() > kMostBytes)
    return invalid_argument("entry", "a key and a value have at most 2^32 - 1 bytes each");
  return guarded([&]() -> Status {
    ++entries_;
    if (!fits(encoded_bytes(entry))) {
      BLOOMERY_TRY(spill());
      if (!fits(encoded_bytes(entry))) return spill_alone(entry);
    }
    keep(entry);
    return {};
  });
}

void Sorter::keep(const Entry& entry) {
  if (count_ == 0) {
    common_ = entry.key.size();
    in_order_ = true;
  } else {
    const Ref* all = refs();
    common_ = std::min(common_, common_bytes(entry_at(all[count_ - 1]).key.substr(0, common_), entry.key));
    in_order_ = in_order_ && compare(entry_at(all[0]), entry) < 0;
  }
  std::uint8_t* at = buffer_.data() + used_;
  encode_header(entry, at);
  at = std::copy(entry.key.begin(), entry.key.end(), at + kHeaderBytes);
  std::copy(entry.value.begin(), entry.value.end(), at);
  ++count_;
  refs()[0] = {0, used_};
  used_ += encoded_bytes(entry);
}

void Sorter::sort_memory() {
  std::reverse(refs(), refs() + count_);  // now in the order in which they came
  if (in_order_) return;
  for (Ref* ref = refs(); ref != refs() + count_; ++ref) ref->prefix = prefix_of(entry_at(*ref).key, common_);
  std::sort(refs(), refs() + count_, [this](const Ref& a, const Ref& b) {
    if (a.prefix != b.prefix) return a.prefix < b.prefix;
    const int order = compare(entry_at(a), entry_at(b));
    return order != 0 ? order < 0 : a.offset > b.offset;
  });
}

Status Sorter::open_file() {
  if (file_) return {};
  Result<io::File> file = io::File::temporary();
  if (!file.ok()) return with_advice(std::move(file).error());
  file_ = std::make_unique<io::File>(*std::move(file));
  file_bytes_ = 0;
  return {};
}

// Writes what is in memory as a run.
Status Sorter::spill() {
  if (count_ == 0) return {};
  BLOOMERY_TRY(open_file());
  sort_memory();
  Writer writer(*file_, std::min<std::size_t>(memory_ / 4, kMostRead));
  for (const Ref* ref = refs(); ref != refs() + count_; ++ref) BLOOMERY_TRY(writer.add(entry_at(*ref)));
  BLOOMERY_TRY(writer.flush());
  runs_.push_back({file_bytes_, file_bytes_ + used_});
  file_bytes_ += used_;
  spilled_bytes_ += used_;
  used_ = count_ = 0;
  return {};
}

// Writes an entry that memory cannot hold beside its reference as a run of its own.
Status Sorter::spill_alone(const Entry& entry) {
  BLOOMERY_TRY(open_file());
  Writer writer(*file_, kLeastRead);
  BLOOMERY_TRY(writer.add(entry));
  BLOOMERY_TRY(writer.flush());
  const std::uint64_t bytes = encoded_bytes(entry);
  runs_.push_back({file_bytes_, file_bytes_ + bytes});
  file_bytes_ += bytes;
  spilled_bytes_ += bytes;
  return {};
}

std::size_t Sorter::most_runs() const { return std::max<std::size_t>(memory_ / kLeastRead - 1, 2); }

RunMerger Sorter::merger_of(const io::File& file, std::size_t first, std::size_t count) const {
  const std::size_t each = std::clamp(static_cast<std::size_t>(memory_ / (count + 1)), kLeastRead, kMostRead);
  std::vector<RunReader> readers;
  readers.reserve(count);
  for (std::size_t i = first; i < first + count; ++i) readers.emplace_back(file, runs_[i].begin, runs_[i].end, each);
  return RunMerger(std::move(readers));
}

// Merges neighbouring runs in a new file, and drops the old file.
Status Sorter::merge_pass() {
  const std::unique_ptr<io::File> from = std::move(file_);
  BLOOMERY_TRY(open_file());
  std::vector<Run> merged;
  for (std::size_t first = 0; first < runs_.size(); first += most_runs()) {
    RunMerger merger = merger_of(*from, first, std::min(most_runs(), runs_.size() - first));
    Writer writer(*file_, kLeastRead);
    const std::uint64_t begin = file_bytes_;
    BLOOMERY_TRY(merger.start());
    while (merger.valid()) {
      file_bytes_ += encoded_bytes(merger.entry());
      BLOOMERY_TRY(writer.add(merger.entry()));
      BLOOMERY_TRY(merger.next());
    }
    BLOOMERY_TRY(writer.flush());
    merged.push_back({begin, file_bytes_});
  }
  runs_ = std::move(merged);
  ++passes_;
  return {};
}

Status Sorter::sort() {
  return guarded([&]() -> Status {
    if (runs_.empty()) return sort_memory(), Status();
    BLOOMERY_TRY(spill());
    buffer_ = {};
    while (runs_.size() > most_runs()) BLOOMERY_TRY(merge_pass());
    merger_ = merger_of(*file_, 0, runs_.size());
    return merger_.start();
  });
}

Status Sorter::next() {
  if (!runs_.empty()) return guarded([&] { return merger_.next(); });
  ++next_;
  return {};
}

}  // namespace BLOOMERY_NAMESPACE::table
