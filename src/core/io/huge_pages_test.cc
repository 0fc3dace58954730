#include "core/io/huge_pages.h"

#include <gtest/gtest.h>

#include "bloomery/detail/buffer.h"
#include "core/io/sys.h"

namespace bloomery::io {
namespace {

const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): never read
}

constexpr std::string_view kSmaps =
    "00400000-00401000 r-xp 00000000 08:02 173521 /usr/bin/a\n"
    "Size:                  4 kB\n"
    "AnonHugePages:         0 kB\n"
    "VmFlags: rd ex mr mw me\n"
    "7f0000000000-7f0000800000 rw-p 00000000 00:00 0 \n"
    "Size:               8192 kB\n"
    "KernelPageSize:        4 kB\n"
    "AnonHugePages:      6144 kB\n"
    "7f0000800000-7f0000801000 rw-p 00000000 00:00 0 \n"
    "Size:                  4 kB\n";

TEST(HugePages, share_is_that_of_the_mappings_that_hold_the_bytes) {
  EXPECT_EQ(huge_page_share_in(kSmaps, at(0x7f0000000000), 1), 0.75);
  EXPECT_EQ(huge_page_share_in(kSmaps, at(0x7f0000400000), 0x400000), 0.75);
  EXPECT_EQ(huge_page_share_in(kSmaps, at(0x400fff), 1), 0.0);
}

TEST(HugePages, share_is_unknown_where_the_kernel_does_not_tell) {
  EXPECT_EQ(huge_page_share_in(kSmaps, at(0x7f0000800000), 16), std::nullopt);
  EXPECT_EQ(huge_page_share_in(kSmaps, at(0x1000), 16), std::nullopt);
  EXPECT_EQ(huge_page_share_in("", at(0x400000), 16), std::nullopt);
  EXPECT_EQ(huge_page_share_in("garbage\n-\n:\nSize:\n400000-\n", at(0x400000), 16), std::nullopt);
  set_fault_hook([](const Call& call, void*) { return Verdict{.error = call.op == Op::read ? EIO : 0}; });
  EXPECT_EQ(huge_page_share(&kSmaps, 16), std::nullopt);
  set_fault_hook(nullptr);
}

TEST(HugePages, share_of_real_memory_is_a_share) {
  detail::Buffer buffer = *detail::Buffer::zeroed(std::uint64_t{32} << 20);
  ASSERT_TRUE(buffer.prefault(2).ok());
  const std::optional<double> share = huge_page_share(buffer.data(), buffer.size());
  if (!share.has_value()) GTEST_SKIP() << "this system does not tell";
  EXPECT_GE(*share, 0);
  EXPECT_LE(*share, 1);
}

}  // namespace
}  // namespace bloomery::io
