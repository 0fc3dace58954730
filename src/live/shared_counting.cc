#include "bloomery/live/shared_counting.h"

#include "kinds/classic/batch.h"

namespace BLOOMERY_NAMESPACE {

void detail::shared_contains_many(const std::uint8_t* bytes, const Remainder& remainder, std::uint32_t k,
                                  std::uint32_t counter_bits, std::span<const Hash> hashes, std::uint8_t* answers) {
  with_shared_counters(counter_bits, [&]<class Counter>(Counter) {
    rounds::cells_contain_many<Counter>(bytes, remainder, k, hashes, answers);
  });
}

template <Reads kReads>
Result<CountingFilter> Shared<CountingFilter, kReads>::copy() const {
  Result<Filter> copied = Filter::with_geometry(geometry(), hasher());
  BLOOMERY_TRY(copied);
  const std::span<std::uint8_t> to = copied->mutable_payload();
  detail::with_shared_counters(counter_bits_, [&]<class Counter>(Counter) {
    using Word = typename Counter::Word;
    const auto at = [&](std::size_t byte) { return detail::load_shared(reinterpret_cast<const Word*>(data() + byte)); };
    for (std::size_t byte = 0; byte < to.size(); byte += sizeof(Word)) {
      if constexpr (Counter::kPerWord == 1) detail::store_le(&to[byte], Counter::settled(at(byte)));
      else detail::store_le(&to[byte], at(byte));
    }
  });
  copied->set_key_count(std::nullopt);
  return copied;
}

template class Shared<CountingFilter, Reads::vectors>;
template class Shared<CountingFilter, Reads::words>;

}  // namespace BLOOMERY_NAMESPACE
