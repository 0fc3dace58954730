#include "bloomery/result.h"

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

}  // namespace bloomery
