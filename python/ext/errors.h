// Errors of the library as exceptions of Python. The classes themselves are those of bloomery/_errors.py.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <string>
#include <utility>

#include "bloomery/result.h"

namespace bloomery::python {

namespace nb = nanobind;

// Raises the exception that belongs to the error's code. Call it with the GIL.
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

// Returns call(), which may wait for the GIL. An interpreter that ends before the thread has it, which CPython before
// 3.14 tells a daemon thread by pthread_exit, has the thread wait for the end of the process instead: its stack cannot
// be unwound, because objects of Python on it could not be released.
template <class Call>
auto staying(Call call) noexcept(noexcept(call())) {
  try {
    return call();
  } catch (abi::__forced_unwind&) {
    while (true) ::pause();
  }
}

// Has the GIL released while it lives.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    staying([&] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

// Does the work without the GIL and returns what it returns. It must not touch objects of Python, nor throw.
template <class Work>
auto without_gil(Work work) {
  const WithoutGil released;
  return work();
}

// The class of all exceptions above.
nb::object bloomery_error();
// Raises OutOfMemoryError for what throws std::bad_alloc, here and in nanobind. Called once, by the module.
void translate_bad_alloc();

// str(object) for messages; what UTF-8 cannot hold is escaped.
std::string printable(nb::handle object);
// The name of the type of an object, for messages.
std::string name_of_type(nb::handle object);

}  // namespace bloomery::python
