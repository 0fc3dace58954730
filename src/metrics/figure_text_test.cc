// The text forms of figures, as monitoring reads them.
#include "metrics/figure_text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace bloomery::metrics {
namespace {

std::string durations(const Histogram& milliseconds) {
  FigureText text("a");
  text.durations("x_seconds", "X", milliseconds);
  return text.prometheus();
}

std::vector<std::string> edges(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find("le=\""); at != std::string::npos; at = text.find("le=\"", at + 1))
    out.push_back(text.substr(at + 4, text.find('"', at + 4) - at - 4));
  return out;
}

TEST(FigureText, durations_have_the_same_edges_before_the_first_event_and_after) {
  Histogram histogram;
  const std::vector<std::string> before = edges(durations(histogram));
  ASSERT_EQ(before.size(), 24u);
  EXPECT_EQ(before.front(), "0.001");
  EXPECT_EQ(before[10], "1.024");
  EXPECT_EQ(before[22], "4194.304");
  EXPECT_EQ(before.back(), "+Inf");
  histogram.record(20);
  EXPECT_EQ(edges(durations(histogram)), before);
}

TEST(FigureText, durations_are_seconds) {
  Histogram histogram;
  for (std::uint64_t milliseconds : {0u, 3u, 4u, 10'000'000u}) histogram.record(milliseconds);
  const std::string text = durations(histogram);
  for (const char* line :
       {"# TYPE bloomery_x_seconds histogram\n", "_bucket{filter=\"a\",le=\"0.001\"} 1\n",
        "_bucket{filter=\"a\",le=\"0.002\"} 1\n", "_bucket{filter=\"a\",le=\"0.004\"} 2\n",
        "_bucket{filter=\"a\",le=\"0.008\"} 3\n", "_bucket{filter=\"a\",le=\"4194.304\"} 3\n",
        "_bucket{filter=\"a\",le=\"+Inf\"} 4\n", "_sum{filter=\"a\"} 10000.007\n", "_count{filter=\"a\"} 4\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  FigureText json("a");
  json.durations("x_seconds", "X", histogram);
  EXPECT_EQ(json.json(), R"({"filter":"a","x_seconds":{"count":4,"sum":10000.007,"p50":0.003,"p99":16777.215}})");
}

TEST(FigureText, infinity_is_itself_or_null) {
  FigureText text(R"(a "b"\)");
  text.gauge("x", "X", std::numeric_limits<double>::infinity());
  EXPECT_EQ(text.prometheus(),
            "# HELP bloomery_x X\n# TYPE bloomery_x gauge\nbloomery_x{filter=\"a \\\"b\\\"\\\\\"} +Inf\n");
  EXPECT_EQ(text.json(), "{\"filter\":\"a \\\"b\\\"\\\\\",\"x\":null}");
}

}  // namespace
}  // namespace bloomery::metrics
