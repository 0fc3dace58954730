// The one grammar of numbers on the command line (spec/cli.md, Numbers). Nothing else is taken: no sign, no white
// space, no hexadecimal but in seeds, no digit left to a library's taste.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <optional>

#include "cli/cli.h"
#include "core/base/error.h"

namespace bloomery::cli {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::uint64_t kLargestInexact = std::uint64_t{1} << 53;  // of a number with a point, a suffix or an exponent

// Takes the digits that the text begins with.
std::string_view take_digits(std::string_view& text) {
  const std::string_view digits = text.substr(0, std::min(text.find_first_not_of(kDigits), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Digits, optionally a point and digits; or a point and digits.
struct Decimal {
  std::string digits;            // without the point
  std::size_t behind_point = 0;  // so many of them
};

std::optional<Decimal> take_decimal(std::string_view& text) {
  const std::string_view before = take_digits(text);
  if (!take(text, ".")) return before.empty() ? std::nullopt : std::optional(Decimal{std::string(before), 0});
  const std::string_view behind = take_digits(text);
  if (behind.empty()) return std::nullopt;
  return Decimal{std::string(before) + std::string(behind), behind.size()};
}

std::optional<std::uint64_t> whole(std::string_view digits, int base = 10) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// The power of ten that a suffix or an exponent stands for; 0 when there is none.
std::optional<std::size_t> take_power(std::string_view& text) {
  constexpr std::string_view kSuffixes = "kMG";
  if (text.size() == 1 && kSuffixes.find(text.front()) != std::string_view::npos) {
    const std::size_t suffix = kSuffixes.find(text.front());
    text = {};
    return 3 * (suffix + 1);
  }
  if (!take(text, "eE")) return 0;
  take(text, "+");
  const std::optional<std::uint64_t> exponent = whole(take_digits(text));
  if (!exponent || *exponent > 1000) return std::nullopt;
  return *exponent;
}

// It computes in whole numbers, since 1.001k is 1001 and not what 1.001 times 1000 is in floating point.
std::optional<std::uint64_t> count_of(std::string_view text) {
  if (text.find_first_not_of(kDigits) == std::string_view::npos) return whole(text);
  std::optional<Decimal> decimal = take_decimal(text);
  if (!decimal) return std::nullopt;
  const std::optional<std::size_t> power = take_power(text);
  if (!power || !text.empty()) return std::nullopt;
  std::string& digits = decimal->digits;
  for (; decimal->behind_point > *power; --decimal->behind_point) {
    if (digits.back() != '0') return std::nullopt;  // not whole
    digits.pop_back();
  }
  digits.insert(0, "0");
  if (digits.find_first_not_of('0') == std::string::npos) return 0;
  digits.append(*power - decimal->behind_point, '0');
  const std::optional<std::uint64_t> value = whole(digits);
  return value && *value <= kLargestInexact ? value : std::nullopt;
}

}  // namespace

Result<std::uint64_t> parse_count(const std::string& name, const std::string& text) {
  if (const std::optional<std::uint64_t> value = count_of(text)) return *value;
  return invalid_argument(name, fmt::format("{} is '{}': give a whole number such as 1000, 10M or 1e9", name, text));
}

Result<std::uint64_t> parse_seed(const std::string& text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (const auto value = whole(std::string_view(text).substr(hex ? 2 : 0), hex ? 16 : 10)) return *value;
  return invalid_argument(
      "seed", fmt::format("the seed is '{}': give a number from 0 to 2^64 - 1, decimal or 0x hexadecimal", text));
}

std::optional<double> take_real(std::string_view& text) {
  std::string_view rest = text;
  if (!take_decimal(rest)) return std::nullopt;
  std::string_view behind = rest;  // an "e" without digits is no exponent, and stays in the text
  if (take(behind, "eE")) {
    take(behind, "+-");
    if (!take_digits(behind).empty()) rest = behind;
  }
  const std::string number(text.substr(0, text.size() - rest.size()));
  text = rest;
  return std::strtod(number.c_str(), nullptr);
}

Result<double> parse_real(const std::string& name, const std::string& text) {
  std::string_view rest = text;
  const std::optional<double> value = take_real(rest);
  if (value && rest.empty()) return *value;
  return invalid_argument(name, fmt::format("{} is '{}': give a number such as 0.01", name, text));
}

Result<unsigned> parse_threads(const std::string& text) {
  constexpr std::uint64_t kMost = 256;
  const Result<std::uint64_t> number = parse_count("threads", text);
  if (number.ok() && *number >= 1 && *number <= kMost) return static_cast<unsigned>(*number);
  return invalid_argument("threads", fmt::format("--threads is '{}': give a number from 1 to {}", text, kMost));
}

Result<std::uint64_t> parse_alignment(const std::string& name, const std::string& text) {
  std::string_view rest = text;
  const std::optional<std::uint64_t> digits = whole(take_digits(rest));
  const unsigned shift = rest == "k" ? 10 : rest == "M" ? 20 : 0;
  if (digits && (rest.empty() || shift > 0) && *digits <= ~std::uint64_t{0} >> shift) return *digits << shift;
  return invalid_argument(name, fmt::format("{} is '{}': give a power of two such as 4096, 64k or 2M", name, text));
}

}  // namespace bloomery::cli
