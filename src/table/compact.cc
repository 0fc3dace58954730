#include "bloomery/table/compact.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/callback.h"
#include "core/base/error.h"
#include "core/io/pace.h"
#include "core/io/sys.h"
#include "table/cache.h"
#include "table/iterator_impl.h"
#include "table/writer.h"

namespace BLOOMERY_NAMESPACE {
namespace {

// Progress is asked after so much was read, and while the pace makes the work wait.
constexpr std::uint64_t kProgressEntries = 10'000, kProgressBytes = 1 << 20;

// The error when the caller's progress ends the work; none when nobody asked for it.
Status go_on(const CompactOptions& options, const CompactProgress& so_far) {
  if (!options.progress) return {};
  const Result<bool> wanted =
      call_user("progress", "the progress callback", [&]() -> Result<bool> { return options.progress(so_far); });
  BLOOMERY_TRY(wanted);
  if (!*wanted) return invalid_argument("progress", "the compaction was ended by its caller; nothing was changed");
  return {};
}

// All entries of several tables in one order: keys ascend, of a key the newest entry comes first. Every block is read
// from its file and its checksum compared, whatever the options of the tables say: what is written gets checksums of
// its own, under which nobody would find the damage again.
class Merged {
 public:
  explicit Merged(std::span<const std::shared_ptr<Table>> newest_first) {
    sources_.reserve(newest_first.size());
    for (const std::shared_ptr<Table>& table : newest_first) {
      sources_.emplace_back(table, table::From::file);
      sources_.back().go(TableIterator::Impl::To::first);
      if (sources_.back().valid()) heap_.push_back(sources_.size() - 1);
    }
    std::make_heap(heap_.begin(), heap_.end(), later());
  }

  bool valid() const { return !heap_.empty() && status().ok(); }
  Entry entry() const { return sources_[heap_.front()].entry(); }

  void next() {
    std::pop_heap(heap_.begin(), heap_.end(), later());
    TableIterator::Impl& at = sources_[heap_.back()];
    at.step(true);
    if (at.valid()) std::push_heap(heap_.begin(), heap_.end(), later());
    else heap_.pop_back();
  }

  // The first error of any of them.
  const Status& status() const {
    static const Status fine;
    for (const TableIterator::Impl& source : sources_)
      if (!source.status.ok()) return source.status;
    return fine;
  }

 private:
  // Whether one comes after another: the heap has the first of all in front.
  struct Later {
    const std::vector<TableIterator::Impl>& sources;
    bool operator()(std::size_t a, std::size_t b) const {
      const Entry one = sources[a].entry(), other = sources[b].entry();
      if (const int order = one.key.compare(other.key); order != 0) return order > 0;
      if (one.sequence != other.sequence) return one.sequence < other.sequence;
      return a > b;
    }
  };
  Later later() const { return {sources_}; }

  std::vector<TableIterator::Impl> sources_;  // the newest first
  std::vector<std::size_t> heap_;             // of those that are not at their end
};

// Writes one table after another, at the pace of the options. What was written goes again unless keep() was called;
// what another process has put in its place, or changed of it, stays.
class Writer {
 public:
  Writer(const std::function<std::string(unsigned)>& name, const CompactOptions& options, const CompactProgress& so_far)
      : name_(name), options_(options), so_far_(so_far), pace_(options.bytes_per_second) {}
  Writer(const Writer&) = delete;
  ~Writer() {
    builder_.reset();
    for (std::size_t i = 0; i < done_.paths.size(); ++i)
      if (files_[i] && io::identity_at(done_.paths[i]) == files_[i]) (void)io::sys_unlink(done_.paths[i].c_str());
  }

  Status add(const Entry& entry) {
    if (!builder_) BLOOMERY_TRY(begin());
    BLOOMERY_TRY(builder_->add(entry));
    // Without the block that is open: it is smaller once it is compressed.
    const std::uint64_t written = table::file_of(*builder_).written();
    if (written - paced_ > kPaceBytes) BLOOMERY_TRY(pace(written));
    return options_.split_bytes != 0 && builder_->file_bytes() >= options_.split_bytes ? finish() : Status();
  }
  // Ends the table under way, if there is one.
  Status finish() {
    if (!builder_) return {};
    done_.paths.reserve(done_.paths.size() + 1);  // nothing fails between the table and its place in the list
    files_.reserve(done_.paths.size() + 1);
    Result<TableProperties> properties = builder_->finish();
    BLOOMERY_TRY(properties);
    done_.paths.push_back(std::exchange(path_, {}));
    files_.push_back(table::file_of(*builder_).published());
    builder_.reset();
    done_.tables.push_back(*std::move(properties));
    return pace(done_.tables.back().file_bytes);
  }
  // Ends the last table. When there is none at all and the options want one, it is an empty one.
  Status finish_all() {
    if (options_.write_empty && done_.paths.empty() && !builder_) BLOOMERY_TRY(begin());
    return finish();
  }
  Compacted keep() { return std::exchange(done_, {}); }

 private:
  static constexpr std::uint64_t kPaceBytes = 1 << 16;

  Status begin() {
    Result<std::string> name = call_user("name", "the function that names tables", [&]() -> Result<std::string> {
      return name_(static_cast<unsigned>(done_.paths.size()));
    });
    BLOOMERY_TRY(name);
    path_ = *std::move(name);
    Result<TableBuilder> builder = TableBuilder::create_new(path_, options_.table);
    BLOOMERY_TRY(builder);
    builder_.emplace(*std::move(builder));
    paced_ = 0;
    return {};
  }
  // Waits until so much of the table may have been written.
  Status pace(std::uint64_t written) {
    return pace_.written(written - std::exchange(paced_, written), [&] { return go_on(options_, so_far_); });
  }

  const std::function<std::string(unsigned)>& name_;
  const CompactOptions& options_;
  const CompactProgress& so_far_;
  io::Pace pace_;
  std::optional<TableBuilder> builder_;
  std::string path_;
  std::uint64_t paced_ = 0;  // bytes of this table that the pace knows of
  Compacted done_;
  std::vector<std::optional<io::FileIdentity>> files_;  // those of done_.paths when they were written
};

}  // namespace

Result<Compacted> compact(std::span<const std::shared_ptr<Table>> newest_first,
                          const std::function<std::string(unsigned)>& name, const CompactOptions& options) {
  return guarded([&]() -> Result<Compacted> {
    CompactProgress so_far;
    for (const std::shared_ptr<Table>& table : newest_first) {
      if (!table) return invalid_argument("tables", "one of the tables is a null pointer");
      so_far.total += table->properties().entries;
    }
    Merged merged(newest_first);
    Writer writer(name, options, so_far);
    std::string last;         // the key whose newest entry has been seen
    std::uint64_t bytes = 0;  // read since the progress was asked
    for (; merged.valid(); merged.next()) {
      if (so_far.read % kProgressEntries == 0 || bytes >= kProgressBytes) {
        BLOOMERY_TRY(go_on(options, so_far));
        bytes = 0;
      }
      const Entry entry = merged.entry();
      bytes += entry.key.size() + entry.value.size();
      const bool older = so_far.read++ > 0 && entry.key == last;
      if (older) continue;
      last.assign(entry.key);
      if (entry.deleted && options.last_level) continue;
      BLOOMERY_TRY(writer.add(entry));
      ++so_far.written;
    }
    if (!merged.status().ok()) return merged.status().error();
    BLOOMERY_TRY(writer.finish_all());
    BLOOMERY_TRY(go_on(options, so_far));
    Compacted done = writer.keep();
    done.entries = so_far;
    return done;
  });
}

}  // namespace BLOOMERY_NAMESPACE
