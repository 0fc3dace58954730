// Columns of strings: the offsets of one that comes from outside, and the hashes of its strings.
#include "bloomery/string_column.h"

#include <algorithm>
#include <array>
#include <string>

#include "bloomery/detail/check.h"
#include "bloomery/hash.h"
#include "core/base/error.h"
#include "core/hash/hash_functions.h"

namespace BLOOMERY_NAMESPACE {
namespace {

template <class Offset>
Result<StringColumn<Offset>> refuse(std::span<const Offset> offsets, std::size_t i, const std::string& why) {
  return invalid_argument(
      "offsets", "offset " + std::to_string(i) + " of the column is " + std::to_string(offsets[i]) + ", " + why);
}

template <class Offset>
constexpr std::uint64_t as_unsigned(Offset offset) {
  return static_cast<std::uint64_t>(static_cast<std::make_unsigned_t<Offset>>(offset));
}

}  // namespace

template <ColumnOffset Offset>
Result<StringColumn<Offset>> StringColumn<Offset>::checked(std::span<const Offset> offsets,
                                                           std::span<const std::uint8_t> bytes) {
  return guarded([&]() -> Result<StringColumn> {
    for (std::size_t i = 0; i < offsets.size(); ++i) {
      if (offsets[i] < Offset{0}) return refuse(offsets, i, "which is before the first byte");
      if (i > 0 && offsets[i] < offsets[i - 1])
        return refuse(offsets, i, "less than the one before it, " + std::to_string(offsets[i - 1]));
    }
    if (!offsets.empty() && as_unsigned(offsets.back()) > bytes.size())
      return refuse(offsets, offsets.size() - 1,
                    "behind the end of the " + std::to_string(bytes.size()) + " bytes that it points into");
    return StringColumn(offsets, bytes.data());
  });
}

template <ColumnOffset Offset>
void Hasher::hash_many(const StringColumn<Offset>& keys, std::span<Hash> out) const noexcept {
  detail::check_lengths("hash_many", keys.size(), out.size());
  if (id_ == HashId::xxh3) return detail::xxh3_many(keys, seed_, out.data());
  if (id_ == HashId::xxh64) return detail::xxh64_many(keys, seed_, out.data());
  std::array<std::string_view, 16> views;
  for (std::size_t first = 0; first < keys.size(); first += views.size()) {
    const std::size_t count = std::min(views.size(), keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) views[i] = keys[first + i];
    hash_many(std::span<const std::string_view>(views).first(count), out.subspan(first, count));
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): a type
#define BLOOMERY_COLUMN(Offset)                                                                             \
  template Result<StringColumn<Offset>> StringColumn<Offset>::checked(std::span<const Offset> offsets,      \
                                                                      std::span<const std::uint8_t> bytes); \
  template void Hasher::hash_many(const StringColumn<Offset>& keys, std::span<Hash> out) const noexcept;
BLOOMERY_COLUMN(std::int32_t)
BLOOMERY_COLUMN(std::uint32_t)
BLOOMERY_COLUMN(std::int64_t)
BLOOMERY_COLUMN(std::uint64_t)
#undef BLOOMERY_COLUMN
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace BLOOMERY_NAMESPACE
