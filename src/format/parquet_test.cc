#include "format/parquet.h"

#include <gtest/gtest.h>

#include <bit>

#include "support/scratch.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::bytes_from_hex;
using testing::Scratch;
using testing::vectors;

using Bytes = std::vector<std::uint8_t>;

OpenOptions as_parquet() {
  OpenOptions options;
  options.parquet = true;
  return options;
}

// The value of a line in PLAIN encoding, by the standard library's other parsers than those of the command.
std::string plain(const std::string& type, const std::string& line) {
  const auto bytes = [](auto value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  if (type == "int32") return bytes(static_cast<std::int32_t>(std::stol(line)));
  if (type == "int64") return bytes(static_cast<std::int64_t>(std::stoll(line)));
  if (type == "double") return bytes(std::strtod(line.c_str(), nullptr));
  return line;
}

std::vector<std::string> keys_of(const nlohmann::json& row) {
  std::vector<std::string> keys;
  if (row.contains("lines"))
    for (const auto& line : row["lines"]) keys.push_back(plain(row["key_type"], line));
  for (int i = 0; row.contains("count") && i < row["count"].get<int>(); ++i) {
    std::string line = row["pattern"];
    keys.push_back(plain(row["key_type"], line.replace(line.find("{}"), 2, std::to_string(i))));
  }
  return keys;
}

Bytes file_of(const SplitGeometry& geometry, const std::vector<std::string>& keys) {
  SplitFilter filter = *SplitFilter::with_geometry(geometry);
  for (const std::string& key : keys) filter.add(key);
  return *encode(filter.view(), Format::parquet);
}

TEST(Parquet, headers_are_those_of_the_vectors) {
  for (const auto& row : vectors("parquet", "headers")) {
    const SplitGeometry geometry{row["num_bytes"].get<std::uint64_t>() / 32};
    EXPECT_TRUE(geometry.fits_parquet());
    const Bytes wanted = bytes_from_hex(row["hex"]), made = format::parquet_header(geometry);
    EXPECT_EQ(made, wanted) << row["num_bytes"];
    const std::uint64_t file_bytes = made.size() + geometry.payload_bytes();
    const Result<format::Header> parsed = format::parse_parquet_header(made, file_bytes);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(parsed->info.payload_offset, made.size());
    EXPECT_EQ(std::get<SplitGeometry>(parsed->geometry).blocks, geometry.blocks);
    EXPECT_FALSE(format::parse_parquet_header(made, file_bytes + 1).ok());
    EXPECT_FALSE(format::parse_parquet_header(made, file_bytes - 1).ok());
  }
}

TEST(Parquet, files_are_those_of_the_vectors_and_answer) {
  int with_bytes = 0;
  for (const auto& row : vectors("parquet", "filters")) {
    const std::vector<std::string> keys = keys_of(row);
    const Bytes file = file_of({row["num_bytes"].get<std::uint64_t>() / 32}, keys);
    EXPECT_EQ(file.size(), row["bytes"]);
    if (row.contains("hex")) {
      EXPECT_EQ(file, bytes_from_hex(row["hex"])) << row["name"];
      ++with_bytes;
    }
    const Result<Decoded> decoded = decode(file, as_parquet());
    ASSERT_TRUE(decoded.ok()) << row["name"] << ": " << decoded.error().message;
    EXPECT_EQ(decoded->info.format, Format::parquet);
    EXPECT_EQ(decoded->info.kind, Kind::split);
    EXPECT_EQ(decoded->info.hash, HashId::xxh64);
    EXPECT_FALSE(decoded->info.key_count.has_value());
    for (const std::string& key : keys) ASSERT_TRUE(decoded->view.contains(key)) << row["name"];
    EXPECT_EQ(*encode(decoded->view, Format::parquet), file);
  }
  EXPECT_GE(with_bytes, 10);
}

TEST(Parquet, every_invalid_file_of_the_vectors_is_refused_by_field) {
  for (const auto& row : vectors("parquet", "invalid")) {
    const Result<Decoded> decoded = decode(bytes_from_hex(row["hex"]), as_parquet());
    ASSERT_FALSE(decoded.ok()) << row["why"];
    EXPECT_FALSE(decoded.error().message.empty());
    EXPECT_FALSE(decoded.error().field.empty()) << row["why"];
    if (!row["field"].is_null()) {
      EXPECT_EQ(decoded.error().field, row["field"].get<std::string>())
          << row["why"] << ": " << decoded.error().message;
    }
  }
}

TEST(Parquet, an_unknown_choice_is_named_with_its_number) {
  const Bytes good = file_of({1}, {});
  for (const auto& [at, name] : {std::pair{3, "algorithm 7"}, std::pair{7, "hash 7"}, std::pair{11, "compression 7"}}) {
    Bytes other = good;
    other[static_cast<std::size_t>(at)] = 0x7c;
    const Result<Decoded> decoded = decode(other, as_parquet());
    ASSERT_FALSE(decoded.ok());
    EXPECT_EQ(decoded.error().code, ErrorCode::unsupported);
    EXPECT_NE(decoded.error().message.find(name), std::string::npos) << decoded.error().message;
  }
}

TEST(Parquet, a_union_that_names_no_member_is_damage_and_no_newer_version) {
  const Bytes good = file_of({1}, {});
  for (const int member : {0x00, 0x15, 0x0c, 0x2b}) {
    Bytes other = good;
    other[3] = static_cast<std::uint8_t>(member);
    EXPECT_EQ(decode(other, as_parquet()).error().code, ErrorCode::corrupt) << member;
  }
}

TEST(Parquet, a_count_that_no_i32_can_hold_is_refused_whatever_the_file_is_long) {
  const std::uint64_t largest = (std::uint64_t{1} << 31) - 32;
  for (const std::uint64_t bytes : {largest, largest + 32, largest + 64}) {
    const Bytes header = format::parquet_header({bytes / 32});
    EXPECT_EQ(format::parse_parquet_header(header, header.size() + bytes).ok(), bytes == largest) << bytes;
  }
}

TEST(Parquet, every_bit_flip_of_a_header_is_noticed) {
  const Bytes good = file_of({64}, {"a"});
  ASSERT_TRUE(decode(good, as_parquet()).ok());
  for (std::size_t bit = 0; bit < 8 * (good.size() - 2048); ++bit) {
    Bytes flipped = good;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_FALSE(decode(flipped, as_parquet()).ok()) << "bit " << bit;
  }
}

// A header with a huge count before few bytes must not make anybody allocate or read that much: the exact length is
// checked first. Each truncation lies in a buffer of its own length, so that ASan sees a read past the end.
TEST(Parquet, every_truncation_is_noticed) {
  const Bytes good = file_of({2}, {"a"});
  for (std::size_t length = 0; length < good.size(); ++length) {
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_FALSE(decode(cut, as_parquet()).ok()) << length;
  }
  EXPECT_FALSE(decode(format::parquet_header({1u << 22}), as_parquet()).ok());
}

TEST(Parquet, nobody_guesses_but_the_error_says_what_to_ask_for) {
  const Bytes file = file_of({1}, {"a"});
  const Result<Decoded> unasked = decode(file);
  ASSERT_FALSE(unasked.ok());
  EXPECT_NE(unasked.error().message.find("OpenOptions::parquet"), std::string::npos);
  // A raw classic file with k = 21 starts with the same byte.
  ClassicFilter classic = *ClassicFilter::with_geometry(80, 21);
  const Bytes raw = *encode(classic.view(), Format::raw), envelope = *encode(classic.view(), Format::envelope);
  EXPECT_EQ(raw[0], file[0]);
  EXPECT_EQ(decode(raw)->info.format, Format::raw);
  EXPECT_FALSE(decode(raw, as_parquet()).ok());
  EXPECT_NE(decode(envelope, as_parquet()).error().message.find("envelope"), std::string::npos);
}

TEST(Parquet, sizes_of_other_writers_are_read) {
  Bytes file = format::parquet_header({3});
  file.resize(file.size() + 96, 0xff);
  const Result<Decoded> decoded = decode(file, as_parquet());
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE(decoded->view.contains("anything"));
  EXPECT_FALSE(encode(decoded->view, Format::parquet).ok()) << "but not written: several readers refuse them";
}

TEST(Parquet, only_what_a_column_can_hold_is_written) {
  const auto refusal = [](const AnyView& view) {
    const Result<Bytes> made = encode(view, Format::parquet);
    return made.ok() ? "" : made.error().field;
  };
  EXPECT_EQ(refusal(ClassicFilter::with_geometry(100, 3)->view()), "format");
  EXPECT_EQ(refusal(BlockFilter::with_geometry({4, 6})->view()), "format");
  EXPECT_EQ(refusal(SplitFilter::with_geometry({4}, Hasher::xxh64(1))->view()), "hash");
  EXPECT_EQ(refusal(SplitFilter::with_geometry({4}, Hasher::xxh3())->view()), "hash");
  EXPECT_EQ(refusal(SplitFilter::with_geometry({5})->view()), "blocks");
  EXPECT_EQ(refusal(SplitFilter::with_geometry({4})->view()), "");
}

TEST(Parquet, a_saved_file_opens_and_maps) {
  const Scratch scratch;
  SplitFilter filter = *SplitFilter::with_geometry(*SplitGeometry::for_parquet(1000, 0.01));
  for (int i = 0; i < 1000; ++i) filter.add(i);
  const std::string path = scratch / "f";
  ASSERT_TRUE(save(path, filter.view(), Format::parquet).ok());
  const Result<FilterFile> opened = FilterFile::open(path, as_parquet());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  EXPECT_TRUE(opened->view() == AnyView(filter.view()));
  Result<UnverifiedFile> mapped = UnverifiedFile::map(path, as_parquet());
  ASSERT_TRUE(mapped.ok());
  // The header has an odd number of bytes, so the blocks of a mapping are not aligned; batches must not mind.
  std::vector<std::uint64_t> keys(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = i;
  std::vector<std::uint8_t> answers(keys.size());
  mapped->unverified_view().contains_many(keys, answers);
  EXPECT_EQ(answers, std::vector<std::uint8_t>(1000, 1));
  EXPECT_TRUE(std::move(*mapped).verify().ok());
  EXPECT_FALSE(FilterFile::open(path).ok());
}

TEST(Sizing, parquet_gets_the_smallest_power_of_two_that_meets_the_rate) {
  for (std::uint64_t n : {1u, 2u, 10u, 1000u, 123'456u, 10'000'000u}) {
    for (double fpr : {0.5, 0.1, 0.01, 0.001, 1e-5}) {
      const Result<SplitGeometry> sized = SplitGeometry::for_parquet(n, fpr);
      ASSERT_TRUE(sized.ok()) << n << " " << fpr << " " << sized.error().message;
      EXPECT_TRUE(std::has_single_bit(sized->payload_bytes()));
      EXPECT_LE(sized->predicted_fpr_after(n), fpr);
      if (sized->blocks > 1) {
        EXPECT_GT(SplitGeometry{sized->blocks / 2}.predicted_fpr_after(n), fpr);
      }
    }
  }
  EXPECT_EQ(SplitGeometry::for_parquet(1, 0.01)->payload_bytes(), 32u);
}

TEST(Sizing, parquet_refuses_more_than_128_mib_and_says_which_rate_would_do) {
  const std::uint64_t n = 110'000'000;
  const Result<SplitGeometry> refused = SplitGeometry::for_parquet(n, 0.001);
  ASSERT_FALSE(refused.ok());
  const std::string& message = refused.error().message;
  EXPECT_NE(message.find("128 MiB"), std::string::npos);
  const std::size_t at = message.find("a rate of ");
  ASSERT_NE(at, std::string::npos) << message;
  const double would_do = std::stod(message.substr(at + 10));
  const Result<SplitGeometry> asked = SplitGeometry::for_parquet(n, would_do);
  ASSERT_TRUE(asked.ok()) << would_do;
  EXPECT_EQ(asked->payload_bytes(), SplitGeometry::kMaxParquetBytes);
  for (double bad : {0.0, 1.0, -1.0, 1e-6, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_FALSE(SplitGeometry::for_parquet(10, bad).ok()) << bad;
  EXPECT_FALSE(SplitGeometry::for_parquet(0, 0.01).ok());
  EXPECT_FALSE(SplitGeometry::for_parquet(~std::uint64_t{0}, 0.01).ok());
  EXPECT_FALSE((SplitGeometry{(1u << 22) + 1}.rounded_for_parquet().ok()));
  EXPECT_FALSE((SplitGeometry{1u << 23}.fits_parquet()));
}

}  // namespace
}  // namespace bloomery
