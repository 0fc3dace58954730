#include "bloomery/result.h"

#include <cstdio>
#include <cstdlib>

#include "bloomery/version.h"

namespace bloomery {

const char* version() noexcept { return BLOOMERY_VERSION; }

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

// Without to_string(), which takes memory: there may be none left.
[[gnu::cold]] void detail::end_for_missing_value(const Error* error) noexcept {
  const bool named = error != nullptr && !error->file.empty();
  std::fprintf(stderr, "bloomery: value() of a Result that holds an error (ask ok() first): %s%s%s\n",
               named ? error->file.c_str() : "", named ? ": " : "",
               error != nullptr ? error->message.c_str() : "its value was lost while it was moved");
  std::abort();
}

[[gnu::cold]] void detail::end_for_missing_error() noexcept {
  std::fputs("bloomery: error() of a Result that holds no error: ask ok() first\n", stderr);
  std::abort();
}

}  // namespace bloomery
