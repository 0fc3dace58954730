// Named figures, and their text for Prometheus and JSON. LiveFilter and others return them; the figures of several
// filters, of whatever kinds, go on one page:
//
//   auto page = bloomery::prometheus(std::vector{*users->figures(), *sessions->figures()});
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/export.h"
#include "bloomery/metrics.h"
#include "bloomery/result.h"

namespace BLOOMERY_NAMESPACE {

// The figures of one filter at one moment. Each figure has a name that says its unit, written with "bloomery_" before
// it, and all have the label `filter`. It is a plain value: one thread at a time uses it. What adds a figure throws
// std::bad_alloc.
class Figures {
 public:
  BLOOMERY_API explicit Figures(std::string_view filter_name);

  BLOOMERY_API void counter(const char* name, const char* help, std::uint64_t value);
  // An infinite value is null in JSON.
  BLOOMERY_API void gauge(const char* name, const char* help, double value);
  // Takes a histogram of whole milliseconds, rounded down, and writes seconds.
  BLOOMERY_API void durations(const char* name, const char* help, const Histogram& milliseconds);

  // One value for each tenant, under the label `tenant`; an object in JSON. No tenant comes twice.
  template <class T>
  using ByTenant = std::vector<std::pair<std::string, T>>;
  BLOOMERY_API void counter(const char* name, const char* help, const ByTenant<std::uint64_t>& values);
  BLOOMERY_API void gauge(const char* name, const char* help, const ByTenant<double>& values);
  // As above, under another label, such as `peer`.
  BLOOMERY_API void counter_by(const char* label, const char* name, const char* help,
                               const ByTenant<std::uint64_t>& values);
  BLOOMERY_API void gauge_by(const char* label, const char* name, const char* help, const ByTenant<double>& values);

  // Return the text. The only error is out_of_memory.
  BLOOMERY_API Result<std::string> prometheus() const;
  BLOOMERY_API Result<std::string> json() const;

 private:
  friend BLOOMERY_API Result<std::string> prometheus(std::span<const Figures> all);

  struct Family {
    std::string name, head, samples;  // head: what Prometheus wants to read once, before the first sample
  };
  std::string& family(const char* name, const char* type, const char* help);
  void sample(const char* name, const char* type, const char* help, const std::string& value,
              const std::string& json_value);
  template <class T, class Text>
  void samples(const char* label, const char* name, const char* type, const char* help, const ByTenant<T>& values,
               Text text);

  std::string label_, json_;
  std::vector<Family> families_;
};

// Returns one page of all figures. Two texts one after the other would not do, because each declares the same names and
// Prometheus refuses a page that does so twice. The filters need different names, or their series are the same.
BLOOMERY_API Result<std::string> prometheus(std::span<const Figures> all);
// Returns an array of the objects of all figures.
BLOOMERY_API Result<std::string> json(std::span<const Figures> all);

}  // namespace BLOOMERY_NAMESPACE
