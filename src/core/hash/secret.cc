// Secrets from the system's random numbers; what else they can do is in hasher.cc.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "bloomery/hash.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {

Result<Secret> Secret::random() {
  std::array<std::uint8_t, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) == 0) return Secret(bytes);
  return guarded([]() -> Result<Secret> {
    return Error{ErrorCode::io, std::string("the system gives no random numbers: ") + std::strerror(errno), {}, {}};
  });
}

}  // namespace BLOOMERY_NAMESPACE
