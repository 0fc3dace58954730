// Keys in buffers (NumPy arrays, memoryviews, array.array) and in iterables.
#include <nanobind/stl/string.h>
#include <optional>
#include <string>
#include <vector>

#include "column.h"
#include "errors.h"
#include "filter.h"
#include "integers.h"
#include "key.h"
#include "text.h"

namespace bloomery::python {
namespace {

// A buffer of some object, given back when this goes.
class Buffer {
 public:
  // False, with the exception of Python cleared, when the object refuses. A memoryview that does was released: it is
  // nothing else instead, and its exception is passed on, as are those that end programs.
  bool take(PyObject* object) {
    taken_ = PyObject_GetBuffer(object, &view_, PyBUF_FULL_RO) == 0;
    if (!taken_ && (PyMemoryView_Check(object) || !PyErr_ExceptionMatches(PyExc_Exception))) throw nb::python_error();
    if (!taken_) PyErr_Clear();
    return taken_;
  }
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() {
    if (taken_) PyBuffer_Release(&view_);
  }
  const Py_buffer& view() const { return view_; }

 private:
  Py_buffer view_ = {};
  bool taken_ = false;
};

// The column of a buffer by its format, which is that of the module struct: "q" is int64, "5s" five bytes.
std::unique_ptr<Column> column_of(const Py_buffer& view, const std::string& type) {
  if (view.ndim != 1)
    raise_invalid("keys have " + std::to_string(view.ndim) + " dimensions and must have one: keys.ravel() has");
  std::string format = view.format == nullptr ? "B" : view.format;
  if (format.find_first_of("><!=@") == 0) {
    if ((format[0] == '>' || format[0] == '!') && view.itemsize > 1)
      raise_key_type("the integers are big-endian: keys.astype(keys.dtype.newbyteorder('=')) turns them round");
    format.erase(0, 1);
  }
  const auto count = static_cast<std::size_t>(view.shape[0]);
  const auto width = static_cast<std::size_t>(view.itemsize);
  const std::ptrdiff_t stride = view.strides == nullptr ? view.itemsize : view.strides[0];
  if (view.suboffsets != nullptr && view.suboffsets[0] >= 0)
    raise_invalid("keys lie behind pointers (suboffsets), which no array of NumPy has");
  if (format.size() == 1 && std::string("bhilqn").find(format[0]) != std::string::npos)
    return integer_column(view.buf, count, stride, width, true);
  if (format.size() == 1 && std::string("BHILQN").find(format[0]) != std::string::npos)
    return integer_column(view.buf, count, stride, width, false);
  if (format.back() == 's' && format.find_first_not_of("0123456789") == format.size() - 1)
    return std::make_unique<FixedBytesColumn>(view.buf, count, stride, width, true);
  if (format == "O") raise_key_type("an array of objects has no type of key: keys.tolist(), or a dtype, says which");
  raise_key_type("keys of " + type + " with the format '" + format +
                 "' are no integers, bytes or text, and other arrays are no keys");
}

class BufferSource : public Source {
 public:
  bool open(nb::handle keys) {
    if (!buffer_.take(keys.ptr())) return false;
    column_ = column_of(buffer_.view(), name_of_type(keys));
    return true;
  }
  const Column* next() override { return std::exchange(given_, true) ? nullptr : column_.get(); }
  std::size_t expected() const override { return column_->size(); }

 private:
  Buffer buffer_;
  std::unique_ptr<Column> column_;
  bool given_ = false;
};

// Keys of an iterable, hashed as they come.
class HashedColumn : public Column {
 public:
  HashedColumn() : Column(0) {}
  void clear() {
    hashes_.clear();
    null_.clear();
    count_ = 0;
    any_null_ = false;
  }
  void add(Hash hash, bool null) {
    hashes_.push_back(hash);
    null_.push_back(null);
    any_null_ |= null;
    ++count_;
  }
  bool hash(const Hasher&, std::size_t first, std::span<Hash> out) const noexcept override {
    std::copy_n(hashes_.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
    return true;
  }
  bool has_nulls() const noexcept override { return any_null_; }
  bool is_null(std::size_t i) const noexcept override { return null_[i]; }

 private:
  std::vector<Hash> hashes_;
  std::vector<bool> null_;
  bool any_null_ = false;
};

class IterableSource : public Source {
 public:
  // `first` is the position that messages give the first key.
  IterableSource(nb::object iterator, std::size_t expected, const Hasher& hasher, Nulls nulls, std::size_t first = 0)
      : iterator_(std::move(iterator)), expected_(expected), hasher_(hasher), nulls_(nulls), position_(first) {}

  const Column* next() override {
    column_.clear();
    if (PyErr_CheckSignals() != 0) throw nb::python_error();  // a list of any length can be interrupted
    while (column_.size() < kChunk) {
      const nb::object key = nb::steal(PyIter_Next(iterator_.ptr()));
      if (!key.is_valid()) {
        if (PyErr_Occurred() != nullptr) throw nb::python_error();
        break;
      }
      take(key.ptr());
      ++position_;
    }
    return column_.size() == 0 ? nullptr : &column_;
  }
  std::size_t expected() const override { return expected_; }

 private:
  static constexpr std::size_t kChunk = 8192;

  void take(PyObject* key) {
    if (key == Py_None) {
      if (nulls_ == Nulls::refuse)
        raise_key_type("keys[" + std::to_string(position_) + "] is None: nulls='skip' passes over such");
      return column_.add(Hash(), true);
    }
    KeyType type{};
    try {
      column_.add(hash_object(hasher_, key, type), false);
    } catch (nb::python_error& error) {
      if (!error.matches(bloomery_error())) throw;  // of an __index__ of the user's
      add_position(error);
    }
    if (!type_) type_ = type;
    if (type != *type_)
      raise_key_type("keys[" + std::to_string(position_) + "] is a " + name_of_type(key) +
                     ", and those before it are " + to_string(*type_) + ": one call takes one type of key");
  }
  // Raises the error again, with the position of the key before its message.
  [[noreturn]] void add_position(nb::python_error& error) const {
    const nb::object message = nb::str("keys[{}]: {}").attr("format")(position_, nb::str(error.value()));
    PyErr_SetObject(error.type().ptr(), message.ptr());
    throw nb::python_error();
  }

  nb::object iterator_;
  std::size_t expected_;
  Hasher hasher_;
  Nulls nulls_;
  HashedColumn column_;
  std::optional<KeyType> type_;
  std::size_t position_;
};

// An array whose elements are objects only when they are asked for: NumPy's StringDType and its text of fixed width.
class TextArraySource : public Source {
 public:
  TextArraySource(nb::handle array, const Hasher& hasher, Nulls nulls)
      : array_(nb::borrow(array)), count_(nb::len(array)), hasher_(hasher), nulls_(nulls) {}

  const Column* next() override {
    if (first_ >= count_) return nullptr;
    const nb::object part =
        array_[nb::slice(static_cast<Py_ssize_t>(first_), static_cast<Py_ssize_t>(first_ + kChunk))];
    const nb::object list = part.attr("tolist")();
    part_ = std::make_unique<IterableSource>(nb::iter(list), kChunk, hasher_, nulls_, first_);
    first_ += kChunk;
    return part_->next();
  }
  std::size_t expected() const override { return count_; }

 private:
  static constexpr std::size_t kChunk = 8192;

  nb::object array_;
  std::size_t count_, first_ = 0;
  Hasher hasher_;
  Nulls nulls_;
  std::unique_ptr<IterableSource> part_;
};

}  // namespace

Nulls nulls_from_name(const char* name) {
  if (std::string_view(name) == "refuse") return Nulls::refuse;
  if (std::string_view(name) == "skip") return Nulls::skip;
  raise_invalid("nulls is '" + std::string(name) + "' and must be 'refuse' or 'skip'");
}

std::unique_ptr<Source> open_buffer(nb::handle keys) {
  if (!PyObject_CheckBuffer(keys.ptr())) return nullptr;
  auto source = std::make_unique<BufferSource>();
  return source->open(keys) ? std::move(source) : nullptr;
}

std::unique_ptr<Source> open_array_of_text(nb::handle keys, const Hasher& hasher, Nulls nulls) {
  const nb::object dtype = nb::getattr(keys, "dtype", nb::none());
  const nb::object kind = nb::getattr(dtype, "kind", nb::none());
  if (!nb::isinstance<nb::str>(kind) || !nb::hasattr(keys, "ndim")) return nullptr;
  if (!kind.equal(nb::str("U")) && !kind.equal(nb::str("T"))) return nullptr;
  if (!keys.attr("ndim").equal(nb::int_(1))) raise_invalid("keys must have one dimension: keys.ravel() has");
  return std::make_unique<TextArraySource>(keys, hasher, nulls);
}

std::unique_ptr<Source> open_iterable(nb::handle keys, const Hasher& hasher, Nulls nulls) {
  nb::object iterator = nb::steal(PyObject_GetIter(keys.ptr()));
  if (!iterator.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
    PyErr_Clear();
    return nullptr;
  }
  const Py_ssize_t expected = PyObject_LengthHint(keys.ptr(), 0);
  if (expected < 0) throw nb::python_error();
  return std::make_unique<IterableSource>(std::move(iterator), static_cast<std::size_t>(expected), hasher, nulls);
}

namespace {

// Raises KeyTypeError for an array, which is none of keys.
void refuse_array(nb::handle keys) {
  if (auto dtype = nb::getattr(keys, "dtype", nb::none()); !dtype.is_none() && nb::hasattr(keys, "ndim"))
    raise_key_type("an array of " + printable(dtype) + " holds no integers, bytes or text");
}

// Whether it is a masked array of NumPy with keys that are masked: its buffer has something in their places.
bool hides_keys(nb::handle keys) {
  const nb::object mask = nb::getattr(keys, "mask", nb::none());
  return nb::hasattr(keys, "filled") && nb::hasattr(mask, "any") && nb::bool_(mask.attr("any")()).ptr() == Py_True;
}

}  // namespace

std::unique_ptr<Source> open_source(nb::handle keys, const Hasher& hasher, Nulls nulls) {
  if (nb::isinstance<PyFilter>(keys))
    raise_key_type("keys is a filter, which does not hold its keys: | unites filters");
  if (is_one_key(keys))
    raise_key_type("keys is a " + name_of_type(keys) +
                   ", which is one key: give a list of it, or call the method for one");
  if (hides_keys(keys)) return open_source(keys.attr("tolist")(), hasher, nulls);  // which has None there
  if (auto source = open_arrow(keys, hasher, nulls)) return source;
  if (auto source = open_array_of_text(keys, hasher, nulls)) return source;
  if (auto source = open_buffer(keys)) return source;
  if (nb::hasattr(keys, "__array__") && !nb::hasattr(keys, "__array_struct__")) {  // pandas without pyarrow
    if (const nb::object array = keys.attr("__array__")(); nb::hasattr(array, "__array_struct__")) {
      if (auto source = open_array_of_text(array, hasher, nulls)) return source;
      if (auto source = open_buffer(array)) return source;
      refuse_array(array);
    }
  }
  refuse_array(keys);
  if (nb::hasattr(keys, "collect"))
    raise_key_type("keys is a " + name_of_type(keys) + ", which has no rows yet: collect() gives them");
  if (auto source = open_iterable(keys, hasher, nulls)) return source;
  raise_key_type("keys is a " + name_of_type(keys) + ": give an array of NumPy, something of Arrow, or any iterable");
}

}  // namespace bloomery::python
