// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/moments/boundary.h"

#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "surface/shapes/contact_shape_data.h"

// Planes more parallel to the polygon than this cut no edge: the polygon lies in them.
#define PARALLEL_SINE 1e-9

// An edge farther from all planes than this, relative to the size of the patch's elements, was not
// made by any of them.
#define LARGEST_GAP 1e-6

// An edge this close to a plane, relative to that size, may have been cut by it, however far off it
// is along a polygon that leans little from the plane: searches move bodies by so much, untying.
#define CUT_GAP 1e-8

// An edge shorter than this, relative to that size, may be rounding: its direction says nothing.
#define SHORT_EDGE 1e-9

// Planes of two elements: 4 faces of a tetrahedron, or 3 edges of a triangle, or the floor of a
// half space, from each side.
#define MAX_PLANES 8

// A plane that may cut an edge: inside where normal . x + offset >= 0. Fixed to A or moving with B.
typedef struct cut_plane {
    iso_vec3 normal;
    double offset;
    bool is_of_b;
} cut_plane;

typedef struct cut_planes {
    int count;
    cut_plane planes[MAX_PLANES];
} cut_planes;

static void add_plane(cut_planes* planes, iso_vec3 normal, iso_vec3 point, bool is_of_b) {
    planes->planes[planes->count++] = (cut_plane){normal, -iso_vec3_dot(normal, point), is_of_b};
}

static void add_tet(const iso_field* field, int tet, const iso_pose* x_w, bool is_of_b,
                    cut_planes* planes) {
    iso_vec3 v[4];
    for (int i = 0; i < 4; ++i) {
        v[i] = iso_pose_point(x_w, field->mesh.vertices[field->mesh.tets[tet][i]]);
    }
    for (int i = 0; i < 4; ++i) {
        const int* face = k_tet_faces[i];
        iso_vec3 outward = iso_triangle_area_vector(v[face[0]], v[face[1]], v[face[2]]);
        add_plane(planes, iso_vec3_neg(iso_vec3_normalized(outward)), v[face[0]], is_of_b);
    }
}

// Planes through the edges of a triangle, at right angles to it.
static void add_triangle(const iso_tri_mesh* mesh, int triangle, const iso_pose* x_w, bool is_of_b,
                         cut_planes* planes) {
    iso_vec3 v[3];
    for (int i = 0; i < 3; ++i) {
        v[i] = iso_pose_point(x_w, mesh->vertices[mesh->triangles[triangle][i]]);
    }
    iso_vec3 up = iso_triangle_area_vector(v[0], v[1], v[2]);
    for (int i = 0; i < 3; ++i) {
        iso_vec3 along = iso_vec3_sub(v[(i + 1) % 3], v[i]);
        add_plane(planes, iso_vec3_normalized(iso_vec3_cross(up, along)), v[i], is_of_b);
    }
}

static void add_side(const iso_pair_side* side, const iso_tri_mesh* mesh, int element, bool is_of_b,
                     cut_planes* planes) {
    if (side->field) {
        add_tet(side->field, element, side->x_w, is_of_b, planes);
    } else if (side->triangles) {
        add_triangle(mesh, element, side->x_w, is_of_b, planes);
    } else if (side->half_space->slope > 0.0) {
        // Where the pressure reaches its floor, the outer boundary of the margin.
        double height = -side->half_space->least / side->half_space->slope;
        iso_vec3 up = iso_mat3_column(&side->x_w->r, 2);
        add_plane(planes, iso_vec3_neg(up), iso_vec3_add_scaled(side->x_w->p, up, height), is_of_b);
    }
}

// How the plane and the pressure of a face move: derivation in docs/theory/patch_derivatives.md.
static void find_face_rates(const iso_patch* patch, int face, iso_moving_polygon* out) {
    iso_vec3 n = patch->normals[face];
    iso_vec3 g_a = patch->gradients_a[face], g_b = patch->gradients_b[face];
    iso_vec3 gradient = patch->is_rigid_a ? g_b : g_a;
    out->normal = n;
    out->gradient = iso_vec3_add_scaled(gradient, n, -iso_vec3_dot(gradient, n));
    if (patch->is_rigid_a) {
        out->plane_rate = iso_vec3_zero();
        out->pressure_rate = iso_vec3_neg(g_b);
    } else {
        out->plane_rate =
            patch->is_rigid_b ? n : iso_vec3_scale(g_b, 1.0 / iso_vec3_distance(g_a, g_b));
        out->pressure_rate = iso_vec3_scale(out->plane_rate, iso_vec3_dot(g_a, n));
    }
}

// Lay the vertices of a face, or of the polygon of which a fan was made, in their order.
static void gather_polygon(const iso_boundary_walk* walk, iso_moving_polygon* out) {
    const iso_patch* patch = walk->patch;
    int first = patch->face_offsets[walk->face];
    out->first_face = walk->face;
    out->face_count = 1;
    out->is_reversed = false;
    out->count = patch->face_offsets[walk->face + 1] - first;
    for (int i = 0; i < out->count; ++i) {
        out->vertices[i] = patch->vertices[first + i];
        out->pressures[i] = patch->vertex_pressures[first + i];
    }
}

static bool same_point(iso_vec3 a, iso_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool same_fan(const iso_patch* patch, int first_face, int face) {
    const iso_face_elements* a = &patch->elements[first_face];
    const iso_face_elements* b = &patch->elements[face];
    return a->a == b->a && a->b == b->b &&
           same_point(patch->vertices[patch->face_offsets[first_face]],
                      patch->vertices[patch->face_offsets[face]]);
}

// Triangles (middle, v, next v); where body 0 is B they come in reverse order.
static void gather_fan(const iso_boundary_walk* walk, iso_moving_polygon* out) {
    const iso_patch* patch = walk->patch;
    int end = walk->face + 1;
    while (end < patch->face_count && end - walk->face < ISO_MOVING_VERTICES &&
           same_fan(patch, walk->face, end)) {
        ++end;
    }
    out->first_face = walk->face;
    out->face_count = end - walk->face;
    out->count = out->face_count;
    int first = patch->face_offsets[walk->face];
    out->is_reversed =
        out->count > 1 && !same_point(patch->vertices[first + 2], patch->vertices[first + 4]);
    for (int i = 0; i < out->count; ++i) {
        int face = out->is_reversed ? end - 1 - i : walk->face + i;
        int at = patch->face_offsets[face] + 1;
        out->vertices[i] = patch->vertices[at];
        out->pressures[i] = patch->vertex_pressures[at];
    }
}

// Distances of the vertices of a polygon to the planes, and the sines of their angles to it.
typedef struct plane_table {
    bool is_coplanar; // the polygon lies in one of the planes
    double sines[MAX_PLANES];
    double gaps[ISO_MOVING_VERTICES][MAX_PLANES];
} plane_table;

static void measure_planes(const cut_planes* planes, const iso_moving_polygon* polygon, double near,
                           plane_table* out) {
    out->is_coplanar = false;
    for (int k = 0; k < planes->count; ++k) {
        const cut_plane* plane = &planes->planes[k];
        double lean = iso_vec3_dot(plane->normal, polygon->normal);
        // 1 - lean^2 would lose the digits of a plane nearly parallel to the polygon.
        double sine = iso_vec3_norm(iso_vec3_add_scaled(plane->normal, polygon->normal, -lean));
        out->sines[k] = sine;
        double scale = sine > PARALLEL_SINE ? 1.0 / sine : INFINITY;
        double farthest = 0.0;
        for (int i = 0; i < polygon->count; ++i) {
            double distance =
                fabs(iso_vec3_dot(plane->normal, polygon->vertices[i]) + plane->offset);
            farthest = fmax(farthest, distance);
            out->gaps[i][k] = scale * distance;
        }
        out->is_coplanar = out->is_coplanar || (sine <= PARALLEL_SINE && farthest <= near);
    }
}

// The plane that cut the edge from vertex i to `next`: the one that holds both best, its inside on
// the right side, of equal ones the first; -1 when there is none.
static int find_plane(const cut_planes* planes, const plane_table* table, int i, int next,
                      iso_vec3 outward, double short_edge, double* out_gap) {
    int best = -1;
    *out_gap = INFINITY;
    for (int k = 0; k < planes->count; ++k) {
        double gap = fmax(table->gaps[i][k], table->gaps[next][k]);
        if (gap < *out_gap && table->sines[k] > PARALLEL_SINE &&
            iso_vec3_dot(planes->planes[k].normal, outward) <= short_edge) {
            *out_gap = gap;
            best = k;
        }
    }
    return best;
}

// Whether the edge from vertex i to `next` lies in a plane, of those that cut at all.
static bool lies_in_plane(const cut_planes* planes, const plane_table* table, int i, int next,
                          double near) {
    for (int k = 0; k < planes->count; ++k) {
        double gap = fmax(table->gaps[i][k], table->gaps[next][k]);
        if (table->sines[k] > PARALLEL_SINE && gap * table->sines[k] <= near) {
            return true;
        }
    }
    return false;
}

// Points of an edge stay in the plane of the polygon and in the plane that cuts.
static void set_edge_rate(const cut_plane* plane, double sine, int edge, iso_moving_polygon* out) {
    double lean = iso_vec3_dot(plane->normal, out->normal);
    iso_vec3 rate = iso_vec3_scale(out->plane_rate, lean);
    if (plane->is_of_b) {
        rate = iso_vec3_sub(rate, plane->normal);
    }
    out->edge_rates[edge] = iso_vec3_scale(rate, 1.0 / sine);
    iso_vec3 inward = iso_vec3_add_scaled(plane->normal, out->normal, -lean);
    out->conormals[edge] = iso_vec3_scale(inward, -1.0 / sine);
}

static void find_edge_rates(iso_boundary_walk* walk, const cut_planes* planes,
                            iso_moving_polygon* out) {
    plane_table table;
    double near = LARGEST_GAP * walk->size;
    measure_planes(planes, out, near, &table);
    for (int i = 0; i < out->count; ++i) {
        int next = i + 1 < out->count ? i + 1 : 0;
        iso_vec3 along = iso_vec3_sub(out->vertices[next], out->vertices[i]);
        iso_vec3 outward = iso_vec3_cross(along, out->normal);
        double gap;
        int found = find_plane(planes, &table, i, next, outward, SHORT_EDGE * walk->size, &gap);
        // Rounding alone cuts a polygon that lies in a face of its element, or leans from it by
        // little, and cuts its neighbour in the same place: such an edge counts as at rest from
        // both sides.
        bool is_rounding =
            !(gap <= near) &&
            (table.is_coplanar || lies_in_plane(planes, &table, i, next, CUT_GAP * walk->size));
        if (found < 0 || is_rounding) {
            out->edge_rates[i] = iso_vec3_zero();
            out->conormals[i] = iso_vec3_normalized(outward);
            walk->worst_gap = is_rounding ? walk->worst_gap : INFINITY;
            continue;
        }
        walk->worst_gap = fmax(walk->worst_gap, gap);
        set_edge_rate(&planes->planes[found], table.sines[found], i, out);
    }
}

void iso_boundary_walk_begin(iso_boundary_walk* walk, const iso_contact_shape* a,
                             const iso_pose* x_wa, const iso_contact_shape* b, const iso_pose* x_wb,
                             iso_representation representation, const iso_patch* patch) {
    *walk = (iso_boundary_walk){.patch = patch,
                                .representation = representation,
                                .mesh_a = &a->surface,
                                .mesh_b = &b->surface};
    iso_pair_find_sides(a, x_wa, b, x_wb, &walk->side_a, &walk->side_b);
    for (int i = 0; i < patch->vertex_count; ++i) {
        walk->size = fmax(walk->size, iso_vec3_distance(patch->vertices[i], patch->vertices[0]));
    }
}

bool iso_boundary_walk_next(iso_boundary_walk* walk, iso_moving_polygon* out_polygon) {
    const iso_patch* patch = walk->patch;
    if (walk->face >= patch->face_count) {
        return false;
    }
    if (walk->representation == ISO_REPRESENTATION_TRIANGLE) {
        gather_fan(walk, out_polygon);
    } else {
        gather_polygon(walk, out_polygon);
    }
    find_face_rates(patch, walk->face, out_polygon);
    cut_planes planes = {.count = 0};
    const iso_face_elements* elements = &patch->elements[walk->face];
    add_side(&walk->side_a, walk->mesh_a, elements->a, false, &planes);
    add_side(&walk->side_b, walk->mesh_b, elements->b, true, &planes);
    find_edge_rates(walk, &planes, out_polygon);
    walk->face += out_polygon->face_count;
    return true;
}

iso_status iso_boundary_walk_finish(const iso_boundary_walk* walk, iso_context* ctx) {
    double bound = LARGEST_GAP * walk->size;
    ISO_REQUIRE(ctx, walk->worst_gap <= bound, ISO_ERR_NUMERIC,
                "an edge of the patch lies %g m from the planes of its elements, expected <= %g m",
                walk->worst_gap, bound);
    return ISO_OK;
}

iso_mat3 iso_moving_polygon_normal_rate(const iso_moving_polygon* polygon) {
    // w x q, projected: (1 - n n^T) (-[q]x) w.
    iso_mat3 turn = iso_mat3_scale(iso_mat3_skew(polygon->plane_rate), -1.0);
    iso_vec3 along = iso_mat3_tmul_vec3(&turn, polygon->normal);
    iso_mat3 lift = iso_mat3_outer(polygon->normal, along);
    return iso_mat3_add(turn, iso_mat3_scale(lift, -1.0));
}
