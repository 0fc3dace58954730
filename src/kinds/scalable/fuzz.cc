#include "fuzz/kind_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return bloomery::fuzz::one_kind<bloomery::ScalableLayout>(data, size);
}
