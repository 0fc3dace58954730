#include "bloomery/block.h"

#include "kinds/common/basic_filter_impl.h"
#include "kinds/common/blocks_at_hand.h"

namespace BLOOMERY_NAMESPACE {

double BlockLayout::predicted_fpr(std::span<const std::uint8_t> bytes) const {
  return detail::rate_at_hand(bytes, geometry());
}

template class BasicView<BlockLayout>;
template class BasicFilter<BlockLayout>;
template class BasicMutableView<BlockLayout>;

}  // namespace BLOOMERY_NAMESPACE
