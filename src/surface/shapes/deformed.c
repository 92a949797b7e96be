// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/shapes/deformed.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "geometry/mesh/mesh.h"
#include "surface/clipping/tet_cut.h"
#include "surface/faces/pressed_face.h"
#include "surface/shapes/contact_shape_data.h"

#include <stdlib.h>

// Pieces below this share of their tetrahedron are rounding; they count as displaced.
#define SLIVER_SHARE 1e-16

// Fields this equal, relative to their gradient and largest pressure, have no surface between them
// (as in patches); both bodies keep what is inside both.
#define EQUAL_TOLERANCE 1e-12

// A face of a tetrahedral mesh, to find those of one tetrahedron only.
typedef struct mesh_face {
    int key[3]; // sorted
    int tet, side;
} mesh_face;

static void sort_key(int key[3]) {
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) {
            if (key[j] > key[j + 1]) {
                int swap = key[j];
                key[j] = key[j + 1];
                key[j + 1] = swap;
            }
        }
    }
}

static int compare_faces(const void* a, const void* b) {
    const mesh_face *x = a, *y = b;
    for (int i = 0; i < 3; ++i) {
        if (x->key[i] != y->key[i]) {
            return x->key[i] < y->key[i] ? -1 : 1;
        }
    }
    return 0;
}

// How many corners of a tetrahedron have a negative pressure: they lie in the margin.
static int margin_corners(const iso_field* field, int tet) {
    int count = 0;
    for (int k = 0; k < 4; ++k) {
        count += field->pressures[field->mesh.tets[tet][k]] < 0.0;
    }
    return count;
}

// False when a tetrahedron lies in the margin.
static bool is_body(const iso_field* field, int tet) {
    bool is_inside = margin_corners(field, tet) == 0;
    for (int k = 0; k < 4; ++k) {
        is_inside = is_inside || field->pressures[field->mesh.tets[tet][k]] > 0.0;
    }
    return is_inside;
}

// One bit per face of every tetrahedron that no other tetrahedron of the body shares.
static iso_status find_skin(iso_context* ctx, const iso_field* field, int* out_skin) {
    const iso_tet_mesh* mesh = &field->mesh;
    mesh_face* faces = iso_alloc_array(ctx, mesh->tet_count, 4 * sizeof *faces);
    ISO_REQUIRE(ctx, faces, ISO_ERR_MEMORY, "faces of %d tetrahedra", mesh->tet_count);
    int count = 0;
    for (int t = 0; t < mesh->tet_count; ++t) {
        out_skin[t] = 0;
        for (int k = 0; k < 4 && is_body(field, t); ++k) {
            const int* c = k_tet_faces[k];
            mesh_face face = {
                {mesh->tets[t][c[0]], mesh->tets[t][c[1]], mesh->tets[t][c[2]]}, t, k};
            sort_key(face.key);
            faces[count++] = face;
        }
    }
    qsort(faces, (size_t)count, sizeof *faces, compare_faces);
    for (int i = 0; i < count; ++i) {
        bool is_shared = (i > 0 && compare_faces(&faces[i], &faces[i - 1]) == 0) ||
                         (i + 1 < count && compare_faces(&faces[i], &faces[i + 1]) == 0);
        out_skin[faces[i].tet] |= is_shared ? 0 : 1 << faces[i].side;
    }
    iso_free(ctx, faces);
    return ISO_OK;
}

// An affine function of frame B in frame A.
static iso_affine move_affine(iso_affine f, const iso_pose* x_ab) {
    iso_vec3 g = iso_mat3_mul_vec3(&x_ab->r, f.gradient);
    return (iso_affine){g, f.offset - iso_vec3_dot(g, x_ab->p)};
}

static iso_affine subtract(iso_affine a, iso_affine b) {
    return (iso_affine){iso_vec3_sub(a.gradient, b.gradient), a.offset - b.offset};
}

// The region of one tetrahedron, in the frame of x; positive inside.
static iso_tet_cut_region region_of(const iso_field* field, int tet, const iso_pose* x) {
    iso_tet_cut_region region = {.plane_count = 4};
    iso_vec3 v[4];
    for (int k = 0; k < 4; ++k) {
        v[k] = iso_pose_point(x, field->mesh.vertices[field->mesh.tets[tet][k]]);
    }
    for (int k = 0; k < 4; ++k) {
        const int* c = k_tet_faces[k];
        iso_vec3 n = iso_vec3_normalized(iso_triangle_area_vector(v[c[0]], v[c[1]], v[c[2]]));
        region.planes[k] = (iso_affine){iso_vec3_neg(n), iso_vec3_dot(n, v[c[0]])};
    }
    return region;
}

// What the work on one tetrahedron needs.
typedef struct carver {
    iso_context* ctx;
    const iso_field* field;
    const iso_pose* x_w;
    iso_tet_cut_list pieces, spare;
    double removed;
} carver;

static bool is_apart(const iso_bvh_box* box, iso_vec3 lower, iso_vec3 upper) {
    return box->lower.x > upper.x || box->lower.y > upper.y || box->lower.z > upper.z ||
           box->upper.x < lower.x || box->upper.y < lower.y || box->upper.z < lower.z;
}

// Bounds of a tetrahedron in the frame of another body.
static void bounds_in(const iso_field* field, int tet, const iso_pose* x_ba, iso_vec3* out_lower,
                      iso_vec3* out_upper) {
    iso_vec3 v[4];
    for (int k = 0; k < 4; ++k) {
        v[k] = iso_pose_point(x_ba, field->mesh.vertices[field->mesh.tets[tet][k]]);
    }
    iso_points_bounds(v, 4, out_lower, out_upper);
}

// Leave of a region what has the larger pressure of another body; false when that is nowhere.
static bool add_larger(iso_tet_cut_region* region, iso_affine own, iso_affine theirs,
                       double max_pressure) {
    iso_affine difference = subtract(theirs, own);
    if (iso_vec3_norm(difference.gradient) > EQUAL_TOLERANCE * iso_vec3_norm(own.gradient)) {
        // Last, so that its cut lies on the contact surface and nowhere else.
        region->planes[region->plane_count++] = difference;
        return true;
    }
    return difference.offset > EQUAL_TOLERANCE * max_pressure;
}

static iso_status carve_field(carver* c, int tet, const iso_field* other, const iso_pose* x_ab) {
    iso_pose x_ba = iso_pose_inverse(x_ab);
    iso_vec3 lower, upper;
    bounds_in(c->field, tet, &x_ba, &lower, &upper);
    iso_affine own = iso_field_piece(c->field, tet);
    for (int leaf = 0; leaf < other->tree.leaf_count; ++leaf) {
        iso_bvh_box box = iso_bvh_leaf_box(&other->tree, leaf);
        if (is_apart(&box, lower, upper)) {
            continue;
        }
        for (int lane = 0; lane < ISO_BVH_LEAF_SIZE; ++lane) {
            int t = other->tree.elements[leaf * ISO_BVH_LEAF_SIZE + lane];
            if (t < 0 || !is_body(other, t)) {
                continue;
            }
            iso_tet_cut_region region = region_of(other, t, x_ab);
            if (!add_larger(&region, own, move_affine(iso_field_piece(other, t), x_ab),
                            other->max_pressure)) {
                continue;
            }
            iso_status status =
                iso_tet_cut_convex(c->ctx, &c->pieces, &region, &c->spare, &c->removed);
            if (status != ISO_OK) {
                return status;
            }
        }
    }
    return ISO_OK;
}

static iso_status carve_half_space(carver* c, int tet, const iso_half_space* other,
                                   const iso_pose* x_ab) {
    iso_affine depth = move_affine((iso_affine){iso_vec3_make(0.0, 0.0, -1.0), 0.0}, x_ab);
    iso_tet_cut_region region = {.plane_count = 1, .planes = {depth}};
    if (other->slope > 0.0) {
        iso_affine theirs = {iso_vec3_scale(depth.gradient, other->slope),
                             depth.offset * other->slope};
        region.planes[region.plane_count++] = subtract(theirs, iso_field_piece(c->field, tet));
    }
    return iso_tet_cut_convex(c->ctx, &c->pieces, &region, &c->spare, &c->removed);
}

// `solid`: the surface of a closed rigid shape in the frame of the body that is carved.
static iso_status carve_tet(carver* c, int tet, const iso_deformer* other,
                            const iso_tet_cut_body* solid) {
    iso_pose x_ab = iso_pose_inverse_mul(c->x_w, &other->x_w);
    if (other->shape->is_half_space) {
        return carve_half_space(c, tet, &other->shape->half_space, &x_ab);
    }
    if (other->shape->field) {
        return carve_field(c, tet, other->shape->field, &x_ab);
    }
    iso_vec3 lower, upper, low, high;
    bounds_in(c->field, tet, &(iso_pose){iso_mat3_identity(), iso_vec3_zero()}, &lower, &upper);
    iso_points_bounds(solid->mesh.vertices, solid->mesh.vertex_count, &low, &high);
    if (is_apart(&(iso_bvh_box){low, high, 0.0, 0.0}, lower, upper)) {
        return ISO_OK;
    }
    return iso_tet_cut_solid(c->ctx, &c->pieces, solid, &c->spare, &c->removed);
}

// The deformed body as it grows.
typedef struct builder {
    iso_context* ctx;
    ISO_ARRAY(iso_vec3) tet_vertices;
    ISO_ARRAY(double) tet_pressures;
    ISO_ARRAY(iso_vec3) skin_vertices;
    ISO_ARRAY(double) skin_pressures;
    ISO_ARRAY(bool) contact;
    double volume, displaced;
} builder;

static iso_status put_triangle(builder* b, const iso_vec3 v[3], const double p[3],
                               bool is_contact) {
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE(b->ctx, &b->skin_vertices, b->skin_vertices.count + 3));
    ISO_TRY(ISO_ARRAY_RESERVE(b->ctx, &b->skin_pressures, b->skin_pressures.count + 3));
    ISO_TRY(ISO_ARRAY_GROW(b->ctx, &b->contact));
    for (int k = 0; k < 3; ++k) {
        b->skin_vertices.data[b->skin_vertices.count++] = v[k];
        b->skin_pressures.data[b->skin_pressures.count++] = p[k];
    }
    b->contact.data[b->contact.count++] = is_contact;

done:
    return status;
}

static iso_status put_piece(builder* b, const iso_tet_cut_piece* piece, iso_affine pressure,
                            const iso_pose* x_w) {
    iso_vec3 v[4];
    double p[4];
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE(b->ctx, &b->tet_vertices, b->tet_vertices.count + 4));
    ISO_TRY(ISO_ARRAY_RESERVE(b->ctx, &b->tet_pressures, b->tet_pressures.count + 4));
    for (int k = 0; k < 4; ++k) {
        v[k] = iso_pose_point(x_w, piece->v[k]);
        p[k] = iso_affine_eval(pressure, piece->v[k]);
        b->tet_vertices.data[b->tet_vertices.count++] = v[k];
        b->tet_pressures.data[b->tet_pressures.count++] = p[k];
    }
    for (int k = 0; k < 4; ++k) {
        if (piece->skin >> k & 1) {
            const int* c = k_tet_faces[k];
            const iso_vec3 corners[3] = {v[c[0]], v[c[1]], v[c[2]]};
            const double pressures[3] = {p[c[0]], p[c[1]], p[c[2]]};
            ISO_TRY(put_triangle(b, corners, pressures, false));
        }
    }

done:
    return status;
}

// A polygon of a patch as a fan, turned outward.
static iso_status put_fan(builder* b, const iso_vec3* vertices, const double* pressures, int count,
                          bool is_of_a) {
    for (int i = 1; i + 1 < count; ++i) {
        // The normal leaves A.
        const int k[3] = {0, is_of_a ? i : i + 1, is_of_a ? i + 1 : i};
        const iso_vec3 v[3] = {vertices[k[0]], vertices[k[1]], vertices[k[2]]};
        const double p[3] = {pressures[k[0]], pressures[k[1]], pressures[k[2]]};
        iso_status status = put_triangle(b, v, p, true);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

// The faces of a patch; what lies in a margin is outside the bodies.
static iso_status put_patch(builder* b, const iso_patch* patch, bool is_of_a) {
    iso_status status = ISO_OK;
    for (int f = 0; f < patch->face_count && status == ISO_OK; ++f) {
        iso_pressed_face pressed;
        iso_patch_press_face(patch, f, &pressed);
        int first = patch->face_offsets[f];
        status = pressed.is_cut
                     ? put_fan(b, pressed.vertices, pressed.pressures, pressed.count, is_of_a)
                     : put_fan(b, patch->vertices + first, patch->vertex_pressures + first,
                               patch->face_offsets[f + 1] - first, is_of_a);
    }
    return status;
}

static bool takes_away(const iso_deformer* other) {
    return other->shape->is_half_space || other->shape->field || other->shape->is_closed;
}

// Everything of one tetrahedron.
static iso_status deform_tet(carver* c, builder* b, int tet, int skin, const iso_deformer* others,
                             const iso_tet_cut_body* solids, int other_count) {
    const iso_tet_mesh* mesh = &c->field->mesh;
    iso_tet_cut_piece whole = {.skin = skin};
    for (int k = 0; k < 4; ++k) {
        whole.v[k] = mesh->vertices[mesh->tets[tet][k]];
    }
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE(c->ctx, &c->pieces, 1));
    c->pieces.count = 1;
    c->pieces.data[0] = whole;
    c->removed = 0.0;
    iso_affine pressure = iso_field_piece(c->field, tet);
    if (margin_corners(c->field, tet) > 0) {
        ISO_TRY(iso_tet_cut_keep(c->ctx, &c->pieces, pressure, &c->spare));
    }
    for (int i = 0; i < other_count; ++i) {
        if (takes_away(&others[i])) {
            ISO_TRY(carve_tet(c, tet, &others[i], &solids[i]));
        }
    }
    double least = SLIVER_SHARE * iso_tet_cut_volume(&whole);
    for (int i = 0; i < c->pieces.count; ++i) {
        double volume = iso_tet_cut_volume(&c->pieces.data[i]);
        if (volume > least) {
            b->volume += volume;
            ISO_TRY(put_piece(b, &c->pieces.data[i], pressure, c->x_w));
        } else {
            c->removed += volume;
        }
    }
    b->displaced += c->removed;

done:
    return status;
}

static iso_status publish(builder* b, iso_deformed* out) {
    int tet_vertices = b->tet_vertices.count, skin_vertices = b->skin_vertices.count;
    *out = (iso_deformed){.vertex_count = tet_vertices + skin_vertices,
                          .tet_count = tet_vertices / 4,
                          .triangle_count = skin_vertices / 3,
                          .volume = b->volume,
                          .displaced_volume = b->displaced};
    out->vertices = iso_alloc_array(b->ctx, out->vertex_count, sizeof *out->vertices);
    out->pressures = iso_alloc_array(b->ctx, out->vertex_count, sizeof *out->pressures);
    out->tets = iso_alloc_array(b->ctx, out->tet_count, sizeof *out->tets);
    out->triangles = iso_alloc_array(b->ctx, out->triangle_count, sizeof *out->triangles);
    out->is_contact = iso_alloc_array(b->ctx, out->triangle_count, sizeof *out->is_contact);
    ISO_REQUIRE(b->ctx,
                out->vertices && out->pressures && out->tets && out->triangles && out->is_contact,
                ISO_ERR_MEMORY, "deformed body of %d tetrahedra", out->tet_count);
    for (int i = 0; i < tet_vertices; ++i) {
        out->vertices[i] = b->tet_vertices.data[i];
        out->pressures[i] = b->tet_pressures.data[i];
        out->tets[i / 4][i % 4] = i;
    }
    for (int i = 0; i < skin_vertices; ++i) {
        out->vertices[tet_vertices + i] = b->skin_vertices.data[i];
        out->pressures[tet_vertices + i] = b->skin_pressures.data[i];
        out->triangles[i / 3][i % 3] = tet_vertices + i;
    }
    for (int i = 0; i < out->triangle_count; ++i) {
        out->is_contact[i] = b->contact.data[i];
    }
    return ISO_OK;
}

static void free_builder(builder* b) {
    ISO_ARRAY_FREE(b->ctx, &b->tet_vertices);
    ISO_ARRAY_FREE(b->ctx, &b->tet_pressures);
    ISO_ARRAY_FREE(b->ctx, &b->skin_vertices);
    ISO_ARRAY_FREE(b->ctx, &b->skin_pressures);
    ISO_ARRAY_FREE(b->ctx, &b->contact);
}

// The surfaces of closed rigid shapes in the frame of the body.
static iso_status move_solids(iso_context* ctx, const iso_pose* x_w, const iso_deformer* others,
                              int other_count, iso_tet_cut_body* solids) {
    iso_status status = ISO_OK;
    for (int i = 0; i < other_count; ++i) {
        const iso_contact_shape* shape = others[i].shape;
        if (shape->is_half_space || shape->field || !shape->is_closed) {
            continue;
        }
        iso_tri_mesh* mesh = &solids[i].mesh;
        ISO_TRY(iso_tri_mesh_copy_scaled(ctx, &shape->surface, iso_vec3_make(1.0, 1.0, 1.0), mesh));
        iso_pose x = iso_pose_inverse_mul(x_w, &others[i].x_w);
        for (int k = 0; k < mesh->vertex_count; ++k) {
            mesh->vertices[k] = iso_pose_point(&x, mesh->vertices[k]);
        }
        ISO_TRY(iso_distance_tree_create(ctx, mesh, &solids[i].tree));
    }

done:
    return status;
}

iso_status iso_shape_deform(iso_context* ctx, const iso_contact_shape* shape, const iso_pose* x_w,
                            const iso_deformer* others, int other_count,
                            iso_deformed* out_deformed) {
    *out_deformed = (iso_deformed){0};
    ISO_REQUIRE(ctx, shape->field, ISO_ERR_ARGUMENT,
                "only a compliant body of tetrahedra has a deformed configuration");
    const iso_field* field = shape->field;
    carver c = {.ctx = ctx, .field = field, .x_w = x_w};
    builder b = {.ctx = ctx};
    iso_status status = ISO_OK;
    int* skin = iso_alloc_array(ctx, field->mesh.tet_count, sizeof *skin);
    iso_tet_cut_body* solids = iso_alloc_array(ctx, other_count, sizeof *solids);
    ISO_CHECK(ctx, skin && solids, ISO_ERR_MEMORY, "deformed body");
    ISO_TRY(find_skin(ctx, field, skin));
    ISO_TRY(move_solids(ctx, x_w, others, other_count, solids));
    for (int t = 0; t < field->mesh.tet_count; ++t) {
        if (is_body(field, t)) {
            ISO_TRY(deform_tet(&c, &b, t, skin[t], others, solids, other_count));
        }
    }
    for (int i = 0; i < other_count; ++i) {
        if (takes_away(&others[i])) {
            ISO_TRY(put_patch(&b, others[i].patch, !others[i].is_a));
        }
    }
    ISO_TRY(publish(&b, out_deformed));

done:
    for (int i = 0; solids && i < other_count; ++i) {
        iso_tri_mesh_destroy(ctx, &solids[i].mesh);
        iso_distance_tree_destroy(ctx, solids[i].tree);
    }
    iso_free(ctx, solids);
    iso_free(ctx, skin);
    ISO_ARRAY_FREE(ctx, &c.pieces);
    ISO_ARRAY_FREE(ctx, &c.spare);
    free_builder(&b);
    if (status != ISO_OK) {
        iso_deformed_destroy(ctx, out_deformed);
    }
    return status;
}

void iso_deformed_destroy(iso_context* ctx, iso_deformed* deformed) {
    if (deformed) {
        iso_free(ctx, deformed->vertices);
        iso_free(ctx, deformed->pressures);
        iso_free(ctx, deformed->tets);
        iso_free(ctx, deformed->triangles);
        iso_free(ctx, deformed->is_contact);
        *deformed = (iso_deformed){0};
    }
}
