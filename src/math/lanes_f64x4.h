// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Four lanes of doubles with one meaning on every back end: the same operations in the same order,
// so AVX2 and plain C, which compilers turn into NEON, give the same bits. Products are fused with
// sums where iso_double4_mul_add() says so and nowhere else. iso_double4_sum adds (l0 + l2) + (l1 +
// l3) on every back end.

#include "isobar/math.h"

#include <math.h>

#define ISO_DOUBLE4_LANES 4

/// Four lanes o0 .. o3 for iso_double4_pick(), as the indices of their halves: {2 o0, 2 o0 + 1,
/// ...}.
typedef struct iso_double4_order {
    int halves[2 * ISO_DOUBLE4_LANES];
} iso_double4_order;

#if defined(ISO_SIMD_AVX2)

#include <immintrin.h>
#include <string.h>

typedef struct iso_double4 {
    __m256d v;
} iso_double4;
typedef struct iso_double4_mask {
    __m256d v;
} iso_double4_mask;

#define ISO_DOUBLE4_OP1(name, expression)                         \
    static inline iso_double4 iso_double4_##name(iso_double4 a) { \
        iso_double4 r = {expression};                             \
        return r;                                                 \
    }
#define ISO_DOUBLE4_OP2(name, expression)                                        \
    static inline iso_double4 iso_double4_##name(iso_double4 a, iso_double4 b) { \
        iso_double4 r = {expression};                                            \
        return r;                                                                \
    }
#define ISO_DOUBLE4_COMPARE(name, predicate)                                          \
    static inline iso_double4_mask iso_double4_##name(iso_double4 a, iso_double4 b) { \
        iso_double4_mask r = {_mm256_cmp_pd(a.v, b.v, predicate)};                    \
        return r;                                                                     \
    }
ISO_DOUBLE4_OP2(add, _mm256_add_pd(a.v, b.v))
ISO_DOUBLE4_OP2(sub, _mm256_sub_pd(a.v, b.v))
ISO_DOUBLE4_OP2(mul, _mm256_mul_pd(a.v, b.v))
ISO_DOUBLE4_OP2(div, _mm256_div_pd(a.v, b.v))
/// a < b ? a : b, lane by lane (b when either is NaN).
ISO_DOUBLE4_OP2(min, _mm256_min_pd(a.v, b.v))
/// a > b ? a : b, lane by lane (b when either is NaN).
ISO_DOUBLE4_OP2(max, _mm256_max_pd(a.v, b.v))
ISO_DOUBLE4_OP1(sqrt, _mm256_sqrt_pd(a.v))
ISO_DOUBLE4_OP1(neg, _mm256_xor_pd(a.v, _mm256_set1_pd(-0.0)))
ISO_DOUBLE4_OP1(abs, _mm256_andnot_pd(_mm256_set1_pd(-0.0), a.v))
ISO_DOUBLE4_COMPARE(less, _CMP_LT_OQ)
ISO_DOUBLE4_COMPARE(less_equal, _CMP_LE_OQ)
ISO_DOUBLE4_COMPARE(greater, _CMP_GT_OQ)
ISO_DOUBLE4_COMPARE(greater_equal, _CMP_GE_OQ)
ISO_DOUBLE4_COMPARE(equal, _CMP_EQ_OQ)
#undef ISO_DOUBLE4_OP1
#undef ISO_DOUBLE4_OP2
#undef ISO_DOUBLE4_COMPARE

/// a * b + c, rounded once.
static inline iso_double4 iso_double4_mul_add(iso_double4 a, iso_double4 b, iso_double4 c) {
    iso_double4 r = {_mm256_fmadd_pd(a.v, b.v, c.v)};
    return r;
}
/// c - a * b, rounded once.
static inline iso_double4 iso_double4_mul_subtract(iso_double4 a, iso_double4 b, iso_double4 c) {
    iso_double4 r = {_mm256_fnmadd_pd(a.v, b.v, c.v)};
    return r;
}
static inline iso_double4 iso_double4_set(double s) {
    iso_double4 r = {_mm256_set1_pd(s)};
    return r;
}
static inline iso_double4 iso_double4_make(double a, double b, double c, double d) {
    iso_double4 r = {_mm256_setr_pd(a, b, c, d)};
    return r;
}
static inline iso_double4 iso_double4_load(const double* p) {
    iso_double4 r = {_mm256_loadu_pd(p)};
    return r;
}
/// Four floats.
static inline iso_double4 iso_double4_load_floats(const float* p) {
    iso_double4 r = {_mm256_cvtps_pd(_mm_loadu_ps(p))};
    return r;
}
/// (p0, p1, p0, p1)
static inline iso_double4 iso_double4_load_floats_twice(const float* p) {
    double pair;
    memcpy(&pair, p, sizeof pair);
    iso_double4 r = {_mm256_cvtps_pd(_mm_castpd_ps(_mm_set1_pd(pair)))};
    return r;
}
/// (p0, p0, p1, p1)
static inline iso_double4 iso_double4_load_floats_each_twice(const float* p) {
    double pair;
    memcpy(&pair, p, sizeof pair);
    __m128 both = _mm_castpd_ps(_mm_set1_pd(pair));
    iso_double4 r = {_mm256_cvtps_pd(_mm_unpacklo_ps(both, both))};
    return r;
}
static inline void iso_double4_store(double* p, iso_double4 a) {
    _mm256_storeu_pd(p, a.v);
}
static inline iso_double4_mask iso_double4_and(iso_double4_mask a, iso_double4_mask b) {
    iso_double4_mask r = {_mm256_and_pd(a.v, b.v)};
    return r;
}
static inline iso_double4_mask iso_double4_or(iso_double4_mask a, iso_double4_mask b) {
    iso_double4_mask r = {_mm256_or_pd(a.v, b.v)};
    return r;
}
/// mask ? a : b, lane by lane.
static inline iso_double4 iso_double4_select(iso_double4_mask mask, iso_double4 a, iso_double4 b) {
    iso_double4 r = {_mm256_blendv_pd(b.v, a.v, mask.v)};
    return r;
}
/// One bit per lane, lane 0 lowest.
static inline int iso_double4_bits(iso_double4_mask mask) {
    return _mm256_movemask_pd(mask.v);
}
static inline double iso_double4_last(iso_double4 a) {
    __m128d half = _mm256_extractf128_pd(a.v, 1);
    return _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
}
/// (l1, l2, l0, l3)
static inline iso_double4 iso_double4_yzx(iso_double4 a) {
    iso_double4 r = {_mm256_permute4x64_pd(a.v, 0xC9)};
    return r;
}
/// (a0, a1, a2, b3)
static inline iso_double4 iso_double4_with_last(iso_double4 a, iso_double4 b) {
    iso_double4 r = {_mm256_blend_pd(a.v, b.v, 8)};
    return r;
}
/// (a[o0], a[o1], a[o2], a[o3])
static inline iso_double4 iso_double4_pick(iso_double4 a, const iso_double4_order* order) {
    __m256i halves = _mm256_loadu_si256((const __m256i*)(const void*)order->halves);
    iso_double4 r = {_mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(a.v), halves))};
    return r;
}
/// Lane j of vector i becomes lane i of vector j.
static inline void iso_double4_transpose(iso_double4 v[4]) {
    __m256d a = _mm256_unpacklo_pd(v[0].v, v[1].v), b = _mm256_unpackhi_pd(v[0].v, v[1].v);
    __m256d c = _mm256_unpacklo_pd(v[2].v, v[3].v), d = _mm256_unpackhi_pd(v[2].v, v[3].v);
    v[0].v = _mm256_permute2f128_pd(a, c, 0x20);
    v[1].v = _mm256_permute2f128_pd(b, d, 0x20);
    v[2].v = _mm256_permute2f128_pd(a, c, 0x31);
    v[3].v = _mm256_permute2f128_pd(b, d, 0x31);
}
/// The last lanes of four vectors.
static inline iso_double4 iso_double4_lasts(const iso_double4 v[4]) {
    __m256d a = _mm256_unpackhi_pd(v[0].v, v[1].v), b = _mm256_unpackhi_pd(v[2].v, v[3].v);
    iso_double4 r = {_mm256_permute2f128_pd(a, b, 0x31)};
    return r;
}
/// Four vectors one after the other: (x0, y0, z0, x1, ... z3).
static inline void iso_double4_store_xyz(double* p, iso_double4 x, iso_double4 y, iso_double4 z) {
    __m256d xy = _mm256_unpacklo_pd(x.v, y.v), yz = _mm256_unpackhi_pd(y.v, z.v);
    __m256d zx = _mm256_shuffle_pd(z.v, x.v, 0xA);
    _mm256_storeu_pd(p, _mm256_permute2f128_pd(xy, zx, 0x20));
    _mm256_storeu_pd(p + 4, _mm256_blend_pd(yz, xy, 0xC));
    _mm256_storeu_pd(p + 8, _mm256_permute2f128_pd(zx, yz, 0x31));
}
/// (x, y, z) of four vectors one after the other.
static inline void iso_double4_pack_xyz(iso_double4 a, iso_double4 b, iso_double4 c, iso_double4 d,
                                        iso_double4 out[3]) {
#if defined(ISO_SIMD_AVX512)
    out[0].v = _mm256_permutex2var_pd(a.v, _mm256_setr_epi64x(0, 1, 2, 4), b.v);
    out[1].v = _mm256_permutex2var_pd(b.v, _mm256_setr_epi64x(1, 2, 4, 5), c.v);
    out[2].v = _mm256_permutex2var_pd(c.v, _mm256_setr_epi64x(2, 4, 5, 6), d.v);
#else
    out[0].v = _mm256_blend_pd(a.v, _mm256_permute4x64_pd(b.v, 0), 8);
    out[1].v = _mm256_permute2f128_pd(_mm256_permute4x64_pd(b.v, 0x39), c.v, 0x20);
    out[2].v = _mm256_blend_pd(_mm256_permute4x64_pd(d.v, 0x90), _mm256_permute4x64_pd(c.v, 2), 1);
#endif
}
/// (l0 + l2) + (l1 + l3)
static inline double iso_double4_sum(iso_double4 a) {
    __m128d half = _mm_add_pd(_mm256_castpd256_pd128(a.v), _mm256_extractf128_pd(a.v, 1));
    return _mm_cvtsd_f64(half) + _mm_cvtsd_f64(_mm_unpackhi_pd(half, half));
}

#else

typedef struct iso_double4 {
    double v[ISO_DOUBLE4_LANES];
} iso_double4;
typedef struct iso_double4_mask {
    bool v[ISO_DOUBLE4_LANES];
} iso_double4_mask;

#define ISO_DOUBLE4_EACH(type, expression)        \
    type r;                                       \
    for (int i = 0; i < ISO_DOUBLE4_LANES; ++i) { \
        r.v[i] = (expression);                    \
    }                                             \
    return r
#define ISO_DOUBLE4_OP1(name, expression)                         \
    static inline iso_double4 iso_double4_##name(iso_double4 a) { \
        ISO_DOUBLE4_EACH(iso_double4, expression);                \
    }
#define ISO_DOUBLE4_OP2(name, expression)                                        \
    static inline iso_double4 iso_double4_##name(iso_double4 a, iso_double4 b) { \
        ISO_DOUBLE4_EACH(iso_double4, expression);                               \
    }
#define ISO_DOUBLE4_COMPARE(name, operator)                                           \
    static inline iso_double4_mask iso_double4_##name(iso_double4 a, iso_double4 b) { \
        ISO_DOUBLE4_EACH(iso_double4_mask, a.v[i] operator b.v[i]);                   \
    }
ISO_DOUBLE4_OP2(add, a.v[i] + b.v[i])
ISO_DOUBLE4_OP2(sub, a.v[i] - b.v[i])
ISO_DOUBLE4_OP2(mul, a.v[i] * b.v[i])
ISO_DOUBLE4_OP2(div, a.v[i] / b.v[i])
/// a < b ? a : b, lane by lane (b when either is NaN).
ISO_DOUBLE4_OP2(min, a.v[i] < b.v[i] ? a.v[i] : b.v[i])
/// a > b ? a : b, lane by lane (b when either is NaN).
ISO_DOUBLE4_OP2(max, a.v[i] > b.v[i] ? a.v[i] : b.v[i])
ISO_DOUBLE4_OP1(sqrt, sqrt(a.v[i]))
ISO_DOUBLE4_OP1(neg, -a.v[i])
ISO_DOUBLE4_OP1(abs, fabs(a.v[i]))
ISO_DOUBLE4_COMPARE(less, <)
ISO_DOUBLE4_COMPARE(less_equal, <=)
ISO_DOUBLE4_COMPARE(greater, >)
ISO_DOUBLE4_COMPARE(greater_equal, >=)
ISO_DOUBLE4_COMPARE(equal, ==)
#undef ISO_DOUBLE4_OP1
#undef ISO_DOUBLE4_OP2
#undef ISO_DOUBLE4_COMPARE

/// a * b + c, rounded once.
static inline iso_double4 iso_double4_mul_add(iso_double4 a, iso_double4 b, iso_double4 c) {
    ISO_DOUBLE4_EACH(iso_double4, fma(a.v[i], b.v[i], c.v[i]));
}
/// c - a * b, rounded once.
static inline iso_double4 iso_double4_mul_subtract(iso_double4 a, iso_double4 b, iso_double4 c) {
    ISO_DOUBLE4_EACH(iso_double4, fma(-a.v[i], b.v[i], c.v[i]));
}
static inline iso_double4 iso_double4_set(double s) {
    ISO_DOUBLE4_EACH(iso_double4, s);
}
static inline iso_double4 iso_double4_make(double a, double b, double c, double d) {
    iso_double4 r = {{a, b, c, d}};
    return r;
}
static inline iso_double4 iso_double4_load(const double* p) {
    ISO_DOUBLE4_EACH(iso_double4, p[i]);
}
static inline iso_double4 iso_double4_load_floats(const float* p) {
    ISO_DOUBLE4_EACH(iso_double4, (double)p[i]);
}
static inline iso_double4 iso_double4_load_floats_twice(const float* p) {
    ISO_DOUBLE4_EACH(iso_double4, (double)p[i & 1]);
}
static inline iso_double4 iso_double4_load_floats_each_twice(const float* p) {
    ISO_DOUBLE4_EACH(iso_double4, (double)p[i >> 1]);
}
static inline void iso_double4_store(double* p, iso_double4 a) {
    for (int i = 0; i < ISO_DOUBLE4_LANES; ++i) {
        p[i] = a.v[i];
    }
}
static inline iso_double4_mask iso_double4_and(iso_double4_mask a, iso_double4_mask b) {
    ISO_DOUBLE4_EACH(iso_double4_mask, a.v[i] && b.v[i]);
}
static inline iso_double4_mask iso_double4_or(iso_double4_mask a, iso_double4_mask b) {
    ISO_DOUBLE4_EACH(iso_double4_mask, a.v[i] || b.v[i]);
}
/// mask ? a : b, lane by lane.
static inline iso_double4 iso_double4_select(iso_double4_mask mask, iso_double4 a, iso_double4 b) {
    ISO_DOUBLE4_EACH(iso_double4, mask.v[i] ? a.v[i] : b.v[i]);
}
/// One bit per lane, lane 0 lowest.
static inline int iso_double4_bits(iso_double4_mask mask) {
    return (int)mask.v[0] | (int)mask.v[1] << 1 | (int)mask.v[2] << 2 | (int)mask.v[3] << 3;
}
static inline double iso_double4_last(iso_double4 a) {
    return a.v[3];
}
/// (l1, l2, l0, l3)
static inline iso_double4 iso_double4_yzx(iso_double4 a) {
    return iso_double4_make(a.v[1], a.v[2], a.v[0], a.v[3]);
}
/// (a0, a1, a2, b3)
static inline iso_double4 iso_double4_with_last(iso_double4 a, iso_double4 b) {
    return iso_double4_make(a.v[0], a.v[1], a.v[2], b.v[3]);
}
/// (a[o0], a[o1], a[o2], a[o3])
static inline iso_double4 iso_double4_pick(iso_double4 a, const iso_double4_order* order) {
    ISO_DOUBLE4_EACH(iso_double4, a.v[order->halves[2 * i] / 2]);
}
/// Lane j of vector i becomes lane i of vector j.
static inline void iso_double4_transpose(iso_double4 v[4]) {
    for (int i = 0; i < ISO_DOUBLE4_LANES; ++i) {
        for (int j = 0; j < i; ++j) {
            double swap = v[i].v[j];
            v[i].v[j] = v[j].v[i];
            v[j].v[i] = swap;
        }
    }
}
/// The last lanes of four vectors.
static inline iso_double4 iso_double4_lasts(const iso_double4 v[4]) {
    ISO_DOUBLE4_EACH(iso_double4, v[i].v[3]);
}
/// Four vectors one after the other: (x0, y0, z0, x1, ... z3).
static inline void iso_double4_store_xyz(double* p, iso_double4 x, iso_double4 y, iso_double4 z) {
    for (int i = 0; i < ISO_DOUBLE4_LANES; ++i) {
        p[3 * i] = x.v[i];
        p[3 * i + 1] = y.v[i];
        p[3 * i + 2] = z.v[i];
    }
}
static inline void iso_double4_pack_xyz(iso_double4 a, iso_double4 b, iso_double4 c, iso_double4 d,
                                        iso_double4 out[3]) {
    out[0] = iso_double4_make(a.v[0], a.v[1], a.v[2], b.v[0]);
    out[1] = iso_double4_make(b.v[1], b.v[2], c.v[0], c.v[1]);
    out[2] = iso_double4_make(c.v[2], d.v[0], d.v[1], d.v[2]);
}
/// (l0 + l2) + (l1 + l3)
static inline double iso_double4_sum(iso_double4 a) {
    return (a.v[0] + a.v[2]) + (a.v[1] + a.v[3]);
}
#undef ISO_DOUBLE4_EACH

#endif

/// Lanes below count are true.
static inline iso_double4_mask iso_double4_first(int count) {
    return iso_double4_less(iso_double4_make(0.0, 1.0, 2.0, 3.0), iso_double4_set((double)count));
}

/// iso_double4_sum() of each of four.
static inline iso_double4 iso_double4_sums(const iso_double4 v[4]) {
    iso_double4 t[4] = {v[0], v[1], v[2], v[3]};
    iso_double4_transpose(t);
    return iso_double4_add(iso_double4_add(t[0], t[2]), iso_double4_add(t[1], t[3]));
}
