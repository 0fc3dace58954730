// Functions of the user's that throw: sinks, walks over fingerprints, the log hook.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "bloomery/bloomery.h"
#include "core/base/log.h"
#include "support/thrown.h"

namespace bloomery {
namespace {

using testing::Bomb;
using testing::Thrown;

constexpr Thrown kThrown[] = {Thrown::exception, Thrown::number, Thrown::no_memory};

TEST(Callback, sink_that_throws_ends_the_writing) {
  const AnyFilter classic(*ClassicFilter::with_capacity(100, 0.01));
  const AnyFilter split(*SplitFilter::with_blocks(1));
  const std::pair<AnyView, Format> files[] = {
      {classic.view(), Format::raw}, {classic.view(), Format::envelope}, {split.view(), Format::parquet}};
  for (const Thrown thrown : kThrown) {
    for (const auto& [view, format] : files) {
      for (const int pieces : {0, 1}) {
        SCOPED_TRACE(std::string(to_string(format)) + ", after " + std::to_string(pieces) + " pieces");
        Bomb bomb(thrown, pieces);
        const Sink sink = [&](std::span<const std::uint8_t>) { return bomb.touch(), Status(); };
        testing::expect_error_of(encode(view, format, {}, sink), thrown, "sink", "the sink");
      }
    }
  }
}

TEST(Callback, use_of_fingerprints_that_throws_ends_the_walk) {
  QuotientFilter filter = *QuotientFilter::with_capacity(100, 0.01);
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(filter.add(i).ok());
  const AnyFilter any(std::move(filter));
  for (const Thrown thrown : kThrown) {
    Bomb bomb(thrown, 7);
    const Status status = any.view().for_each([&](std::uint64_t, std::uint64_t) { bomb.touch(); });
    testing::expect_error_of(status, thrown, "use", "the function given to for_each");
  }
}

TEST(Callback, log_hook_that_throws_is_harmless) {
  for (const Thrown thrown : kThrown) {
    Bomb bomb(thrown);
    set_log_hook([](LogLevel, std::string_view, void* context) { static_cast<Bomb*>(context)->touch(); }, &bomb);
    log(LogLevel::warning, "nobody hears this");
    SizeSpec spec;
    spec.fpr = 1e-6;
    const Result<AnyFilter> small = AnyFilter::with_size(Kind::classic, 10, spec);  // warns
    set_log_hook(nullptr);
    EXPECT_TRUE(small.ok());
  }
}

}  // namespace
}  // namespace bloomery
