// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "geometry/tessellation/tessellate_shapes.h"

// Boxes: corners, face centres and the vertices of the medial axis. Each box edge spans, with the
// medial vertices next to its ends, an interface between the regions of its two faces; each face's
// region is its centre coned to the four interfaces about it (and to its side of the medial
// rectangle). So every face shows four triangles about its centre.
//
// The work is done in a canonical frame C: a medial segment lies along z, a medial rectangle in the
// plane x = 0. Corner i has the signs of its bits: 4 x, 2 y, 1 z.

typedef enum medial_kind {
    MEDIAL_POINT,
    MEDIAL_SEGMENT,
    MEDIAL_RECTANGLE,
} medial_kind;

typedef struct box {
    iso_tet_mesh* mesh;
    medial_kind kind;
    int tet_count;
    int medial[8]; // medial vertex next to each corner
    int middle;    // of the medial segment
    int faces[6];  // face centres: -x, +x, -y, +y, -z, +z
} box;

typedef enum turn {
    TURN_NONE,
    TURN_ABOUT_X, // z of C becomes -y
    TURN_ABOUT_Y, // x of C becomes z, z becomes -x
    TURN_ABOUT_Z, // x of C becomes y, y becomes -x
} turn;

static iso_vec3 from_canonical(turn t, iso_vec3 p) {
    switch (t) {
    case TURN_ABOUT_X:
        return iso_vec3_make(p.x, -p.z, p.y);
    case TURN_ABOUT_Y:
        return iso_vec3_make(-p.z, p.y, p.x);
    case TURN_ABOUT_Z:
        return iso_vec3_make(-p.y, p.x, p.z);
    default:
        return p;
    }
}

static iso_vec3 canonical_half(turn t, iso_vec3 half) {
    switch (t) {
    case TURN_ABOUT_X:
        return iso_vec3_make(half.x, half.z, half.y);
    case TURN_ABOUT_Y:
        return iso_vec3_make(half.z, half.y, half.x);
    case TURN_ABOUT_Z:
        return iso_vec3_make(half.y, half.x, half.z);
    default:
        return half;
    }
}

// Which medial axis a box has, and the turn that brings it into the canonical frame.
static medial_kind classify(iso_vec3 half, turn* out_turn) {
    double smallest = fmin(half.x, fmin(half.y, half.z));
    double largest = fmax(half.x, fmax(half.y, half.z));
    double tolerance = 1e-14 * fmax(1.0, largest); // nearly equal edges count as equal
    bool is_long[3] = {half.x - smallest > tolerance, half.y - smallest > tolerance,
                       half.z - smallest > tolerance};
    int long_count = is_long[0] + is_long[1] + is_long[2];
    *out_turn = TURN_NONE;
    if (long_count == 0) {
        return MEDIAL_POINT;
    }
    if (long_count == 1) {
        *out_turn = is_long[0] ? TURN_ABOUT_Y : (is_long[1] ? TURN_ABOUT_X : TURN_NONE);
        return MEDIAL_SEGMENT;
    }
    *out_turn = !is_long[1] ? TURN_ABOUT_Z : (!is_long[2] ? TURN_ABOUT_Y : TURN_NONE);
    return MEDIAL_RECTANGLE;
}

static iso_vec3 corner_position(int corner, iso_vec3 half) {
    return iso_vec3_make(corner & 4 ? half.x : -half.x, corner & 2 ? half.y : -half.y,
                         corner & 1 ? half.z : -half.z);
}

// One tetrahedron with its corners put into positive order.
static void append_oriented(box* b, int p, int q, int r, int apex) {
    const iso_vec3* v = b->mesh->vertices;
    if (iso_tet_signed_volume(v[p], v[q], v[r], v[apex]) > 0.0) {
        iso_tessellate_append(b->mesh, &b->tet_count, p, q, r, apex);
    } else {
        iso_tessellate_append(b->mesh, &b->tet_count, p, r, q, apex);
    }
}

static void place_vertices(box* b, iso_vec3 half, turn t, double* extents) {
    iso_vec3* v = b->mesh->vertices;
    double depth = fmin(half.x, fmin(half.y, half.z));
    // Exactly zero where the medial axis has no extent, whatever the tolerance let pass.
    iso_vec3 reach = iso_vec3_make(0.0, b->kind == MEDIAL_RECTANGLE ? half.y - depth : 0.0,
                                   b->kind == MEDIAL_POINT ? 0.0 : half.z - depth);
    int count = 8;
    for (int corner = 0; corner < 8; ++corner) {
        v[corner] = corner_position(corner, half);
        // Corners that share a medial vertex: those that differ only in directions without reach.
        int twin = corner & (b->kind == MEDIAL_POINT ? 0 : (b->kind == MEDIAL_SEGMENT ? 1 : 3));
        if (twin == corner) {
            b->medial[corner] = count;
            extents[count] = 1.0;
            v[count++] = corner_position(corner, reach);
        } else {
            b->medial[corner] = b->medial[twin];
        }
    }
    if (b->kind == MEDIAL_SEGMENT) {
        b->middle = count;
        extents[count] = 1.0;
        v[count++] = iso_vec3_zero();
    }
    for (int face = 0; face < 6; ++face) {
        double side = face % 2 == 0 ? -1.0 : 1.0;
        b->faces[face] = count;
        v[count++] =
            iso_vec3_make(face / 2 == 0 ? side * half.x : 0.0, face / 2 == 1 ? side * half.y : 0.0,
                          face / 2 == 2 ? side * half.z : 0.0);
    }
    for (int i = 0; i < count; ++i) {
        v[i] = iso_vec3_add(from_canonical(t, v[i]), iso_vec3_zero()); // turns -0 into 0
    }
}

// The triangles of the interface over the box edge from `low` to `high`, which is parallel to the
// given axis, each joined to the two face centres beside it.
static void join_edge(box* b, int low, int high, int axis) {
    int triangles[3][3] = {{low, high, b->medial[high]}};
    int triangle_count = 1;
    if (b->kind == MEDIAL_SEGMENT && axis == 2) {
        int pieces[3][3] = {{low, high, b->middle},
                            {low, b->middle, b->medial[low]},
                            {high, b->medial[high], b->middle}};
        for (int i = 0; i < 9; ++i) {
            triangles[i / 3][i % 3] = pieces[i / 3][i % 3];
        }
        triangle_count = 3;
    } else if (b->medial[low] != b->medial[high]) {
        // A quadrilateral, cut from its lower corner to the medial vertex of the upper one.
        triangles[1][0] = low;
        triangles[1][1] = b->medial[high];
        triangles[1][2] = b->medial[low];
        triangle_count = 2;
    }
    for (int other = 0; other < 3; ++other) {
        if (other != axis) {
            int centre = b->faces[2 * other + (low >> (2 - other) & 1)];
            for (int i = 0; i < triangle_count; ++i) {
                append_oriented(b, triangles[i][0], triangles[i][1], triangles[i][2], centre);
            }
        }
    }
}

iso_status iso_tessellate_box(iso_context* ctx, iso_vec3 edges, iso_tet_mesh* out_mesh,
                              double** out_extents) {
    static const int k_vertex_counts[] = {15, 17, 18};
    static const int k_tet_counts[] = {24, 40, 44};
    iso_vec3 half = iso_vec3_scale(edges, 0.5);
    turn t;
    box b = {.mesh = out_mesh};
    b.kind = classify(half, &t);
    iso_status status = iso_tessellate_allocate(ctx, k_vertex_counts[b.kind], k_tet_counts[b.kind],
                                                out_mesh, out_extents);
    if (status != ISO_OK) {
        return status;
    }
    place_vertices(&b, canonical_half(t, half), t, *out_extents);
    for (int axis = 0; axis < 3; ++axis) {
        int bit = 4 >> axis;
        for (int low = 0; low < 8; ++low) {
            if (!(low & bit)) {
                join_edge(&b, low, low | bit, axis);
            }
        }
    }
    if (b.kind == MEDIAL_RECTANGLE) {
        // Seen from both wide faces, cut from (-y, +z) to (+y, -z).
        int down = b.medial[1], up = b.medial[2];
        for (int face = 0; face < 2; ++face) {
            append_oriented(&b, down, up, b.medial[3], b.faces[face]);
            append_oriented(&b, down, up, b.medial[0], b.faces[face]);
        }
    }
    return ISO_OK;
}
