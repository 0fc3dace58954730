#include "server/call.h"

#include <charconv>
#include <limits>
#include <string>

#include "server/config.h"

namespace bloomery::server {

bool is_word(std::string_view argument, std::string_view word) noexcept {
  if (argument.size() != word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char upper = argument[i] >= 'a' && argument[i] <= 'z' ? static_cast<char>(argument[i] - 32) : argument[i];
    if (upper != word[i]) return false;
  }
  return true;
}

namespace {

template <class T>
std::optional<T> parse(std::string_view text) noexcept {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return {};
  return value;
}

}  // namespace

std::optional<long long> parse_integer(std::string_view text) noexcept { return parse<long long>(text); }
std::optional<std::uint64_t> parse_unsigned(std::string_view text) noexcept { return parse<std::uint64_t>(text); }
std::optional<double> parse_real(std::string_view text) noexcept { return parse<double>(text); }

void Call::error(const Error& error) const {
  const bool capital = !error.message.empty() && error.message[0] >= 'A' && error.message[0] <= 'Z';
  const std::string message = (capital ? "" : "ERR ") + error.message;
  api.ReplyWithError(context, message.c_str());
}

void Call::changed(int key, const char* event) const {
  api.SignalModifiedKey(context, arguments[key]);
  api.NotifyKeyspaceEvent(context, kNotifyModule, event, arguments[key]);
}

std::uint64_t Call::most_bytes() const {
  return is_replay() ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(config.max_filter_bytes);
}

bool Call::refuses_memory(std::uint64_t bytes, bool taken) const {
  if (is_replay() || !exceeds_maxmemory(context, bytes, taken)) return false;
  error(kOutOfMemory);
  return true;
}

}  // namespace bloomery::server
