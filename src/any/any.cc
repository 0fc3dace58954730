#include "bloomery/any.h"

#include "any/registry.h"
#include "any/size.h"
#include "core/base/callback.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace {

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

const char* to_string(Ability ability) {
  switch (ability) {
    case Ability::add: return "take more keys";
    case Ability::remove: return "remove keys";
    case Ability::merge: return "be merged";
    case Ability::intersect: return "be intersected";
    case Ability::resize: return "be resized";
    case Ability::iterate: return "list what is in them";
    case Ability::fold: return "be folded";
  }
  return "do that";
}

// "classic filters cannot remove keys: counting, cuckoo and quotient filters can"; `act` names what needs the ability.
Error cannot(Kind kind, Ability ability, const char* act) {
  return guarded([&]() -> Error {
    std::vector<const char*> others;
    for (Kind other : kAllKinds)
      if (can(other, ability)) others.push_back(bloomery::to_string(other));
    std::string message = bloomery::to_string(kind);
    message += " filters cannot ";
    message += act;
    message += ": ";
    for (std::size_t i = 0; i < others.size(); ++i) {
      if (i > 0) message += i + 1 == others.size() ? " and " : ", ";
      message += others[i];
    }
    message += others.empty() ? "rebuild the filter from the keys that stay" : " filters can";
    if (ability == Ability::add) message += "; this one is built of all its keys at once";
    return unsupported("kind", std::move(message));
  });
}

}  // namespace

Result<Kind> kind_from_name(std::string_view name) {
  return guarded([&]() -> Result<Kind> {
    for (const Kind kind : kAllKinds)
      if (to_string(kind) == name) return kind;
    if (name == to_string(Kind::iblt))
      return unsupported("kind", "an iblt is no filter: use one of " + any::available_kinds());
    return unsupported("kind", "there is no kind '" + std::string(name) + "': use one of " + any::available_kinds());
  });
}

bool can(Kind kind, Ability ability) noexcept {
  return any::with_layout(
      kind,
      [ability]<class Layout>(std::type_identity<Layout>) {
        switch (ability) {
          case Ability::add: return !StaticLayout<Layout>;
          case Ability::remove: return RemovingLayout<Layout>;
          case Ability::merge: return MergingLayout<Layout>;
          case Ability::intersect: return IntersectingLayout<Layout>;
          case Ability::resize: return ResizingLayout<Layout>;
          case Ability::iterate: return IteratingLayout<Layout>;
          case Ability::fold: return GrowingLayout<Layout>;
        }
        return false;
      },
      false);
}

bool forgets(Kind kind) noexcept {
  return any::with_layout(
      kind, []<class Layout>(std::type_identity<Layout>) { return ForgettingLayout<Layout>; }, false);
}

Kind AnyView::kind() const {
  return std::visit([](const auto& view) { return view.geometry().kKind; }, view_);
}
bool AnyView::contains_hash(Hash hash) const noexcept {
  return std::visit(
      [hash]<class Layout>(const BasicView<Layout>& view) {
        if constexpr (ForgettingLayout<Layout>) return view.seen_recently(hash);
        else return view.contains(hash);
      },
      view_);
}
void AnyView::contains_hashes(std::span<const Hash> hashes, std::span<std::uint8_t> answers) const noexcept {
  std::visit(
      [&]<class Layout>(const BasicView<Layout>& view) {
        if constexpr (ForgettingLayout<Layout>) view.seen_recently_many(hashes, answers);
        else view.contains_many(hashes, answers);
      },
      view_);
}
void AnyView::contains_bits(std::span<const Hash> hashes, std::uint64_t* words) const noexcept {
  std::visit([&](const auto& view) { view.contains_bits(hashes, words); }, view_);
}
std::size_t AnyView::select_hashes(std::span<const Hash> hashes, std::size_t first,
                                   std::uint32_t* positions) const noexcept {
  return std::visit([&](const auto& view) { return view.select_hashes(hashes, first, positions); }, view_);
}
GeometryFields AnyView::geometry_fields() const {
  return std::visit([](const auto& view) { return any::fields_of(view.geometry()); }, view_);
}
std::span<const std::uint8_t> AnyView::payload() const {
  return std::visit([](const auto& view) { return view.payload(); }, view_);
}
std::uint64_t AnyView::payload_bits() const {
  return std::visit([](const auto& view) { return any::bits_of(view.geometry()); }, view_);
}
Status AnyView::check_structure() const {
  return std::visit([](const auto& view) { return view.check_structure(); }, view_);
}
const char* AnyView::cells() const {
  return std::visit([]<class Layout>(const BasicView<Layout>&) { return Layout::kCells; }, view_);
}
bool AnyView::forgets() const { return bloomery::forgets(kind()); }
Status AnyView::for_each(const std::function<void(std::uint64_t, std::uint64_t)>& use) const {
  return std::visit(
      [&]<class Layout>(const BasicView<Layout>& view) -> Status {
        if constexpr (IteratingLayout<Layout>) {
          return call_user("use", "the function given to for_each", [&] { return view.for_each(use), Status(); });
        } else {
          return cannot(view.geometry().kKind, Ability::iterate, to_string(Ability::iterate));
        }
      },
      view_);
}
std::optional<std::uint64_t> AnyView::retries() const {
  return std::visit(
      []<class Layout>(const BasicView<Layout>& view) -> std::optional<std::uint64_t> {
        if constexpr (RetryingLayout<Layout>) return view.retries();
        else return std::nullopt;
      },
      view_);
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

Result<AnyFilter> AnyFilter::copy_of(const AnyView& view, std::optional<std::uint64_t> key_count,
                                     MemorySource* memory) {
  return std::visit(
      [&]<class Layout>(const BasicView<Layout>& typed) {
        return any::erased(BasicFilter<Layout>::copy_of(typed, key_count, memory));
      },
      view.variant());
}

Status AnyFilter::add_hash(Hash hash) {
  return std::visit(
      [&]<class Layout>(BasicFilter<Layout>& filter) -> Status {
        if constexpr (StaticLayout<Layout>) return cannot(Ability::add);
        else if constexpr (FillingLayout<Layout>) return filter.add(hash);
        else return filter.add(hash), Status();
      },
      filter_);
}

Status AnyFilter::add_hashes(std::span<const Hash> hashes) {
  return std::visit(
      [&]<class Layout>(BasicFilter<Layout>& filter) -> Status {
        if constexpr (StaticLayout<Layout>) return cannot(Ability::add);
        else return filter.add_many(hashes);
      },
      filter_);
}

Result<bool> AnyFilter::remove_hash(Hash hash) {
  return std::visit(
      [&]<class Layout>(BasicFilter<Layout>& filter) -> Result<bool> {
        if constexpr (RemovingLayout<Layout>) return filter.remove(hash);
        else return cannot(Ability::remove);
      },
      filter_);
}

Status AnyFilter::merge(const AnyFilter& other) {
  return same_kind(filter_, other.filter_, [&]<class Layout>(BasicFilter<Layout>& into, const auto& from) -> Status {
    if constexpr (MergingLayout<Layout>) return into.merge(from);
    else return cannot(Ability::merge);
  });
}

Status AnyFilter::intersect(const AnyFilter& other) {
  return same_kind(filter_, other.filter_, [&]<class Layout>(BasicFilter<Layout>& into, const auto& from) -> Status {
    if constexpr (IntersectingLayout<Layout>) return into.intersect(from);
    else return cannot(Ability::intersect);
  });
}

Status AnyFilter::resize() {
  return std::visit(
      [&]<class Layout>(BasicFilter<Layout>& filter) -> Status {
        if constexpr (ResizingLayout<Layout>) return filter.resize();
        else return cannot(Ability::resize);
      },
      filter_);
}

Error AnyFilter::cannot(Ability ability) const { return bloomery::cannot(view().kind(), ability, to_string(ability)); }

Status AnyFilter::clear() {
  return std::visit(
      [&]<class Layout>(BasicFilter<Layout>& filter) -> Status {
        if constexpr (StaticLayout<Layout>)
          return bloomery::cannot(Layout::Geometry::kKind, Ability::add, "be cleared");
        else return filter.clear(), Status();
      },
      filter_);
}

Result<AnyFilter> AnyFilter::clone() const { return copy_of(view(), key_count(), options().memory); }

FilterOptions AnyFilter::options() const {
  return std::visit([](const auto& filter) { return filter.options(); }, filter_);
}

std::optional<std::uint64_t> AnyFilter::key_count() const {
  return std::visit([](const auto& filter) { return filter.key_count(); }, filter_);
}

const Hasher& AnyFilter::hasher() const {
  return std::visit([](const auto& filter) -> const Hasher& { return filter.hasher(); }, filter_);
}

AnyView AnyFilter::view() const {
  return std::visit([](const auto& filter) { return AnyView(filter.view()); }, filter_);
}

}  // namespace BLOOMERY_NAMESPACE
