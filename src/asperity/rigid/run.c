// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/rigid/system.h"
#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <math.h>

const char* iso_rigid_law_name(iso_rigid_law law) {
    static const char* const names[] = {"acceleration, Lemke", "pyramid, Gauss-Seidel",
                                        "polygon, Lemke",      "exact cone, Gauss-Seidel",
                                        "exact cone, Newton",  "relaxed cone, Gauss-Seidel",
                                        "pyramid, Lemke",      "elastic, exact cone, Newton"};
    return (int)law >= 0 && law < ISO_RIGID_LAW_COUNT ? names[law] : "?";
}

// What the scene asks for, from where it ended.
static double measure(iso_rigid_scene scene, const iso_rigid_setup* setup,
                      const iso_rigid_system* s) {
    const iso_rigid_body* b = &s->bodies[0];
    double weight = 0.0, lowest = 0.0;
    for (int i = 0; i < s->body_count; ++i) {
        weight += s->bodies[i].mass * fabs(s->gravity.z) * s->time_step;
    }
    for (int i = 0; i < 4 && i < s->contact_count; ++i) {
        lowest += s->impulses[3 * i];
    }
    iso_rigid_end end = {b->v_wb, iso_vec3_zero(), setup->duration, lowest / weight,
                         s->impulses[0] / weight};
    return iso_rigid_value(scene, &end);
}

// Speed of the tip of a rod at the end of a step that begins at s->now.
static double slip_of_tip(const iso_rigid_system* s) {
    return hypot(s->now[1] + s->w[3] * s->impulses[0] + s->w[4] * s->impulses[1] +
                     s->w[5] * s->impulses[2],
                 s->now[2]);
}

iso_status iso_rigid_run(iso_context* ctx, iso_rigid_scene scene, iso_rigid_law law,
                         iso_rigid_result* out_result) {
    ISO_REQUIRE(ctx, out_result, ISO_ERR_ARGUMENT, "out_result is required");
    *out_result = (iso_rigid_result){.value = (double)NAN};
    ISO_REQUIRE(ctx, (int)scene >= 0 && scene < ISO_RIGID_SCENE_COUNT, ISO_ERR_RANGE,
                "the scene is %d, expected in [0, %d)", (int)scene, (int)ISO_RIGID_SCENE_COUNT);
    ISO_REQUIRE(ctx, (int)law >= 0 && law < ISO_RIGID_LAW_COUNT, ISO_ERR_RANGE,
                "the law is %d, expected in [0, %d)", (int)law, (int)ISO_RIGID_LAW_COUNT);
    iso_rigid_setup setup = iso_rigid_setup_of(scene);
    if (law == ISO_RIGID_SOFT) {
        return iso_rigid_run_soft(ctx, &setup, scene, out_result);
    }
    iso_rigid_system* s = iso_alloc_zeroed(ctx, sizeof *s);
    ISO_REQUIRE(ctx, s, ISO_ERR_MEMORY, "scene of rigid bodies");
    iso_rigid_begin(scene, s);
    int steps = (int)lround(setup.duration / setup.time_step);
    iso_status status = ISO_OK;
    double least = INFINITY;
    out_result->is_solved = true;
    for (int i = 0; status == ISO_OK && i < steps && out_result->is_solved; ++i) {
        iso_rigid_step step = {0};
        double u[ISO_RIGID_ROWS];
        iso_rigid_assemble(s);
        status = iso_rigid_solve(ctx, law, s, &step);
        iso_cone_problem p = iso_rigid_problem(s);
        double coulomb = iso_cone_residual(&p, ISO_CONE_EXACT, s->impulses, u);
        out_result->is_solved = step.is_solved;
        out_result->is_ray = step.is_ray;
        out_result->residual = fmax(out_result->residual, step.residual);
        out_result->coulomb = fmax(out_result->coulomb, coulomb);
        out_result->iterations =
            step.iterations > out_result->iterations ? step.iterations : out_result->iterations;
        least = fmin(least, slip_of_tip(s));
        iso_rigid_advance(s);
    }
    out_result->contact_count = s->contact_count;
    for (int i = 0; i < s->contact_count; ++i) {
        out_result->normal[i] = s->impulses[3 * i] / s->time_step;
    }
    out_result->value = !out_result->is_solved   ? (double)NAN
                        : scene == ISO_RIGID_ROD ? least
                                                 : measure(scene, &setup, s);
    iso_free(ctx, s);
    return status;
}
