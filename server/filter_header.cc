// Values of BLM.* keys as a header and payloads, and back. The header has the head of an envelope for each filter, so
// that head and payload are a .blm file.
#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

#include "server/filter_value.h"
#include "server/link_items.h"

namespace bloomery::server {

namespace {

constexpr std::uint32_t kMostWindows = 64;

Error no_memory() { return {ErrorCode::out_of_memory, "the server has no memory for it", {}, {}}; }
Error bad_data() { return {ErrorCode::corrupt, "received bad data", {}, {}}; }

// Whether two filters can be windows of one value: of one geometry, hash and type of keys, but for what a scalable one
// has grown by.
bool takes_turns(const Decoded& one, const Decoded& other) {
  const bool alike = std::visit(
      [&]<class Layout>(const BasicView<Layout>& view) {
        const auto* const same = other.view.as<BasicView<Layout>>();
        if (same == nullptr) return false;
        const auto a = view.geometry(), b = same->geometry();
        if constexpr (std::is_same_v<Layout, ScalableLayout>) return a.growth == b.growth && a.fpr_ppt == b.fpr_ppt;
        else return a == b;
      },
      one.view.variant());
  return alike && one.view.hasher() == other.view.hasher() && keyed_of(one) == keyed_of(other) &&
         one.info.records.keys == other.info.records.keys;
}

}  // namespace

Result<std::vector<std::uint8_t>> FilterValue::head(std::size_t i) const {
  Result<std::vector<std::uint8_t>> head = envelope_head(filters_[i].view(), filters_[i].key_count(), records_);
  if (head.ok()) name_hash(*head);
  return head;
}

void FilterValue::name_hash(std::span<std::uint8_t> head) const {
  if (keyed_) set_hash_name(head, *keyed_);  // else it has the name already
}

void FilterValue::write_header(HeaderWriter& out) const {
  out.u32(windows_.count);
  out.u64(windows_.every_ms);
  out.u64(windows_.turned_ms);
  out.u32(static_cast<std::uint32_t>(payloads()));
  for (const Staged& staged : staged_) {
    out.bytes(staged.file.span().first(staged.head));
    out.u64(staged.file.size() - staged.head);
  }
  if (!staged_.empty()) return;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const Result<std::vector<std::uint8_t>> start = head(i);
    if (!start.ok()) throw std::bad_alloc();  // nothing else can fail here
    out.bytes(*start);
    out.u64(filters_[i].view().payload().size());
  }
}

Result<ValuePointer> FilterValue::from_header(HeaderReader& fields, std::uint64_t most) {
  Windows windows;
  windows.count = fields.u32();
  windows.every_ms = fields.u64();
  windows.turned_ms = fields.u64();
  const std::uint32_t count = fields.u32();
  if (!fields.ok() || count < 1 || count > kMostWindows || windows.count != count) return bad_data();
  Pointer value(server::create<FilterValue>(Records(), std::nullopt, windows));
  if (value == nullptr) return no_memory();
  std::uint64_t held = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::span<const std::uint8_t> head = fields.bytes();
    const std::uint64_t payload = fields.u64();
    if (!fields.ok() || head.empty()) return bad_data();
    // Where nothing limits filters, as in an RDB file, a size that its head would take past 2^64 is still none.
    if (payload > std::numeric_limits<std::size_t>::max() / 2) return bad_data();
    if (payload > most || held > most - payload)
      return Error{ErrorCode::full, "the filter would be larger than bloomery.max-filter-bytes allows", {}, {}};
    held += payload;
    Staged staged{Bytes::take(head.size() + static_cast<std::size_t>(payload)), head.size()};
    if (staged.file.empty()) return no_memory();
    std::memcpy(staged.file.data(), head.data(), head.size());
    value->staged_.push_back(std::move(staged));
  }
  if (!fields.done()) return bad_data();
  return ValuePointer(value.release());
}

Status FilterValue::finish_loading() {
  std::vector<Decoded> files;
  files.reserve(staged_.size());
  for (Staged& staged : staged_) {
    if (loaded) sum_again(staged.file.span(), staged.head);
    Result<Decoded> file = verified(staged.file.span());
    BLOOMERY_TRY(file);
    if (!files.empty() && !takes_turns(files.front(), *file)) return bad_data();
    files.push_back(*std::move(file));
  }
  ServerVector<AnyFilter> filters;
  filters.reserve(staged_.size());
  // From here on memory of one filter more is enough: each file goes when its filter is there.
  for (std::size_t i = 0; i < files.size(); ++i) {
    Result<AnyFilter> filter = copy_of(files[i]);
    BLOOMERY_TRY(filter);
    if (loaded) count_again(*filter);
    filters.push_back(*std::move(filter));
    staged_[i] = {};
  }
  filters_ = std::move(filters);
  records_ = std::move(files.back().info.records);
  keyed_ = keyed_of(files.back());
  staged_.clear();
  staged_.shrink_to_fit();
  return {};
}

}  // namespace bloomery::server
