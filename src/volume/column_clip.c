// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/column_clip.h"

// Twice the area of (a, b, p) in the plane, from the end of lower index to the other: two triangles
// with this side get the same bits but for the sign.
static double side_of(iso_vec3 a, iso_vec3 b, iso_vec3 p) {
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

// Side k of a triangle is opposite corner k; positive inside. A point on a side belongs to the
// triangle that has the side's direction, and to no other.
static void classify(const iso_sweep_triangle* a, int k, iso_cut_corner* c, int count) {
    int from = (k + 1) % 3, to = (k + 2) % 3;
    bool is_turned = a->vertex[from] > a->vertex[to];
    bool is_left = (a->twice_area > 0.0) != is_turned;
    iso_vec3 start = a->p[is_turned ? to : from], end = a->p[is_turned ? from : to];
    for (int i = 0; i < count; ++i) {
        double left = side_of(start, end, c[i].p);
        c[i].side[k] = is_left ? left : -left;
    }
}

// Distances along an edge that is cut go linearly; that from the cut itself is 0.
static iso_cut_corner between(const iso_cut_corner* in, const iso_cut_corner* out, int k) {
    double t = in->side[k] / (in->side[k] - out->side[k]);
    iso_cut_corner c;
    c.p = iso_vec3_lerp(in->p, out->p, t);
    for (int i = 0; i < 4; ++i) {
        c.side[i] = in->side[i] + t * (out->side[i] - in->side[i]);
    }
    c.side[k] = 0.0;
    c.is_in = true;
    return c;
}

// Sutherland and Hodgman's pass for one side; corners are marked already.
static int cut(const iso_cut_corner* corners, int count, int k, iso_cut_corner* out) {
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        const iso_cut_corner *here = &corners[i], *next = &corners[i + 1 < count ? i + 1 : 0];
        if (here->is_in) {
            out[kept++] = *here;
        }
        if (here->is_in != next->is_in) {
            out[kept++] = here->is_in ? between(here, next, k) : between(next, here, k);
        }
    }
    return kept;
}

// Marks what is inside; 1: everything, 0: some, -1: nothing.
static int mark(iso_cut_corner* corners, int count, int k, bool owns_zero) {
    int inside = 0;
    for (int i = 0; i < count; ++i) {
        corners[i].is_in = owns_zero ? corners[i].side[k] >= 0.0 : corners[i].side[k] > 0.0;
        inside += corners[i].is_in;
    }
    return inside == count ? 1 : inside == 0 ? -1 : 0;
}

static bool owns_side(const iso_sweep_triangle* a, int k) {
    bool is_turned = a->vertex[(k + 1) % 3] > a->vertex[(k + 2) % 3];
    return (a->twice_area > 0.0) != is_turned;
}

// How far the triangle above is above a corner: its corners' heights by barycentric coordinates,
// which stay between them however steep it is.
static double gap_below(const iso_sweep_triangle* a, const iso_cut_corner* c) {
    double w[3], sum = 0.0, height = 0.0;
    for (int k = 0; k < 3; ++k) {
        w[k] = c->side[k] > 0.0 ? c->side[k] : 0.0;
        sum += w[k];
        height += w[k] * (a->p[k].z - c->p.z);
    }
    return sum > 0.0 ? height / sum : 0.0;
}

int iso_column_clip(const iso_sweep_triangle* a, const iso_sweep_triangle* b,
                    iso_column_corner* out_corners) {
    iso_cut_corner room[2][ISO_COLUMN_MAX_CORNERS];
    int count = 3, from = 0;
    for (int i = 0; i < 3; ++i) {
        room[0][i].p = b->p[i];
        room[0][i].side[3] = 0.0;
    }
    for (int k = 0; k < 3; ++k) {
        classify(a, k, room[0], 3);
        if (mark(room[0], 3, k, owns_side(a, k)) < 0) {
            return 0;
        }
    }
    for (int k = 0; k < 4; ++k) {
        if (k == 3) {
            for (int i = 0; i < count; ++i) {
                room[from][i].side[3] = gap_below(a, &room[from][i]);
            }
        }
        int inside = mark(room[from], count, k, k == 3 || owns_side(a, k));
        if (inside < 0) {
            return 0;
        }
        if (inside == 0) {
            count = cut(room[from], count, k, room[1 - from]);
            from = 1 - from;
        }
        if (count < 3) {
            return 0;
        }
    }
    for (int i = 0; i < count; ++i) {
        out_corners[i] = (iso_column_corner){room[from][i].p, room[from][i].side[3]};
    }
    return count;
}
