// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/tet_packet.h"

#include "surface/clipping/coincidence.h"

// Stands for zero where a quotient must keep its sign. Its square is not zero.
#define SMALLEST 1e-150

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

// Lanes of four cells, from `first` on.
static void fill_four(const iso_field* field, const int* numbers, int count, int first,
                      iso_tet_packet* out) {
    const iso_field_cell* cells[ISO_WIDE_LANES];
    iso_wide v[4];
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        cells[lane] = &field->cells[numbers[first + lane < count ? first + lane : 0]];
    }
    for (int corner = 0; corner < 4; ++corner) {
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            v[lane] = iso_wide_load(field->points[cells[lane]->corners[corner]].x);
        }
        iso_wide_transpose(v);
        for (int axis = 0; axis < 3; ++axis) {
            iso_wide_store(&out->vertices[corner][axis][first], v[axis]);
        }
        iso_wide_store(&out->pressures[corner][first], v[3]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
            v[lane] = iso_wide_load(cells[lane]->planes[i]);
        }
        iso_wide_transpose(v);
        for (int face = 0; face < 4; ++face) {
            iso_wide_store(&out->planes[face][i][first], v[face]);
        }
    }
    for (int lane = 0; lane < ISO_WIDE_LANES; ++lane) {
        v[lane] = iso_wide_load(&cells[lane]->piece.gradient.x);
    }
    iso_wide_transpose(v);
    for (int axis = 0; axis < 3; ++axis) {
        iso_wide_store(&out->gradient[axis][first], v[axis]);
    }
    iso_wide_store(&out->offset[first], v[3]);
}

void iso_tet_packet_fill(const iso_field* field, const int* numbers, int count,
                         iso_tet_packet* out) {
    for (int first = 0; first < ISO_MANY_LANES; first += ISO_WIDE_LANES) {
        fill_four(field, numbers, count, first, out);
    }
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

static iso_many affine_of(const iso_affine* f, const iso_many x[3]) {
    iso_many r = iso_many_mul_add(iso_many_set(f->gradient.x), x[0], iso_many_set(f->offset));
    r = iso_many_mul_add(iso_many_set(f->gradient.y), x[1], r);
    return iso_many_mul_add(iso_many_set(f->gradient.z), x[2], r);
}

// Pressure difference p0 - p1 at the corners of the tetrahedra of the packet, zero where it is
// noise, and the lanes where it takes both signs there.
static int differences_at_0(const iso_tet_packet* packet, const iso_tet_view* b, double noise,
                            iso_many out[4]) {
    iso_many zero = iso_many_set(0.0);
    iso_many most = zero, least = zero;
    for (int corner = 0; corner < 4; ++corner) {
        iso_many x[3];
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = iso_many_load(packet->vertices[corner][axis]);
        }
        iso_many h = iso_many_sub(iso_many_load(packet->pressures[corner]), affine_of(&b->f, x));
        iso_many_mask is_noise = iso_many_less_equal(iso_many_abs(h), iso_many_set(noise));
        h = iso_many_select(is_noise, zero, h);
        out[corner] = h;
        most = corner == 0 ? h : iso_many_max(most, h);
        least = corner == 0 ? h : iso_many_min(least, h);
    }
    return iso_many_bits(
        iso_many_and(iso_many_greater(most, zero), iso_many_less_equal(least, zero)));
}

// The same at the corners of the tetrahedron of body 1, and the lanes where it takes both signs
// there, or nearly: within the slack the slice may lie in a face, which only the clipping decides.
static int differences_at_1(const iso_tet_packet* packet, const iso_tet_view* b, double noise,
                            iso_many out[4], int* out_clear) {
    iso_many g[3] = {iso_many_load(packet->gradient[0]), iso_many_load(packet->gradient[1]),
                     iso_many_load(packet->gradient[2])};
    iso_many offset = iso_many_load(packet->offset);
    iso_many most = offset, least = offset, scale = iso_many_abs(offset);
    for (int corner = 0; corner < 4; ++corner) {
        iso_many f = iso_many_mul_add(g[0], iso_many_set(b->v[0][corner]), offset);
        f = iso_many_mul_add(g[1], iso_many_set(b->v[1][corner]), f);
        f = iso_many_mul_add(g[2], iso_many_set(b->v[2][corner]), f);
        iso_many h = iso_many_sub(f, iso_many_set(b->p[corner]));
        scale = iso_many_max(scale, iso_many_abs(f));
        most = corner == 0 ? h : iso_many_max(most, h);
        least = corner == 0 ? h : iso_many_min(least, h);
        out[corner] = h;
    }
    iso_many slack = iso_many_mul_add(scale, iso_many_set(ISO_COINCIDENT_DISTANCE),
                                      iso_many_set(4.0 * ISO_COINCIDENT_STRETCH * noise));
    iso_many minus_slack = iso_many_neg(slack);
    *out_clear = iso_many_bits(
        iso_many_and(iso_many_greater(most, slack), iso_many_less(least, minus_slack)));
    return iso_many_bits(
        iso_many_and(iso_many_greater_equal(most, minus_slack), iso_many_less_equal(least, slack)));
}

static iso_many plane_distance(const iso_many n[3], iso_many offset, const iso_many x[3]) {
    iso_many d = iso_many_mul_add(n[0], x[0], offset);
    d = iso_many_mul_add(n[1], x[1], d);
    return iso_many_mul_add(n[2], x[2], d);
}

// -1 / h at four corners, and where h > 0 and where not.
typedef struct slice_signs {
    iso_many inverse[4];
    iso_many_mask is_above[4], is_below[4];
} slice_signs;

static void sign_slice(const iso_many h[4], slice_signs* out) {
    iso_many nonzero[4];
    for (int corner = 0; corner < 4; ++corner) {
        out->is_above[corner] = iso_many_greater(h[corner], iso_many_set(0.0));
        out->is_below[corner] = iso_many_less_equal(h[corner], iso_many_set(0.0));
        nonzero[corner] = iso_many_select(out->is_above[corner], h[corner],
                                          iso_many_min(h[corner], iso_many_set(-SMALLEST)));
    }
    for (int i = 0; i < 4; i += 2) { // two inverses by one division
        iso_many factor =
            iso_many_div(iso_many_set(-1.0), iso_many_mul(nonzero[i], nonzero[i + 1]));
        out->inverse[i] = iso_many_mul(factor, nonzero[i + 1]);
        out->inverse[i + 1] = iso_many_mul(factor, nonzero[i]);
    }
}

// Lanes where the slice h = 0 of a tetrahedron lies outside a plane, d at its corners. By the lemma
// of Farkas there is then a multiple of h with d + m h < 0 at all corners: m below -d/h where h >
// 0, above it where h < 0. Corners with h = 0 make the answer no.
static iso_many_mask miss(const slice_signs* slice, const iso_many d[4]) {
    iso_many most = iso_many_set(INFINITY), least = iso_many_set(-INFINITY);
    for (int corner = 0; corner < 4; ++corner) {
        iso_many bound = iso_many_mul(d[corner], slice->inverse[corner]);
        most = iso_many_min_unless(slice->is_below[corner], bound, most);
        least = iso_many_max_unless(slice->is_above[corner], bound, least);
    }
    return iso_many_less(least, most);
}

// Lanes whose slice lies outside one face of the tetrahedron of body 1.
static int outside_1(const iso_tet_packet* packet, const iso_many h[4], const iso_tet_view* b,
                     double tolerance) {
    iso_many x[4][3];
    slice_signs slice;
    for (int corner = 0; corner < 4; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            x[corner][axis] = iso_many_load(packet->vertices[corner][axis]);
        }
    }
    sign_slice(h, &slice);
    int outside = 0;
    for (int face = 0; face < 4; ++face) {
        iso_many n[3] = {iso_many_set(b->plane[0][face]), iso_many_set(b->plane[1][face]),
                         iso_many_set(b->plane[2][face])};
        iso_many offset = iso_many_set(b->plane[3][face] + tolerance);
        iso_many d[4];
        for (int corner = 0; corner < 4; ++corner) {
            d[corner] = plane_distance(n, offset, x[corner]);
        }
        outside |= iso_many_bits(miss(&slice, d));
    }
    return outside;
}

// Lanes where the slice of the tetrahedron of body 1 lies outside one face of the lane's.
static int outside_0(const iso_tet_packet* packet, const iso_many h[4], const iso_tet_view* b,
                     double tolerance) {
    iso_many x[4][3];
    slice_signs slice;
    for (int corner = 0; corner < 4; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            x[corner][axis] = iso_many_set(b->v[axis][corner]);
        }
    }
    sign_slice(h, &slice);
    int outside = 0;
    for (int face = 0; face < 4; ++face) {
        iso_many n[3] = {iso_many_load(packet->planes[face][0]),
                         iso_many_load(packet->planes[face][1]),
                         iso_many_load(packet->planes[face][2])};
        iso_many offset =
            iso_many_add(iso_many_load(packet->planes[face][3]), iso_many_set(tolerance));
        iso_many d[4];
        for (int corner = 0; corner < 4; ++corner) {
            d[corner] = plane_distance(n, offset, x[corner]);
        }
        outside |= iso_many_bits(miss(&slice, d));
    }
    return outside;
}

int iso_tet_packet_test(const iso_tet_packet* packet, int lanes, const iso_tet_view* b,
                        double noise, double farthest, double out_differences[4][ISO_MANY_LANES]) {
    iso_many differences_0[4], differences_1[4];
    lanes &= differences_at_0(packet, b, noise, differences_0);
    if (lanes == 0) {
        return 0;
    }
    int clear;
    lanes &= differences_at_1(packet, b, noise, differences_1, &clear);
    if (lanes == 0) {
        return 0;
    }
    lanes &= ~outside_1(packet, differences_0, b, farthest);
    if (lanes == 0) {
        return 0;
    }
    for (int corner = 0; corner < 4; ++corner) {
        iso_many_store(out_differences[corner], differences_0[corner]);
    }
    return lanes & ~(clear & outside_0(packet, differences_1, b, farthest));
}
