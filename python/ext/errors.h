// Errors of the library as exceptions of Python. The classes themselves are those of bloomery/_errors.py.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <utility>

#include "bloomery/result.h"

namespace bloomery::python {

namespace nb = nanobind;

// What raises below is called with the GIL, and while no guard is held (guard.h).

// Raises the exception that belongs to the error's code.
[[noreturn]] void raise_error(const Error& error);
// Raises KeyTypeError, which is a TypeError: what was given is no key, or no keys.
[[noreturn]] void raise_key_type(const std::string& message);
// Raises an error with code invalid_argument.
[[noreturn]] void raise_invalid(const std::string& message);
// Raises the error of any other code with that message.
[[noreturn]] void raise_code(ErrorCode code, const std::string& message);

inline void check(const Status& status) {
  if (!status.ok()) raise_error(status.error());
}
template <class T>
T checked(Result<T> result) {
  if (!result.ok()) raise_error(result.error());
  return *std::move(result);
}

// Has the GIL released while it lives.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() { PyEval_RestoreThread(state_); }  // does not return when the interpreter ends (ending.cc)

 private:
  PyThreadState* state_;
};

// Does the work without the GIL and returns what it returns. It must not touch objects of Python.
template <class Work>
auto without_gil(Work work) {
  const WithoutGil released;
  return work();
}

// The class of all exceptions above.
nb::handle bloomery_error();
// Finds the classes, and has OutOfMemoryError raised for std::bad_alloc and for sizes that no memory has
// (std::length_error), here and in nanobind. Called once, by the module.
void prepare_errors();

// str(object) for messages; what UTF-8 cannot hold is escaped.
std::string printable(nb::handle object);
// The name of the type of an object, for messages.
std::string name_of_type(nb::handle object);

}  // namespace bloomery::python
