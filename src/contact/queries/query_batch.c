// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"
#include "contact/pressure_field/pressure_field.h"
#include "contact/queries/query.h"
#include "surface/moments/moments.h"
#include "surface/pairs/pair_query.h"

#include <string.h>

typedef struct batch_job {
    iso_query* query;
    const iso_contact_shape *a, *b;
    const iso_pose* x_ab;
    iso_query_summary* out;
    iso_search_threads*
        search_threads; ///< threads that share every pose; NULL: each takes poses of its own
} batch_job;

static void summarize(const iso_patch* patch, iso_query_summary* out) {
    memset(out, 0, sizeof *out); // padding too: equal summaries are the same bytes
    if (patch->face_count == 0) {
        return;
    }
    iso_contact_pair pair = {.patch = *patch};
    out->face_count = patch->face_count;
    out->area = patch->area;
    out->max_pressure = patch->max_pressure;
    out->centroid = patch->centroid;
    out->center_of_pressure = patch->center_of_pressure;
    out->f_ba_a = iso_patch_wrench(patch, iso_vec3_zero());
    out->elastic_energy = iso_contact_elastic_energy(&pair);
}

static void batch_task(void* user, int item, int worker) {
    const batch_job* job = user;
    iso_query_worker* self = &job->query->workers[worker];
    iso_pose x_wa = iso_pose_identity();
    iso_patch patch;
    iso_arena_mark mark = iso_arena_get_mark(&self->arena);
    iso_status status = iso_pair_query_with(job->search_threads, &self->arena, job->a, &x_wa,
                                            job->b, &job->x_ab[item], &job->query->options, &patch);
    if (status == ISO_OK) {
        summarize(&patch, &job->out[item]);
    } else if (self->status == ISO_OK || item < self->failed_item) {
        self->status = status;
        self->failed_item = item;
    }
    iso_arena_release(&self->arena, mark);
}

// Any worker may get the pose that needs most: all get room for what the largest needed so far.
static iso_status prepare_workers(iso_query* query) {
    iso_status status = ISO_OK;
    for (int i = 0; i < query->thread_count; ++i) {
        iso_query_worker* worker = &query->workers[i];
        worker->status = ISO_OK;
        ISO_TRY(iso_arena_reset_to(&worker->arena, query->worker_bytes));
    }
done:
    return status;
}

static void remember_worker_bytes(iso_query* query) {
    for (int i = 0; i < query->thread_count; ++i) {
        size_t peak = query->workers[i].arena.peak;
        if (peak > query->worker_bytes) {
            query->worker_bytes = peak + peak / 2;
        }
    }
}

iso_status iso_query_batch(iso_query* query, iso_contact_shape* a, iso_contact_shape* b,
                           const iso_pose* x_ab, int count, iso_query_summary* out_summaries) {
    iso_context* ctx = query ? query->ctx : NULL;
    ISO_REQUIRE(ctx, query && a && b, ISO_ERR_ARGUMENT, "query, a and b are required");
    ISO_REQUIRE(ctx, count >= 0, ISO_ERR_ARGUMENT, "count is %d, expected >= 0", count);
    ISO_REQUIRE(ctx, count == 0 || (x_ab && out_summaries), ISO_ERR_ARGUMENT,
                "x_ab and out_summaries are required");
    iso_status status = ISO_OK;
    batch_job job = {query, a, b, x_ab, out_summaries, NULL};
    for (int i = 0; i < count; ++i) {
        ISO_TRY(iso_query_check_pose(ctx, &x_ab[i], "x_ab", i));
    }
    ISO_TRY(iso_query_prepare_pair(query, a, b));
    ISO_TRY(prepare_workers(query));
    if (count < query->thread_count) {
        ISO_TRY(iso_query_find_search_threads(query, a, b, &job.search_threads));
    }
    if (job.search_threads) {
        for (int i = 0; i < count; ++i) {
            batch_task(&job, i, 0);
        }
    } else {
        iso_task_pool_run(query->pool, count, batch_task, &job);
    }
    remember_worker_bytes(query);
    for (int i = 0, first = count; i < query->thread_count; ++i) {
        const iso_query_worker* worker = &query->workers[i];
        if (worker->status != ISO_OK && worker->failed_item < first) {
            first = worker->failed_item;
            status = worker->status;
        }
    }

done:
    return status;
}
