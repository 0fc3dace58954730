#include "arrow_column.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>
#include <vector>

#include "errors.h"
#include "integers.h"

namespace bloomery::python {
namespace {

[[noreturn]] void malformed(const std::string& what) {
  raise_code(ErrorCode::corrupt, "the Arrow array is malformed: " + what);
}

// Which elements are null: a bit of each, 0 for null, or no bits when none is.
class Validity {
 public:
  Validity(const ArrowArray& array, bool has_bitmap)
      : bits_(has_bitmap && array.null_count != 0 ? static_cast<const std::uint8_t*>(array.buffers[0]) : nullptr),
        offset_(static_cast<std::size_t>(array.offset)) {}
  bool any(std::size_t count) const noexcept {
    for (std::size_t i = 0; bits_ != nullptr && i < count; ++i)
      if (is_null(i)) return true;
    return false;
  }
  bool is_null(std::size_t i) const noexcept {
    return bits_ != nullptr && (bits_[(offset_ + i) / 8] >> ((offset_ + i) % 8) & 1) == 0;
  }

 private:
  const std::uint8_t* bits_;
  std::size_t offset_;
};

// Another column with nulls.
class NullableColumn : public Column {
 public:
  NullableColumn(std::unique_ptr<Column> values, const Validity& validity)
      : Column(values->size()), values_(std::move(values)), validity_(validity), any_(validity.any(count_)) {}
  bool hash(const Hasher& hasher, std::size_t first, std::span<Hash> out) const noexcept override {
    return values_->hash(hasher, first, out);
  }
  std::span<const std::uint64_t> integers() const noexcept override { return values_->integers(); }
  bool has_nulls() const noexcept override { return any_; }
  bool is_null(std::size_t i) const noexcept override { return validity_.is_null(i); }

 private:
  std::unique_ptr<Column> values_;
  Validity validity_;
  bool any_;
};

// Strings one after the other in `data`; offsets[i] to offsets[i + 1] is string i.
template <class Offset>
class OffsetsColumn : public Column {
 public:
  OffsetsColumn(const Offset* offsets, const char* data, std::size_t count)
      : Column(count), offsets_(offsets), data_(data) {}
  bool hash(const Hasher& hasher, std::size_t first, std::span<Hash> out) const noexcept override {
    const std::span<const Offset> offsets(offsets_ + first, out.size() + 1);
    // The sign is set where an offset is negative or smaller than the one before. The compiler makes vectors of this,
    // and not of a comparison.
    using Bits = std::make_unsigned_t<Offset>;
    Bits signs = static_cast<Bits>(offsets[0]);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto begin = static_cast<Bits>(offsets[i]), end = static_cast<Bits>(offsets[i + 1]);
      signs |= end | (end - begin);
    }
    const bool good = static_cast<Offset>(signs) >= 0;
    if (good) hasher.hash_many(StringColumn<Offset>(offsets, data_), out);
    return good;
  }

 private:
  const Offset* offsets_;
  const char* data_;
};

// Strings by views of 16 bytes: those of up to 12 bytes lie in the view itself, others in one of several buffers.
class ViewsColumn : public Column {
 public:
  ViewsColumn(const ArrowArray& array, std::size_t count)
      : Column(count),
        views_(static_cast<const char*>(array.buffers[1]) + 16 * array.offset),
        buffers_(array.buffers + 2),
        buffer_count_(array.n_buffers - 3),
        sizes_(static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1])),
        validity_(array, true) {}
  bool hash(const Hasher& hasher, std::size_t first, std::span<Hash> out) const noexcept override {
    std::array<std::string_view, kGroup> keys;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!view_of(first + i, keys[i])) return false;
    hasher.hash_many(std::span<const std::string_view>(keys).first(out.size()), out);
    return true;
  }

 private:
  bool view_of(std::size_t i, std::string_view& key) const noexcept {
    const char* view = views_ + 16 * i;
    if (validity_.is_null(i)) return key = {}, true;  // its bytes mean nothing
    std::int32_t size = 0, buffer = 0, offset = 0;
    std::memcpy(&size, view, 4);
    if (size < 0) return false;
    if (size <= 12) return key = {view + 4, static_cast<std::size_t>(size)}, true;
    std::memcpy(&buffer, view + 8, 4);
    std::memcpy(&offset, view + 12, 4);
    if (buffer < 0 || buffer >= buffer_count_ || buffers_[buffer] == nullptr) return false;
    if (offset < 0 || offset + std::int64_t{size} > sizes_[buffer]) return false;
    key = {static_cast<const char*>(buffers_[buffer]) + offset, static_cast<std::size_t>(size)};
    return true;
  }

  const char* views_;
  const void** buffers_;
  std::int64_t buffer_count_;
  const std::int64_t* sizes_;
  Validity validity_;
};

// Keys by their places in a dictionary, which was hashed once.
class DictionaryColumn : public Column {
 public:
  DictionaryColumn(std::unique_ptr<Column> places, std::unique_ptr<Column> dictionary, const Validity& validity,
                   const Hasher& hasher)
      : Column(places->size()), places_(std::move(places)), dictionary_(std::move(dictionary)), validity_(validity) {
    hashes_.resize(dictionary_->size());
    const bool good = dictionary_->for_groups(hasher, [&](std::size_t first, std::span<const Hash> hashes) {
      std::copy(hashes.begin(), hashes.end(), hashes_.begin() + static_cast<std::ptrdiff_t>(first));
    });
    if (!good) malformed("the strings of its dictionary lie outside of its bytes");
    // A null of the dictionary counts where a key refers to it.
    any_ = validity_.any(count_);
    for (std::size_t i = 0; !any_ && dictionary_->has_nulls() && i < count_; ++i) any_ = DictionaryColumn::is_null(i);
  }
  bool hash(const Hasher&, std::size_t first, std::span<Hash> out) const noexcept override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = Hash();
      if (validity_.is_null(first + i)) continue;
      const std::uint64_t place = place_of(first + i);
      if (place >= hashes_.size()) return false;
      out[i] = hashes_[place];
    }
    return true;
  }
  bool has_nulls() const noexcept override { return any_; }
  bool is_null(std::size_t i) const noexcept override {
    if (validity_.is_null(i)) return true;
    const std::uint64_t place = dictionary_->has_nulls() ? place_of(i) : 0;
    return place < hashes_.size() && dictionary_->is_null(place);
  }

 private:
  std::uint64_t place_of(std::size_t i) const noexcept { return places_->integer(i); }

  std::unique_ptr<Column> places_, dictionary_;
  Validity validity_;
  std::vector<Hash> hashes_;
  bool any_ = false;
};

// An array of the type null.
class AllNullColumn : public Column {
 public:
  using Column::Column;
  bool hash(const Hasher&, std::size_t, std::span<Hash> out) const noexcept override {
    std::fill(out.begin(), out.end(), Hash());
    return true;
  }
  bool has_nulls() const noexcept override { return count_ > 0; }
  bool is_null(std::size_t) const noexcept override { return true; }
};

void check_buffers(const ArrowArray& array, std::int64_t expected, bool or_more = false) {
  if (array.length < 0 || array.offset < 0) malformed("its length or offset is negative");
  if (array.offset > INT64_MAX / 32 - array.length) malformed("its length and offset are impossible");
  if (or_more ? array.n_buffers < expected : array.n_buffers != expected)
    malformed("it has " + std::to_string(array.n_buffers) + " buffers");
  if (array.n_buffers > 0 && array.buffers == nullptr) malformed("its buffers are missing");
  if (array.null_count > 0 && array.n_buffers > 0 && array.buffers[0] == nullptr)
    malformed("it has nulls and no bitmap of them");
  for (std::int64_t i = 1; i < expected && array.length > 0; ++i)
    if (array.buffers[i] == nullptr && i == 1) malformed("its buffer 1 is missing");
}

template <class Offset>
std::unique_ptr<Column> offsets_column(const ArrowArray& array) {
  check_buffers(array, 3);
  const auto count = static_cast<std::size_t>(array.length);
  if (count == 0) return std::make_unique<OffsetsColumn<Offset>>(nullptr, nullptr, 0);
  const auto* offsets = static_cast<const Offset*>(array.buffers[1]) + array.offset;
  const auto is_not_zero = [](Offset offset) { return offset != 0; };
  if (array.buffers[2] == nullptr && std::any_of(offsets, offsets + count + 1, is_not_zero))
    malformed("the bytes of its strings are missing");
  return std::make_unique<OffsetsColumn<Offset>>(offsets, static_cast<const char*>(array.buffers[2]), count);
}

std::unique_ptr<Column> views_column(const ArrowArray& array) {
  check_buffers(array, 3, true);
  if (array.length > 0 && array.n_buffers > 3 && array.buffers[array.n_buffers - 1] == nullptr)
    malformed("the sizes of its buffers are missing");
  return std::make_unique<ViewsColumn>(array, static_cast<std::size_t>(array.length));
}

// Fixed-size binary: "w:16".
std::unique_ptr<Column> fixed_column(const ArrowArray& array, const char* width_text) {
  check_buffers(array, 2);
  const long width = std::strtol(width_text, nullptr, 10);
  if (width < 0 || width > (1 << 30)) malformed("its strings have an impossible width");
  const auto* data = static_cast<const char*>(array.buffers[1]);
  return std::make_unique<FixedBytesColumn>(data == nullptr ? "" : data + array.offset * width,
                                            static_cast<std::size_t>(array.length), width,
                                            static_cast<std::size_t>(width), false);
}

// The column of integers of such a format, or nullptr when it is not one of them.
std::unique_ptr<Column> integers_of(char format, const ArrowArray& array) {
  const std::string_view kSigned = "csil", kUnsigned = "CSIL";
  const bool is_signed = kSigned.find(format) != std::string_view::npos;
  const std::size_t place = is_signed ? kSigned.find(format) : kUnsigned.find(format);
  if (place == std::string_view::npos) return nullptr;
  check_buffers(array, 2);
  const std::size_t width = std::size_t{1} << place;
  const auto* data = static_cast<const char*>(array.buffers[1]);
  return integer_column(data == nullptr ? nullptr : data + static_cast<std::size_t>(array.offset) * width,
                        static_cast<std::size_t>(array.length), static_cast<std::ptrdiff_t>(width), width, is_signed);
}

// The name of a type that is no key, as people know it; of a rare one its letters in Arrow's C data interface.
std::string name_of_format(std::string_view format) {
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"b", "bool"},       {"d:", "decimal"},    {"tdD", "date32"},         {"tdm", "date64"},
      {"ts", "timestamp"}, {"tt", "time"},       {"tD", "duration"},        {"ti", "interval"},
      {"+l", "list"},      {"+L", "large_list"}, {"+w", "fixed_size_list"}, {"+s", "struct"},
      {"+m", "map"},       {"+u", "union"},      {"+r", "run_end_encoded"}};
  for (const auto& [letters, name] : kNames)
    if (format.starts_with(letters)) return std::string(name);
  return "'" + std::string(format) + "'";
}

std::unique_ptr<Column> values_of(std::string_view format, const ArrowArray& array) {
  if (format.size() == 1)
    if (auto integers = integers_of(format[0], array)) return integers;
  if (format == "u" || format == "z") return offsets_column<std::int32_t>(array);
  if (format == "U" || format == "Z") return offsets_column<std::int64_t>(array);
  if (format == "vu" || format == "vz") return views_column(array);
  if (format.starts_with("w:")) return fixed_column(array, format.data() + 2);
  if (format == "e" || format == "f" || format == "g")
    raise_key_type(
        "the column holds floats, which are no keys: cast it to integers (pandas holds integers with nulls as "
        "floats unless its dtype is 'Int64')");
  raise_key_type("Arrow's type " + name_of_format(format) +
                 " is no type of keys: integers, utf8 and binary are; cast it");
}

}  // namespace

std::unique_ptr<Column> arrow_column(const ArrowSchema& schema, const ArrowArray& array, const Hasher& hasher) {
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  if (format == "n") {
    ArrowArray nulls = array;
    if (nulls.n_buffers == 1) nulls.n_buffers = 0;  // polars gives a bitmap, or a place for one
    check_buffers(nulls, 0);
    return std::make_unique<AllNullColumn>(static_cast<std::size_t>(array.length));
  }
  if (schema.dictionary != nullptr) {
    auto places = format.size() == 1 ? integers_of(format[0], array) : nullptr;
    if (places == nullptr || array.dictionary == nullptr) malformed("its dictionary or the places in it are missing");
    return std::make_unique<DictionaryColumn>(
        std::move(places), arrow_column(*schema.dictionary, *array.dictionary, hasher), Validity(array, true), hasher);
  }
  if (format == "+s") {
    if (schema.n_children != 1 || array.n_children != 1)
      raise_key_type("the table has " + std::to_string(schema.n_children) + " columns, and keys are one: choose it");
    check_buffers(array, 1);
    if (Validity(array, true).any(static_cast<std::size_t>(array.length))) malformed("whole rows of it are null");
    if (schema.children == nullptr || array.children == nullptr) malformed("its column is missing");
    ArrowArray child = *array.children[0];  // the rows that the table has of it; columns keep no pointer to the struct
    if (child.length < array.offset + array.length) malformed("its column is shorter than it");
    child.offset += array.offset;
    child.length = array.length;
    return arrow_column(*schema.children[0], child, hasher);
  }
  auto values = values_of(format, array);
  const Validity validity(array, true);
  if (!validity.any(values->size())) return values;
  return std::make_unique<NullableColumn>(std::move(values), validity);
}

}  // namespace bloomery::python
