// Compiled twice: for the machine that every x86-64 is, and for AVX-512. ASK and ADD name the functions, whose filters
// main.cc made. What is here uses whatever a kind has, one key at a time and in batches, so that the inline code of all
// of it is in the object.
#include <array>
#include <span>
#include <string>
#include <string_view>

#include "filters.h"

extern Add ADD;
extern Ask ASK;

namespace {

// The two keys in every form that batches take.
struct Batch {
  explicit Batch(const Keys& keys)
      : text(keys.text, keys.size),
        numbers{keys.number, keys.number},
        small{static_cast<std::uint32_t>(keys.number)},
        texts{text, text},
        strings{std::string(text)},
        offsets{0, static_cast<std::int32_t>(keys.size)},
        column(offsets, keys.text) {}

  std::string_view text;
  std::array<std::uint64_t, 2> numbers;
  std::array<std::uint32_t, 1> small;
  std::array<std::string_view, 2> texts;
  std::array<std::string, 1> strings;
  std::array<std::int32_t, 2> offsets;
  bloomery::StringColumn<std::int32_t> column;
};

// Whether every key of the batches is there, by `many(keys, answers)`.
template <class Many>
bool finds_all(const Batch& batch, Many many) {
  std::array<std::uint8_t, 7> answers{};
  const std::span<std::uint8_t> room = answers;
  many(batch.numbers, room), many(batch.texts, room.subspan(2)), many(batch.column, room.subspan(4));
  many(batch.small, room.subspan(5)), many(batch.strings, room.subspan(6));
  unsigned found = 0;
  for (const std::uint8_t answer : answers) found += answer;
  return found == answers.size();
}

template <class Layout>
bool asks_view(const bloomery::BasicView<Layout>& view, std::uint64_t number, const Batch& batch) {
  const std::array hashes = {view.hasher()(number), bloomery::hash_key(view.hasher(), batch.text)};
  if constexpr (bloomery::ForgettingLayout<Layout>) {
    if (!finds_all(batch, [&](const auto& keys, auto room) { view.seen_recently_many(keys, room); })) return false;
    return view.seen_recently(number) && view.seen_recently(batch.text) && view.seen_recently(hashes[0]);
  } else {
    if (!finds_all(batch, [&](const auto& keys, auto room) { view.contains_many(keys, room); })) return false;
    std::array<std::uint8_t, 2> answers{};
    view.contains_many(hashes, answers);
    std::array<std::uint32_t, 2> positions{};
    std::array<std::uint64_t, 1> words{};
    view.contains_bitmap(batch.texts, words);
    if (answers[0] + answers[1] != 2 || words[0] != 3 || view.select_present(batch.numbers, positions) != 2)
      return false;
    if constexpr (bloomery::TallyingLayout<Layout>)
      if (view.count(number) == 0 || view.count(batch.text) == 0) return false;
    if constexpr (bloomery::IteratingLayout<Layout>) {
      std::uint64_t all = 0;
      view.for_each([&](std::uint64_t, std::uint64_t times) { all += times; });
      if (all == 0) return false;
    }
    return view.contains(number) && view.contains(static_cast<std::int16_t>(number)) && view.contains(batch.text) &&
           view.contains(batch.strings[0]) && view.contains(hashes[0]) && view.contains(hashes[1]);
  }
}

template <class Layout>
bool asks(const bloomery::BasicFilter<Layout>& filter, std::uint64_t number, const Batch& batch) {
  if (!asks_view(filter.view(), number, batch)) return false;
  const bloomery::AnyView any(filter.view());
  if (!any.contains(number) || !any.contains(batch.text)) return false;
  if (!finds_all(batch, [&](const auto& keys, auto room) { any.contains_many(keys, room); })) return false;
  std::array<std::uint32_t, 2> positions{};
  std::array<std::uint64_t, 1> words{};
  any.contains_bitmap(batch.texts, words);
  if (words[0] != 3 || any.select_present(batch.numbers, positions) != 2) return false;
  if constexpr (bloomery::ForgettingLayout<Layout>)
    return finds_all(batch, [&](const auto& keys, auto room) { filter.seen_recently_many(keys, room); });
  else
    return filter.contains(number) && filter.contains(batch.text) &&
           finds_all(batch, [&](const auto& keys, auto room) { filter.contains_many(keys, room); });
}

// What says of an add how it went: a change, or a Status.
bool went_well(bool) { return true; }
bool went_well(const bloomery::Status& status) { return status.ok(); }

template <class Filter>
bool adds_to(Filter& filter, std::uint64_t number, const Batch& batch) {
  return went_well(filter.add(number)) && went_well(filter.add(batch.text)) && filter.add_many(batch.numbers).ok() &&
         filter.add_many(batch.texts).ok() && filter.add_many(batch.column).ok() && filter.add_many(batch.small).ok();
}

// Adds the keys as often as adds_to, and takes some of them out again.
template <class Layout>
bool adds(bloomery::BasicFilter<Layout>& filter, std::uint64_t number, const Batch& batch) {
  if constexpr (bloomery::StaticLayout<Layout>) {
    const bloomery::Result<bloomery::BasicFilter<Layout>> built = filter.build(batch.texts, 0.004);
    return built.ok() && built->contains(batch.text);
  } else {
    if (!adds_to(filter, number, batch)) return false;
    if constexpr (bloomery::TakingLayout<Layout>) (void)filter.test_and_add(number);
    if constexpr (bloomery::RemovingLayout<Layout>)
      if (!filter.remove(number) || !filter.remove(batch.text)) return false;
    if constexpr (bloomery::BatchRemovingLayout<Layout>) {
      std::array<std::uint8_t, 2> answers{};
      filter.remove_many(std::span(batch.texts).first(1), answers);
      if (answers[0] != 1) return false;
    }
    if constexpr (bloomery::InPlaceLayout<Layout>) {
      auto page = bloomery::BasicMutableView<Layout>::from_payload(filter.mutable_payload(), filter.geometry(),
                                                                   filter.hasher());
      if (!page.ok() || !went_well(page->add(number)) || !page->add_many(batch.texts).ok()) return false;
      if constexpr (bloomery::RemovingLayout<Layout>)
        if (!page->remove(number) || !page->remove(batch.text)) return false;
    }
    return true;
  }
}

template <class Shared>
bool adds_shared(Shared& filter, std::uint64_t number, const Batch& batch) {
  if (!went_well(filter.add(number)) || !went_well(filter.add(batch.text))) return false;
  if constexpr (requires { filter.add_many(batch.texts); })
    if (!filter.add_many(batch.texts).ok() || !filter.add_many(batch.numbers).ok()) return false;
  if constexpr (requires { filter.add_once(number); }) (void)filter.add_once(number);
  if constexpr (requires { filter.remove(number); })
    if (!filter.remove(number) || !filter.remove(batch.text)) return false;
  return true;
}

template <class Shared>
bool asks_shared(const Shared& filter, std::uint64_t number, const Batch& batch) {
  if constexpr (requires(std::span<std::uint8_t> answers) { filter.contains_many(batch.texts, answers); }) {
    std::array<std::uint8_t, 2> answers{};
    filter.contains_many(batch.texts, answers);
    if (answers[0] + answers[1] != 2) return false;
  }
  if constexpr (requires { filter.count(number); })
    if (filter.count(number) == 0) return false;
  return filter.contains(number) && filter.contains(batch.text);
}

}  // namespace

const char* ADD(const Filters& filters, const Keys& keys) {
  const Batch batch(keys);
#define FILTER(name, Class, id) \
  if (!adds(*filters.name, keys.number, batch)) return #name;
  BLOOMERY_KINDS(FILTER)
#undef FILTER
#define FILTER(name, ...) \
  if (!adds_shared(*filters.name, keys.number, batch)) return #name;
  SHARED_FILTERS(FILTER)
#undef FILTER
  return adds_to(*filters.any, keys.number, batch) ? nullptr : "any";
}

const char* ASK(const Filters& filters, const Keys& keys) {
  const Batch batch(keys);
#define FILTER(name, Class, id) \
  if (!asks(*filters.name, keys.number, batch)) return #name;
  BLOOMERY_KINDS(FILTER)
#undef FILTER
#define FILTER(name, ...) \
  if (!asks_shared(*filters.name, keys.number, batch)) return #name;
  SHARED_FILTERS(FILTER)
#undef FILTER
  return filters.any->contains(keys.number) && filters.any->contains(batch.text) ? nullptr : "any";
}
