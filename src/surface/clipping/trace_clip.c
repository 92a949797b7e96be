// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/trace_clip.h"

// Faces that an edge lies in: those opposite the two other corners.
#define LINE(i, j) (0xf & ~(1 << i | 1 << j))
#define EDGE3(a, b, c, d, e, f) \
    { LINE(a, b), LINE(c, d), LINE(e, f), LINE(e, f) }
#define EDGE4(a, b, c, d, e, f, g, h) \
    { LINE(a, b), LINE(c, d), LINE(e, f), LINE(g, h) }

const unsigned char iso_ring_lines[16][4] = {
    {0},                           // 0000
    EDGE3(0, 1, 0, 2, 0, 3),       // 0001
    EDGE3(1, 0, 1, 3, 1, 2),       // 0010
    EDGE4(0, 2, 0, 3, 1, 3, 1, 2), // 0011
    EDGE3(2, 0, 2, 1, 2, 3),       // 0100
    EDGE4(0, 1, 2, 1, 2, 3, 0, 3), // 0101
    EDGE4(1, 0, 1, 3, 2, 3, 2, 0), // 0110
    EDGE3(0, 3, 1, 3, 2, 3),       // 0111
    EDGE3(3, 0, 3, 2, 3, 1),       // 1000
    EDGE4(0, 1, 0, 2, 3, 2, 3, 1), // 1001
    EDGE4(1, 0, 3, 0, 3, 2, 1, 2), // 1010
    EDGE3(0, 2, 3, 2, 1, 2),       // 1011
    EDGE4(2, 0, 2, 1, 3, 1, 3, 0), // 1100
    EDGE3(0, 1, 2, 1, 3, 1),       // 1101
    EDGE3(1, 0, 3, 0, 2, 0),       // 1110
    {0},                           // 1111
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
