// Bytes as a whole table, whose footer is put right first. The first byte of the input says how it is read: mostly
// without looking at the checksums of blocks, so that what is behind them is reached. Whatever the bytes are, nothing
// outside them is read and every walk ends; a table that passes verify() answers the same by every way of asking.
#include <algorithm>
#include <vector>

#include "bloomery/detail/bits.h"
#include "fuzz/table_fuzz.h"

namespace {

using namespace bloomery;

constexpr std::size_t kFooter = 80;
constexpr std::uint8_t kMagic[] = {0x89, 'B', 'L', 'M', 'T', '\r', '\n', 0x1a};
// Zstandard makes at most 32,768 bytes of one: a longer file could ask for more than the limit of one allocation.
constexpr std::size_t kMostBytes = 2000;

void repair(std::vector<std::uint8_t>& file, bool partitioned) {
  std::uint8_t* footer = file.data() + file.size() - kFooter;
  detail::store_le<std::uint64_t>(footer + 48, file.size());
  detail::store_le<std::uint32_t>(footer + 56, 1);  // version
  detail::store_le<std::uint32_t>(footer + 60, partitioned ? 1 : 0);
  detail::store_le<std::uint64_t>(footer + 64, Hasher::xxh3()(std::span<const std::uint8_t>(footer, 64)).bits);
  std::copy(std::begin(kMagic), std::end(kMagic), footer + 72);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + kFooter) return 0;
  std::vector<std::uint8_t> file(data + 1, data + size);
  // The end of a long one, where the footer is.
  if (file.size() > kMostBytes) file.erase(file.begin(), file.end() - kMostBytes);
  if ((data[0] & 16) == 0) repair(file, (data[0] & 32) != 0);
  TableReadOptions options = fuzz::ways_to_read(data[0]);
  options.verify = (data[0] & 4) != 0;
  options.use_filter = (data[0] & 8) == 0;
  fuzz::read_table(file, options);
  return 0;
}
