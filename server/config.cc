#include "server/config.h"

#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <string_view>

#include "server/call.h"

namespace bloomery::server {

Config config;

namespace {

struct Number {
  const char* name;      // bloomery.NAME
  const char* argument;  // the old one of loadmodule
  long long Config::*member;
  long long least, most;
  unsigned flags;
};
constexpr std::array kNumbers = {
    Number{"bf-initial-size", "INITIAL_SIZE", &Config::bf_initial_size, 1, 1LL << 30, 0},
    Number{"bf-expansion-factor", "EXPANSION", &Config::bf_expansion_factor, 0, 32768, 0},
    Number{"cf-bucket-size", "CF_BUCKET_SIZE", &Config::cf_bucket_size, 1, 255, 0},
    Number{"cf-initial-size", "CF_INITIAL_SIZE", &Config::cf_initial_size, 2, 1LL << 40, 0},
    Number{"cf-max-iterations", "CF_MAX_ITERATIONS", &Config::cf_max_iterations, 1, 65535, 0},
    Number{"cf-expansion-factor", "CF_EXPANSION_FACTOR", &Config::cf_expansion_factor, 0, 32768, 0},
    Number{"cf-max-expansions", "CF_MAX_EXPANSIONS", &Config::cf_max_expansions, 1, 64, 0},
    Number{"max-filter-bytes", "MAX_FILTER_BYTES", &Config::max_filter_bytes, 1024, 1LL << 40, kConfigMemory},
    Number{"import-timeout", "IMPORT_TIMEOUT", &Config::import_timeout_seconds, 1, 1LL << 31, 0},
};

long long get_number(const char*, void* data) { return config.*static_cast<const Number*>(data)->member; }
int set_number(const char*, long long value, void* data, String**) {
  config.*static_cast<const Number*>(data)->member = value;
  return kOk;
}

// Texts are given to the server as strings that live until the next question.
String* text_of(std::string_view text) {
  static String* last = nullptr;
  if (last != nullptr) api.FreeString(nullptr, last);
  last = api.CreateString(nullptr, text.data(), text.size());
  return last;
}
int refuse(String** error, std::string_view why) {
  if (error != nullptr) *error = api.CreateString(nullptr, why.data(), why.size());
  return kError;
}

String* get_rate(const char*, void*) {
  std::array<char, 32> text;
  const int size = std::snprintf(text.data(), text.size(), "%.17g", config.bf_error_rate);
  for (int digits = 1; digits < 17; ++digits) {  // the fewest that mean the same number
    std::array<char, 32> shorter;
    const int count = std::snprintf(shorter.data(), shorter.size(), "%.*g", digits, config.bf_error_rate);
    if (parse_real({shorter.data(), static_cast<std::size_t>(count)}) == config.bf_error_rate)
      return text_of({shorter.data(), static_cast<std::size_t>(count)});
  }
  return text_of({text.data(), static_cast<std::size_t>(size)});
}
int set_rate(const char*, String* value, void*, String** error) {
  const std::optional<double> rate = parse_real(text(value));
  if (!rate || !(*rate > 0) || *rate > 0.25) return refuse(error, "bf-error-rate must be above 0 and at most 0.25");
  config.bf_error_rate = *rate;
  return kOk;
}

String* get_secret_file(const char*, void*) { return text_of(config.secret_file); }
int set_secret_file(const char*, String* value, void*, String** error) {
  try {
    const std::string path(text(value));
    if (path.empty()) {
      config.secret.reset();
      config.secret_file.clear();
      return kOk;
    }
    std::ifstream file(path, std::ios::binary);
    std::string contents((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (!file.is_open()) return refuse(error, "secret-file cannot be read");
    const Result<Secret> secret = Secret::from_hex(contents);
    if (!secret.ok()) return refuse(error, "secret-file must hold 32 hexadecimal digits");
    config.secret = *secret;
    config.secret_file = path;
    return kOk;
  } catch (const std::exception&) {
    return refuse(error, "out of memory");
  }
}

bool take_argument(Context* context, std::string_view name, String* value) {
  if (is_word(name, "ERROR_RATE")) {
    if (set_rate(nullptr, value, nullptr, nullptr) == kOk) return true;
    api.Log(context, "warning", "bloomery: ERROR_RATE must be above 0 and at most 0.25");
    return false;
  }
  for (const Number& number : kNumbers) {
    if (!is_word(name, number.argument)) continue;
    const std::optional<long long> given = parse_integer(text(value));
    if (given && *given >= number.least && *given <= number.most) {
      config.*number.member = *given;
      return true;
    }
    api.Log(context, "warning", "bloomery: %s must be from %lld to %lld", number.argument, number.least, number.most);
    return false;
  }
  api.Log(context, "warning", "bloomery: unknown argument %.*s", static_cast<int>(name.size()), name.data());
  return false;
}

}  // namespace

bool load_config(Context* context, String** arguments, int count) {
  if (count % 2 != 0) {
    api.Log(context, "warning", "bloomery: arguments come in pairs, as ERROR_RATE 0.01");
    return false;
  }
  for (int i = 0; i < count; i += 2)
    if (!take_argument(context, text(arguments[i]), arguments[i + 1])) return false;
  for (const Number& number : kNumbers)
    if (api.RegisterNumericConfig(context, number.name, config.*number.member, number.flags, number.least, number.most,
                                  get_number, set_number, nullptr, const_cast<Number*>(&number)) != kOk)
      return false;
  std::array<char, 32> rate;
  std::snprintf(rate.data(), rate.size(), "%.17g", config.bf_error_rate);
  if (api.RegisterStringConfig(context, "bf-error-rate", rate.data(), 0, get_rate, set_rate, nullptr, nullptr) != kOk)
    return false;
  if (api.RegisterStringConfig(context, "secret-file", "", 0, get_secret_file, set_secret_file, nullptr, nullptr) !=
      kOk)
    return false;
  return api.LoadConfigs(context) == kOk;
}

}  // namespace bloomery::server
