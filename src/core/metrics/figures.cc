#include "bloomery/figures.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/metrics/label.h"

namespace BLOOMERY_NAMESPACE {
namespace {

constexpr std::size_t kLastEdge = 22;  // 2^22 ms: 70 minutes

// Returns the text of a finite number.
std::string number(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : "0";
}

std::string quoted(std::string_view text) {
  std::string out(1, '"');
  out += metrics::escaped(metrics::clean_label(text));
  return out += '"';
}

// Prometheus' text of a number, and JSON's, which has no infinity.
std::pair<std::string, std::string> texts(double value) {
  if (!std::isfinite(value)) return {"+Inf", "null"};
  return {number(value), number(value)};
}

}  // namespace

Figures::Figures(std::string_view filter_name)
    : label_("{filter=" + quoted(filter_name)), json_("{\"filter\":" + quoted(filter_name)) {}

// The samples of a new family, to be appended to.
std::string& Figures::family(const char* name, const char* type, const char* help) {
  const std::string full = std::string("bloomery_") + name;
  families_.push_back({full, "# HELP " + full + " " + help + "\n# TYPE " + full + " " + type + "\n", ""});
  return families_.back().samples;
}

void Figures::sample(const char* name, const char* type, const char* help, const std::string& value,
                     const std::string& json_value) {
  std::string& samples = family(name, type, help);
  samples = families_.back().name + label_ + "} " + value + "\n";
  json_ += std::string(",\"") + name + "\":" + json_value;
}

void Figures::counter(const char* name, const char* help, std::uint64_t value) {
  sample(name, "counter", help, std::to_string(value), std::to_string(value));
}

void Figures::gauge(const char* name, const char* help, double value) {
  const auto [text, json_text] = texts(value);
  sample(name, "gauge", help, text, json_text);
}

template <class T, class Text>
void Figures::samples(const char* label, const char* name, const char* type, const char* help,
                      const ByTenant<T>& values, Text text) {
  std::string& samples = family(name, type, help);
  std::string object;
  for (const auto& [tenant, value] : values) {
    const auto [plain, json_value] = text(value);
    samples += families_.back().name + label_ + "," + label + "=" + quoted(tenant) + "} " + plain + "\n";
    if (!object.empty()) object += ',';
    object += quoted(tenant);
    object += ':' + json_value;
  }
  json_ += std::string(",\"") + name + "\":{" + object + "}";
}

void Figures::counter_by(const char* label, const char* name, const char* help, const ByTenant<std::uint64_t>& values) {
  samples(label, name, "counter", help, values,
          [](std::uint64_t value) { return std::pair(std::to_string(value), std::to_string(value)); });
}

void Figures::gauge_by(const char* label, const char* name, const char* help, const ByTenant<double>& values) {
  samples(label, name, "gauge", help, values, texts);
}

void Figures::counter(const char* name, const char* help, const ByTenant<std::uint64_t>& values) {
  counter_by("tenant", name, help, values);
}

void Figures::gauge(const char* name, const char* help, const ByTenant<double>& values) {
  gauge_by("tenant", name, help, values);
}

void Figures::durations(const char* name, const char* help, const Histogram& milliseconds) {
  std::string& samples = family(name, "histogram", help);
  const std::string full = families_.back().name, open_label = full + "_bucket" + label_ + ",le=\"";
  std::uint64_t below = 0;
  for (std::size_t b = 0; b < Histogram::kBuckets; ++b) {
    below += milliseconds.bucket(b);
    // The same edges at all times: a series that begins with its first event hides that event from rate(). A duration
    // is below 2^b milliseconds exactly when its whole milliseconds are.
    if (b <= kLastEdge) samples += open_label + number(std::exp2(b) / 1000) + "\"} " + std::to_string(below) + "\n";
  }
  const std::string sum = number(static_cast<double>(milliseconds.sum()) / 1000), count = std::to_string(below);
  samples += open_label + "+Inf\"} " + count + "\n";
  samples += full + "_sum" + label_ + "} " + sum + "\n" + full + "_count" + label_ + "} " + count + "\n";
  const auto quantile = [&](double q) { return number(static_cast<double>(milliseconds.quantile(q)) / 1000); };
  json_ += std::string(",\"") + name + R"(":{"count":)" + count + ",\"sum\":" + sum + ",\"p50\":" + quantile(0.5) +
           ",\"p99\":" + quantile(0.99) + "}";
}

Result<std::string> Figures::prometheus() const { return bloomery::prometheus({this, 1}); }

Result<std::string> Figures::json() const {
  return guarded([&]() -> Result<std::string> { return json_ + "}"; });
}

// A family stands where it comes first, with the samples of all.
Result<std::string> prometheus(std::span<const Figures> all) {
  return guarded([&]() -> Result<std::string> {
    std::vector<Figures::Family> page;
    for (const Figures& figures : all) {
      for (const Figures::Family& family : figures.families_) {
        const auto same =
            std::find_if(page.begin(), page.end(), [&](const auto& one) { return one.name == family.name; });
        if (same != page.end()) same->samples += family.samples;
        else page.push_back(family);
      }
    }
    std::string text;
    for (const Figures::Family& family : page) text += family.head + family.samples;
    return text;
  });
}

Result<std::string> json(std::span<const Figures> all) {
  return guarded([&]() -> Result<std::string> {
    std::string text;
    for (const Figures& figures : all) {
      const Result<std::string> one = figures.json();
      BLOOMERY_TRY(one);
      text += text.empty() ? '[' : ',';
      text += *one;
    }
    text += text.empty() ? "[]" : "]";
    return text;
  });
}

}  // namespace BLOOMERY_NAMESPACE
