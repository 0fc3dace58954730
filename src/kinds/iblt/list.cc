// Listing what an IBLT holds, by peeling: a cell with one item in it gives that item away; taken out of its other
// cells, it leaves more cells with one item. The bytes may be anything, so nothing is believed: a cell counts as pure
// only when its checksum is that of its item and the item belongs into that very cell; a cell gives away one item at
// most, which bounds the work; and an item that comes a second time shows bytes that no adding of keys makes, and ends
// the listing.
#include <algorithm>
#include <limits>
#include <vector>

#include "bloomery/iblt.h"
#include "core/base/error.h"
#include "kinds/iblt/cells.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using detail::IbltCell;
using detail::IbltPlaces;

class Peeling {
 public:
  Peeling(std::uint8_t* table, const IbltGeometry& geometry, const Hasher& hasher)
      : table_(table), geometry_(geometry), hasher_(hasher), gave_(geometry.cells, kNothing) {
    listing_.added = IbltItems(geometry);
    listing_.removed = IbltItems(geometry);
  }

  IbltListing run() && {
    for (std::uint64_t cell = 0; cell < geometry_.cells && sound_; ++cell) {
      waiting_.push_back(cell);
      while (!waiting_.empty() && sound_) {
        const std::uint64_t next = waiting_.back();
        waiting_.pop_back();
        look_at(next);
      }
    }
    for (std::uint64_t cell = 0; cell < geometry_.cells; ++cell) listing_.cells_left += at(cell).is_zero() ? 0u : 1u;
    listing_.complete = sound_ && listing_.cells_left == 0;
    return std::move(listing_);
  }

 private:
  static constexpr std::uint64_t kNothing = std::numeric_limits<std::uint64_t>::max();

  IbltCell<std::uint8_t> at(std::uint64_t cell) const { return {table_, cell, geometry_}; }

  // Whether bytes are an item at all: a length that fits, and zeros behind a shorter key.
  bool is_item(const std::uint8_t* item) const {
    if (!geometry_.variable) return true;
    if (item[0] > geometry_.longest_key()) return false;
    return std::all_of(item + 1 + item[0], item + geometry_.key_bytes, [](std::uint8_t byte) { return byte == 0; });
  }

  // Takes the item out of a pure cell, and remembers the cells that may have become pure by that.
  void look_at(std::uint64_t cell) {
    const bool added = at(cell).count() == 1, removed = at(cell).count() == ~std::uint32_t{0};
    if ((!added && !removed) || gave_[cell] != kNothing || !is_item(at(cell).item())) return;
    std::uint8_t item[detail::kMaxIbltItem];
    std::copy_n(at(cell).item(), geometry_.item_bytes(), item);
    const IbltPlaces places = detail::iblt_places(geometry_, hasher_(item, geometry_.item_bytes()).bits);
    if (at(cell).check() != (added ? places.check : 0 - places.check)) return;
    if (std::find(places.cell.begin(), places.cell.end(), cell) == places.cell.end()) return;
    if (sound_ = !was_listed(item, places); !sound_) return;
    IbltItems& list = added ? listing_.added : listing_.removed;
    gave_[cell] = 2 * list.size() + (added ? 0 : 1);
    list.push_back(std::span(item).first(geometry_.item_bytes()));
    for (const std::uint64_t place : places.cell) {
      if (added) at(place).remove(item, places.check);
      else at(place).add(item, places.check);
      if (place != cell) waiting_.push_back(place);
    }
  }

  // An item is given away by one of its own cells, so only those have to be asked.
  bool was_listed(const std::uint8_t* item, const IbltPlaces& places) const {
    for (const std::uint64_t place : places.cell) {
      const std::uint64_t gave = gave_[place];
      if (gave == kNothing) continue;
      const auto given = (gave % 2 == 0 ? listing_.added : listing_.removed).item(gave / 2);
      if (std::equal(given.begin(), given.end(), item)) return true;
    }
    return false;
  }

  std::uint8_t* table_;
  const IbltGeometry& geometry_;
  const Hasher& hasher_;
  std::vector<std::uint64_t> gave_;  // by cell: 2 * number in the list, + 1 of the list of removed items
  std::vector<std::uint64_t> waiting_;
  IbltListing listing_;
  bool sound_ = true;
};

}  // namespace

Result<IbltListing> Iblt::list() const {
  return guarded([&]() -> Result<IbltListing> {
    Result<detail::Buffer> copy = detail::Buffer::zeroed(payload().size());
    BLOOMERY_TRY(copy);
    std::copy_n(payload().data(), payload().size(), copy->data());
    return Peeling(copy->data(), geometry_, hasher_).run();
  });
}

}  // namespace BLOOMERY_NAMESPACE
