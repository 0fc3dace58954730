// JSON as the commands print it: values that are text already, put together in order. One line, no spaces.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery::cli {

// The text as JSON, in quotes; nothing is appended and false returned when it is no UTF-8, which JSON cannot hold.
bool append_quoted(std::string& to, std::string_view text);
std::string to_hex(std::string_view bytes);

// A JSON value.
class Json {
 public:
  Json() : text_("null") {}
  Json(bool yes) : text_(yes ? "true" : "false") {}
  template <std::integral T>
  Json(T number) : text_(std::to_string(number)) {}
  Json(double number);          // the fewest digits that give it back; null of what is no number
  Json(std::string_view text);  // what is no UTF-8 is replaced by U+FFFD
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  template <class T>
  Json(const std::optional<T>& value) : Json(value ? Json(*value) : Json()) {}

  // With the digits of spec/cli.md for reals, C's %.4g.
  static Json four_digits(double number);

  const std::string& text() const { return text_; }

 protected:
  struct Raw {};
  Json(Raw, std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// Fields in the order in which they are put.
class JsonObject : public Json {
 public:
  JsonObject() : Json(Raw(), "{}") {}
  JsonObject& put(std::string_view name, const Json& value);
  // Bytes that may be no text, such as a key: as a string, or under `name`_hex in hexadecimal digits.
  JsonObject& put_bytes(const std::string& name, std::string_view bytes);
};

class JsonArray : public Json {
 public:
  JsonArray() : Json(Raw(), "[]") {}
  JsonArray& add(const Json& value);
  bool empty() const { return text_.size() == 2; }
};

}  // namespace bloomery::cli
