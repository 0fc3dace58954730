#include "bloomery/any.h"

#include "base/error.h"
#include "wire/registry.h"
#include "wire/size.h"

namespace bloomery {
namespace {

Kind kind_of(const ClassicView&) { return Kind::classic; }
Kind kind_of(const SplitView&) { return Kind::split; }
Kind kind_of(const BlockView&) { return Kind::block; }

template <class Filter>
Result<AnyFilter> erased(Result<Filter> filter) {
  if (!filter.ok()) return std::move(filter).error();
  return AnyFilter(*std::move(filter));
}

// Calls combine(a, b) when both are of one kind.
template <class Variant, class Combine>
Status same_kind(Variant& a, const Variant& b, Combine combine) {
  return std::visit(
      [&](auto& into) -> Status {
        const auto* from = std::get_if<std::decay_t<decltype(into)>>(&b);
        if (from == nullptr) return mismatch("kind", "filters of different kinds cannot be combined");
        return combine(into, *from);
      },
      a);
}

}  // namespace

const char* to_string(Kind kind) noexcept {
  const wire::KindEntry* entry = wire::find_kind(static_cast<std::uint16_t>(kind));
  return entry == nullptr ? "unknown" : entry->name;
}

Result<Kind> kind_from_name(std::string_view name) {
  return guarded([&]() -> Result<Kind> {
    const wire::KindEntry* entry = wire::find_kind(name);
    if (entry != nullptr && entry->view_over != nullptr) return static_cast<Kind>(entry->number);
    const std::string what = entry != nullptr ? "this version cannot make the kind '" : "there is no kind '";
    return unsupported("kind", what + std::string(name) + "': use one of " + wire::available_kinds());
  });
}

Kind AnyView::kind() const {
  return std::visit([](const auto& view) { return kind_of(view); }, view_);
}
const Hasher& AnyView::hasher() const {
  return std::visit([](const auto& view) -> const Hasher& { return view.hasher(); }, view_);
}
GeometryFields AnyView::geometry_fields() const {
  return std::visit([](const auto& view) { return wire::fields_of(view.geometry()); }, view_);
}
std::span<const std::uint8_t> AnyView::payload() const {
  return std::visit([](const auto& view) { return view.payload(); }, view_);
}
std::uint64_t AnyView::payload_bits() const {
  return std::visit([](const auto& view) { return view.geometry().bits(); }, view_);
}
std::uint64_t AnyView::bits_set() const {
  return std::visit([](const auto& view) { return view.bits_set(); }, view_);
}
double AnyView::fill() const {
  return std::visit([](const auto& view) { return view.fill(); }, view_);
}
double AnyView::predicted_fpr() const {
  return std::visit([](const auto& view) { return view.predicted_fpr(); }, view_);
}
std::optional<std::uint64_t> AnyView::estimated_count() const {
  return std::visit([](const auto& view) { return view.estimated_count(); }, view_);
}

Result<AnyFilter> AnyFilter::copy_of(const AnyView& view, std::optional<std::uint64_t> key_count) {
  return std::visit(
      [&]<class Layout>(const BasicView<Layout>& typed) {
        return erased(BasicFilter<Layout>::copy_of(typed, key_count));
      },
      view.variant());
}

Status AnyFilter::merge(const AnyFilter& other) {
  return same_kind(filter_, other.filter_, [](auto& into, const auto& from) { return into.merge(from); });
}

Status AnyFilter::intersect(const AnyFilter& other) {
  return same_kind(filter_, other.filter_, [](auto& into, const auto& from) { return into.intersect(from); });
}

Status AnyFilter::cannot_remove() const {
  return guarded([&]() -> Status {
    return unsupported("kind", std::string(to_string(view().kind())) +
                                   " filters cannot remove keys: rebuild the filter from the keys that stay");
  });
}

void AnyFilter::clear() {
  std::visit([](auto& filter) { filter.clear(); }, filter_);
}

Result<AnyFilter> AnyFilter::clone() const { return copy_of(view(), key_count()); }

std::optional<std::uint64_t> AnyFilter::key_count() const {
  return std::visit([](const auto& filter) { return filter.key_count(); }, filter_);
}

AnyView AnyFilter::view() const {
  return std::visit([](const auto& filter) { return AnyView(filter.view()); }, filter_);
}

}  // namespace bloomery
