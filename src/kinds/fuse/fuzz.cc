// Fuse filters of any geometry and bytes answer inside them; those built of any hashes contain these.
#include "bloomery/fuse.h"

#include "fuzz/kind_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return bloomery::fuzz::one_kind<bloomery::FuseLayout>(data, size);
}
