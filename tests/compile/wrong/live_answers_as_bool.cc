// says: answers are bytes: std::vector<std::uint8_t>
#include <bloomery/live/live.h>

#include <vector>
void ask(const bloomery::LiveFilter<bloomery::BlockFilter>& filter, const std::vector<std::uint64_t>& keys,
         std::vector<bool>& answers) {
  filter.contains_many(keys, answers);
}
