// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Four lanes of floats, for tests that may err on the safe side: half the work of
// math/lanes_f64x4.h where numbers are kept as floats. The same bits on every back end.

#include <math.h>
#include <stdbool.h>

#define ISO_FLOAT4_LANES 4

#if defined(ISO_SIMD_AVX2)

#include <immintrin.h>
#include <string.h>

typedef struct iso_float4 {
    __m128 v;
} iso_float4;
typedef struct iso_float4_mask {
    __m128 v;
} iso_float4_mask;

#define ISO_FLOAT4_OP(name, type, parameters, expression) \
    static inline type iso_float4_##name parameters {     \
        type r = {expression};                            \
        return r;                                         \
    }
ISO_FLOAT4_OP(set, iso_float4, (float s), _mm_set1_ps(s))
ISO_FLOAT4_OP(add, iso_float4, (iso_float4 a, iso_float4 b), _mm_add_ps(a.v, b.v))
ISO_FLOAT4_OP(sub, iso_float4, (iso_float4 a, iso_float4 b), _mm_sub_ps(a.v, b.v))
ISO_FLOAT4_OP(mul, iso_float4, (iso_float4 a, iso_float4 b), _mm_mul_ps(a.v, b.v))
/// a * b + c, rounded once.
ISO_FLOAT4_OP(mul_add, iso_float4, (iso_float4 a, iso_float4 b, iso_float4 c),
              _mm_fmadd_ps(a.v, b.v, c.v))
ISO_FLOAT4_OP(min, iso_float4, (iso_float4 a, iso_float4 b), _mm_min_ps(a.v, b.v))
ISO_FLOAT4_OP(max, iso_float4, (iso_float4 a, iso_float4 b), _mm_max_ps(a.v, b.v))
ISO_FLOAT4_OP(sqrt, iso_float4, (iso_float4 a), _mm_sqrt_ps(a.v))
ISO_FLOAT4_OP(abs, iso_float4, (iso_float4 a), _mm_andnot_ps(_mm_set1_ps(-0.0f), a.v))
ISO_FLOAT4_OP(less_equal, iso_float4_mask, (iso_float4 a, iso_float4 b),
              _mm_cmp_ps(a.v, b.v, _CMP_LE_OQ))
ISO_FLOAT4_OP(less, iso_float4_mask, (iso_float4 a, iso_float4 b), _mm_cmp_ps(a.v, b.v, _CMP_LT_OQ))
ISO_FLOAT4_OP(and, iso_float4_mask, (iso_float4_mask a, iso_float4_mask b), _mm_and_ps(a.v, b.v))
#undef ISO_FLOAT4_OP

static inline iso_float4 iso_float4_load(const float* p) {
    iso_float4 r = {_mm_loadu_ps(p)};
    return r;
}
/// (p0, p1, p0, p1)
static inline iso_float4 iso_float4_load_twice(const float* p) {
    double pair;
    memcpy(&pair, p, sizeof pair);
    iso_float4 r = {_mm_castpd_ps(_mm_set1_pd(pair))};
    return r;
}
/// (p0, p0, p1, p1)
static inline iso_float4 iso_float4_load_each_twice(const float* p) {
    double pair;
    memcpy(&pair, p, sizeof pair);
    __m128 both = _mm_castpd_ps(_mm_set_sd(pair));
    iso_float4 r = {_mm_unpacklo_ps(both, both)};
    return r;
}
/// One bit per lane, lane 0 lowest.
static inline int iso_float4_bits(iso_float4_mask mask) {
    return _mm_movemask_ps(mask.v);
}

#else

typedef struct iso_float4 {
    float v[ISO_FLOAT4_LANES];
} iso_float4;
typedef struct iso_float4_mask {
    bool v[ISO_FLOAT4_LANES];
} iso_float4_mask;

#define ISO_FLOAT4_OP(name, type, parameters, expression) \
    static inline type iso_float4_##name parameters {     \
        type r;                                           \
        for (int i = 0; i < ISO_FLOAT4_LANES; ++i) {      \
            r.v[i] = (expression);                        \
        }                                                 \
        return r;                                         \
    }
ISO_FLOAT4_OP(set, iso_float4, (float s), s)
ISO_FLOAT4_OP(add, iso_float4, (iso_float4 a, iso_float4 b), a.v[i] + b.v[i])
ISO_FLOAT4_OP(sub, iso_float4, (iso_float4 a, iso_float4 b), a.v[i] - b.v[i])
ISO_FLOAT4_OP(mul, iso_float4, (iso_float4 a, iso_float4 b), a.v[i] * b.v[i])
/// a * b + c, rounded once.
ISO_FLOAT4_OP(mul_add, iso_float4, (iso_float4 a, iso_float4 b, iso_float4 c),
              fmaf(a.v[i], b.v[i], c.v[i]))
ISO_FLOAT4_OP(min, iso_float4, (iso_float4 a, iso_float4 b), a.v[i] < b.v[i] ? a.v[i] : b.v[i])
ISO_FLOAT4_OP(max, iso_float4, (iso_float4 a, iso_float4 b), a.v[i] > b.v[i] ? a.v[i] : b.v[i])
ISO_FLOAT4_OP(sqrt, iso_float4, (iso_float4 a), sqrtf(a.v[i]))
ISO_FLOAT4_OP(abs, iso_float4, (iso_float4 a), fabsf(a.v[i]))
ISO_FLOAT4_OP(less_equal, iso_float4_mask, (iso_float4 a, iso_float4 b), a.v[i] <= b.v[i])
ISO_FLOAT4_OP(less, iso_float4_mask, (iso_float4 a, iso_float4 b), a.v[i] < b.v[i])
ISO_FLOAT4_OP(and, iso_float4_mask, (iso_float4_mask a, iso_float4_mask b), a.v[i] && b.v[i])
ISO_FLOAT4_OP(load, iso_float4, (const float* p), p[i])
ISO_FLOAT4_OP(load_twice, iso_float4, (const float* p), p[i & 1])
ISO_FLOAT4_OP(load_each_twice, iso_float4, (const float* p), p[i >> 1])
#undef ISO_FLOAT4_OP

/// One bit per lane, lane 0 lowest.
static inline int iso_float4_bits(iso_float4_mask mask) {
    return (int)mask.v[0] | (int)mask.v[1] << 1 | (int)mask.v[2] << 2 | (int)mask.v[3] << 3;
}

#endif
