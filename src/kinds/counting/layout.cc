// The counting filter as a whole. What walks over all counters takes eight bytes at a time: every second counter stands
// in a lane twice its width, which has room for a carry.
#include "bloomery/counting.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/log.h"
#include "kinds/classic/exact_rate.h"
#include "kinds/common/basic_filter_impl.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using Word = std::uint64_t;

template <std::uint32_t kBits>
struct Lanes {
  static constexpr std::uint32_t kWidth = kBits;
  static constexpr Word kMax = (Word{1} << kBits) - 1;
  static constexpr Word kOnes = ~Word{0} / ((Word{1} << kBits) + 1) / kMax;  // a 1 in every lane
  static constexpr Word kAll = kOnes * kMax;
  static constexpr Word kCarries = kOnes << kBits;

  static Word even(Word word) { return word & kAll; }
  static Word odd(Word word) { return (word >> kBits) & kAll; }
  // All ones of a counter where its carry is set.
  static Word where_carried(Word lanes) { return ((lanes >> kBits) & kOnes) * kMax; }

  static Word sum(Word a, Word b) { return ((a + b) | where_carried(a + b)) & kAll; }
  static Word lower(Word a, Word b) {
    const Word not_less = where_carried((a | kCarries) - b);
    return (b & not_less) | (a & ~not_less);
  }
  static int not_zero(Word lanes) { return std::popcount((lanes + kAll) & kCarries); }
};
static_assert(Lanes<4>::kOnes == 0x0101010101010101 && Lanes<32>::kOnes == 1);

template <std::uint32_t kBits>
Lanes<kBits> lanes_of(detail::CounterOf<kBits>) {
  return {};
}

// Calls use(offset, length) for every eight bytes, and for those that are left.
template <class Use>
void for_each_word(std::uint64_t bytes, Use use) {
  std::uint64_t at = 0;
  for (; at + sizeof(Word) <= bytes; at += sizeof(Word)) use(at, sizeof(Word));
  if (at < bytes) use(at, bytes - at);
}

Word load_some(const std::uint8_t* from, std::size_t length) {
  Word word = 0;
  std::memcpy(&word, from, length);
  return word;
}

template <class Combine>
void combine_all(std::uint8_t* mine, const std::uint8_t* theirs, std::uint64_t bytes, Combine combine) {
  for_each_word(bytes, [&](std::uint64_t at, std::size_t length) {
    const Word word = combine(load_some(mine + at, length), load_some(theirs + at, length));
    std::memcpy(mine + at, &word, length);
  });
}

}  // namespace

void CountingLayout::unite(std::uint8_t* bytes, const std::uint8_t* others) const {
  detail::with_counters(counter_bits_, [&](auto counter) {
    using Of = decltype(lanes_of(counter));
    combine_all(bytes, others, geometry().payload_bytes(), [](Word a, Word b) {
      return Of::sum(Of::even(a), Of::even(b)) | Of::sum(Of::odd(a), Of::odd(b)) << Of::kWidth;
    });
  });
}

void CountingLayout::intersect(std::uint8_t* bytes, const std::uint8_t* others) const {
  detail::with_counters(counter_bits_, [&](auto counter) {
    using Of = decltype(lanes_of(counter));
    combine_all(bytes, others, geometry().payload_bytes(), [](Word a, Word b) {
      return Of::lower(Of::even(a), Of::even(b)) | Of::lower(Of::odd(a), Of::odd(b)) << Of::kWidth;
    });
  });
}

std::uint64_t CountingLayout::cells_set(std::span<const std::uint8_t> bytes) const {
  return detail::with_counters(counter_bits_, [&](auto counter) {
    using Of = decltype(lanes_of(counter));
    std::uint64_t set = 0;
    for_each_word(bytes.size(), [&](std::uint64_t at, std::size_t length) {
      const Word word = load_some(&bytes[at], length);
      set += static_cast<std::uint64_t>(Of::not_zero(Of::even(word)) + Of::not_zero(Of::odd(word)));
    });
    return set;
  });
}

Result<CountingGeometry> CountingLayout::plan(std::uint64_t n, double fpr) {
  Result<CountingPlan> plan = plan_counting(n, fpr);
  BLOOMERY_TRY(plan);
  if (!plan->warning.empty()) log(LogLevel::warning, plan->warning);
  return plan->geometry;
}

Status CountingLayout::check_payload(std::span<const std::uint8_t> bytes) const {
  if (counter_bits_ == 4 && remainder_.divisor() % 2 != 0 && bytes.back() >> 4 != 0)
    return corrupt("counters", "half a byte after the last counter is not 0: the counters are damaged");
  return {};
}

double CountingLayout::predicted_fpr(std::span<const std::uint8_t> bytes, std::uint64_t counters_set) const {
  if (geometry().m > detail::kExactUpToM) return geometry().predicted_fpr_at(counters_set);
  return detail::with_counters(counter_bits_, [&]<class Counter>(Counter) {
    return detail::exact_fpr<Counter>(bytes.data(), geometry().classic());
  });
}

Result<ClassicFilter> to_classic(const CountingFilter& filter) {
  const CountingGeometry geometry = filter.geometry();
  Result<ClassicFilter> bits = ClassicFilter::with_geometry(geometry.classic(), filter.options());
  BLOOMERY_TRY(bits);
  const std::uint8_t* counters = filter.view().payload().data();
  std::uint8_t* to = bits->mutable_payload().data();
  detail::with_counters(geometry.counter_bits, [&]<class Counter>(Counter) {
    for (std::uint64_t i = 0; i < geometry.m; ++i)
      to[i / 8] = static_cast<std::uint8_t>(to[i / 8] | Counter::is_set(counters, i) << (i % 8));
  });
  bits->set_key_count(filter.key_count());
  return bits;
}

template class BasicView<CountingLayout>;
template class BasicFilter<CountingLayout>;
template class BasicMutableView<CountingLayout>;

}  // namespace BLOOMERY_NAMESPACE
