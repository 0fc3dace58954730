// Memory that is locked (mlock), as the kernel tells it, and a process that may not lock any.
#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace bloomery::testing {

// Returns the locked bytes of this process.
inline std::uint64_t locked_bytes() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("VmLck:")) return std::stoull(line.substr(6)) * 1024;
  return 0;
}

// Sanitizers have an mlock that does nothing, and a limit may be too low for 16 MiB.
inline bool locking_works() {
  constexpr std::size_t kBytes = 16u << 20;
  void* memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::uint64_t before = locked_bytes();
  const bool locked = ::mlock(memory, kBytes) == 0 && locked_bytes() == before + kBytes;
  ::munmap(memory, kBytes);
  return locked;
}

// The exit status of work() in a process whose limit of locked memory is 0; root gives up being it, since it has none.
inline constexpr int kCannotRefuse = 77;
template <class Work>
int in_child_without_locking(Work work) {
  const ::pid_t child = ::fork();
  if (child == 0) {
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_MEMLOCK, &none) != 0 || (::geteuid() == 0 && ::setuid(65534) != 0) || ::mlock(&none, 1) == 0)
      ::_exit(kCannotRefuse);
    ::_exit(work());
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace bloomery::testing
