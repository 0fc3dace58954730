#include "core/metrics/label.h"

#include <gtest/gtest.h>

namespace bloomery::metrics {
namespace {

TEST(Label, what_is_fit_to_be_printed_stays) {
  for (const char* text : {"", "a", "two words", "line\nline", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf",
                           "\xf0\x9f\x8c\xb8", "\xf4\x8f\xbf\xbf", "a\xc3\xa9z"})
    EXPECT_EQ(clean_label(text), text);
}

TEST(Label, what_no_reader_of_metrics_takes_becomes_a_question_mark) {
  EXPECT_EQ(clean_label(std::string_view("a\0b\t\x1f", 5)), "a?b??");
  EXPECT_EQ(clean_label("\x80"), "?");            // begins nothing
  EXPECT_EQ(clean_label("\xc3"), "?");            // cut off
  EXPECT_EQ(clean_label("\xe2\x82"), "??");       // cut off
  EXPECT_EQ(clean_label("\xc3z"), "?z");          // broken off
  EXPECT_EQ(clean_label("\xc0\xaf"), "??");       // a slash in too many bytes
  EXPECT_EQ(clean_label("\xe0\x9f\xbf"), "???");  // the like
  EXPECT_EQ(clean_label("\xf0\x8f\xbf\xbf"), "????");
  EXPECT_EQ(clean_label("\xed\xa0\x80"), "???");       // half a pair of UTF-16
  EXPECT_EQ(clean_label("\xf4\x90\x80\x80"), "????");  // beyond Unicode
  EXPECT_EQ(clean_label("\xff\xfe"), "??");
}

TEST(Label, quotes_backslashes_and_line_feeds_are_escaped) {
  EXPECT_EQ(escaped("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  EXPECT_EQ(escaped("\"} 1\nbloomery_damaged{filter=\"a"), "\\\"} 1\\nbloomery_damaged{filter=\\\"a");
}

}  // namespace
}  // namespace bloomery::metrics
