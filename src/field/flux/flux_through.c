// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What flows through a polygon.

#include "field/flux/flux.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh/topology.h"

#include <string.h>

// One tetrahedron with its corners at hand.
typedef struct cell_view {
    const iso_flux_cell* cell;
    iso_vec3 v[4];
    double p[4], volume;
    iso_vec3 slopes[4]; // of the barycentric coordinates
    double shares[4];   // flux_i / (3 V)
} cell_view;

// A point with its barycentric coordinates.
typedef struct cell_point {
    iso_vec3 x;
    double l[4];
} cell_point;

static cell_view view_of(const iso_field_flux* flux, int index) {
    cell_view c = {.cell = &flux->cells[index]};
    for (int k = 0; k < 4; ++k) {
        c.v[k] = flux->vertices[c.cell->corners[k]];
        c.p[k] = flux->pressures[c.cell->corners[k]];
    }
    c.volume = fabs(iso_tet_signed_volume(c.v[0], c.v[2], c.v[1], c.v[3]));
    double thirds = 1.0 / (3.0 * c.volume);
    for (int k = 0; k < 4; ++k) {
        const int* w = k_tet_faces[k];
        iso_vec3 area = iso_triangle_area_vector(c.v[w[0]], c.v[w[2]], c.v[w[1]]);
        c.slopes[k] = iso_vec3_scale(area, thirds);
        c.shares[k] = c.cell->flux[k] * thirds;
    }
    return c;
}

static void place_points(const cell_view* c, const iso_vec3* points, int count, cell_point* out) {
    for (int i = 0; i < count; ++i) {
        out[i].x = points[i];
        for (int k = 0; k < 4; ++k) {
            iso_vec3 from = c->v[k_tet_faces[k][0]];
            out[i].l[k] = iso_vec3_dot(c->slopes[k], iso_vec3_sub(points[i], from));
        }
    }
}

static cell_point point_between(const cell_point* a, const cell_point* b, double share) {
    cell_point c = {.x = iso_vec3_lerp(a->x, b->x, share)};
    for (int k = 0; k < 4; ++k) {
        c.l[k] = a->l[k] + share * (b->l[k] - a->l[k]);
    }
    return c;
}

// The polynomial part: sum_i (flux_i / (3 V) + p_i l_i / 4) (x - v_i).
static iso_vec3 field_at(const cell_view* c, const cell_point* at) {
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < 4; ++i) {
        double share = c->shares[i] + 0.25 * c->p[i] * at->l[i];
        sum = iso_vec3_add_scaled(sum, iso_vec3_sub(at->x, c->v[i]), share);
    }
    return sum;
}

// Through one triangle of area vector a. The polynomial part is quadratic: the mid-sides suffice.
// The pole's part, -drain (x - v0) / (3 V h^3) with h = 1 - l_0, integrates to
// -drain (x - v0) . a / (3 V h_1 h_2 h_3).
static double through_triangle(const cell_view* c, const cell_point* const t[3], iso_vec3 a) {
    double sum = 0.0, heights = 1.0;
    int pole = c->cell->pole, nearest = 0;
    for (int i = 0; i < 3; ++i) {
        cell_point middle = point_between(t[i], t[(i + 1) % 3], 0.5);
        sum += iso_vec3_dot(field_at(c, &middle), a) / 3.0;
    }
    if (pole < 0) {
        return sum;
    }
    for (int i = 0; i < 3; ++i) {
        heights *= 1.0 - t[i]->l[pole];
        nearest = t[i]->l[pole] > t[nearest]->l[pole] ? i : nearest;
    }
    // From the nearest corner: the direction of a narrow triangle is not known to rounding.
    double lift = iso_vec3_dot(iso_vec3_sub(t[nearest]->x, c->v[pole]), a);
    return lift == 0.0 ? sum : sum - c->cell->drain * lift / (3.0 * c->volume * heights);
}

static double through_polygon(const cell_view* c, const cell_point* points, int count,
                              double* area) {
    double sum = 0.0;
    for (int i = 1; i + 1 < count; ++i) {
        const cell_point* const t[3] = {&points[0], &points[i], &points[i + 1]};
        iso_vec3 a = iso_triangle_area_vector(t[0]->x, t[1]->x, t[2]->x);
        sum += through_triangle(c, t, a);
        *area += iso_vec3_norm(a);
    }
    return sum;
}

// Keeps the part of a polygon on the inner side of a face; returns its number of points.
static int clip_by_face(cell_point* points, int count, int face) {
    cell_point kept[ISO_FLUX_POLYGON_MAX];
    int kept_count = 0, inside = 0;
    for (int i = 0; i < count; ++i) {
        inside += points[i].l[face] >= 0.0;
    }
    if (inside == 0 || inside == count) {
        return inside;
    }
    for (int i = 0; i < count; ++i) {
        const cell_point *a = &points[i], *b = &points[i + 1 < count ? i + 1 : 0];
        if (a->l[face] >= 0.0) {
            kept[kept_count++] = *a;
        }
        if ((a->l[face] < 0.0) != (b->l[face] < 0.0)) {
            kept[kept_count++] = point_between(a, b, a->l[face] / (a->l[face] - b->l[face]));
        }
    }
    memcpy(points, kept, (size_t)kept_count * sizeof *kept);
    return kept_count;
}

double iso_field_flux_through(const iso_field_flux* flux, int tet, const iso_vec3* points,
                              int count, double* out_area) {
    double sum = 0.0;
    *out_area = 0.0;
    int first = flux->first[tet], end = flux->first[tet + 1];
    for (int i = first; i < end; ++i) {
        cell_view c = view_of(flux, i);
        cell_point part[ISO_FLUX_POLYGON_MAX];
        int part_count = count;
        place_points(&c, points, count, part);
        for (int k = 0; k < 4 && end - first > 1; ++k) {
            // The four about one pole share what they divide; a polygon may lie in its faces.
            if (end - first != 4 || k != c.cell->pole) {
                part_count = clip_by_face(part, part_count, k);
            }
        }
        sum += through_polygon(&c, part, part_count, out_area);
    }
    return sum;
}
