// Reads what the answers of a server hold.
#pragma once

#include <charconv>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "streams/connection.h"

namespace BLOOMERY_NAMESPACE::replica {

using std::chrono::milliseconds;

inline constexpr const char* kEntriesAtOnce = "16";  // a message has 2 MiB at most
inline constexpr milliseconds kCheckEvery{1000};

inline std::string_view as_text(std::span<const std::uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// The value of a line "name:value" of what INFO says.
inline std::string info_value(std::string_view info, std::string_view name) {
  std::size_t at = info.find(std::string(name) + ":");
  if (at == info.npos) return {};
  at += name.size() + 1;
  return std::string(info.substr(at, info.find_first_of("\r\n", at) - at));
}

// Which process a server is, and which history its data has.
struct ServerId {
  std::string run, replication;

  static ServerId of(const Reply& info_server, const Reply& info_replication) {
    return {info_value(info_server.text(), "run_id"), info_value(info_replication.text(), "master_replid")};
  }
  bool known() const { return !run.empty(); }
  std::string to_string() const { return run + " " + replication; }
  friend bool operator==(const ServerId&, const ServerId&) = default;
};

// The id of the only entry of an answer to XREVRANGE .. COUNT 1; 0-0 of an empty stream.
inline EntryId newest_of(const Reply& last) {
  return EntryId::parse(Reply::text(Reply::item(last.item(0), 0))).value_or(EntryId());
}

// The value of a field of an entry (id, [field, value, ..]).
inline std::string_view field_of(const redisReply* entry, std::string_view name) {
  const redisReply* fields = Reply::item(entry, 1);
  for (std::size_t i = 0; i + 1 < Reply::size(fields); i += 2)
    if (Reply::text(Reply::item(fields, i)) == name) return Reply::text(Reply::item(fields, i + 1));
  return {};
}

// Whether all of the text is a number.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The text up to a character, which is taken off with it.
inline std::string_view cut(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view word = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return word;
}

}  // namespace BLOOMERY_NAMESPACE::replica
