// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "field/structure/field.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/values/hash.h"
#include "field/structure/field_cells.h"
#include "field/structure/field_marks.h"
#include "field/structure/field_slabs.h"
#include "geometry/mesh/mesh.h"

// A point this far outside a face, relative to the mesh, still counts as inside.
#define INSIDE_TOLERANCE 1e-12

static iso_vec3 vertex_of(const iso_tet_mesh* mesh, int tet, int corner) {
    return mesh->vertices[mesh->tets[tet][corner]];
}

// Gradient of the affine piece: sum of (p_i - p_0) times the gradient of barycentric coordinate i,
// which is the inward area vector of the face opposite i over three times the volume.
static iso_affine fit_piece(const iso_field* field, int tet) {
    const iso_tet_mesh* mesh = &field->mesh;
    iso_vec3 v0 = vertex_of(mesh, tet, 0);
    iso_vec3 a = iso_vec3_sub(vertex_of(mesh, tet, 1), v0);
    iso_vec3 b = iso_vec3_sub(vertex_of(mesh, tet, 2), v0);
    iso_vec3 c = iso_vec3_sub(vertex_of(mesh, tet, 3), v0);
    iso_vec3 bc = iso_vec3_cross(b, c);
    double six_volume = iso_vec3_dot(a, bc);
    const int* index = mesh->tets[tet];
    double p0 = field->pressures[index[0]];
    iso_vec3 g = iso_vec3_scale(bc, field->pressures[index[1]] - p0);
    g = iso_vec3_add_scaled(g, iso_vec3_cross(c, a), field->pressures[index[2]] - p0);
    g = iso_vec3_add_scaled(g, iso_vec3_cross(a, b), field->pressures[index[3]] - p0);
    g = iso_vec3_scale(g, 1.0 / six_volume);
    return (iso_affine){g, p0 - iso_vec3_dot(g, v0)};
}

static void fill_box(const iso_field* field, int tet, iso_bvh_box* box) {
    *box = (iso_bvh_box){vertex_of(&field->mesh, tet, 0), vertex_of(&field->mesh, tet, 0), INFINITY,
                         -INFINITY};
    for (int corner = 0; corner < 4; ++corner) {
        iso_vec3 v = vertex_of(&field->mesh, tet, corner);
        double p = field->pressures[field->mesh.tets[tet][corner]];
        box->lower = iso_vec3_min(box->lower, v);
        box->upper = iso_vec3_max(box->upper, v);
        box->low = p < box->low ? p : box->low;
        box->high = p > box->high ? p : box->high;
    }
}

static void summarize(iso_field* field) {
    const iso_tet_mesh* mesh = &field->mesh;
    iso_vec3 center = iso_vec3_lerp(field->tree.bounds.lower, field->tree.bounds.upper, 0.5);
    field->min_pressure = INFINITY;
    field->max_pressure = -INFINITY;
    for (int i = 0; i < mesh->vertex_count; ++i) {
        double p = field->pressures[i];
        iso_vec3 v = mesh->vertices[i];
        field->min_pressure = p < field->min_pressure ? p : field->min_pressure;
        field->max_pressure = p > field->max_pressure ? p : field->max_pressure;
        field->size = fmax(field->size, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
        field->radius = fmax(field->radius, iso_vec3_distance(v, center));
    }
    for (int i = 0; i < mesh->tet_count; ++i) {
        double g = iso_vec3_norm(fit_piece(field, i).gradient);
        field->max_gradient = g > field->max_gradient ? g : field->max_gradient;
        field->volume += iso_tet_mesh_tet_volume(mesh, i);
    }
}

static void set_hash(iso_field* field) {
    const iso_tet_mesh* mesh = &field->mesh;
    uint64_t hash = ISO_HASH_SEED;
    size_t vertex_count = (size_t)mesh->vertex_count;
    hash = iso_hash_bytes(hash, mesh->vertices, vertex_count * sizeof *mesh->vertices);
    hash = iso_hash_bytes(hash, mesh->tets, (size_t)mesh->tet_count * sizeof *mesh->tets);
    field->hash = iso_hash_bytes(hash, field->pressures, vertex_count * sizeof *field->pressures);
}

static iso_status check_mesh(iso_context* ctx, const iso_field* field) {
    const iso_tet_mesh* mesh = &field->mesh;
    ISO_REQUIRE(ctx, mesh->tet_count > 0 && mesh->tet_count <= ISO_FIELD_MOST_TETS,
                ISO_ERR_GEOMETRY, "pressure field over %d tetrahedra, expected 1 to %d",
                mesh->tet_count, ISO_FIELD_MOST_TETS);
    for (int i = 0; i < mesh->vertex_count; ++i) {
        ISO_REQUIRE(ctx, iso_vec3_is_finite(mesh->vertices[i]) && isfinite(field->pressures[i]),
                    ISO_ERR_NUMERIC, "vertex %d of the pressure field is not finite", i);
    }
    for (int i = 0; i < mesh->tet_count; ++i) {
        iso_vec3 v0 = vertex_of(mesh, i, 0);
        double six_volume = iso_vec3_dot(iso_vec3_sub(vertex_of(mesh, i, 1), v0),
                                         iso_vec3_cross(iso_vec3_sub(vertex_of(mesh, i, 2), v0),
                                                        iso_vec3_sub(vertex_of(mesh, i, 3), v0)));
        iso_vec3 g = fit_piece(field, i).gradient;
        ISO_REQUIRE(ctx, six_volume > 0.0 && iso_vec3_is_finite(g), ISO_ERR_GEOMETRY,
                    "tetrahedron %d has volume %g m^3, expected > 0", i, six_volume / 6.0);
    }
    return ISO_OK;
}

// What contact with another field needs, beside the cells.
static iso_status prepare_walks(iso_context* ctx, iso_field* field) {
    iso_status status = ISO_OK;
    set_hash(field);
    ISO_TRY(iso_field_join_cells(ctx, field));
    ISO_TRY(iso_field_make_marks(ctx, field));

done:
    return status;
}

static iso_status create(iso_context* ctx, iso_tet_mesh* mesh, double* pressures, bool meets_fields,
                         iso_field** out_field) {
    *out_field = NULL;
    iso_status status = ISO_OK;
    iso_bvh_box* boxes = NULL;
    iso_field* field = iso_alloc_zeroed(ctx, sizeof *field);
    if (!field) {
        iso_tet_mesh_destroy(ctx, mesh);
        iso_free(ctx, pressures);
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "pressure field");
    }
    field->mesh = *mesh;
    field->pressures = pressures;
    *mesh = (iso_tet_mesh){0};
    ISO_TRY(check_mesh(ctx, field));
    boxes = iso_alloc_array(ctx, field->mesh.tet_count, sizeof *boxes);
    ISO_CHECK(ctx, boxes, ISO_ERR_MEMORY, "boxes of %d tetrahedra", field->mesh.tet_count);
    for (int i = 0; i < field->mesh.tet_count; ++i) {
        fill_box(field, i, &boxes[i]);
    }
    ISO_TRY(meets_fields ? iso_bvh_build(ctx, boxes, field->mesh.tet_count, &field->tree)
                         : iso_bvh_build_packed(ctx, boxes, field->mesh.tet_count, &field->tree));
    summarize(field);
    ISO_TRY(iso_field_make_cells(ctx, field));
    ISO_TRY(iso_field_make_slabs(ctx, field));
    if (meets_fields) {
        ISO_TRY(prepare_walks(ctx, field));
    }
    *out_field = field;

done:
    iso_free(ctx, boxes);
    if (status != ISO_OK) {
        iso_field_destroy(ctx, field);
    }
    return status;
}

iso_status iso_field_create(iso_context* ctx, iso_tet_mesh* mesh, double* pressures,
                            iso_field** out_field) {
    return create(ctx, mesh, pressures, true, out_field);
}

iso_status iso_field_create_for_surfaces(iso_context* ctx, iso_tet_mesh* mesh, double* pressures,
                                         iso_field** out_field) {
    return create(ctx, mesh, pressures, false, out_field);
}

void iso_field_destroy(iso_context* ctx, iso_field* field) {
    if (!field) {
        return;
    }
    iso_tet_mesh_destroy(ctx, &field->mesh);
    iso_free(ctx, field->pressures);
    iso_free(ctx, field->cells);
    iso_free(ctx, field->points);
    iso_free(ctx, field->slopes);
    iso_free(ctx, field->turns);
    iso_free(ctx, field->slabs);
    iso_field_marks_destroy(ctx, &field->marks);
    iso_bvh_destroy(ctx, &field->tree);
    iso_free(ctx, field);
}

static void* copy_array(iso_arena* arena, const void* from, int count, size_t size) {
    void* to = iso_arena_push_array(arena, count, size);
    if (to && count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
    return to;
}

// The same tree with wider intervals.
static bool widen_tree(iso_arena* arena, double more, iso_bvh* tree) {
    float share = (float)(2.0 * more);
    tree->nodes = copy_array(arena, tree->nodes, tree->node_count, sizeof *tree->nodes);
    for (int i = 0; tree->nodes && i < 2 * tree->node_count; ++i) {
        iso_bvh_node* node = &tree->nodes[i / 2];
        float low = node->low[i % 2], high = node->high[i % 2];
        node->low[i % 2] = nextafterf(low - share * fabsf(low), -INFINITY);
        node->high[i % 2] = nextafterf(high + share * fabsf(high), INFINITY);
    }
    return tree->nodes;
}

static bool stiffen_slopes(iso_arena* arena, double more, iso_field* out) {
    if (!out->slopes) { // it meets surfaces alone
        return true;
    }
    out->slopes = copy_array(arena, out->slopes, out->tree.node_count, sizeof *out->slopes);
    float shift = (float)(2.0 * more * fmax(fabs(out->min_pressure), fabs(out->max_pressure)));
    float spread = (float)(2.0 * more * out->max_gradient);
    for (int i = 0; out->slopes && i < 2 * out->tree.node_count; ++i) {
        iso_field_slope* slope = &out->slopes[i / 2];
        int side = i % 2;
        for (int axis = 0; axis < 3; ++axis) {
            slope->half[axis][side] = nextafterf(slope->half[axis][side] + spread, INFINITY);
        }
        slope->least[side] = nextafterf(slope->least[side] - shift, -INFINITY);
        slope->most[side] = nextafterf(slope->most[side] + shift, INFINITY);
    }
    return out->slopes;
}

static bool stiffen_cells(iso_arena* arena, double factor, iso_field* out) {
    int count = out->mesh.tet_count, vertex_count = out->mesh.vertex_count;
    out->cells = copy_array(arena, out->cells, count, sizeof *out->cells);
    out->points = copy_array(arena, out->points, vertex_count, sizeof *out->points);
    out->pressures = copy_array(arena, out->pressures, vertex_count, sizeof *out->pressures);
    if (!out->cells || !out->points || !out->pressures) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        iso_affine* piece = &out->cells[i].piece;
        piece->gradient = iso_vec3_scale(piece->gradient, factor);
        piece->offset *= factor;
    }
    for (int i = 0; i < vertex_count; ++i) {
        out->points[i].x[3] *= factor;
        out->pressures[i] *= factor;
    }
    return true;
}

iso_status iso_field_stiffen(iso_arena* arena, const iso_field* field, double factor,
                             iso_field* out_field) {
    *out_field = *field;
    double more = fabs(factor - 1.0);
    iso_field_marks* marks = &out_field->marks;
    iso_bvh* trees[] = {&out_field->tree, &marks->level, &marks->loose, &marks->shell};
    bool ok = stiffen_slopes(arena, more, out_field) && stiffen_cells(arena, factor, out_field);
    for (size_t i = 0; i < sizeof trees / sizeof *trees && ok; ++i) {
        ok = trees[i]->leaf_count == 0 || widen_tree(arena, more, trees[i]);
    }
    ISO_REQUIRE(arena->ctx, ok, ISO_ERR_MEMORY, "a field of %d tetrahedra", field->mesh.tet_count);
    marks->lowest *= factor;
    out_field->min_pressure *= factor;
    out_field->max_pressure *= factor;
    out_field->max_gradient *= factor;
    return ISO_OK;
}

iso_affine iso_field_piece(const iso_field* field, int tet) {
    return fit_piece(field, tet);
}

bool iso_field_cell_contains(const iso_field_cell* cell, iso_vec3 p, double tolerance) {
    for (int face = 0; face < 4; ++face) {
        double distance = cell->planes[0][face] * p.x + cell->planes[1][face] * p.y +
                          cell->planes[2][face] * p.z + cell->planes[3][face];
        if (distance < -tolerance) {
            return false;
        }
    }
    return true;
}

bool iso_field_value(const iso_field* field, iso_vec3 p, double* out_pressure) {
    int found = -1;
    double tolerance = INSIDE_TOLERANCE * field->size;
    iso_bvh_visit visit;
    iso_bvh_visit_begin(&visit);
    for (int leaf; (leaf = iso_bvh_visit_next(&field->tree, p, &visit)) >= 0;) {
        int begin = leaf * ISO_BVH_LEAF_SIZE;
        for (int cell = begin; cell < begin + ISO_BVH_LEAF_SIZE && cell < field->mesh.tet_count;
             ++cell) {
            int tet = field->tree.elements[cell];
            if (iso_field_cell_contains(&field->cells[cell], p, tolerance) &&
                (found < 0 || tet < found)) {
                found = tet;
                *out_pressure = iso_affine_eval(field->cells[cell].piece, p);
            }
        }
    }
    return found >= 0;
}
