#include "bloomery/classic.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "bloomery/detail/bits.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kExactUpToM = 1024;  // m^2 lookups: a millisecond

std::string describe(const ClassicView& view) {
  std::string text = "m = " + std::to_string(view.geometry().m) + ", k = " + std::to_string(view.geometry().k) + ", " +
                     to_string(view.hasher().id());
  if (takes_seed(view.hasher().id())) text += " seed " + std::to_string(view.hasher().seed());
  return text;
}

Status check_combinable(const ClassicView& a, const ClassicView& b) {
  return guarded([&]() -> Status {
    if (a.geometry() == b.geometry() && a.hasher() == b.hasher()) return {};
    std::string why = "the filters differ: one has " + describe(a) + ", the other " + describe(b);
    if (describe(a) == describe(b)) why = "the filters were made with different secrets";
    return mismatch(
        "geometry",
        why + "; only filters of one geometry and one hash can be combined, so build both with the same n and fpr");
  });
}

// Applies op to each 64-bit word, then to the bytes that are left.
template <class Op>
void combine(std::uint8_t* into, const std::uint8_t* from, std::size_t bytes, Op op) {
  std::size_t i = 0;
  for (; i + 8 <= bytes; i += 8)
    detail::store_le(into + i, op(detail::load_le<std::uint64_t>(into + i), detail::load_le<std::uint64_t>(from + i)));
  for (; i < bytes; ++i) into[i] = static_cast<std::uint8_t>(op(into[i], from[i]));
}

// The share of all pairs of residues (start, stride) whose k bits are set. Exact, because for so small an m the
// residues of 32-bit halves are uniform.
double exact_fpr(const ClassicView& view) {
  const auto [m, k] = view.geometry();
  const std::uint8_t* bits = view.payload().data();
  std::uint64_t hits = 0;
  for (std::uint64_t start = 0; start < m; ++start) {
    if (detail::classic_bit(bits, start) == 0) continue;
    for (std::uint64_t stride = 0; stride < m; ++stride) {
      std::uint64_t at = start;
      std::uint32_t left = k - 1;
      for (; left > 0; --left) {
        at += stride;
        if (at >= m) at -= m;
        if (detail::classic_bit(bits, at) == 0) break;
      }
      hits += left == 0;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(m * m);
}

}  // namespace

Result<ClassicView> ClassicView::over(std::span<const std::uint8_t> bits, const Geometry& geometry,
                                      const Hasher& hasher) {
  return guarded([&]() -> Result<ClassicView> {
    Result<Geometry> checked = Geometry::make(geometry.m, geometry.k);
    if (!checked.ok()) return std::move(checked).error();
    if (bits.size() != geometry.payload_bytes())
      return corrupt("m", "m is " + std::to_string(geometry.m) + ", which takes " +
                              std::to_string(geometry.payload_bytes()) + " bytes of bits, but there are " +
                              std::to_string(bits.size()));
    if (geometry.m % 8 != 0 && bits.back() >> (geometry.m % 8) != 0)
      return corrupt("bits", "a bit above m is set: the bits are damaged");
    return ClassicView(bits.data(), geometry, hasher);
  });
}

std::uint64_t ClassicView::bits_set() const {
  const std::span<const std::uint8_t> bits = payload();
  std::uint64_t set = 0;
  std::size_t i = 0;
  for (; i + 8 <= bits.size(); i += 8)
    set += static_cast<std::uint64_t>(std::popcount(detail::load_le<std::uint64_t>(&bits[i])));
  for (; i < bits.size(); ++i) set += static_cast<std::uint64_t>(std::popcount(bits[i]));
  return set;
}

double ClassicView::fill() const { return static_cast<double>(bits_set()) / static_cast<double>(geometry().m); }

double ClassicView::predicted_fpr() const {
  if (geometry().m <= kExactUpToM) return exact_fpr(*this);
  return geometry().predicted_fpr_at(bits_set());
}

std::optional<std::uint64_t> ClassicView::estimated_count() const { return geometry().estimated_count(bits_set()); }

bool operator==(const ClassicView& a, const ClassicView& b) {
  return a.geometry() == b.geometry() && a.hasher() == b.hasher() &&
         std::memcmp(a.payload().data(), b.payload().data(), a.payload().size()) == 0;
}

Result<ClassicFilter> ClassicFilter::allocate(const Geometry& geometry, const Hasher& hasher) {
  Result<detail::Buffer> bits = detail::Buffer::zeroed(geometry.payload_bytes());
  if (!bits.ok()) return std::move(bits).error();
  return ClassicFilter(*std::move(bits), geometry, hasher, 0);
}

Result<ClassicFilter> ClassicFilter::with_capacity(std::uint64_t n, double fpr, const Hasher& hasher) {
  return guarded([&]() -> Result<ClassicFilter> {
    Result<ClassicPlan> plan = plan_classic(n, fpr);
    if (!plan.ok()) return std::move(plan).error();
    if (!plan->warning.empty()) log(LogLevel::warning, plan->warning);
    return allocate(plan->geometry, hasher);
  });
}

Result<ClassicFilter> ClassicFilter::with_geometry(std::uint64_t m, std::uint32_t k, const Hasher& hasher) {
  return guarded([&]() -> Result<ClassicFilter> {
    Result<Geometry> geometry = Geometry::make(m, k);
    if (!geometry.ok()) return std::move(geometry).error();
    return allocate(*geometry, hasher);
  });
}

Result<ClassicFilter> ClassicFilter::copy_of(const ClassicView& view, std::optional<std::uint64_t> key_count) {
  Result<ClassicFilter> copy = allocate(view.geometry(), view.hasher());
  if (!copy.ok()) return copy;
  std::memcpy(copy->bits_.data(), view.payload().data(), view.payload().size());
  copy->key_count_ = key_count;
  return copy;
}

Status ClassicFilter::merge(const ClassicFilter& other) {
  if (Status status = check_combinable(view_, other.view_); !status.ok()) return status;
  combine(bits_.data(), other.bits_.data(), bits_.size(), [](auto a, auto b) { return a | b; });
  if (key_count_.has_value() && other.key_count_.has_value()) count(*other.key_count_);
  else key_count_.reset();
  return {};
}

Status ClassicFilter::intersect(const ClassicFilter& other) {
  if (Status status = check_combinable(view_, other.view_); !status.ok()) return status;
  combine(bits_.data(), other.bits_.data(), bits_.size(), [](auto a, auto b) { return a & b; });
  key_count_.reset();
  return {};
}

void ClassicFilter::clear() {
  std::memset(bits_.data(), 0, bits_.size());
  key_count_ = 0;
}

Result<ClassicFilter> ClassicFilter::clone() const { return copy_of(view_, key_count_); }

}  // namespace bloomery
