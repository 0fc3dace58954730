// Errors, and the structs of callers.
#include <cstdlib>
#include <cstring>

#include "capi/handles.h"

namespace bloomery::capi {
namespace {

// Small enough for the buffer inside a std::string: it takes no memory.
bloomery_error static_out_of_memory{BLOOMERY_OUT_OF_MEMORY, "out of memory", "out of memory", {}, {}};

bloomery_code code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument: return BLOOMERY_INVALID_ARGUMENT;
    case ErrorCode::out_of_memory: return BLOOMERY_OUT_OF_MEMORY;
    case ErrorCode::io: return BLOOMERY_IO;
    case ErrorCode::corrupt: return BLOOMERY_CORRUPT;
    case ErrorCode::unsupported: return BLOOMERY_UNSUPPORTED;
    case ErrorCode::mismatch: return BLOOMERY_MISMATCH;
    case ErrorCode::wrong_secret: return BLOOMERY_WRONG_SECRET;
    case ErrorCode::full: return BLOOMERY_FULL;
  }
  return BLOOMERY_INTERNAL;
}

}  // namespace

bloomery_error* out_of_memory() noexcept { return &static_out_of_memory; }

bloomery_error* to_c_error(const Error& error) noexcept {
  if (error.code == ErrorCode::out_of_memory && error.file.empty()) return out_of_memory();
  try {
    return new bloomery_error{code_of(error.code), error.message, error.to_string(), error.file, error.field};
  } catch (...) {
    return out_of_memory();
  }
}

bloomery_error* to_c_error(const Status& status) noexcept { return status.ok() ? nullptr : to_c_error(status.error()); }

bloomery_error* internal_error(const char* what) noexcept {
  try {
    const std::string message = std::string("a bug of the library, please report it: ") + what;
    return new bloomery_error{BLOOMERY_INTERNAL, message, message, {}, {}};
  } catch (...) {
    return out_of_memory();
  }
}

Error null_argument(const char* name) {
  return {ErrorCode::invalid_argument, std::string(name) + " is NULL", {}, name};
}

Status take_struct(const void* from, void* out, std::size_t known, const char* name) {
  if (from == nullptr) return {};
  std::size_t size = 0;
  std::memcpy(&size, from, sizeof size);
  if (size < sizeof size || size > 4096)
    return Error{ErrorCode::invalid_argument,
                 std::string(name) + " has no size: set struct_size to its sizeof, or begin with its _INIT macro",
                 {},
                 name};
  const auto* bytes = static_cast<const unsigned char*>(from);
  for (std::size_t i = known; i < size; ++i)
    if (bytes[i] != 0)
      return Error{ErrorCode::unsupported,
                   std::string(name) + " sets what a newer version of the library has: this one is " + version(),
                   {},
                   name};
  std::memcpy(out, from, size < known ? size : known);
  return {};
}

Status give_text(const std::string& text, char** out) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy == nullptr) throw std::bad_alloc();
  std::memcpy(copy, text.c_str(), text.size() + 1);
  *out = copy;
  return {};
}

}  // namespace bloomery::capi

using namespace bloomery;

bloomery_code bloomery_error_code(const bloomery_error* error) { return error == nullptr ? BLOOMERY_OK : error->code; }
const char* bloomery_error_message(const bloomery_error* error) {
  return error == nullptr ? "" : error->message.c_str();
}
const char* bloomery_error_text(const bloomery_error* error) { return error == nullptr ? "" : error->text.c_str(); }
const char* bloomery_error_file(const bloomery_error* error) { return error == nullptr ? "" : error->file.c_str(); }
const char* bloomery_error_field(const bloomery_error* error) { return error == nullptr ? "" : error->field.c_str(); }

const char* bloomery_code_name(bloomery_code code) {
  switch (code) {
    case BLOOMERY_OK: return "ok";
    case BLOOMERY_INVALID_ARGUMENT: return to_string(ErrorCode::invalid_argument);
    case BLOOMERY_OUT_OF_MEMORY: return to_string(ErrorCode::out_of_memory);
    case BLOOMERY_IO: return to_string(ErrorCode::io);
    case BLOOMERY_CORRUPT: return to_string(ErrorCode::corrupt);
    case BLOOMERY_UNSUPPORTED: return to_string(ErrorCode::unsupported);
    case BLOOMERY_MISMATCH: return to_string(ErrorCode::mismatch);
    case BLOOMERY_WRONG_SECRET: return to_string(ErrorCode::wrong_secret);
    case BLOOMERY_FULL: return to_string(ErrorCode::full);
    case BLOOMERY_INTERNAL: return "internal";
  }
  return "unknown";
}

void bloomery_error_free(bloomery_error* error) {
  if (error != capi::out_of_memory()) delete error;
}

void bloomery_free(void* memory) { std::free(memory); }
