// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/rigid/system.h"
#include "base/core/alloc.h"
#include "base/core/fail.h"

#include <string.h>

iso_status iso_fclib_of_scene(iso_context* ctx, iso_rigid_scene scene, iso_fclib* out_problem) {
    ISO_REQUIRE(ctx, out_problem, ISO_ERR_ARGUMENT, "out_problem is required");
    *out_problem = (iso_fclib){0};
    ISO_REQUIRE(ctx, (int)scene >= 0 && scene < ISO_RIGID_SCENE_COUNT, ISO_ERR_RANGE,
                "the scene is %d, expected in [0, %d)", (int)scene, (int)ISO_RIGID_SCENE_COUNT);
    iso_rigid_system* s = iso_alloc_zeroed(ctx, sizeof *s);
    ISO_REQUIRE(ctx, s, ISO_ERR_MEMORY, "scene of rigid bodies");
    iso_rigid_begin(scene, s);
    iso_rigid_assemble(s);
    iso_status status = iso_fclib_allocate(ctx, s->contact_count, out_problem);
    if (status == ISO_OK) {
        size_t n = 3 * (size_t)s->contact_count;
        memcpy(out_problem->w, s->w, n * n * sizeof(double));
        memcpy(out_problem->b, s->b, n * sizeof(double));
        memcpy(out_problem->friction, s->friction, n / 3 * sizeof(double));
    }
    iso_free(ctx, s);
    return status;
}

iso_status iso_fclib_solve(iso_context* ctx, iso_fclib* problem, iso_rigid_result* out_result) {
    ISO_REQUIRE(ctx, problem && out_result && problem->contact_count > 0, ISO_ERR_ARGUMENT,
                "a problem with contacts and out_result are required");
    iso_cone_problem p = {problem->contact_count, problem->w, problem->b, problem->friction};
    iso_cone_options newton = {1e-10, 60}, sweeps = {1e-10, 20000};
    iso_cone_report report;
    *out_result = (iso_rigid_result){.contact_count = problem->contact_count};
    memset(problem->r, 0, 3 * (size_t)problem->contact_count * sizeof(double));
    iso_status status = iso_cone_newton(ctx, &p, &newton, problem->r, &report);
    if (status == ISO_OK && !report.is_solved) { // slower, but surer
        status = iso_cone_gauss_seidel(ctx, &p, ISO_CONE_EXACT, &sweeps, problem->r, &report);
    }
    out_result->is_solved = report.is_solved;
    out_result->iterations = report.iterations;
    out_result->residual = out_result->coulomb = report.residual;
    iso_cone_velocities(&p, problem->r, problem->u);
    return status;
}
