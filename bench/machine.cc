#include "bench/machine.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <thread>

#include "bench/text.h"
#include "bloomery/version.h"

// Of the commit this was configured at; bench.cmake sets it where git knows.
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
  return {{"version", std::string("bloomery ") + bloomery::version() + ", commit " + BLOOMERY_BENCH_COMMIT},
          {"cpu", cpu()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"caches", caches()},
          {"load", load()},
          {"huge pages", field_of("/sys/kernel/mm/transparent_hugepage/enabled", "")},
          {"compiler", compiler()},
          {"date", today()}};
}

std::uint64_t available_memory() {
  const std::string text = field_of("/proc/meminfo", "MemAvailable");
  const std::optional<std::uint64_t> kib = count_from_text(text.substr(0, text.find(' ')));
  return kib.value_or(0) * 1024;
}

}  // namespace bloomery::bench
