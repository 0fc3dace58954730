#include "errors.h"

#include <nanobind/stl/string.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>

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

// The namespace of bloomery/_errors.py. It is kept for good: a module is emptied before the last filter has ended.
PyObject* classes = nullptr;

nb::handle class_named(const char* name) { return PyDict_GetItemString(classes, name); }

[[noreturn]] void raise_class(const char* name, const std::string& message) {
  PyErr_SetObject(class_named(name).ptr(), text(message).ptr());
  throw nb::python_error();
}

// The number of the system's error that a message names: strerror made its words, which stand at the end or before
// advice. 0: it names none.
int number_in(const std::string& message) {
  constexpr int kMost = 200;  // Linux has 133
  for (int number = 1; number < kMost; ++number) {
    const std::string words = std::string(": ") + std::strerror(number);
    const std::size_t begin = message.rfind(words);
    if (begin == std::string::npos) continue;
    const std::size_t end = begin + words.size();
    if (end == message.size() || message.compare(end, 2, "; ") == 0) return number;
  }
  return 0;
}

}  // namespace

void raise_error(const Error& error) {
  if (error.code != ErrorCode::io) raise_class(class_of(error.code), error.to_string());
  const int number = number_in(error.message);
  const nb::object made = class_named(number == ENOENT ? "MissingFileError" : "FileError")(text(error.to_string()));
  if (number != 0) made.attr("errno") = number;
  if (!error.file.empty()) {
    const auto size = static_cast<Py_ssize_t>(error.file.size());
    const nb::object name = nb::steal(PyUnicode_DecodeFSDefaultAndSize(error.file.data(), size));
    if (!name.is_valid()) throw nb::python_error();
    made.attr("filename") = name;
  }
  PyErr_SetObject(made.type().ptr(), made.ptr());
  throw nb::python_error();
}
void raise_code(ErrorCode code, const std::string& message) { raise_class(class_of(code), message); }
void raise_key_type(const std::string& message) { raise_class("KeyTypeError", message); }
void raise_invalid(const std::string& message) { raise_class("InvalidArgumentError", message); }

nb::handle bloomery_error() { return class_named("BloomeryError"); }

void prepare_errors() {
  classes = PyDict_Copy(nb::module_::import_("bloomery._errors").attr("__dict__").ptr());
  if (classes == nullptr) throw nb::python_error();
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    const auto raise = [] {
      try {
        raise_code(ErrorCode::out_of_memory, "no memory for what the call needs");
      } catch (nb::python_error& error) {
        error.restore();
      }
    };
    try {
      std::rethrow_exception(thrown);
    } catch (const std::bad_alloc&) {
      raise();
    } catch (const std::length_error&) {
      raise();
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
