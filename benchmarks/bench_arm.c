// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Time of a step of 1 ms of robots that stand on the world, touch nothing and fall under gravity
// from q = 0.3, v = 0: one JSON line per file. Usage: bench_arm FILE...

#include "isobar/isobar.h"
#include "support/meter.h"

#include <stdio.h>
#include <stdlib.h>

enum { k_batches = 200, k_batch_steps = 500 };

typedef struct timing {
    double us, us_best;
    long allocation_count;
} timing;

// Every body that hangs on no joint is welded to the world.
static iso_status weld_roots(iso_model* model) {
    for (int b = 1; b < iso_model_body_count(model); ++b) {
        bool is_child = false;
        for (int j = 0; j < iso_model_joint_count(model); ++j) {
            is_child = is_child || iso_model_joint(model, j)->child == b;
        }
        if (is_child) {
            continue;
        }
        char name[32];
        snprintf(name, sizeof name, "weld_%d", b);
        iso_joint_desc joint = iso_joint_desc_default();
        joint.name = name;
        joint.child = b;
        iso_status status = iso_model_add_joint(model, &joint, NULL);
        if (status != ISO_OK) {
            return status;
        }
    }
    return ISO_OK;
}

static int compare(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static iso_status time_steps(iso_world* world, const long* allocations, timing* out) {
    double times[k_batches];
    int count = iso_world_joint_count(world);
    long before = 0;
    for (int batch = 0; batch < k_batches; ++batch) {
        for (int j = 0; j < count; ++j) {
            iso_status status = iso_world_set_joint(world, j, 0.3, 0.0);
            if (status != ISO_OK) {
                return status;
            }
        }
        before = batch == 1 ? *allocations : before;
        double start = bench_now_us();
        for (int i = 0; i < k_batch_steps; ++i) {
            iso_status status = iso_world_step(world);
            if (status != ISO_OK) {
                return status;
            }
        }
        times[batch] = (bench_now_us() - start) / k_batch_steps;
    }
    out->allocation_count = *allocations - before;
    qsort(times, k_batches, sizeof *times, compare);
    out->us = times[k_batches / 2];
    out->us_best = times[0];
    return ISO_OK;
}

static iso_status run(iso_context* ctx, const char* path, const long* allocations) {
    iso_scene scene;
    iso_status status = iso_scene_load(ctx, path, NULL, &scene);
    if (status != ISO_OK) {
        return status;
    }
    iso_world* world = NULL;
    timing t = {0};
    iso_world_desc desc = iso_world_desc_default();
    status = weld_roots(scene.model);
    if (status == ISO_OK) {
        status = iso_world_create(ctx, scene.model, &desc, &world);
    }
    if (status == ISO_OK) {
        status = time_steps(world, allocations, &t);
    }
    if (status == ISO_OK) {
        iso_step_report report = iso_world_step_report(world);
        printf("{\"benchmark\": \"arm\", \"file\": \"%s\", \"dofs\": %d, \"us\": %.4f, "
               "\"us_best\": %.4f, \"allocations\": %ld, \"steps\": %d, \"kinematics_us\": %.3f, "
               "\"dynamics_us\": %.3f, \"advance_us\": %.3f}\n",
               path, iso_world_v_count(world), t.us, t.us_best, t.allocation_count,
               k_batches * k_batch_steps, 1e6 * report.stage_seconds[0],
               1e6 * report.stage_seconds[4], 1e6 * report.stage_seconds[5]);
    }
    iso_world_destroy(world);
    iso_scene_destroy(ctx, &scene);
    return status;
}

int main(int argument_count, char** arguments) {
    long allocations = 0;
    iso_context_desc desc = iso_context_desc_default();
    desc.realloc_fn = bench_count_realloc;
    desc.realloc_user = &allocations;
    iso_context* ctx = NULL;
    iso_status status = iso_context_create(&desc, &ctx);
    for (int i = 1; i < argument_count && status == ISO_OK; ++i) {
        status = run(ctx, arguments[i], &allocations);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "bench_arm: %s\n", ctx ? iso_context_error(ctx) : iso_status_text(status));
    }
    iso_context_destroy(ctx);
    return status == ISO_OK ? 0 : 1;
}
