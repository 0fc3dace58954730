// Which prefetch distance is best for a filter of which size: the table behind the rule in src/kernel/caches.cc. Prints
// ns per key of batches on every kernel of this machine, absent keys for lookups, each figure the median of several
// windows;
// '*' marks the best of a row, and `ceiling` is one random cache line of the same memory with its own best distance.
//
//   cmake --build BUILD --target tune_prefetch && BUILD/tune_prefetch [LARGEST_MIB]
#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <vector>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/buffer.h"
#include "bloomery/detail/fnv.h"
#include "kernel/caches.h"
#include "kernel/kernel.h"

namespace {

using namespace bloomery;

constexpr unsigned kDistances[] = {0, 8, 16, 24, 32, 48, 64, 96};
constexpr std::size_t kKeys = 200'000, kWindows = 7;
constexpr std::uint32_t kK = 6;

double thread_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> samples) {
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2), samples.end());
  return samples[samples.size() / 2];
}

volatile std::uint64_t g_sink;

void load_lines(const std::uint8_t* bytes, const kernel::Batch& batch) {
  const auto line = [&](std::size_t i) { return bytes + detail::mulhi64(batch.hashes[i], batch.blocks) * 64; };
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + batch.ahead < batch.count; ++i) {
    if (batch.ahead > 0) __builtin_prefetch(line(i + batch.ahead));
    sum += detail::load_le<std::uint64_t>(line(i));
  }
  g_sink = sum;
}

// One row: the same work at every distance, in turn, so that a change of the machine's mood meets each of them.
void row(const char* isa, const char* what, std::uint64_t bytes, const std::vector<std::uint64_t>& hashes,
         const std::function<void(const std::uint64_t*, unsigned)>& work) {
  std::vector<double> samples[std::size(kDistances)];
  for (std::size_t w = 0; w < kWindows; ++w) {
    for (std::size_t d = 0; d < std::size(kDistances); ++d) {
      const std::uint64_t* window = hashes.data() + (w * std::size(kDistances) + d) * kKeys;  // fresh lines for each
      const double start = thread_ns();
      work(window, kDistances[d]);
      samples[d].push_back((thread_ns() - start) / kKeys);
    }
  }
  std::size_t best = 0;
  for (std::size_t d = 1; d < std::size(kDistances); ++d)
    if (median(samples[d]) < median(samples[best])) best = d;
  std::printf("%9.2f %-8s %-15s", static_cast<double>(bytes) / (1 << 20), isa, what);
  for (std::size_t d = 0; d < std::size(kDistances); ++d)
    std::printf(" %7.2f%s", median(samples[d]), d == best ? "*" : " ");
  std::printf("\n");
}

void table(std::uint64_t bytes, const std::vector<std::uint64_t>& hashes) {
  Result<detail::Buffer> buffer = detail::Buffer::zeroed(bytes);
  if (!buffer.ok()) return;
  // Half of the bits set, as in a filter in use.
  for (std::uint64_t i = 0; i < bytes; i += 8) detail::store_le(buffer->data() + i, detail::splitmix64(i));
  std::vector<std::uint8_t> answers(kKeys);
  row("-", "ceiling", bytes, hashes, [&](const std::uint64_t* h, unsigned ahead) {
    load_lines(buffer->data(), {bytes / 64, kK, h, kKeys, ahead});
  });
  for (const kernel::Kernel* isa : kernel::available()) {
    row(isa->name, "split contains", bytes, hashes, [&](const std::uint64_t* h, unsigned ahead) {
      isa->split_contains(buffer->data(), {bytes / 32, kK, h, kKeys, ahead}, answers.data());
    });
    row(isa->name, "block contains", bytes, hashes, [&](const std::uint64_t* h, unsigned ahead) {
      isa->block_contains(buffer->data(), {bytes / 64, kK, h, kKeys, ahead}, answers.data());
    });
    row(isa->name, "split add", bytes, hashes, [&](const std::uint64_t* h, unsigned ahead) {
      isa->split_add(buffer->data(), {bytes / 32, kK, h, kKeys, ahead});
    });
    row(isa->name, "block add", bytes, hashes, [&](const std::uint64_t* h, unsigned ahead) {
      isa->block_add(buffer->data(), {bytes / 64, kK, h, kKeys, ahead});
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t largest = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 256) << 20;
  utsname system{};
  ::uname(&system);
  const kernel::Caches& caches = kernel::caches();
  std::printf(
      "prefetch distance against filter size on %s, L1d %llu KiB, L2 %llu KiB, L3 %llu KiB; block with k = %u; "
      "ns/key\n",
      system.machine, static_cast<unsigned long long>(caches.l1d >> 10),
      static_cast<unsigned long long>(caches.l2 >> 10), static_cast<unsigned long long>(caches.l3 >> 10), kK);
  std::printf("%9s %-8s %-15s", "MiB", "kernel", "ahead:");
  for (unsigned distance : kDistances) std::printf(" %7u ", distance);
  std::printf("\n");
  std::vector<std::uint64_t> hashes(kWindows * std::size(kDistances) * kKeys);
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = detail::splitmix64(~i);
  for (std::uint64_t bytes = 16 << 10; bytes <= largest; bytes *= bytes < (8 << 20) ? 2 : 4) table(bytes, hashes);
}
