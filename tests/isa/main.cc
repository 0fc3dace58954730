// Asks by the function that an argument names, "any" or "avx512", for keys that are there: all answers must be "maybe".
#include <cstdio>
#include <cstring>

#include "bloomery/block.h"
#include "bloomery/split.h"

unsigned ask_any(const bloomery::BlockView&, const bloomery::SplitView&, std::uint64_t, const char*, std::uint64_t);
unsigned ask_avx512(const bloomery::BlockView&, const bloomery::SplitView&, std::uint64_t, const char*, std::uint64_t);

int main(int, char** arguments) {
  const auto ask = std::strcmp(arguments[1], "any") == 0 ? ask_any : ask_avx512;
  const char text[] = "a key of forty bytes, not all of them used";
  bloomery::Result<bloomery::BlockFilter> block = bloomery::BlockFilter::with_capacity(1'000, 1e-4);
  bloomery::Result<bloomery::SplitFilter> split = bloomery::SplitFilter::with_capacity(1'000, 0.01);
  int wrong = block.ok() && split.ok() ? 0 : 1, maybes = 0;
  for (std::uint64_t i = 0; i < 40 && wrong == 0; ++i) {
    const std::string_view key(text, i);
    block->add(i), split->add(i), block->add(key), split->add(key);
    if (ask(block->view(), split->view(), i, text, i) != 15) ++wrong;
    if ((ask(block->view(), split->view(), i + 1'000'000, text, i) & 1) != 0) ++maybes;
  }
  if (maybes > 4) ++wrong;  // a probe that always says "maybe"
  std::printf("%s: %d wrong\n", arguments[1], wrong);
  return wrong == 0 ? 0 : 1;
}
