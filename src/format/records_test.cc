// Records of envelopes: what the vectors have, what a change drops, damage at every bit.
#include "bloomery/records.h"

#include <gtest/gtest.h>

#include <array>

#include "bloomery/file.h"
#include "bloomery/iblt_file.h"
#include "format/records.h"
#include "format/utf8.h"
#include "support/scratch.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::bytes_from_hex;
using testing::Scratch;
using testing::vectors;
using testing::write_text;

using Bytes = std::vector<std::uint8_t>;

std::optional<std::string> text_of(const nlohmann::json& row, const char* name) {
  if (!row.contains(name) || row[name].is_null()) return std::nullopt;
  return row[name].get<std::string>();
}
std::optional<std::uint64_t> number_of(const nlohmann::json& row, const char* name) {
  if (!row.contains(name) || row[name].is_null()) return std::nullopt;
  return row[name].get<std::uint64_t>();
}

Records records_of(const nlohmann::json& row) {
  Records records{text_of(row, "label"), number_of(row, "created"), text_of(row, "keys"), {}};
  if (row.contains("unknown"))
    for (const auto& one : row["unknown"])
      records.unknown.push_back({one["type"], one["flags"], bytes_from_hex(one["hex"])});
  return records;
}

ClassicFilter some_filter() {
  ClassicFilter filter = *ClassicFilter::with_geometry(47, 5, Hasher::xxh3(3));
  for (std::uint64_t i = 0; i < 5; ++i) filter.add(i);
  return filter;
}

EnvelopeOptions every_record() {
  EnvelopeOptions options;
  options.records = {"users", 1'700'000'000, "int", {{77, 2, {1, 2, 3}}}};
  options.chunks = true;
  return options;
}

TEST(Records, every_valid_envelope_of_the_vectors_has_its_records) {
  int rows = 0;
  for (const auto& row : vectors("records", "valid")) {
    const Bytes bytes = bytes_from_hex(row["hex"]);
    const Result<Decoded> decoded = decode(bytes);
    ASSERT_TRUE(decoded.ok()) << row["name"] << ": " << decoded.error().message;
    EXPECT_EQ(decoded->info.records, records_of(row)) << row["name"];
    EXPECT_EQ(decoded->info.payload_offset, row["offset"]);
    EXPECT_EQ(decoded->info.chunks ? nlohmann::json(decoded->info.chunks->chunk_bytes) : nlohmann::json(),
              row["chunk_bytes"]);
    EXPECT_TRUE(decoded->view.contains("key0"));
    const FileInfo& info = decoded->info;
    if (row["written"]) {
      EXPECT_EQ(*encode(decoded->view, info.key_count, info.rewrite_options()), bytes) << row["name"];
    }
    EXPECT_EQ(*encode(decoded->view, info.key_count, info.rewrite_options_after_change()),
              bytes_from_hex(row["changed_hex"]))
        << row["name"];
    ++rows;
  }
  EXPECT_GE(rows, 30);
}

// The fields that each check of the specification can report.
std::vector<std::string> fields_of(int check) {
  switch (check) {
    case 3: return {"payload offset", "header checksum"};
    case 4: return {"flags", "records", "label", "created", "keys", "chunks"};
    case 5: return {"payload length", "chunks"};
    default: return {"payload checksum", "chunk"};
  }
}

TEST(Records, every_invalid_envelope_of_the_vectors_is_refused_by_the_right_check) {
  int rows = 0;
  for (const auto& row : vectors("records", "invalid")) {
    const Bytes bytes = bytes_from_hex(row["hex"]);
    const Result<Decoded> decoded = decode(bytes);
    ASSERT_FALSE(decoded.ok()) << row["why"];
    const std::vector<std::string> fields = fields_of(row["check"]);
    EXPECT_NE(std::find(fields.begin(), fields.end(), decoded.error().field), fields.end())
        << row["why"] << ": " << decoded.error().field << ": " << decoded.error().message;
    ++rows;
  }
  EXPECT_GE(rows, 80);
}

TEST(Records, the_files_of_the_vectors_open_and_map_alike) {
  Scratch scratch;
  for (const char* part : {"valid", "invalid"}) {
    for (const auto& row : vectors("records", part)) {
      const Bytes bytes = bytes_from_hex(row["hex"]);
      write_text(scratch / "f", {bytes.begin(), bytes.end()});
      const Result<FilterFile> opened = FilterFile::open(scratch / "f");
      ASSERT_EQ(opened.ok(), std::string_view(part) == "valid");
      if (opened.ok()) {
        EXPECT_EQ(opened->info().records, records_of(row));
        EXPECT_EQ(UnverifiedFile::map(scratch / "f")->info().records, records_of(row));
      } else if (row["check"] != 7) {
        EXPECT_FALSE(UnverifiedFile::map(scratch / "f").ok()) << row["why"];
      }
    }
  }
}

TEST(Records, of_a_union_are_those_of_the_vectors) {
  for (const auto& row : vectors("records", "merged")) {
    const Result<Records> merged = Records::merged(records_of(row["one"]), records_of(row["other"]));
    ASSERT_EQ(merged.ok(), !row["merged"].is_null()) << row;
    if (merged.ok()) {
      EXPECT_EQ(*merged, records_of(row["merged"])) << row;
    }
  }
}

TEST(Records, of_a_merge_have_one_type_of_keys_in_whatever_order_they_come) {
  Records text, numbers, none;
  text.keys = "text", numbers.keys = "int";
  for (const auto& order : {std::array{&text, &numbers, &none}, std::array{&text, &none, &numbers},
                            std::array{&none, &text, &numbers}, std::array{&none, &numbers, &text}}) {
    format::MergedRecords merged;
    Status status;
    for (const Records* input : order)
      if (status.ok()) status = merged.add(*input);
    EXPECT_FALSE(status.ok());
  }
  format::MergedRecords merged;
  for (const Records* input : {&text, &none, &text}) ASSERT_TRUE(merged.add(*input).ok());
  EXPECT_EQ(merged.records(), none);
  const Status refused = merged.add(numbers);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "the keys of this filter are of the type 'int', not 'text'");
}

TEST(Records, every_bit_flip_and_every_cut_is_noticed) {
  const ClassicFilter filter = some_filter();
  EnvelopeOptions aligned = every_record();
  aligned.align = 1024;
  for (const EnvelopeOptions& options : {every_record(), aligned}) {
    const Bytes good = *encode(filter.view(), filter.key_count(), options);
    ASSERT_TRUE(decode(good).ok());
    for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
      Bytes flipped = good;
      flipped[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
      ASSERT_FALSE(decode(flipped).ok()) << "bit " << bit;
    }
    for (std::size_t length = 0; length < good.size(); ++length)
      ASSERT_FALSE(decode(std::span(good).first(length)).ok()) << length;
    Bytes longer = good;
    longer.push_back(0);
    EXPECT_FALSE(decode(longer).ok());
  }
}

TEST(Records, a_file_without_them_has_the_bytes_of_before) {
  const ClassicFilter filter = some_filter();
  EXPECT_EQ(*encode(filter.view(), filter.key_count(), EnvelopeOptions{}),
            *encode(filter.view(), Format::envelope, filter.key_count()));
}

TEST(Records, are_kept_or_dropped_by_who_changes_the_payload) {
  Scratch scratch;
  ClassicFilter filter = some_filter();
  ASSERT_TRUE(save(scratch / "f", filter, every_record()).ok());
  const FilterFile file = *FilterFile::open(scratch / "f");
  EXPECT_EQ(file.info().records, every_record().records);
  EXPECT_EQ(file.info().rewrite_options().records, every_record().records);
  const EnvelopeOptions changed = file.info().rewrite_options_after_change();
  EXPECT_EQ(changed.records.label, "users");
  EXPECT_EQ(changed.records.keys, "int");
  EXPECT_FALSE(changed.records.created);
  EXPECT_FALSE(changed.chunks);
  filter.add(std::uint64_t{99});
  ASSERT_TRUE(save(scratch / "f", filter, changed).ok());
  const FilterFile again = *FilterFile::open(scratch / "f");
  EXPECT_EQ(again.info().records, changed.records);
  EXPECT_FALSE(again.info().chunks);
  EXPECT_EQ(again.info().payload_offset, file.info().payload_offset);
}

TEST(Records, the_payload_lies_where_it_was_asked_for) {
  const ClassicFilter filter = some_filter();
  for (std::uint64_t align = 64; align <= std::uint64_t{4} << 20; align *= 2) {
    EnvelopeOptions options;
    options.align = align;
    Bytes bytes = *encode(filter.view(), filter.key_count(), options);
    EXPECT_EQ(decode(bytes)->info.payload_offset, std::max<std::uint64_t>(align, 128));
    options.records.label = std::string(255, 'x');
    const Result<Bytes> labelled = encode(filter.view(), filter.key_count(), options);
    constexpr std::uint64_t kBefore = 128 + 8 + 256;  // header and the label with its padding
    EXPECT_EQ(decode(*labelled)->info.payload_offset, (kBefore + align - 1) / align * align);
  }
  for (const std::uint64_t align : {0U, 1U, 32U, 63U, 65U, 96U, 8U << 20}) {
    EnvelopeOptions options;
    options.align = align;
    EXPECT_FALSE(encode(filter.view(), filter.key_count(), options).ok()) << align;
  }
  EnvelopeOptions full;
  full.records.unknown = {{9, 2, Bytes(4 << 20)}};
  EXPECT_EQ(encode(filter.view(), filter.key_count(), full).error().field, "records");
  full.records.unknown = {{9, 2, Bytes((4 << 20) - 136)}};
  const Bytes widest = *encode(filter.view(), filter.key_count(), full);
  EXPECT_EQ(decode(widest)->info.records, full.records);
}

TEST(Records, what_no_reader_takes_is_not_written) {
  const ClassicFilter filter = some_filter();
  std::vector<Records> refused(9);
  refused[0].label = "";
  refused[1].label = std::string(256, 'x');
  refused[2].label = "two\nlines";
  refused[3].label = "\xff";
  refused[4].keys = "";
  refused[5].keys = "a b";
  refused[6].unknown = {{9, 2, {}}, {9, 2, {}}};
  refused[7].unknown = {{1, 2, {}}};
  refused[8].unknown = {{9, 1, {}}};
  for (const Records& records : refused) {
    EnvelopeOptions options;
    options.records = records;
    EXPECT_FALSE(encode(filter.view(), filter.key_count(), options).ok()) << &records - refused.data();
  }
}

TEST(Records, keys_that_are_said_are_expected) {
  Records records;
  EXPECT_TRUE(records.expect_keys("text").ok());
  records.keys = "int";
  EXPECT_TRUE(records.expect_keys("int").ok());
  EXPECT_NE(records.expect_keys("text").error().message.find("'int', not 'text'"), std::string::npos);
}

TEST(Records, an_iblt_has_them_too) {
  Scratch scratch;
  const Iblt table = *Iblt::for_differences(10, 8);
  ASSERT_TRUE(save(scratch / "f", table, every_record()).ok());
  const IbltFile file = *open_iblt(scratch / "f");
  EXPECT_EQ(file.info.records, every_record().records);
  EXPECT_TRUE(file.info.chunks);
}

TEST(Utf8, is_what_unicode_calls_so) {
  for (const std::string_view good : {"", "a", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
                                      "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "a\xc3\xa9z"})
    EXPECT_TRUE(format::is_utf8(good)) << good;
  for (const std::string_view bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2z", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe1\x80\xc0", "\xf1\x80\x80"})
    EXPECT_FALSE(format::is_utf8(bad)) << bad;
}

}  // namespace
}  // namespace bloomery
