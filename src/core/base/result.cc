#include "bloomery/result.h"

#include <cstdio>
#include <cstdlib>

namespace BLOOMERY_NAMESPACE {
namespace {

// An Error that needs no memory and is never destroyed, so that it can be named at any moment of a program.
class StaticError {
 public:
  StaticError(ErrorCode code, const char* short_message) : error_{code, short_message, {}, {}} {}
  ~StaticError() {}  // NOLINT(modernize-use-equals-default): the error is not destroyed
  const Error* get() const { return &error_; }

 private:
  union {
    Error error_;
  };
};

// Both messages fit into the string itself.
const Error* out_of_memory_error() noexcept {
  static const StaticError error(ErrorCode::out_of_memory, "out of memory");
  return error.get();
}

bool is_static(const Error* error) noexcept {
  return error == out_of_memory_error() || error == detail::moved_from_error();
}

}  // namespace

namespace detail {

const Error* moved_from_error() noexcept {
  static const StaticError error(ErrorCode::invalid_argument, "moved from");
  return error.get();
}

const Error* keep_error(Error error) noexcept {
  const bool plain = error.file.empty() && error.message == out_of_memory_error()->message;
  if (plain && error.code == ErrorCode::out_of_memory) return out_of_memory_error();
  const Error* kept = new (std::nothrow) Error(std::move(error));
  return kept != nullptr ? kept : out_of_memory_error();
}

const Error* copy_error(const Error& error) noexcept {
  if (is_static(&error)) return &error;
  try {
    return new Error(error);
  } catch (...) {
    return out_of_memory_error();
  }
}

void drop_error(const Error* error) noexcept {
  if (!is_static(error)) delete error;
}

// Without to_string(), which takes memory: there may be none left.
[[gnu::cold]] void end_for_missing_value(const Error& error) noexcept {
  std::fprintf(stderr, "bloomery: value() of a Result that holds an error (ask ok() first): %s%s%s\n",
               error.file.c_str(), error.file.empty() ? "" : ": ", error.message.c_str());
  std::abort();
}

[[gnu::cold]] void end_for_missing_error() noexcept {
  std::fputs("bloomery: error() of a Result that holds no error: ask ok() first\n", stderr);
  std::abort();
}

}  // namespace detail

const char* to_string(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::invalid_argument: return "invalid argument";
    case ErrorCode::out_of_memory: return "out of memory";
    case ErrorCode::io: return "input/output error";
    case ErrorCode::corrupt: return "corrupt";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::mismatch: return "mismatch";
    case ErrorCode::wrong_secret: return "wrong secret";
    case ErrorCode::full: return "full";
  }
  return "unknown error";
}

std::string Error::to_string() const { return file.empty() ? message : file + ": " + message; }

}  // namespace BLOOMERY_NAMESPACE
