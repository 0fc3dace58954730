// Keys by the Arrow PyCapsule interface: arrays and streams of pyarrow, polars, pandas, DuckDB and others.
#include <string>

#include "arrow_abi.h"
#include "arrow_column.h"
#include "column.h"
#include "errors.h"

namespace bloomery::python {
namespace {

// The struct in a capsule of that name.
template <class Struct>
Struct& in_capsule(nb::handle capsule, const char* name) {
  void* pointer = PyCapsule_CheckExact(capsule.ptr()) ? PyCapsule_GetPointer(capsule.ptr(), name) : nullptr;
  if (pointer == nullptr) {
    PyErr_Clear();
    raise_key_type(std::string("the object says that it speaks Arrow, but gives no capsule '") + name + "'");
  }
  auto& found = *static_cast<Struct*>(pointer);
  if (found.release == nullptr)
    raise_code(ErrorCode::corrupt, std::string("the capsule '") + name + "' was used before");
  return found;
}

// Refuses a column with nulls, unless they are to be skipped.
void check_nulls(const Column& column, std::size_t before, Nulls nulls) {
  if (nulls == Nulls::skip || !column.has_nulls()) return;
  std::size_t i = 0;
  while (!column.is_null(i)) ++i;
  raise_key_type("keys[" + std::to_string(before + i) + "] is null: nulls='skip' passes over such");
}

class ArraySource : public Source {
 public:
  ArraySource(nb::handle schema, nb::handle array, const Hasher& hasher, Nulls nulls) {
    schema_.take(in_capsule<ArrowSchema>(schema, "arrow_schema"));
    array_.take(in_capsule<ArrowArray>(array, "arrow_array"));
    column_ = arrow_column(*schema_, *array_, hasher);
    check_nulls(*column_, 0, nulls);
  }
  const Column* next() override { return std::exchange(given_, true) ? nullptr : column_.get(); }
  std::size_t expected() const override { return column_->size(); }

 private:
  ArrowOwned<ArrowSchema> schema_;
  ArrowOwned<ArrowArray> array_;
  std::unique_ptr<Column> column_;
  bool given_ = false;
};

class StreamSource : public Source {
 public:
  StreamSource(nb::handle stream, const Hasher& hasher, Nulls nulls) : hasher_(hasher), nulls_(nulls) {
    stream_.take(in_capsule<ArrowArrayStream>(stream, "arrow_array_stream"));
    const int failed = without_gil([&] { return stream_->get_schema(&*stream_, &*schema_); });
    if (failed != 0) fail(failed);
  }
  const Column* next() override {
    column_.reset();
    array_.release();
    // The producer may compute, on threads that need the GIL.
    const int failed = without_gil([&] { return stream_->get_next(&*stream_, &*array_); });
    if (failed != 0) fail(failed);
    if (array_->release == nullptr) return nullptr;
    column_ = arrow_column(*schema_, *array_, hasher_);
    check_nulls(*column_, before_, nulls_);
    before_ += column_->size();
    return column_.get();
  }

 private:
  [[noreturn]] void fail(int code) {
    const char* why = stream_->get_last_error(&*stream_);
    raise_code(ErrorCode::io,
               std::string("the Arrow stream failed: ") + (why != nullptr ? why : "error " + std::to_string(code)));
  }

  ArrowOwned<ArrowArrayStream> stream_;
  ArrowOwned<ArrowSchema> schema_;
  ArrowOwned<ArrowArray> array_;
  std::unique_ptr<Column> column_;
  Hasher hasher_;
  Nulls nulls_;
  std::size_t before_ = 0;
};

// What the method of that name returns; nothing when the object lacks it, or a package that it needs.
nb::object ask(nb::handle keys, const char* method) {
  if (!nb::hasattr(keys, method)) return {};
  try {
    return keys.attr(method)();
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_ImportError)) throw;  // pandas without pyarrow: its arrays serve as well
    return {};
  }
}

bool is_object(nb::handle dtype) { return printable(dtype) == "Object"; }

// Refuses objects of Python in polars: Arrow gets their addresses, as if these were bytes.
void refuse_objects_of_polars(nb::handle keys) {
  if (nb::hasattr(keys, "to_arrow") && is_object(nb::getattr(keys, "dtype", nb::none())))
    raise_key_type("a Series of objects has no type of key: keys.to_list(), or another dtype, says which");
  const nb::object schema = nb::getattr(keys, "schema", nb::none());
  if (!nb::hasattr(keys, "to_arrow") || !nb::hasattr(schema, "values")) return;
  for (nb::handle dtype : schema.attr("values")())
    if (is_object(dtype)) raise_key_type("a column of objects has no type of key: another dtype says which");
}

}  // namespace

std::unique_ptr<Source> open_arrow(nb::handle keys, const Hasher& hasher, Nulls nulls) {
  if (PyType_Check(keys.ptr())) return nullptr;
  if (nb::hasattr(keys, "__arrow_c_stream__")) refuse_objects_of_polars(keys);
  if (const nb::object pair = ask(keys, "__arrow_c_array__"); pair.is_valid()) {
    if (!nb::isinstance<nb::tuple>(pair) || nb::len(pair) != 2)
      raise_key_type("__arrow_c_array__ of " + name_of_type(keys) + " gives no pair of capsules");
    return std::make_unique<ArraySource>(pair[0], pair[1], hasher, nulls);
  }
  if (const nb::object stream = ask(keys, "__arrow_c_stream__"); stream.is_valid())
    return std::make_unique<StreamSource>(stream, hasher, nulls);
  return nullptr;
}

}  // namespace bloomery::python
