// A plain filter where a Shared one belongs: ThreadSanitizer must end this program with an error, or its silence over
// the other tests means nothing. Without it, or when it sees nothing, the exit status is 0.
#include "bloomery/bloomery.h"
#include "live/known_adds.h"

int main() {
  bloomery::BlockFilter filter = *bloomery::BlockFilter::with_capacity(20'000, 0.01);
  (void)bloomery::testing::lost_of_known_adds(filter, 4, 5'000);
  return 0;
}
