#include "bloomery/block.h"

#include "filter/basic_filter_impl.h"

namespace bloomery {

template class BasicView<BlockLayout>;
template class BasicFilter<BlockLayout>;

}  // namespace bloomery
