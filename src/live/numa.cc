#include "live/numa.h"

#include <dlfcn.h>
#include <linux/mempolicy.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <new>
#include <string>

#include "bloomery/detail/numa.h"
#include "core/base/error.h"

namespace BLOOMERY_NAMESPACE {
namespace mem {
namespace {

constexpr int kMostNodes = 1024;  // of a Linux kernel
constexpr unsigned long kWordBits = sizeof(unsigned long) * CHAR_BIT;

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::optional<Libnuma> load_libnuma() noexcept {
  void* library = ::dlopen("libnuma.so.1", RTLD_NOW | RTLD_LOCAL);  // for the life of the process
  Libnuma found;
  if (library == nullptr || !find(library, "numa_available", found.available) ||
      !find(library, "numa_num_possible_cpus", found.possible_cpus) ||
      !find(library, "numa_node_of_cpu", found.node_of_cpu) || !find(library, "numa_run_on_node", found.run_on_node) ||
      !find(library, "mbind", found.mbind))
    return std::nullopt;
  return found;
}

Machine::Machine(const std::optional<Libnuma>& library) {
  if (!library || library->available() < 0) return;
  library_ = *library;
  std::vector<int> system_node(static_cast<std::size_t>(std::max(library_.possible_cpus(), 0)));
  for (std::size_t cpu = 0; cpu < system_node.size(); ++cpu) {
    system_node[cpu] = library_.node_of_cpu(static_cast<int>(cpu));  // -1: no such processor now
    if (system_node[cpu] >= 0 && system_node[cpu] < kMostNodes) nodes_.push_back(system_node[cpu]);
  }
  std::sort(nodes_.begin(), nodes_.end());
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
  for (const int node : system_node) {
    const auto at = std::lower_bound(nodes_.begin(), nodes_.end(), node);
    const bool known = at != nodes_.end() && *at == node;
    node_of_cpu_.push_back(known ? static_cast<std::uint16_t>(at - nodes_.begin()) : std::uint16_t{0});
  }
}

int Machine::prefer(void* memory, std::size_t bytes, unsigned node) const {
  if (nodes() == 1) return 0;
  std::array<unsigned long, kMostNodes / kWordBits> mask{};
  const auto bit = static_cast<unsigned long>(nodes_[node % nodes()]);
  mask[bit / kWordBits] = 1ul << (bit % kWordBits);
  // The number of bits is one too large because the kernel takes one off. The memory is preferred and not bound: when a
  // node is full, far memory is better than none.
  return library_.mbind(memory, bytes, MPOL_PREFERRED, mask.data(), kMostNodes + 1, 0) == 0 ? 0 : errno;
}

int Machine::run_on(unsigned node) const {
  if (nodes() == 1) return 0;
  return library_.run_on_node(nodes_[node % nodes()]) == 0 ? 0 : errno;
}

}  // namespace mem

namespace detail {
namespace {

const mem::Machine& machine() noexcept {
  static const mem::Machine machine = [] {
    try {
      return mem::Machine(mem::load_libnuma());
    } catch (const std::bad_alloc&) {
      return mem::Machine(std::nullopt);
    }
  }();
  return machine;
}

constexpr unsigned kTrusted = 63;

}  // namespace

constinit thread_local ThreadNode t_node;

unsigned numa_nodes() noexcept { return machine().nodes(); }

bool prefer_node(void* memory, std::size_t bytes, unsigned node) noexcept {
  return machine().prefer(memory, bytes, node) == 0;
}

Status run_on_node(unsigned node) {
  if (const int error = machine().run_on(node); error != 0)
    return guarded([&]() -> Status {
      return Error{ErrorCode::io,
                   "this thread cannot run on node " + std::to_string(node) + ": " + std::strerror(error) +
                       "; allow the process the processors of that node (cpuset), or leave the thread where it is",
                   {},
                   "node"};
    });
  t_node = {node, kTrusted, true};
  return {};
}

unsigned ask_node() noexcept {
  if (!t_node.pinned) t_node.node = machine().nodes() == 1 ? 0 : machine().node_of_cpu(::sched_getcpu());
  t_node.trusted = kTrusted;
  return t_node.node;
}

}  // namespace detail
}  // namespace BLOOMERY_NAMESPACE
