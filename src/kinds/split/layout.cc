#include "bloomery/split.h"

#include "kinds/common/basic_filter_impl.h"
#include "kinds/common/blocks_at_hand.h"

namespace BLOOMERY_NAMESPACE {

double SplitLayout::predicted_fpr(std::span<const std::uint8_t> bytes) const {
  return detail::rate_at_hand(bytes, geometry());
}

template class BasicView<SplitLayout>;
template class BasicFilter<SplitLayout>;
template class BasicMutableView<SplitLayout>;

}  // namespace BLOOMERY_NAMESPACE
