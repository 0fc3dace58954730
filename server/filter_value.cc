#include "server/filter_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

#include "bloomery/detail/bits.h"
#include "bloomery/file.h"
#include "server/config.h"
#include "server/link_items.h"

namespace bloomery::server {

namespace {

constexpr std::uint32_t kMostWindows = 64;

Error no_memory() { return {ErrorCode::out_of_memory, "the server has no memory for it", {}, {}}; }
Error bad_data() { return {ErrorCode::corrupt, "received bad data", {}, {}}; }

// Where the head of an envelope has what is changed here (spec/envelope.md).
constexpr std::size_t kHeader = 128, kKind = 10, kHash = 12, kSeed = 16, kPayloadSum = 112, kHeaderSum = 120;

// The sum of a head, which covers all of it but the sum itself.
std::uint64_t sum_of_head(std::span<const std::uint8_t> head) {
  std::vector<std::uint8_t> summed(head.begin(), head.begin() + kHeaderSum);
  summed.insert(summed.end(), head.begin() + kHeader, head.end());
  return Hasher::xxh3()(std::span<const std::uint8_t>(summed)).bits;
}

// The filter with another hash function for its keys.
Result<AnyFilter> hashed_by(const Hasher& hasher, const AnyFilter& filter) {
  const AnyView here = filter.view();
  const Result<AnyView> view = std::visit(
      [&]<class Layout>(const BasicView<Layout>& of) -> Result<AnyView> {
        const Result<BasicView<Layout>> same = BasicView<Layout>::from_payload(of.payload(), of.geometry(), hasher);
        BLOOMERY_TRY(same);
        return AnyView(*same);
      },
      here.variant());
  BLOOMERY_TRY(view);
  return AnyFilter::copy_of(*view, filter.key_count(), &server_memory);
}

}  // namespace

Result<std::vector<std::uint8_t>> envelope_head(const AnyView& view, std::optional<std::uint64_t> key_count,
                                                const Records& records) {
  const std::uint64_t payload = view.payload().size();
  std::vector<std::uint8_t> head;
  EnvelopeOptions options;
  options.records = records;
  // The head comes in pieces before the payload, which is not copied.
  const Sink sink = [&](std::span<const std::uint8_t> bytes) -> Status {
    if (bytes.data() != view.payload().data() || payload == 0) head.insert(head.end(), bytes.begin(), bytes.end());
    return {};
  };
  BLOOMERY_TRY(encode(view, key_count, options, sink));
  return head;
}

namespace {

// A verified envelope; its hashes alone where the setting has no secret for its keys.
Result<Decoded> verified(std::span<const std::uint8_t> file) {
  OpenOptions options;
  options.secret = config.secret;
  Result<Decoded> decoded = decode(file, options);
  if (!decoded.ok() && decoded.error().code == ErrorCode::wrong_secret) {
    options.secret.reset();
    options.without_secret = true;
    decoded = decode(file, options);
  }
  BLOOMERY_TRY(decoded);
  if (decoded->info.format != Format::envelope)
    return Error{ErrorCode::unsupported, "no .blm file: it has no checksum; convert it with `bloomery merge`", {}, {}};
  return decoded;
}

Result<AnyFilter> copy_of(const Decoded& decoded) {
  return AnyFilter::copy_of(decoded.view, decoded.info.key_count, &server_memory);
}

std::optional<FilterValue::Keyed> keyed_of(const Decoded& decoded) {
  if (decoded.answers_keys) return {};
  return FilterValue::Keyed{decoded.info.hash, decoded.info.seed};
}

}  // namespace

Result<OpenedEnvelope> open_envelope(std::span<const std::uint8_t> file) {
  const Result<Decoded> decoded = verified(file);
  BLOOMERY_TRY(decoded);
  Result<AnyFilter> filter = copy_of(*decoded);
  BLOOMERY_TRY(filter);
  return OpenedEnvelope{*std::move(filter), decoded->info.records, keyed_of(*decoded)};
}

namespace {

// The filter as a scalable one, or nullptr. Whoever asks owns it.
ScalableFilter* as_scalable(AnyFilter& filter) {
  return std::get_if<ScalableFilter>(&const_cast<AnyFilter::Variant&>(filter.variant()));
}

}  // namespace

void count_again(AnyFilter& filter) {
  ScalableFilter* const chain = as_scalable(filter);
  if (chain == nullptr) return;
  constexpr std::size_t kLinkK = 8, kCapacity = 16, kCount = 24;  // of an entry of the directory (spec/scalable.md)
  const std::span<std::uint8_t> payload = chain->mutable_payload();
  std::uint8_t* const entry = payload.data() + (chain->geometry().links - 1) * ScalableGeometry::kEntryBytes;
  const BlockGeometry block{detail::load_le<std::uint64_t>(entry), detail::load_le<std::uint32_t>(entry + kLinkK)};
  const Result<BlockView> link = BlockView::from_payload(payload.last(block.payload_bytes()), block);
  if (!link.ok()) return;
  const std::uint64_t count = detail::load_le<std::uint64_t>(entry + kCount);
  const std::uint64_t items = link_items(*link, count, detail::load_le<std::uint64_t>(entry + kCapacity));
  if (items == count) return;
  detail::store_le(entry + kCount, items);
  if (const auto keys = chain->key_count()) chain->set_key_count(*keys + (items - count));
}

bool only_gains(Kind kind) noexcept {
  switch (kind) {
    case Kind::classic:
    case Kind::split:
    case Kind::block:
    case Kind::counting:
    case Kind::partitioned:
    case Kind::scalable: return true;
    case Kind::stable:
    case Kind::cuckoo:
    case Kind::quotient:
    case Kind::fuse:
    case Kind::ribbon:
    case Kind::iblt: break;
  }
  return false;
}

void FilterValue::touch(Change change) {
  ++changes_;
  if (change == Change::other || !only_gains(newest().view().kind())) ++losses_;
  if (records_.created || !records_.unknown.empty()) records_ = records_.after_change();
}

Result<FilterValue::Pointer> FilterValue::create(AnyFilter filter, const Records& records, std::optional<Keyed> keyed,
                                                 const Windows& windows) {
  Pointer value(server::create<FilterValue>(records, std::move(keyed), windows));
  if (value == nullptr) return no_memory();
  value->filters_.reserve(windows.count);
  for (std::uint32_t i = 1; i < windows.count; ++i) {
    Result<AnyFilter> other = filter.clone();
    BLOOMERY_TRY(other);
    value->filters_.push_back(*std::move(other));
  }
  value->filters_.insert(value->filters_.begin(), std::move(filter));
  return value;
}

Result<Hash> FilterValue::hash(std::string_view argument) const {
  const Hasher& hasher = newest().hasher();
  if (!keys_are_integers()) return hasher(argument);
  const char* const end = argument.data() + argument.size();
  std::int64_t number = 0;
  std::uint64_t large = 0;
  if (const auto [stop, error] = std::from_chars(argument.data(), end, number); error == std::errc() && stop == end)
    return hash_key(hasher, number);
  if (const auto [stop, error] = std::from_chars(argument.data(), end, large); error == std::errc() && stop == end)
    return hash_key(hasher, large);
  return Error{ErrorCode::invalid_argument, "the keys of this filter are integers: give decimals", {}, {}};
}

bool FilterValue::contains(Hash hash, std::size_t of_filters) const noexcept {
  for (std::size_t i = 0; i < of_filters; ++i)
    if (filters_[i].contains(hash)) return true;
  return false;
}

void FilterValue::contains_many(std::span<const Hash> hashes, std::span<std::uint8_t> answers,
                                std::size_t of_filters) const noexcept {
  if (of_filters == 0) return std::fill(answers.begin(), answers.end(), std::uint8_t{0});
  filters_[0].contains_many(hashes, answers);
  std::array<std::uint8_t, 256> more;
  for (std::size_t f = 1; f < of_filters; ++f) {
    filters_[f].contains_many(hashes, more);
    for (std::size_t i = 0; i < hashes.size(); ++i) answers[i] |= more[i];
  }
}

std::optional<std::uint64_t> FilterValue::count(Hash hash, std::size_t of_filters) const {
  return std::visit(
      [&]<class Layout>(const BasicFilter<Layout>&) -> std::optional<std::uint64_t> {
        if constexpr (TallyingLayout<Layout>) {
          std::uint64_t times = 0;
          for (std::size_t i = 0; i < of_filters; ++i)
            times += std::get<BasicFilter<Layout>>(filters_[i].variant()).count(hash);
          return times;
        }
        return {};
      },
      newest().variant());
}

std::uint64_t FilterValue::most_of_one(std::uint64_t most) const {
  return most == std::numeric_limits<std::uint64_t>::max() ? most : most / filters_.size();
}

Status FilterValue::add(Hash hash, std::uint64_t most) {
  ScalableFilter* const chain = as_scalable(newest());
  if (chain == nullptr) return newest().add(hash);
  BLOOMERY_TRY(growth_.before_add(*chain, hash, most));
  BLOOMERY_TRY(chain->add(hash));
  growth_.after_add(*chain, hash);
  return {};
}

Result<std::vector<std::uint8_t>> FilterValue::head(std::size_t i) const {
  Result<std::vector<std::uint8_t>> head = envelope_head(filters_[i].view(), filters_[i].key_count(), records_);
  if (head.ok()) name_hash(*head);
  return head;
}

void FilterValue::name_hash(std::span<std::uint8_t> head) const {
  if (!keyed_) return;  // it has the name already
  detail::store_le(&head[kHash], static_cast<std::uint16_t>(keyed_->hash));
  detail::store_le(&head[kSeed], keyed_->secret_id);
  detail::store_le(&head[kHeaderSum], sum_of_head(head));
}

Result<AnyFilter> FilterValue::newest_hashed_by(const Hasher& hasher) const { return hashed_by(hasher, newest()); }

Status FilterValue::use_secret() {
  if (!keyed_ || !config.secret || config.secret->id() != keyed_->secret_id) return {};
  const Hasher hasher =
      keyed_->hash == HashId::siphash13 ? Hasher::siphash13(*config.secret) : Hasher::siphash24(*config.secret);
  // One after the other, so that no two are there twice; the newest, whose hasher counts, is the last.
  for (auto filter = filters_.rbegin(); filter != filters_.rend(); ++filter) {
    Result<AnyFilter> same = hashed_by(hasher, *filter);
    BLOOMERY_TRY(same);
    *filter = *std::move(same);
  }
  keyed_.reset();
  growth_.reset();  // what it has prepared is without the secret
  return {};
}

Status FilterValue::rotate(std::uint64_t now_ms) {
  BLOOMERY_TRY(filters_.back().clear());  // in its place, where it stays if its kind cannot be cleared
  std::rotate(filters_.begin(), filters_.end() - 1, filters_.end());
  growth_.reset();
  windows_.turned_ms = now_ms;
  touch(Change::other);
  return {};
}

std::span<std::uint8_t> FilterValue::payload(std::size_t i) {
  if (!staged_.empty()) return staged_[i].file.span().subspan(staged_[i].head);
  const std::span<const std::uint8_t> bytes = filters_[i].view().payload();
  return {const_cast<std::uint8_t*>(bytes.data()), bytes.size()};  // the filter is this value's own
}

std::size_t FilterValue::memory() const {
  std::size_t sum = api.MallocSize(const_cast<FilterValue*>(this));
  if (!filters_.empty()) sum += api.MallocSize(const_cast<AnyFilter*>(filters_.data()));
  for (const AnyFilter& filter : filters_)
    sum += server_memory.counted(const_cast<std::uint8_t*>(filter.view().payload().data()));
  for (const Staged& staged : staged_) sum += staged.file.counted();
  return sum + growth_.memory();
}

namespace {

// Moves the payload of a filter if the server wants that. A twin takes the place of the filter should it fail halfway.
void move_payload(DefragContext* context, AnyFilter& filter) {
  Result<AnyFilter> twin = filter.clone();
  if (!twin.ok()) return;
  void* const from = const_cast<std::uint8_t*>(filter.view().payload().data());
  void* const to = server_memory.defragment(context, from);
  if (to == nullptr) return;
  const MovedMemory moved(from, to);
  Result<AnyFilter> there = AnyFilter::copy_of(twin->view(), twin->key_count(), &server_memory);
  filter = there.ok() ? *std::move(there) : *std::move(twin);
}

}  // namespace

void FilterValue::defragment(DefragContext* context) noexcept {
  constexpr std::size_t kLargestMoved = std::size_t{16} << 10;  // jemalloc leaves larger pieces where they are
  for (Staged& staged : staged_) staged.file.defragment(context);
  for (AnyFilter& filter : filters_) {
    if (filter.view().payload().size() > kLargestMoved) continue;
    try {
      move_payload(context, filter);
    } catch (...) {
      return;  // out of memory: what has not moved stays
    }
  }
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

namespace {

// The sum of the payload in the head of a file is of the state in which a dump began. Its parts have sums of their own,
// which were compared when they came, and may hold more bits: then the head gets the sum of what came.
void sum_again(std::span<std::uint8_t> file, std::size_t head) {
  if (head < kHeader || !only_gains(static_cast<Kind>(detail::load_le<std::uint16_t>(&file[kKind])))) return;
  const std::uint64_t sum = Hasher::xxh3()(std::span<const std::uint8_t>(file.subspan(head))).bits;
  if (sum == detail::load_le<std::uint64_t>(&file[kPayloadSum])) return;
  if (sum_of_head(file.first(head)) != detail::load_le<std::uint64_t>(&file[kHeaderSum])) return;  // damaged
  detail::store_le(&file[kPayloadSum], sum);
  detail::store_le(&file[kHeaderSum], sum_of_head(file.first(head)));
}

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
