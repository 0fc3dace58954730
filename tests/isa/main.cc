// Makes the filters, then adds and asks by the functions that an argument names, "any" or "avx512": no filter may deny
// a key. Compiled for any machine. Static kinds are built here of all the keys.
#include <cstdio>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "filters.h"

extern Add add_any, add_avx512;
extern Ask ask_any, ask_avx512;

namespace {

constexpr std::uint64_t kKeys = 40;
constexpr char kText[] = "a key of forty bytes, not all of them used";

template <class T>
std::unique_ptr<T> owned(bloomery::Result<T> made) {
  return made.ok() ? std::make_unique<T>(*std::move(made)) : nullptr;
}

// A filter of the kind for a thousand keys; of a static kind for those of the loop below.
template <class Layout>
std::unique_ptr<bloomery::BasicFilter<Layout>> make(std::type_identity<bloomery::BasicFilter<Layout>>) {
  using Filter = bloomery::BasicFilter<Layout>;
  constexpr double kRate = 0.004;
  if constexpr (bloomery::StaticLayout<Layout>) {
    std::vector<bloomery::Hash> hashes;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      hashes.push_back(Layout::default_hasher()(i));
      hashes.push_back(Layout::default_hasher()(kText, i));
    }
    return owned(Filter::build(hashes, kRate));
  } else {
    return owned(Filter::with_capacity(1'000, kRate));
  }
}
template <class Filter, bloomery::Reads kReads>
std::unique_ptr<bloomery::Shared<Filter, kReads>> make(std::type_identity<bloomery::Shared<Filter, kReads>>) {
  return owned(bloomery::Shared<Filter, kReads>::with_capacity(1'000, 0.004));
}
template <class Live>
std::unique_ptr<Live> make(std::type_identity<Live>) {
  auto made = Live::make({.n = 1'000, .fpr = 0.004});
  return made.ok() ? *std::move(made) : nullptr;
}

}  // namespace

int main(int, char** arguments) {
  const bool any = std::strcmp(arguments[1], "any") == 0;
  Filters filters;
#define FILTER(name, Class, id)                                                    \
  const auto name = make(std::type_identity<bloomery::Class##Filter>());           \
  if (name == nullptr) return std::fprintf(stderr, "no filter of %s\n", #name), 1; \
  filters.name = name.get();
  BLOOMERY_KINDS(FILTER)
#undef FILTER
#define FILTER(name, ...)                                                          \
  const auto name = make(std::type_identity<__VA_ARGS__>());                       \
  if (name == nullptr) return std::fprintf(stderr, "no filter of %s\n", #name), 1; \
  filters.name = name.get();
  SHARED_FILTERS(FILTER)
#undef FILTER
  bloomery::Result<bloomery::AnyFilter> of_any_kind =
      bloomery::AnyFilter::with_capacity(bloomery::Kind::block, 1'000, 0.004);
  if (!of_any_kind.ok()) return 1;
  filters.any = &*of_any_kind;

  unsigned maybes = 0;
  for (std::uint64_t i = 0; i < kKeys; ++i) {
    const Keys keys = {i, kText, i};
    const char* refused = (any ? add_any : add_avx512)(filters, keys);
    const char* denied = refused != nullptr ? nullptr : (any ? ask_any : ask_avx512)(filters, keys);
    if (refused == nullptr && denied == nullptr) continue;
    std::printf("%s: %s of %s, key %d\n", arguments[1], refused != nullptr ? "add" : "contains",
                refused != nullptr ? refused : denied, static_cast<int>(i));
    return 1;
  }
  // Probes that always say "maybe" would pass until here: of absent keys some filter denies nearly every one.
  for (std::uint64_t i = 0; i < kKeys; ++i)
    maybes += (any ? ask_any : ask_avx512)(filters, {i + 10'000, kText, i}) == nullptr ? 1 : 0;
  std::printf("%s: %u of %u absent keys found everywhere\n", arguments[1], maybes, static_cast<unsigned>(kKeys));
  return maybes == 0 ? 0 : 1;
}
