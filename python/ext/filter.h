// The class Filter of Python: a filter of any kind, which owns its memory or looks at a file.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "bloomery/bloomery.h"
#include "column.h"
#include "guard.h"
#include "key.h"

namespace bloomery::python {

// What a filter is created with, as Python says it.
struct Creation {
  Kind kind = Kind::block;
  SizeSpec size;
  FilterOptions options;
};

// Safe from any thread of Python: `guard` orders those that read and those that change. Not copied and not moved.
class PyFilter {
 public:
  // `envelope` says how the file was written that the filter was read from.
  explicit PyFilter(AnyFilter filter, std::optional<EnvelopeOptions> envelope = {});
  explicit PyFilter(FilterFile file);
  explicit PyFilter(UnverifiedFile file);

  // One key, with the GIL.
  bool contains(PyObject* key) {
    KeyType type{};
    const Hash hash = hash_object(hasher_, key, type);
    if (!guard.may_read_now()) return contains_waiting(hash);
    return block_ != nullptr ? block_->contains(hash) : view_.contains(hash);
  }
  void add(nb::handle key);
  bool remove(nb::handle key);

  // Many keys; the GIL is released while they are hashed, looked up or added.
  nb::object contains_many(nb::handle keys, std::string_view answers, const char* nulls, nb::handle progress);
  void update(nb::handle keys, unsigned threads, const char* nulls, nb::handle progress);
  std::uint64_t remove_many(nb::handle keys, const char* nulls, nb::handle progress);

  void merge(PyFilter& other);
  void intersect(PyFilter& other);
  PyFilter* copy();
  bool equals(PyFilter& other);
  void clear();
  void verify();
  void close();

  // Call these while the guard is held, or with the GIL where guard.may_read_now().
  const AnyView& view() const { return view_; }
  std::optional<std::uint64_t> key_count() const;
  bool is_mapped() const { return mapped_; }
  bool is_verified() const { return !std::holds_alternative<UnverifiedFile>(state_); }
  // Refuses a mapped file that is damaged, before its bytes get a checksum of their own. Reads all of one that was not
  // verified, so call it without the GIL.
  Status check_sound() const {
    const auto* const file = std::get_if<UnverifiedFile>(&state_);
    return file == nullptr ? Status() : file->verify_all();
  }
  // How the file is to be written again: with the records that are still true.
  const EnvelopeOptions& envelope() const { return envelope_; }

  Guard guard;

 private:
  bool contains_waiting(Hash hash);
  // Refuses a closed filter before any key is looked at, so that no keys are no exception.
  void refuse_closed() const {
    if (guard.closed()) raise_refusal(Refusal::closed);
  }
  // The filter to be changed. Copies what was opened, and refuses what is mapped. The guard is held.
  Result<AnyFilter*> to_change();
  // Ends a change: looks at the filter again, and drops the records that are true of the old payload alone, unless it
  // was refused or did nothing.
  void changed(const Status& status, bool did);
  // Holds the guard, calls change(filter, did) without the GIL, and raises its error when the guard is free again. It
  // sets `did` to false when it left the filter as it was.
  template <class Change>
  void change(Change change);
  template <class Combine>
  void combine(PyFilter& other, Combine combine);
  template <class Combine>
  Status combine_held(const PyFilter& other, Combine combine);
  // Closes the filter and gives its memory back. The guard is locked, and stays closed.
  void let_go();
  // Looks at the filter again, after a change that may have moved its memory.
  void refresh();
  void look_at(const AnyView& view);
  Status add_column(AnyFilter& filter, const Column& column, unsigned threads, bool& malformed, bool& did);
  bool ask_column(const Column& column, class Answers& out, bool& malformed) const;

  std::variant<std::monostate, AnyFilter, FilterFile, UnverifiedFile> state_;
  AnyView view_;
  const BlockView* block_ = nullptr;  // of view_, when it is of that kind: the default is asked without a dispatch
  Hasher hasher_;
  bool mapped_ = false;
  EnvelopeOptions envelope_;
  bool as_written_ = false;  // the payload is still that of the file
};

// Filter.build: gathers hashes of the keys, or takes 64-bit integers as they are, and builds without the GIL.
PyFilter* build_filter(nb::handle keys, const Creation& creation, unsigned threads, const char* nulls,
                       nb::handle progress);

}  // namespace bloomery::python
