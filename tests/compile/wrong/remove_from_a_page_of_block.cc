// says: counting, cuckoo and quotient filters remove
#include <bloomery/block.h>
bool take_out(bloomery::BlockMutableView& page) { return page.remove("a"); }
