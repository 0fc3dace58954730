// Which kernel runs: asked of the CPU once, or named by BLOOMERY_ISA.
#include <cstdlib>
#include <string>
#include <string_view>

#include "kernel/kernel.h"

namespace bloomery::kernel {
namespace {

bool cpu_has_avx2() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}

bool cpu_has_avx512() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("bmi2") &&
         cpu_has_avx2();
#else
  return false;
#endif
}

bool cpu_has_avx512vbmi() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("gfni") && cpu_has_avx512();
#else
  return false;
#endif
}

struct Choice {
  const Kernel* kernel;
  std::string problem;
};

Choice choose() {
  const std::vector<const Kernel*> all = available();
  const char* forced = std::getenv("BLOOMERY_ISA");
  if (forced == nullptr || *forced == '\0') return {all.back(), {}};
  std::string names;
  for (const Kernel* kernel : all) {
    if (std::string_view(forced) == kernel->name) return {kernel, {}};
    names += (names.empty() ? "" : ", ") + std::string(kernel->name);
  }
  return {&kScalar, "BLOOMERY_ISA is '" + std::string(forced) + "', and this machine has " + names +
                        ": unset it or name one of these"};
}

const Choice& choice() {
  static const Choice chosen = choose();
  return chosen;
}

}  // namespace

std::vector<const Kernel*> available() {
  std::vector<const Kernel*> all = {&kScalar};
  if (neon() != nullptr) all.push_back(neon());
  if (avx2() != nullptr && cpu_has_avx2()) all.push_back(avx2());
  if (avx512() != nullptr && cpu_has_avx512()) all.push_back(avx512());
  if (avx512vbmi() != nullptr && cpu_has_avx512vbmi()) all.push_back(avx512vbmi());
  return all;
}

const Kernel& active() { return *choice().kernel; }

const char* forced_isa_problem() { return choice().problem.empty() ? nullptr : choice().problem.c_str(); }

}  // namespace bloomery::kernel
