#include "bench/random_writes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/fnv.h"
#include "live/fetch.h"

namespace bloomery::bench {
namespace {

constexpr std::size_t kGroup = 32;  // lines fetched at once

detail::Buffer words_of(std::uint64_t bytes) {
  detail::Buffer words = *detail::Buffer::zeroed(std::max<std::uint64_t>(bytes / 8 * 8, 8));
  (void)words.prefault(std::thread::hardware_concurrency());
  return words;
}

// Words of a buffer, at places that numbers choose.
class Words {
 public:
  explicit Words(detail::Buffer& bytes)
      : words_(reinterpret_cast<std::uint64_t*>(bytes.data())), count_(bytes.size() / sizeof(std::uint64_t)) {}

  std::uint64_t* at(std::uint64_t number) const { return words_ + detail::mulhi64(detail::splitmix64(number), count_); }

  void write_one_by_one(std::uint64_t first, std::uint64_t last) const {
    for (std::uint64_t i = first; i < last; ++i) write(at(i));
  }
  void write_fetched(std::uint64_t first, std::uint64_t last) const {
    std::array<std::uint64_t*, kGroup> group;
    for (; first < last; first += kGroup) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kGroup, last - first));
      for (std::size_t i = 0; i < count; ++i) detail::fetch_to_write(group[i] = at(first + i));
      for (std::size_t i = 0; i < count; ++i) write(group[i]);
    }
  }

 private:
  static void write(std::uint64_t* word) { std::atomic_ref(*word).fetch_xor(1, std::memory_order_relaxed); }

  std::uint64_t* words_;
  std::uint64_t count_;
};

// Times write(first, last), after warm-up by numbers that follow.
template <class Write>
double timed(const Team& team, std::size_t writes, const Write& write) {
  std::atomic<std::size_t> warmed{writes};
  const std::size_t warm = writes / 5;
  return team.ns_per_item(
      writes,
      [&] {
        const std::size_t first = warmed.fetch_add(warm);
        write(first, first + warm);
      },
      write);
}

}  // namespace

RandomWrites::RandomWrites(std::uint64_t bytes) : words_(words_of(bytes)) {}

double RandomWrites::shared_ns(const Team& team, std::size_t writes) {
  const Words words(words_);
  return timed(team, writes, [&](std::size_t first, std::size_t last) { words.write_one_by_one(first, last); });
}

double RandomWrites::shared_fetched_ns(const Team& team, std::size_t writes) {
  const Words words(words_);
  return timed(team, writes, [&](std::size_t first, std::size_t last) { words.write_fetched(first, last); });
}

// A thread takes its buffer with its warm-up.
double RandomWrites::own_ns(const Team& team, std::size_t writes) const {
  static thread_local detail::Buffer own;
  const double ns = timed(team, writes, [&](std::size_t first, std::size_t last) {
    if (own.size() != words_.size()) own = words_of(words_.size());
    Words(own).write_one_by_one(first, last);
  });
  own = {};  // that of this thread; the others went with theirs
  return ns;
}

}  // namespace bloomery::bench
