#include "bloomery/fuse.h"

#include "kinds/common/basic_filter_impl.h"
#include "kinds/fuse/build.h"

namespace BLOOMERY_NAMESPACE {

Result<FuseFilter> FuseLayout::build(std::span<const Hash> keys, const Geometry& target, const FilterOptions& options,
                                     unsigned threads) {
  Geometry geometry = detail::fuse_geometry_for(keys, target);
  for (;;) {
    Result<FuseFilter> filter = FuseFilter::create(geometry, options);
    BLOOMERY_TRY(filter);
    const Result<bool> filled = detail::fuse_fill(keys, geometry, threads, filter->mutable_payload().data());
    BLOOMERY_TRY(filled);
    if (*filled) {
      filter->set_key_count(keys.size());
      return filter;
    }
    geometry = geometry.grown();
  }
}

std::uint64_t FuseLayout::retries(const std::uint8_t* bytes) const {
  std::uint64_t failed = 0;
  for (std::uint64_t part = 0; part < parts_; ++part) failed += detail::fuse_seed(parts_, factor(bytes, part));
  return failed;
}

bool FuseLayout::contains_unusual(const std::uint8_t* bytes, Hash hash) const {
  if (keys_ == 0) return false;  // whatever the slots hold
  return detail::with_fuse_probe(arity_, bits_, [&]<class Probe>() { return holds<Probe>(bytes, hash); });
}

template class BasicView<FuseLayout>;
template class BasicFilter<FuseLayout>;

}  // namespace BLOOMERY_NAMESPACE
