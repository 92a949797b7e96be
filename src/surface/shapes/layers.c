// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/shapes/layers.h"

#include "base/system/host.h"
#include "base/system/task_pool.h"
#include "surface/shapes/contact_shape_data.h"

#include <stdlib.h>

// Meshes of fewer triangles, all together, are not worth threads.
#define LEAST_TRIANGLES 20000
#define MOST_THREADS 16

typedef struct layer_job {
    iso_context* ctx;
    iso_contact_shape** shapes;
    const iso_contact_options* options;
} layer_job;

static void make_layer(void* user, int item, int worker) {
    (void)worker;
    const layer_job* job = user;
    iso_status status = iso_contact_shape_prepare_layer(job->ctx, job->shapes[item], job->options);
    (void)status; // whoever asks for the layer that is not there hears why
}

static int compare_places(const void* a, const void* b) {
    uintptr_t u = (uintptr_t) * (iso_contact_shape* const*)a;
    uintptr_t v = (uintptr_t) * (iso_contact_shape* const*)b;
    return (u > v) - (u < v);
}

// Those that still need a layer and take time to get one, each once. @return their number
static int keep_large(iso_contact_shape** shapes, int shape_count, double* out_triangle_count) {
    int count = 0;
    *out_triangle_count = 0.0;
    qsort(shapes, (size_t)shape_count, sizeof(iso_contact_shape*), compare_places);
    for (int i = 0; i < shape_count; ++i) {
        bool is_new = count == 0 || shapes[i] != shapes[count - 1];
        if (is_new && iso_contact_shape_is_bare(shapes[i]) && !shapes[i]->has_layer) {
            *out_triangle_count += shapes[i]->surface.triangle_count;
            shapes[count++] = shapes[i];
        }
    }
    return count;
}

void iso_contact_shapes_prepare_layers(iso_context* ctx, iso_contact_shape** shapes,
                                       int shape_count, const iso_contact_options* options) {
    double triangle_count;
    int count = keep_large(shapes, shape_count, &triangle_count);
    int thread_count = iso_processor_count();
    thread_count = thread_count < count ? thread_count : count;
    thread_count = thread_count < MOST_THREADS ? thread_count : MOST_THREADS;
    iso_task_pool* pool = NULL;
    if (thread_count < 2 || triangle_count < LEAST_TRIANGLES ||
        iso_task_pool_create(ctx, thread_count, &pool) != ISO_OK) {
        return;
    }
    layer_job job = {.ctx = ctx, .shapes = shapes, .options = options};
    iso_task_pool_run(pool, count, make_layer, &job);
    iso_task_pool_destroy(pool);
}
