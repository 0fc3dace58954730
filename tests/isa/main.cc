// Adds and asks by the functions that an argument names, "any" or "avx512": all answers must be "maybe".
#include <cstdio>
#include <cstring>

#include "bloomery/block.h"
#include "bloomery/cuckoo.h"
#include "bloomery/split.h"

using Ask = unsigned(const bloomery::BlockView&, const bloomery::SplitView&, std::uint64_t, const char*, std::uint64_t);
using Add = bool(bloomery::BlockFilter&, bloomery::SplitFilter&, bloomery::CuckooFilter&, std::uint64_t, const char*,
                 std::uint64_t);
Ask ask_any, ask_avx512;
Add add_any, add_avx512;

int main(int, char** arguments) {
  const bool any = std::strcmp(arguments[1], "any") == 0;
  const auto ask = any ? ask_any : ask_avx512;
  const auto add = any ? add_any : add_avx512;
  const char text[] = "a key of forty bytes, not all of them used";
  bloomery::Result<bloomery::BlockFilter> block = bloomery::BlockFilter::with_capacity(1'000, 1e-4);
  bloomery::Result<bloomery::SplitFilter> split = bloomery::SplitFilter::with_capacity(1'000, 0.01);
  bloomery::Result<bloomery::CuckooFilter> cuckoo = bloomery::CuckooFilter::with_capacity(1'000, 0.01);
  int wrong = block.ok() && split.ok() && cuckoo.ok() ? 0 : 1, maybes = 0;
  for (std::uint64_t i = 0; i < 40 && wrong == 0; ++i) {
    if (!add(*block, *split, *cuckoo, i, text, i)) ++wrong;
    if (ask(block->view(), split->view(), i, text, i) != 15) ++wrong;
    if ((ask(block->view(), split->view(), i + 1'000'000, text, i) & 1) != 0) ++maybes;
  }
  if (maybes > 4) ++wrong;  // a probe that always says "maybe"
  std::printf("%s: %d wrong\n", arguments[1], wrong);
  return wrong == 0 ? 0 : 1;
}
