#include "cli/entry_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bloomery::cli {
namespace {

constexpr const char* kFields = "key or key_hex, value or value_hex, sequence, deleted";

std::optional<std::string> from_hex(std::string_view hex) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  if (hex.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    const int high = digit(hex[i]), low = digit(hex[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(16 * high + low));
  }
  return bytes;
}

// What the JSON parser meets in a line, put into the parts of an entry. The first thing that does not belong there ends
// the parsing, with the problem said.
class FieldReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  EntryFields fields;

  bool start_object(std::size_t) override { return depth_++ == 0 || wrong_type(); }
  bool end_object() override { return true; }
  bool key(string_t& name) override {
    field_ = name;
    for (const char* known : {"key", "key_hex", "value", "value_hex", "sequence", "deleted"})
      if (name == known) return true;
    return refuse(fmt::format("has the unknown field '{}': an entry has {}", name, kFields));
  }
  bool string(string_t& text) override {
    if (field_ == "key" || field_ == "value") return set(field_ == "key" ? fields.key : fields.value, std::move(text));
    if (field_ != "key_hex" && field_ != "value_hex") return wrong_type();
    std::optional<std::string> bytes = from_hex(text);
    if (!bytes) return refuse(fmt::format("has a '{}' that is not pairs of hexadecimal digits", field_));
    return set(field_ == "key_hex" ? fields.key : fields.value, *std::move(bytes));
  }
  bool number_unsigned(number_unsigned_t number) override {
    return field_ == "sequence" ? set(fields.sequence, number) : wrong_type();
  }
  bool boolean(bool yes) override { return field_ == "deleted" ? set(fields.deleted, yes) : wrong_type(); }
  bool null() override { return wrong_type(); }
  bool number_integer(number_integer_t) override { return wrong_type(); }
  bool number_float(number_float_t, const string_t&) override { return wrong_type(); }
  bool binary(binary_t&) override { return wrong_type(); }
  bool start_array(std::size_t) override { return wrong_type(); }
  bool end_array() override { return wrong_type(); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    return refuse(fmt::format("is no JSON from byte {} on", position));
  }

 private:
  bool refuse(std::string reason) {
    fields.problem = std::move(reason);
    return false;
  }
  bool wrong_type() {
    if (depth_ == 0 || field_.empty()) return refuse(fmt::format("is no JSON object with {}", kFields));
    return refuse(fmt::format("has a '{}' that is no {}", field_,
                              field_ == "sequence"  ? "whole number from 0 on"
                              : field_ == "deleted" ? "true or false"
                                                    : "string"));
  }
  template <class T>
  bool set(std::optional<T>& into, T what) {
    if (into) return refuse(fmt::format("has '{}' twice, or beside its hexadecimal form", field_));
    into = std::move(what);
    return true;
  }

  std::string field_;
  int depth_ = 0;
};

}  // namespace

EntryFields parse_entry_fields(std::string_view line) {
  FieldReader reader;
  nlohmann::json::sax_parse(line.begin(), line.end(), &reader);
  return std::move(reader.fields);
}

}  // namespace bloomery::cli
