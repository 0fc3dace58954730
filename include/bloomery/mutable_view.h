// BasicMutableView: a filter that changes in bytes that somebody else owns, such as a page of a storage engine, a value
// of a server or a buffer. BlockMutableView and its like are this template. The same adds make the same bytes as in a
// BasicFilter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>

#include "bloomery/view.h"

namespace BLOOMERY_NAMESPACE {

// A kind that changes in place: it is not built of all keys at once, and does not grow.
template <class Layout>
concept InPlaceLayout = !StaticLayout<Layout> && !GrowingLayout<Layout>;

// A filter that changes in bytes that somebody else owns. One thread may write to it while no other reads it. Copies
// refer to the same bytes, which must outlive them all and may lie at any address.
template <class Layout>
class BLOOMERY_API BasicMutableView {
 public:
  using View = BasicView<Layout>;
  using Geometry = typename Layout::Geometry;

  // Turns the bytes into an empty filter, whatever they held. Refuses another number than geometry.payload_bytes().
  BLOOMERY_API static Result<BasicMutableView> create(std::span<std::uint8_t> bytes, const Geometry& geometry,
                                                      const Hasher& hasher = Layout::default_hasher());
  // Uses the filter that the bytes hold. Refuses what View::from_payload and View::check_structure refuse.
  BLOOMERY_API static Result<BasicMutableView> from_payload(std::span<std::uint8_t> bytes, const Geometry& geometry,
                                                            const Hasher& hasher = Layout::default_hasher());

  // Adds a key. Returns whether any bit changed; false means that the key was there before, or looks like it.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) noexcept requires TakingLayout<Layout> {
    return view_.layout_.add(bytes_, hash_key(view_.hasher_, key));
  }
  // Adds a key to a kind that can be full. The error is ErrorCode::full, and then nothing has changed.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add(const T& key) requires FillingLayout<Layout> {
    return view_.layout_.place(bytes_, hash_key(view_.hasher_, key)) ? Status() : refusal();
  }
  // Adds all keys in order. The error is that of add: then the keys before the refused one are in. `added`, unless it
  // is nullptr, is set to the number of keys that are in.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys, std::size_t* added = nullptr) requires TakingLayout<Layout> {
    detail::for_hash_groups(view_.hasher_, keys,
                            [&](std::size_t, std::span<const Hash> hashes) { view_.layout_.add_many(bytes_, hashes); });
    if (added != nullptr) *added = std::size(keys);
    return {};
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys, std::size_t* added = nullptr) requires FillingLayout<Layout> {
    std::size_t placed = 0;
    detail::for_hash_groups(view_.hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      if (placed == first) placed += view_.layout_.place_many(bytes_, hashes);
    });
    if (added != nullptr) *added = placed;
    return placed == std::size(keys) ? Status() : refusal();
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add_many(std::initializer_list<T> keys, std::size_t* added = nullptr) {
    return add_many(std::span(keys.begin(), keys.size()), added);
  }
  // Takes `first` as it is given, so that an array is told from a pointer.
  template <class Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(Keys&& first, std::decay_t<Keys> last,
                  std::size_t* added = nullptr) requires KeyIterator<std::decay_t<Keys>> {
    return add_many(std::span(std::decay_t<Keys>(first), last), added);
  }
  // As BasicFilter::remove.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool remove(const T& key) noexcept requires RemovingLayout<Layout> {
    return view_.layout_.remove(bytes_, hash_key(view_.hasher_, key));
  }
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void add_many(const R&, std::size_t* = nullptr) = delete;  // no hash of its elements: write bloomery_hash
  template <std::size_t kCount> void add_many(std::size_t (&)[kCount], std::size_t*) = delete;  // the pointer may be the end of the keys or the place of their number: write add_many(std::span(keys), &added), or add_many(std::begin(keys), end)
  template <class T> bool remove(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <Key T> bool remove(const T&) requires(!RemovingLayout<Layout>) = delete;  // counting, cuckoo and quotient filters remove
  // clang-format on

  // Adds all that `other` holds. Refuses another hash or another geometry, and names both.
  template <class L = Layout>  // because clang 14 instantiates constrained members together with the class
  Status merge(const View& other) requires UnitingLayout<L> {
    BLOOMERY_TRY(view_.check_combinable(other));
    view_.layout_.unite(bytes_, other.payload().data());
    return {};
  }
  BLOOMERY_API void clear() noexcept;

  // Returns the view that asks: contains, contains_many, fill, ...
  const View& view() const { return view_; }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept requires(!ForgettingLayout<Layout>) {
    return view_.contains(key);
  }
  std::span<std::uint8_t> payload() const { return {bytes_, view_.payload().size()}; }

 private:
  BasicMutableView(std::uint8_t* bytes, const View& view) : bytes_(bytes), view_(view) {}

  BLOOMERY_API Status refusal() const;

  std::uint8_t* bytes_;
  View view_;
};

}  // namespace BLOOMERY_NAMESPACE
