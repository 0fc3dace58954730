#include "table/format.h"

#include <gtest/gtest.h>

#include "table/coding.h"

namespace bloomery::table {
namespace {

Result<std::string> decompress(std::string_view stored, Compression compression) {
  const Result<std::uint64_t> bytes = unpacked_bytes(stored, compression);
  BLOOMERY_TRY(bytes);
  std::string contents(*bytes, '\0');
  BLOOMERY_TRY(unpack(stored, compression, contents));
  return contents;
}

std::string with_trailer(std::string contents) { return std::move(contents) + std::string(kTrailerBytes, '\0'); }

TEST(Format, a_compressed_block_gives_its_contents_back) {
  for (const Compression compression : {Compression::lz4, Compression::zstd}) {
    for (const std::size_t length : {100u, 5000u, 10'000'000u}) {
      const std::string contents(length, 'x');
      const Result<std::string> stored = encode_block(contents, compression, 7);
      ASSERT_TRUE(stored.ok());
      EXPECT_LT(stored->size(), length);
      ASSERT_EQ(*check_block(*stored, 7, true), compression);
      const Result<std::string> back = decompress(*stored, compression);
      ASSERT_TRUE(back.ok()) << back.error().to_string();
      EXPECT_TRUE(*back == contents);
    }
  }
}

// A few bytes that say they are very many: refused before there is memory for them.
TEST(Format, a_length_out_of_all_proportion_is_not_believed) {
  const std::uint64_t length = 64 << 20;
  std::string zstd, lz4;
  put_varint(zstd, length);
  zstd.append("\x28\xb5\x2f\xfd\xa0", 5);          // a frame whose length has four bytes
  zstd.append("\x00\x00\x00\x04\x01\x00\x00", 7);  // 64 MiB, and an empty block
  put_varint(lz4, length);
  lz4.append("\x10x", 2);
  for (const auto& [bytes, compression] : {std::pair(zstd, Compression::zstd), std::pair(lz4, Compression::lz4)}) {
    const Result<std::string> contents = decompress(with_trailer(bytes), compression);
    ASSERT_FALSE(contents.ok());
    EXPECT_NE(contents.error().message.find("does not say how long"), std::string::npos) << contents.error().message;
  }
}

}  // namespace
}  // namespace bloomery::table
