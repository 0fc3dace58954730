#include "bloomery/version.h"

namespace bloomery {

const char* version() noexcept { return BLOOMERY_VERSION; }

}  // namespace bloomery
