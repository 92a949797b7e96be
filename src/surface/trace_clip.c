// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/trace_clip.h"

// Faces that an edge lies in: those opposite the two other corners.
#define LINES(i, j) (unsigned char)(0xf0 & ~(0x10 << i | 0x10 << j))
#define TRIANGLE(a, b, c, d, e, f)                             \
    {                                                          \
        3, {a, c, e, e}, {b, d, f, f}, {                       \
            LINES(a, b), LINES(c, d), LINES(e, f), LINES(e, f) \
        }                                                      \
    }
#define QUAD(a, b, c, d, e, f, g, h)                           \
    {                                                          \
        4, {a, c, e, g}, {b, d, f, h}, {                       \
            LINES(a, b), LINES(c, d), LINES(e, f), LINES(g, h) \
        }                                                      \
    }

const iso_ring_edges iso_ring_slices[16] = {
    {0, {0}, {1, 1, 1, 1}, {0}},  // 0000
    TRIANGLE(0, 1, 0, 2, 0, 3),   // 0001
    TRIANGLE(1, 0, 1, 3, 1, 2),   // 0010
    QUAD(0, 2, 0, 3, 1, 3, 1, 2), // 0011
    TRIANGLE(2, 0, 2, 1, 2, 3),   // 0100
    QUAD(0, 1, 2, 1, 2, 3, 0, 3), // 0101
    QUAD(1, 0, 1, 3, 2, 3, 2, 0), // 0110
    TRIANGLE(0, 3, 1, 3, 2, 3),   // 0111
    TRIANGLE(3, 0, 3, 2, 3, 1),   // 1000
    QUAD(0, 1, 0, 2, 3, 2, 3, 1), // 1001
    QUAD(1, 0, 3, 0, 3, 2, 1, 2), // 1010
    TRIANGLE(0, 2, 3, 2, 1, 2),   // 1011
    QUAD(2, 0, 2, 1, 3, 1, 3, 0), // 1100
    TRIANGLE(0, 1, 2, 1, 3, 1),   // 1101
    TRIANGLE(1, 0, 3, 0, 2, 0),   // 1110
    {0, {0}, {1, 1, 1, 1}, {0}},  // 1111
};

#define BIT(n, i) ((n) >> (i)&1)
#define COUNT(n) \
    (BIT(n, 0) + BIT(n, 1) + BIT(n, 2) + BIT(n, 3) + BIT(n, 4) + BIT(n, 5) + BIT(n, 6) + BIT(n, 7))
#define LOWEST(n)    \
    (BIT(n, 0)   ? 0 \
     : BIT(n, 1) ? 1 \
     : BIT(n, 2) ? 2 \
     : BIT(n, 3) ? 3 \
     : BIT(n, 4) ? 4 \
     : BIT(n, 5) ? 5 \
     : BIT(n, 6) ? 6 \
                 : 7)
#define ROW1(n) \
    { LOWEST(n), COUNT(n) }
#define ROW4(n) ROW1(n), ROW1((n) + 1), ROW1((n) + 2), ROW1((n) + 3)
#define ROW16(n) ROW4(n), ROW4((n) + 4), ROW4((n) + 8), ROW4((n) + 12)
#define ROW64(n) ROW16(n), ROW16((n) + 16), ROW16((n) + 32), ROW16((n) + 48)

const iso_ring_bits iso_ring_bits_of[256] = {ROW64(0), ROW64(64), ROW64(128), ROW64(192)};
