// The C++ side of python/bench/run.py: builds a filter of the same keys and asks it, by the calls that C++ users write,
// with keys in memory like that of NumPy and Arrow. Does everything once, then waits for a line on stdin before each
// round and prints nanoseconds of CPU time per key, so that both sides stay in their processes and take turns.
// usage: bench KEYS
#include <bloomery/bloomery.h>

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

// CPU time of this thread, in nanoseconds: other programs of the machine do not count.
double cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

// Nanoseconds per key.
template <class Work>
double measure(std::size_t keys, Work work) {
  const double start = cpu_time();
  work();
  return (cpu_time() - start) / static_cast<double>(keys);
}

// Memory in huge pages where the system has them, as NumPy asks for its arrays.
std::span<std::int64_t> array(std::size_t count) {
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  const std::size_t bytes = (count * sizeof(std::int64_t) + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, bytes);
  if (memory == nullptr) std::abort();
  (void)madvise(memory, bytes, MADV_HUGEPAGE);
  return {static_cast<std::int64_t*>(memory), count};
}

// Asks for all keys. The answers are new memory each time, as those of Python are, and not cleared before.
template <class Keys>
void ask(const bloomery::BlockFilter& filter, const Keys& keys) {
  const auto answers = std::make_unique_for_overwrite<std::uint8_t[]>(keys.size());
  filter.contains_many(keys, {answers.get(), keys.size()});
  if (answers[0] != 1) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::size_t count = std::strtoull(argv[1], nullptr, 10);
  const std::span<std::int64_t> keys = array(count), asked = array(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = static_cast<std::int64_t>(i);
    asked[i] = static_cast<std::int64_t>(2 * i);  // half of them are there
  }
  std::string bytes;  // one after the other, as Arrow has them
  std::vector<std::int32_t> offsets{0};
  for (std::size_t i = 0; i < count; ++i)
    offsets.push_back(static_cast<std::int32_t>((bytes += "user:" + std::to_string(2 * i)).size()));
  const bloomery::StringColumn texts(offsets, bytes.data());
  const auto build = [&] { return bloomery::BlockFilter::build(keys, 0.01); };
  const auto filter = build(), strings = bloomery::BlockFilter::build(texts, 0.01);
  if (!filter.ok() || !strings.ok()) return 1;
  ask(*filter, asked);
  ask(*strings, texts);
  while (std::getchar() == '\n') {
    const double of_build = measure(count, [&] { (void)build(); });
    const double of_asked = measure(count, [&] { ask(*filter, asked); });
    const double of_texts = measure(count, [&] { ask(*strings, texts); });
    std::printf("build %.3f contains %.3f strings %.3f\n", of_build, of_asked, of_texts);
    std::fflush(stdout);
  }
}
