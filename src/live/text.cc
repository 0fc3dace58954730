#include "live/text.h"

#include <charconv>
#include <cmath>

namespace bloomery::live {
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

std::string number(double value) {
  if (!std::isfinite(value)) return "0";
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "0";
}

}  // namespace

FigureText::FigureText(std::string_view filter_name)
    : label_("{filter=\"" + escaped(filter_name) + "\"}"), json_("{\"filter\":\"" + escaped(filter_name) + "\"") {}

void FigureText::sample(const char* name, const char* type, const char* help, const std::string& value) {
  const std::string full = std::string("bloomery_") + name;
  prometheus_ +=
      "# HELP " + full + " " + help + "\n# TYPE " + full + " " + type + "\n" + full + label_ + " " + value + "\n";
  json_ += std::string(",\"") + name + "\":" + value;
}

void FigureText::counter(const char* name, const char* help, std::uint64_t value) {
  sample(name, "counter", help, std::to_string(value));
}

void FigureText::gauge(const char* name, const char* help, double value) { sample(name, "gauge", help, number(value)); }

void FigureText::histogram(const char* name, const char* help, const Histogram& histogram) {
  const std::string full = std::string("bloomery_") + name;
  prometheus_ += "# HELP " + full + " " + help + "\n# TYPE " + full + " histogram\n";
  const std::string open_label = label_.substr(0, label_.size() - 1);
  std::uint64_t below = 0;
  for (std::size_t b = 0; b < Histogram::kBuckets; ++b) {
    if (histogram.bucket(b) == 0) continue;
    below += histogram.bucket(b);
    const std::uint64_t edge = b >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << b) - 1;
    prometheus_ +=
        full + "_bucket" + open_label + ",le=\"" + std::to_string(edge) + "\"} " + std::to_string(below) + "\n";
  }
  prometheus_ += full + "_bucket" + open_label + ",le=\"+Inf\"} " + std::to_string(below) + "\n";
  prometheus_ += full + "_sum" + label_ + " " + std::to_string(histogram.sum()) + "\n";
  prometheus_ += full + "_count" + label_ + " " + std::to_string(below) + "\n";
  json_ += std::string(",\"") + name + "\":{\"count\":" + std::to_string(below) +
           ",\"sum\":" + std::to_string(histogram.sum()) + ",\"p50\":" + std::to_string(histogram.quantile(0.5)) +
           ",\"p99\":" + std::to_string(histogram.quantile(0.99)) + "}";
}

}  // namespace bloomery::live
