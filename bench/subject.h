// A filter as the windows time it: whole spans of keys at a time, so that a virtual call costs nothing that is seen and
// the windows are compiled once for all kinds.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "bloomery/any.h"

namespace bloomery::bench {

// K is the type of the keys.
template <class K>
class Subject {
 public:
  using Keys = std::span<const K>;

  virtual ~Subject() = default;

  virtual AnyView view() const = 0;
  virtual Hasher hasher() const = 0;
  virtual std::optional<double> huge_page_share() const = 0;
  virtual Status prefault(unsigned threads) = 0;

  virtual bool is_static() const = 0;  // built of all its keys at once
  virtual bool has_build() const = 0;  // of the others a build is nothing but add_many

  virtual void clear() = 0;
  virtual Status add_one_by_one(Keys keys) = 0;
  virtual Status add_many(Keys keys, unsigned threads) = 0;
  virtual void contains_many(Keys keys, std::span<std::uint8_t> answers) const = 0;
  virtual std::uint64_t count_one_by_one(Keys keys) const = 0;  // how many are found, by single calls
  // A new filter of these keys.
  virtual Result<std::unique_ptr<Subject>> build(Keys keys, double fpr, unsigned threads) const = 0;
};

// Whether the kind adds by several threads.
template <class Filter>
inline constexpr bool kAddsByThreads = false;
template <class Layout>
inline constexpr bool kAddsByThreads<BasicFilter<Layout>> = BlockedLayout<Layout>;

template <class Filter, class K>
class SubjectOf final : public Subject<K> {
 public:
  using typename Subject<K>::Keys;

  explicit SubjectOf(Filter filter) : filter_(std::move(filter)) {}

  AnyView view() const override { return filter_.view(); }
  Hasher hasher() const override { return filter_.hasher(); }
  std::optional<double> huge_page_share() const override { return filter_.huge_page_share(); }
  Status prefault(unsigned threads) override { return filter_.prefault(threads); }

  bool is_static() const override { return kStatic; }
  bool has_build() const override { return kStatic || kAddsByThreads<Filter>; }

  void clear() override {
    if constexpr (!kStatic) filter_.clear();
  }

  Status add_one_by_one([[maybe_unused]] Keys keys) override {
    Status all;
    if constexpr (kFills) {
      for (const K& key : keys)
        if (Status added = filter_.add(key); !added.ok()) all = std::move(added);
    } else if constexpr (!kStatic) {
      for (const K& key : keys) filter_.add(key);
    }
    return all;
  }

  Status add_many([[maybe_unused]] Keys keys, [[maybe_unused]] unsigned threads) override {
    if constexpr (kAddsByThreads<Filter>) {
      if (threads > 1 && filter_.add_many(keys, threads).ok()) return {};
    }
    if constexpr (kStatic) return {};
    else return filter_.add_many(keys);
  }

  void contains_many(Keys keys, std::span<std::uint8_t> answers) const override {
    filter_.contains_many(keys, answers);
  }

  std::uint64_t count_one_by_one(Keys keys) const override {
    std::uint64_t hits = 0;
    for (const K& key : keys) hits += filter_.contains(key) ? 1 : 0;
    return hits;
  }

  Result<std::unique_ptr<Subject<K>>> build([[maybe_unused]] Keys keys, [[maybe_unused]] double fpr,
                                            [[maybe_unused]] unsigned threads) const override {
    if constexpr (kStatic || kAddsByThreads<Filter>) {
      Result<Filter> built = Filter::build(keys, fpr, threads);
      BLOOMERY_TRY(built);
      return std::unique_ptr<Subject<K>>(std::make_unique<SubjectOf>(*std::move(built)));
    } else {
      return std::unique_ptr<Subject<K>>();
    }
  }

 private:
  static constexpr bool kStatic = !requires(Filter & filter) { filter.clear(); };
  static constexpr bool kFills = requires(Filter & filter) {
    { filter.add(Hash()) } -> std::same_as<Status>;
  };

  Filter filter_;
};

}  // namespace bloomery::bench
