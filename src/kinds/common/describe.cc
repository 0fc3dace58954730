#include "kinds/common/describe.h"

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::detail {

Error cannot_combine(const std::string& one, const std::string& other) {
  if (one == other)
    return mismatch("secret", "the filters were made with different secrets, so they cannot be combined");
  return mismatch("geometry", "the filters differ: one has " + one + ", the other " + other +
                                  "; only filters of one geometry and one hash can be combined, so build both with the "
                                  "same n and fpr");
}

}  // namespace BLOOMERY_NAMESPACE::detail
