// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>

/// True when this processor has the instructions of the SIMD back end that was built.
static inline bool iso_processor_has_simd(void) {
    bool has = true;
#if defined(ISO_SIMD_AVX2)
    has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
          __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
          __builtin_cpu_supports("popcnt");
#endif
#if defined(ISO_SIMD_AVX512)
    has = has && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512cd");
#endif
    return has;
}
