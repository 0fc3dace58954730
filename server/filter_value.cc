#include "server/filter_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <variant>

#include "server/config.h"

namespace bloomery::server {

namespace {

Error no_memory() { return {ErrorCode::out_of_memory, "the server has no memory for it", {}, {}}; }

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

Result<AnyFilter> FilterValue::newest_hashed_by(const Hasher& hasher) const { return hashed_by(hasher, newest()); }

Status FilterValue::use_secret() {
  if (!keyed_ || !config.secret || config.secret->id() != keyed_->secret_id) return {};
  const Hasher hasher =
      keyed_->hash == HashId::siphash13 ? Hasher::siphash13(*config.secret) : Hasher::siphash24(*config.secret);
  // Moves one filter after the other, so that at most one is there twice. The newest, whose hasher counts, is the last.
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

}  // namespace bloomery::server
