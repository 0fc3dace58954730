#include "bloomery/version.h"

namespace BLOOMERY_NAMESPACE {

const char* version() noexcept { return BLOOMERY_VERSION; }

}  // namespace BLOOMERY_NAMESPACE
