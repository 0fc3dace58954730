// How many bits a key takes, by target rate.
#include <cstdio>

#include "bench/questions.h"
#include "bench/text.h"
#include "bloomery/geometry/classic.h"

namespace bloomery::bench {

void classic_size(Report& report) {
  constexpr std::uint64_t kKeys = 1'000'000;
  constexpr double kBarAt = 0.05, kBarBits = 16;
  std::printf("classic, bits per key at n = %s\n", count_text(kKeys).c_str());
  Table table({"target", "bits per key", "k", "predicted rate"});
  for (double target : {0.1, kBarAt, 0.02, 0.01, 0.001, 0.0001}) {
    const Result<ClassicGeometry> geometry = ClassicGeometry::for_capacity(kKeys, target);
    if (!geometry.ok()) continue;
    const double bits = static_cast<double>(geometry->m) / static_cast<double>(kKeys);
    table.row({format("%g %%", target * 100), format("%.2f", bits), std::to_string(geometry->k),
               format("%.3g %%", geometry->predicted_fpr_after(kKeys) * 100)});
    report.figure("size, " + format("%g %%", target * 100), kKeys, "bits_per_key", "bloomery", bits, "bits");
    if (target == kBarAt)
      report.bar(bits <= kBarBits, format("size at 5 %%: %.2f bits a key (bar: at most 2 bytes, 16 bits)", bits));
  }
  table.print();
  std::printf("\n");
}

}  // namespace bloomery::bench
