// Merges into filters that serve: what LiveFilter and RotatingFilter take from another filter, whole.
#include <string>

#include "bloomery/live/live.h"
#include "bloomery/live/rotating.h"
#include "core/base/error.h"
#include "kinds/common/describe.h"

namespace BLOOMERY_NAMESPACE {

// The filter of a rebuild is checked first and filled first. So a refused merge has changed neither filter, and a
// merged key is in the filter in use only when the rebuild cannot lose it.
template <class Filter>
Status LiveFilter<Filter>::merge(const View& other) {
  return guarded([&]() -> Status {
    const std::lock_guard lock(rebuilding_);
    BLOOMERY_TRY(detail::check_combinable(current_->filter.view(), other));
    if (next_) {
      if (const Status fits = detail::check_combinable(next_->filter.view(), other); !fits.ok())
        return mismatch("rebuild", "the rebuild under way would lose what is merged: " + fits.error().message +
                                       "; commit or abort it and merge then, or feed it the keys themselves");
      BLOOMERY_TRY(next_->filter.merge(other));
    }
    return current_->filter.merge(other);
  });
}

template <class Filter>
Status RotatingFilter<Filter>::merge(const View& other) {
  const std::lock_guard lock(mutex_);
  const detail::ReadGuard guard(state_.readers());
  return state_.read(guard).generations.front()->merge(other);
}

template <class Filter>
typename Filter::Geometry RotatingFilter<Filter>::geometry() const {
  const detail::ReadGuard guard(state_.readers());
  return state_.read(guard).generations.front()->geometry();
}

#define BLOOMERY_MERGES(Filter)                                                      \
  template Status LiveFilter<Filter>::merge(const typename Filter::View& other);     \
  template Status RotatingFilter<Filter>::merge(const typename Filter::View& other); \
  template typename Filter::Geometry RotatingFilter<Filter>::geometry() const;
BLOOMERY_MERGES(ClassicFilter)
BLOOMERY_MERGES(SplitFilter)
BLOOMERY_MERGES(BlockFilter)
#undef BLOOMERY_MERGES

}  // namespace BLOOMERY_NAMESPACE
