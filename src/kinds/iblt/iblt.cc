// Adding to an IBLT, subtracting one from another, and what its counts tell. Listing is in list.cc.
#include "bloomery/iblt.h"

#include <algorithm>

#include "bloomery/detail/key_count.h"
#include "core/base/error.h"
#include "kinds/iblt/cells.h"

namespace BLOOMERY_NAMESPACE {

using detail::IbltCell;

Result<Iblt> Iblt::with_geometry(const IbltGeometry& geometry, const Hasher& hasher) {
  return guarded([&]() -> Result<Iblt> {
    Result<IbltGeometry> checked = IbltGeometry::from_values(geometry.values());
    BLOOMERY_TRY(checked);
    if (geometry.strata != 0)
      return invalid_argument("strata", "a geometry with strata is that of a StrataEstimator, not of an Iblt");
    Result<detail::Buffer> cells = detail::Buffer::zeroed(geometry.payload_bytes());
    BLOOMERY_TRY(cells);
    return Iblt(geometry, hasher, *std::move(cells), 0);
  });
}

Result<Iblt> Iblt::for_differences(std::uint64_t d, std::uint32_t key_bytes, std::uint32_t value_bytes,
                                   const Hasher& hasher) {
  return guarded([&]() -> Result<Iblt> {
    Result<IbltGeometry> geometry = IbltGeometry::for_differences(d, key_bytes, value_bytes);
    BLOOMERY_TRY(geometry);
    return with_geometry(*geometry, hasher);
  });
}

Result<Iblt> Iblt::copy_of(std::span<const std::uint8_t> cells, const IbltGeometry& geometry, const Hasher& hasher,
                           std::optional<std::uint64_t> key_count) {
  return guarded([&]() -> Result<Iblt> {
    if (cells.size() != geometry.payload_bytes())
      return invalid_argument("cells", "the geometry takes " + std::to_string(geometry.payload_bytes()) +
                                           " bytes, but there are " + std::to_string(cells.size()));
    Result<Iblt> table = with_geometry(geometry, hasher);
    BLOOMERY_TRY(table);
    std::copy(cells.begin(), cells.end(), table->cells_.data());
    table->key_count_ = key_count;
    return table;
  });
}

Result<Iblt> Iblt::clone() const { return copy_of(payload(), geometry_, hasher_, key_count_); }

const std::uint8_t* Iblt::no_cells() noexcept {
  static constexpr std::array<std::uint8_t, IbltGeometry().payload_bytes()> kNone{};
  return kNone.data();
}

Status Iblt::ensure_cells() {
  if (cells_.data() != nullptr) return {};
  Result<detail::Buffer> cells = detail::Buffer::zeroed(geometry_.payload_bytes());
  BLOOMERY_TRY(cells);
  cells_ = *std::move(cells);
  return {};
}

Status Iblt::check_widths(std::size_t key, std::size_t value) const {
  return guarded([&]() -> Status {
    if (geometry_.variable && key > geometry_.longest_key())
      return invalid_argument("key",
                              "the key has " + std::to_string(key) + " bytes, and this table takes up to " +
                                  std::to_string(geometry_.longest_key()) +
                                  ": make both tables with more key_bytes (up to 64), or take a hash of the key");
    if (!geometry_.variable && key != geometry_.key_bytes)
      return invalid_argument("key", "the key has " + std::to_string(key) + " bytes, and the keys of this table have " +
                                         std::to_string(geometry_.key_bytes));
    if (value != geometry_.value_bytes)
      return invalid_argument("value", "the value has " + std::to_string(value) +
                                           " bytes, and the values of this table have " +
                                           std::to_string(geometry_.value_bytes));
    return {};
  });
}

Status Iblt::change(std::span<const std::uint8_t> key, std::span<const std::uint8_t> value, bool adds) {
  BLOOMERY_TRY(ensure_cells());
  const bool fits = (geometry_.variable ? key.size() < geometry_.key_bytes : key.size() == geometry_.key_bytes) &&
                    value.size() == geometry_.value_bytes;
  if (!fits) return check_widths(key.size(), value.size());
  std::uint8_t item[detail::kMaxIbltItem] = {};
  std::uint8_t* at = item;
  if (geometry_.variable) *at++ = static_cast<std::uint8_t>(key.size());
  std::copy(key.begin(), key.end(), at);
  std::copy(value.begin(), value.end(), item + geometry_.key_bytes);
  const auto places = detail::iblt_places(geometry_, hasher_(item, geometry_.item_bytes()).bits);
  for (const std::uint64_t place : places.cell) {
    const IbltCell cell(cells_.data(), place, geometry_);
    if (adds) cell.add(item, places.check);
    else cell.remove(item, places.check);
  }
  return {};
}

Status Iblt::add(std::span<const std::uint8_t> key, std::span<const std::uint8_t> value) {
  Status status = change(key, value, true);
  if (status.ok()) detail::add_to_count(key_count_, 1);
  return status;
}

Status Iblt::remove(std::span<const std::uint8_t> key, std::span<const std::uint8_t> value) {
  Status status = change(key, value, false);
  if (!status.ok() || !key_count_) return status;
  if (*key_count_ == 0) key_count_.reset();
  else --*key_count_;
  return status;
}

Status Iblt::subtract(const Iblt& other) {
  return guarded([&]() -> Status {
    const auto ours = geometry_.values(), theirs = other.geometry_.values();
    for (std::size_t i = 0; i < ours.size(); ++i)
      if (ours[i] != theirs[i])
        return mismatch(IbltGeometry::kFields[i], "one table has " + std::string(IbltGeometry::kFields[i]) + " = " +
                                                      std::to_string(ours[i]) + ", the other " +
                                                      std::to_string(theirs[i]) + ": make both with the same numbers");
    if (!(hasher_ == other.hasher_))
      return mismatch("hash", "the tables use different hashes, seeds or secrets: make both with the same");
    BLOOMERY_TRY(ensure_cells());
    for (std::uint64_t cell = 0; cell < geometry_.cells; ++cell)
      IbltCell(cells_.data(), cell, geometry_).subtract(IbltCell(other.cells(), cell, geometry_));
    key_count_.reset();
    return {};
  });
}

IbltEstimate Iblt::estimate() const {
  std::array<detail::CountSums, IbltGeometry::kHashes> sums{};
  for (std::uint32_t i = 0; i < sums.size(); ++i) {
    for (std::uint64_t j = 0; j < geometry_.part(); ++j) {
      const std::int64_t count =
          static_cast<std::int32_t>(IbltCell(cells(), i * geometry_.part() + j, geometry_).count());
      sums[i].sum += count;
      sums[i].squares += static_cast<std::uint64_t>(count * count);
    }
  }
  return detail::estimate_from_counts(sums, geometry_.part());
}

std::uint64_t Iblt::cells_used() const {
  std::uint64_t used = 0;
  for (std::uint64_t cell = 0; cell < geometry_.cells; ++cell)
    used += IbltCell(cells(), cell, geometry_).is_zero() ? 0u : 1u;
  return used;
}

}  // namespace BLOOMERY_NAMESPACE
