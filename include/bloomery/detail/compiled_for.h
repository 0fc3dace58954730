// The instruction set that a file is compiled for. An inline function that depends on it has it in its name: of two
// files compiled with different flags neither runs the other's copy, whichever the linker keeps. A template takes it as
// a parameter, `unsigned kIsa = detail::kCompiledFor`; what is no template has BLOOMERY_PER_ISA before it. (g++ 12
// drops that mark from templates outside of classes.) Functions that are inline in any case need neither. tests/isa
// looks at the machine code of every kind for functions that have been forgotten, and runs such files in one program.
#pragma once

#include "bloomery/export.h"

// What compilers define, as 1, for instructions that they may use of their own accord.
// clang-format off
#define BLOOMERY_INSTRUCTION_SETS(USE)                                                                           \
  USE(__SSE3__) USE(__SSSE3__) USE(__SSE4_1__) USE(__SSE4_2__) USE(__POPCNT__) USE(__AVX__) USE(__AVX2__)        \
  USE(__BMI__) USE(__BMI2__) USE(__FMA__) USE(__LZCNT__) USE(__MOVBE__) USE(__AVX512F__) USE(__AVX512VL__)       \
  USE(__AVX512BW__) USE(__AVX512DQ__) USE(__AVX512CD__) USE(__AVX512VBMI__) USE(__AVX512VBMI2__)                 \
  USE(__AVX512BITALG__) USE(__AVX512VPOPCNTDQ__) USE(__ARM_FEATURE_SVE) USE(__ARM_FEATURE_SVE2)                  \
  USE(__ARM_FEATURE_ATOMICS) USE(__ARM_FEATURE_DOTPROD)
// clang-format on

// BLOOMERY_HAS(macro) is 1 for a macro that is 1, and 0 for one that is not defined: BLOOMERY_PARTS_OF_1 alone is a
// macro, and puts the 1 into second place.
#define BLOOMERY_HAS(macro) BLOOMERY_HAS_VALUE(macro)
#define BLOOMERY_HAS_VALUE(value) BLOOMERY_HAS_PARTS(BLOOMERY_PARTS_OF_##value, 0, )
#define BLOOMERY_HAS_PARTS(...) BLOOMERY_SECOND(__VA_ARGS__)
#define BLOOMERY_SECOND(first, second, ...) second
#define BLOOMERY_PARTS_OF_1 , 1

#define BLOOMERY_PLUS(macro) +BLOOMERY_HAS(macro)
#define BLOOMERY_DIGIT(macro) BLOOMERY_TEXT(BLOOMERY_HAS(macro))
#define BLOOMERY_TEXT(value) BLOOMERY_TEXT_OF(value)
#define BLOOMERY_TEXT_OF(value) #value

// Empty where the compiler uses only what every machine has, as for the library itself.
#if 0 BLOOMERY_INSTRUCTION_SETS(BLOOMERY_PLUS)
#define BLOOMERY_PER_ISA [[gnu::abi_tag("isa" BLOOMERY_INSTRUCTION_SETS(BLOOMERY_DIGIT))]]
#else
#define BLOOMERY_PER_ISA
#endif

namespace BLOOMERY_NAMESPACE::detail {

// A bit for each instruction set. Internal to each file, because its value differs between them.
constexpr unsigned kCompiledFor = [] {
  unsigned bits = 0;
  for (const char digit : BLOOMERY_INSTRUCTION_SETS(BLOOMERY_DIGIT))
    if (digit != 0) bits = bits << 1 | (digit == '1' ? 1U : 0U);
  return bits;
}();

}  // namespace BLOOMERY_NAMESPACE::detail
