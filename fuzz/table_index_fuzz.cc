// Bytes as the index of a table whose checksums all match: as the index of its data blocks, as the top of it, or as
// both, by the first byte.
#include "fuzz/table_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bloomery;
  if (size < 2) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, std::min<std::size_t>(size - 1, 2000));
  const std::uint8_t choice = data[0];
  fuzz::SmallTable made;
  const std::string& index = made.put_data();
  table::Handle top;
  if ((choice & 12) == 0) {
    top = made.put(fuzz::SmallTable::leading_to(made.put(bytes)));
  } else if ((choice & 12) == 4) {
    made.put(index);
    top = made.put(bytes);
  } else {
    const std::size_t middle = bytes.size() * (choice >> 4) / 16;
    made.put(bytes.substr(0, middle));
    top = made.put(bytes.substr(middle));
  }
  fuzz::read_table(made.finish(top, {}, false), fuzz::ways_to_read(choice));
  return 0;
}
