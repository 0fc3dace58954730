// Where the system stops serving membarrier after the start, readers fence themselves, and nothing is freed under one
// that entered before it knew of that.
#include <gtest/gtest.h>

#include <cerrno>
#include <thread>

#include "bloomery/bloomery.h"
#include "bloomery/live/live.h"
#include "support/refused_call.h"

namespace bloomery {
namespace {

using Live = LiveFilter<BlockFilter>;
constexpr int kCannotRefuse = 77;

// Threads ask all the time for a key that every version has, while filters are rebuilt. In a child; 0: all is well.
int rebuild_without_membarrier(int error) {
  auto live = *Live::make({.n = 1000});
  live->add("key");
  std::atomic<bool> enough{false}, lost{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!enough)
        if (!live->contains("key")) lost = true;
    });
  bool refused = false;
  const auto rebuild = [&](int times) {
    for (int i = 0; i < times; ++i) {
      refused |= !live->begin_rebuild(1000, 0.01).ok() || !live->feed("key").ok() || !live->commit().ok();
      (void)live->stats(0);
    }
  };
  rebuild(20);
  const bool blocked = testing::refuse_call(SYS_membarrier, error);
  rebuild(200);
  enough = true;
  for (std::thread& reader : readers) reader.join();
  if (!blocked) return kCannotRefuse;
  if (lost || refused) return 1;
  return detail::g_readers_fence ? 0 : 2;
}

TEST(WithoutMembarrier, readers_fence_themselves) {
  for (const int error : {EPERM, ENOSYS}) {
    const int status = testing::in_child([&] { return rebuild_without_membarrier(error); });
    if (status == kCannotRefuse) GTEST_SKIP() << "seccomp filters cannot be set here";
    EXPECT_EQ(status, 0) << error;
  }
}

}  // namespace
}  // namespace bloomery
