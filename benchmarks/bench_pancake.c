// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A robot that turns a pancake [Masterjohn2022, V-B]: processor time of its steps, of their
// geometry and of their solver. With method sap the solver is also timed with one constraint for
// every face, as in the paper. A JSON line with faces and times of a step for every sample, one for
// every step that a program begins, with where the pancake is and which way up, and one with all
// that was measured.
// Usage: bench_pancake SCENE [PATH=VALUE...]

#include "isobar/scene.h"
#include "support/patch_bench.h"
#include "support/per_face.h"
#include "world/state/world_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Every so many steps the stages are timed one by one; the best of so many times counts.
#define SAMPLE_STEPS 8
#define REPEATS 3

typedef struct totals {
    long steps, samples, most_faces;
    double faces, step_us;                        // over all steps
    double sampled_faces, geometry_us, points_us; // over samples
    double pooled_us, pooled_iterations;          //
    double per_face_us, per_face_iterations;      //
    double difference;                            // largest, of velocities [m/s, rad/s]
} totals;

// From stage 4 on each time: friction that sticks remembers where it has come.
// @param s  after stage 5
static iso_status solve(const iso_stages* s, bool by_face, iso_convex_solver* solver, double* v,
                        double* us, double* iterations) {
    iso_stepper* stepper = s->stepper;
    int count = stepper->dynamics.multibody->v_count;
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    double best = INFINITY;
    iso_convex_report report = {0};
    iso_status status = ISO_OK;
    for (int i = 0; i < REPEATS; ++i) {
        iso_arena_release(&stepper->arena, mark);
        iso_stages now = *s;
        ISO_TRY(iso_stage_potentials(&now));
        iso_convex_problem problem = iso_stages_problem(&now);
        if (by_face) {
            ISO_TRY(per_face_problem(&now, &stepper->arena, &problem));
        }
        memcpy(v, s->input->v, (size_t)count * sizeof *v);
        double begin = bench_cpu_us();
        ISO_TRY(iso_convex_solve(solver, &problem, &stepper->convex, &stepper->arena, v, &report));
        best = fmin(best, bench_cpu_us() - begin);
    }
    *us += best;
    *iterations += report.iterations;

done:
    return status;
}

static iso_status compare_solvers(const iso_stages* s, iso_convex_solver* per_face, totals* t) {
    iso_stepper* stepper = s->stepper;
    int count = stepper->dynamics.multibody->v_count;
    double* v = iso_arena_push_array(&stepper->arena, 2 * count, sizeof *v);
    ISO_REQUIRE(stepper->ctx, v, ISO_ERR_MEMORY, "%d velocities", count);
    iso_status status = solve(s, false, &stepper->solver, v, &t->pooled_us, &t->pooled_iterations);
    if (status != ISO_OK || stepper->settings.method != ISO_METHOD_SAP) {
        return status;
    }
    status = solve(s, true, per_face, v + count, &t->per_face_us, &t->per_face_iterations);
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        t->difference = fmax(t->difference, fabs(v[i] - v[count + i]));
    }
    return status;
}

// Best of several runs of a stage, each from the same start; s keeps what the last one found.
static iso_status time_stage(iso_stages* s, iso_status (*stage)(iso_stages*), double* us) {
    double best = INFINITY;
    iso_stages start = *s;
    iso_arena_mark mark = iso_arena_get_mark(&s->stepper->arena);
    for (int i = 0; i < REPEATS; ++i) {
        iso_arena_release(&s->stepper->arena, mark);
        *s = start;
        double begin = bench_cpu_us();
        iso_status status = stage(s);
        if (status != ISO_OK) {
            return status;
        }
        best = fmin(best, bench_cpu_us() - begin);
    }
    *us += best;
    return ISO_OK;
}

// The stages of the step that comes next, without taking it.
static iso_status sample(iso_world* world, iso_convex_solver* per_face, totals* t) {
    iso_stepper* stepper = world->stepper;
    iso_step_input input = iso_world_step_input(world);
    iso_stages s = {.stepper = stepper, .input = &input, .span = stepper->settings.time_step};
    iso_status status = ISO_OK;
    ISO_TRY(iso_arena_reset(&stepper->arena));
    ISO_TRY(iso_stage_kinematics(&s));
    ISO_TRY(time_stage(&s, iso_stage_contacts, &t->geometry_us));
    ISO_TRY(iso_stage_dynamics(&s));
    iso_arena_mark mark = iso_arena_get_mark(&stepper->arena);
    iso_stages now = s;
    ISO_TRY(time_stage(&now, iso_stage_potentials, &t->points_us));
    iso_arena_release(&stepper->arena, mark);
    t->sampled_faces += s.set.face_count;
    t->samples++;
    ISO_TRY(compare_solvers(&s, per_face, t));
done:
    return status;
}

// The end of a line.
static void print_pancake(const iso_world* world) {
    int body = iso_world_find_body(world, "pancake");
    iso_pose x = body >= 0 ? iso_world_body_pose(world, body) : iso_pose_identity();
    printf("\"pancake\": [%.6f, %.6f, %.6f], \"up\": %.6f}\n", x.p.x, x.p.y, x.p.z, x.r.m[2][2]);
}

static void print_begun(const iso_task* task, const iso_world* world, int* last, int last_count) {
    for (int i = 0; i < iso_task_program_count(task) && i < last_count; ++i) {
        iso_program_state state = iso_task_program(task, world, i);
        if (state.step != last[i] && !state.is_done) {
            printf("{\"t\": %.4f, \"program\": \"%s\", \"step\": \"%s\", ", iso_world_time(world),
                   state.name, state.step_name);
            print_pancake(world);
        }
        last[i] = state.step;
    }
}

static iso_status run(iso_world* world, const iso_task* task, double until, totals* t) {
    iso_convex_solver per_face = {.matrix.ctx = iso_world_context(world)};
    int begun[] = {-1, -1};
    iso_status status = ISO_OK;
    while (iso_world_time(world) < until - 1e-9) {
        double begin = bench_cpu_us();
        ISO_TRY(iso_task_apply(task, world));
        t->step_us += bench_cpu_us() - begin;
        print_begun(task, world, begun, 2);
        if (t->steps % SAMPLE_STEPS == 0) {
            totals before = *t;
            ISO_TRY(sample(world, &per_face, t));
            printf("{\"t\": %.4f, \"faces\": %.0f, \"geometry_us\": %.3f, \"points_us\": %.3f, "
                   "\"pooled_us\": %.3f, \"per_face_us\": %.3f}\n",
                   iso_world_time(world), t->sampled_faces - before.sampled_faces,
                   t->geometry_us - before.geometry_us, t->points_us - before.points_us,
                   t->pooled_us - before.pooled_us, t->per_face_us - before.per_face_us);
        }
        begin = bench_cpu_us();
        ISO_TRY(iso_world_step(world));
        ISO_TRY(iso_task_observe(task, world));
        t->step_us += bench_cpu_us() - begin;
        long faces = iso_world_step_report(world).face_count;
        t->faces += (double)faces;
        t->most_faces = faces > t->most_faces ? faces : t->most_faces;
        t->steps++;
    }
done:
    iso_convex_solver_destroy(&per_face);
    return status;
}

static void print(const iso_world* world, const totals* t) {
    double samples = (double)t->samples, steps = (double)t->steps;
    double step_us = t->step_us / steps;
    printf("{\"steps\": %ld, \"faces\": %.2f, \"most_faces\": %ld, \"step_us\": %.3f, "
           "\"real_time\": %.3f, \"sampled_faces\": %.2f, \"geometry_us\": %.3f, "
           "\"points_us\": %.3f, \"pooled_us\": %.3f, \"pooled_iterations\": %.3f, ",
           t->steps, t->faces / steps, t->most_faces, step_us,
           1e6 * iso_world_settings(world)->time_step / step_us, t->sampled_faces / samples,
           t->geometry_us / samples, t->points_us / samples, t->pooled_us / samples,
           t->pooled_iterations / samples);
    if (t->per_face_us > 0.0) {
        printf("\"per_face_us\": %.3f, \"per_face_iterations\": %.3f, \"difference\": %.3g, ",
               t->per_face_us / samples, t->per_face_iterations / samples, t->difference);
    }
    print_pancake(world);
}

int main(int argc, char** argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: bench_pancake SCENE [PATH=VALUE...]\n");
        return EXIT_FAILURE;
    }
    iso_context* ctx = NULL;
    iso_scene scene = {0};
    iso_world* world = NULL;
    iso_task* task = NULL;
    totals t = {0};
    iso_scene_options options = {.settings = (const char* const*)argv + 2,
                                 .setting_count = argc - 2};
    iso_status status = iso_context_create(NULL, &ctx);
    if (status != ISO_OK) {
        return EXIT_FAILURE;
    }
    ISO_TRY(iso_scene_load(ctx, argv[1], &options, &scene));
    ISO_TRY(iso_world_create(ctx, scene.model, &scene.world, &world));
    ISO_TRY(iso_scene_create_task(&scene, world, &task));
    ISO_TRY(run(world, task, scene.until, &t));
    print(world, &t);
done:
    if (status != ISO_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], iso_context_error(ctx));
    }
    iso_task_destroy(task);
    iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene);
    iso_context_destroy(ctx);
    return status == ISO_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
