// Filters whose kind is known only at run time, over a bare payload that somebody else owns. Bindings, servers and
// engines that remember the geometry themselves hold these; any.h has the filters that own their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <type_traits>
#include <variant>

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/mutable_view.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

namespace detail {

template <class Kept, class... Layouts>
struct InPlaceOf {
  using Type = Kept;
};
template <class Kept, class First, class... Rest>
struct InPlaceOf<Kept, First, Rest...>
    : InPlaceOf<std::conditional_t<InPlaceLayout<First>, typename Kept::template And<First>, Kept>, Rest...> {};

template <class... Layouts>
InPlaceOf<LayoutList<>, Layouts...> in_place_of(LayoutList<Layouts...>);
template <class... Layouts>
std::variant<BasicMutableView<Layouts>...> mutable_views_of(LayoutList<Layouts...>);

// The layouts of kinds that change in place, without more memory.
using InPlaceLayouts = decltype(in_place_of(AllLayouts{}))::Type;

}  // namespace detail

// Returns a view over a payload. `geometry` has the names and numbers of AnyView::geometry_fields or
// SizePlan::geometry, in any order. Refuses what BasicView::from_payload refuses, and names that are not those of the
// kind.
BLOOMERY_API Result<AnyView> view_from_payload(Kind kind, std::span<const std::uint8_t> bytes,
                                               const GeometryFields& geometry, const Hasher& hasher);

// A filter that changes in bytes that somebody else owns, whose kind is known at run time. One thread may write to it
// while no other reads it. Copies refer to the same bytes, which must outlive them all. What the kind cannot do is an
// error.
class AnyMutableView {
 public:
  // As BasicMutableView::create and from_payload. Refuses kinds that do not change in place.
  BLOOMERY_API static Result<AnyMutableView> create(Kind kind, std::span<std::uint8_t> bytes,
                                                    const GeometryFields& geometry, const Hasher& hasher);
  BLOOMERY_API static Result<AnyMutableView> from_payload(Kind kind, std::span<std::uint8_t> bytes,
                                                          const GeometryFields& geometry, const Hasher& hasher);

  // Adds a key. The error is ErrorCode::full, and then nothing has changed.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add(const T& key) {
    const Hash hash = hash_key(view().hasher(), key);
    return add_hashes({&hash, 1});
  }
  // Adds all keys in order. On an error the keys before the refused one are in.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(const Keys& keys) {
    Status status;
    detail::for_hash_groups(view().hasher(), keys, [&](std::size_t, std::span<const Hash> hashes) {
      if (status.ok()) status = add_hashes(hashes);
    });
    return status;
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Status add_many(std::initializer_list<T> keys) {
    return add_many(std::span(keys.begin(), keys.size()));
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  Status add_many(Keys first, Keys last) {
    return add_many(std::span(first, last));
  }
  // Removes a key that was added, once. False: the key is certainly not there, and nothing has changed.
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  Result<bool> remove(const T& key) {
    return remove_hash(hash_key(view().hasher(), key));
  }
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> Status add(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> Status add_many(const R&) = delete;  // no hash of its elements: write bloomery_hash
  template <class T> Result<bool> remove(const T&) requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  // clang-format on

  // Adds all that other holds. Refuses another kind, hash or geometry.
  BLOOMERY_API Status merge(const AnyView& other);
  BLOOMERY_API void clear() noexcept;
  BLOOMERY_API AnyView view() const;

 private:
  template <class Layout>
  AnyMutableView(const BasicMutableView<Layout>& view) : view_(view) {}
  template <class Make>
  static Result<AnyMutableView> make_of_kind(Kind kind, const GeometryFields& geometry, Make make);

  BLOOMERY_API Status add_hashes(std::span<const Hash> hashes);
  BLOOMERY_API Result<bool> remove_hash(Hash hash);

  decltype(detail::mutable_views_of(detail::InPlaceLayouts{})) view_;
};

}  // namespace BLOOMERY_NAMESPACE
