// A filter that can be changed, over bytes that somebody else owns: a page of a storage engine, a value of a server, a
// buffer. The bytes are those of the same adds to a BasicFilter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/detail/basic_view.h"

namespace BLOOMERY_NAMESPACE {

// Kinds that are changed in place: neither built of all keys at once nor in need of more memory.
template <class Layout>
concept InPlaceLayout = !StaticLayout<Layout> && !GrowingLayout<Layout>;

// A filter to be changed, in bytes that somebody else owns. One thread may write to it while no other reads it. Copies
// refer to the same bytes, which must outlive them all and may lie at any address.
template <class Layout>
class BLOOMERY_API BasicMutableView {
 public:
  using View = BasicView<Layout>;
  using Geometry = typename Layout::Geometry;

  // Makes an empty filter of these bytes, whatever they held. Refuses another number than geometry.payload_bytes().
  BLOOMERY_API static Result<BasicMutableView> create(std::span<std::uint8_t> bytes, const Geometry& geometry,
                                                      const Hasher& hasher = Layout::default_hasher());
  // Takes the filter that these bytes hold. Refuses what View::from_payload and View::check_structure refuse.
  BLOOMERY_API static Result<BasicMutableView> from_payload(std::span<std::uint8_t> bytes, const Geometry& geometry,
                                                            const Hasher& hasher = Layout::default_hasher());

  // Returns whether any bit changed; false means that the key was there before, or looks like it.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool add(const T& key) noexcept requires TakingLayout<Layout> {
    return view_.layout_.add(bytes_, hash_key(view_.hasher_, key));
  }
  // The error is ErrorCode::full, and then nothing has changed.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add(const T& key) requires FillingLayout<Layout> {
    return view_.layout_.place(bytes_, hash_key(view_.hasher_, key)) ? Status() : refusal();
  }
  // Adds all keys in order. The error is that of add: then the keys before the one that was refused are in, and
  // `added`, unless it is nullptr, tells how many those are.
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
  // As BasicFilter::remove.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool remove(const T& key) noexcept requires RemovingLayout<Layout> {
    return view_.layout_.remove(bytes_, hash_key(view_.hasher_, key));
  }
  // Adds all that other holds. Refuses another hash or another geometry, naming both.
  template <class L = Layout>  // because clang 14 instantiates constrained members together with the class
  Status merge(const View& other) requires UnitingLayout<L> {
    BLOOMERY_TRY(view_.check_combinable(other));
    view_.layout_.unite(bytes_, other.payload().data());
    return {};
  }
  BLOOMERY_API void clear() noexcept;

  // What asks: contains, contains_many, fill, ...
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
