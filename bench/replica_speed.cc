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
#include "replica/cells.h"

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

std::vector<replica::Bytes> make_deltas(std::size_t count, std::size_t keys, std::uint64_t& sequence) {
  std::mt19937_64 random(sequence);
  std::vector<replica::Bytes> deltas;
  for (std::size_t i = 0; i < count; ++i) {
    replica::Delta delta;
    for (std::size_t j = 0; j < keys; ++j) delta.hashes.emplace_back(random());
    replica::Header header;
    header.origin = 2, header.incarnation = 1, header.sequence = ++sequence;
    deltas.push_back(*replica::write({header, std::move(delta)}));
  }
  return deltas;
}

// Messages are read, checked and applied: windows of one thread and of four in turn, all of new hashes.
void apply(std::uint64_t bytes) {
  constexpr std::size_t kDeltas = 40, kKeys = 100'000;
  const auto copy = make_replica(bytes);
  std::uint64_t sequence = 0;
  std::vector<double> by_one, by_four;
  for (int window = 0; window < 5; ++window) {
    for (const unsigned threads : {1u, 4u}) {
      const std::vector<replica::Bytes> deltas = make_deltas(kDeltas, kKeys, sequence);
      const double seconds = on_threads(threads, [&](unsigned t) {
        for (std::size_t i = t; i < kDeltas; i += threads) (void)copy->receive(deltas[i]);
      });
      (threads == 1 ? by_one : by_four).push_back(kDeltas * kKeys / seconds / 1e6);
    }
  }
  std::printf("apply, million hashes a second: 1 thread %.1f, 4 threads %.1f (bar 20): %s\n", median(by_one),
              median(by_four), median(by_four) >= 20 ? "met" : "missed");
}

// Both by one thread, in turn. All chunks are marked before each pass, so that every digest is computed.
void digests(std::uint64_t bytes) {
  Shared<BlockFilter> filter = *Shared<BlockFilter>::with_geometry({bytes / 64, 8});
  (void)filter.prefault(4);
  const auto cells = *replica::make_cells(filter);
  const std::span<const std::uint8_t> payload = filter.view().payload();
  std::vector<double> reading, hashing;
  for (int i = 0; i < 7; ++i) {
    auto start = Clock::now();
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + 8 <= payload.size(); at += 8) sum += detail::load_le<std::uint64_t>(&payload[at]);
    asm volatile("" ::"r"(sum));
    reading.push_back(static_cast<double>(bytes) / seconds_since(start) / 1e9);
    cells->mark_all();
    start = Clock::now();
    (void)cells->digests();
    hashing.push_back(static_cast<double>(bytes) / seconds_since(start) / 1e9);
  }
  const double ratio = median(hashing) / median(reading);
  std::printf("digests: %.2f GB/s, reading %.2f GB/s, %.2fx (bar 0.8x): %s\n", median(hashing), median(reading), ratio,
              ratio >= 0.8 ? "met" : "missed");
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t bytes = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1024) << 20;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 16;
  adds(bytes, 1);
  adds(bytes, threads);
  apply(bytes);
  digests(bytes);
  return 0;
}
