#include "bloomery/file.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>

#include "bloomery/overlap.h"
#include "core/io/sys.h"
#include "support/scratch.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::bytes_from_hex;
using testing::from_hex;
using testing::Scratch;
using testing::vectors;
using testing::write_text;

using Bytes = std::vector<std::uint8_t>;

std::string as_text(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

OpenOptions options_of(const nlohmann::json& row) {
  OpenOptions options;
  if (!row["secret"].is_null()) options.secret = *Secret::from_hex(row["secret"].get<std::string>());
  return options;
}

Bytes small_envelope() {
  ClassicFilter filter = *ClassicFilter::with_geometry(47, 5, Hasher::xxh3(3));
  filter.add("a");
  filter.add("b");
  return *encode(filter.view(), Format::envelope, filter.key_count());
}

TEST(Decode, every_valid_envelope_of_the_vectors_opens_and_answers) {
  for (const auto& row : vectors("envelope", "valid")) {
    const Bytes bytes = bytes_from_hex(row["hex"]);
    const Result<Decoded> decoded = decode(bytes, options_of(row));
    ASSERT_TRUE(decoded.ok()) << row["name"] << ": " << decoded.error().message;
    EXPECT_EQ(decoded->info.format, Format::envelope);
    EXPECT_EQ(to_string(decoded->info.hash), row["hash"]);
    EXPECT_EQ(decoded->view.bits_set(), row["bits_set"]);
    EXPECT_EQ(decoded->info.key_count ? nlohmann::json(*decoded->info.key_count) : nlohmann::json(), row["key_count"]);
    for (const auto& key : row["keys_hex"]) EXPECT_TRUE(decoded->view.contains(from_hex(key)));
    for (const auto& [key, maybe] : row["absent"].items())
      EXPECT_EQ(decoded->view.contains(key), maybe.get<bool>()) << row["name"] << " " << key;
    EXPECT_EQ(*encode(decoded->view, Format::envelope, decoded->info.key_count), bytes) << row["name"];
  }
}

TEST(Decode, every_invalid_file_of_the_vectors_is_refused) {
  for (const char* file : {"classic", "envelope"}) {
    for (const auto& row : vectors(file, "invalid")) {
      OpenOptions options;
      options.without_secret = true;
      const Result<Decoded> decoded = decode(bytes_from_hex(row["hex"]), options);
      ASSERT_FALSE(decoded.ok()) << row["why"];
      EXPECT_FALSE(decoded.error().message.empty());
      EXPECT_FALSE(decoded.error().field.empty()) << row["why"];
    }
  }
}

TEST(Decode, a_raw_file_is_header_and_bits) {
  for (const auto& row : vectors("classic", "filters")) {
    if (!row.contains("hex")) continue;
    const Bytes bytes = bytes_from_hex(row["hex"]);
    const Result<Decoded> decoded = decode(bytes);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(decoded->info.format, Format::raw);
    EXPECT_FALSE(decoded->info.key_count.has_value());
    EXPECT_TRUE(decoded->view.contains("key0"));
    EXPECT_EQ(*encode(decoded->view, Format::raw), bytes);
  }
}

TEST(Decode, every_bit_flip_of_an_envelope_is_noticed) {
  const Bytes good = small_envelope();
  ASSERT_TRUE(decode(good).ok());
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    Bytes flipped = good;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    EXPECT_FALSE(decode(flipped).ok()) << "bit " << bit;
  }
}

TEST(Decode, every_truncation_and_extension_of_an_envelope_is_noticed) {
  Bytes bytes = small_envelope();
  bytes.push_back(0);
  EXPECT_FALSE(decode(bytes).ok()) << "one byte more";
  for (std::size_t length = 0; length + 1 < bytes.size(); ++length)
    EXPECT_FALSE(decode(std::span(bytes).first(length)).ok()) << length;
}

TEST(Open, damaged_files_are_refused_and_mapping_them_never_crashes) {
  Scratch scratch;
  const Bytes good = small_envelope();
  for (std::size_t bit = 0; bit < 8 * good.size(); bit += 3) {
    Bytes flipped = good;
    flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    write_text(scratch / "f", as_text(flipped));
    const Result<FilterFile> opened = FilterFile::open(scratch / "f");
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().file, scratch / "f");
    Result<UnverifiedFile> mapped = UnverifiedFile::map(scratch / "f");
    if (!mapped.ok()) continue;
    (void)mapped->unverified_view().contains("a");
    EXPECT_FALSE(std::move(*mapped).verify().ok());
  }
}

TEST(Open, a_hostile_count_is_refused_before_anything_is_allocated) {
  Scratch scratch;
  write_text(scratch / "f", from_hex("07000000ffffffffffffffffbb01"));
  const Result<FilterFile> opened = FilterFile::open(scratch / "f");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::corrupt);  // not out_of_memory: nobody tried
}

TEST(Open, saved_files_come_back_equal_by_open_and_by_map) {
  Scratch scratch;
  ClassicFilter filter = *ClassicFilter::with_capacity(5000, 0.01);
  for (std::uint64_t i = 0; i < 5000; ++i) filter.add(i);
  const AnyFilter any = *AnyFilter::copy_of(filter.view(), filter.key_count());
  for (Format format : {Format::raw, Format::envelope}) {
    ASSERT_TRUE(save(scratch / "f", any, format).ok());
    const Result<FilterFile> opened = FilterFile::open(scratch / "f");
    ASSERT_TRUE(opened.ok());
    EXPECT_TRUE(opened->view() == any.view());
    EXPECT_EQ(opened->info().key_count.has_value(), format == Format::envelope);
    Result<UnverifiedFile> mapped = UnverifiedFile::map(scratch / "f");
    ASSERT_TRUE(mapped.ok());
    EXPECT_TRUE(mapped->unverified_view() == any.view());
    const Result<FilterFile> verified = std::move(*mapped).verify();
    ASSERT_TRUE(verified.ok());
    EXPECT_TRUE(verified->contains(std::uint64_t{4999}));
    if (format == Format::envelope) {
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(verified->view().payload().data()) % 64, 0u) << "usable in place";
    }
  }
}

TEST(Open, a_keyed_file_wants_its_secret) {
  Scratch scratch;
  const Secret right = *Secret::from_hex("000102030405060708090a0b0c0d0e0f"),
               wrong = *Secret::from_hex("ff0102030405060708090a0b0c0d0e0f");
  ClassicFilter filter = *ClassicFilter::with_capacity(100, 0.01, Hasher::siphash13(right));
  filter.add("key");
  ASSERT_TRUE(save(scratch / "f", filter.view(), Format::envelope).ok());
  EXPECT_FALSE(save(scratch / "g", filter.view(), Format::raw).ok()) << "a raw file cannot say which hash";
  EXPECT_EQ(FilterFile::open(scratch / "f").error().code, ErrorCode::wrong_secret);
  OpenOptions options;
  options.secret = wrong;
  EXPECT_EQ(FilterFile::open(scratch / "f", options).error().code, ErrorCode::wrong_secret);
  options.secret = right;
  const std::array<std::string_view, 2> keys = {"key", "anything"};
  std::array<std::uint8_t, 3> answers = {7, 7, 7};
  const FilterFile opened = *FilterFile::open(scratch / "f", options);
  EXPECT_TRUE(opened.contains("key"));
  opened.contains_many(keys, answers);
  EXPECT_EQ(answers, (std::array<std::uint8_t, 3>{1, 0, 7}));
  options = {};
  options.without_secret = true;
  const FilterFile keyless = *FilterFile::open(scratch / "f", options);
  EXPECT_FALSE(keyless.answers_keys());
  EXPECT_TRUE(keyless.contains("anything")) << "in doubt, maybe";
  keyless.contains_many(keys, answers);
  EXPECT_EQ(answers, (std::array<std::uint8_t, 3>{1, 1, 7})) << "in doubt, maybe";
  EXPECT_FALSE(keyless.copy().ok());
}

// What was opened without its secret keeps the name of its hash, whoever writes it again.
TEST(Open, a_keyed_file_without_its_secret_is_saved_as_it_is_and_combines_with_no_other_hash) {
  const testing::Scratch scratch;
  const Secret one({1}), two({2});
  OpenOptions without;
  without.without_secret = true;
  std::vector<AnyFilter> copies;
  for (const Hasher& hasher : {Hasher::siphash13(one), Hasher::siphash13(two), Hasher::siphash24(one), Hasher()}) {
    BlockFilter filter = *BlockFilter::with_capacity(1000, 0.01, hasher);
    for (std::uint64_t key = 0; key < 1000; ++key) filter.add(key);
    ASSERT_TRUE(save(scratch / "f", filter).ok());
    const FilterFile file = *FilterFile::open(scratch / "f", without);
    ASSERT_TRUE(save(scratch / "g", file.view(), file.info().key_count, file.info().rewrite_options()).ok());
    EXPECT_EQ(testing::read_text(scratch / "f"), testing::read_text(scratch / "g"));
    EXPECT_EQ(FilterFile::open(scratch / "g").ok(), hasher == Hasher());
    for (const AnyFilter& copy : copies) EXPECT_FALSE(overlap(copy.view(), file.view()).ok());
    copies.push_back(*AnyFilter::copy_of(file.view(), {}));
    for (std::size_t i = 0; i + 1 < copies.size(); ++i) EXPECT_FALSE(copies.back().merge(copies[i]).ok());
  }
}

TEST(Open, the_secret_is_not_in_the_file) {
  const Secret secret = *Secret::from_hex("deadbeef0102030405060708090a0b0c");
  ClassicFilter filter = *ClassicFilter::with_capacity(100, 0.01, Hasher::siphash24(secret));
  const Bytes bytes = *encode(filter.view(), Format::envelope);
  const auto& s = secret.bytes();
  EXPECT_EQ(std::search(bytes.begin(), bytes.end(), s.begin(), s.begin() + 8), bytes.end());
}

TEST(Encode, an_error_of_the_sink_is_passed_on) {
  const ClassicFilter filter = *ClassicFilter::with_capacity(100, 0.01);
  const Status status = encode(filter.view(), Format::envelope, {}, [](auto) {
    return Status(Error{ErrorCode::io, "full", "pipe", {}});
  });
  EXPECT_EQ(status.error().message, "full");
}

TEST(Any, what_a_kind_cannot_do_is_one_clear_sentence) {
  AnyFilter filter = *AnyFilter::with_capacity(Kind::classic, 100, 0.01);
  EXPECT_TRUE(filter.add("a").ok());
  EXPECT_NE(filter.remove("a").error().message.find("classic filters cannot remove keys"), std::string::npos);
  EXPECT_TRUE(filter.contains("a"));
  EXPECT_EQ(filter.key_count(), 1u);
  AnyFilter other = *filter.clone();
  ASSERT_TRUE(other.add("b").ok());
  ASSERT_TRUE(filter.merge(other).ok());
  EXPECT_TRUE(filter.contains("b"));
  ASSERT_TRUE(filter.intersect(other).ok());
  ASSERT_TRUE(filter.clear().ok());
  EXPECT_FALSE(filter.contains("a"));
  EXPECT_FALSE(kind_from_name("nosuch").ok());
  EXPECT_NE(kind_from_name("iblt").error().message.find("no filter"), std::string::npos);
  EXPECT_FALSE(can(Kind::iblt, Ability::add));
  EXPECT_FALSE(AnyFilter::with_capacity(Kind::iblt, 100, 0.01).ok());
}

TEST(File, a_saved_filter_keeps_its_key_count) {
  Scratch scratch;
  BlockFilter filter = *BlockFilter::with_capacity(100, 0.01);
  filter.add("a");
  filter.add(42);
  ASSERT_TRUE(save(scratch / "f.blm", filter).ok());
  EXPECT_EQ(FilterFile::open(scratch / "f.blm")->info().key_count, 2u);
}

// A sink that adds a key to the filter once it got its header: what a thread does that nobody waits for.
TEST(Encode, of_a_filter_that_is_changed_meanwhile_is_an_error) {
  const BlockGeometry geometry = *BlockGeometry::for_bytes(4096, 1000);
  Bytes page(geometry.payload_bytes());
  BlockMutableView writer = *BlockMutableView::create(page, geometry);
  for (const bool changes : {true, false}) {
    Bytes given;
    const Status status =
        encode(writer.view(), Format::envelope, {}, [&](std::span<const std::uint8_t> piece) -> Status {
          if (changes && given.empty()) writer.add("meanwhile");
          given.insert(given.end(), piece.begin(), piece.end());
          return {};
        });
    EXPECT_EQ(status.ok(), !changes);
    if (status.ok()) {
      EXPECT_EQ(given, *encode(writer.view(), Format::envelope));
      continue;
    }
    EXPECT_EQ(status.error().code, ErrorCode::invalid_argument);
    EXPECT_EQ(status.error().field, "filter");
    EXPECT_TRUE(status.error().message.starts_with("the filter was changed while it was saved: "));
  }
}

// Adds a key when the file is first written to.
struct AddsAtWrite {
  explicit AddsAtWrite(BlockMutableView& filter) : writer(filter) {
    io::set_fault_hook(
        [](const io::Call& call, void* self) {
          if (call.op == io::Op::write) static_cast<AddsAtWrite*>(self)->writer.add("meanwhile");
          return io::Verdict{};
        },
        this);
  }
  ~AddsAtWrite() { io::set_fault_hook(nullptr); }
  BlockMutableView& writer;
};

TEST(Save, of_a_filter_that_is_changed_meanwhile_leaves_the_file_that_was_there) {
  const Scratch scratch;
  const std::string path = scratch / "f.blm";
  const BlockGeometry geometry = *BlockGeometry::for_bytes(4096, 1000);
  Bytes page(geometry.payload_bytes());
  BlockMutableView writer = *BlockMutableView::create(page, geometry);
  writer.add("before");
  ASSERT_TRUE(save(path, writer.view()).ok());
  const std::string before = testing::read_text(path);
  Status status;
  {
    const AddsAtWrite adds(writer);
    status = save(path, writer.view());
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().field, "filter");
  EXPECT_EQ(status.error().file, path);
  EXPECT_EQ(testing::read_text(path), before);
  EXPECT_EQ(scratch.files(), 1u) << "a temporary stayed";
  ASSERT_TRUE(save(path, writer.view()).ok());
  EXPECT_TRUE(FilterFile::open(path)->contains("meanwhile"));
}

// The pieces of a large payload together are the file.
TEST(Encode, gives_the_head_first_and_then_pieces_of_the_payload) {
  for (const std::uint64_t bytes : {64u, (1u << 18) - 64, 1u << 18, (1u << 18) + 64, 3u << 18}) {
    const BlockFilter filter = *BlockFilter::with_geometry(*BlockGeometry::for_bytes(bytes, 1000));
    Bytes given;
    std::size_t first = 0;
    const auto sink = [&](std::span<const std::uint8_t> piece) -> Status {
      if (first == 0) first = piece.size();
      given.insert(given.end(), piece.begin(), piece.end());
      return {};
    };
    ASSERT_TRUE(encode(filter.view(), Format::envelope, 0, sink).ok());
    const Result<Decoded> decoded = decode(given);
    ASSERT_TRUE(decoded.ok()) << bytes;
    EXPECT_EQ(decoded->info.payload_offset, first);
    EXPECT_EQ(given, *encode(filter.view(), Format::envelope, 0));
  }
}

}  // namespace
}  // namespace bloomery
