// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The row of pressure fields in the table of contact models.

#include "contact/pressure_field/pressure_field.h"

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pressure_field/derivative.h"
#include "contact/pressure_field/extent_rate.h"
#include "contact/pressure_field/face.h"
#include "contact/pressure_field/point_fill.h"
#include "contact/pressure_field/sheet.h"
#include "contact/stick/point_step.h"
#include "surface/pairs/pair_query.h"

#include <math.h>
#include <string.h>

static iso_status prepare_parts(iso_contact_system* system) {
    return system->options.damping == ISO_DAMPING_EXTENT_RATE
               ? iso_contact_make_extent_gradients(system)
               : ISO_OK;
}

// Two half spaces overlap without end.
static iso_status check_half_spaces(iso_context* ctx, const iso_contact_system* system, int a,
                                    int b) {
    const iso_contact_geometry* ga = &system->geometries[a];
    const iso_contact_geometry* gb = &system->geometries[b];
    ISO_REQUIRE(ctx, !system->parts[a].is_half_space || !system->parts[b].is_half_space,
                ISO_ERR_GEOMETRY,
                "geometries '%s' of '%s' (%s) and '%s' of '%s' (%s) are both half spaces and may "
                "meet; replace one by a box or filter the pair",
                ga->name, ga->body_name, iso_contact_source(ga), gb->name, gb->body_name,
                iso_contact_source(gb));
    return ISO_OK;
}

// Of two rigid bodies one carries a layer.
static iso_status prepare_pair(iso_context* ctx, iso_contact_system* system, int a, int b) {
    iso_status status = check_half_spaces(ctx, system, a, b);
    if (status != ISO_OK || !system->parts[a].is_rigid || !system->parts[b].is_rigid) {
        return status;
    }
    const iso_contact_geometry *u = &system->geometries[a], *v = &system->geometries[b];
    const iso_contact_geometry* g = iso_contact_shape_carries_layer(u->shape, v->shape) ? u : v;
    status = iso_contact_shape_prepare_layer(ctx, g->shape, &system->options);
    return status == ISO_OK ? ISO_OK
                            : iso_fail_prefix(ctx, status, "%s: geometry '%s' of '%s'",
                                              iso_contact_source(g), g->name, g->body_name);
}

static bool is_shared(const iso_contact_system* system, int a, int b) {
    return iso_pair_is_shared(system->geometries[a].shape, &system->x_wg[a],
                              system->geometries[b].shape, &system->x_wg[b]);
}

static iso_status find_patch(iso_contact_system* system, iso_search_threads* search_threads,
                             iso_arena* arena, int a, int b, iso_contact_manifold* out) {
    iso_status status = iso_pair_query_with(search_threads, arena, system->geometries[a].shape,
                                            &system->x_wg[a], system->geometries[b].shape,
                                            &system->x_wg[b], &system->options, &out->patch);
    if (status != ISO_OK || out->patch.face_count == 0) {
        return status;
    }
    iso_patch_sides* sides = iso_arena_push(arena, sizeof *sides);
    ISO_REQUIRE(system->ctx, sides, ISO_ERR_MEMORY, "sides of a patch");
    *sides = iso_patch_find_sides(&out->patch);
    out->own = sides;
    out->is_touching = true;
    return ISO_OK;
}

static const void* copy_array(iso_arena* arena, const void* from, int count, size_t size,
                              bool* is_good) {
    void* to = iso_arena_push_array(arena, count, size);
    if (!to) {
        *is_good = false;
        return NULL;
    }
    if (count > 0) {
        memcpy(to, from, (size_t)count * size);
    }
    return to;
}

static bool copy_patch(iso_arena* arena, iso_contact_manifold* manifold) {
    iso_patch* p = &manifold->patch;
    bool is_good = true;
    int faces = p->face_count, vertices = p->vertex_count;
    p->face_offsets =
        copy_array(arena, p->face_offsets, faces + 1, sizeof *p->face_offsets, &is_good);
    p->vertices = copy_array(arena, p->vertices, vertices, sizeof *p->vertices, &is_good);
    p->vertex_pressures =
        copy_array(arena, p->vertex_pressures, vertices, sizeof *p->vertex_pressures, &is_good);
    p->areas = copy_array(arena, p->areas, faces, sizeof *p->areas, &is_good);
    p->centroids = copy_array(arena, p->centroids, faces, sizeof *p->centroids, &is_good);
    p->normals = copy_array(arena, p->normals, faces, sizeof *p->normals, &is_good);
    p->pressures = copy_array(arena, p->pressures, faces, sizeof *p->pressures, &is_good);
    p->gradients_a = copy_array(arena, p->gradients_a, faces, sizeof *p->gradients_a, &is_good);
    p->gradients_b = copy_array(arena, p->gradients_b, faces, sizeof *p->gradients_b, &is_good);
    p->elements = copy_array(arena, p->elements, faces, sizeof *p->elements, &is_good);
    return is_good;
}

static iso_status complete_pair(const iso_contact_system* system, iso_contact_pair* pair,
                                iso_arena* arena) {
    double pressure = fmax(pair->patch.max_pressure, 0.0);
    pair->extent_a = pressure / system->parts[pair->geometry_a].max_pressure;
    pair->extent_b = pressure / system->parts[pair->geometry_b].max_pressure;
    return iso_contact_find_face_dissipations(system, system->x_wg, pair, arena);
}

static iso_status find_sheets(const iso_contact_system* system, iso_contact_set* set,
                              iso_arena* arena) {
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_patch_sides* sides = iso_arena_push_array(arena, set->pair_count, sizeof *sides);
    ISO_REQUIRE(system->ctx, sides, ISO_ERR_MEMORY, "sides of %d contact pairs", set->pair_count);
    for (int i = 0; i < set->pair_count; ++i) {
        bool is_own = set->pairs[i].model == &iso_pressure_field_model;
        sides[i] = is_own ? *(const iso_patch_sides*)set->pairs[i].own : (iso_patch_sides){0};
    }
    iso_status status = iso_contact_find_sheets(sides, system->geometry_count, set, arena);
    iso_arena_release(arena, mark);
    return status;
}

static iso_vec3 mean_normal(const iso_contact_pair* pair) {
    const iso_patch* patch = &pair->patch;
    iso_vec3 normal = iso_vec3_zero();
    for (int f = 0; f < patch->face_count; ++f) {
        normal = iso_vec3_add_scaled(normal, patch->normals[f], patch->areas[f]);
    }
    return iso_vec3_normalized(normal);
}

static iso_vec3 loaded_normal(const iso_contact_pair* pair) {
    const iso_patch* patch = &pair->patch;
    iso_vec3 normal = iso_vec3_zero();
    for (int f = 0; f < patch->face_count; ++f) {
        double load = patch->areas[f] * fmax(patch->pressures[f], 0.0);
        normal = iso_vec3_add_scaled(normal, patch->normals[f], load);
    }
    return iso_vec3_normalized(normal);
}

static iso_status find_derivatives(const iso_contact_system* system, const iso_contact_pair* pair,
                                   iso_spatial v_c, iso_contact_derivatives* out) {
    return iso_contact_wrench_derivatives(system, pair, &pair->x_wa, &pair->x_wb, v_c, out);
}

static iso_contact_stiffness find_stiffness(const iso_contact_pair* pair) {
    const iso_patch* patch = &pair->patch;
    iso_contact_stiffness sum = {0.0, 0.0};
    for (int f = 0; f < patch->face_count; ++f) {
        if (!(patch->pressures[f] > 0.0)) {
            continue;
        }
        double a = iso_vec3_norm(patch->gradients_a[f]), b = iso_vec3_norm(patch->gradients_b[f]);
        double slope =
            patch->is_rigid_a ? b : (patch->is_rigid_b ? a : a * b / fmax(a + b, 1e-300));
        sum.stiffness += patch->areas[f] * slope;
        sum.force += patch->areas[f] * patch->pressures[f];
    }
    return sum;
}

static iso_status find_exact_energy(const iso_contact_system* system, const iso_contact_pair* pair,
                                    iso_elastic_energy* out_energy) {
    return iso_contact_exact_energy(pair, system->geometries[pair->geometry_a].shape, &pair->x_wa,
                                    system->geometries[pair->geometry_b].shape, &pair->x_wb,
                                    out_energy);
}

static iso_status begin_step(const iso_contact_step_input* input, iso_contact_step* out_step) {
    iso_compliant_points* points = iso_arena_push(input->arena, sizeof *points);
    ISO_REQUIRE(input->arena->ctx, points, ISO_ERR_MEMORY, "points of a contact");
    iso_status status = iso_compliant_points_build(
        input->system, input->pair, iso_point_step_law(input->law), input->dt, input->v_c0,
        &input->u_c0, input->delassus, input->arena, points);
    return status == ISO_OK ? iso_point_step_begin(input, points, out_step) : status;
}

const iso_contact_model iso_pressure_field_model = {
    .name = "pressure_field",
    .kind = ISO_MANIFOLD_PATCH,
    .prepare_parts = prepare_parts,
    .prepare = prepare_pair,
    .is_shared = is_shared,
    .find = find_patch,
    .own_size = sizeof(iso_patch_sides),
    .copy = copy_patch,
    .complete = complete_pair,
    .join = find_sheets,
    .normal = mean_normal,
    .loaded_normal = loaded_normal,
    .wrench = iso_contact_patch_wrench,
    .presses = iso_contact_patch_press,
    .derivatives = find_derivatives,
    .stiffness = find_stiffness,
    .energy = iso_contact_elastic_energy,
    .exact_energy = find_exact_energy,
    .begin_step = begin_step,
    .smooth = iso_point_step_smooth,
    .end_step = iso_point_step_end,
    .book = iso_point_step_book,
    .memory_energy = iso_stick_memory_energy,
    .memory_is_usable = iso_stick_memory_is_usable,
};
