// says: clone()
#include <bloomery/iblt.h>
bloomery::StrataEstimator twice(const bloomery::StrataEstimator& strata) { return strata; }
