// Errors are values: every function of the library that can fail returns a Result<T>, which holds either a T or an
// Error. Nothing is thrown and nothing is printed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>
#include <variant>

#include "bloomery/export.h"

namespace bloomery {

enum class ErrorCode : std::uint8_t {
  invalid_argument,  // the caller asked for something that cannot be: n = 0, fpr = 2, k = 31
  out_of_memory,     // the memory could not be had; nothing was changed
  io,                // the operating system refused: missing file, full disk, no permission
  corrupt,           // the bytes are no filter, or a damaged one
  unsupported,       // a valid request that this kind, version or build cannot serve
  mismatch,          // two filters whose geometry or hash differ
  wrong_secret,      // a keyed filter, opened without its secret or with another one
  full,              // the filter has no room for this key; nothing was changed
};

BLOOMERY_API const char* to_string(ErrorCode code) noexcept;

struct Error {
  ErrorCode code = ErrorCode::invalid_argument;
  std::string message;  // what is wrong and how to fix it; a sentence without a full stop
  std::string file;     // the file concerned, or empty
  std::string field;    // the field or argument concerned, or empty

  // "FILE: message", or the message alone when no file is concerned.
  BLOOMERY_API std::string to_string() const;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  // The value; calling these on an error ends the program, so ask ok() first.
  T& value() & { return *checked(this); }
  const T& value() const& { return *checked(this); }
  T&& value() && { return std::move(*checked(this)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return checked(this); }
  const T* operator->() const { return checked(this); }

  // The error; only when !ok().
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  template <class Self>
  static auto* checked(Self* self) {
    auto* value = std::get_if<0>(&self->state_);
    if (value == nullptr) std::abort();
    return value;
  }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace bloomery
