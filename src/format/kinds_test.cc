// A golden file of every kind, with and without records: it opens, answers as the generator says, and is written again
// to the byte.
#include <gtest/gtest.h>

#include <set>

#include "any/registry.h"
#include "bloomery/file.h"
#include "support/vectors.h"

namespace bloomery {
namespace {

using testing::bytes_from_hex;
using testing::vectors;

std::vector<std::string> names(const AnyView& view, const std::string& word, int count, bool maybe) {
  std::vector<std::string> found;
  for (int i = 0; i < count; ++i) {
    const std::string key = word + std::to_string(i);
    if (view.contains(key) == maybe) found.push_back(key);
  }
  return found;
}

TEST(EveryKind, has_golden_files_that_open_answer_and_are_written_again) {
  std::set<Kind> kinds;
  for (const auto& row : vectors("kinds", "files")) {
    const std::string what = row["kind"].get<std::string>() + row["words"].dump() + row["hash"].get<std::string>();
    OpenOptions options;
    if (!row["secret"].is_null()) options.secret = *Secret::from_hex(row["secret"].get<std::string>());
    const std::vector<std::uint8_t> bytes = bytes_from_hex(row["hex"]);
    const Result<Decoded> decoded = decode(bytes, options);
    ASSERT_TRUE(decoded.ok()) << what << ": " << decoded.error().message;
    const FileInfo& info = decoded->info;
    kinds.insert(info.kind);
    EXPECT_EQ(to_string(info.kind), row["kind"]);
    EXPECT_EQ(info.key_count, row["keys"].get<std::uint64_t>());
    const any::GeometryWords words = any::geometry_words(decoded->view);
    for (std::size_t i = 0; i < words.size(); ++i)
      EXPECT_EQ(words[i], i < row["words"].size() ? row["words"][i].get<std::uint64_t>() : 0) << what;
    EXPECT_EQ(names(decoded->view, "key", row["keys"], false), row["denied"]) << what;
    EXPECT_EQ(names(decoded->view, "miss", 100, true), row["maybes"]) << what;
    EXPECT_EQ(info.records.label.has_value(), !row["label"].is_null()) << what;
    EXPECT_EQ(info.records.keys.has_value(), !row["key_type"].is_null()) << what;
    EXPECT_EQ(info.chunks.has_value(), !row["chunk_bytes"].is_null()) << what;
    EXPECT_TRUE(decoded->view.check_structure().ok()) << what;
    EXPECT_EQ(*encode(decoded->view, info.key_count, info.rewrite_options()), bytes) << what;
  }
  EXPECT_EQ(kinds.size(), kAllKinds.size());
}

}  // namespace
}  // namespace bloomery
