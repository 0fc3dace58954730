#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "base/error.h"
#include "base/log.h"
#include "bloomery/detail/bits.h"
#include "bloomery/detail/remainder.h"
#include "bloomery/version.h"

namespace bloomery {
namespace {

TEST(Result, holds_a_value_or_an_error) {
  Result<int> good = 7;
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);
  Result<int> bad = in_file(corrupt("k", "k is 31"), "a.bloom");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::corrupt);
  EXPECT_EQ(bad.error().field, "k");
  EXPECT_EQ(bad.error().to_string(), "a.bloom: k is 31");
}

TEST(Result, carries_what_can_only_be_moved) {
  Result<std::unique_ptr<int>> made = std::make_unique<int>(3);
  std::unique_ptr<int> taken = *std::move(made);
  EXPECT_EQ(*taken, 3);
}

TEST(Result, value_of_an_error_prints_it_and_ends_the_program) {
  Result<int> bad = in_file(corrupt("k", "k is 31"), "a.bloom");
  const Result<int> lasting = out_of_memory();
  const std::string start = "^bloomery: value\\(\\) of a Result that holds an error \\(ask ok\\(\\) first\\): ";
  EXPECT_DEATH((void)bad.value(), start + "a.bloom: k is 31\n$");
  EXPECT_DEATH((void)std::move(bad).value(), start + "a.bloom: k is 31\n$");
  EXPECT_DEATH((void)*bad, start + "a.bloom: k is 31\n$");
  EXPECT_DEATH((void)bad.operator->(), start + "a.bloom: k is 31\n$");
  EXPECT_DEATH((void)lasting.value(), start + "out of memory\n$");
}

TEST(Result, error_of_a_success_ends_the_program_with_a_sentence) {
  Result<int> good = 7;
  Status done;
  const std::string sentence = "^bloomery: error\\(\\) of a Result that holds no error: ask ok\\(\\) first\n$";
  EXPECT_DEATH((void)good.error(), sentence);
  EXPECT_DEATH((void)std::move(good).error(), sentence);
  EXPECT_DEATH((void)done.error(), sentence);
  EXPECT_DEATH((void)std::move(done).error(), sentence);
}

TEST(Result, nothing_that_it_is_asked_can_throw) {
  using R = Result<int>;
  static_assert(noexcept(std::declval<R&>().ok())&& noexcept(static_cast<bool>(std::declval<R&>())));
  static_assert(noexcept(std::declval<R&>().value())&& noexcept(std::declval<const R&>().value()));
  static_assert(noexcept(*std::declval<R>())&& noexcept(std::declval<R&>().operator->()));
  static_assert(noexcept(std::declval<const R&>().error())&& noexcept(std::declval<R>().error()));
  static_assert(noexcept(std::declval<const Status&>().error())&& noexcept(std::declval<Status>().error()));
}

TEST(Guarded, turns_bad_alloc_into_an_error) {
  Result<int> result = guarded([]() -> Result<int> { throw std::bad_alloc(); });
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::out_of_memory);
}

TEST(Checked, arithmetic_notices_overflow) {
  const std::uint64_t top = ~std::uint64_t{0};
  EXPECT_EQ(detail::checked_add(top - 1, 1), top);
  EXPECT_EQ(detail::checked_add(top, 1), std::nullopt);
  EXPECT_EQ(detail::checked_mul(1ull << 32, (1ull << 32) - 1), top - (1ull << 32) + 1);
  EXPECT_EQ(detail::checked_mul(1ull << 32, 1ull << 32), std::nullopt);
  EXPECT_EQ(detail::bytes_for_bits(top), (1ull << 61));
  EXPECT_EQ(detail::bytes_for_bits(9), 2u);
  EXPECT_EQ(detail::bytes_for_bits(8), 1u);
}

TEST(Endian, fields_are_little_endian) {
  std::uint8_t bytes[8];
  detail::store_le<std::uint64_t>(bytes, 0x0102030405060708);
  EXPECT_EQ(bytes[0], 8);
  EXPECT_EQ(bytes[7], 1);
  EXPECT_EQ(detail::load_le<std::uint32_t>(bytes), 0x05060708u);
}

void expect_exact(std::uint64_t m, std::uint32_t h) {
  ASSERT_EQ(detail::Remainder(m).of(h), h % m) << "m = " << m << ", h = " << h;
}

TEST(Remainder, equals_percent_at_the_edges) {
  std::vector<std::uint64_t> divisors = {1, 2, 3, 5, 7, 10, 9586, (1u << 27) - 1, 1u << 27, (1u << 27) + 1};
  for (unsigned shift = 28; shift <= 40; ++shift)
    for (int delta = -2; delta <= 2; ++delta)
      divisors.push_back((std::uint64_t{1} << shift) + static_cast<std::uint64_t>(delta));
  divisors.push_back(~std::uint64_t{0});
  for (std::uint64_t m : divisors) {
    for (std::uint64_t near : {std::uint64_t{0}, m, 2 * m, 3 * m, std::uint64_t{1} << 31, std::uint64_t{1} << 32})
      for (int delta = -2; delta <= 2; ++delta)
        expect_exact(m, static_cast<std::uint32_t>(near + static_cast<std::uint64_t>(delta)));
  }
}

TEST(Remainder, equals_percent_on_random_numbers) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2'000'000; ++i) {
    const std::uint64_t m = (random() >> (random() % 40 + 24)) + 1;
    expect_exact(m, static_cast<std::uint32_t>(random()));
  }
}

TEST(Log, is_off_until_a_hook_is_set) {
  EXPECT_FALSE(log_enabled());
  log(LogLevel::warning, "nobody hears this");
  std::string heard;
  set_log_hook([](LogLevel, std::string_view message, void* to) { *static_cast<std::string*>(to) = message; }, &heard);
  log(LogLevel::warning, "a warning");
  set_log_hook(nullptr);
  EXPECT_EQ(heard, "a warning");
}

TEST(Version, header_and_library_agree) {
  EXPECT_STREQ(version(), BLOOMERY_VERSION);
  EXPECT_EQ(std::to_string(BLOOMERY_VERSION_MAJOR) + "." + std::to_string(BLOOMERY_VERSION_MINOR) + "." +
                std::to_string(BLOOMERY_VERSION_PATCH),
            BLOOMERY_VERSION);
}

}  // namespace
}  // namespace bloomery
