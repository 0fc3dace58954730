#include "bloomery/metrics.h"

namespace bloomery {
namespace {

std::string clean_name(std::string_view name) {
  std::string out(name);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = out[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
    if (!letter && !(i > 0 && c >= '0' && c <= '9')) out[i] = '_';
  }
  return out;
}

// A help text is one line: Prometheus wants backslash and line feed escaped.
std::string clean_help(std::string_view help) {
  std::string out;
  for (char c : help) {
    if (c == '\\') out += "\\\\";
    else if (c == '\n') out += "\\n";
    else out += c;
  }
  return out;
}

std::uint64_t upper_edge(std::size_t bucket) {
  return bucket >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bucket) - 1;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

std::uint64_t Histogram::count() const noexcept {
  std::uint64_t total = 0;
  for (std::size_t b = 0; b < kBuckets; ++b) total += bucket(b);
  return total;
}

std::uint64_t Histogram::quantile(double q) const noexcept {
  const std::uint64_t total = count();
  std::uint64_t seen = 0;
  for (std::size_t b = 0; b < kBuckets; ++b) {
    seen += bucket(b);
    if (seen > 0 && static_cast<double>(seen) >= q * static_cast<double>(total)) return upper_edge(b);
  }
  return 0;
}

void MetricList::add(std::string_view name, std::string_view help, const Counter& counter) {
  entries_.push_back({clean_name(name), clean_help(help), &counter, nullptr});
}

void MetricList::add(std::string_view name, std::string_view help, const Histogram& histogram) {
  entries_.push_back({clean_name(name), clean_help(help), nullptr, &histogram});
}

std::string MetricList::prometheus() const {
  std::string out;
  for (const Entry& entry : entries_) {
    out += "# HELP " + entry.name + " " + entry.help + "\n";
    out += "# TYPE " + entry.name + (entry.counter != nullptr ? " counter\n" : " histogram\n");
    if (entry.counter != nullptr) {
      out += entry.name + " " + number(entry.counter->value()) + "\n";
      continue;
    }
    std::uint64_t below = 0;
    for (std::size_t b = 0; b < Histogram::kBuckets; ++b) {
      const std::uint64_t here = entry.histogram->bucket(b);
      below += here;
      if (here != 0) out += entry.name + "_bucket{le=\"" + number(upper_edge(b)) + "\"} " + number(below) + "\n";
    }
    out += entry.name + "_bucket{le=\"+Inf\"} " + number(below) + "\n";
    out += entry.name + "_sum " + number(entry.histogram->sum()) + "\n";
    out += entry.name + "_count " + number(below) + "\n";
  }
  return out;
}

std::string MetricList::json() const {
  std::string out = "{";
  for (const Entry& entry : entries_) {
    if (out.size() > 1) out += ",";
    out += "\"" + entry.name + "\":";
    if (entry.counter != nullptr) {
      out += number(entry.counter->value());
    } else {
      const Histogram& h = *entry.histogram;
      out += "{\"count\":" + number(h.count()) + ",\"sum\":" + number(h.sum()) + ",\"p50\":" + number(h.quantile(0.5)) +
             ",\"p99\":" + number(h.quantile(0.99)) + "}";
    }
  }
  return out + "}";
}

}  // namespace bloomery
