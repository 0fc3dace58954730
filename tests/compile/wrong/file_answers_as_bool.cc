// says: answers are bytes: std::vector<std::uint8_t>
#include <bloomery/file.h>

#include <vector>
void ask(const bloomery::FilterFile& file, const std::vector<std::uint64_t>& keys, std::vector<bool>& answers) {
  file.contains_many(keys, answers);
}
