// The instruction set that a file is compiled for, as a number. An inline function that depends on it takes it as a
// template parameter, `unsigned kIsa = kCompiledFor`, and so has it in its name: of two files compiled with different
// flags neither runs the other's copy, whichever the linker keeps. tests/isa links such files and runs them.
#pragma once

#include "bloomery/export.h"

namespace BLOOMERY_NAMESPACE::detail {

// Internal to each file, because its value differs between them.
constexpr unsigned kCompiledFor = 0
#ifdef __SSE4_2__
                                  | 1U << 0
#endif
#ifdef __AVX__
                                  | 1U << 1
#endif
#ifdef __AVX2__
                                  | 1U << 2
#endif
#ifdef __BMI__
                                  | 1U << 3
#endif
#ifdef __BMI2__
                                  | 1U << 4
#endif
#ifdef __FMA__
                                  | 1U << 5
#endif
#ifdef __LZCNT__
                                  | 1U << 6
#endif
#ifdef __AVX512F__
                                  | 1U << 7
#endif
#ifdef __AVX512VL__
                                  | 1U << 8
#endif
#ifdef __AVX512BW__
                                  | 1U << 9
#endif
#ifdef __AVX512DQ__
                                  | 1U << 10
#endif
#ifdef __AVX512VBMI__
                                  | 1U << 11
#endif
#ifdef __ARM_FEATURE_SVE
                                  | 1U << 12
#endif
    ;

}  // namespace BLOOMERY_NAMESPACE::detail
