// Chooses the kernel that runs: by asking the CPU once, or by its name in BLOOMERY_ISA.
#include <array>
#include <string>
#include <string_view>

#include "core/base/environment.h"
#include "kernel/kernel.h"

namespace BLOOMERY_NAMESPACE::kernel {
namespace {

bool cpu_has_avx2() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}

bool cpu_has_avx512() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && cpu_has_avx2();
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

// The kernels that this machine can run, the best last. It takes no memory, because the first lookup of a program comes
// by here.
class Kernels {
 public:
  Kernels() noexcept {
    all_[count_++] = &kScalar;
    if (neon() != nullptr) all_[count_++] = neon();
    add(avx2, cpu_has_avx2());
    add(avx512, cpu_has_avx512());
    add(avx512vbmi, cpu_has_avx512vbmi());
  }
  const Kernel* const* begin() const noexcept { return all_.data(); }
  const Kernel* const* end() const noexcept { return all_.data() + count_; }
  const Kernel* best() const noexcept { return all_[count_ - 1]; }

 private:
  // The function itself is compiled for the instruction set: it is called only where the CPU has that.
  void add(const Kernel* (*kernel)(), bool runs) noexcept {
    if (runs && kernel() != nullptr) all_[count_++] = kernel();
  }

  std::array<const Kernel*, 5> all_{};
  std::size_t count_ = 0;
};

const char* forced() noexcept {
  const char* name = environment("BLOOMERY_ISA");
  return name == nullptr || *name == '\0' ? nullptr : name;
}

const Kernel* choose() noexcept {
  const Kernels all;
  const char* name = forced();
  if (name == nullptr) return all.best();
  for (const Kernel* kernel : all)
    if (std::string_view(name) == kernel->name) return kernel;
  return &kScalar;
}

std::string problem_of_forced() {
  const char* name = forced();
  if (name == nullptr || std::string_view(name) == active().name) return {};
  std::string names;
  for (const Kernel* kernel : Kernels()) names += (names.empty() ? "" : ", ") + std::string(kernel->name);
  return "BLOOMERY_ISA is '" + std::string(name) + "', and this machine has " + names +
         ": unset it or name one of these";
}

}  // namespace

std::vector<const Kernel*> available() {
  const Kernels all;
  return {all.begin(), all.end()};
}

const Kernel& active() {
  static const Kernel* const chosen = choose();
  return *chosen;
}

const char* forced_isa_problem() {
  static const std::string problem = problem_of_forced();
  return problem.empty() ? nullptr : problem.c_str();
}

}  // namespace BLOOMERY_NAMESPACE::kernel
