// The layouts of all kinds as a list for TYPED_TEST_SUITE, and a filter of any of them with some keys in it. A new kind
// joins by the list in bloomery/kind.h.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bloomery/any.h"

namespace bloomery::testing {

template <class List>
struct TypesOf;
template <class... Layouts>
struct TypesOf<LayoutList<Layouts...>> {
  using Types = ::testing::Types<Layouts...>;
};
using AllLayoutTypes = TypesOf<AllLayouts>::Types;

// The layouts for which Has<Layout>::value is true.
template <template <class> class Has, class List = AllLayouts, class Kept = LayoutList<>>
struct Those;
template <template <class> class Has, class Kept>
struct Those<Has, LayoutList<>, Kept> : TypesOf<Kept> {};
template <template <class> class Has, class First, class... Rest, class... Kept>
struct Those<Has, LayoutList<First, Rest...>, LayoutList<Kept...>>
    : Those<Has, LayoutList<Rest...>,
            std::conditional_t<Has<First>::value, LayoutList<Kept..., First>, LayoutList<Kept...>>> {};

// What a kind offers, for the lists of suites.
template <class Layout>
struct Any : std::true_type {};
template <class Layout>
struct Remembers : std::bool_constant<!ForgettingLayout<Layout>> {};
template <class Layout>
struct Takes : std::bool_constant<!StaticLayout<Layout>> {};
template <class Layout>
struct InPlace : std::bool_constant<InPlaceLayout<Layout>> {};
template <class Layout>
struct Removes : std::bool_constant<RemovingLayout<Layout>> {};
template <class Layout>
struct Tallies : std::bool_constant<TallyingLayout<Layout>> {};
template <class Layout>
struct Merges : std::bool_constant<MergingLayout<Layout>> {};
template <class Layout>
struct Intersects : std::bool_constant<IntersectingLayout<Layout>> {};

struct KindNames {
  template <class Layout>
  static std::string GetName(int) {
    return to_string(Layout::Geometry::kKind);
  }
};

inline std::vector<std::uint64_t> some_keys(std::size_t count) {
  std::vector<std::uint64_t> keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = i;
  return keys;
}

template <class Layout>
BasicFilter<Layout> filter_of(const std::vector<std::uint64_t>& keys, const Hasher& hasher = Layout::default_hasher()) {
  if constexpr (StaticLayout<Layout>) {
    return *BasicFilter<Layout>::build(keys, 0.01, hasher);
  } else {
    BasicFilter<Layout> filter = *BasicFilter<Layout>::with_capacity(keys.size() + 1, 0.01, hasher);
    (void)filter.add_many(keys);
    return filter;
  }
}

// contains and contains_many by the name that the kind has for them.
template <class Filter, class T>
bool asked(const Filter& filter, const T& key) {
  if constexpr (requires { filter.contains(key); }) return filter.contains(key);
  else return filter.seen_recently(key);
}
template <class Filter, class Keys>
void ask_many(const Filter& filter, const Keys& keys, std::span<std::uint8_t> answers) {
  if constexpr (requires { filter.contains_many(keys, answers); }) filter.contains_many(keys, answers);
  else filter.seen_recently_many(keys, answers);
}

}  // namespace bloomery::testing
