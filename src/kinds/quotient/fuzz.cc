// The checks of any kind, then what a quotient filter adds: it merges and grows into what adding makes, byte for byte.
#include "fuzz/kind_fuzz.h"

namespace {

using namespace bloomery;

QuotientFilter filled(const QuotientGeometry& geometry, fuzz::Input& input, std::vector<Hash>& in) {
  QuotientFilter filter = *QuotientFilter::with_geometry(geometry);
  for (std::uint64_t left = input.take(1) % 64; left > 0 && !input.empty(); --left) {
    const Hash hash(input.take(2) << 48 | input.take(1) << 40);  // few quotients, so that runs are long
    if (filter.add(hash).ok()) in.push_back(hash);
  }
  return filter;
}

void merge_and_grow(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input({data, size});
  const auto bits = [&] { return static_cast<std::uint32_t>(1 + input.take(1) % 8); };
  const std::uint32_t q = bits(), r = bits();
  std::vector<Hash> in;
  QuotientFilter filter = filled({q, r}, input, in);
  const QuotientFilter other = filled({q + r > q + 1 ? q + 1 : q, q + r > q + 1 ? r - 1 : r}, input, in);
  const QuotientFilter before = *filter.clone();
  if (!filter.merge(other).ok()) {
    FUZZ_CHECK(filter == before);
    return;
  }
  if (input.take(1) % 2 == 0) (void)filter.resize();
  QuotientFilter all = *QuotientFilter::with_geometry(filter.geometry());
  for (Hash hash : in) FUZZ_CHECK(filter.contains(hash) && all.add(hash).ok());
  FUZZ_CHECK(all == filter);
  for (Hash hash : in) FUZZ_CHECK(filter.remove(hash));
  FUZZ_CHECK(filter == *QuotientFilter::with_geometry(filter.geometry()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 0 && data[0] % 4 == 3) return merge_and_grow(data + 1, size - 1), 0;
  return bloomery::fuzz::one_kind<bloomery::QuotientLayout>(data, size);
}
