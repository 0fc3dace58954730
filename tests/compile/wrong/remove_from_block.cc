// says: counting, cuckoo and quotient filters remove
#include <bloomery/block.h>
void take_out(bloomery::BlockFilter& filter) { filter.remove("a"); }
