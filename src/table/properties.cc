#include "table/properties.h"

#include <charconv>
#include <map>

#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE::table {
namespace {

// Numbers that every table has, and those that only a filter or prefixes bring along.
enum class With { table, filter, prefixes };

struct Number {
  const char* name;
  std::uint64_t TableProperties::*field;
  With with = With::table;
};
constexpr Number kNumbers[] = {{"blocks", &TableProperties::blocks},
                               {"deleted", &TableProperties::deleted},
                               {"entries", &TableProperties::entries},
                               {"filter.bytes", &TableProperties::filter_bytes, With::filter},
                               {"filter.partitions", &TableProperties::filter_partitions, With::filter},
                               {"index_bytes", &TableProperties::index_bytes},
                               {"key_bytes", &TableProperties::key_bytes},
                               {"keys", &TableProperties::keys},
                               {"max_sequence", &TableProperties::max_sequence},
                               {"min_sequence", &TableProperties::min_sequence},
                               {"prefix.count", &TableProperties::prefixes, With::prefixes},
                               {"value_bytes", &TableProperties::value_bytes}};
constexpr const char *kFilterFpr = "filter.fpr", *kFilterKind = "filter.kind", *kLargest = "largest",
                     *kSmallest = "smallest", *kPrefixFilter = "prefix.filter", *kPrefixName = "prefix.name";

// The fewest digits that give the same number back.
std::string shortest(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

// 0 for what is no number.
template <class T>
T number_of(std::string_view text) {
  T number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

std::string encode_properties(const TableProperties& properties, const Handle& prefixes) {
  std::map<std::string_view, std::string> named = {{kLargest, properties.largest}, {kSmallest, properties.smallest}};
  for (const auto& [name, field, with] : kNumbers)
    if (with == With::table || (with == With::filter ? properties.filter.has_value() : prefixes.bytes > 0))
      named[name] = std::to_string(properties.*field);
  if (properties.filter) {
    named[kFilterFpr] = shortest(properties.designed_fpr);
    named[kFilterKind] = to_string(*properties.filter);
  }
  if (prefixes.bytes > 0) {
    named[kPrefixFilter] = encode_handle(prefixes);
    named[kPrefixName] = properties.prefix;
  }
  BlockBuilder block(1);
  for (const auto& [name, value] : named) block.add(name, value, 0);
  return std::string(block.finish());
}

Status decode_properties(std::string_view contents, TableProperties& properties, Handle& prefixes) {
  BlockCursor cursor(contents);
  for (cursor.first(); cursor.valid(); cursor.next()) {
    const std::string_view name = cursor.key(), value = cursor.value();
    for (const Number& number : kNumbers)
      if (name == number.name) properties.*number.field = number_of<std::uint64_t>(value);
    if (name == kFilterFpr) properties.designed_fpr = number_of<double>(value);
    if (name == kFilterKind) {
      if (const Result<Kind> kind = kind_from_name(value); kind.ok()) properties.filter = *kind;
    }
    if (name == kLargest) properties.largest = value;
    if (name == kSmallest) properties.smallest = value;
    if (name == kPrefixFilter) prefixes = decode_handle(value).value_or(Handle{});
    if (name == kPrefixName) properties.prefix = value;
  }
  return cursor.damaged() ? Status(corrupt("properties", "the properties do not hold together")) : Status();
}

}  // namespace BLOOMERY_NAMESPACE::table
