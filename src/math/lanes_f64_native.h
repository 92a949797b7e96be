// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// As many lanes of doubles as one instruction of the machine takes: eight with AVX-512, else the
// four of math/lanes_f64x4.h. For loops over independent elements, whose bits do not depend on how
// many of them lie side by side.

#include "math/lanes_grouped.h"

#if defined(ISO_SIMD_AVX512)

#define ISO_DOUBLES_LANES 8

typedef iso_double8 iso_doubles;
typedef iso_double8_mask iso_doubles_mask;
#define ISO_DOUBLES(name) iso_double8_##name

#define ISO_DOUBLES_OP(name, type, parameters, expression) \
    static inline type iso_doubles_##name parameters {     \
        type r = {expression};                             \
        return r;                                          \
    }
ISO_DOUBLES_OP(add, iso_doubles, (iso_doubles a, iso_doubles b), _mm512_add_pd(a.v, b.v))
ISO_DOUBLES_OP(div, iso_doubles, (iso_doubles a, iso_doubles b), _mm512_div_pd(a.v, b.v))
ISO_DOUBLES_OP(min, iso_doubles, (iso_doubles a, iso_doubles b), _mm512_min_pd(a.v, b.v))
ISO_DOUBLES_OP(max, iso_doubles, (iso_doubles a, iso_doubles b), _mm512_max_pd(a.v, b.v))
ISO_DOUBLES_OP(neg, iso_doubles, (iso_doubles a), _mm512_xor_pd(a.v, _mm512_set1_pd(-0.0)))
ISO_DOUBLES_OP(abs, iso_doubles, (iso_doubles a), _mm512_andnot_pd(_mm512_set1_pd(-0.0), a.v))
ISO_DOUBLES_OP(greater, iso_doubles_mask, (iso_doubles a, iso_doubles b),
               _mm512_cmp_pd_mask(a.v, b.v, _CMP_GT_OQ))
ISO_DOUBLES_OP(greater_equal, iso_doubles_mask, (iso_doubles a, iso_doubles b),
               _mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ))
ISO_DOUBLES_OP(and, iso_doubles_mask, (iso_doubles_mask a, iso_doubles_mask b),
               (iso_doubles_mask)(a& b))
ISO_DOUBLES_OP(select, iso_doubles, (iso_doubles_mask mask, iso_doubles a, iso_doubles b),
               _mm512_mask_blend_pd(mask, b.v, a.v))
/// iso_doubles_min(a, b), but b where the mask is set.
ISO_DOUBLES_OP(min_unless, iso_doubles, (iso_doubles_mask mask, iso_doubles a, iso_doubles b),
               _mm512_mask_min_pd(b.v, (__mmask8)~mask, a.v, b.v))
/// iso_doubles_max(a, b), but b where the mask is set.
ISO_DOUBLES_OP(max_unless, iso_doubles, (iso_doubles_mask mask, iso_doubles a, iso_doubles b),
               _mm512_mask_max_pd(b.v, (__mmask8)~mask, a.v, b.v))
#undef ISO_DOUBLES_OP

#else

#define ISO_DOUBLES_LANES ISO_DOUBLE4_LANES

typedef iso_double4 iso_doubles;
typedef iso_double4_mask iso_doubles_mask;
#define ISO_DOUBLES(name) iso_double4_##name

#define iso_doubles_add iso_double4_add
#define iso_doubles_div iso_double4_div
#define iso_doubles_min iso_double4_min
#define iso_doubles_max iso_double4_max
#define iso_doubles_neg iso_double4_neg
#define iso_doubles_abs iso_double4_abs
#define iso_doubles_greater iso_double4_greater
#define iso_doubles_greater_equal iso_double4_greater_equal
#define iso_doubles_and iso_double4_and
#define iso_doubles_select iso_double4_select
/// a, but no number where the mask is set: all bits of a set mask are.
static inline iso_doubles iso_doubles_none_where(iso_doubles_mask mask, iso_doubles a) {
#if defined(ISO_SIMD_AVX2)
    iso_doubles r = {_mm256_or_pd(a.v, mask.v)};
    return r;
#else
    return iso_double4_select(mask, iso_double4_set(NAN), a);
#endif
}
/// iso_doubles_min(a, b), but b where the mask is set.
static inline iso_doubles iso_doubles_min_unless(iso_doubles_mask mask, iso_doubles a,
                                                 iso_doubles b) {
    return iso_double4_min(iso_doubles_none_where(mask, a), b);
}
/// iso_doubles_max(a, b), but b where the mask is set.
static inline iso_doubles iso_doubles_max_unless(iso_doubles_mask mask, iso_doubles a,
                                                 iso_doubles b) {
    return iso_double4_max(iso_doubles_none_where(mask, a), b);
}

#endif

#define iso_doubles_set ISO_DOUBLES(set)
#define iso_doubles_load ISO_DOUBLES(load)
#define iso_doubles_store ISO_DOUBLES(store)
#define iso_doubles_sub ISO_DOUBLES(sub)
#define iso_doubles_mul ISO_DOUBLES(mul)
#define iso_doubles_mul_add ISO_DOUBLES(mul_add)
#define iso_doubles_less ISO_DOUBLES(less)
#define iso_doubles_less_equal ISO_DOUBLES(less_equal)
#define iso_doubles_bits ISO_DOUBLES(bits)
