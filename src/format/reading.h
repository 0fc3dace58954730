// What reading a file takes besides its header, of filters and of iblts alike.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/detail/buffer.h"
#include "bloomery/file.h"
#include "core/io/file.h"
#include "format/header.h"

namespace BLOOMERY_NAMESPACE::format {

// The hash function of a file, with its seed or with the secret the caller offers. Without a secret, when the caller
// allows that, Hasher::without_secret, through which only a Hash may be asked; answers_keys is false then.
Result<Hasher> hasher_for(const FileInfo& info, const OpenOptions& options, bool& answers_keys);

// Check 7 of spec/envelope.md, over all bytes of the file; other formats have no checksum, so nothing to check. Names
// the damaged chunk where there are sums of chunks.
Status check_payload_sum(std::span<const std::uint8_t> bytes, const FileInfo& info, std::uint64_t expected);
// Compares the sums of all chunks too, where the file has some, also when the sum of the payload is right. Verifying
// asks this, opening does not. Reads the payload once.
Status check_all_sums(std::span<const std::uint8_t> bytes, const FileInfo& info, std::uint64_t expected);

// Gets the file's first header_bytes(), and its length.
using ParseHeader = std::function<Result<Header>(std::span<const std::uint8_t> start, std::uint64_t file_bytes)>;

// A file whose header made sense of its length, read up to its payload.
struct StartedFile {
  io::File file;
  Header header;
  std::vector<std::uint8_t> start;  // all bytes before the payload, or of a raw file the first few
};
Result<StartedFile> read_start(const std::string& path, const ParseHeader& parse);

// A file in memory, read only after its header made sense of its length.
struct ReadFile {
  Header header;
  detail::Buffer bytes;
};
Result<ReadFile> read_checked(const std::string& path, const ParseHeader& parse);

// Checks a file as open_iblt() does, and the sums of its chunks, too.
Status verify_iblt(const std::string& path, const OpenOptions& options);

}  // namespace BLOOMERY_NAMESPACE::format
