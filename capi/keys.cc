#include "capi/keys.h"

#include <cstring>
#include <string>

#include "capi/handles.h"

namespace bloomery::capi {
namespace {

Error invalid(const char* field, std::string message) {
  return {ErrorCode::invalid_argument, std::move(message), {}, field};
}

// The bytes of one key; 0 of strings, and of a number that is no type.
std::size_t width_of(const bloomery_keys& run) {
  switch (run.type) {
    case BLOOMERY_HASHES:
    case BLOOMERY_UINT64:
    case BLOOMERY_INT64: return 8;
    case BLOOMERY_UINT32:
    case BLOOMERY_INT32: return 4;
    case BLOOMERY_UINT16:
    case BLOOMERY_INT16: return 2;
    case BLOOMERY_UINT8:
    case BLOOMERY_INT8: return 1;
    case BLOOMERY_FIXED_BYTES: return run.width;
    case BLOOMERY_STRINGS32:
    case BLOOMERY_STRINGS64: break;
  }
  return 0;
}

// Loads a number from any address.
template <class T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class Offset>
Status check_offsets(const bloomery_keys& run) {
  if (reinterpret_cast<std::uintptr_t>(run.offsets) % alignof(Offset) != 0)
    return invalid("offsets", "the offsets lie at an address where integers of their width cannot be");
  const std::span offsets(static_cast<const Offset*>(run.offsets), run.count + 1);
  const auto checked =
      StringColumn<Offset>::checked(offsets, {static_cast<const std::uint8_t*>(run.data), run.data_bytes});
  BLOOMERY_TRY(checked);
  return {};
}

Status check_strings(const bloomery_keys& run) {
  if (run.stride != 0) return invalid("stride", "strings have offsets, and no stride: leave it 0");
  if (run.offsets == nullptr) return null_argument("keys->offsets");
  if (run.data == nullptr && run.data_bytes != 0) return null_argument("keys->data");
  if (run.count >= PTRDIFF_MAX / sizeof(std::int64_t)) return invalid("count", "more keys than an address space has");
  return run.type == BLOOMERY_STRINGS32 ? check_offsets<std::int32_t>(run) : check_offsets<std::int64_t>(run);
}

Status check_cells(const bloomery_keys& run, std::size_t width) {
  if (run.data == nullptr && width != 0) return null_argument("keys->data");
  const auto step = run.stride < 0 ? 0 - static_cast<std::size_t>(run.stride) : static_cast<std::size_t>(run.stride);
  if (run.count > PTRDIFF_MAX / std::max({step, width, std::size_t{1}}))
    return invalid("count", "more keys than an address space has");
  return {};
}

}  // namespace

Result<Keys> Keys::check(const bloomery_keys* keys) {
  BLOOMERY_C_NEEDS(keys);
  bloomery_keys run = {};
  BLOOMERY_TRY(take(keys, run, "keys"));
  if (run.count == 0) run = {sizeof run, BLOOMERY_FIXED_BYTES, 0, nullptr, 0, 0, nullptr, 0};  // whatever else it holds
  if (run.type < BLOOMERY_HASHES || run.type > BLOOMERY_STRINGS64)
    return invalid("type", "there are no keys of type " + std::to_string(static_cast<int>(run.type)));
  const std::size_t width = width_of(run);
  if (run.count > 0) {
    const bool strings = run.type == BLOOMERY_STRINGS32 || run.type == BLOOMERY_STRINGS64;
    BLOOMERY_TRY(strings ? check_strings(run) : check_cells(run, width));
  }
  if (run.stride == 0) run.stride = static_cast<std::ptrdiff_t>(width);
  return Keys(run);
}

bool Keys::are_words() const {
  const bool wide = run_.type == BLOOMERY_HASHES || run_.type == BLOOMERY_UINT64 || run_.type == BLOOMERY_INT64;
  const bool aligned = reinterpret_cast<std::uintptr_t>(run_.data) % alignof(std::uint64_t) == 0;
  return wide && aligned && run_.stride == 8;
}

template <class T>
void Keys::load_as(std::size_t first, std::span<std::uint64_t> out) const noexcept {
  // A number of 8 bits keeps its sign, as those of other widths do: NOLINTNEXTLINE(bugprone-signed-char-misuse)
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint64_t>(read<T>(at(first + i)));
}

void Keys::load(std::size_t first, std::span<std::uint64_t> out) const noexcept {
  switch (run_.type) {
    case BLOOMERY_UINT32: return load_as<std::uint32_t>(first, out);
    case BLOOMERY_INT32: return load_as<std::int32_t>(first, out);
    case BLOOMERY_UINT16: return load_as<std::uint16_t>(first, out);
    case BLOOMERY_INT16: return load_as<std::int16_t>(first, out);
    case BLOOMERY_UINT8: return load_as<std::uint8_t>(first, out);
    case BLOOMERY_INT8: return load_as<std::int8_t>(first, out);
    default: return load_as<std::uint64_t>(first, out);
  }
}

void Keys::load(std::size_t first, std::span<std::string_view> out) const noexcept {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = run_.width == 0 ? kEmptyKey : std::string_view(reinterpret_cast<const char*>(at(first + i)), run_.width);
}

Status check_length(const char* name, const void* out, std::size_t length, std::size_t needed) {
  if (length < needed)
    return invalid("length", std::string(name) + " has room for " + std::to_string(length) + " elements, and " +
                                 std::to_string(needed) + " are needed");
  if (out == nullptr && needed != 0) return null_argument(name);
  return {};
}

bloomery_error* all_maybe(bloomery_error* error, const bloomery_keys* keys, std::uint8_t* answers, std::size_t length) {
  if (error != nullptr && answers != nullptr && keys != nullptr && keys->struct_size >= sizeof *keys)
    std::memset(answers, 1, std::min(length, keys->count));
  return error;
}

}  // namespace bloomery::capi
