// Iblts hold every row of spec/vectors/iblt.json, and their files notice every change.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "bloomery/iblt_file.h"
#include "kinds/iblt/cells.h"
#include "support/scratch.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::bytes_from_hex;
using testing::u64_from_hex;
using testing::vectors;
using Json = nlohmann::json;
using Bytes = std::vector<std::uint8_t>;

std::array<std::uint64_t, 5> words(const Json& row) {
  return {row["cells"], row["key_bytes"], row["value_bytes"], row["variable"], row["strata"]};
}

OpenOptions list_options_of(const Json& row) {
  OpenOptions options;
  if (!row["secret"].is_null()) options.secret = Secret::from_hex(row["secret"].get<std::string>()).value();
  return options;
}

Hasher hasher_of(const Json& row) {
  const std::string name = row["hash"];
  if (name == "xxh3") return Hasher::xxh3(u64_from_hex(row["seed"]));
  if (name == "xxh64") return Hasher::xxh64(u64_from_hex(row["seed"]));
  if (name == "siphash13") return Hasher::siphash13(*list_options_of(row).secret);
  if (name == "siphash24") return Hasher::siphash24(*list_options_of(row).secret);
  return Hasher::fnv_splitmix();
}

void expect_file(const Bytes& file, const Json& row) {
  EXPECT_EQ(file.size(), row["bytes"]) << row["name"];
  if (row.contains("hex")) EXPECT_EQ(file, bytes_from_hex(row["hex"])) << row["name"];
  else EXPECT_EQ(Hasher::xxh3()(std::span<const std::uint8_t>(file)).bits, u64_from_hex(row["xxh3"])) << row["name"];
}

using Listed = std::vector<std::tuple<Bytes, Bytes, int>>;

void append(const IbltItems& items, int sign, Listed& to) {
  for (std::size_t i = 0; i < items.size(); ++i)
    to.emplace_back(Bytes(items.key(i).begin(), items.key(i).end()),
                    Bytes(items.value(i).begin(), items.value(i).end()), sign);
}

TEST(IbltGolden, an_item_has_the_cells_and_the_checksum_of_the_page) {
  for (const Json& row : vectors("iblt", "places")) {
    IbltGeometry geometry;
    geometry.cells = row["cells"];
    const detail::IbltPlaces places = detail::iblt_places(geometry, u64_from_hex(row["hash"]));
    EXPECT_EQ(places.check, u64_from_hex(row["check"]));
    EXPECT_EQ(places.cell, (row["places"].get<std::array<std::uint64_t, 4>>())) << row;
  }
}

TEST(IbltGolden, tables_have_the_bytes_of_the_page_and_list_what_they_should) {
  for (const Json& row : vectors("iblt", "files")) {
    Iblt table = Iblt::with_geometry(IbltGeometry::from_values(words(row)).value(), hasher_of(row)).value();
    for (const Json& item : row["added"]) ASSERT_TRUE(table.add(bytes_from_hex(item[0]), bytes_from_hex(item[1])).ok());
    for (const Json& item : row["removed"])
      ASSERT_TRUE(table.remove(bytes_from_hex(item[0]), bytes_from_hex(item[1])).ok());
    const Bytes file = encode(table).value();
    expect_file(file, row);
    const Result<IbltFile> back = decode_iblt(file, list_options_of(row));
    ASSERT_TRUE(back.ok()) << row["name"];
    EXPECT_EQ(back->info.key_count, table.key_count());
    const IbltListing listing = back->table()->list().value();
    EXPECT_EQ(listing.complete, row["complete"]) << row["name"];
    Listed listed, wanted;
    append(listing.added, 1, listed);
    append(listing.removed, -1, listed);
    for (const Json& item : row["listed"])
      wanted.emplace_back(bytes_from_hex(item[0]), bytes_from_hex(item[1]), item[2]);
    std::sort(listed.begin(), listed.end());
    std::sort(wanted.begin(), wanted.end());
    EXPECT_EQ(listed, wanted) << row["name"];
  }
}

TEST(IbltGolden, hostile_tables_end_and_are_not_complete) {
  for (const Json& row : vectors("iblt", "hostile")) {
    const auto geometry = IbltGeometry::from_values(words(row)).value();
    const Iblt table = Iblt::copy_of(bytes_from_hex(row["payload"]), geometry, Hasher::xxh3(), {}).value();
    const IbltListing listing = table.list().value();
    EXPECT_FALSE(listing.complete);
    EXPECT_LE(listing.added.size() + listing.removed.size(), row["most_listed"]);
  }
}

TEST(IbltGolden, estimators_have_the_bytes_of_the_page) {
  for (const Json& row : vectors("iblt", "estimators")) {
    StrataEstimator made =
        StrataEstimator::with_geometry(IbltGeometry::from_values(words(row)).value(), Hasher::xxh3()).value();
    for (std::uint64_t i = 0; i < row["keys"]; ++i) made.add("key" + std::to_string(i));
    for (std::size_t i = 0; i < made.strata().size(); ++i) EXPECT_EQ(made.strata()[i].key_count(), row["in_strata"][i]);
    const Bytes file = encode(made).value();
    expect_file(file, row);
    const Result<IbltFile> back = decode_iblt(file);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->info.key_count, row["keys"]);
    EXPECT_EQ(encode(*back->estimator()).value(), file);
  }
}

TEST(IbltGolden, sizes_and_refusals_are_those_of_the_page) {
  for (const Json& row : vectors("iblt", "sizing"))
    EXPECT_EQ(IbltGeometry::cells_for(row["differences"]), row["cells"]) << row;
  for (const Json& row : vectors("iblt", "bad_geometry")) {
    const Result<IbltGeometry> geometry = IbltGeometry::from_values(words(row));
    ASSERT_FALSE(geometry.ok()) << row;
    EXPECT_EQ(geometry.error().field, row["field"].get<std::string>()) << row;
  }
}

TEST(IbltFile, every_changed_bit_and_every_cut_is_noticed) {
  Iblt table = Iblt::for_differences(3, 4).value();
  ASSERT_TRUE(table.add("abcd").ok());
  Bytes file = encode(table).value();
  for (std::size_t bit = 0; bit < 8 * file.size(); ++bit) {
    file[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    ASSERT_FALSE(decode_iblt(file).ok()) << bit;
    file[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
  for (std::size_t size = 0; size < file.size(); ++size) ASSERT_FALSE(decode_iblt(std::span(file).first(size)).ok());
  ASSERT_TRUE(decode_iblt(file).ok());
}

TEST(IbltFile, each_door_refuses_what_is_the_others_and_says_where_to_go) {
  const testing::Scratch scratch;
  const std::string iblt = scratch / "a.blm", block = scratch / "b.blm";
  ASSERT_TRUE(save(iblt, Iblt::for_differences(3, 4).value()).ok());
  ASSERT_TRUE(save(block, AnyFilter::with_capacity(Kind::block, 10, 0.01).value()).ok());
  EXPECT_TRUE(open_iblt(iblt).ok());
  for (const Error& error : {FilterFile::open(iblt).error(), UnverifiedFile::map(iblt).error()}) {
    EXPECT_EQ(error.code, ErrorCode::unsupported);
    EXPECT_NE(error.message.find("open_iblt"), std::string::npos) << error.message;
  }
  EXPECT_EQ(open_iblt(block).error().code, ErrorCode::unsupported);
  EXPECT_NE(open_iblt(block).error().message.find("'block'"), std::string::npos);
  EXPECT_EQ(open_iblt(scratch / "none").error().code, ErrorCode::io);
}

TEST(IbltFile, a_keyed_table_wants_its_secret) {
  const Secret secret({1, 2, 3}), other({4});
  const Bytes file = encode(Iblt::for_differences(3, 4, 0, Hasher::siphash13(secret)).value()).value();
  OpenOptions options;
  EXPECT_EQ(decode_iblt(file).error().code, ErrorCode::wrong_secret);
  options.secret = other;
  EXPECT_EQ(decode_iblt(file, options).error().code, ErrorCode::wrong_secret);
  options.secret = secret;
  EXPECT_TRUE(decode_iblt(file, options)->answers_keys);
  options.secret.reset();
  options.without_secret = true;
  IbltFile keyless = *decode_iblt(file, options);
  EXPECT_FALSE(keyless.answers_keys);
  EXPECT_EQ(*encode(*keyless.table()), file) << "it has lost its hash";
}

}  // namespace
}  // namespace bloomery
