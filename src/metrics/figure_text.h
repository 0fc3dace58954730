// The text forms of a list of figures: Prometheus text exposition, and one JSON object. Each figure has a name that
// says its unit, and all have the same label.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/metrics.h"

namespace bloomery::metrics {

class FigureText {
 public:
  explicit FigureText(std::string_view filter_name);

  void counter(const char* name, const char* help, std::uint64_t value);
  // An infinite value is null in JSON.
  void gauge(const char* name, const char* help, double value);
  // Of whole milliseconds, rounded down; written in seconds.
  void durations(const char* name, const char* help, const Histogram& milliseconds);

  std::string prometheus() const { return prometheus_; }
  std::string json() const { return json_ + "}"; }

 private:
  void sample(const char* name, const char* type, const char* help, const std::string& value,
              const std::string& json_value);

  std::string label_, prometheus_, json_;
};

}  // namespace bloomery::metrics
