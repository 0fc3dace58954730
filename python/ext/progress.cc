#include "progress.h"

#include <utility>

#include "errors.h"

namespace bloomery::python {
namespace {

// Some keys of another column, which outlives this one.
class Slice : public Column {
 public:
  Slice(const Column& all, std::size_t first, std::size_t count) : Column(count), all_(all), first_(first) {}

  bool hash(const Hasher& hasher, std::size_t first, std::span<Hash> out) const noexcept override {
    return all_.hash(hasher, first_ + first, out);
  }
  bool has_nulls() const noexcept override { return all_.has_nulls(); }
  bool is_null(std::size_t i) const noexcept override { return all_.is_null(first_ + i); }
  std::uint64_t integer(std::size_t i) const noexcept override { return all_.integer(first_ + i); }
  std::span<const std::uint64_t> integers() const noexcept override {
    const auto all = all_.integers();
    return all.empty() ? all : all.subspan(first_, count_);
  }

 private:
  const Column& all_;
  std::size_t first_;
};

// One array of any length is a column of its own: without slices its bar would jump from nothing to all.
class ProgressSource : public Source {
 public:
  ProgressSource(std::unique_ptr<Source> source, nb::object bar) : source_(std::move(source)), bar_(std::move(bar)) {}
  ProgressSource(const ProgressSource&) = delete;
  ProgressSource& operator=(const ProgressSource&) = delete;
  ~ProgressSource() override {
    try {
      bar_.attr("close")();
    } catch (nb::python_error& error) {
      error.discard_as_unraisable("the end of a bar");
    }
  }

  const Column* next() override {
    if (slice_) bar_.attr("update")(slice_->size());
    if (column_ == nullptr || first_ == column_->size()) {
      slice_.reset();
      column_ = source_->next();
      first_ = 0;
      if (column_ == nullptr) return nullptr;
    }
    const std::size_t count = std::min(kSlice, column_->size() - first_);
    slice_ = std::make_unique<Slice>(*column_, first_, count);
    first_ += count;
    return slice_.get();
  }
  std::size_t expected() const override { return source_->expected(); }

 private:
  static constexpr std::size_t kSlice = std::size_t{1} << 18;  // milliseconds of work: signals are looked at in between

  std::unique_ptr<Source> source_;
  nb::object bar_;
  const Column* column_ = nullptr;
  std::size_t first_ = 0;
  std::unique_ptr<Slice> slice_;
};

}  // namespace

std::unique_ptr<Source> with_progress(std::unique_ptr<Source> source, nb::handle progress) {
  if (progress.is(Py_False) || progress.is_none()) return source;
  nb::object bar = nb::module_::import_("bloomery._progress").attr("bar")(progress, source->expected());
  return std::make_unique<ProgressSource>(std::move(source), std::move(bar));
}

}  // namespace bloomery::python
