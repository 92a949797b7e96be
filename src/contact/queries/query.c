// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/queries/query.h"
#include "contact/pressure_field/pressure_field.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "contact/pairs/material.h"
#include "contact/pressure_field/derivative.h"
#include "math/limits.h"
#include "surface/moments/moments.h"
#include "surface/pairs/pair_query.h"
#include "surface/shapes/contact_shape_data.h"

#include <stdio.h>
#include <string.h>

#define MAX_THREADS 256

// Largest entry of r^T r - 1 of a rotation.
#define ROTATION_TOLERANCE 1e-9

static const int k_no_offsets[1] = {0};

iso_query_desc iso_query_desc_default(void) {
    return (iso_query_desc){.options = iso_contact_options_default(), .thread_count = 1};
}

iso_query_motion iso_query_motion_default(void) {
    return (iso_query_motion){.p_wp = {0.0, 0.0, 0.0}};
}

iso_status iso_query_create(iso_context* ctx, const iso_query_desc* desc, iso_query** out_query) {
    ISO_REQUIRE(ctx, out_query, ISO_ERR_ARGUMENT, "out_query is required");
    *out_query = NULL;
    iso_query_desc used = desc ? *desc : iso_query_desc_default();
    ISO_REQUIRE(ctx, used.thread_count >= 1 && used.thread_count <= MAX_THREADS, ISO_ERR_RANGE,
                "thread count is %d, expected in [1, %d]", used.thread_count, MAX_THREADS);
    iso_status status = iso_contact_options_check(ctx, &used.options);
    if (status != ISO_OK) {
        return status;
    }
    iso_query* query = iso_alloc_zeroed(ctx, sizeof *query);
    ISO_REQUIRE(ctx, query, ISO_ERR_MEMORY, "query");
    query->ctx = ctx;
    query->options = used.options;
    query->workers = iso_alloc_array(ctx, used.thread_count, sizeof *query->workers);
    ISO_CHECK(ctx, query->workers, ISO_ERR_MEMORY, "%d workers of a query", used.thread_count);
    ISO_TRY(iso_arena_init(&query->arena, ctx, 0));
    while (query->thread_count < used.thread_count) {
        ISO_TRY(iso_arena_init(&query->workers[query->thread_count].arena, ctx, 0));
        ++query->thread_count;
    }
    ISO_TRY(iso_task_pool_create(ctx, used.thread_count, &query->pool));
    *out_query = query;

done:
    if (status != ISO_OK) {
        iso_query_destroy(query);
    }
    return status;
}

void iso_query_destroy(iso_query* query) {
    if (!query) {
        return;
    }
    if (query->pool) {
        iso_task_pool_destroy(query->pool);
    }
    for (int i = 0; i < query->thread_count; ++i) {
        iso_arena_destroy(&query->workers[i].arena);
    }
    iso_search_threads_destroy(&query->search_threads);
    iso_contact_system_destroy(query->ctx, query->system);
    iso_arena_destroy(&query->arena);
    iso_free(query->ctx, query->workers);
    iso_free(query->ctx, query);
}

iso_status iso_query_check_pose(iso_context* ctx, const iso_pose* x, const char* name, int index) {
    char label[64];
    snprintf(label, sizeof label, index >= 0 ? "%s[%d]" : "%s", name, index);
    ISO_REQUIRE(ctx, iso_pose_is_finite(x), ISO_ERR_NUMERIC, "pose %s is not finite", label);
    double reach = iso_vec3_max_abs(x->p);
    ISO_REQUIRE(ctx, reach <= ISO_FARTHEST, ISO_ERR_RANGE,
                "pose %s: a coordinate of p is %g m, expected at most %g", label, reach,
                ISO_FARTHEST);
    iso_mat3 square = iso_mat3_mul(iso_mat3_transpose(x->r), x->r);
    double error = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            error = fmax(error, fabs(square.m[i][j] - (i == j ? 1.0 : 0.0)));
        }
    }
    ISO_REQUIRE(ctx, error <= ROTATION_TOLERANCE, ISO_ERR_RANGE,
                "pose %s: r is no rotation, an entry of r^T r - 1 is %g, expected at most %g",
                label, error, ROTATION_TOLERANCE);
    double determinant = iso_mat3_determinant(&x->r);
    ISO_REQUIRE(ctx, determinant > 0.0, ISO_ERR_RANGE,
                "pose %s: r mirrors, its determinant is %g, expected 1", label, determinant);
    return ISO_OK;
}

static const char* kind_of(const iso_contact_shape* shape) {
    return iso_shape_kind_name(shape->primitive.kind);
}

iso_status iso_query_prepare_pair(iso_query* query, iso_contact_shape* a, iso_contact_shape* b) {
    iso_context* ctx = query->ctx;
    ISO_REQUIRE(ctx, !a->is_half_space || !b->is_half_space, ISO_ERR_GEOMETRY,
                "both shapes are half spaces, which overlap without end: replace one by a box");
    if (!a->is_rigid || !b->is_rigid) {
        return ISO_OK;
    }
    ISO_REQUIRE(ctx, a->is_closed || b->is_closed, ISO_ERR_GEOMETRY,
                "both shapes (%s, %s) are open rigid surfaces: close one or make one compliant",
                kind_of(a), kind_of(b));
    iso_contact_shape* shape = iso_contact_shape_carries_layer(a, b) ? a : b;
    iso_status status = iso_contact_shape_prepare_layer(ctx, shape, &query->options);
    if (status == ISO_OK) {
        iso_contact_shape_log_layer(ctx, shape, kind_of(shape));
    }
    return status;
}

static iso_status check_call(iso_query* query, iso_contact_shape* a, const iso_pose* x_wa,
                             iso_contact_shape* b, const iso_pose* x_wb) {
    ISO_REQUIRE(query->ctx, a && x_wa && b && x_wb, ISO_ERR_ARGUMENT,
                "a, x_wa, b and x_wb are required");
    iso_status status = iso_query_check_pose(query->ctx, x_wa, "x_wa", -1);
    if (status == ISO_OK) {
        status = iso_query_check_pose(query->ctx, x_wb, "x_wb", -1);
    }
    return status == ISO_OK ? iso_query_prepare_pair(query, a, b) : status;
}

iso_status iso_query_find_search_threads(iso_query* query, const iso_contact_shape* a,
                                         const iso_contact_shape* b,
                                         iso_search_threads** out_threads) {
    *out_threads = NULL;
    if (query->thread_count == 1 || !iso_pair_is_large(a, b)) {
        return ISO_OK;
    }
    *out_threads = &query->search_threads;
    return iso_search_threads_join(&query->search_threads, query->ctx, query->pool);
}

iso_status iso_query_patch(iso_query* query, iso_contact_shape* a, const iso_pose* x_wa,
                           iso_contact_shape* b, const iso_pose* x_wb, iso_patch* out_patch) {
    ISO_REQUIRE(query ? query->ctx : NULL, query && out_patch, ISO_ERR_ARGUMENT,
                "query and out_patch are required");
    *out_patch = (iso_patch){.face_offsets = k_no_offsets};
    iso_status status = ISO_OK;
    iso_search_threads* search_threads;
    ISO_TRY(check_call(query, a, x_wa, b, x_wb));
    ISO_TRY(iso_arena_reset(&query->arena));
    ISO_TRY(iso_query_find_search_threads(query, a, b, &search_threads));
    ISO_TRY(iso_pair_query_with(search_threads, &query->arena, a, x_wa, b, x_wb, &query->options,
                                out_patch));

done:
    if (status != ISO_OK || out_patch->face_count == 0) {
        *out_patch = (iso_patch){.face_offsets = k_no_offsets};
    }
    return status;
}

// Bytes are compared, padding too: at worst a law is made anew.
static bool same_part(const iso_query_part* part, const iso_contact_shape* shape,
                      const iso_contact_material* material) {
    return part->shape == shape && memcmp(&part->material, material, sizeof *material) == 0;
}

static void remember_part(iso_query_part* part, const iso_contact_shape* shape,
                          const iso_contact_material* material) {
    part->shape = shape;
    memcpy(&part->material, material, sizeof *material);
}

// The material of a shape, with damping, friction and adhesion of another when there is one.
static void find_law(const iso_contact_shape* shape, const iso_contact_material* law,
                     iso_contact_material* out) {
    memcpy(out, &shape->material, sizeof *out);
    if (law) {
        out->dissipation = law->dissipation;
        out->relaxation_time = law->relaxation_time;
        out->friction_static = law->friction_static;
        out->friction_dynamic = law->friction_dynamic;
        out->expansion_rate = law->expansion_rate;
        out->restitution = law->restitution;
        out->restitution_speed = law->restitution_speed;
        out->adhesion = law->adhesion;
    }
}

// The law of a pair is that of a contact system of two bodies; it is kept until another pair comes.
static iso_status prepare_system(iso_query* query, iso_contact_shape* a, iso_contact_shape* b,
                                 const iso_query_motion* motion) {
    iso_contact_material ma, mb;
    find_law(a, motion->material_a, &ma);
    find_law(b, motion->material_b, &mb);
    if (query->system && same_part(&query->part_a, a, &ma) && same_part(&query->part_b, b, &mb)) {
        return ISO_OK;
    }
    iso_contact_system_destroy(query->ctx, query->system);
    query->system = NULL;
    const iso_body_filter bodies = {.body_count = 2};
    iso_contact_geometry geometries[2] = {{.name = "a",
                                           .body_name = "a",
                                           .body = 0,
                                           .x_bg = iso_pose_identity(),
                                           .shape = a,
                                           .material = ma},
                                          {.name = "b",
                                           .body_name = "b",
                                           .body = 1,
                                           .x_bg = iso_pose_identity(),
                                           .shape = b,
                                           .material = mb}};
    iso_status status = iso_contact_system_create(query->ctx, geometries, 2, &bodies,
                                                  &query->options, &query->system);
    if (status == ISO_OK) {
        remember_part(&query->part_a, a, &ma);
        remember_part(&query->part_b, b, &mb);
    }
    return status;
}

static void negate(double from[6][6], double to[6][6]) {
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            to[i][j] = 0.0 - from[i][j];
        }
    }
}

static iso_status find_derivatives(iso_query* query, const iso_contact_pair* pair,
                                   const iso_contact_shape* a, const iso_pose* x_wa,
                                   const iso_contact_shape* b, const iso_pose* x_wb,
                                   const iso_query_motion* motion, iso_query_result* out) {
    iso_contact_derivatives law;
    iso_spatial wrench;
    double elastic[6][6];
    iso_status status = ISO_OK;
    ISO_TRY(iso_contact_wrench_derivatives(query->system, pair, x_wa, x_wb, motion->v_ab, &law));
    ISO_TRY(iso_patch_wrench_derivative(query->ctx, a, x_wa, b, x_wb, query->options.representation,
                                        &pair->patch, motion->p_wp, &wrench, elastic));
    negate(law.by_pose, out->stiffness);
    negate(law.by_twist, out->damping);
    negate(elastic, out->elastic_stiffness);

done:
    return status;
}

static iso_status find_wrench(iso_query* query, const iso_contact_pair* pair,
                              const iso_query_motion* motion, iso_query_result* out) {
    int faces = pair->patch.face_count;
    iso_vec3* tractions = iso_arena_push_array(&query->arena, faces, sizeof *tractions);
    iso_vec3* slips = iso_arena_push_array(&query->arena, faces, sizeof *slips);
    ISO_REQUIRE(query->ctx, tractions && slips, ISO_ERR_MEMORY, "tractions of %d faces", faces);
    out->patch = pair->patch;
    out->f_bp_w =
        iso_contact_continuous_wrench(query->system, pair, motion->v_ab, tractions, slips);
    out->elastic_f_bp_w = iso_patch_wrench(&pair->patch, motion->p_wp);
    out->elastic_energy = iso_contact_elastic_energy(pair);
    out->tractions = tractions;
    out->slip_velocities = slips;
    return ISO_OK;
}

iso_status iso_query_wrench(iso_query* query, iso_contact_shape* a, const iso_pose* x_wa,
                            iso_contact_shape* b, const iso_pose* x_wb,
                            const iso_query_motion* motion, iso_query_result* out_result) {
    ISO_REQUIRE(query ? query->ctx : NULL, query && motion && out_result, ISO_ERR_ARGUMENT,
                "query, motion and out_result are required");
    *out_result = (iso_query_result){.patch = {.face_offsets = k_no_offsets}};
    ISO_REQUIRE(query->ctx,
                iso_vec3_is_finite(motion->p_wp) && iso_vec3_is_finite(motion->v_ab.rotational) &&
                    iso_vec3_is_finite(motion->v_ab.translational),
                ISO_ERR_NUMERIC,
                "point (%g, %g, %g) m or twist (%g, %g, %g) rad/s, (%g, %g, %g) m/s of the motion, "
                "expected finite",
                motion->p_wp.x, motion->p_wp.y, motion->p_wp.z, motion->v_ab.rotational.x,
                motion->v_ab.rotational.y, motion->v_ab.rotational.z, motion->v_ab.translational.x,
                motion->v_ab.translational.y, motion->v_ab.translational.z);
    iso_status status = ISO_OK;
    iso_pose x_wg[2];
    iso_contact_set set;
    iso_task_pool* pool;
    ISO_TRY(check_call(query, a, x_wa, b, x_wb));
    ISO_TRY(prepare_system(query, a, b, motion));
    ISO_TRY(iso_arena_reset(&query->arena));
    x_wg[0] = *x_wa;
    x_wg[1] = *x_wb;
    pool = query->thread_count > 1 && iso_pair_is_large(a, b) ? query->pool : NULL;
    ISO_TRY(iso_contact_system_update(query->system, x_wg, pool, &query->arena, &set));
    if (set.pair_count > 0) {
        iso_contact_pair* pair = &set.pairs[0];
        pair->p_wc = motion->p_wp;
        ISO_TRY(find_wrench(query, pair, motion, out_result));
        if (motion->wants_derivatives) {
            ISO_TRY(find_derivatives(query, pair, a, x_wa, b, x_wb, motion, out_result));
        }
    }

done:
    if (status != ISO_OK) {
        *out_result = (iso_query_result){.patch = {.face_offsets = k_no_offsets}};
    }
    return status;
}

iso_status iso_query_elastic_energy(iso_query* query, iso_contact_shape* a, const iso_pose* x_wa,
                                    iso_contact_shape* b, const iso_pose* x_wb,
                                    iso_elastic_energy* out_energy) {
    ISO_REQUIRE(query ? query->ctx : NULL, query && out_energy, ISO_ERR_ARGUMENT,
                "query and out_energy are required");
    *out_energy = (iso_elastic_energy){0};
    iso_contact_pair pair = {0};
    iso_status status = iso_query_patch(query, a, x_wa, b, x_wb, &pair.patch);
    return status == ISO_OK ? iso_contact_exact_energy(&pair, a, x_wa, b, x_wb, out_energy)
                            : status;
}
