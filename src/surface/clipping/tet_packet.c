// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/clipping/tet_packet.h"

#include "surface/clipping/coincidence.h"

// Stands for zero where a quotient must keep its sign. Its square is not zero.
#define SMALLEST 1e-150

// Rotate and shift four points given as [axis][point].
static void move_points(const iso_pose* x, const iso_double4 in[3], double out[3][4]) {
    double origin[3] = {x->p.x, x->p.y, x->p.z};
    for (int i = 0; i < 3; ++i) {
        iso_double4 r =
            iso_double4_mul_add(iso_double4_set(x->r.m[i][0]), in[0], iso_double4_set(origin[i]));
        r = iso_double4_mul_add(iso_double4_set(x->r.m[i][1]), in[1], r);
        r = iso_double4_mul_add(iso_double4_set(x->r.m[i][2]), in[2], r);
        iso_double4_store(out[i], r);
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
    const iso_field_cell* cells[ISO_DOUBLE4_LANES];
    iso_double4 v[4];
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        cells[lane] = &field->cells[numbers[first + lane < count ? first + lane : 0]];
    }
    for (int corner = 0; corner < 4; ++corner) {
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            v[lane] = iso_double4_load(field->points[cells[lane]->corners[corner]].x);
        }
        iso_double4_transpose(v);
        for (int axis = 0; axis < 3; ++axis) {
            iso_double4_store(&out->vertices[corner][axis][first], v[axis]);
        }
        iso_double4_store(&out->pressures[corner][first], v[3]);
    }
    for (int i = 0; i < 4; ++i) {
        for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
            v[lane] = iso_double4_load(cells[lane]->planes[i]);
        }
        iso_double4_transpose(v);
        for (int face = 0; face < 4; ++face) {
            iso_double4_store(&out->planes[face][i][first], v[face]);
        }
    }
    for (int lane = 0; lane < ISO_DOUBLE4_LANES; ++lane) {
        v[lane] = iso_double4_load(&cells[lane]->piece.gradient.x);
    }
    iso_double4_transpose(v);
    for (int axis = 0; axis < 3; ++axis) {
        iso_double4_store(&out->gradient[axis][first], v[axis]);
    }
    iso_double4_store(&out->offset[first], v[3]);
}

void iso_tet_packet_fill(const iso_field* field, const int* numbers, int count,
                         iso_tet_packet* out) {
    for (int first = 0; first < ISO_DOUBLES_LANES; first += ISO_DOUBLE4_LANES) {
        fill_four(field, numbers, count, first, out);
    }
}

// The face planes.
static void move_planes(const iso_pose* x_01, const double planes[4][4], double out[4][4]) {
    const iso_mat3* r = &x_01->r;
    iso_double4 n[4], m[3];
    for (int i = 0; i < 4; ++i) {
        n[i] = iso_double4_load(planes[i]);
    }
    for (int i = 0; i < 3; ++i) {
        m[i] = iso_double4_mul(iso_double4_set(r->m[i][0]), n[0]);
        m[i] = iso_double4_mul_add(iso_double4_set(r->m[i][1]), n[1], m[i]);
        m[i] = iso_double4_mul_add(iso_double4_set(r->m[i][2]), n[2], m[i]);
        iso_double4_store(out[i], m[i]);
    }
    iso_double4 along = iso_double4_mul(m[0], iso_double4_set(x_01->p.x));
    along = iso_double4_mul_add(m[1], iso_double4_set(x_01->p.y), along);
    along = iso_double4_mul_add(m[2], iso_double4_set(x_01->p.z), along);
    iso_double4_store(out[3], iso_double4_sub(n[3], along));
}

void iso_tet_view_make(const iso_field* field, int cell, const iso_pose* x_01, iso_tet_view* out) {
    const iso_field_cell* from = &field->cells[cell];
    iso_double4 v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = iso_double4_load(field->points[from->corners[i]].x);
    }
    iso_double4_transpose(v);
    move_points(x_01, v, out->v);
    iso_double4_store(out->p, v[3]);
    out->f.gradient = iso_mat3_mul_vec3(&x_01->r, from->piece.gradient);
    out->f.offset = from->piece.offset - iso_vec3_dot(out->f.gradient, x_01->p);
    move_planes(x_01, from->planes, out->plane);
    const double* p = out->p;
    double a = p[0] < p[1] ? p[0] : p[1], b = p[2] < p[3] ? p[2] : p[3];
    out->low = a < b ? a : b;
    out->flat_face = find_flat_face(p, out->low);
    out->cell = cell;
}

static iso_doubles affine_of(const iso_affine* f, const iso_doubles x[3]) {
    iso_doubles r =
        iso_doubles_mul_add(iso_doubles_set(f->gradient.x), x[0], iso_doubles_set(f->offset));
    r = iso_doubles_mul_add(iso_doubles_set(f->gradient.y), x[1], r);
    return iso_doubles_mul_add(iso_doubles_set(f->gradient.z), x[2], r);
}

// Pressure difference p0 - p1 at the corners of the tetrahedra of the packet, zero where it is
// noise, and the lanes where it takes both signs there.
static int differences_at_0(const iso_tet_packet* packet, const iso_tet_view* b, double noise,
                            iso_doubles out[4]) {
    iso_doubles zero = iso_doubles_set(0.0);
    iso_doubles most = zero, least = zero;
    for (int corner = 0; corner < 4; ++corner) {
        iso_doubles x[3];
        for (int axis = 0; axis < 3; ++axis) {
            x[axis] = iso_doubles_load(packet->vertices[corner][axis]);
        }
        iso_doubles h =
            iso_doubles_sub(iso_doubles_load(packet->pressures[corner]), affine_of(&b->f, x));
        iso_doubles_mask is_noise =
            iso_doubles_less_equal(iso_doubles_abs(h), iso_doubles_set(noise));
        h = iso_doubles_select(is_noise, zero, h);
        out[corner] = h;
        most = corner == 0 ? h : iso_doubles_max(most, h);
        least = corner == 0 ? h : iso_doubles_min(least, h);
    }
    return iso_doubles_bits(
        iso_doubles_and(iso_doubles_greater(most, zero), iso_doubles_less_equal(least, zero)));
}

// The same at the corners of the tetrahedron of body 1, and the lanes where it takes both signs
// there, or nearly: within the slack the slice may lie in a face, which only the clipping decides.
static int differences_at_1(const iso_tet_packet* packet, const iso_tet_view* b, double noise,
                            iso_doubles out[4], int* out_clear) {
    iso_doubles g[3] = {iso_doubles_load(packet->gradient[0]),
                        iso_doubles_load(packet->gradient[1]),
                        iso_doubles_load(packet->gradient[2])};
    iso_doubles offset = iso_doubles_load(packet->offset);
    iso_doubles most = offset, least = offset, scale = iso_doubles_abs(offset);
    for (int corner = 0; corner < 4; ++corner) {
        iso_doubles f = iso_doubles_mul_add(g[0], iso_doubles_set(b->v[0][corner]), offset);
        f = iso_doubles_mul_add(g[1], iso_doubles_set(b->v[1][corner]), f);
        f = iso_doubles_mul_add(g[2], iso_doubles_set(b->v[2][corner]), f);
        iso_doubles h = iso_doubles_sub(f, iso_doubles_set(b->p[corner]));
        scale = iso_doubles_max(scale, iso_doubles_abs(f));
        most = corner == 0 ? h : iso_doubles_max(most, h);
        least = corner == 0 ? h : iso_doubles_min(least, h);
        out[corner] = h;
    }
    iso_doubles slack = iso_doubles_mul_add(scale, iso_doubles_set(ISO_COINCIDENT_DISTANCE),
                                            iso_doubles_set(4.0 * ISO_COINCIDENT_STRETCH * noise));
    iso_doubles minus_slack = iso_doubles_neg(slack);
    *out_clear = iso_doubles_bits(
        iso_doubles_and(iso_doubles_greater(most, slack), iso_doubles_less(least, minus_slack)));
    return iso_doubles_bits(iso_doubles_and(iso_doubles_greater_equal(most, minus_slack),
                                            iso_doubles_less_equal(least, slack)));
}

static iso_doubles plane_distance(const iso_doubles n[3], iso_doubles offset,
                                  const iso_doubles x[3]) {
    iso_doubles d = iso_doubles_mul_add(n[0], x[0], offset);
    d = iso_doubles_mul_add(n[1], x[1], d);
    return iso_doubles_mul_add(n[2], x[2], d);
}

// -1 / h at four corners, and where h > 0 and where not.
typedef struct slice_signs {
    iso_doubles inverse[4];
    iso_doubles_mask is_above[4], is_below[4];
} slice_signs;

static void sign_slice(const iso_doubles h[4], slice_signs* out) {
    iso_doubles nonzero[4];
    for (int corner = 0; corner < 4; ++corner) {
        out->is_above[corner] = iso_doubles_greater(h[corner], iso_doubles_set(0.0));
        out->is_below[corner] = iso_doubles_less_equal(h[corner], iso_doubles_set(0.0));
        nonzero[corner] =
            iso_doubles_select(out->is_above[corner], h[corner],
                               iso_doubles_min(h[corner], iso_doubles_set(-SMALLEST)));
    }
    for (int i = 0; i < 4; i += 2) { // two inverses by one division
        iso_doubles factor =
            iso_doubles_div(iso_doubles_set(-1.0), iso_doubles_mul(nonzero[i], nonzero[i + 1]));
        out->inverse[i] = iso_doubles_mul(factor, nonzero[i + 1]);
        out->inverse[i + 1] = iso_doubles_mul(factor, nonzero[i]);
    }
}

// Lanes where the slice h = 0 of a tetrahedron lies outside a plane, d at its corners. By the lemma
// of Farkas there is then a multiple of h with d + m h < 0 at all corners: m below -d/h where h >
// 0, above it where h < 0. Corners with h = 0 make the answer no.
static iso_doubles_mask miss(const slice_signs* slice, const iso_doubles d[4]) {
    iso_doubles most = iso_doubles_set(INFINITY), least = iso_doubles_set(-INFINITY);
    for (int corner = 0; corner < 4; ++corner) {
        iso_doubles bound = iso_doubles_mul(d[corner], slice->inverse[corner]);
        most = iso_doubles_min_unless(slice->is_below[corner], bound, most);
        least = iso_doubles_max_unless(slice->is_above[corner], bound, least);
    }
    return iso_doubles_less(least, most);
}

// Lanes whose slice lies outside one face of the tetrahedron of body 1.
static int outside_1(const iso_tet_packet* packet, const iso_doubles h[4], const iso_tet_view* b,
                     double tolerance) {
    iso_doubles x[4][3];
    slice_signs slice;
    for (int corner = 0; corner < 4; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            x[corner][axis] = iso_doubles_load(packet->vertices[corner][axis]);
        }
    }
    sign_slice(h, &slice);
    int outside = 0;
    for (int face = 0; face < 4; ++face) {
        iso_doubles n[3] = {iso_doubles_set(b->plane[0][face]), iso_doubles_set(b->plane[1][face]),
                            iso_doubles_set(b->plane[2][face])};
        iso_doubles offset = iso_doubles_set(b->plane[3][face] + tolerance);
        iso_doubles d[4];
        for (int corner = 0; corner < 4; ++corner) {
            d[corner] = plane_distance(n, offset, x[corner]);
        }
        outside |= iso_doubles_bits(miss(&slice, d));
    }
    return outside;
}

// Lanes where the slice of the tetrahedron of body 1 lies outside one face of the lane's.
static int outside_0(const iso_tet_packet* packet, const iso_doubles h[4], const iso_tet_view* b,
                     double tolerance) {
    iso_doubles x[4][3];
    slice_signs slice;
    for (int corner = 0; corner < 4; ++corner) {
        for (int axis = 0; axis < 3; ++axis) {
            x[corner][axis] = iso_doubles_set(b->v[axis][corner]);
        }
    }
    sign_slice(h, &slice);
    int outside = 0;
    for (int face = 0; face < 4; ++face) {
        iso_doubles n[3] = {iso_doubles_load(packet->planes[face][0]),
                            iso_doubles_load(packet->planes[face][1]),
                            iso_doubles_load(packet->planes[face][2])};
        iso_doubles offset =
            iso_doubles_add(iso_doubles_load(packet->planes[face][3]), iso_doubles_set(tolerance));
        iso_doubles d[4];
        for (int corner = 0; corner < 4; ++corner) {
            d[corner] = plane_distance(n, offset, x[corner]);
        }
        outside |= iso_doubles_bits(miss(&slice, d));
    }
    return outside;
}

int iso_tet_packet_test(const iso_tet_packet* packet, int lanes, const iso_tet_view* b,
                        double noise, double farthest,
                        double out_differences[4][ISO_DOUBLES_LANES]) {
    iso_doubles differences_0[4], differences_1[4];
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
        iso_doubles_store(out_differences[corner], differences_0[corner]);
    }
    return lanes & ~(clear & outside_0(packet, differences_1, b, farthest));
}
