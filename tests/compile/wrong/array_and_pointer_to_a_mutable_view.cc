// says: write add_many(std::span(keys), &added)
#include <bloomery/block.h>
bloomery::Status put_in(bloomery::BlockMutableView& page) {
  std::size_t keys[3] = {1, 2, 3}, added = 0;
  return page.add_many(keys, &added);
}
