#include "bloomery/kind.h"

namespace bloomery {

const char* to_string(Kind kind) noexcept {
  switch (kind) {
    case Kind::classic: return "classic";
    case Kind::split: return "split";
    case Kind::block: return "block";
    case Kind::counting: return "counting";
    case Kind::partitioned: return "partitioned";
    case Kind::scalable: return "scalable";
    case Kind::stable: return "stable";
    case Kind::cuckoo: return "cuckoo";
    case Kind::quotient: return "quotient";
    case Kind::fuse: return "fuse";
    case Kind::ribbon: return "ribbon";
    case Kind::iblt: return "iblt";
  }
  return "unknown";
}

}  // namespace bloomery
