// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Clones of a scene that are stepped together: time and processor time for 1, 2, ... threads, one
// JSON line each. What a busy machine allows shows in wall_ratio; cpu_ratio is the processor time
// of one thread over the most that one of two needs, the ratio of wall times that an idle machine
// would give. Usage: bench_batch SCENE [WORLDS [STEPS]]

// RUSAGE_THREAD
#define _GNU_SOURCE

#include "isobar/isobar.h"
#include "support/meter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { k_most_worlds = 4096, k_warm_up = 200, k_repeats = 3 };

static double cpu_of(int who) {
    struct rusage usage;
    getrusage(who, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

typedef struct timing {
    double wall, cpu, largest; ///< [s]; largest: of the caller, or of all others together
    long allocations;
} timing;

/// Worlds are set to the same states before each measurement.
static iso_status measure(iso_context* ctx, iso_world** worlds, int count, int steps, int threads,
                          const void* state, size_t size, const long* allocations, timing* out) {
    iso_world_batch* batch = NULL;
    iso_status status = iso_world_batch_create(ctx, worlds, count, threads, &batch);
    *out = (timing){.wall = 1e300};
    for (int r = 0; r < k_repeats && status == ISO_OK; ++r) {
        for (int i = 0; i < count && status == ISO_OK; ++i) {
            status = iso_world_restore(worlds[i], state, size);
        }
        long before = *allocations;
        double all = cpu_of(RUSAGE_SELF), own = cpu_of(RUSAGE_THREAD),
               start = 1e-6 * bench_now_us();
        status = status == ISO_OK ? iso_world_batch_step(batch, steps) : status;
        timing t = {.wall = 1e-6 * bench_now_us() - start, .allocations = *allocations - before};
        t.cpu = cpu_of(RUSAGE_SELF) - all;
        own = cpu_of(RUSAGE_THREAD) - own;
        t.largest = own > t.cpu - own ? own : t.cpu - own;
        if (t.wall < out->wall) {
            *out = t;
        }
    }
    iso_world_batch_destroy(batch);
    return status;
}

static iso_status run(iso_context* ctx, const char* path, int count, int steps,
                      const long* allocations) {
    static iso_world* worlds[k_most_worlds];
    iso_scene scene = {0};
    void* state = NULL;
    size_t size = 0;
    timing one = {0};
    iso_status status = iso_scene_load(ctx, path, NULL, &scene);
    status =
        status == ISO_OK ? iso_world_create(ctx, scene.model, &scene.world, &worlds[0]) : status;
    for (int i = 0; i < k_warm_up && status == ISO_OK; ++i) {
        status = iso_world_step(worlds[0]);
    }
    for (int i = 1; i < count && status == ISO_OK; ++i) {
        status = iso_world_clone(worlds[0], &worlds[i]);
    }
    if (status == ISO_OK) {
        size = iso_world_state_size(worlds[0]);
        state = malloc(size);
        status = state ? iso_world_save(worlds[0], state, size, &size) : ISO_ERR_MEMORY;
    }
    for (int threads = 1; threads <= 2 && status == ISO_OK; ++threads) {
        timing t;
        status = measure(ctx, worlds, count, steps, threads, state, size, allocations, &t);
        one = threads == 1 ? t : one;
        if (status == ISO_OK) {
            printf("{\"scene\": \"%s\", \"worlds\": %d, \"steps\": %d, \"threads\": %d, "
                   "\"us_per_step\": %.3f, \"cpu_us_per_step\": %.3f, \"wall_ratio\": %.3f, "
                   "\"cpu_ratio\": %.3f, \"allocations\": %ld, \"state_bytes\": %zu}\n",
                   scene.name, count, steps, threads, 1e6 * t.wall / count / steps,
                   1e6 * t.cpu / count / steps, one.wall / t.wall, one.cpu / t.largest,
                   t.allocations, size);
        }
    }
    for (int i = 0; i < count; ++i) {
        iso_world_destroy(worlds[i]);
    }
    free(state);
    iso_scene_destroy(ctx, &scene);
    return status;
}

int main(int argc, char** argv) {
    int count = argc > 2 ? atoi(argv[2]) : 16, steps = argc > 3 ? atoi(argv[3]) : 100;
    if (argc < 2 || argc > 4 || count < 1 || count > k_most_worlds || steps < 1) {
        fprintf(stderr, "usage: bench_batch SCENE [WORLDS [STEPS]]\n");
        return 2;
    }
    long allocations = 0;
    iso_context* ctx = NULL;
    iso_context_desc desc = iso_context_desc_default();
    desc.realloc_fn = bench_count_realloc;
    desc.realloc_user = &allocations;
    desc.log_level = ISO_LOG_ERROR;
    iso_status status = iso_context_create(&desc, &ctx);
    if (status == ISO_OK) {
        status = run(ctx, argv[1], count, steps, &allocations);
    }
    if (status != ISO_OK) {
        fprintf(stderr, "bench_batch: %s\n", iso_context_error(ctx));
    }
    iso_context_destroy(ctx);
    return status == ISO_OK ? 0 : 1;
}
