#include "bloomery/live/shared.h"

#include <type_traits>

#include "core/base/error.h"
#include "kinds/common/describe.h"

namespace BLOOMERY_NAMESPACE {
namespace {

// Calls use(a word of mine, the offset of its bytes) for all whole words, then for the bytes that are left (classic).
template <class Use>
void for_each_word(std::span<std::uint8_t> mine, Use use) {
  std::size_t i = 0;
  for (; i + 8 <= mine.size(); i += 8) use(detail::words_at(&mine[i]), i);
  for (; i < mine.size(); ++i) use(&mine[i], i);
}

}  // namespace

template <class Layout, Reads kReads>
Result<Shared<BasicFilter<Layout>, kReads>> Shared<BasicFilter<Layout>, kReads>::from(Result<Filter> filter) {
  return guarded([&]() -> Result<Shared> {
    BLOOMERY_TRY(filter);
    return Shared(*std::move(filter));
  });
}

template <class Layout, Reads kReads>
Status Shared<BasicFilter<Layout>, kReads>::merge(const View& other) {
  BLOOMERY_TRY(detail::check_combinable(filter_.view(), other));
  const std::uint8_t* theirs = other.payload().data();  // anywhere, so perhaps not aligned
  for_each_word(mutable_payload("merge"), [theirs]<class Word>(Word* word, std::size_t at) {
    detail::set_shared(word, detail::load_le<Word>(theirs + at));
  });
  return {};
}

template <class Layout, Reads kReads>
Status Shared<BasicFilter<Layout>, kReads>::merge(const Shared& other) {
  BLOOMERY_TRY(detail::check_combinable(filter_.view(), other.view()));
  const std::uint8_t* theirs = other.view().payload().data();
  for_each_word(mutable_payload("merge"), [theirs]<class Word>(Word* word, std::size_t at) {
    detail::set_shared(word, detail::load_shared(reinterpret_cast<const Word*>(theirs + at)));
  });
  return {};
}

template <class Layout, Reads kReads>
void Shared<BasicFilter<Layout>, kReads>::clear() {
  for_each_word(mutable_payload("clear"), []<class Word>(Word* word, std::size_t) {
    std::atomic_ref<Word>(*word).store(0, std::memory_order_relaxed);
  });
}

template <class Layout, Reads kReads>
Result<BasicFilter<Layout>> Shared<BasicFilter<Layout>, kReads>::copy() const {
  const detail::RacyReads reads;
  return Filter::copy_of(filter_.view(), std::nullopt);
}

template <class Layout, Reads kReads>
std::uint64_t Shared<BasicFilter<Layout>, kReads>::bits_set() const {
  const detail::RacyReads reads;
  return filter_.bits_set();
}

template <class Layout, Reads kReads>
double Shared<BasicFilter<Layout>, kReads>::fill() const {
  const detail::RacyReads reads;
  return filter_.fill();
}

template <class Layout, Reads kReads>
double Shared<BasicFilter<Layout>, kReads>::predicted_fpr() const {
  const detail::RacyReads reads;
  return filter_.predicted_fpr();
}

template <class Layout, Reads kReads>
std::optional<std::uint64_t> Shared<BasicFilter<Layout>, kReads>::estimated_count() const {
  const detail::RacyReads reads;
  return filter_.estimated_count();
}

template class Shared<ClassicFilter, Reads::vectors>;
template class Shared<ClassicFilter, Reads::words>;
template class Shared<SplitFilter, Reads::vectors>;
template class Shared<SplitFilter, Reads::words>;
template class Shared<BlockFilter, Reads::vectors>;
template class Shared<BlockFilter, Reads::words>;

}  // namespace BLOOMERY_NAMESPACE
