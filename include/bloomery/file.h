// Reads filters from files and from bytes, and writes them; nothing else in the library does. There are three formats:
// the raw classic file (spec/classic.md), the envelope, which carries every kind with checksums (spec/envelope.md), and
// the filter of a Parquet column (spec/parquet.md).
//
// open() reads and verifies everything before a filter exists. map() checks the header in constant time and maps the
// file in place; its type says that the payload is unverified until verify() was called.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/any.h"
#include "bloomery/export.h"
#include "bloomery/hash.h"
#include "bloomery/records.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

enum class Format : std::uint8_t { raw, envelope, parquet };

BLOOMERY_API const char* to_string(Format format) noexcept;

// What a file says of itself, beside its bits.
struct FileInfo {
  Format format = Format::raw;
  std::uint16_t version = 0;  // of the envelope; 0 for the others
  Kind kind = Kind::classic;
  HashId hash = HashId::fnv_splitmix;
  std::uint64_t seed = 0;  // the seed, or the id of the secret
  std::optional<std::uint64_t> key_count;
  std::uint64_t file_bytes = 0;
  std::uint64_t payload_offset = 0;
  // Only of envelopes that have them.
  Records records = {};
  std::optional<ChunkSums> chunks = {};

  // Return how to write the file again: with all of its records, or, after its payload or key count changed, with those
  // that stay true. The payload stays at its offset.
  BLOOMERY_API EnvelopeOptions rewrite_options() const;
  BLOOMERY_API EnvelopeOptions rewrite_options_after_change() const;
};

struct OpenOptions {
  // The secret of a file with a keyed hash. A wrong or missing secret is an error.
  std::optional<Secret> secret = {};
  // Opens a keyed file without its secret, to look at its geometry and fill. FilterFile::answers_keys() is then false,
  // and FilterFile answers "maybe" to every question about a key. The view answers for a Hash alone: ask it no key, and
  // add none to a copy of it. Saved again it is the same filter with the same hash.
  bool without_secret = false;
  // The bytes are a Parquet filter. Those have no magic number, so the library does not guess: without this they are
  // refused, and with it everything else is.
  bool parquet = false;
};

// A view over bytes in memory, and what they say of themselves. Somebody else owns the bytes and keeps them alive.
struct Decoded {
  FileInfo info;
  AnyView view;
  bool answers_keys = true;
};

// Verifies all bytes and returns a view over them; `bytes` must outlive it.
BLOOMERY_API Result<Decoded> decode(std::span<const std::uint8_t> bytes, const OpenOptions& options = {});

// Receives the bytes of a file piece by piece; the first piece is all that comes before the payload. An error that it
// returns ends the writing and is passed on; an exception becomes an error.
using Sink = std::function<Status(std::span<const std::uint8_t>)>;

// Writes the whole file to the sink, or returns it. A key_count of nothing means that it is unknown. A raw file holds a
// classic filter with fnv_splitmix and nothing else; a Parquet filter holds a split filter with xxh64, seed 0, and a
// size that fits_parquet(). Neither holds a key count. An envelope of a view that another thread writes to meanwhile is
// an error, which may come after the last piece: what the sink has got is then no file. Copy such a filter first.
BLOOMERY_API Status encode(const AnyView& view, Format format, std::optional<std::uint64_t> key_count,
                           const Sink& sink);
BLOOMERY_API Result<std::vector<std::uint8_t>> encode(const AnyView& view, Format format,
                                                      std::optional<std::uint64_t> key_count = {});
// Write an envelope with records, or with its payload aligned (bloomery/records.h).
BLOOMERY_API Status encode(const AnyView& view, std::optional<std::uint64_t> key_count, const EnvelopeOptions& options,
                           const Sink& sink);
BLOOMERY_API Result<std::vector<std::uint8_t>> encode(const AnyView& view, std::optional<std::uint64_t> key_count,
                                                      const EnvelopeOptions& options);

// Writes a file, which appears whole or not at all: temporary file, fsync, rename, fsync of the folder. After an error
// the path is as it was, unless only the fsync of the folder failed: then the new file is there, whole, and a power cut
// may bring the old one back. The folder is opened before the rename, so it has to be readable, too. As encode it
// refuses an envelope of a view that another thread writes to meanwhile.
BLOOMERY_API Status save(const std::string& path, const AnyView& view, Format format = Format::envelope,
                         std::optional<std::uint64_t> key_count = {});
// Write a filter together with its key count.
BLOOMERY_API Status save(const std::string& path, const AnyFilter& filter, Format format = Format::envelope);
template <class Layout>
Status save(const std::string& path, const BasicFilter<Layout>& filter, Format format = Format::envelope) {
  return save(path, AnyView(filter.view()), format, filter.key_count());
}
// Write an envelope with records: save(path, filter, {.records = {.label = "users"}, .chunks = true}).
BLOOMERY_API Status save(const std::string& path, const AnyView& view, std::optional<std::uint64_t> key_count,
                         const EnvelopeOptions& options);
BLOOMERY_API Status save(const std::string& path, const AnyFilter& filter, const EnvelopeOptions& options);
template <class Layout>
Status save(const std::string& path, const BasicFilter<Layout>& filter, const EnvelopeOptions& options) {
  return save(path, AnyView(filter.view()), filter.key_count(), options);
}

namespace detail {
struct FileBytes;  // a buffer or a mapping
}

// An opened filter file. Any thread may ask it. It owns its bytes, which its view refers to; it moves and never copies.
// A file that was moved from shows an empty filter of its kind.
class FilterFile {
 public:
  // Reads the file into memory and verifies all of it.
  BLOOMERY_API static Result<FilterFile> open(const std::string& path, const OpenOptions& options = {});

  BLOOMERY_API FilterFile(FilterFile&&) noexcept;
  BLOOMERY_API FilterFile& operator=(FilterFile&&) noexcept;
  BLOOMERY_API ~FilterFile();

  const FileInfo& info() const { return decoded_.info; }
  const AnyView& view() const { return decoded_.view; }  // where view().forgets(), "no" is no promise
  bool answers_keys() const { return decoded_.answers_keys; }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  bool contains(const T& key) const noexcept {
    return !answers_keys() || view().contains(key);
  }
  // As AnyView::contains_many. Opened without_secret, it answers 1 for every key, as contains does.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(const Keys& keys, std::span<std::uint8_t> answers) const noexcept {
    if (answers_keys()) return view().contains_many(keys, answers);
    detail::check_lengths("contains_many", std::size(keys), answers.size());
    std::fill_n(answers.begin(), std::size(keys), std::uint8_t{1});
  }
  template <Key T, unsigned kIsa = detail::kCompiledFor>
  void contains_many(std::initializer_list<T> keys, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(keys.begin(), keys.size()), answers);
  }
  template <KeyIterator Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_many(Keys first, Keys last, std::span<std::uint8_t> answers) const noexcept {
    contains_many(std::span(first, last), answers);
  }
  // As BasicView::select_present and BasicView::contains_bitmap. Opened without_secret, every key may be present.
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  std::size_t select_present(const Keys& keys, std::span<std::uint32_t> positions) const noexcept {
    if (answers_keys()) return view().select_present(keys, positions);
    detail::check_positions("select_present", std::size(keys));
    detail::check_lengths("select_present", std::size(keys), positions.size());
    for (std::size_t i = 0; i < std::size(keys); ++i) positions[i] = static_cast<std::uint32_t>(i);
    return std::size(keys);
  }
  template <KeyRange Keys, unsigned kIsa = detail::kCompiledFor>
  void contains_bitmap(const Keys& keys, std::span<std::uint64_t> words) const noexcept {
    if (answers_keys()) return view().contains_bitmap(keys, words);
    const std::size_t count = std::size(keys);
    detail::check_lengths("contains_bitmap", count, words.size(), 64);
    std::fill_n(words.begin(), count / 64, ~std::uint64_t{0});
    if (count % 64 != 0) words[count / 64] = (std::uint64_t{1} << count % 64) - 1;
  }
  // These do not compile; the compiler shows the comment, which says what to do instead.
  // clang-format off
  template <class T> bool contains(const T&) const requires(!Key<T>) = delete;  // no hash: write Hash bloomery_hash(const bloomery::Hasher&, const T&) noexcept, in the namespace of the type; nullptr is no key, and "" is the empty one
  template <RangeWithoutHash R> void contains_many(const R&, std::span<std::uint8_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <KeyRange Keys, class A> void contains_many(const Keys&, A&&) const requires(!AnswerBytes<A>) = delete;  // answers are bytes: std::vector<std::uint8_t>, not std::vector<bool>
  template <RangeWithoutHash R> std::size_t select_present(const R&, std::span<std::uint32_t>) const = delete;  // no hash of its elements: write bloomery_hash
  template <RangeWithoutHash R> void contains_bitmap(const R&, std::span<std::uint64_t>) const = delete;  // no hash of its elements: write bloomery_hash
  FilterFile(const FilterFile&) = delete;  // copy() makes a filter that owns its memory and takes keys
  FilterFile& operator=(const FilterFile&) = delete;  // copy() makes a filter that owns its memory and takes keys
  // clang-format on

  // Returns a copy that owns its memory and takes keys. Refuses a file that was opened without_secret, because the copy
  // would take keys by another hash.
  BLOOMERY_API Result<AnyFilter> copy() const;

 private:
  friend class UnverifiedFile;
  FilterFile(std::unique_ptr<detail::FileBytes> bytes, Decoded decoded);

  std::unique_ptr<detail::FileBytes> bytes_;
  Decoded decoded_;
};

// A mapped file whose header is sound and whose payload nobody has checked. It is usable at once, whatever its size,
// from any thread; it owns the mapping. A damaged payload can deny a key that was added, so call verify() first unless
// you trust the storage. Never write to a mapped file in place: a process that truncates it ends all that map it by
// SIGBUS. Replace it by rename, as save() does.
class UnverifiedFile {
 public:
  BLOOMERY_API static Result<UnverifiedFile> map(const std::string& path, const OpenOptions& options = {});

  const FileInfo& info() const { return file_.info(); }
  const AnyView& unverified_view() const { return file_.view(); }
  bool answers_keys() const { return file_.answers_keys(); }

  // Compares the chunks that the range touches with their sums, so that a large file is verified part by part while it
  // serves. The error names the first damaged chunk. Any thread may call it. Refuses a file without a record of chunks
  // (EnvelopeOptions::chunks).
  BLOOMERY_API Status verify_range(std::uint64_t offset, std::uint64_t bytes) const;

  // Reads everything once and compares the checksum of the payload, and those of its chunks where the file has some.
  // Any thread may call it, as often as it likes. A raw file and a Parquet filter have no checksum, so for these the
  // checks of the header are all.
  BLOOMERY_API Status verify_all() const;

  // Verifies as verify_all does. The result is as good as an opened file, and still mapped.
  BLOOMERY_API Result<FilterFile> verify() &&;

 private:
  UnverifiedFile(std::string path, FilterFile file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  FilterFile file_;
};

}  // namespace BLOOMERY_NAMESPACE
