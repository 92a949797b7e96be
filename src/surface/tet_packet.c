// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/tet_packet.h"

#include "surface/coincidence.h"

// Stands for zero where a quotient must keep its sign.
#define SMALLEST 1e-300

// Rotate and shift four points given as [axis][point].
static void move_points(const iso_pose* x, const iso_wide in[3], double out[3][4]) {
    double origin[3] = {x->p.x, x->p.y, x->p.z};
    for (int i = 0; i < 3; ++i) {
        iso_wide r = iso_wide_mul_add(iso_wide_set(x->r.m[i][0]), in[0], iso_wide_set(origin[i]));
        r = iso_wide_mul_add(iso_wide_set(x->r.m[i][1]), in[1], r);
        r = iso_wide_mul_add(iso_wide_set(x->r.m[i][2]), in[2], r);
        iso_wide_store(out[i], r);
    }
}

// The face whose corners alone have the lowest pressure, or -1.
static int find_flat_face(const double p[4], double low) {
    int above = -1;
    for (int i = 0; i < 4; ++i) {
        if (p[i] != low) {
            if (above >= 0) {
                return -1;
            }
            above = i;
        }
    }
    return above;
}

static void put_rows(iso_wide v[4], double* out, size_t stride) {
    iso_wide_transpose(v);
    for (size_t i = 0; i < 4; ++i) {
        iso_wide_store(out + i * stride, v[i]);
    }
}

void iso_tet_packet_fill(const iso_field* field, const int* numbers, int count,
                         iso_tet_packet* out) {
    const iso_field_cell* cells[ISO_WIDE_LANES];
    iso_wide v[4];
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        cells[lane] = &field->cells[numbers[lane < count ? lane : 0]];
    }
    for (int corner = 0; corner < 4; ++corner) {
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            v[lane] = iso_wide_load(field->points[cells[lane]->corners[corner]].x);
        }
        iso_wide_transpose(v);
        for (int axis = 0; axis < 3; ++axis) {
            iso_wide_store(out->vertices[corner][axis], v[axis]);
        }
        iso_wide_store(out->pressures[corner], v[3]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            v[lane] = iso_wide_load(cells[lane]->planes[i]);
        }
        put_rows(v, out->planes[0][i], 4 * ISO_WIDE_LANES);
    }
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        v[lane] = iso_wide_load(&cells[lane]->piece.gradient.x);
    }
    iso_wide_transpose(v);
    for (int axis = 0; axis < 3; ++axis) {
        iso_wide_store(out->gradient[axis], v[axis]);
    }
    iso_wide_store(out->offset, v[3]);
}

// The face planes.
static void move_planes(const iso_pose* x_01, const double planes[4][4], double out[4][4]) {
    const iso_mat3* r = &x_01->r;
    iso_wide n[4], m[3];
    for (int i = 0; i < 4; ++i) {
        n[i] = iso_wide_load(planes[i]);
    }
    for (int i = 0; i < 3; ++i) {
        m[i] = iso_wide_mul(iso_wide_set(r->m[i][0]), n[0]);
        m[i] = iso_wide_mul_add(iso_wide_set(r->m[i][1]), n[1], m[i]);
        m[i] = iso_wide_mul_add(iso_wide_set(r->m[i][2]), n[2], m[i]);
        iso_wide_store(out[i], m[i]);
    }
    iso_wide along = iso_wide_mul(m[0], iso_wide_set(x_01->p.x));
    along = iso_wide_mul_add(m[1], iso_wide_set(x_01->p.y), along);
    along = iso_wide_mul_add(m[2], iso_wide_set(x_01->p.z), along);
    iso_wide_store(out[3], iso_wide_sub(n[3], along));
}

void iso_tet_view_make(const iso_field* field, int cell, const iso_pose* x_01, iso_tet_view* out) {
    const iso_field_cell* from = &field->cells[cell];
    iso_wide v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = iso_wide_load(field->points[from->corners[i]].x);
    }
    iso_wide_transpose(v);
    move_points(x_01, v, out->v);
    iso_wide_store(out->p, v[3]);
    out->f.gradient = iso_mat3_mul_vec3(&x_01->r, from->piece.gradient);
    out->f.offset = from->piece.offset - iso_vec3_dot(out->f.gradient, x_01->p);
    move_planes(x_01, from->planes, out->plane);
    const double* p = out->p;
    double a = p[0] < p[1] ? p[0] : p[1], b = p[2] < p[3] ? p[2] : p[3];
    out->low = a < b ? a : b;
    out->flat_face = find_flat_face(p, out->low);
    out->cell = cell;
}

static iso_wide affine_wide(const iso_affine* f, const iso_wide x[3]) {
    iso_wide r = iso_wide_mul_add(iso_wide_set(f->gradient.x), x[0], iso_wide_set(f->offset));
    r = iso_wide_mul_add(iso_wide_set(f->gradient.y), x[1], r);
    return iso_wide_mul_add(iso_wide_set(f->gradient.z), x[2], r);
}

// Pressure difference p0 - p1 at the corners of the four tetrahedra of the packet, zero where it is
// noise, and the lanes where it takes both signs there.
static int differences_at_0(const iso_tet_packet* packet, const iso_tet_view* b, double noise,
                            double out[4][4]) {
    iso_wide zero = iso_wide_set(0.0);
    iso_wide most = zero, least = zero;
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide x[3];
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = iso_wide_load(packet->vertices[corner][axis]);
        }
        iso_wide h = iso_wide_sub(iso_wide_load(packet->pressures[corner]), affine_wide(&b->f, x));
        iso_wide_mask is_noise = iso_wide_less_equal(iso_wide_abs(h), iso_wide_set(noise));
        h = iso_wide_select(is_noise, zero, h);
        iso_wide_store(out[corner], h);
        most = corner == 0 ? h : iso_wide_max(most, h);
        least = corner == 0 ? h : iso_wide_min(least, h);
    }
    return iso_wide_bits(
        iso_wide_and(iso_wide_greater(most, zero), iso_wide_less_equal(least, zero)));
}

// The same at the corners of the tetrahedron of body 1, and the lanes where it takes both signs
// there, or nearly: within the slack the slice may lie in a face, which only the clipping decides.
static int differences_at_1(const iso_tet_packet* packet, const iso_tet_view* b, double noise,
                            iso_wide out[4], int* out_clear) {
    iso_wide g[3] = {iso_wide_load(packet->gradient[0]), iso_wide_load(packet->gradient[1]),
                     iso_wide_load(packet->gradient[2])};
    iso_wide offset = iso_wide_load(packet->offset);
    iso_wide most = offset, least = offset, scale = iso_wide_abs(offset);
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide f = iso_wide_mul_add(g[0], iso_wide_set(b->v[0][corner]), offset);
        f = iso_wide_mul_add(g[1], iso_wide_set(b->v[1][corner]), f);
        f = iso_wide_mul_add(g[2], iso_wide_set(b->v[2][corner]), f);
        iso_wide h = iso_wide_sub(f, iso_wide_set(b->p[corner]));
        scale = iso_wide_max(scale, iso_wide_abs(f));
        most = corner == 0 ? h : iso_wide_max(most, h);
        least = corner == 0 ? h : iso_wide_min(least, h);
        out[corner] = h;
    }
    iso_wide slack = iso_wide_mul_add(scale, iso_wide_set(ISO_COINCIDENT_DISTANCE),
                                      iso_wide_set(4.0 * ISO_COINCIDENT_STRETCH * noise));
    iso_wide minus_slack = iso_wide_neg(slack);
    *out_clear = iso_wide_bits(
        iso_wide_and(iso_wide_greater(most, slack), iso_wide_less(least, minus_slack)));
    return iso_wide_bits(
        iso_wide_and(iso_wide_greater_equal(most, minus_slack), iso_wide_less_equal(least, slack)));
}

static iso_wide plane_distance(const iso_wide n[3], iso_wide offset, const iso_wide x[3]) {
    iso_wide d = iso_wide_mul_add(n[0], x[0], offset);
    d = iso_wide_mul_add(n[1], x[1], d);
    return iso_wide_mul_add(n[2], x[2], d);
}

// -1 / h at four corners, apart by the sign of h; not a number where h has the other sign.
typedef struct slice_signs {
    iso_wide above[4], below[4];
} slice_signs;

static void sign_slice(const iso_wide h[4], slice_signs* out) {
    const iso_wide none = iso_wide_set(NAN);
    for (int corner = 0; corner < 4; ++corner) {
        iso_wide_mask is_positive = iso_wide_greater(h[corner], iso_wide_set(0.0));
        iso_wide nonzero = iso_wide_select(is_positive, h[corner],
                                           iso_wide_min(h[corner], iso_wide_set(-SMALLEST)));
        iso_wide factor = iso_wide_div(iso_wide_set(-1.0), nonzero);
        out->above[corner] = iso_wide_select(is_positive, factor, none);
        out->below[corner] = iso_wide_select(is_positive, none, factor);
    }
}

// Lanes where the slice h = 0 of a tetrahedron lies outside a plane, d at its corners. By the lemma
// of Farkas there is then a multiple of h with d + m h < 0 at all corners: m below -d/h where h >
// 0, above it where h < 0. Corners with h = 0 make the answer no.
static iso_wide_mask miss(const slice_signs* slice, const iso_wide d[4]) {
    iso_wide most = iso_wide_set(INFINITY), least = iso_wide_set(-INFINITY);
    for (int corner = 0; corner < 4; ++corner) { // products that are no numbers are passed over
        most = iso_wide_min(iso_wide_mul(d[corner], slice->above[corner]), most);
        least = iso_wide_max(iso_wide_mul(d[corner], slice->below[corner]), least);
    }
    return iso_wide_less(least, most);
}

// Lanes whose slice lies outside one face of the tetrahedron of body 1.
static int outside_1(const iso_tet_packet* packet, double differences[4][4], const iso_tet_view* b,
                     double tolerance) {
    iso_wide x[4][3], h[4];
    slice_signs slice;
    for (int corner = 0; corner < 4; ++corner) {
        h[corner] = iso_wide_load(differences[corner]);
        for (int axis = 0; axis < 3; ++axis) {
            x[corner][axis] = iso_wide_load(packet->vertices[corner][axis]);
        }
    }
    sign_slice(h, &slice);
    int outside = 0;
    for (int face = 0; face < 4; ++face) {
        iso_wide n[3] = {iso_wide_set(b->plane[0][face]), iso_wide_set(b->plane[1][face]),
                         iso_wide_set(b->plane[2][face])};
        iso_wide offset = iso_wide_set(b->plane[3][face] + tolerance);
        iso_wide d[4];
        for (int corner = 0; corner < 4; ++corner) {
            d[corner] = plane_distance(n, offset, x[corner]);
        }
        outside |= iso_wide_bits(miss(&slice, d));
    }
    return outside;
}

// Lanes where the slice of the tetrahedron of body 1 lies outside one face of the lane's.
static int outside_0(const iso_tet_packet* packet, const iso_wide h[4], const iso_tet_view* b,
                     double tolerance) {
    iso_wide x[4][3];
    slice_signs slice;
    for (int corner = 0; corner < 4; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            x[corner][axis] = iso_wide_set(b->v[axis][corner]);
        }
    }
    sign_slice(h, &slice);
    int outside = 0;
    for (int face = 0; face < 4; ++face) {
        iso_wide n[3] = {iso_wide_load(packet->planes[face][0]),
                         iso_wide_load(packet->planes[face][1]),
                         iso_wide_load(packet->planes[face][2])};
        iso_wide offset =
            iso_wide_add(iso_wide_load(packet->planes[face][3]), iso_wide_set(tolerance));
        iso_wide d[4];
        for (int corner = 0; corner < 4; ++corner) {
            d[corner] = plane_distance(n, offset, x[corner]);
        }
        outside |= iso_wide_bits(miss(&slice, d));
    }
    return outside;
}

int iso_tet_packet_test(const iso_tet_packet* packet, int lanes, const iso_tet_view* b,
                        double noise, double farthest, double out_differences[4][4]) {
    lanes &= differences_at_0(packet, b, noise, out_differences);
    if (lanes == 0) {
        return 0;
    }
    iso_wide differences_1[4];
    int clear;
    lanes &= differences_at_1(packet, b, noise, differences_1, &clear);
    if (lanes == 0) {
        return 0;
    }
    lanes &= ~outside_1(packet, out_differences, b, farthest);
    if (lanes == 0) {
        return 0;
    }
    return lanes & ~(clear & outside_0(packet, differences_1, b, farthest));
}
