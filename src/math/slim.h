// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Four lanes of floats, for tests that may err on the safe side: half the work of math/wide.h where
// numbers are kept as floats. The same bits on every back end.

#include <math.h>
#include <stdbool.h>

#define ISO_SLIM_LANES 4

#if defined(ISO_SIMD_AVX2)

#include <immintrin.h>
#include <string.h>

typedef struct iso_slim {
    __m128 v;
} iso_slim;
typedef struct iso_slim_mask {
    __m128 v;
} iso_slim_mask;

#define ISO_SLIM_OP(name, type, parameters, expression) \
    static inline type iso_slim_##name parameters {     \
        type r = {expression};                          \
        return r;                                       \
    }
ISO_SLIM_OP(set, iso_slim, (float s), _mm_set1_ps(s))
ISO_SLIM_OP(add, iso_slim, (iso_slim a, iso_slim b), _mm_add_ps(a.v, b.v))
ISO_SLIM_OP(sub, iso_slim, (iso_slim a, iso_slim b), _mm_sub_ps(a.v, b.v))
ISO_SLIM_OP(mul, iso_slim, (iso_slim a, iso_slim b), _mm_mul_ps(a.v, b.v))
/// a * b + c, rounded once.
ISO_SLIM_OP(mul_add, iso_slim, (iso_slim a, iso_slim b, iso_slim c), _mm_fmadd_ps(a.v, b.v, c.v))
ISO_SLIM_OP(min, iso_slim, (iso_slim a, iso_slim b), _mm_min_ps(a.v, b.v))
ISO_SLIM_OP(max, iso_slim, (iso_slim a, iso_slim b), _mm_max_ps(a.v, b.v))
ISO_SLIM_OP(sqrt, iso_slim, (iso_slim a), _mm_sqrt_ps(a.v))
ISO_SLIM_OP(abs, iso_slim, (iso_slim a), _mm_andnot_ps(_mm_set1_ps(-0.0f), a.v))
ISO_SLIM_OP(less_equal, iso_slim_mask, (iso_slim a, iso_slim b), _mm_cmp_ps(a.v, b.v, _CMP_LE_OQ))
ISO_SLIM_OP(less, iso_slim_mask, (iso_slim a, iso_slim b), _mm_cmp_ps(a.v, b.v, _CMP_LT_OQ))
ISO_SLIM_OP(and, iso_slim_mask, (iso_slim_mask a, iso_slim_mask b), _mm_and_ps(a.v, b.v))
#undef ISO_SLIM_OP

static inline iso_slim iso_slim_load(const float* p) {
    iso_slim r = {_mm_loadu_ps(p)};
    return r;
}
/// (p0, p1, p0, p1)
static inline iso_slim iso_slim_load_twice(const float* p) {
    double pair;
    memcpy(&pair, p, sizeof pair);
    iso_slim r = {_mm_castpd_ps(_mm_set1_pd(pair))};
    return r;
}
/// (p0, p0, p1, p1)
static inline iso_slim iso_slim_load_each_twice(const float* p) {
    double pair;
    memcpy(&pair, p, sizeof pair);
    __m128 both = _mm_castpd_ps(_mm_set_sd(pair));
    iso_slim r = {_mm_unpacklo_ps(both, both)};
    return r;
}
/// One bit per lane, lane 0 lowest.
static inline int iso_slim_bits(iso_slim_mask mask) {
    return _mm_movemask_ps(mask.v);
}

#else

typedef struct iso_slim {
    float v[ISO_SLIM_LANES];
} iso_slim;
typedef struct iso_slim_mask {
    bool v[ISO_SLIM_LANES];
} iso_slim_mask;

#define ISO_SLIM_OP(name, type, parameters, expression) \
    static inline type iso_slim_##name parameters {     \
        type r;                                         \
        for (int i = 0; i < ISO_SLIM_LANES; ++i) {      \
            r.v[i] = (expression);                      \
        }                                               \
        return r;                                       \
    }
ISO_SLIM_OP(set, iso_slim, (float s), s)
ISO_SLIM_OP(add, iso_slim, (iso_slim a, iso_slim b), a.v[i] + b.v[i])
ISO_SLIM_OP(sub, iso_slim, (iso_slim a, iso_slim b), a.v[i] - b.v[i])
ISO_SLIM_OP(mul, iso_slim, (iso_slim a, iso_slim b), a.v[i] * b.v[i])
/// a * b + c, rounded once.
ISO_SLIM_OP(mul_add, iso_slim, (iso_slim a, iso_slim b, iso_slim c), fmaf(a.v[i], b.v[i], c.v[i]))
ISO_SLIM_OP(min, iso_slim, (iso_slim a, iso_slim b), a.v[i] < b.v[i] ? a.v[i] : b.v[i])
ISO_SLIM_OP(max, iso_slim, (iso_slim a, iso_slim b), a.v[i] > b.v[i] ? a.v[i] : b.v[i])
ISO_SLIM_OP(sqrt, iso_slim, (iso_slim a), sqrtf(a.v[i]))
ISO_SLIM_OP(abs, iso_slim, (iso_slim a), fabsf(a.v[i]))
ISO_SLIM_OP(less_equal, iso_slim_mask, (iso_slim a, iso_slim b), a.v[i] <= b.v[i])
ISO_SLIM_OP(less, iso_slim_mask, (iso_slim a, iso_slim b), a.v[i] < b.v[i])
ISO_SLIM_OP(and, iso_slim_mask, (iso_slim_mask a, iso_slim_mask b), a.v[i] && b.v[i])
ISO_SLIM_OP(load, iso_slim, (const float* p), p[i])
ISO_SLIM_OP(load_twice, iso_slim, (const float* p), p[i & 1])
ISO_SLIM_OP(load_each_twice, iso_slim, (const float* p), p[i >> 1])
#undef ISO_SLIM_OP

/// One bit per lane, lane 0 lowest.
static inline int iso_slim_bits(iso_slim_mask mask) {
    return (int)mask.v[0] | (int)mask.v[1] << 1 | (int)mask.v[2] << 2 | (int)mask.v[3] << 3;
}

#endif
