// Errors are values: every function of the library that can fail returns a Result<T>, which holds either a T or an
// Error. Nothing is thrown, and nothing is printed but the sentence that ends a program which asks a Result for what it
// does not hold.
#pragma once

#include <cstdint>
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

namespace detail {
// They print a sentence on standard error and end the program (abort). `error` is what the Result holds, if anything.
[[noreturn]] BLOOMERY_API void end_for_missing_value(const Error* error) noexcept;
[[noreturn]] BLOOMERY_API void end_for_missing_error() noexcept;
}  // namespace detail

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  // The value. On an error these print it and end the program, so ask ok() first.
  T& value() & noexcept { return *checked_value(this); }
  const T& value() const& noexcept { return *checked_value(this); }
  T&& value() && noexcept { return std::move(*checked_value(this)); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return checked_value(this); }
  const T* operator->() const noexcept { return checked_value(this); }

  // The error. On a success these end the program with a sentence, so ask ok() first.
  const Error& error() const& noexcept { return *checked_error(this); }
  Error&& error() && noexcept { return std::move(*checked_error(this)); }

 private:
  template <class Self>
  static auto* checked_value(Self* self) noexcept {
    auto* value = std::get_if<0>(&self->state_);
    if (value == nullptr) [[unlikely]]
      detail::end_for_missing_value(std::get_if<1>(&self->state_));
    return value;
  }
  template <class Self>
  static auto* checked_error(Self* self) noexcept {
    auto* error = std::get_if<1>(&self->state_);
    if (error == nullptr) [[unlikely]]
      detail::end_for_missing_error();
    return error;
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
  // As those of Result<T>.
  const Error& error() const& noexcept {
    if (ok_) [[unlikely]]
      detail::end_for_missing_error();
    return error_;
  }
  Error&& error() && noexcept {
    if (ok_) [[unlikely]]
      detail::end_for_missing_error();
    return std::move(error_);
  }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace bloomery
