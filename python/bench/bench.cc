// The C++ side of python/bench/run.py: builds a filter of the same keys and asks it, by the calls that C++ users write.
// Prints nanoseconds of CPU time per key of each, the best of several rounds. usage: bench KEYS ROUNDS
#include <bloomery/bloomery.h>

#include <ctime>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

// CPU time of this thread, in nanoseconds: other programs of the machine do not count.
double cpu_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

// The best of several rounds, in nanoseconds per key.
template <class Work>
double best(int rounds, std::size_t keys, Work work) {
  double least = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const double start = cpu_time();
    work();
    least = std::min(least, (cpu_time() - start) / static_cast<double>(keys));
  }
  return least;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::size_t count = std::strtoull(argv[1], nullptr, 10);
  const int rounds = std::atoi(argv[2]);
  std::vector<std::int64_t> keys(count), asked(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = static_cast<std::int64_t>(i);
    asked[i] = static_cast<std::int64_t>(2 * i);  // half of them are there
  }
  auto filter = bloomery::BlockFilter::build(keys, 0.01);
  if (!filter.ok()) return 1;
  std::printf("build %.3f\n", best(rounds, count, [&] {
                auto built = bloomery::BlockFilter::build(keys, 0.01);
                if (!built.ok()) std::abort();
              }));
  std::printf("contains %.3f\n", best(rounds, count, [&] {
                std::vector<std::uint8_t> answers(count);
                filter->contains_many(asked, answers);
                if (answers[0] != 1) std::abort();
              }));
  std::string bytes;  // one after the other, as Arrow has them
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < count; ++i) ends.push_back((bytes += "user:" + std::to_string(2 * i)).size());
  std::vector<std::string_view> views;
  for (std::size_t i = 0, begin = 0; i < count; begin = ends[i++]) views.emplace_back(&bytes[begin], ends[i] - begin);
  auto strings = bloomery::BlockFilter::build(views, 0.01);
  if (!strings.ok()) return 1;
  std::printf("strings %.3f\n", best(rounds, count, [&] {
                std::vector<std::uint8_t> answers(count);
                strings->contains_many(views, answers);
                if (answers[0] != 1) std::abort();
              }));
}
