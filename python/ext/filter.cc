#include "filter.h"

#include <utility>
#include <vector>

#include "answers.h"
#include "errors.h"
#include "gather.h"
#include "key.h"
#include "progress.h"

namespace bloomery::python {

PyFilter::PyFilter(AnyFilter filter, std::optional<EnvelopeOptions> envelope)
    : state_(std::move(filter)), view_(BlockView()), as_written_(envelope.has_value()) {
  if (envelope) envelope_ = *std::move(envelope);
  refresh();
}
PyFilter::PyFilter(FilterFile file) : state_(std::move(file)), view_(BlockView()), as_written_(true) {
  envelope_ = std::get<FilterFile>(state_).info().rewrite_options();
  refresh();
}
PyFilter::PyFilter(UnverifiedFile file)
    : state_(std::move(file)), view_(BlockView()), mapped_(true), as_written_(true) {
  envelope_ = std::get<UnverifiedFile>(state_).info().rewrite_options();
  refresh();
}

void PyFilter::look_at(const AnyView& view) {
  view_ = view;
  block_ = view_.as<BlockView>();
  if (!(hasher_ == view_.hasher())) hasher_ = view_.hasher();  // without a GIL others may read it
}

void PyFilter::refresh() {
  if (const auto* filter = std::get_if<AnyFilter>(&state_)) look_at(filter->view());
  if (const auto* file = std::get_if<FilterFile>(&state_)) look_at(file->view());
  if (const auto* file = std::get_if<UnverifiedFile>(&state_)) look_at(file->unverified_view());
}

std::optional<std::uint64_t> PyFilter::key_count() const {
  if (const auto* filter = std::get_if<AnyFilter>(&state_)) return filter->key_count();
  if (const auto* file = std::get_if<FilterFile>(&state_)) return file->info().key_count;
  if (const auto* file = std::get_if<UnverifiedFile>(&state_)) return file->info().key_count;
  return {};
}

bool PyFilter::contains_waiting(Hash hash) {
  const Reading reading(guard);
  return view_.contains(hash);
}

Result<AnyFilter*> PyFilter::to_change() {
  if (mapped_)
    return Error{ErrorCode::unsupported, "a mapped file cannot be changed: copy() gives a filter that can", "", ""};
  if (const auto* file = std::get_if<FilterFile>(&state_)) {
    Result<AnyFilter> own = without_gil([&] { return file->copy(); });
    BLOOMERY_TRY(own);
    state_ = *std::move(own);
    refresh();
  }
  return &std::get<AnyFilter>(state_);
}

void PyFilter::changed(const Status& status, bool did) {
  refresh();
  const bool refused =
      !status.ok() && (status.error().code == ErrorCode::unsupported || status.error().code == ErrorCode::mismatch);
  if (refused || !did || !std::exchange(as_written_, false)) return;
  envelope_.records = envelope_.records.after_change();
  envelope_.chunks = false;
}

template <class Change>
void PyFilter::change(Change change) {
  const Status status = [&]() -> Status {
    const Writing writing(guard);
    const Result<AnyFilter*> filter = to_change();
    BLOOMERY_TRY(filter);
    bool did = true;
    Status done = without_gil([&] { return change(**filter, did); });
    changed(done, did);
    return done;
  }();
  check(status);
}

void PyFilter::add(nb::handle key) {
  KeyType type{};
  const Hash hash = hash_object(hasher_, key.ptr(), type);
  if (guard.may_write_now() && !as_written_) {
    const Status status = std::get<AnyFilter>(state_).add(hash);
    if (block_ == nullptr) refresh();
    return check(status);
  }
  change([&](AnyFilter& filter, bool& did) {
    const Status status = filter.add(hash);
    did = status.ok();
    return status;
  });
}

bool PyFilter::remove(nb::handle key) {
  KeyType type{};
  const Hash hash = hash_object(hasher_, key.ptr(), type);
  bool removed = false;
  change([&](AnyFilter& filter, bool& did) -> Status {
    const Result<bool> result = filter.remove(hash);
    BLOOMERY_TRY(result);
    did = removed = *result;
    return {};
  });
  return removed;
}

namespace {

Error no_memory() { return {ErrorCode::out_of_memory, "no memory for the hashes of the keys", "", ""}; }

}  // namespace

bool PyFilter::ask_column(const Column& column, Answers& out, bool& malformed) const {
  const bool direct = out.form() == AnswerForm::bools;
  if (direct && !out.reserve(column.size())) return false;
  const std::span<std::uint8_t> bools = direct ? out.bools(column.size()) : std::span<std::uint8_t>();
  if (const auto integers = column.integers(); direct && !integers.empty()) {
    view_.contains_many(integers, bools);
    for (std::size_t i = 0; column.has_nulls() && i < bools.size(); ++i)
      if (column.is_null(i)) bools[i] = 0;
    return true;
  }
  bool room = true;
  malformed |= !column.for_groups(hasher_, [&](std::size_t first, std::span<const Hash> hashes) {
    std::array<std::uint8_t, Column::kGroup> group;
    const std::span<std::uint8_t> to =
        direct ? bools.subspan(first, hashes.size()) : std::span(group).first(hashes.size());
    view_.contains_many(hashes, to);
    for (std::size_t i = 0; column.has_nulls() && i < to.size(); ++i)
      if (column.is_null(first + i)) to[i] = 0;
    if (direct) return;
    room = room && out.reserve(hashes.size());
    if (room) out.append(to);
  });
  return room;
}

nb::object PyFilter::contains_many(nb::handle keys, std::string_view form, const char* nulls, nb::handle progress) {
  refuse_closed();
  Answers answers(answer_form_from_name(form));
  const std::unique_ptr<Source> source = open_source(keys, hasher_, nulls, progress);
  while (const Column* column = source->next()) {
    bool malformed = false, room = false;
    {
      const Reading reading(guard);
      room = without_gil([&] { return ask_column(*column, answers, malformed); });
    }
    if (malformed) raise_malformed();
    if (!room) raise_code(ErrorCode::out_of_memory, "no memory for the answers");
  }
  return std::move(answers).to_numpy();
}

Status PyFilter::add_column(AnyFilter& filter, const Column& column, unsigned threads, bool& malformed, bool& did) {
  if (const auto integers = column.integers(); !integers.empty() && !column.has_nulls())
    return threads == 1 ? filter.add_many(integers) : filter.add_many(integers, threads);
  if (threads != 1) {
    std::vector<Hash> hashes;
    try {
      hashes.reserve(column.size());
    } catch (const std::bad_alloc&) {
      return no_memory();
    }
    malformed = !gather(column, hasher_, hashes);
    did = !malformed && !hashes.empty();
    return malformed ? Status() : filter.add_many(hashes, threads);
  }
  did = false;
  Status status;
  std::array<Hash, Column::kGroup> kept;
  malformed = !column.for_groups(hasher_, [&](std::size_t first, std::span<const Hash> hashes) {
    const std::span<const Hash> keys = without_nulls(column, first, hashes, kept);
    did = did || !keys.empty();
    if (status.ok()) status = filter.add_many(keys);
  });
  return status;
}

void PyFilter::update(nb::handle keys, unsigned threads, const char* nulls, nb::handle progress) {
  refuse_closed();
  const std::unique_ptr<Source> source = open_source(keys, hasher_, nulls, progress);
  while (const Column* column = source->next()) {
    bool malformed = false;
    change([&](AnyFilter& filter, bool& did) { return add_column(filter, *column, threads, malformed, did); });
    if (malformed) raise_malformed();
  }
}

std::uint64_t PyFilter::remove_many(nb::handle keys, const char* nulls, nb::handle progress) {
  refuse_closed();
  const std::unique_ptr<Source> source = open_source(keys, hasher_, nulls, progress);
  std::uint64_t removed = 0;
  while (const Column* column = source->next()) {
    bool malformed = false;
    change([&](AnyFilter& filter, bool& did) {
      const std::uint64_t before = removed;
      Status status;
      malformed = !column->for_groups(hasher_, [&](std::size_t first, std::span<const Hash> hashes) {
        for (std::size_t i = 0; i < hashes.size() && status.ok(); ++i) {
          if (column->is_null(first + i)) continue;
          const Result<bool> result = filter.remove(hashes[i]);
          if (result.ok()) removed += *result ? 1 : 0;
          else status = result.status();
        }
      });
      did = removed != before;
      return status;
    });
    if (malformed) raise_malformed();
  }
  return removed;
}

void PyFilter::clear() {
  change([](AnyFilter& filter, bool&) { return filter.clear(); });
}

PyFilter* PyFilter::copy() {
  std::unique_ptr<PyFilter> copied;
  const Status status = [&]() -> Status {
    const Reading reading(guard);
    const std::optional<std::uint64_t> count = key_count();
    Result<AnyFilter> own = without_gil([&]() -> Result<AnyFilter> {
      BLOOMERY_TRY(check_sound());
      return AnyFilter::copy_of(view_, count);
    });
    BLOOMERY_TRY(own);
    copied = std::make_unique<PyFilter>(*std::move(own), envelope_);
    copied->as_written_ = as_written_;
    return {};
  }();
  check(status);
  return copied.release();
}

template <class Combine>
void PyFilter::combine(PyFilter& other, Combine combine) {
  std::unique_ptr<PyFilter> copied;
  if (&other == this || !std::holds_alternative<AnyFilter>(other.state_)) copied.reset(other.copy());
  const Status status = [&] {
    if (copied) {
      const Writing writing(guard);
      return combine_held(*copied, combine);
    }
    const Both both(guard, other.guard);
    return combine_held(other, combine);
  }();
  check(status);
}

template <class Combine>
Status PyFilter::combine_held(const PyFilter& other, Combine combine) {
  Result<Records> records = Records::merged(envelope_.records, other.envelope_.records.after_change());
  BLOOMERY_TRY(records);
  const Result<AnyFilter*> filter = to_change();
  BLOOMERY_TRY(filter);
  Status status = without_gil([&] { return combine(**filter, std::get<AnyFilter>(other.state_)); });
  changed(status, true);
  if (status.ok()) envelope_.records = *std::move(records);
  return status;
}

void PyFilter::merge(PyFilter& other) {
  combine(other, [](AnyFilter& filter, const AnyFilter& with) { return filter.merge(with); });
}

void PyFilter::intersect(PyFilter& other) {
  combine(other, [](AnyFilter& filter, const AnyFilter& with) { return filter.intersect(with); });
}

bool PyFilter::equals(PyFilter& other) {
  if (this == &other) return true;
  const ReadingTwo reading(guard, other.guard);
  return without_gil([&] { return view_ == other.view_; });
}

void PyFilter::verify() {
  const Status status = [&]() -> Status {
    const Writing writing(guard);
    auto* file = std::get_if<UnverifiedFile>(&state_);
    if (file == nullptr) return {};
    Result<FilterFile> verified = without_gil([&] { return std::move(*file).verify(); });
    if (!verified.ok()) {
      let_go();
      return verified.error();
    }
    state_ = *std::move(verified);
    refresh();
    return {};
  }();
  check(status);
}

void PyFilter::close() {
  const Refusal why = guard.lock();
  if (why == Refusal::closed) return;  // by another thread too, which was here first
  if (why != Refusal::none) raise_refusal(why);
  let_go();
}

void PyFilter::let_go() {
  guard.close();
  look_at(BlockView());
  state_ = std::monostate();
}

PyFilter* build_filter(nb::handle keys, const Creation& creation, unsigned threads, const char* nulls,
                       nb::handle progress) {
  const Hasher hasher = creation.options.hasher.value_or(default_hasher(creation.kind));
  const std::unique_ptr<Source> source = open_source(keys, hasher, nulls, progress);
  const auto build = [&](const auto& range) {
    return new PyFilter(checked(
        without_gil([&] { return AnyFilter::build(creation.kind, range, creation.size, creation.options, threads); })));
  };
  std::vector<Hash> hashes;
  while (const Column* column = source->next()) {
    if (const auto integers = column->integers();
        source->expected() == integers.size() && !integers.empty() && !column->has_nulls()) {
      std::unique_ptr<PyFilter> built(build(integers));
      source->next();  // there are no more: the bar learns of the end
      return built.release();
    }
    if (hashes.empty()) hashes.reserve(source->expected() < (std::size_t{1} << 27) ? source->expected() : 0);
    if (!without_gil([&] { return gather(*column, hasher, hashes); })) raise_malformed();
  }
  return build(hashes);
}

}  // namespace bloomery::python
