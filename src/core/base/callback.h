// Calls of functions that a user handed in. They may throw, where the library does not: what they throw becomes an
// Error at the call.
#pragma once

#include <exception>
#include <string>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {

// The error for the exception that is being handled; only in a catch block. `field` is the argument that the callback
// came by, `callback` says what it is: "the sink". std::bad_alloc is out_of_memory, as everywhere.
inline Error error_of_callback(const char* field, const char* callback) {
  const auto error = [&](const char* what) {
    return invalid_argument(field, std::string(callback) + " threw an exception: " + what);
  };
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& thrown) {
    return error(thrown.what());
  } catch (...) {
    return error("it is no std::exception, and says nothing of itself");
  }
}

// Runs a function that calls a callback and returns a Result<T>.
template <class Function>
auto call_user(const char* field, const char* callback, const Function& function) -> decltype(function()) {
  try {
    return function();
  } catch (...) {
    return error_of_callback(field, callback);
  }
}

}  // namespace BLOOMERY_NAMESPACE
