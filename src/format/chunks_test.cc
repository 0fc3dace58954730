// Sums of the chunks of a payload: a mapped file is verified by range.
#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "bloomery/detail/bits.h"
#include "bloomery/file.h"
#include "format/header.h"
#include "format/records.h"
#include "support/scratch.h"

namespace bloomery {
namespace {

using testing::Scratch;
using testing::write_text;

using Bytes = std::vector<std::uint8_t>;

ClassicFilter chunked_filter(std::uint64_t m = 47) {
  ClassicFilter filter = *ClassicFilter::with_geometry(m, 5, Hasher::xxh3(3));
  for (std::uint64_t i = 0; i < 5; ++i) filter.add(i);
  return filter;
}

TEST(Chunks, a_range_of_a_mapped_file_is_verified_alone) {
  Scratch scratch;
  const ClassicFilter filter = chunked_filter(8 * 100'000);  // 25 chunks
  EnvelopeOptions options;
  options.chunks = true;
  ASSERT_TRUE(save(scratch / "f", filter, options).ok());
  const std::uint64_t offset = FilterFile::open(scratch / "f")->info().payload_offset;
  {
    std::fstream file(scratch / "f", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(offset + 3 * 4096 + 17));
    file.put('\x5a');
  }
  Result<UnverifiedFile> mapped = UnverifiedFile::map(scratch / "f");
  ASSERT_TRUE(mapped.ok());
  EXPECT_EQ(mapped->info().chunks->sums.size(), 25u);
  EXPECT_TRUE(mapped->verify_range(0, 3 * 4096).ok());
  EXPECT_TRUE(mapped->verify_range(4 * 4096, 100'000 - 4 * 4096).ok());
  EXPECT_TRUE(mapped->verify_range(3 * 4096, 0).ok());
  for (const auto& [at, bytes] : {std::pair{3 * 4096, 1}, {4 * 4096 - 1, 1}, {3 * 4096 - 1, 2}, {0, 100'000}}) {
    const Status status = mapped->verify_range(static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(bytes));
    ASSERT_FALSE(status.ok());
    EXPECT_NE(status.error().message.find("chunk 3 of 25, bytes 12288 to 16383 of the payload"), std::string::npos)
        << status.error().message;
    EXPECT_EQ(status.error().file, scratch / "f");
  }
  EXPECT_EQ(mapped->verify_range(100'000, 1).error().field, "range");
  EXPECT_EQ(mapped->verify_range(~std::uint64_t{0}, 2).error().field, "range");
  EXPECT_NE(std::move(*mapped).verify().error().message.find("chunk 3 of 25"), std::string::npos);
  EXPECT_EQ(FilterFile::open(scratch / "f").error().field, "chunk");
}

// Sets the checksum of a header and of its records right.
void set_header_sum(Bytes& file, std::uint64_t payload_offset) {
  Bytes summed(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(payload_offset));
  summed.erase(summed.begin() + 120, summed.begin() + 128);
  detail::store_le<std::uint64_t>(&file[120], format::checksum(summed));
}

TEST(Chunks, a_whole_mapped_file_is_verified_by_both_checksums) {
  Scratch scratch;
  const ClassicFilter filter = chunked_filter(8 * 100'000);  // 25 chunks
  EnvelopeOptions options;
  options.chunks = true;
  const Bytes file = *encode(filter.view(), 5, options);
  const std::uint64_t offset = decode(file)->info.payload_offset;
  write_text(scratch / "sound", {file.begin(), file.end()});
  EXPECT_TRUE(UnverifiedFile::map(scratch / "sound")->verify_all().ok());
  EXPECT_TRUE(UnverifiedFile::map(scratch / "sound").value().verify().ok());

  Bytes chunk = file;  // the sum of the payload is right
  chunk[offset + 3 * 4096 + 17] ^= 0x5a;
  detail::store_le<std::uint64_t>(&chunk[112], format::checksum(std::span(chunk).subspan(offset)));
  set_header_sum(chunk, offset);
  write_text(scratch / "chunk", {chunk.begin(), chunk.end()});
  EXPECT_TRUE(FilterFile::open(scratch / "chunk").ok());  // which does not compare the sums of chunks

  Bytes payload = file;  // the sums of all chunks are right
  payload[112] ^= 1;
  set_header_sum(payload, offset);
  write_text(scratch / "payload", {payload.begin(), payload.end()});

  for (const auto& [name, field] : {std::pair{"chunk", "chunk"}, {"payload", "payload checksum"}}) {
    Result<UnverifiedFile> mapped = UnverifiedFile::map(scratch / name);
    ASSERT_TRUE(mapped.ok()) << name;
    const Status status = mapped->verify_all();
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().field, field);
    EXPECT_EQ(status.error().file, scratch / name);
    const Result<FilterFile> verified = std::move(*mapped).verify();
    ASSERT_FALSE(verified.ok()) << name;
    EXPECT_EQ(verified.error().message, status.error().message);
  }
}

TEST(Chunks, a_file_without_sums_is_verified_as_a_whole_only) {
  Scratch scratch;
  ASSERT_TRUE(save(scratch / "f", chunked_filter()).ok());
  EXPECT_EQ(UnverifiedFile::map(scratch / "f")->verify_range(0, 1).error().code, ErrorCode::unsupported);
}

TEST(Chunks, the_record_stays_short) {
  const auto record_bytes = [](std::uint64_t payload, std::uint64_t chunk) {
    return 8 * (1 + (payload + chunk - 1) / chunk);
  };
  for (const std::uint64_t bytes : {std::uint64_t{65'535} * 4096, std::uint64_t{65'535} * 4096 + 1}) {
    const ClassicFilter filter = *ClassicFilter::with_geometry(8 * bytes, 1);
    EnvelopeOptions options;
    options.chunks = true;
    const auto start = *format::envelope_start(format::contents_of(filter.view()), 0, 0, options);
    const std::uint64_t chunk = bytes == std::uint64_t{65'535} * 4096 ? 4096 : 8192;
    EXPECT_EQ(start.size(), 128 + 8 + record_bytes(bytes, chunk) + (-(128 + 8 + record_bytes(bytes, chunk)) & 63));
  }
}

// Header and records of a block filter whose payload is all zeros, made without it.
Bytes start_of_zeros(std::uint64_t bytes, std::uint64_t chunk) {
  const BlockFilter one = *BlockFilter::with_geometry(1, 8);
  format::Contents contents = format::contents_of(one.view());
  contents.geometry[0] = bytes / 64;
  contents.payload = {contents.payload.data(), bytes};  // of which only the size is asked
  EnvelopeOptions options;
  options.align = 2 << 20;
  Bytes start = *format::envelope_start(contents, 0, 0, options);
  const ChunkSums sums{chunk, std::vector<std::uint64_t>(bytes / chunk, format::checksum(Bytes(chunk)))};
  const Bytes records = *format::encode_records({}, sums);
  std::copy(records.begin(), records.end(), start.begin() + 128);
  set_header_sum(start, start.size());
  return start;
}

TEST(Chunks, sixty_four_gibibytes_are_asked_at_once_and_verified_by_range) {
  Scratch scratch;
  constexpr std::uint64_t kBytes = std::uint64_t{64} << 30, kChunk = 2 << 20;
  const Bytes start = start_of_zeros(kBytes, kChunk);
  write_text(scratch / "f", {start.begin(), start.end()});
  if (::truncate((scratch / "f").c_str(), static_cast<off_t>(start.size() + kBytes)) != 0) GTEST_SKIP() << "no holes";
  const Result<UnverifiedFile> mapped = UnverifiedFile::map(scratch / "f");
  ASSERT_TRUE(mapped.ok()) << mapped.error().message;
  EXPECT_EQ(mapped->info().file_bytes, start.size() + kBytes);
  EXPECT_FALSE(mapped->unverified_view().contains("a key"));
  EXPECT_TRUE(mapped->verify_range(kBytes - 1, 1).ok());
  EXPECT_TRUE(mapped->verify_range(kBytes / 2, 10).ok());
  {
    std::fstream file(scratch / "f", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(start.size() + kBytes - 5));
    file.put('\1');
  }
  EXPECT_NE(mapped->verify_range(kBytes - 1, 1).error().message.find("chunk 32767 of 32768"), std::string::npos);
  EXPECT_TRUE(mapped->verify_range(0, 1).ok());
}

}  // namespace
}  // namespace bloomery
