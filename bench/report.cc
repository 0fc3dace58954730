#include "bench/report.h"

#include <algorithm>
#include <cstdio>

#include "bench/machine.h"
#include "bench/text.h"
#include "kernel/kernel.h"

namespace bloomery::bench {
namespace {

std::string json_string(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

void Report::figure(const std::string& question, std::uint64_t n, const std::string& operation, const std::string& who,
                    double value, const std::string& unit) {
  if (value > 0) figures_.push_back({question, operation, who, unit, n, value});
}

void Report::bar(bool met, const std::string& sentence) { bars_.push_back({met ? "met" : "missed", sentence}); }
void Report::bar(const std::string& what, double ratio, double most, const std::string& of, const std::string& beside) {
  const std::string sentence =
      format("%s: %.2fx of %s (bar: %.2fx)%s", what.c_str(), ratio, of.c_str(), most, beside.c_str());
  bars_.push_back({ratio <= most ? "met" : "missed", sentence, what, ratio, most});
}
void Report::wrong_answer(const std::string& sentence) {
  bar(false, sentence);
  has_wrong_answers_ = true;
}
void Report::no_bar(const std::string& sentence) { bars_.push_back({"skipped", sentence}); }

void Report::print_bars() const {
  std::printf("Bars, as ratios within this run\n");
  for (const Bar& bar : bars_) std::printf("  %-7s  %s\n", bar.verdict.c_str(), bar.sentence.c_str());
  const auto missed = std::count_if(bars_.begin(), bars_.end(), [](const Bar& bar) { return bar.verdict == "missed"; });
  std::printf("  %td of %zu missed\n", missed, bars_.size());
}

bool Report::write_json(const std::string& path) const {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  std::fprintf(file, "{\n");
  for (const auto& [name, value] : describe_machine())
    std::fprintf(file, "  %s: %s,\n", json_string(name).c_str(), json_string(value).c_str());
  std::fprintf(file, "  \"isa\": %s,\n", json_string(kernel::active().name).c_str());
  std::fprintf(file, "  \"figures\": [");
  const char* separator = "\n";
  for (const Figure& f : figures_) {
    std::fprintf(file, R"(%s    {"question": %s, "n": %llu, "operation": %s, "who": %s, "%s": %.6g})", separator,
                 json_string(f.question).c_str(), static_cast<unsigned long long>(f.n),
                 json_string(f.operation).c_str(), json_string(f.who).c_str(), f.unit.c_str(), f.value);
    separator = ",\n";
  }
  std::fprintf(file, "\n  ],\n  \"bars\": [");
  separator = "\n";
  for (const Bar& bar : bars_) {
    std::fprintf(file, R"(%s    {"verdict": %s, "bar": %s)", separator, json_string(bar.verdict).c_str(),
                 json_string(bar.sentence).c_str());
    if (!bar.what.empty())
      std::fprintf(file, R"(, "what": %s, "ratio": %.6g, "most": %.6g)", json_string(bar.what).c_str(), bar.ratio,
                   bar.most);
    std::fprintf(file, "}");
    separator = ",\n";
  }
  std::fprintf(file, "\n  ]\n}\n");
  const bool written = std::ferror(file) == 0;
  return std::fclose(file) == 0 && written;
}

}  // namespace bloomery::bench
