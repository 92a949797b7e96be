// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// As many lanes of doubles as one instruction of the machine takes: eight with AVX-512, else the
// four of math/wide.h. For loops over independent elements, whose bits do not depend on how many
// of them lie side by side.

#include "math/broad.h"

#if defined(ISO_SIMD_AVX512)

#define ISO_MANY_LANES 8

typedef iso_double8 iso_many;
typedef iso_double8_mask iso_many_mask;
#define ISO_MANY(name) iso_double8_##name

#define ISO_MANY_OP(name, type, parameters, expression) \
    static inline type iso_many_##name parameters {     \
        type r = {expression};                          \
        return r;                                       \
    }
ISO_MANY_OP(add, iso_many, (iso_many a, iso_many b), _mm512_add_pd(a.v, b.v))
ISO_MANY_OP(div, iso_many, (iso_many a, iso_many b), _mm512_div_pd(a.v, b.v))
ISO_MANY_OP(min, iso_many, (iso_many a, iso_many b), _mm512_min_pd(a.v, b.v))
ISO_MANY_OP(max, iso_many, (iso_many a, iso_many b), _mm512_max_pd(a.v, b.v))
ISO_MANY_OP(neg, iso_many, (iso_many a), _mm512_xor_pd(a.v, _mm512_set1_pd(-0.0)))
ISO_MANY_OP(abs, iso_many, (iso_many a), _mm512_andnot_pd(_mm512_set1_pd(-0.0), a.v))
ISO_MANY_OP(greater, iso_many_mask, (iso_many a, iso_many b),
            _mm512_cmp_pd_mask(a.v, b.v, _CMP_GT_OQ))
ISO_MANY_OP(greater_equal, iso_many_mask, (iso_many a, iso_many b),
            _mm512_cmp_pd_mask(a.v, b.v, _CMP_GE_OQ))
ISO_MANY_OP(and, iso_many_mask, (iso_many_mask a, iso_many_mask b), (iso_many_mask)(a& b))
ISO_MANY_OP(select, iso_many, (iso_many_mask mask, iso_many a, iso_many b),
            _mm512_mask_blend_pd(mask, b.v, a.v))
/// iso_many_min(a, b), but b where the mask is set.
ISO_MANY_OP(min_unless, iso_many, (iso_many_mask mask, iso_many a, iso_many b),
            _mm512_mask_min_pd(b.v, (__mmask8)~mask, a.v, b.v))
/// iso_many_max(a, b), but b where the mask is set.
ISO_MANY_OP(max_unless, iso_many, (iso_many_mask mask, iso_many a, iso_many b),
            _mm512_mask_max_pd(b.v, (__mmask8)~mask, a.v, b.v))
#undef ISO_MANY_OP

#else

#define ISO_MANY_LANES ISO_WIDE_LANES

typedef iso_wide iso_many;
typedef iso_wide_mask iso_many_mask;
#define ISO_MANY(name) iso_wide_##name

#define iso_many_add iso_wide_add
#define iso_many_div iso_wide_div
#define iso_many_min iso_wide_min
#define iso_many_max iso_wide_max
#define iso_many_neg iso_wide_neg
#define iso_many_abs iso_wide_abs
#define iso_many_greater iso_wide_greater
#define iso_many_greater_equal iso_wide_greater_equal
#define iso_many_and iso_wide_and
#define iso_many_select iso_wide_select
/// a, but no number where the mask is set: all bits of a set mask are.
static inline iso_many iso_many_none_where(iso_many_mask mask, iso_many a) {
#if defined(ISO_SIMD_AVX2)
    iso_many r = {_mm256_or_pd(a.v, mask.v)};
    return r;
#else
    return iso_wide_select(mask, iso_wide_set(NAN), a);
#endif
}
/// iso_many_min(a, b), but b where the mask is set.
static inline iso_many iso_many_min_unless(iso_many_mask mask, iso_many a, iso_many b) {
    return iso_wide_min(iso_many_none_where(mask, a), b);
}
/// iso_many_max(a, b), but b where the mask is set.
static inline iso_many iso_many_max_unless(iso_many_mask mask, iso_many a, iso_many b) {
    return iso_wide_max(iso_many_none_where(mask, a), b);
}

#endif

#define iso_many_set ISO_MANY(set)
#define iso_many_load ISO_MANY(load)
#define iso_many_store ISO_MANY(store)
#define iso_many_sub ISO_MANY(sub)
#define iso_many_mul ISO_MANY(mul)
#define iso_many_mul_add ISO_MANY(mul_add)
#define iso_many_less ISO_MANY(less)
#define iso_many_less_equal ISO_MANY(less_equal)
#define iso_many_bits ISO_MANY(bits)
