#include "replica/windows.h"

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::replica {

Status Windows::check(std::uint64_t number) const {
  if (rotate() && number == 0)
    return mismatch("window", "the message is of a filter that does not rotate, and this one does");
  if (!rotate() && number != 0)
    return mismatch("window", "the message is of a window, and this filter does not rotate");
  return {};
}

void Windows::describe(Hello& hello) const {
  any().cells->describe(hello);
  hello.window = epoch();
  if (rotate()) hello.geometry.push_back(kept_);
}

}  // namespace BLOOMERY_NAMESPACE::replica
