// Errors are values: every function of the library that can fail returns a Status or a Result<T>. The library throws
// nothing and prints nothing. A Status is one pointer, null when all went well, so that success costs a test of a
// register.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE {

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
  std::string message;     // what is wrong and how to fix it; a sentence without a full stop
  std::string file = {};   // the file concerned, or empty
  std::string field = {};  // the field or argument concerned, or empty

  // Returns "FILE: message", or the message alone when no file is concerned. Throws std::bad_alloc.
  BLOOMERY_API std::string to_string() const;
};

namespace detail {

// Each prints a sentence on standard error and ends the program (abort).
[[noreturn]] BLOOMERY_API void end_for_missing_value(const Error& error) noexcept;
[[noreturn]] BLOOMERY_API void end_for_missing_error() noexcept;

// The errors of Status. Three are static objects, which take no memory: out_of_memory, what an error becomes when there
// is no memory to keep it, and what a failure holds after it was moved from.
BLOOMERY_API const Error* keep_error(Error error) noexcept;
BLOOMERY_API const Error* copy_error(const Error& error) noexcept;
BLOOMERY_API const Error* moved_from_error() noexcept;
BLOOMERY_API void drop_error(const Error* error) noexcept;

}  // namespace detail

// Says whether a function did its work, and if not, why. It is a plain value: one thread at a time uses it. It owns its
// error; a failure that was moved from stays a failure. It does not convert to bool: ok() is the only question.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  Status(Error error) noexcept : error_(detail::keep_error(std::move(error))) {}
  Status(Status&& other) noexcept : error_(other.error_) {
    if (error_ != nullptr) other.error_ = detail::moved_from_error();
  }
  Status(const Status& other) noexcept : error_(other.ok() ? nullptr : detail::copy_error(*other.error_)) {}
  Status& operator=(Status other) noexcept {
    std::swap(error_, other.error_);
    return *this;
  }
  ~Status() {
    if (error_ != nullptr) detail::drop_error(error_);
  }

  bool ok() const noexcept { return error_ == nullptr; }
  explicit operator bool() const = delete;  // ask ok()

  // Says why it failed. Ends the program with a sentence when it did not fail.
  const Error& error() const noexcept {
    if (ok()) [[unlikely]]
      detail::end_for_missing_error();
    return *error_;
  }

 private:
  const Error* error_ = nullptr;
};
static_assert(sizeof(Status) == sizeof(void*));

// A T, or the error that says why there is none. The threads that may use the T may use it. It owns the T, and moves
// and copies as T does. Like Status it does not convert to bool.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : value_(std::move(value)) {}
  Result(Error error) noexcept : status_(std::move(error)) {}
  // Passes a failure on. Ends the program with a sentence when the Status is ok, because then there is no T.
  Result(Status failure) noexcept : status_(std::move(failure)) {
    if (status_.ok()) detail::end_for_missing_error();
  }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : status_(std::move(other.status_)) {
    if (ok()) ::new (static_cast<void*>(&value_)) T(std::move(other.value_));
  }
  Result(const Result& other) requires std::is_copy_constructible_v<T> : status_(other.status_) {
    if (ok()) ::new (static_cast<void*>(&value_)) T(other.value_);
  }
  Result& operator=(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) {
    if (this != &other) {
      this->~Result();
      ::new (static_cast<void*>(this)) Result(std::move(other));
    }
    return *this;
  }
  Result& operator=(const Result& other) requires std::is_copy_constructible_v<T> { return *this = Result(other); }
  ~Result() {
    if (ok()) value_.~T();
  }

  bool ok() const noexcept { return status_.ok(); }
  explicit operator bool() const = delete;  // ask ok(); the value is *result

  // Returns the value. Ask ok() first: a failure prints its error and ends the program.
  T& value() & noexcept { return *checked(this); }
  const T& value() const& noexcept { return *checked(this); }
  T&& value() && noexcept { return std::move(*checked(this)); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return checked(this); }
  const T* operator->() const noexcept { return checked(this); }

  // Returns the value, or `otherwise` after a failure.
  T value_or(T otherwise) const& { return ok() ? value_ : std::move(otherwise); }
  T value_or(T otherwise) && { return ok() ? std::move(value_) : std::move(otherwise); }

  // Returns next(value), which is a Status or a Result. Passes a failure on.
  template <class Next>
  auto and_then(Next&& next) && -> std::invoke_result_t<Next, T&&> {
    if (!ok()) return std::move(status_);
    return std::forward<Next>(next)(std::move(value_));
  }
  // Returns a Result of change(value). Passes a failure on.
  template <class Change>
  auto map(Change&& change) && -> Result<std::invoke_result_t<Change, T&&>> {
    if (!ok()) return std::move(status_);
    return std::forward<Change>(change)(std::move(value_));
  }

  // Says why there is no value. Ends the program with a sentence when there is one.
  const Error& error() const noexcept { return status_.error(); }
  // Returns the Status without the value.
  const Status& status() const& noexcept { return status_; }
  Status&& status() && noexcept { return std::move(status_); }

 private:
  template <class Self>
  static auto* checked(Self* self) noexcept {
    if (!self->ok()) [[unlikely]]
      detail::end_for_missing_value(self->error());
    return &self->value_;
  }

  Status status_;
  union {
    T value_;
  };
};

namespace detail {

inline Status&& failure_of(Status&& status) noexcept { return std::move(status); }
inline const Status& failure_of(const Status& status) noexcept { return status; }
template <class T>
Status&& failure_of(Result<T>&& result) noexcept {
  return std::move(result).status();
}
template <class T>
const Status& failure_of(const Result<T>& result) noexcept {
  return result.status();
}

}  // namespace detail

}  // namespace BLOOMERY_NAMESPACE

// Returns from the function when a Status or Result is a failure, and passes that on:
// BLOOMERY_TRY(filter->merge(other));
#define BLOOMERY_TRY(...)                                                                   \
  do {                                                                                      \
    if (auto&& bloomery_tried = (__VA_ARGS__); !bloomery_tried.ok())                        \
      return ::bloomery::Status(::bloomery::detail::failure_of(std::move(bloomery_tried))); \
  } while (false)
