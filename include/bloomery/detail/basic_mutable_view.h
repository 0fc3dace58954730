// A filter that can be changed, over bytes that somebody else owns: a page of a storage engine, a value of a server, a
// buffer. The bytes are those of the same adds to a BasicFilter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/detail/basic_view.h"

namespace bloomery {

namespace detail {

// Kinds that are changed in place: neither built of all keys at once nor in need of more memory.
template <class Layout>
concept InPlaceLayout = !StaticLayout<Layout> && !GrowingLayout<Layout>;

}  // namespace detail

// Changes a filter in place. One writer, and no reader while it writes, as for BasicFilter. Copies refer to the same
// bytes, which must outlive them all; their address may be anything.
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
  template <Key T>
  bool add(const T& key) noexcept requires detail::TakingLayout<Layout> {
    return view_.layout_.add(bytes_, hash_key(view_.hasher_, key));
  }
  // The error is ErrorCode::full, and then nothing has changed.
  template <Key T>
  Status add(const T& key) requires detail::FillingLayout<Layout> {
    return view_.layout_.place(bytes_, hash_key(view_.hasher_, key)) ? Status() : refusal();
  }
  template <detail::KeyRange Keys>
  void add_many(const Keys& keys) noexcept requires detail::TakingLayout<Layout> {
    detail::for_hash_groups(view_.hasher_, keys,
                            [&](std::size_t, std::span<const Hash> hashes) { view_.layout_.add_many(bytes_, hashes); });
  }
  // Returns how many keys were added, from the front: all, unless there was no room for the next one.
  template <detail::KeyRange Keys>
  std::size_t add_many(const Keys& keys) noexcept requires detail::FillingLayout<Layout> {
    std::size_t added = 0;
    detail::for_hash_groups(view_.hasher_, keys, [&](std::size_t first, std::span<const Hash> hashes) {
      if (added == first) added += view_.layout_.place_many(bytes_, hashes);
    });
    return added;
  }
  // As BasicFilter::remove.
  template <Key T>
  bool remove(const T& key) noexcept requires detail::RemovingLayout<Layout> {
    return view_.layout_.remove(bytes_, hash_key(view_.hasher_, key));
  }
  // Adds all that other holds. Refuses another hash or another geometry, naming both.
  template <class L = Layout>  // because clang 14 instantiates constrained members together with the class
  Status merge(const View& other) requires detail::UnitingLayout<L> {
    BLOOMERY_TRY(view_.check_combinable(other));
    view_.layout_.unite(bytes_, other.payload().data());
    return {};
  }
  BLOOMERY_API void clear() noexcept;

  // What asks: contains, contains_many, fill, ...
  const View& view() const { return view_; }
  template <Key T>
  bool contains(const T& key) const noexcept requires(!detail::ForgettingLayout<Layout>) {
    return view_.contains(key);
  }
  std::span<std::uint8_t> payload() const { return {bytes_, view_.payload().size()}; }

 private:
  BasicMutableView(std::uint8_t* bytes, const View& view) : bytes_(bytes), view_(view) {}

  BLOOMERY_API Status refusal() const;

  std::uint8_t* bytes_;
  View view_;
};

}  // namespace bloomery
