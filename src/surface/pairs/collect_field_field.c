// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Walks over the surface of equal pressure: from a pair of cells, one of either field, with a
// polygon to the pairs beyond its edges. Theory: docs/theory/contact_surface.md.

#include "surface/kernels/kernels.h"

#include "base/core/fail.h"
#include "surface/clipping/overlap_box.h"
#include "surface/faces/face_merge.h"
#include "surface/walk/trace_seeds.h"
#include "surface/walk/trace_visit.h"

#include <limits.h>

// Bodies of this many cells together are large. Where so many of them lie where the bodies overlap,
// their faces come in the order of the cells, however they are found: there are about as many, and
// moving them costs less than one thread alone.
#define LARGE_CELLS 4096
#define ORDERED_CELLS 2048
// Surfaces of others seldom have more: their list is not moved as it grows.
#define WALKED_FACES 1024
#define WALKED_VERTICES (5 * WALKED_FACES)
// A walk gives up where rounding may be against more visits, in parts of the cells of both bodies
// and at least. Surfaces that graze many cells, skins in one plane, have a tenth of them.
#define TIED_SHARE 0.25
#define TIED_LEAST 256
// Steps of a descent that take as long as a visit.
#define STEPS_OF_A_VISIT 3
// One in so many starts of parts with a rim tells which way the surface faces.
#define SAMPLED_STARTS 4

typedef struct walker {
    iso_visitor visitor;
    iso_walk walk;
    const iso_field *field_0, *field_1;
    const iso_pose* x_01;
    iso_vec3 rise_sum; // directions in which p0 - p1 rises at starts of parts with a rim
    int start_count;   // of those
    long search_work;  // in steps of a descent
} walker;

// A direction along which p0 - p1 may rise on most of the surface.
static iso_vec3 rising_direction(const walker* w) {
    iso_vec3 along = w->rise_sum;
    if (!(iso_vec3_norm_squared(along) > 0.0)) {
        const iso_bvh_box *box_0 = &w->field_0->tree.bounds, *box_1 = &w->field_1->tree.bounds;
        iso_vec3 center_0 = iso_vec3_lerp(box_0->lower, box_0->upper, 0.5);
        iso_vec3 center_1 = iso_vec3_lerp(box_1->lower, box_1->upper, 0.5);
        along = iso_vec3_sub(center_0, iso_pose_point(w->x_01, center_1));
    }
    return iso_vec3_norm_squared(along) > 0.0 ? iso_vec3_normalized(along)
                                              : iso_vec3_make(0.0, 0.0, 1.0);
}

static bool start_at_rim(void* user, int cell_0, int cell_1) {
    walker* w = user;
    if (w->start_count++ % SAMPLED_STARTS == 0) {
        iso_vec3 g1 = iso_mat3_mul_vec3(&w->x_01->r, w->field_1->cells[cell_1].piece.gradient);
        iso_vec3 rise = iso_vec3_sub(w->field_0->cells[cell_0].piece.gradient, g1);
        double squared = iso_vec3_norm_squared(rise);
        if (squared > 0.0) {
            w->rise_sum = iso_vec3_add_scaled(w->rise_sum, rise, 1.0 / sqrt(squared));
        }
    }
    return iso_walk_from(&w->walk, cell_0, cell_1);
}

// Starts of one part of the search. The first one tells which way the surface faces, and looks for
// closed parts: whoever makes the others, the same pairs are tried.
static bool find_starts_of(walker* w, iso_search_part part) {
    if (part.index > 0) {
        return iso_seed_rims(w->field_0, w->field_1, w->x_01, part, iso_walk_from, &w->walk,
                             &w->search_work);
    }
    return iso_seed_rims(w->field_0, w->field_1, w->x_01, part, start_at_rim, w, &w->search_work) &&
           iso_seed_closed(w->walk.trace.arena, w->field_0, w->field_1, w->x_01,
                           rising_direction(w), iso_walk_from, &w->walk, &w->search_work);
}

static bool find_some_starts(void* user, int part) {
    return find_starts_of(user, (iso_search_part){part, ISO_SHARE_START_PARTS});
}

// All starts, where there may be several threads in the parts that these make.
static bool find_starts(walker* w) {
    if (!w->visitor.is_ordered) {
        return find_starts_of(w, (iso_search_part){0, 1});
    }
    bool ok = true;
    for (int part = 0; part < ISO_SHARE_START_PARTS && ok; ++part) {
        ok = find_some_starts(w, part);
    }
    return ok;
}

// All but the tables of the walk.
static void set_walker(walker* w, iso_arena* arena, iso_face_list* list, bool is_ordered,
                       const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                       iso_cull cull) {
    *w = (walker){.field_0 = field_0, .field_1 = field_1, .x_01 = x_01};
    iso_visitor_begin(&w->visitor, list, is_ordered, arena, field_0, field_1, x_01, cull);
    w->walk.user = &w->visitor;
    w->walk.look_at = iso_visitor_look_at;
    w->walk.visit = iso_visitor_visit;
    w->walk.visit_closely = iso_visitor_visit_closely;
    w->walk.neighbors_0 = (iso_walk_neighbors){field_0->cells[0].neighbors, sizeof *field_0->cells};
    w->walk.neighbors_1 = (iso_walk_neighbors){field_1->cells[0].neighbors, sizeof *field_1->cells};
}

bool iso_field_walk_is_large(const iso_field* field_0, const iso_field* field_1) {
    return !iso_field_pairs_are_few(field_0, field_1) &&
           field_0->mesh.tet_count + field_1->mesh.tet_count >= LARGE_CELLS;
}

// Of the cells of a body those in a part of so much volume, if all were alike.
static double cells_within(const iso_field* field, double volume) {
    return field->mesh.tet_count * fmin(volume / field->volume, 1.0);
}

bool iso_field_walk_is_ordered(const iso_field* field_0, const iso_field* field_1,
                               const iso_pose* x_01) {
    iso_overlap_box m;
    if (!iso_field_walk_is_large(field_0, field_1) ||
        !iso_overlap_box_find(field_0, field_1, x_01, &m)) {
        return false;
    }
    double volume = 1.0;
    for (int i = 0; i < 3; ++i) {
        volume *= fmax(m.upper[i] - m.lower[i], 0.0);
    }
    return cells_within(field_0, volume) + cells_within(field_1, volume) >= ORDERED_CELLS;
}

// Without margins no face reaches into one.
static void note_margins(iso_face_list* list, const iso_field* field_0, const iso_field* field_1) {
    if (field_0->min_pressure >= 0.0 && field_1->min_pressure >= 0.0) {
        list->whole_count = list->face_count;
    }
}

// Visits that rounding may be against at which a walk gives up, if it may.
static int most_close(const iso_field* field_0, const iso_field* field_1, bool may_give_up) {
    int cells = field_0->mesh.tet_count + field_1->mesh.tet_count;
    int most = (int)(TIED_SHARE * cells);
    return !may_give_up ? INT_MAX : most > TIED_LEAST ? most : TIED_LEAST;
}

static bool walk_and_put(walker* w, iso_face_list* list, bool may_give_up) {
    iso_face_bag* bag = &w->visitor.bag;
    bool is_ordered = w->visitor.is_ordered;
    if ((!is_ordered && !iso_face_list_reserve_exactly(list, WALKED_FACES, WALKED_VERTICES)) ||
        !iso_walk_begin(&w->walk, list->arena)) {
        return false;
    }
    w->walk.most_close = most_close(w->field_0, w->field_1, may_give_up);
    return find_starts(w) && (!is_ordered || (iso_face_bag_sort(bag) &&
                                              iso_face_merge(list, &bag, 1, list->arena, NULL)));
}

static iso_status walk_alone(iso_face_list* list, bool is_ordered, const iso_field* field_0,
                             const iso_field* field_1, const iso_pose* x_01, iso_cull cull,
                             bool* out_is_tied) {
    walker w;
    set_walker(&w, list->arena, list, is_ordered, field_0, field_1, x_01, cull);
    bool ok = walk_and_put(&w, list, out_is_tied);
    // A start away from the surface is seen to be that within a step.
    list->work +=
        w.walk.work - w.walk.vain_starts + (w.walk.vain_starts + w.search_work) / STEPS_OF_A_VISIT;
    if (out_is_tied) {
        *out_is_tied = w.walk.is_tied;
    }
    if (w.walk.is_tied) {
        iso_face_list_restart(list);
        return ISO_OK;
    }
    ISO_REQUIRE(list->arena->ctx, ok, ISO_ERR_MEMORY, "contact surface of two fields");
    note_margins(list, field_0, field_1);
    return ISO_OK;
}

iso_status iso_collect_field_field(iso_face_list* list, const iso_field* field_0,
                                   const iso_field* field_1, const iso_pose* x_01, iso_cull cull,
                                   bool* out_is_tied) {
    return walk_alone(list, false, field_0, field_1, x_01, cull, out_is_tied);
}

// What the threads of a search_threads share.
typedef struct crew_job {
    iso_face_list* list;
    const iso_field *field_0, *field_1;
    const iso_pose* x_01;
    iso_cull cull;
    int most_close; // of the walk
    iso_search_threads* search_threads;
    iso_share share;
    _Atomic(walker*)* walkers; // [thread], NULL: came too late
    iso_face_bag** bags;       // [thread], of those that came
} crew_job;

// Close visits come last, and in one thread: few surfaces have any.
static bool walk_closely(crew_job* job, walker* own) {
    bool ok = true;
    for (int i = 0; i < job->search_threads->count && ok; ++i) {
        const walker* w = atomic_load(&job->walkers[i]);
        ok = !w || iso_walk_closely(&own->walk, &w->walk);
    }
    return ok;
}

static bool begin_shared(crew_job* job, walker* w, iso_arena* arena, int worker) {
    set_walker(w, arena, job->list, true, job->field_0, job->field_1, job->x_01, job->cull);
    bool ok = iso_walk_begin_shared(&w->walk, arena, &job->share, job->field_1->tree.element_count,
                                    worker, iso_task_pool_thread_count(job->search_threads->pool));
    w->walk.most_close = job->most_close;
    return ok;
}

static void work_on(void* user, int item, int worker) {
    (void)item;
    crew_job* job = user;
    if (atomic_load(&job->walkers[worker])) {
        return; // it is over, or this thread would not be back
    }
    iso_arena* arena = &job->search_threads->arenas[worker];
    walker* w = iso_arena_push(arena, sizeof *w);
    bool ok = w && begin_shared(job, w, arena, worker);
    if (ok) {
        atomic_store(&job->walkers[worker], w);
        bool is_last = iso_walk_shared(&w->walk, find_some_starts, w);
        ok = iso_share_is_stopped(&job->share) ||
             ((!is_last || walk_closely(job, w)) && iso_face_bag_sort(&w->visitor.bag));
    }
    if (!ok) {
        bool is_tied = w && w->walk.is_tied;
        iso_share_stop(&job->share, is_tied ? ISO_SHARE_TIED : ISO_SHARE_OUT_OF_MEMORY);
    }
}

// One attempt, which ends when the table is full. @return how it ended
static iso_share_end walk_with_crew(crew_job* job, int* out_bag_count) {
    iso_search_threads* search_threads = job->search_threads;
    iso_arena* arena = &search_threads->arenas[0];
    job->walkers = iso_arena_push_array(arena, search_threads->count, sizeof *job->walkers);
    job->bags = iso_arena_push_array(arena, search_threads->count, sizeof *job->bags);
    if (!job->walkers || !job->bags ||
        !iso_share_init(&job->share, arena, search_threads->slot_count)) {
        return ISO_SHARE_OUT_OF_MEMORY;
    }
    for (int i = 0; i < search_threads->count; ++i) {
        atomic_init(&job->walkers[i], NULL);
    }
    iso_task_pool_run(search_threads->pool, iso_task_pool_thread_count(search_threads->pool),
                      work_on, job);
    *out_bag_count = 0;
    for (int i = 0; i < search_threads->count; ++i) {
        walker* w = atomic_load(&job->walkers[i]);
        if (w) {
            job->bags[(*out_bag_count)++] = &w->visitor.bag;
        }
    }
    iso_share_end end = (iso_share_end)atomic_load(&job->share.end);
    iso_share_destroy(&job->share);
    return end;
}

iso_status iso_collect_field_field_in_order(iso_search_threads* search_threads, iso_face_list* list,
                                            const iso_field* field_0, const iso_field* field_1,
                                            const iso_pose* x_01, iso_cull cull,
                                            bool* out_is_tied) {
    if (!search_threads) {
        return walk_alone(list, true, field_0, field_1, x_01, cull, out_is_tied);
    }
    crew_job job = {.list = list,
                    .field_0 = field_0,
                    .field_1 = field_1,
                    .x_01 = x_01,
                    .cull = cull,
                    .most_close = most_close(field_0, field_1, out_is_tied),
                    .search_threads = search_threads};
    iso_status status = ISO_OK;
    iso_share_end end;
    int bag_count = 0;
    for (;;) {
        ISO_TRY(iso_search_threads_reset(search_threads));
        end = walk_with_crew(&job, &bag_count);
        if (end != ISO_SHARE_FULL) {
            break;
        }
        search_threads->slot_count *= 4;
    }
    if (out_is_tied) {
        *out_is_tied = end == ISO_SHARE_TIED;
    }
    if (end == ISO_SHARE_TIED) {
        iso_search_threads_remember(search_threads);
        iso_face_list_restart(list);
        return ISO_OK;
    }
    bool ok =
        end == ISO_SHARE_DONE &&
        iso_face_merge(list, job.bags, bag_count, &search_threads->arenas[0], search_threads->pool);
    iso_search_threads_remember(search_threads);
    ISO_CHECK(list->arena->ctx, ok, ISO_ERR_MEMORY, "contact surface of two fields");
    note_margins(list, field_0, field_1);

done:
    return status;
}
