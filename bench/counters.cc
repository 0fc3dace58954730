#include "bench/counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "bench/machine.h"
#include "core/base/error.h"

namespace bloomery::bench {
namespace {

constexpr std::uint64_t kTlbReadMisses =
    PERF_COUNT_HW_CACHE_DTLB | (PERF_COUNT_HW_CACHE_OP_READ << 8) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16);

int open_counter(std::uint32_t type, std::uint64_t event) {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = type;
  wanted.config = event;
  wanted.exclude_kernel = 1;  // what most systems permit to everybody
  wanted.exclude_hv = 1;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

Error why_not(int reason) {
  std::string why = std::strerror(reason);
  if (reason == EACCES || reason == EPERM)
    why = "the kernel does not permit it (kernel.perf_event_paranoid is " + perf_event_paranoid() +
          "): as root, sysctl kernel.perf_event_paranoid=2 permits it; so has a container to, in its seccomp profile";
  if (reason == ENOENT || reason == ENODEV || reason == EOPNOTSUPP)
    why =
        "this machine has no such counters; a virtual one has them when its host passes them on, and then "
        "kernel.perf_event_paranoid has to be 2 or less (it is " +
        perf_event_paranoid() + ")";
  return unsupported("counters", "cache and TLB misses cannot be counted: " + why);
}

double value_of(int counter) {
  std::uint64_t value = 0;
  return ::read(counter, &value, sizeof value) == sizeof value ? static_cast<double>(value) : 0;
}

}  // namespace

Result<Counters> Counters::open() {
  const int cache = open_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES);
  if (cache < 0) return why_not(errno);
  const int tlb = open_counter(PERF_TYPE_HW_CACHE, kTlbReadMisses);
  if (tlb < 0) {
    const int reason = errno;
    ::close(cache);
    return why_not(reason);
  }
  return Counters(cache, tlb);
}

Counters::Counters(Counters&& other) noexcept
    : cache_(std::exchange(other.cache_, -1)), tlb_(std::exchange(other.tlb_, -1)) {}

Counters::~Counters() {
  if (cache_ >= 0) ::close(cache_);
  if (tlb_ >= 0) ::close(tlb_);
}

Misses Counters::read() const { return {value_of(cache_), value_of(tlb_)}; }

}  // namespace bloomery::bench
