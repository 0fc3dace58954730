// The label of a file that exists: what changes with it, and what may not.
#include "bloomery/label.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "bloomery/file.h"
#include "bloomery/iblt_file.h"
#include "support/fault_at.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::Scratch;
using testing::write_text;

using Bytes = std::vector<std::uint8_t>;

Bytes bytes_of(const std::string& path) {
  const std::string text = testing::read_text(path);
  return {text.begin(), text.end()};
}

ClassicFilter labelled_filter(Hasher hasher = Hasher::xxh3(3)) {
  ClassicFilter filter = *ClassicFilter::with_geometry(8 * 5000, 5, hasher);
  for (std::uint64_t i = 0; i < 5; ++i) filter.add(i);
  return filter;
}

EnvelopeOptions labelled_records() {
  EnvelopeOptions options;
  options.records = {"users", 1'700'000'000, "int", {{77, 2, {1, 2, 3}}, {78, 0, {4}}}};
  options.chunks = true;
  return options;
}

TEST(Label, is_set_changed_and_removed_and_nothing_else_changes) {
  Scratch scratch;
  const ClassicFilter filter = labelled_filter();
  ASSERT_TRUE(save(scratch / "f", filter, labelled_records()).ok());
  for (const std::optional<std::string>& label :
       {std::optional<std::string>("customers"), {std::string(255, 'x')}, {}, {}, {"users"}}) {
    ASSERT_TRUE(set_label(scratch / "f", label).ok());
    const FilterFile file = *FilterFile::open(scratch / "f");
    Records expected = labelled_records().records;
    expected.label = label;
    EXPECT_EQ(file.info().records, expected);
    EXPECT_EQ(file.info().chunks->sums.size(), 2u);
    EXPECT_EQ(file.info().key_count, 5u);
    EXPECT_TRUE(std::ranges::equal(file.view().payload(), filter.view().payload()));
  }
}

TEST(Label, of_a_file_is_the_one_that_a_writer_would_have_written) {
  Scratch scratch;
  const ClassicFilter filter = labelled_filter();
  ASSERT_TRUE(save(scratch / "before", filter).ok());
  ASSERT_TRUE(set_label(scratch / "before", "users").ok());
  EnvelopeOptions options;
  options.records.label = "users";
  ASSERT_TRUE(save(scratch / "built", filter, options).ok());
  EXPECT_EQ(bytes_of(scratch / "before"), bytes_of(scratch / "built"));
}

TEST(Label, leaves_the_payload_where_it_was_if_it_fits) {
  Scratch scratch;
  EnvelopeOptions options;
  options.align = 4096;
  ASSERT_TRUE(save(scratch / "f", labelled_filter(), options).ok());
  ASSERT_TRUE(set_label(scratch / "f", "users").ok());
  EXPECT_EQ(FilterFile::open(scratch / "f")->info().payload_offset, 4096u);
}

TEST(Label, of_a_keyed_file_needs_no_secret) {
  Scratch scratch;
  const Secret secret = *Secret::from_hex("000102030405060708090a0b0c0d0e0f");
  ASSERT_TRUE(save(scratch / "f", labelled_filter(Hasher::siphash13(secret))).ok());
  ASSERT_TRUE(set_label(scratch / "f", "users").ok());
  OpenOptions options;
  options.secret = secret;
  EXPECT_EQ(FilterFile::open(scratch / "f", options)->info().records.label, "users");
}

TEST(Label, does_not_bless_a_damaged_payload) {
  Scratch scratch;
  for (const bool chunks : {false, true}) {
    EnvelopeOptions options;
    options.chunks = chunks;
    Bytes bytes = *encode(labelled_filter().view(), 5, options);
    bytes[bytes.size() - 1] ^= 1;
    write_text(scratch / "f", {bytes.begin(), bytes.end()});
    ASSERT_TRUE(set_label(scratch / "f", "users").ok());
    EXPECT_EQ(FilterFile::open(scratch / "f").error().field, chunks ? "chunk" : "payload checksum");
  }
}

TEST(Label, of_an_iblt_too) {
  Scratch scratch;
  ASSERT_TRUE(save(scratch / "f", *Iblt::for_differences(10, 8)).ok());
  ASSERT_TRUE(set_label(scratch / "f", "differences").ok());
  EXPECT_EQ(open_iblt(scratch / "f")->info.records.label, "differences");
}

TEST(Label, whatever_call_fails_the_file_is_the_old_one_or_the_new) {
  Scratch scratch;
  ASSERT_TRUE(save(scratch / "f", labelled_filter()).ok());
  const Bytes before = bytes_of(scratch / "f");
  int call = 0;
  for (bool failed = true; failed; ++call) {
    write_text(scratch / "f", {before.begin(), before.end()});
    Status status;
    {
      const testing::FaultAt fault(call, EIO);
      status = set_label(scratch / "f", "users");
      failed = fault.failed().has_value();
    }
    EXPECT_EQ(scratch.files(), 1u) << "call " << call;
    if (status.ok()) {
      EXPECT_EQ(FilterFile::open(scratch / "f")->info().records.label, "users") << "call " << call;
    } else {
      EXPECT_TRUE(bytes_of(scratch / "f") == before || FilterFile::open(scratch / "f").ok()) << "call " << call;
    }
  }
  EXPECT_GE(call, 8);
}

TEST(Label, is_refused_where_no_reader_would_take_it_and_the_file_stays) {
  Scratch scratch;
  const ClassicFilter raw = *ClassicFilter::with_geometry(47, 5, Hasher::fnv_splitmix());
  ASSERT_TRUE(save(scratch / "raw", raw, Format::raw).ok());
  ASSERT_TRUE(save(scratch / "f", labelled_filter()).ok());
  Bytes cut = bytes_of(scratch / "f");
  cut.pop_back();
  write_text(scratch / "cut", {cut.begin(), cut.end()});
  const Bytes before = bytes_of(scratch / "f");
  for (const std::string& bad : std::vector<std::string>{"", std::string(256, 'x'), "two\nlines", "\xff"}) {
    const Status status = set_label(scratch / "f", bad);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().field, "label");
    EXPECT_EQ(status.error().file, scratch / "f");
  }
  EXPECT_EQ(bytes_of(scratch / "f"), before);
  EXPECT_EQ(set_label(scratch / "raw", "users").error().field, "label");
  EXPECT_EQ(set_label(scratch / "cut", "users").error().field, "payload length");
  EXPECT_EQ(set_label(scratch / "none", "users").error().file, scratch / "none");
}

}  // namespace
}  // namespace bloomery
