// One kind of filter by hostile geometry, arbitrary payloads and arbitrary changes. Whatever is accepted must answer,
// describe itself and survive being changed; what was put in by adds alone must never be denied.
#pragma once

#include "fuzz/fuzz.h"

namespace bloomery::fuzz {

// Takes numbers off the front of the input; 0 when there is nothing left.
class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  std::uint64_t take(std::size_t bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < std::min(bytes, left_.size()); ++i) value |= std::uint64_t{left_[i]} << (8 * i);
    left_ = left_.subspan(std::min(bytes, left_.size()));
    return value;
  }
  // Mostly small, sometimes anything.
  std::uint64_t number() {
    const std::uint64_t choice = take(1);
    return take(choice < 160 ? 1 : choice < 240 ? 2 : 8);
  }
  std::span<const std::uint8_t> rest() const { return left_; }
  bool empty() const { return left_.empty(); }

 private:
  std::span<const std::uint8_t> left_;
};

// Whether the rate is had without trying every key there can be, which takes longer than everything else together.
template <class Layout>
bool rate_is_quick(const BasicView<Layout>& view) {
  if constexpr (requires { view.geometry().m; }) return view.geometry().m <= 128 || view.geometry().m > 1024;
  else return true;
}

template <class Layout>
void check_view(const BasicView<Layout>& view, bool thorough) {
  const AnyView any(view);
  std::array<Hash, 16> hashes;
  std::array<std::uint8_t, 16> answers;
  for (std::uint64_t i = 0; i < hashes.size(); ++i) hashes[i] = Hash(i * 0x9e3779b97f4a7c15);
  any.contains_many(hashes, answers);
  for (std::size_t i = 0; i < hashes.size(); ++i) FUZZ_CHECK(any.contains(hashes[i]) == (answers[i] == 1));
  FUZZ_CHECK(any.fill() >= 0 && any.fill() <= 1);
  if (thorough || rate_is_quick(view)) {
    const double rate = any.predicted_fpr();
    FUZZ_CHECK(rate >= 0 && rate <= 1);
  }
  (void)any.estimated_count();
  if constexpr (IteratingLayout<Layout>) view.for_each([](std::uint64_t, std::uint64_t) {});
  const Result<std::vector<std::uint8_t>> file = encode(any, Format::envelope, {});
  FUZZ_CHECK(file.ok());
  const Result<Decoded> back = decode(*file);
  FUZZ_CHECK(back.ok() && back->view == any);
}

// Whether there was room.
template <class Layout>
bool added(BasicFilter<Layout>& filter, Hash hash) {
  if constexpr (FillingLayout<Layout>) return filter.add(hash).ok();
  else return filter.add(hash), true;
}

// How often each key was added and not removed since.
using Counts = std::array<std::uint64_t, 32>;

inline Hash hash_of(std::uint64_t key) { return Hash(detail::splitmix64(key)); }

template <class Layout>
void check_nothing_lost(const BasicFilter<Layout>& filter, const Counts& in) {
  if constexpr (!ForgettingLayout<Layout>)
    for (std::uint64_t key = 0; key < in.size(); ++key) FUZZ_CHECK(in[key] == 0 || filter.contains(hash_of(key)));
}

// Adds and removes, as the input has them; removes only what is in. All keys are asked for after each remove and each
// add that was refused, after every eighth step, and at the end; the key itself after each add. One that was refused is
// not added again before the filter has changed: each time it would search the full filter for room in vain.
template <class Layout>
void change(BasicFilter<Layout>& filter, Input& input) {
  Counts in{};
  std::uint32_t refused = 0;  // a bit for each key
  for (int step = 0; step < 200 && !input.empty(); ++step) {
    const std::uint64_t what = input.take(1), key = what & 31;
    bool ask_for_all = step % 8 == 7;
    if (what < 160) {
      if (refused >> key & 1) continue;
      if (added(filter, hash_of(key))) ++in[key], refused = 0;
      else refused |= 1u << key, ask_for_all = true;
      if constexpr (!ForgettingLayout<Layout>) FUZZ_CHECK(in[key] == 0 || filter.contains(hash_of(key)));
    } else if constexpr (RemovingLayout<Layout>) {
      if (in[key] == 0) continue;
      FUZZ_CHECK(filter.remove(hash_of(key)));
      --in[key], refused = 0;
      ask_for_all = true;
    }
    if (ask_for_all) check_nothing_lost(filter, in);
  }
  check_nothing_lost(filter, in);
}

// What was put into a static filter by building it is in it, however its hashes look and however often they come.
template <class Layout>
void build_static(Input& input, bool thorough) {
  const double rates[] = {0.3, 0.02, 0.003, 0.0001};
  const double rate = rates[input.take(1) % 4];
  const std::uint64_t common = input.take(8), some = input.take(2);
  const std::uint64_t random = some / 16 % (some % 16 != 0 ? 100 : thorough ? 2000 : 300);  // many are slow
  std::vector<Hash> hashes;
  while (!input.empty()) hashes.emplace_back(common ^ input.number());
  for (std::uint64_t i = 0; i < random; ++i) hashes.emplace_back(detail::splitmix64(common + i));
  const Result<BasicFilter<Layout>> filter = BasicFilter<Layout>::build(hashes, rate);
  FUZZ_CHECK(filter.ok());
  for (Hash hash : hashes) FUZZ_CHECK(filter->contains(hash));
  check_view(filter->view(), thorough);
}

// Any bytes as a payload of this geometry, then changes of a copy.
template <class Layout>
void read_payload(Input& input, const typename Layout::Geometry& geometry, bool thorough) {
  std::vector<std::uint8_t> payload(geometry.payload_bytes());
  const auto rest = input.rest();
  std::copy_n(rest.begin(), std::min(rest.size(), payload.size()), payload.begin());
  const Result<BasicView<Layout>> view = BasicView<Layout>::from_payload(payload, geometry);
  if (!view.ok()) return;
  check_view(*view, thorough);
  Result<BasicFilter<Layout>> filter = BasicFilter<Layout>::copy_of(*view, {});
  if (!filter.ok()) return;
  FUZZ_CHECK(filter->view() == *view);
  if constexpr (!StaticLayout<Layout>) {
    change(*filter, input);
    check_view(filter->view(), thorough);
  }
}

// The first byte says how the filter comes about, and with its upper four bits set that large ones are welcome, which
// take long and seldom tell more than small ones.
template <class Layout>
int one_kind(const std::uint8_t* data, std::size_t size) {
  using Geometry = typename Layout::Geometry;
  Input input({data, size});
  const std::uint64_t first = input.take(1);
  const bool from_bytes = first % 2 == 0, thorough = first >= 0xf0;
  const std::uint64_t largest = thorough ? 1 << 16 : 1 << 12;
  if constexpr (StaticLayout<Layout>)
    if (!from_bytes) return build_static<Layout>(input, thorough), 0;
  auto values = Geometry{}.values();
  for (std::uint64_t& value : values) value = input.number();
  const Result<Geometry> geometry = Geometry::from_values(values);
  if (!geometry.ok()) {
    FUZZ_CHECK(!geometry.error().message.empty() && !geometry.error().field.empty());
    return 0;
  }
  if (geometry->payload_bytes() > largest) {  // refused for its length, and nothing that large is allocated
    FUZZ_CHECK(!BasicView<Layout>::from_payload(input.rest(), *geometry).ok());
    return 0;
  }
  if (from_bytes) return read_payload<Layout>(input, *geometry, thorough), 0;
  if constexpr (!StaticLayout<Layout>) {
    Result<BasicFilter<Layout>> filter = BasicFilter<Layout>::with_geometry(*geometry);
    if (!filter.ok()) return 0;
    change(*filter, input);
    check_view(filter->view(), thorough);
  }
  return 0;
}

}  // namespace bloomery::fuzz
