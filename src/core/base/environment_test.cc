#include "bloomery/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "core/base/environment.h"

namespace bloomery {
namespace {

// In a process of its own, since ignoring lasts.
TEST(EnvironmentDeathTest, is_not_read_once_a_program_says_so) {
  EXPECT_EXIT(
      {
        ::setenv("TMPDIR", "/somewhere", 1);
        const bool read_before = environment("TMPDIR") != nullptr;
        ignore_environment();
        std::exit(read_before && environment("TMPDIR") == nullptr ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace bloomery
