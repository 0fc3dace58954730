// What the handles of bloomery/c.h are, and how its functions end: no exception leaves them, and every error is one of
// the library's, with its message. No algorithm lives in this folder.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "bloomery/any_mutable_view.h"
#include "bloomery/bloomery.h"
#include "bloomery/c.h"

struct bloomery_error {
  bloomery_code code;
  std::string message, text, file, field;
};

namespace bloomery::capi {

// A filter over memory of the caller's that is only read.
struct Borrowed {};

// The memory of the caller's functions.
class CallerMemory final : public MemorySource {
 public:
  explicit CallerMemory(const bloomery_memory& functions) : functions_(functions) {}
  void* allocate(std::size_t bytes, std::size_t alignment) noexcept override {
    return functions_.allocate(bytes, alignment, functions_.context);
  }
  void release(void* memory, std::size_t bytes, std::size_t alignment) noexcept override {
    functions_.release(memory, bytes, alignment, functions_.context);
  }

 private:
  bloomery_memory functions_;
};

}  // namespace bloomery::capi

// Who asks reads `view` and what says of it, which verifying does not touch.
struct bloomery_filter {
  using Owner = std::variant<bloomery::AnyFilter, bloomery::FilterFile, bloomery::UnverifiedFile,
                             bloomery::AnyMutableView, bloomery::capi::Borrowed>;

  // Takes what a change left: a filter that grew lies elsewhere.
  void refresh() {
    if (const auto* filter = std::get_if<bloomery::AnyFilter>(&owner)) view = filter->view();
  }
  std::optional<std::uint64_t> key_count() const {
    if (const auto* filter = std::get_if<bloomery::AnyFilter>(&owner)) return filter->key_count();
    return info ? info->key_count : std::nullopt;
  }

  std::shared_ptr<bloomery::capi::CallerMemory> memory;  // before the owner, which gives its bytes back to it
  Owner owner;
  bloomery::AnyView view;
  bool answers_keys = true;
  bool moves = false;                       // whether an add may move its bytes
  std::optional<bloomery::FileInfo> info;   // of a file
  bloomery::EnvelopeOptions envelope = {};  // how it is written by default
  std::atomic<bool> verified{true};         // false of a mapped file until all of it was
};

namespace bloomery::capi {

// Returns the error for the caller. Without memory for it, that is the static error of out_of_memory.
bloomery_error* to_c_error(const Error& error) noexcept;
bloomery_error* to_c_error(const Status& status) noexcept;
bloomery_error* out_of_memory() noexcept;
bloomery_error* internal_error(const char* what) noexcept;

// Runs a function that returns a Status.
template <class Function>
bloomery_error* returning(const Function& function) noexcept {
  try {
    return to_c_error(function());
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::length_error&) {  // of a vector that no memory could hold
    return out_of_memory();
  } catch (const std::exception& thrown) {
    return internal_error(thrown.what());
  } catch (...) {
    return internal_error("an exception that says nothing of itself");
  }
}

// Runs a function that returns a T; `otherwise` when it throws.
template <class T, class Function>
T answering(T otherwise, const Function& function) noexcept {
  try {
    return function();
  } catch (...) {
    return otherwise;
  }
}

// The sentence for an argument that must not be NULL.
Error null_argument(const char* name);
#define BLOOMERY_C_NEEDS(argument) \
  if ((argument) == nullptr) return ::bloomery::capi::null_argument(#argument)

// Fills `out` from a struct of an older, equal or newer caller; NULL leaves it as it is. Refuses a struct that was
// never given its size, and fields of a newer version that are set.
Status take_struct(const void* from, void* out, std::size_t known, const char* name);
template <class T>
Status take(const T* from, T& out, const char* name) {
  return take_struct(from, &out, sizeof out, name);
}

// What a name means; NULL is block.
Result<Kind> kind_of(const char* name);
Result<SizeSpec> size_of(const bloomery_size_spec* spec);
GeometryFields fields_of(const bloomery_geometry& geometry);
Result<GeometryFields> checked_fields(const bloomery_geometry& geometry);
void give_geometry(const GeometryFields& fields, bloomery_geometry& out);

// Options as the library has them. Without a hash it is nothing, and the kind's own is meant.
struct CheckedOptions {
  std::optional<Hasher> hasher;
  std::shared_ptr<CallerMemory> memory;
  FilterOptions filter() const { return {hasher, memory.get()}; }
};
Result<CheckedOptions> checked(const bloomery_options* options);
Result<std::shared_ptr<CallerMemory>> checked_memory(const bloomery_memory* memory);
Result<OpenOptions> checked_open(const bloomery_open_options* options);
Secret secret_of(const std::uint8_t* bytes);

// The handle of a filter that owns its memory.
bloomery_filter* handle_of(AnyFilter filter, std::shared_ptr<CallerMemory> memory);

// Key bytes, which may be NULL when there are none.
inline constexpr std::string_view kEmptyKey("", 0);
inline std::string_view key_of(const void* key, std::size_t length) {
  return length == 0 ? kEmptyKey : std::string_view(static_cast<const char*>(key), length);
}
Status check_key(const void* key, std::size_t length);

// Text and bytes that bloomery_free frees.
Status give_text(const std::string& text, char** out);

}  // namespace bloomery::capi
