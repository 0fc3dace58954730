#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "bloomery/detail/bits.h"
#include "bloomery/detail/remainder.h"
#include "bloomery/version.h"
#include "core/base/error.h"
#include "core/base/log.h"

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
  EXPECT_DEATH((void)*bad, start + "a.bloom: k is 31\n$");
  EXPECT_DEATH((void)bad.operator->(), start + "a.bloom: k is 31\n$");
  EXPECT_DEATH((void)std::move(bad).value(), start + "a.bloom: k is 31\n$");
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
  static_assert(noexcept(std::declval<R&>().ok()) && !std::is_convertible_v<R, bool> &&
                !std::is_constructible_v<bool, R>);
  static_assert(noexcept(std::declval<R&>().value())&& noexcept(std::declval<const R&>().value()));
  static_assert(noexcept(*std::declval<R>())&& noexcept(std::declval<R&>().operator->()));
  static_assert(noexcept(std::declval<const R&>().error())&& noexcept(std::declval<R>().error()));
  static_assert(noexcept(std::declval<const Status&>().error())&& noexcept(std::declval<Status>().error()));
}

TEST(Status, is_one_pointer_and_does_not_convert_to_bool) {
  static_assert(sizeof(Status) == sizeof(void*) && sizeof(Result<void*>) == 2 * sizeof(void*));
  static_assert(!std::is_constructible_v<bool, Status>);
}

TEST(Status, copies_are_equal_and_a_failure_that_was_moved_from_stays_one) {
  Status failed = in_file(corrupt("k", "a message that is too long for the string itself"), "a.bloom");
  const Status copy = failed;
  const Status moved = std::move(failed);
  for (const Status* status : {&copy, &moved}) {
    ASSERT_FALSE(status->ok());
    EXPECT_EQ(status->error().to_string(), "a.bloom: a message that is too long for the string itself");
  }
  EXPECT_FALSE(failed.ok());  // NOLINT(bugprone-use-after-move): that is the promise
  failed = Status();
  EXPECT_TRUE(failed.ok());
}

Result<int> half(int number) {
  if (number % 2 != 0) return invalid_argument("number", "it is odd");
  return number / 2;
}
Status halve_twice(int number, int& out) {
  const Result<int> once = half(number);
  BLOOMERY_TRY(once);
  return half(*once).map([&](int twice) { return out = twice; }).status();
}

TEST(Result, passes_errors_on) {
  int out = 0;
  EXPECT_TRUE(halve_twice(12, out).ok());
  EXPECT_EQ(out, 3);
  EXPECT_EQ(halve_twice(7, out).error().message, "it is odd");
  EXPECT_EQ(halve_twice(6, out).error().field, "number");
  EXPECT_EQ(half(3).value_or(-1), -1);
  EXPECT_EQ(*half(8).and_then(half), 2);
  EXPECT_FALSE(half(2).and_then(half).ok());
}

TEST(Result, holds_what_only_moves_and_changes_sides) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  result = out_of_memory();
  EXPECT_EQ(result.error().code, ErrorCode::out_of_memory);
  result = std::make_unique<int>(6);
  Result<std::unique_ptr<int>> moved = std::move(result);
  EXPECT_EQ(**moved, 6);
  Result<std::unique_ptr<int>>& itself = moved;
  moved = std::move(itself);
  EXPECT_EQ(**moved, 6);
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
