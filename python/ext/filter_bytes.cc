// Filters as files, bytes, pickles and buffers.
#include "filter_bytes.h"

#include <nanobind/stl/string.h>
#include <algorithm>
#include <memory>
#include <vector>

#include "errors.h"
#include "options.h"

namespace bloomery::python {
namespace {

OpenOptions open_options(nb::handle secret, bool parquet) {
  OpenOptions options;
  options.secret = secret_of(secret);
  options.parquet = parquet;
  return options;
}

// Bytes of Python, which the garbage collector does not look at: they may be made while a guard is held.
nb::bytes bytes_of(std::span<const std::uint8_t> bytes) { return nb::bytes(bytes.data(), bytes.size()); }

// Bytes that some object shows, side by side.
class ContiguousBytes {
 public:
  explicit ContiguousBytes(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) == 0) return;
    PyErr_Clear();
    raise_key_type("a filter is made of bytes that lie side by side, not of a " + name_of_type(object));
  }
  ContiguousBytes(const ContiguousBytes&) = delete;
  ContiguousBytes& operator=(const ContiguousBytes&) = delete;
  ~ContiguousBytes() { PyBuffer_Release(&view_); }
  std::span<const std::uint8_t> bytes() const {
    return {static_cast<const std::uint8_t*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_ = {};
};

PyFilter* decoded(std::span<const std::uint8_t> bytes, const OpenOptions& options) {
  struct Copied {
    AnyFilter filter;
    EnvelopeOptions envelope;
  };
  Copied copied = checked(without_gil([&]() -> Result<Copied> {
    const Result<Decoded> decoded = decode(bytes, options);
    BLOOMERY_TRY(decoded);
    Result<AnyFilter> filter = AnyFilter::copy_of(decoded->view, decoded->info.key_count);
    BLOOMERY_TRY(filter);
    return Copied{*std::move(filter), decoded->info.rewrite_options()};
  }));
  return new PyFilter(std::move(copied.filter), std::move(copied.envelope));
}

}  // namespace

PyFilter* open_filter(nb::handle path, nb::handle secret, bool parquet) {
  const std::string name = path_of(path);
  const OpenOptions options = open_options(secret, parquet);
  return new PyFilter(checked(without_gil([&] { return FilterFile::open(name, options); })));
}

PyFilter* map_filter(nb::handle path, bool verify, nb::handle secret, bool parquet) {
  const std::string name = path_of(path);
  const OpenOptions options = open_options(secret, parquet);
  auto own = std::make_unique<PyFilter>(checked(without_gil([&] { return UnverifiedFile::map(name, options); })));
  if (verify) own->verify();
  return own.release();
}

PyFilter* filter_from_bytes(nb::handle data, nb::handle secret, bool parquet) {
  const OpenOptions options = open_options(secret, parquet);
  const ContiguousBytes bytes(data);
  return decoded(bytes.bytes(), options);
}

void save_filter(PyFilter& filter, nb::handle path, nb::handle label, nb::handle keys, bool chunks,
                 std::string_view format_name) {
  const std::string name = path_of(path);
  const Format format = format_of(format_name);
  std::optional<std::string> new_label, new_keys;
  if (!label.is_none()) new_label = text_of(label, "label");
  if (!keys.is_none()) new_keys = text_of(keys, "keys");
  const Status status = [&] {
    const Reading reading(filter.guard);
    EnvelopeOptions options = filter.envelope();
    if (new_label) options.records.label = new_label;
    if (new_keys) options.records.keys = new_keys;
    options.chunks |= chunks;
    return without_gil([&]() -> Status {
      BLOOMERY_TRY(filter.check_sound());
      if (format != Format::envelope) return save(name, filter.view(), format);
      return save(name, filter.view(), filter.key_count(), options);
    });
  }();
  check(status);
}

nb::bytes filter_to_bytes(PyFilter& filter, std::string_view format_name) {
  const Format format = format_of(format_name);
  return bytes_of(checked([&] {
    const Reading reading(filter.guard);
    return without_gil([&]() -> Result<std::vector<std::uint8_t>> {
      BLOOMERY_TRY(filter.check_sound());
      if (format != Format::envelope) return encode(filter.view(), format);
      return encode(filter.view(), filter.key_count(), filter.envelope());
    });
  }()));
}

namespace {

// The bytes of the envelope before the payload, which are the first piece; the second one ends the writing. The guard
// is held.
Result<std::vector<std::uint8_t>> head_of(const PyFilter& filter) {
  std::vector<std::uint8_t> head;
  const Status status = without_gil([&]() -> Status {
    BLOOMERY_TRY(filter.check_sound());
    return encode(filter.view(), filter.key_count(), filter.envelope(), [&](std::span<const std::uint8_t> piece) {
      if (!head.empty()) return Status(Error{ErrorCode::io, "the head is all that is wanted", {}, "sink"});
      head.assign(piece.begin(), piece.end());
      return Status();
    });
  });
  if (head.empty()) BLOOMERY_TRY(status);
  return head;
}

}  // namespace

nb::bytes envelope_head(PyFilter& filter) {
  return bytes_of(checked([&] {
    const Reading reading(filter.guard);
    return head_of(filter);
  }()));
}

nb::tuple envelope_parts(PyFilter& filter) {
  nb::bytes payload;
  const auto head = checked([&] {
    const Reading reading(filter.guard);
    payload = bytes_of(filter.view().payload());
    return head_of(filter);
  }());
  return nb::make_tuple(bytes_of(head), payload);
}

nb::list pieces_along(PyFilter& filter, std::size_t columns, std::size_t most) {
  std::vector<nb::bytes> pieces;
  {
    const Reading reading(filter.guard);
    const std::span<const std::uint8_t> payload = filter.view().payload();
    const std::size_t count = std::min(columns, payload.size());
    pieces.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t begin = payload.size() / count * i + payload.size() % count * i / count;
      const std::size_t end = payload.size() / count * (i + 1) + payload.size() % count * (i + 1) / count;
      pieces.push_back(bytes_of(payload.subspan(begin, std::min(end - begin, most))));
    }
  }
  nb::list list;
  for (const nb::bytes& piece : pieces) list.append(piece);
  return list;
}

PyFilter* filter_from_parts(nb::handle head, nb::handle payload, nb::handle secret) {
  const OpenOptions options = open_options(secret, false);
  const ContiguousBytes first(head), second(payload);
  std::vector<std::uint8_t> whole;
  whole.reserve(first.bytes().size() + second.bytes().size());
  whole.insert(whole.end(), first.bytes().begin(), first.bytes().end());
  whole.insert(whole.end(), second.bytes().begin(), second.bytes().end());
  return decoded(whole, options);
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) noexcept {
  if (!nb::inst_ready(self)) {
    PyErr_SetString(PyExc_BufferError, "the filter was never created: __init__ did not run");
    return -1;
  }
  auto& filter = *nb::inst_ptr<PyFilter>(self);
  try {
    filter.guard.pin();
  } catch (nb::python_error& error) {
    error.restore();
    return -1;
  }
  const std::span<const std::uint8_t> bytes = filter.view().payload();
  if (PyBuffer_FillInfo(view, self, const_cast<std::uint8_t*>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()), 1,
                        flags) == 0)
    return 0;
  filter.guard.unpin();
  return -1;
}

void release_buffer(PyObject* self, Py_buffer*) noexcept { nb::inst_ptr<PyFilter>(self)->guard.unpin(); }

}  // namespace bloomery::python
