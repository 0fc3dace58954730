// The strata estimator: small IBLTs of hashes, each of half as many keys as the one before.
#include <algorithm>
#include <bit>

#include "bloomery/detail/check.h"
#include "bloomery/detail/key_count.h"
#include "bloomery/iblt.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {

Result<StrataEstimator> StrataEstimator::make(const Hasher& hasher) {
  return with_geometry(IbltGeometry::estimator(), hasher);
}

Result<StrataEstimator> StrataEstimator::with_geometry(const IbltGeometry& geometry, const Hasher& hasher) {
  return guarded([&]() -> Result<StrataEstimator> {
    if (geometry.strata == 0)
      return invalid_argument("strata", "a geometry without strata is that of an Iblt, not of a StrataEstimator");
    IbltGeometry one = geometry;
    one.strata = 0;
    std::vector<Iblt> strata;
    for (std::uint32_t i = 0; i < geometry.strata; ++i) {
      Result<Iblt> table = Iblt::with_geometry(one, hasher);
      BLOOMERY_TRY(table);
      strata.push_back(*std::move(table));
    }
    return StrataEstimator(geometry, std::move(strata), 0);
  });
}

Result<StrataEstimator> StrataEstimator::copy_of(std::span<const std::uint8_t> payload, const IbltGeometry& geometry,
                                                 const Hasher& hasher, std::optional<std::uint64_t> key_count) {
  return guarded([&]() -> Result<StrataEstimator> {
    if (geometry.strata == 0 || payload.size() != geometry.payload_bytes())
      return invalid_argument("strata", "the payload has " + std::to_string(payload.size()) +
                                            " bytes, which is not what the geometry of an estimator takes");
    IbltGeometry one = geometry;
    one.strata = 0;
    std::vector<Iblt> strata;
    for (std::uint32_t i = 0; i < geometry.strata; ++i) {
      Result<Iblt> table =
          Iblt::copy_of(payload.subspan(i * one.table_bytes(), one.table_bytes()), one, hasher, std::nullopt);
      BLOOMERY_TRY(table);
      strata.push_back(*std::move(table));
    }
    return StrataEstimator(geometry, std::move(strata), key_count);
  });
}

Result<StrataEstimator> StrataEstimator::clone() const {
  return guarded([&]() -> Result<StrataEstimator> {
    if (strata_.empty()) return with_geometry(geometry_, hasher_);
    std::vector<Iblt> copies;
    for (const Iblt& stratum : strata_) {
      Result<Iblt> copy = stratum.clone();
      BLOOMERY_TRY(copy);
      copies.push_back(*std::move(copy));
    }
    return StrataEstimator(geometry_, std::move(copies), key_count_);
  });
}

void StrataEstimator::add(std::span<const std::uint8_t> key) { add(hasher()(key)); }
void StrataEstimator::add(std::string_view key) { add(hasher()(key)); }

void StrataEstimator::add(Hash hash) {
  if (strata_.empty()) detail::end_for_moved_from("add");
  const auto stratum = std::min<std::size_t>(static_cast<std::size_t>(std::countr_zero(hash.bits)), strata_.size() - 1);
  std::array<std::uint8_t, 8> bytes;
  detail::store_le(bytes.data(), hash.bits);
  (void)strata_[stratum].add(std::span<const std::uint8_t>(bytes));  // of the right width, so it cannot fail
  detail::add_to_count(key_count_, 1);
}

Status StrataEstimator::subtract(const StrataEstimator& other) {
  return guarded([&]() -> Status {
    if (strata_.size() != other.strata_.size())
      return mismatch("strata", "the estimators have different numbers of strata: make both with the same version");
    for (std::size_t i = 0; i < strata_.size(); ++i) BLOOMERY_TRY(strata_[i].subtract(other.strata_[i]));
    key_count_.reset();
    return {};
  });
}

Result<IbltEstimate> StrataEstimator::estimate() const {
  return guarded([&]() -> Result<IbltEstimate> {
    if (strata_.empty()) return IbltEstimate();
    std::vector<detail::Stratum> found;
    for (const Iblt& stratum : strata_) {
      Result<IbltListing> listing = stratum.list();
      BLOOMERY_TRY(listing);
      const std::uint64_t count = listing->added.size() + listing->removed.size();
      found.push_back(listing->complete ? detail::Stratum{true, {count, count, count}}
                                        : detail::Stratum{false, stratum.estimate()});
    }
    return detail::estimate_from_strata(found, geometry_.cells);
  });
}

}  // namespace BLOOMERY_NAMESPACE
