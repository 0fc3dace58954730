#include "metrics/figure_text.h"

#include <charconv>
#include <cmath>

namespace bloomery::metrics {
namespace {

// Both formats escape backslash, quote and line feed; JSON wants the other control characters escaped too, and
// Prometheus has no use for them.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20) out += '?';
    else out += c;
  }
  return out;
}

constexpr std::size_t kLastEdge = 22;  // 2^22 ms: 70 minutes

// Of a finite number.
std::string number(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "0";
}

}  // namespace

FigureText::FigureText(std::string_view filter_name)
    : label_("{filter=\"" + escaped(filter_name) + "\"}"), json_(R"({"filter":")" + escaped(filter_name) + "\"") {}

void FigureText::sample(const char* name, const char* type, const char* help, const std::string& value,
                        const std::string& json_value) {
  const std::string full = std::string("bloomery_") + name;
  prometheus_ +=
      "# HELP " + full + " " + help + "\n# TYPE " + full + " " + type + "\n" + full + label_ + " " + value + "\n";
  json_ += std::string(",\"") + name + "\":" + json_value;
}

void FigureText::counter(const char* name, const char* help, std::uint64_t value) {
  sample(name, "counter", help, std::to_string(value), std::to_string(value));
}

void FigureText::gauge(const char* name, const char* help, double value) {
  // JSON has no infinity.
  if (std::isfinite(value)) sample(name, "gauge", help, number(value), number(value));
  else sample(name, "gauge", help, "+Inf", "null");
}

void FigureText::durations(const char* name, const char* help, const Histogram& milliseconds) {
  const std::string full = std::string("bloomery_") + name;
  prometheus_ += "# HELP " + full + " " + help + "\n# TYPE " + full + " histogram\n";
  const std::string open_label = full + "_bucket" + label_.substr(0, label_.size() - 1) + ",le=\"";
  std::uint64_t below = 0;
  for (std::size_t b = 0; b < Histogram::kBuckets; ++b) {
    below += milliseconds.bucket(b);
    // The same edges at all times: a series that begins with its first event hides that event from rate(). A duration
    // is below 2^b milliseconds exactly when its whole milliseconds are.
    if (b <= kLastEdge) prometheus_ += open_label + number(std::exp2(b) / 1000) + "\"} " + std::to_string(below) + "\n";
  }
  const std::string sum = number(static_cast<double>(milliseconds.sum()) / 1000), count = std::to_string(below);
  prometheus_ += open_label + "+Inf\"} " + count + "\n";
  prometheus_ += full + "_sum" + label_ + " " + sum + "\n" + full + "_count" + label_ + " " + count + "\n";
  const auto quantile = [&](double q) { return number(static_cast<double>(milliseconds.quantile(q)) / 1000); };
  json_ += std::string(",\"") + name + R"(":{"count":)" + count + ",\"sum\":" + sum + ",\"p50\":" + quantile(0.5) +
           ",\"p99\":" + quantile(0.99) + "}";
}

}  // namespace bloomery::metrics
