// What all layouts of plain bits share, by the kernel of the machine.
#include "bloomery/layout.h"
#include "kernel/kernel.h"

namespace BLOOMERY_NAMESPACE::detail {

std::uint64_t bits_set(std::span<const std::uint8_t> bytes) {
  return kernel::active().bits_set(bytes.data(), bytes.size());
}
void unite_bits(std::span<std::uint8_t> into, const std::uint8_t* from) {
  kernel::active().unite(into.data(), from, into.size());
}
void intersect_bits(std::span<std::uint8_t> into, const std::uint8_t* from) {
  kernel::active().intersect(into.data(), from, into.size());
}

}  // namespace BLOOMERY_NAMESPACE::detail
