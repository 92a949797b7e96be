// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Sixteen lanes of floats and eight of doubles, as groups of four of math/lanes_f32x4.h and
// math/lanes_f64x4.h: one instruction where there is AVX-512, two of eight floats with AVX2, else
// one for each group, and the same bits.

#include "math/lanes_f32x4.h"
#include "math/lanes_f64x4.h"

#include <stdint.h>
#include <string.h>

#if defined(ISO_SIMD_AVX512)

typedef struct iso_float16 {
    __m512 v;
} iso_float16;
typedef struct iso_double8 {
    __m512d v;
} iso_double8;
typedef __mmask16 iso_float16_mask;
typedef __mmask8 iso_double8_mask;

#define ISO_LANES_OP(name, type, parameters, expression) \
    static inline type iso_##name parameters {           \
        type r = {expression};                           \
        return r;                                        \
    }
/// Four floats in every group.
ISO_LANES_OP(float16_load_each, iso_float16, (const float* p),
             _mm512_broadcast_f32x4(_mm_loadu_ps(p)))
ISO_LANES_OP(float16_set, iso_float16, (float s), _mm512_set1_ps(s))
/// Lanes of a[i] rounded to floats, in group i.
static inline iso_float16 iso_float16_join(const iso_double4 a[4]) {
    __m256 low = _mm256_set_m128(_mm256_cvtpd_ps(a[1].v), _mm256_cvtpd_ps(a[0].v));
    __m256 high = _mm256_set_m128(_mm256_cvtpd_ps(a[3].v), _mm256_cvtpd_ps(a[2].v));
    iso_float16 r = {_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1)};
    return r;
}
/// Lane i rounded to a float, in all of group i.
ISO_LANES_OP(float16_spread, iso_float16, (iso_double4 a),
             _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3,
                                                     3),
                                   _mm512_castps128_ps512(_mm256_cvtpd_ps(a.v))))
/// Lanes rounded to floats, in every group.
ISO_LANES_OP(float16_each, iso_float16, (iso_double4 a),
             _mm512_broadcast_f32x4(_mm256_cvtpd_ps(a.v)))
ISO_LANES_OP(float16_add, iso_float16, (iso_float16 a, iso_float16 b), _mm512_add_ps(a.v, b.v))
/// a * b + c, rounded once.
ISO_LANES_OP(float16_mul_add, iso_float16, (iso_float16 a, iso_float16 b, iso_float16 c),
             _mm512_fmadd_ps(a.v, b.v, c.v))
ISO_LANES_OP(float16_min, iso_float16, (iso_float16 a, iso_float16 b), _mm512_min_ps(a.v, b.v))
ISO_LANES_OP(float16_max, iso_float16, (iso_float16 a, iso_float16 b), _mm512_max_ps(a.v, b.v))
ISO_LANES_OP(float16_less_equal, iso_float16_mask, (iso_float16 a, iso_float16 b),
             _mm512_cmp_ps_mask(a.v, b.v, _CMP_LE_OQ))
ISO_LANES_OP(float16_less, iso_float16_mask, (iso_float16 a, iso_float16 b),
             _mm512_cmp_ps_mask(a.v, b.v, _CMP_LT_OQ))
ISO_LANES_OP(float16_and, iso_float16_mask, (iso_float16_mask a, iso_float16_mask b),
             (iso_float16_mask)(a& b))
/// One bit per lane, lane 0 lowest.
ISO_LANES_OP(float16_bits, int, (iso_float16_mask mask), mask)
ISO_LANES_OP(double8_set, iso_double8, (double s), _mm512_set1_pd(s))
ISO_LANES_OP(double8_load, iso_double8, (const double* p), _mm512_loadu_pd(p))
static inline void iso_double8_store(double* p, iso_double8 a) {
    _mm512_storeu_pd(p, a.v);
}
ISO_LANES_OP(double8_sub, iso_double8, (iso_double8 a, iso_double8 b), _mm512_sub_pd(a.v, b.v))
/// Four lanes in both groups.
ISO_LANES_OP(double8_twice, iso_double8, (iso_double4 a), _mm512_broadcast_f64x4(a.v))
/// a, then b.
ISO_LANES_OP(double8_spread, iso_double8, (double a, double b),
             _mm512_insertf64x4(_mm512_set1_pd(a), _mm256_set1_pd(b), 1))
ISO_LANES_OP(double8_mul, iso_double8, (iso_double8 a, iso_double8 b), _mm512_mul_pd(a.v, b.v))
/// a * b + c, rounded once.
ISO_LANES_OP(double8_mul_add, iso_double8, (iso_double8 a, iso_double8 b, iso_double8 c),
             _mm512_fmadd_pd(a.v, b.v, c.v))
ISO_LANES_OP(double8_less, iso_double8_mask, (iso_double8 a, iso_double8 b),
             _mm512_cmp_pd_mask(a.v, b.v, _CMP_LT_OQ))
ISO_LANES_OP(double8_less_equal, iso_double8_mask, (iso_double8 a, iso_double8 b),
             _mm512_cmp_pd_mask(a.v, b.v, _CMP_LE_OQ))
ISO_LANES_OP(double8_or, iso_double8_mask, (iso_double8_mask a, iso_double8_mask b),
             (iso_double8_mask)(a | b))
/// One bit per lane, lane 0 lowest.
ISO_LANES_OP(double8_bits, int, (iso_double8_mask mask), mask)
#undef ISO_LANES_OP

#else

typedef struct iso_double8 {
    iso_double4 v[2];
} iso_double8;
typedef struct iso_double8_mask {
    iso_double4_mask v[2];
} iso_double8_mask;

#define ISO_LANES_EACH(name, groups, type, parameters, expression) \
    static inline type iso_##name parameters {                     \
        type r;                                                    \
        for (int i = 0; i < (groups); ++i) {                       \
            r.v[i] = (expression);                                 \
        }                                                          \
        return r;                                                  \
    }
ISO_LANES_EACH(double8_set, 2, iso_double8, (double s), iso_double4_set(s))
ISO_LANES_EACH(double8_load, 2, iso_double8, (const double* p), iso_double4_load(p + 4 * i))
static inline void iso_double8_store(double* p, iso_double8 a) {
    iso_double4_store(p, a.v[0]);
    iso_double4_store(p + 4, a.v[1]);
}
ISO_LANES_EACH(double8_sub, 2, iso_double8, (iso_double8 a, iso_double8 b),
               iso_double4_sub(a.v[i], b.v[i]))
ISO_LANES_EACH(double8_twice, 2, iso_double8, (iso_double4 a), a)
ISO_LANES_EACH(double8_spread, 2, iso_double8, (double a, double b),
               iso_double4_set(i == 0 ? a : b))
ISO_LANES_EACH(double8_mul, 2, iso_double8, (iso_double8 a, iso_double8 b),
               iso_double4_mul(a.v[i], b.v[i]))
ISO_LANES_EACH(double8_mul_add, 2, iso_double8, (iso_double8 a, iso_double8 b, iso_double8 c),
               iso_double4_mul_add(a.v[i], b.v[i], c.v[i]))
ISO_LANES_EACH(double8_less, 2, iso_double8_mask, (iso_double8 a, iso_double8 b),
               iso_double4_less(a.v[i], b.v[i]))
ISO_LANES_EACH(double8_less_equal, 2, iso_double8_mask, (iso_double8 a, iso_double8 b),
               iso_double4_less_equal(a.v[i], b.v[i]))
ISO_LANES_EACH(double8_or, 2, iso_double8_mask, (iso_double8_mask a, iso_double8_mask b),
               iso_double4_or(a.v[i], b.v[i]))
static inline int iso_double8_bits(iso_double8_mask mask) {
    return iso_double4_bits(mask.v[0]) | iso_double4_bits(mask.v[1]) << 4;
}

#if defined(ISO_SIMD_AVX2)

typedef struct iso_float16 {
    __m256 v[2];
} iso_float16;
typedef iso_float16 iso_float16_mask;

ISO_LANES_EACH(float16_load_each, 2, iso_float16, (const float* p),
               _mm256_broadcast_ps((const __m128*)(const void*)p))
ISO_LANES_EACH(float16_set, 2, iso_float16, (float s), _mm256_set1_ps(s))
ISO_LANES_EACH(float16_join, 2, iso_float16, (const iso_double4 a[4]),
               _mm256_set_m128(_mm256_cvtpd_ps(a[2 * i + 1].v), _mm256_cvtpd_ps(a[2 * i].v)))
static inline iso_float16 iso_float16_spread(iso_double4 a) {
    __m256 lanes = _mm256_castps128_ps256(_mm256_cvtpd_ps(a.v));
    iso_float16 r = {{_mm256_permutevar8x32_ps(lanes, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)),
                      _mm256_permutevar8x32_ps(lanes, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3))}};
    return r;
}
ISO_LANES_EACH(float16_each, 2, iso_float16, (iso_double4 a),
               _mm256_set_m128(_mm256_cvtpd_ps(a.v), _mm256_cvtpd_ps(a.v)))
ISO_LANES_EACH(float16_add, 2, iso_float16, (iso_float16 a, iso_float16 b),
               _mm256_add_ps(a.v[i], b.v[i]))
ISO_LANES_EACH(float16_mul_add, 2, iso_float16, (iso_float16 a, iso_float16 b, iso_float16 c),
               _mm256_fmadd_ps(a.v[i], b.v[i], c.v[i]))
ISO_LANES_EACH(float16_min, 2, iso_float16, (iso_float16 a, iso_float16 b),
               _mm256_min_ps(a.v[i], b.v[i]))
ISO_LANES_EACH(float16_max, 2, iso_float16, (iso_float16 a, iso_float16 b),
               _mm256_max_ps(a.v[i], b.v[i]))
ISO_LANES_EACH(float16_less_equal, 2, iso_float16_mask, (iso_float16 a, iso_float16 b),
               _mm256_cmp_ps(a.v[i], b.v[i], _CMP_LE_OQ))
ISO_LANES_EACH(float16_less, 2, iso_float16_mask, (iso_float16 a, iso_float16 b),
               _mm256_cmp_ps(a.v[i], b.v[i], _CMP_LT_OQ))
ISO_LANES_EACH(float16_and, 2, iso_float16_mask, (iso_float16_mask a, iso_float16_mask b),
               _mm256_and_ps(a.v[i], b.v[i]))
static inline int iso_float16_bits(iso_float16_mask mask) {
    return _mm256_movemask_ps(mask.v[0]) | _mm256_movemask_ps(mask.v[1]) << 8;
}

#else

typedef struct iso_float16 {
    iso_float4 v[4];
} iso_float16;
typedef struct iso_float16_mask {
    iso_float4_mask v[4];
} iso_float16_mask;

ISO_LANES_EACH(float16_load_each, 4, iso_float16, (const float* p), iso_float4_load(p))
ISO_LANES_EACH(float16_set, 4, iso_float16, (float s), iso_float4_set(s))
static inline iso_float16 iso_float16_join(const iso_double4 a[4]) {
    double lanes[4];
    iso_float16 r;
    for (int i = 0; i < 16; ++i) {
        iso_double4_store(lanes, a[i / 4]);
        r.v[i / 4].v[i % 4] = (float)lanes[i % 4];
    }
    return r;
}
static inline iso_float16 iso_float16_spread(iso_double4 a) {
    double lanes[4];
    iso_float16 r;
    iso_double4_store(lanes, a);
    for (int i = 0; i < 4; ++i) {
        r.v[i] = iso_float4_set((float)lanes[i]);
    }
    return r;
}
static inline iso_float16 iso_float16_each(iso_double4 a) {
    double lanes[4];
    iso_float16 r;
    iso_double4_store(lanes, a);
    for (int i = 0; i < 16; ++i) {
        r.v[i / 4].v[i % 4] = (float)lanes[i % 4];
    }
    return r;
}
ISO_LANES_EACH(float16_add, 4, iso_float16, (iso_float16 a, iso_float16 b),
               iso_float4_add(a.v[i], b.v[i]))
ISO_LANES_EACH(float16_mul_add, 4, iso_float16, (iso_float16 a, iso_float16 b, iso_float16 c),
               iso_float4_mul_add(a.v[i], b.v[i], c.v[i]))
ISO_LANES_EACH(float16_min, 4, iso_float16, (iso_float16 a, iso_float16 b),
               iso_float4_min(a.v[i], b.v[i]))
ISO_LANES_EACH(float16_max, 4, iso_float16, (iso_float16 a, iso_float16 b),
               iso_float4_max(a.v[i], b.v[i]))
ISO_LANES_EACH(float16_less_equal, 4, iso_float16_mask, (iso_float16 a, iso_float16 b),
               iso_float4_less_equal(a.v[i], b.v[i]))
ISO_LANES_EACH(float16_less, 4, iso_float16_mask, (iso_float16 a, iso_float16 b),
               iso_float4_less(a.v[i], b.v[i]))
ISO_LANES_EACH(float16_and, 4, iso_float16_mask, (iso_float16_mask a, iso_float16_mask b),
               iso_float4_and(a.v[i], b.v[i]))
static inline int iso_float16_bits(iso_float16_mask mask) {
    return iso_float4_bits(mask.v[0]) | iso_float4_bits(mask.v[1]) << 4 |
           iso_float4_bits(mask.v[2]) << 8 | iso_float4_bits(mask.v[3]) << 12;
}

#endif
#undef ISO_LANES_EACH

#endif

/// Of sixteen numbers those that have a bit, one after the other; sixteen are written. Returns how
/// many have one.
static inline int iso_pick_sixteen(const uint32_t from[16], uint32_t added, int bits,
                                   uint32_t* to) {
#if defined(ISO_SIMD_AVX512)
    __m512i all = _mm512_add_epi32(_mm512_loadu_si512(from), _mm512_set1_epi32((int)added));
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)bits, all));
    return _mm_popcnt_u32((unsigned)bits);
#elif defined(ISO_SIMD_AVX2)
#define ISO_LANE(i) 4 * (i), 4 * (i) + 1, 4 * (i) + 2, 4 * (i) + 3
#define ISO_LANES(a, b, c, d) \
    { ISO_LANE(a), ISO_LANE(b), ISO_LANE(c), ISO_LANE(d) }
    static const char lanes_of[16][16] = {
        ISO_LANES(0, 0, 0, 0), ISO_LANES(0, 0, 0, 0), ISO_LANES(1, 0, 0, 0), ISO_LANES(0, 1, 0, 0),
        ISO_LANES(2, 0, 0, 0), ISO_LANES(0, 2, 0, 0), ISO_LANES(1, 2, 0, 0), ISO_LANES(0, 1, 2, 0),
        ISO_LANES(3, 0, 0, 0), ISO_LANES(0, 3, 0, 0), ISO_LANES(1, 3, 0, 0), ISO_LANES(0, 1, 3, 0),
        ISO_LANES(2, 3, 0, 0), ISO_LANES(0, 2, 3, 0), ISO_LANES(1, 2, 3, 0), ISO_LANES(0, 1, 2, 3)};
#undef ISO_LANES
#undef ISO_LANE
    const __m128i more = _mm_set1_epi32((int)added);
    int count = 0;
    for (int group = 0; group < 4; ++group) {
        int four = bits >> 4 * group & 15;
        __m128i all = _mm_loadu_si128((const __m128i*)(const void*)(from + 4 * group));
        __m128i lanes = _mm_loadu_si128((const __m128i*)(const void*)lanes_of[four]);
        __m128i picked = _mm_shuffle_epi8(_mm_add_epi32(all, more), lanes);
        _mm_storeu_si128((__m128i*)(void*)(to + count), picked);
        count += _mm_popcnt_u32((unsigned)four);
    }
    return count;
#else
    int count = 0;
    for (int i = 0; i < 16; ++i) {
        to[count] = from[i] + added;
        count += bits >> i & 1;
    }
    return count;
#endif
}
