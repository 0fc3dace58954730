#include "bloomery/kind.h"

namespace BLOOMERY_NAMESPACE {

const char* to_string(Kind kind) noexcept {
  switch (kind) {
#define BLOOMERY_KIND(name, Class, number) \
  case Kind::name: return #name;
    BLOOMERY_KINDS(BLOOMERY_KIND)
#undef BLOOMERY_KIND
    case Kind::iblt: return "iblt";
  }
  return "unknown";
}

bool is_known(Kind kind) noexcept {
  switch (kind) {
#define BLOOMERY_KIND(name, Class, number) case Kind::name:
    BLOOMERY_KINDS(BLOOMERY_KIND)
#undef BLOOMERY_KIND
    case Kind::iblt: return true;
  }
  return false;
}

}  // namespace BLOOMERY_NAMESPACE
