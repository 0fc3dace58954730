#include "bloomery/split.h"

#include "filter/basic_filter_impl.h"

namespace bloomery {

template class BasicView<SplitLayout>;
template class BasicFilter<SplitLayout>;

}  // namespace bloomery
