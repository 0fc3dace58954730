// The sizing of fuse filters: enough slots that peeling succeeds, which is whole arithmetic from a table, and
// fingerprints long enough for the rate.
#include "bloomery/geometry/fuse.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "bloomery/detail/bits.h"
#include "bloomery/geometry/ribbon.h"
#include "core/base/error.h"
#include "kinds/common/instead.h"
#include "kinds/common/target.h"

namespace BLOOMERY_NAMESPACE {
namespace {

using sizing::as_double;

constexpr sizing::OtherKind kRibbon = {"ribbon", sizing::reaches<RibbonGeometry>, sizing::takes<RibbonGeometry>};

// The numbers for n = 2^row keys.
struct Row {
  unsigned log_window;
  std::uint64_t more;  // slots beyond n
};
constexpr unsigned kLastRow = 21;
using Table = std::array<Row, kLastRow + 1>;

// From tools/fuse_slots.cc, which peels random keys: where the first seed does for 95 % to 99 % of all sets; for 86 %
// to 95 % from 400 thousand to a million keys with three slots, so that a million in two parts take less than 1.13
// slots each.
constexpr Table kOfThree = {{{0, 2},      {2, 9},      {3, 16},      {4, 25},     {4, 27},     {5, 40},
                             {6, 68},     {6, 76},     {7, 116},     {8, 190},    {8, 338},    {9, 640},
                             {9, 1030},   {10, 1900},  {10, 3330},   {11, 6100},  {11, 11500}, {12, 21000},
                             {13, 37500}, {13, 66450}, {14, 131600}, {14, 252000}}};
constexpr Table kOfFour = {{{0, 3},      {2, 11},     {2, 12},     {3, 18},     {3, 22},    {4, 32},
                            {5, 41},     {6, 70},     {6, 115},    {7, 205},    {7, 330},   {8, 570},
                            {9, 1000},   {9, 1600},   {10, 2760},  {10, 4600},  {11, 8300}, {12, 14000},
                            {12, 23500}, {13, 39900}, {13, 76500}, {13, 147000}}};

Error refused(const char* field, std::uint64_t value, const char* rule) {
  std::string message = field;
  message += " is ";
  message += std::to_string(value);
  message += ": ";
  message += rule;
  return invalid_argument(field, std::move(message));
}

Status check_arity(std::uint64_t arity) {
  if (arity == 3 || arity == 4) return {};
  return refused("arity", arity, "a key of a fuse filter has 3 slots, or 4 for less memory");
}

Error too_many_keys() {
  return invalid_argument("n", "a filter of the kind 'fuse' has at most 2^48 slots: ask for fewer keys");
}

FuseGeometry planned(std::uint64_t n, std::uint64_t arity, std::uint32_t bits) {
  FuseGeometry geometry;
  geometry.arity = static_cast<std::uint32_t>(arity);
  geometry.fingerprint_bits = bits;
  geometry.parts = FuseGeometry::parts_for(n);
  geometry.keys = n;
  return geometry.for_part_of(n / geometry.parts + (n % geometry.parts != 0 ? 1 : 0));
}

Error rate_too_low(std::uint64_t n, double fpr) {
  using namespace sizing;
  std::string message = "the kind 'fuse' does not go below a false-positive rate of 2^-16 (1.53e-05): ";
  message += use_first_that_can(n, fpr, {kRibbon, kBlock, kClassic, kPartitioned, kQuotient});
  // Names a kind that takes keys, beside the one that does not.
  const std::string taking = first_that_can(n, fpr, {kBlock, kClassic, kPartitioned, kQuotient});
  if (kRibbon.can(n, fpr) && !taking.empty()) message += ", or " + taking;
  return invalid_argument("fpr", std::move(message));
}

// Before anything is multiplied by n.
Status check_n(std::uint64_t n) {
  if (n > FuseGeometry::kMaxCells / 2) return too_many_keys();
  return {};
}

}  // namespace

Result<FuseGeometry> FuseGeometry::from_values(const std::array<std::uint64_t, 6>& values) {
  return guarded([&]() -> Result<FuseGeometry> {
    const auto [arity, bits, parts, window, slots, keys] = values;
    BLOOMERY_TRY(check_arity(arity));
    if (bits != 8 && bits != 16) return refused("fingerprint_bits", bits, "fuse filters have fingerprints of 8 or 16");
    if (parts < 1 || parts > kMaxParts) return refused("parts", parts, "a fuse filter has 1 to 2^32 parts");
    if (!std::has_single_bit(window) || window > kMaxWindow)
      return refused("window", window, "the window of a fuse filter is a power of two up to 65536");
    if (slots <= (arity - 1) * window)
      return refused("slots", slots, "a part of a fuse filter has more slots than the windows of a key span");
    const std::optional<std::uint64_t> all = detail::checked_mul(parts, slots);
    if (!all || *all > kMaxCells)
      return refused("slots", slots, "the parts of a fuse filter have at most 2^48 slots together");
    if (keys > *all) return refused("keys", keys, "every key of a fuse filter has a slot of its own, there are fewer");
    return FuseGeometry{
        static_cast<std::uint32_t>(arity), static_cast<std::uint32_t>(bits), parts, window, slots, keys};
  });
}

Result<FuseGeometry> FuseGeometry::for_capacity(std::uint64_t n, double fpr, std::uint64_t arity) {
  return guarded([&]() -> Result<FuseGeometry> {
    BLOOMERY_TRY(sizing::check_target(n, fpr));
    BLOOMERY_TRY(check_arity(arity));
    BLOOMERY_TRY(check_n(n));
    if (fpr < 0x1p-16) return rate_too_low(n, fpr);
    return planned(n, arity, fpr >= 0x1p-8 ? 8 : 16);
  });
}

Result<FuseGeometry> FuseGeometry::for_bits_per_key(std::uint64_t n, double bits_per_key, std::uint64_t arity) {
  return guarded([&]() -> Result<FuseGeometry> {
    BLOOMERY_TRY(sizing::check_bits_per_key(n, bits_per_key));
    BLOOMERY_TRY(check_arity(arity));
    BLOOMERY_TRY(check_n(n));
    for (const std::uint32_t bits : {16u, 8u}) {
      const FuseGeometry geometry = planned(n, arity, bits);
      if (as_double(geometry.bits()) <= as_double(n) * bits_per_key) return geometry;
    }
    std::string message = "a fuse filter for ";
    message += std::to_string(n);
    message += " keys takes at least ";
    message += sizing::least_bits_per_key(n, as_double(planned(n, arity, 8).bits()));
    message += " bits per key" + sizing::give_more_or_use(n, bits_per_key, {kRibbon, sizing::kBlock});
    return invalid_argument("bits_per_key", std::move(message));
  });
}

// Two threads have something to do from a million keys on; parts of some million are still near a cache.
std::uint64_t FuseGeometry::parts_for(std::uint64_t n) {
  return n < kSeveralParts ? 1 : std::max<std::uint64_t>(2, n >> 20);
}

FuseGeometry FuseGeometry::for_part_of(std::uint64_t n) const {
  n = std::max<std::uint64_t>(n, 1);
  const Table& table = arity == 3 ? kOfThree : kOfFour;
  const auto row = static_cast<unsigned>(std::bit_width(n) - 1);
  FuseGeometry sized = *this;
  if (row < kLastRow) {
    const std::uint64_t more = table[row].more, next = table[row + 1].more;
    sized.window = std::uint64_t{1} << table[row].log_window;
    sized.slots = n + more + (((n - (std::uint64_t{1} << row)) * (next - more)) >> row);
  } else {
    sized.window = std::uint64_t{1} << (row == kLastRow ? table[kLastRow].log_window : row < 24 ? 15 : 16);
    const auto more = (static_cast<detail::Uint128>(n) * table[kLastRow].more) >> kLastRow;
    sized.slots = n + static_cast<std::uint64_t>(more);
  }
  return sized;
}

double FuseGeometry::expected_fill(std::uint64_t n) const { return std::min(1.0, as_double(n) / as_double(cells())); }

double FuseGeometry::predicted_fpr_after(std::uint64_t n) const {
  return n == 0 ? 0 : std::ldexp(1.0, -static_cast<int>(fingerprint_bits));
}

}  // namespace BLOOMERY_NAMESPACE
