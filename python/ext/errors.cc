#include "errors.h"

#include <nanobind/stl/string.h>

namespace bloomery::python {
namespace {

const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return "InvalidArgumentError";
    case ErrorCode::out_of_memory: return "OutOfMemoryError";
    case ErrorCode::io: return "FileError";
    case ErrorCode::corrupt: return "CorruptError";
    case ErrorCode::unsupported: return "UnsupportedError";
    case ErrorCode::mismatch: return "MismatchError";
    case ErrorCode::wrong_secret: return "WrongSecretError";
    case ErrorCode::full: return "FullError";
  }
  return "BloomeryError";
}

// A str, also of bytes that are no UTF-8: names of files may be any.
nb::object text(const std::string& bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "backslashreplace"));
}

[[noreturn]] void raise_class(const char* name, const std::string& message) {
  const nb::object type = nb::module_::import_("bloomery._errors").attr(name);
  PyErr_SetObject(type.ptr(), text(message).ptr());
  throw nb::python_error();
}

}  // namespace

void raise_error(const Error& error) {
  if (error.code != ErrorCode::io) raise_class(class_of(error.code), error.to_string());
  const nb::object made =
      nb::module_::import_("bloomery._errors").attr("file_error")(text(error.to_string()), text(error.file));
  PyErr_SetObject(made.type().ptr(), made.ptr());
  throw nb::python_error();
}
void raise_code(ErrorCode code, const std::string& message) { raise_class(class_of(code), message); }
void raise_key_type(const std::string& message) { raise_class("KeyTypeError", message); }
void raise_invalid(const std::string& message) { raise_class("InvalidArgumentError", message); }

nb::object bloomery_error() { return nb::module_::import_("bloomery._errors").attr("BloomeryError"); }

void translate_bad_alloc() {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      try {
        raise_code(ErrorCode::out_of_memory, "no memory for what the call needs");
      } catch (nb::python_error& error) {
        error.restore();
      }
    }
  });
}

std::string printable(nb::handle object) {
  const nb::object bytes = nb::steal(PyUnicode_AsEncodedString(nb::str(object).ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return {PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))};
}

std::string name_of_type(nb::handle object) { return printable(object.type().attr("__name__")); }

}  // namespace bloomery::python
