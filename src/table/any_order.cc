#include "table/any_order.h"

#include <algorithm>

#include "core/base/callback.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::table {

Result<AnyOrderBuilder> AnyOrderBuilder::create(const std::string& path, const AnyOrderOptions& options) {
  BLOOMERY_TRY(Sorter::create(options.memory_bytes));
  Result<TableBuilder> builder = TableBuilder::create(path, options.table);
  BLOOMERY_TRY(builder);
  return AnyOrderBuilder(path, options, *std::move(builder));
}

Status AnyOrderBuilder::add(const Entry& entry) {
  return guarded([&]() -> Status {
    if (!sorter_ && held_count_ > 0) {
      const int order = entry.key.compare(held_.front().key);
      const bool too_many = order == 0 && held_bytes_ > options_.memory_bytes;
      Status status = order < 0 || too_many ? begin_sorting() : order > 0 ? write_held() : Status();
      BLOOMERY_TRY(status);
    }
    if (sorter_) return sorter_->add(entry);
    hold(entry);
    return {};
  });
}

void AnyOrderBuilder::hold(const Entry& entry) {
  const bool replace = held_count_ > 0 && !options_.all_versions;
  if (replace && entry.sequence < held_.front().sequence) return;
  if (!replace && held_count_++ == held_.size()) held_.emplace_back();
  Held& held = held_[held_count_ - 1];
  held.key.assign(entry.key);
  held.value.assign(entry.value);
  held.sequence = entry.sequence;
  held.deleted = entry.deleted;
  held_bytes_ += sizeof(Held) + entry.key.size() + entry.value.size();
}

Status AnyOrderBuilder::write_held() {
  const auto end = held_.begin() + static_cast<std::ptrdiff_t>(held_count_);
  std::sort(held_.begin(), end, [](const Held& a, const Held& b) { return a.sequence > b.sequence; });
  for (auto held = held_.begin(); held != end; ++held)
    if (Status status = builder_->add(held->view()); !status.ok()) return in_file(std::move(status).error(), path_);
  held_count_ = held_bytes_ = 0;
  return {};
}

Status AnyOrderBuilder::begin_sorting() {
  Result<Sorter> sorter = Sorter::create(options_.memory_bytes);
  BLOOMERY_TRY(sorter);
  sorter_.emplace(*std::move(sorter));
  if (builder_->entries() > 0) {
    Result<std::shared_ptr<Table>> before = builder_->finish_unnamed();
    if (!before.ok()) return in_file(std::move(before).error(), path_);
    TableIterator at = (*before)->iterate();
    for (at.first(); at.valid(); at.next()) BLOOMERY_TRY(sorter_->add(at.entry()));
    if (!at.status().ok()) return in_file(at.status().error(), path_);
  }
  builder_.reset();
  for (std::size_t i = 0; i < held_count_; ++i) BLOOMERY_TRY(sorter_->add(held_[i].view()));
  held_ = {};
  held_count_ = 0;
  return {};
}

Status AnyOrderBuilder::write_sorted(const Progress& progress) {
  constexpr std::uint64_t kProgressEntries = 10'000;
  BLOOMERY_TRY(sorter_->sort());
  Result<TableBuilder> builder = TableBuilder::create(path_, options_.table);
  BLOOMERY_TRY(builder);
  builder_.emplace(*std::move(builder));
  std::string last;
  for (std::uint64_t done = 0; sorter_->valid(); ++done) {
    if (progress && done % kProgressEntries == 0) {
      const Result<bool> goes_on = call_user("progress", "the progress callback",
                                             [&]() -> Result<bool> { return progress(done, sorter_->entries()); });
      BLOOMERY_TRY(goes_on);
      if (!*goes_on) return invalid_argument("progress", "the work was ended by its caller; nothing was changed");
    }
    const Entry entry = sorter_->entry();
    const bool older = done > 0 && entry.key == last;
    if (!older) last.assign(entry.key);
    if (!older || options_.all_versions)
      if (Status status = builder_->add(entry); !status.ok()) return in_file(std::move(status).error(), path_);
    BLOOMERY_TRY(sorter_->next());
  }
  sorter_.reset();  // its memory, before the filter takes some
  return {};
}

Result<TableProperties> AnyOrderBuilder::finish(const Progress& progress) {
  return guarded([&]() -> Result<TableProperties> {
    Status status = sorter_ ? write_sorted(progress) : write_held();
    BLOOMERY_TRY(status);
    return builder_->finish();
  });
}

}  // namespace BLOOMERY_NAMESPACE::table
