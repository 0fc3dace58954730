#include "bench/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include "bench/text.h"
#include "bloomery/version.h"

// The commit that this was configured at; measure.cmake sets it where git knows it.
#ifndef BLOOMERY_BENCH_COMMIT
#define BLOOMERY_BENCH_COMMIT "unknown"
#endif

namespace bloomery::bench {
namespace {

// The value of the first "name : value" line, or nothing.
std::string field_of(const char* path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t value = line.find_first_not_of(": \t", name.size());
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

// The number a text begins with, or 0.
std::uint64_t number_in(const std::string& text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string cpu() {
  utsname system{};
  ::uname(&system);
  std::string model = field_of("/proc/cpuinfo", "model name");
  if (model.empty()) model = "CPU part " + field_of("/proc/cpuinfo", "CPU part");  // arm64 names no model
  return model + " (" + system.machine + ")";
}

std::string caches() {
  return format("L1d %ld KiB, L2 %ld KiB, L3 %ld MiB", ::sysconf(_SC_LEVEL1_DCACHE_SIZE) / 1024,
                ::sysconf(_SC_LEVEL2_CACHE_SIZE) / 1024, ::sysconf(_SC_LEVEL3_CACHE_SIZE) / 1024 / 1024);
}

std::string compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

// Other work on the machine, which is what makes two runs differ.
std::string load() {
  double average[1] = {0};
  return ::getloadavg(average, 1) == 1 ? format("%.1f in the last minute", average[0]) : "unknown";
}

std::string today() {
  char text[32];
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M UTC", &utc);
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> describe_machine() {
  return {{"version", std::string("bloomery ") + bloomery::version() + ", commit " + commit()},
          {"cpu", cpu()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"caches", caches()},
          {"load", load()},
          {"huge pages", field_of("/sys/kernel/mm/transparent_hugepage/enabled", "")},
          {"compiler", compiler()},
          {"date", today()}};
}

std::string commit() { return BLOOMERY_BENCH_COMMIT; }

std::uint64_t available_memory() {
  const std::uint64_t free = 1024 * number_in(field_of("/proc/meminfo", "MemAvailable"));
  const std::uint64_t limit = number_in(field_of("/sys/fs/cgroup/memory.max", ""));  // 0 of "max"
  const std::uint64_t used = number_in(field_of("/sys/fs/cgroup/memory.stat", "anon "));
  return limit == 0 ? free : std::min(free, limit - std::min(limit, used));
}

std::string perf_event_paranoid() {
  const std::string value = field_of("/proc/sys/kernel/perf_event_paranoid", "");
  return value.empty() ? "unknown" : value;
}

}  // namespace bloomery::bench
