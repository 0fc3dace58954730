// Listing hostile cells. The cells are made by adds and removes, by whole cells of items that are put in alone, and by
// bytes as the input has them. What is listed must belong there: no item twice, and where every step put in or took out
// a whole item, none but those; and a listing is complete exactly when adding up what it lists makes the same table.
#include <map>
#include <set>
#include <vector>

#include "bloomery/iblt.h"
#include "fuzz/kind_fuzz.h"
#include "kinds/iblt/cells.h"

namespace {

using namespace bloomery;

using Item = std::vector<std::uint8_t>;

// Of a few numbers; the last four of variable keys are none: too long, or not padded with zeros.
Item item_of(const IbltGeometry& geometry, std::uint64_t number) {
  Item item(geometry.item_bytes());
  const std::size_t length = geometry.variable ? number % geometry.key_bytes : geometry.key_bytes;
  std::size_t at = 0;
  if (geometry.variable) item[at++] = static_cast<std::uint8_t>(length);
  for (std::size_t i = 0; i < length; ++i)
    item[at + i] = static_cast<std::uint8_t>(detail::splitmix64(number) >> (8 * (i % 8)));
  if (geometry.variable && number == 12) item[0] = static_cast<std::uint8_t>(geometry.key_bytes);
  if (geometry.variable && number == 13) item[0] = 255;
  if (geometry.variable && number > 13) item[0] = 0, item[1] = 1;
  return item;
}

// The cells, and what was put in; `honest` as long as every step put a whole item in or out.
struct Hostile {
  std::vector<std::uint8_t> cells;
  std::map<Item, int> in;
  bool honest = true;
};

// Steps of the input, each of which changes the cells.
void change(Hostile& made, const IbltGeometry& geometry, fuzz::Input& input) {
  for (int step = 0; step < 100 && !input.empty(); ++step) {
    const std::uint64_t what = input.take(1);
    const Item item = item_of(geometry, what & 15);
    const auto places = detail::iblt_places(geometry, Hasher::xxh3()(std::span<const std::uint8_t>(item)).bits);
    const bool out = (what & 16) != 0;
    const auto touch = [&](std::uint64_t cell) {
      const detail::IbltCell at(made.cells.data(), cell, geometry);
      if (out) at.remove(item.data(), places.check);
      else at.add(item.data(), places.check);
    };
    if (what < 128) {
      for (const std::uint64_t cell : places.cell) touch(cell);
      made.in[item] += out ? -1 : 1;
      continue;
    }
    made.honest = false;
    if (what < 224) touch(places.cell[what >> 5 & 3]);  // in one of its cells alone
    else made.cells[input.take(2) % made.cells.size()] ^= static_cast<std::uint8_t>(input.take(1));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input({data, size});
  IbltGeometry geometry;
  geometry.cells = 4 * (1 + input.take(1) % 32);
  geometry.key_bytes = static_cast<std::uint32_t>(2 + input.take(1) % 63);
  geometry.value_bytes = static_cast<std::uint32_t>(input.take(1) % 65);
  geometry.variable = input.take(1) % 2 == 1;
  Hostile made{std::vector<std::uint8_t>(geometry.payload_bytes()), {}, true};
  change(made, geometry, input);
  const auto rest = input.rest();
  std::vector<std::uint8_t>& cells = made.cells;
  for (std::size_t i = 0; i < std::min(rest.size(), cells.size()); ++i) cells[i] ^= rest[i];
  made.honest = made.honest && rest.empty();

  const Iblt table = Iblt::copy_of(cells, geometry, Hasher::xxh3(), {}).value();
  const IbltListing listing = table.list().value();
  FUZZ_CHECK(listing.added.size() + listing.removed.size() <= geometry.cells);
  FUZZ_CHECK(!listing.complete || listing.cells_left == 0);
  Iblt again = Iblt::with_geometry(geometry).value();
  std::set<Item> seen;
  for (const IbltItems* items : {&listing.added, &listing.removed}) {
    for (std::size_t i = 0; i < items->size(); ++i) {
      FUZZ_CHECK(items->key(i).size() <= geometry.longest_key());
      const Item item(items->item(i).begin(), items->item(i).end());
      FUZZ_CHECK(!made.honest || made.in[item] == (items == &listing.added ? 1 : -1));
      FUZZ_CHECK(seen.insert(item).second);
      const Status put = items == &listing.added ? again.add(items->key(i), items->value(i))
                                                 : again.remove(items->key(i), items->value(i));
      FUZZ_CHECK(put.ok());
    }
  }
  const bool same = std::equal(cells.begin(), cells.end(), again.payload().begin());
  FUZZ_CHECK(same == listing.complete);
  return 0;
}
