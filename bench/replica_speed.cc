// What does it cost to keep a filter the same on many machines? Adds are held to those of LiveFilter, deltas to a rate,
// digests to reading the same memory. A program of its own: bloomery_replica_bench [MiB of the filter] [threads].
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "bloomery/bloomery.h"
#include "bloomery/detail/fnv.h"
#include "bloomery/live/live.h"
#include "bloomery/replica/replica.h"

namespace {

using namespace bloomery;
using Clock = std::chrono::steady_clock;
using BlockReplica = replica::ReplicaOf<BlockFilter>;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Seconds that work(thread) takes on so many threads at once.
template <class Work>
double on_threads(unsigned threads, const Work& work) {
  std::vector<std::thread> team;
  const auto start = Clock::now();
  for (unsigned t = 0; t < threads; ++t) team.emplace_back([&work, t] { work(t); });
  for (std::thread& thread : team) thread.join();
  return seconds_since(start);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::unique_ptr<BlockReplica> make_replica(std::uint64_t bytes) {
  replica::ReplicaOptions options;
  options.origin = 1;
  options.incarnation = 1;
  options.start = replica::Start::new_lineage;
  Shared<BlockFilter> filter = *Shared<BlockFilter>::with_geometry({bytes / 64, 8});
  (void)filter.prefault(4);
  return *BlockReplica::make(std::move(filter), options);
}

// A window of adds of numbers that no window has seen, in turns with the other filter.
void adds(std::uint64_t bytes, unsigned threads) {
  constexpr std::uint64_t kKeys = 400'000;
  const std::uint64_t n = bytes * 8 / 10;
  const auto live = *LiveFilter<BlockFilter>::make({.n = n, .fpr = 0.01});
  const auto copy = make_replica(bytes);
  std::uint64_t next = 0;
  std::vector<double> of_live, of_replica;
  for (int window = 0; window < 15; ++window) {
    const auto run = [&](auto& filter) {
      const std::uint64_t first = next;
      next += kKeys * threads;
      return on_threads(threads, [&](unsigned t) {
        for (std::uint64_t i = 0; i < kKeys; ++i) filter.add(Hash(detail::splitmix64(first + t * kKeys + i)));
      });
    };
    of_live.push_back(run(*live) / kKeys * 1e9);
    of_replica.push_back(run(*copy) / kKeys * 1e9);
  }
  const double ratio = median(of_replica) / median(of_live);
  std::printf("add, %u threads: LiveFilter %.1f ns, replica %.1f ns, %.2fx (bar 1.25x): %s\n", threads, median(of_live),
              median(of_replica), ratio, ratio <= 1.25 ? "met" : "missed");
}

void apply(std::uint64_t bytes, unsigned threads) {
  constexpr std::size_t kDeltas = 40, kKeys = 100'000;
  std::mt19937_64 random(threads);
  std::vector<replica::Bytes> deltas;
  for (std::size_t i = 0; i < kDeltas; ++i) {
    replica::Delta delta;
    for (std::size_t j = 0; j < kKeys; ++j) delta.hashes.emplace_back(random());
    replica::Header header;
    header.origin = 2, header.incarnation = 1, header.sequence = i + 1;
    deltas.push_back(*replica::write({header, std::move(delta)}));
  }
  const auto copy = make_replica(bytes);
  const double seconds = on_threads(threads, [&](unsigned t) {
    for (std::size_t i = t; i < kDeltas; i += threads) (void)copy->receive(deltas[i]);
  });
  const double rate = kDeltas * kKeys / seconds / 1e6;
  std::printf("apply, %u threads: %.1f million hashes a second%s\n", threads, rate,
              threads != 4 ? ""
              : rate >= 20 ? " (bar 20): met"
                           : " (bar 20): missed");
}

void digests(std::uint64_t bytes) {
  const auto copy = make_replica(bytes);
  const std::span<const std::uint8_t> payload = copy->filter().view().payload();
  std::vector<double> reading;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + 8 <= payload.size(); at += 8) sum += detail::load_le<std::uint64_t>(&payload[at]);
    asm volatile("" ::"r"(sum));
    reading.push_back(static_cast<double>(bytes) / seconds_since(start) / 1e9);
  }
  const auto start = Clock::now();
  (void)copy->begin_repair(2);  // all chunks are marked: it computes every digest, and an estimator over them
  const double rate = static_cast<double>(bytes) / seconds_since(start) / 1e9;
  std::printf("digests: %.2f GB/s, reading %.2f GB/s, %.2fx (bar 0.8x): %s\n", rate, median(reading),
              rate / median(reading), rate >= 0.8 * median(reading) ? "met" : "missed");
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t bytes = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1024) << 20;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 16;
  adds(bytes, 1);
  adds(bytes, threads);
  apply(bytes, 1);
  apply(bytes, 4);
  digests(bytes);
  return 0;
}
