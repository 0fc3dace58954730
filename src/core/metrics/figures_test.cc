// The text forms of figures, as monitoring reads them.
#include "bloomery/figures.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace bloomery {
namespace {

std::string durations(const Histogram& milliseconds) {
  Figures text("a");
  text.durations("x_seconds", "X", milliseconds);
  return *text.prometheus();
}

std::vector<std::string> edges(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = text.find("le=\""); at != std::string::npos; at = text.find("le=\"", at + 1))
    out.push_back(text.substr(at + 4, text.find('"', at + 4) - at - 4));
  return out;
}

TEST(Figures, durations_have_the_same_edges_before_the_first_event_and_after) {
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

TEST(Figures, durations_are_seconds) {
  Histogram histogram;
  for (std::uint64_t milliseconds : {0u, 3u, 4u, 10'000'000u}) histogram.record(milliseconds);
  const std::string text = durations(histogram);
  for (const char* line :
       {"# TYPE bloomery_x_seconds histogram\n", "_bucket{filter=\"a\",le=\"0.001\"} 1\n",
        "_bucket{filter=\"a\",le=\"0.002\"} 1\n", "_bucket{filter=\"a\",le=\"0.004\"} 2\n",
        "_bucket{filter=\"a\",le=\"0.008\"} 3\n", "_bucket{filter=\"a\",le=\"4194.304\"} 3\n",
        "_bucket{filter=\"a\",le=\"+Inf\"} 4\n", "_sum{filter=\"a\"} 10000.007\n", "_count{filter=\"a\"} 4\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  Figures json("a");
  json.durations("x_seconds", "X", histogram);
  EXPECT_EQ(*json.json(), R"({"filter":"a","x_seconds":{"count":4,"sum":10000.007,"p50":0.003,"p99":16777.215}})");
}

TEST(Figures, infinity_is_itself_or_null) {
  Figures text(R"(a "b"\)");
  text.gauge("x", "X", std::numeric_limits<double>::infinity());
  EXPECT_EQ(*text.prometheus(),
            "# HELP bloomery_x X\n# TYPE bloomery_x gauge\nbloomery_x{filter=\"a \\\"b\\\"\\\\\"} +Inf\n");
  EXPECT_EQ(*text.json(), "{\"filter\":\"a \\\"b\\\"\\\\\",\"x\":null}");
}

TEST(Figures, tenants_are_a_second_label_and_an_object) {
  Figures text("a");
  text.counter("x_total", "X", Figures::ByTenant<std::uint64_t>{{"one", 1}, {"t\"w\\o\n", 2}});
  text.gauge("y", "Y", Figures::ByTenant<double>{{"one", 0.5}});
  text.gauge("z", "Z", Figures::ByTenant<double>{});
  EXPECT_EQ(*text.prometheus(),
            "# HELP bloomery_x_total X\n# TYPE bloomery_x_total counter\n"
            "bloomery_x_total{filter=\"a\",tenant=\"one\"} 1\n"
            "bloomery_x_total{filter=\"a\",tenant=\"t\\\"w\\\\o\\n\"} 2\n"
            "# HELP bloomery_y Y\n# TYPE bloomery_y gauge\nbloomery_y{filter=\"a\",tenant=\"one\"} 0.5\n"
            "# HELP bloomery_z Z\n# TYPE bloomery_z gauge\n");
  EXPECT_EQ(*text.json(), R"({"filter":"a","x_total":{"one":1,"t\"w\\o\n":2},"y":{"one":0.5},"z":{}})");
}

TEST(Figures, of_several_filters_declare_each_name_once) {
  Figures one("one"), two("two");
  one.counter("x_total", "X", 1);
  one.gauge("y", "Y", 0.5);
  two.gauge("only", "Only", 3);
  two.gauge("y", "Y", 0.25);
  two.counter("x_total", "X", 2);
  EXPECT_EQ(*prometheus(std::vector{one, two}),
            "# HELP bloomery_x_total X\n# TYPE bloomery_x_total counter\n"
            "bloomery_x_total{filter=\"one\"} 1\nbloomery_x_total{filter=\"two\"} 2\n"
            "# HELP bloomery_y Y\n# TYPE bloomery_y gauge\n"
            "bloomery_y{filter=\"one\"} 0.5\nbloomery_y{filter=\"two\"} 0.25\n"
            "# HELP bloomery_only Only\n# TYPE bloomery_only gauge\nbloomery_only{filter=\"two\"} 3\n");
  std::string both = "[";  // by +=: g++ 12 warns of a sum that begins with a literal (GCC bug 105329)
  both += *one.json() + "," + *two.json() + "]";
  EXPECT_EQ(*json(std::vector{one, two}), both);
  EXPECT_EQ(*prometheus({}), "");
  EXPECT_EQ(*json({}), "[]");
}

}  // namespace
}  // namespace bloomery
