#include "live/numa.h"

#include <gtest/gtest.h>
#include <linux/mempolicy.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "bloomery/detail/numa.h"

namespace bloomery {
namespace {

// A machine of nodes 0, 8 and 70, with a processor that is not there; what it was asked for last.
struct Asked {
  int node = -1, mode = -1;
  void* memory = nullptr;
  unsigned long bytes = 0, bits = 0;
  std::vector<unsigned long> mask;
} asked;

constexpr int kNodeOfCpu[] = {70, 0, 0, -1, 8, 70};

mem::Libnuma three_nodes() {
  asked = {};
  return {[] { return 0; }, [] { return 6; }, [](int cpu) { return kNodeOfCpu[cpu]; },
          [](int node) {
            asked.node = node;
            return 0;
          },
          [](void* memory, unsigned long bytes, int mode, const unsigned long* nodes, unsigned long bits, unsigned) {
            asked = {-1, mode, memory, bytes, bits, {nodes, nodes + bits / 64}};
            return 0l;
          }};
}

TEST(Numa, nodes_with_processors_are_numbered_without_gaps) {
  const mem::Machine machine(three_nodes());
  EXPECT_EQ(machine.nodes(), 3u);
  const unsigned expected[] = {2, 0, 0, 0, 1, 2};
  for (int cpu = 0; cpu < 6; ++cpu) EXPECT_EQ(machine.node_of_cpu(cpu), expected[cpu]) << cpu;
  for (int cpu : {-1, 6, 1 << 30}) EXPECT_EQ(machine.node_of_cpu(cpu), 0u) << cpu;
}

TEST(Numa, the_system_is_asked_for_its_own_number_of_a_node) {
  const mem::Machine machine(three_nodes());
  char memory[16];
  EXPECT_EQ(machine.prefer(memory, sizeof memory, 2), 0);
  EXPECT_EQ(asked.memory, memory);
  EXPECT_EQ(asked.bytes, sizeof memory);
  EXPECT_EQ(asked.mode, MPOL_PREFERRED);
  EXPECT_EQ(asked.bits, 1025u);
  for (std::size_t word = 0; word < asked.mask.size(); ++word) EXPECT_EQ(asked.mask[word], word == 1 ? 1ul << 6 : 0ul);
  EXPECT_EQ(machine.run_on(1), 0);
  EXPECT_EQ(asked.node, 8);
  EXPECT_EQ(machine.run_on(5), 0);  // counts on from the first
  EXPECT_EQ(asked.node, 70);
}

TEST(Numa, a_refusal_is_told) {
  mem::Libnuma library = three_nodes();
  library.run_on_node = [](int) { return errno = EINVAL, -1; };
  library.mbind = [](void*, unsigned long, int, const unsigned long*, unsigned long, unsigned) {
    return errno = EPERM, -1l;
  };
  const mem::Machine machine(library);
  EXPECT_EQ(machine.run_on(1), EINVAL);
  EXPECT_EQ(machine.prefer(&library, 1, 1), EPERM);
}

TEST(Numa, without_a_library_that_answers_there_is_one_node_and_nothing_to_do) {
  mem::Libnuma unwilling = three_nodes();
  unwilling.available = [] { return -1; };
  mem::Libnuma small = three_nodes();
  small.possible_cpus = [] { return 4; };
  small.node_of_cpu = [](int) { return 3; };
  for (const auto& library : {std::optional<mem::Libnuma>(), std::optional(unwilling), std::optional(small)}) {
    const mem::Machine machine(library);
    EXPECT_EQ(machine.nodes(), 1u);
    EXPECT_EQ(machine.node_of_cpu(1), 0u);
    EXPECT_EQ(machine.prefer(&unwilling, 1, 0), 0);
    EXPECT_EQ(machine.run_on(0), 0);
    EXPECT_EQ(asked.node, -1);
    EXPECT_EQ(asked.memory, nullptr);
  }
}

TEST(Numa, this_machine_has_the_nodes_that_its_kernel_tells_of) {
  const std::optional<mem::Libnuma> library = mem::load_libnuma();
  if (!library || library->available() < 0) GTEST_SKIP() << "no libnuma.so.1, or no right to ask";
  unsigned count = 0;
  const std::filesystem::path folder = "/sys/devices/system/node";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "the kernel does not tell";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string cpus;
    std::ifstream(entry.path() / "cpulist") >> cpus;
    count += cpus.empty() ? 0 : 1;
  }
  EXPECT_EQ(detail::numa_nodes(), count);
  EXPECT_LT(detail::ask_node(), count);
}

TEST(Numa, a_thread_that_was_put_on_a_node_stays_there) {
  const unsigned last = detail::numa_nodes() - 1;
  std::thread([&] {
    ASSERT_TRUE(detail::run_on_node(last).ok());
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(detail::this_node(), last);
    ASSERT_TRUE(detail::run_on_node(last + 5).ok());  // one that the machine only plays
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(detail::this_node(), last + 5);
  }).join();
  std::thread([&] { EXPECT_LE(detail::this_node(), last); }).join();  // no other thread is
}

TEST(Numa, what_a_thread_remembers_is_asked_again_soon) {
  std::thread([&] {
    detail::t_node = {1'000'000, 2, false};
    EXPECT_EQ(detail::this_node(), 1'000'000u);
    EXPECT_EQ(detail::this_node(), 1'000'000u);
    EXPECT_LT(detail::this_node(), detail::numa_nodes());
    detail::t_node.node = 1'000'000;
    int asks = 0;
    while (detail::this_node() == 1'000'000) ++asks;
    EXPECT_EQ(asks, 63);
  }).join();
}

}  // namespace
}  // namespace bloomery
