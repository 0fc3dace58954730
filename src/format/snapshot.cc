#include "format/snapshot.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/hash/xxh3_stream.h"
#include "core/io/atomic_file.h"
#include "core/io/pace.h"
#include "format/header.h"

namespace BLOOMERY_NAMESPACE::format {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

}  // namespace

Status save_snapshot(const std::string& path, const AnyView& view, std::optional<std::uint64_t> key_count,
                     std::uint64_t bytes_per_second, const std::function<Status()>& check_filter) {
  return guarded([&]() -> Status {
    if (check_filter) BLOOMERY_TRY(check_filter());
    Result<io::AtomicFile> file = io::AtomicFile::create(path);
    BLOOMERY_TRY(file);
    // The header holds the checksum of what follows it: its place is kept and filled at the end.
    const std::array<std::uint8_t, kEnvelopeHeader> nothing{};
    BLOOMERY_TRY(file->write(nothing));
    detail::Xxh3Stream checksum;
    io::Pace pace(bytes_per_second);
    const std::span<const std::uint8_t> payload = view.payload();
    std::vector<std::uint8_t> piece(std::min(kPiece, payload.size()));
    for (std::size_t at = 0; at < payload.size(); at += piece.size()) {
      piece.resize(std::min(piece.size(), payload.size() - at));
      std::memcpy(piece.data(), payload.data() + at, piece.size());
      checksum.update(piece);
      BLOOMERY_TRY(file->write(piece));
      pace.written(piece.size());
    }
    const Result<std::vector<std::uint8_t>> start = envelope_start(contents_of(view), key_count, checksum.value());
    BLOOMERY_TRY(start);
    BLOOMERY_TRY(file->write_start(*start));
    if (check_filter) BLOOMERY_TRY(check_filter());
    return file->commit();
  });
}

}  // namespace BLOOMERY_NAMESPACE::format
