// Short ways to make an Error, and the guard that turns std::bad_alloc into one at the public doors.
#pragma once

#include <new>
#include <string>
#include <utility>

#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

inline Error invalid_argument(std::string field, std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), {}, std::move(field)};
}

inline Error corrupt(std::string field, std::string message) {
  return {ErrorCode::corrupt, std::move(message), {}, std::move(field)};
}

inline Error unsupported(std::string field, std::string message) {
  return {ErrorCode::unsupported, std::move(message), {}, std::move(field)};
}

inline Error mismatch(std::string field, std::string message) {
  return {ErrorCode::mismatch, std::move(message), {}, std::move(field)};
}

// The message is short enough for the small-string buffer: making it cannot allocate.
inline Error out_of_memory() { return {ErrorCode::out_of_memory, "out of memory", {}, {}}; }

// Returns the error with the file that it concerns.
inline Error in_file(Error error, const std::string& file) {
  error.file = file;
  return error;
}

// Runs a function that returns a Result<T>; an allocation failure inside becomes an error.
template <class Function>
auto guarded(Function&& function) noexcept -> decltype(function()) {
  try {
    return std::forward<Function>(function)();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

}  // namespace BLOOMERY_NAMESPACE
