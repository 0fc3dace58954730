#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cli/cli.h"
#include "cli/output.h"
#include "core/base/error.h"
#include "core/io/file.h"

namespace bloomery::cli {
namespace {

Result<Secret> read_secret(const std::string& path) {
  Result<io::File> file = io::File::open_read(path);
  BLOOMERY_TRY(file);
  std::string text(64, '\0');  // longer than any secret: what does not fit is wrong anyway
  Result<std::size_t> got = file->read_some({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  BLOOMERY_TRY(got);
  text.resize(*got);
  Result<Secret> secret = Secret::from_hex(text);
  if (!secret.ok()) return in_file(std::move(secret).error(), path);
  return secret;
}

// File names may hold anything, control characters included.
std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else out += c;
  }
  return out;
}

}  // namespace

int fail(const Error& error) {
  tell(fmt::format("bloomery: {}\n", one_line(error.to_string())));
  return kError;
}

void warn(const std::string& message) { tell(fmt::format("bloomery: warning: {}\n", one_line(message))); }

void HashOptions::add_to(CLI::App& command, const char* hash_help) {
  command.add_option("--hash", hash, hash_help)->type_name("H");
  command.add_option("--seed", seed, "Seed of xxh3 or xxh64, decimal or 0x hexadecimal (default 0)")->type_name("S");
  command.add_option("--secret", secret_file, "File with the 32 hexadecimal digits siphash13 and siphash24 need")
      ->type_name("FILE");
}

Result<Hasher> HashOptions::hasher(HashId fallback) const {
  Result<HashId> id = hash.empty() ? Result<HashId>(fallback) : hash_id_from_name(hash);
  BLOOMERY_TRY(id);
  if (!seed.empty() && !takes_seed(*id))
    return invalid_argument("seed", fmt::format("--seed is for xxh3 and xxh64; {} takes none", to_string(*id)));
  if (secret_file.empty() != !takes_secret(*id))
    return invalid_argument(
        "secret", takes_secret(*id)
                      ? fmt::format("{} needs a secret: give --secret FILE", to_string(*id))
                      : fmt::format("--secret is for siphash13 and siphash24; {} takes none", to_string(*id)));
  Result<std::uint64_t> number = parse_seed(seed.empty() ? "0" : seed);
  BLOOMERY_TRY(number);
  if (*id == HashId::xxh3) return Hasher::xxh3(*number);
  if (*id == HashId::xxh64) return Hasher::xxh64(*number);
  if (*id == HashId::fnv_splitmix) return Hasher::fnv_splitmix();
  Result<Secret> secret = read_secret(secret_file);
  BLOOMERY_TRY(secret);
  return *id == HashId::siphash13 ? Hasher::siphash13(*secret) : Hasher::siphash24(*secret);
}

void SecretOption::add_to(CLI::App& command) {
  command.add_option("--secret", file, "File with the secret of a keyed filter: 32 hexadecimal digits")
      ->type_name("FILE");
}

Result<OpenOptions> SecretOption::open_options() const {
  OpenOptions options;
  if (file.empty()) return options;
  Result<Secret> secret = read_secret(file);
  BLOOMERY_TRY(secret);
  options.secret = *secret;
  return options;
}

// The grammar is that of spec/cli.md: digits, a fraction, then either an exponent or a suffix.
Result<std::uint64_t> parse_count(const std::string& name, const std::string& text) {
  const Error bad =
      invalid_argument(name, fmt::format("{} is '{}': give a whole number such as 1000, 10M or 1e9", name, text));
  std::uint64_t whole = 0;
  const char* end = text.data() + text.size();
  const auto plain = std::from_chars(text.data(), end, whole);
  if (!text.empty() && plain.ec == std::errc() && plain.ptr == end) return whole;

  constexpr std::string_view kSuffixes = "kMG";
  const std::size_t suffix = text.empty() ? std::string_view::npos : kSuffixes.find(text.back());
  const bool has_suffix = suffix != std::string_view::npos;
  const std::string digits = has_suffix ? text.substr(0, text.size() - 1) : text;
  if (digits.empty() || digits.find_first_not_of(has_suffix ? "0123456789." : "0123456789.eE+") != std::string::npos ||
      digits[0] == '+')
    return bad;
  char* stop = nullptr;
  const double value =
      std::strtod(digits.c_str(), &stop) * (has_suffix ? std::pow(1000.0, static_cast<double>(suffix + 1)) : 1.0);
  // Above 2^53 a double no longer holds every whole number; such a number must be written out.
  if (*stop != '\0' || !(value >= 0) || value > 9007199254740992.0 || value != std::floor(value)) return bad;
  return static_cast<std::uint64_t>(value);
}

Result<std::uint64_t> parse_seed(const std::string& text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (begin != end && parsed.ec == std::errc() && parsed.ptr == end) return value;
  return invalid_argument(
      "seed", fmt::format("the seed is '{}': give a number from 0 to 2^64 - 1, decimal or 0x hexadecimal", text));
}

Result<double> parse_real(const std::string& name, const std::string& text) {
  char* stop = nullptr;
  const double value = std::strtod(text.c_str(), &stop);
  if (text.empty() || *stop != '\0')
    return invalid_argument(name, fmt::format("{} is '{}': give a number such as 0.01", name, text));
  return value;
}

std::string four_digits(double value) { return fmt::format("{:.4g}", value); }

std::string json_real(double value) {
  const std::string text = four_digits(value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string hex64(std::uint64_t value) { return fmt::format("0x{:016x}", value); }

}  // namespace bloomery::cli
