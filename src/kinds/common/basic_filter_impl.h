// The members of BasicView, BasicFilter and BasicMutableView that need not be inline. Each kind's file includes this
// once and instantiates them for its Layout.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "bloomery/detail/bits.h"
#include "bloomery/filter.h"
#include "bloomery/mutable_view.h"
#include "core/base/error.h"
#include "core/io/huge_pages.h"
#include "kinds/common/describe.h"
#include "kinds/common/sorted_hashes.h"

namespace BLOOMERY_NAMESPACE {

template <class Layout>
Result<BasicView<Layout>> BasicView<Layout>::from_payload(std::span<const std::uint8_t> bytes, const Geometry& geometry,
                                                          const Hasher& hasher) {
  return guarded([&]() -> Result<BasicView> {
    BLOOMERY_TRY(detail::check_geometry(geometry));
    return from_checked(bytes, geometry, hasher);
  });
}

template <class Layout>
Result<BasicView<Layout>> BasicView<Layout>::from_checked(std::span<const std::uint8_t> bytes, const Geometry& geometry,
                                                          const Hasher& hasher) {
  return guarded([&]() -> Result<BasicView> {
    BLOOMERY_TRY(detail::check_size(geometry, bytes.size()));
    const BasicView view(bytes.data(), geometry, hasher);
    BLOOMERY_TRY(view.layout_.check_payload(bytes));
    return view;
  });
}

template <class Layout>
void BasicView<Layout>::contains_bits(std::span<const Hash> hashes, std::uint64_t* words) const {
  std::uint8_t answers[1024];
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(hashes.size(), sizeof answers))) {
    const std::size_t count = std::min(hashes.size(), sizeof answers);
    layout_.contains_many(bytes_, hashes.first(count), answers);
    std::memset(answers + count, 0, (0 - count) % 64);
    for (std::size_t first = 0; first < count; first += 64) {
      std::uint64_t word = 0;
      // The product gathers the lowest bits of eight bytes in its highest byte.
      for (std::size_t i = 0; i < 64; i += 8)
        word |= (detail::load_le<std::uint64_t>(answers + first + i) * 0x0102040810204080) >> 56 << i;
      *words++ = word;
    }
  }
}

template <class Layout>
std::size_t BasicView<Layout>::select_hashes(std::span<const Hash> hashes, std::size_t first,
                                             std::uint32_t* positions) const noexcept {
  std::uint8_t answers[1024];
  std::size_t found = 0;
  for (; !hashes.empty(); hashes = hashes.subspan(std::min(hashes.size(), sizeof answers))) {
    const std::size_t count = std::min(hashes.size(), sizeof answers);
    layout_.contains_many(bytes_, hashes.first(count), answers);
    for (std::size_t i = 0; i < count; ++i) {  // without a branch: the answers may be coin tosses
      positions[found] = static_cast<std::uint32_t>(first + i);
      found += answers[i];
    }
    first += count;
  }
  return found;
}

template <class Layout>
std::uint64_t BasicView<Layout>::bits_set() const {
  return layout_.cells_set(payload());
}

template <class Layout>
double BasicView<Layout>::fill() const {
  return static_cast<double>(bits_set()) / static_cast<double>(geometry().cells());
}

template <class Layout>
double BasicView<Layout>::predicted_fpr() const {
  if constexpr (requires { layout_.predicted_fpr(payload()); }) return layout_.predicted_fpr(payload());
  else return layout_.predicted_fpr(payload(), bits_set());
}

template <class Layout>
std::optional<std::uint64_t> BasicView<Layout>::estimated_count() const {
  if constexpr (requires { layout_.estimated_count(payload()); }) return layout_.estimated_count(payload());
  else return geometry().estimated_count(bits_set());
}

template <class Layout>
bool BasicView<Layout>::equals(const BasicView& other) const {
  return geometry() == other.geometry() && hasher_ == other.hasher_ &&
         std::memcmp(bytes_, other.bytes_, payload().size()) == 0;
}

template <class Layout>
Status BasicView<Layout>::check_structure() const {
  return guarded([&]() -> Status {
    if constexpr (requires { &Layout::check_structure; }) return layout_.check_structure(payload());
    else return {};
  });
}

template <class Layout>
Status BasicView<Layout>::check_combinable(const BasicView& other) const {
  return detail::check_combinable(*this, other);
}

template <class Layout>
Result<BasicFilter<Layout>> BasicFilter<Layout>::create(const Geometry& geometry, const FilterOptions& options) {
  return guarded([&]() -> Result<BasicFilter> {
    BLOOMERY_TRY(detail::check_geometry(geometry));
    Result<detail::Buffer> bytes = detail::Buffer::zeroed(geometry.payload_bytes(), options.memory);
    BLOOMERY_TRY(bytes);
    BasicFilter filter(*std::move(bytes), geometry, options.hasher.value_or(Layout::default_hasher()));
    filter.prepare();
    return filter;
  });
}

template <class Layout>
Result<BasicFilter<Layout>> BasicFilter<Layout>::build_like(const Geometry& target, const KeyRun& keys,
                                                            const FilterOptions& options, unsigned threads) {
  return guarded([&]() -> Result<BasicFilter> {
    if constexpr (StaticLayout<Layout>) {
      const Result<detail::SortedHashes> sorted = detail::SortedHashes::of(keys, threads);
      BLOOMERY_TRY(sorted);
      return Layout::build(sorted->hashes(), target, options, threads);
    } else {
      return unsupported("kind", "not a static kind");
    }
  });
}

template <class Layout>
Result<BasicFilter<Layout>> BasicFilter<Layout>::copy_of(const View& view, std::optional<std::uint64_t> key_count,
                                                         MemorySource* memory) {
  BLOOMERY_TRY(view.check_structure());
  Result<BasicFilter> copy = create(view.geometry(), {view.hasher(), memory});
  BLOOMERY_TRY(copy);
  std::memcpy(copy->bytes_.data(), view.payload().data(), view.payload().size());
  copy->set_key_count(key_count);
  return copy;
}

template <class Layout>
void BasicFilter<Layout>::reset() {
  key_count_ = detail::KeyCount(0);
  if (!has_memory()) return;
  std::memset(bytes_.data(), 0, bytes_.size());
  prepare();
}

template <class Layout>
Status BasicFilter<Layout>::take_memory() {
  return replace_by(create(geometry(), options()));
}

template <class Layout>
void BasicFilter<Layout>::take_memory_or_end() {
  if (!take_memory().ok()) detail::end_for_no_memory();
}

template <class Layout>
void BasicFilter<Layout>::prepare() {
  if constexpr (requires { &Layout::prepare; }) view_.layout_.prepare(bytes_.data());
}

template <class Layout>
Status BasicFilter<Layout>::refusal() const {
  return guarded([&]() -> Status {
    if constexpr (FillingLayout<Layout>) return Layout::full(geometry());
    else return {};
  });
}

template <class Layout>
std::optional<double> BasicFilter<Layout>::huge_page_share() const {
  return io::huge_page_share(bytes_.data(), bytes_.size());
}

template <class Layout>
Result<BasicFilter<Layout>> BasicFilter<Layout>::clone() const {
  return copy_of(view_, key_count(), bytes_.source());
}

template <class Layout>
Result<BasicMutableView<Layout>> BasicMutableView<Layout>::create(std::span<std::uint8_t> bytes,
                                                                  const Geometry& geometry, const Hasher& hasher) {
  return guarded([&]() -> Result<BasicMutableView> {
    BLOOMERY_TRY(detail::check_geometry(geometry));
    BLOOMERY_TRY(detail::check_size(geometry, bytes.size()));
    BasicMutableView made(bytes.data(), View(bytes.data(), geometry, hasher));
    made.clear();
    return made;
  });
}

template <class Layout>
Result<BasicMutableView<Layout>> BasicMutableView<Layout>::from_payload(std::span<std::uint8_t> bytes,
                                                                        const Geometry& geometry,
                                                                        const Hasher& hasher) {
  const Result<View> view = View::from_payload(bytes, geometry, hasher);
  BLOOMERY_TRY(view);
  BLOOMERY_TRY(view->check_structure());
  return BasicMutableView(bytes.data(), *view);
}

template <class Layout>
void BasicMutableView<Layout>::clear() noexcept {
  std::memset(bytes_, 0, view_.payload().size());
  if constexpr (requires { &Layout::prepare; }) view_.layout_.prepare(bytes_);
}

template <class Layout>
Status BasicMutableView<Layout>::refusal() const {
  return guarded([&]() -> Status {
    if constexpr (FillingLayout<Layout>) return Layout::full(view_.geometry());
    else return {};
  });
}

}  // namespace BLOOMERY_NAMESPACE
