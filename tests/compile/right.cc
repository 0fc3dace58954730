// What the programs of wrong/ get right apart from the one thing each of them gets wrong.
#include <bloomery/any.h>
#include <bloomery/block.h>
#include <bloomery/cuckoo.h>
#include <bloomery/file.h>
#include <bloomery/fuse.h>

#include <string>
#include <vector>

struct Point {
  int x, y;
};
bloomery::Hash bloomery_hash(const bloomery::Hasher& hasher, const Point& p) noexcept {
  return hasher(static_cast<std::uint64_t>(p.x) << 32 | static_cast<std::uint32_t>(p.y));
}

bool ask(const bloomery::BlockFilter& filter) { return filter.contains(Point{1, 2}); }
void ask_many(const bloomery::BlockFilter& filter, const std::vector<Point>& keys, std::span<std::uint8_t> answers) {
  filter.contains_many(keys, answers);
}
bloomery::Result<bloomery::BlockFilter> twice(const bloomery::BlockFilter& filter) { return filter.clone(); }
bool take_out(bloomery::CuckooFilter& filter) { return filter.remove("a"); }
bool take_out(bloomery::AnyFilter& filter) { return filter.remove("a").value_or(false); }
bloomery::Status put_in(bloomery::CuckooFilter& filter) { return filter.add("a"); }
bool ask(const bloomery::AnyView& view) { return view.contains(Point{1, 2}); }
bool ask(const bloomery::FilterFile& file) { return file.contains(Point{1, 2}); }
void ask_many(const bloomery::FilterFile& file, const std::vector<Point>& keys, std::vector<std::uint8_t>& answers) {
  file.contains_many(keys, answers);
}

struct Order {
  std::string customer;
  std::uint64_t number;
};
bloomery::Hash bloomery_hash(const bloomery::Hasher& hasher, const Order& order) noexcept {
  const std::uint64_t fields[] = {hasher(order.customer).bits, order.number};
  return hasher(std::as_bytes(std::span(fields)));
}

bloomery::Status keep(const bloomery::BlockFilter& filter) {
  return bloomery::save("orders.blm", filter, {.records = {.keys = "user:Order"}});
}
bloomery::Result<bloomery::FilterFile> open_orders() {
  auto file = bloomery::FilterFile::open("orders.blm");
  BLOOMERY_TRY(file);
  BLOOMERY_TRY(file->info().records.expect_keys("user:Order"));
  return file;
}
bool ask(const bloomery::BlockFilter& filter, const Order& order) { return filter.contains(order); }

// A string may be one that a pointer names, and the number 0 is a key like any other.
bool ask(const bloomery::BlockFilter& filter, const char* name) { return filter.contains(name) || filter.contains(0); }
bloomery::Hash zero(const bloomery::Hasher& hasher) { return hasher(0); }

// Options and errors name what they set alone, without a warning about the rest.
bloomery::Result<bloomery::FilterFile> look(const char* path) {
  return bloomery::FilterFile::open(path, {.without_secret = true});
}
bloomery::Status refuse() { return bloomery::Error{bloomery::ErrorCode::io, "the disk is gone"}; }

// Keys in arrays, as a whole and from one to another, with the number of those that are in.
bloomery::Status put_in(bloomery::BlockMutableView& page) {
  const std::size_t keys[3] = {1, 2, 3};
  int small[3] = {4, 5, 6};
  std::size_t large[3] = {7, 8, 9}, added = 0;
  BLOOMERY_TRY(page.add_many(keys, &added));
  BLOOMERY_TRY(page.add_many(keys, keys + 2, &added));
  BLOOMERY_TRY(page.add_many(small, &added));
  BLOOMERY_TRY(page.add_many(small, small + 2, &added));
  BLOOMERY_TRY(page.add_many(large));
  BLOOMERY_TRY(page.add_many(large, large + 2, &added));
  BLOOMERY_TRY(page.add_many(std::span(large), &added));
  return page.add_many(std::begin(large), large + 2);
}
