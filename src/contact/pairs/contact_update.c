// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/ample.h"
#include "base/core/fail.h"
#include "base/system/clock.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/material.h"
#include "surface/faces/moved_patch.h"

#include <float.h>
#include <math.h>
#include <string.h>

// What moved along a half space sinks and tilts by no more than rounding.
#define MOVED_ROUNDING (2.0 * DBL_EPSILON)

void iso_contact_part_box(const iso_contact_part* part, const iso_pose* x, iso_vec3* out_lower,
                          iso_vec3* out_upper) {
    iso_vec3 center = iso_pose_point(x, iso_vec3_lerp(part->lower, part->upper, 0.5));
    iso_vec3 half = iso_vec3_scale(iso_vec3_sub(part->upper, part->lower), 0.5);
    const double(*r)[3] = x->r.m;
    iso_vec3 extent =
        iso_vec3_make(fabs(r[0][0]) * half.x + fabs(r[0][1]) * half.y + fabs(r[0][2]) * half.z,
                      fabs(r[1][0]) * half.x + fabs(r[1][1]) * half.y + fabs(r[1][2]) * half.z,
                      fabs(r[2][0]) * half.x + fabs(r[2][1]) * half.y + fabs(r[2][2]) * half.z);
    *out_lower = iso_vec3_sub(center, extent);
    *out_upper = iso_vec3_add(center, extent);
}

static iso_broad_item broad_item(const iso_contact_system* system, int index) {
    const iso_contact_geometry* geometry = &system->geometries[index];
    const iso_contact_part* part = &system->parts[index];
    const iso_pose* x_wg = &system->x_wg[index];
    iso_broad_item item = {.is_half_space = part->is_half_space,
                           .body = geometry->body,
                           .bits = geometry->bits,
                           .rules = geometry->rules};
    if (part->is_half_space) {
        item.normal = iso_mat3_column(&x_wg->r, 2);
        item.offset = iso_vec3_dot(item.normal, x_wg->p) + part->margin;
        return item;
    }
    iso_contact_part_box(part, x_wg, &item.lower, &item.upper);
    return item;
}

static void place_items(iso_contact_system* system, const iso_pose* x_wb) {
    for (int i = 0; i < system->geometry_count; ++i) {
        const iso_contact_geometry* geometry = &system->geometries[i];
        system->x_wg[i] = iso_pose_mul(&x_wb[geometry->body], &geometry->x_bg);
        system->items[i] = broad_item(system, i);
    }
}

static iso_status pair_items(iso_contact_system* system) {
    return iso_broad_phase_run(system->ctx, &system->broad, system->items, &system->bodies);
}

// Where its body was `time` ago, had it moved as it does now; wider by as far as its corners
// turned.
static void sweep_back(iso_broad_item* item, const iso_pose* x_wb, const iso_spatial* v_wb,
                       double time) {
    iso_vec3 center = iso_vec3_lerp(item->lower, item->upper, 0.5);
    iso_vec3 arm = iso_vec3_sub(center, x_wb->p), zero = iso_vec3_zero();
    iso_vec3 v = iso_vec3_add(v_wb->translational, iso_vec3_cross(v_wb->rotational, arm));
    iso_vec3 back = iso_vec3_scale(v, -time);
    double turn = 0.5 * iso_vec3_norm(iso_vec3_sub(item->upper, item->lower)) *
                  iso_vec3_norm(v_wb->rotational) * time;
    iso_vec3 wide = iso_vec3_make(turn, turn, turn);
    item->lower = iso_vec3_add(item->lower, iso_vec3_sub(iso_vec3_min(back, zero), wide));
    item->upper = iso_vec3_add(item->upper, iso_vec3_add(iso_vec3_max(back, zero), wide));
}

iso_status iso_contact_system_find_crossings(iso_contact_system* system, const iso_pose* x_wb,
                                             const iso_spatial* v_wb, double time,
                                             const iso_candidate** out_pairs, int* out_count) {
    place_items(system, x_wb);
    for (int i = 0; i < system->geometry_count; ++i) {
        int body = system->geometries[i].body;
        if (!system->items[i].is_half_space) {
            sweep_back(&system->items[i], &x_wb[body], &v_wb[body], time);
        }
    }
    iso_status status = pair_items(system);
    *out_pairs = system->broad.candidates.data;
    *out_count = status == ISO_OK ? system->broad.candidates.count : 0;
    return status;
}

// Candidates with a body of the marked ones, or those without.
static void keep_some(iso_contact_system* system, const bool* marks, bool has_mark) {
    const iso_contact_geometry* geometries = system->geometries;
    iso_candidate* candidates = system->broad.candidates.data;
    int count = 0;
    for (int i = 0; i < system->broad.candidates.count; ++i) {
        iso_candidate pair = candidates[i];
        if ((marks[geometries[pair.a].body] || marks[geometries[pair.b].body]) == has_mark) {
            candidates[count++] = pair;
        }
    }
    system->broad.candidates.count = count;
}

// The narrow phase of all candidates: arenas[worker] takes the manifolds.
typedef struct narrow_job {
    iso_contact_system* system;
    iso_arena* arenas;
    bool leaves_large; ///< large pairs are done
} narrow_job;

static bool is_large(const iso_contact_system* system, int item) {
    iso_candidate pair = system->broad.candidates.data[item];
    const iso_contact_model* model = iso_contact_system_model(system, pair.a, pair.b);
    return model->is_shared && model->is_shared(system, pair.a, pair.b);
}

// Move a manifold from another arena to this one.
static bool move_manifold(iso_arena* arena, const iso_contact_model* model,
                          iso_contact_manifold* manifold) {
    if (model->own_size > 0) {
        void* own = iso_arena_push(arena, model->own_size);
        if (!own) {
            return false;
        }
        memcpy(own, manifold->own, model->own_size);
        manifold->own = own;
    }
    return !model->copy || model->copy(arena, manifold);
}

void iso_contact_system_keep_found(iso_contact_system* system, bool keeps) {
    system->keeps_found = keeps;
}

void iso_contact_system_hold_kept(iso_contact_system* system, iso_contact_set* set) {
    system->holds_kept = set != NULL;
    for (int i = 0; set && i < set->pair_count; ++i) {
        iso_kept_manifold* kept = iso_contact_system_kept(system, &set->pairs[i]);
        set->pairs[i].step = kept ? kept->step : NULL;
    }
}

void iso_contact_system_move_from(iso_contact_system* system, const iso_contact_set* set) {
    system->moved_from = set;
}

void iso_contact_system_forget_manifolds(iso_contact_system* system) {
    for (int i = 0; i < system->kept.count; ++i) {
        system->kept.data[i].is_placed = system->kept.data[i].is_found = false;
    }
}

iso_kept_manifold* iso_contact_system_kept(const iso_contact_system* system,
                                           const iso_contact_pair* pair) {
    if (pair->kept <= 0 || pair->kept > system->kept.count) {
        return NULL;
    }
    iso_kept_manifold* kept = &system->kept.data[pair->kept - 1];
    bool is_same = kept->is_found && kept->geometry_a == pair->geometry_a &&
                   kept->geometry_b == pair->geometry_b &&
                   memcmp(&kept->x_wa, &pair->x_wa, sizeof kept->x_wa) == 0 &&
                   memcmp(&kept->x_wb, &pair->x_wb, sizeof kept->x_wb) == 0;
    return is_same ? kept : NULL;
}

void** iso_contact_system_place(const iso_contact_system* system, const iso_contact_pair* pair,
                                iso_arena** out_arena) {
    iso_kept_manifold* kept = iso_contact_system_kept(system, pair);
    *out_arena = kept ? &kept->arena : NULL;
    return kept ? &kept->place : NULL;
}

// One for each candidate; those of other pairs are forgotten, their memory stays.
static iso_status prepare_kept(iso_contact_system* system, int count) {
    iso_status status =
        ISO_ARRAY_RESERVE_AMPLY(system->ctx, &system->kept, count, system->geometry_count);
    while (status == ISO_OK && system->kept.count < count) {
        iso_kept_manifold* kept = &system->kept.data[system->kept.count];
        *kept = (iso_kept_manifold){.geometry_a = -1};
        status = iso_arena_init(&kept->arena, system->ctx, 0);
        system->kept.count += status == ISO_OK;
    }
    for (int i = 0; status == ISO_OK && i < count; ++i) {
        iso_kept_manifold* kept = &system->kept.data[i];
        iso_candidate pair = system->broad.candidates.data[i];
        if (kept->geometry_a != pair.a || kept->geometry_b != pair.b) {
            kept->geometry_a = pair.a;
            kept->geometry_b = pair.b;
            kept->is_placed = kept->is_found = false;
        }
    }
    return status;
}

// Whether the geometries are where they were; notes where they are.
static bool is_still(const iso_contact_system* system, iso_kept_manifold* kept) {
    const iso_pose *x_wa = &system->x_wg[kept->geometry_a], *x_wb = &system->x_wg[kept->geometry_b];
    bool is_same = kept->is_placed && memcmp(&kept->x_wa, x_wa, sizeof *x_wa) == 0 &&
                   memcmp(&kept->x_wb, x_wb, sizeof *x_wb) == 0;
    kept->x_wa = *x_wa;
    kept->x_wb = *x_wb;
    kept->is_placed = true;
    kept->is_found = kept->is_found && is_same;
    return is_same;
}

static iso_status keep_manifold(iso_contact_system* system, const iso_narrow_result* result,
                                iso_kept_manifold* kept) {
    iso_status status = iso_arena_reset(&kept->arena);
    kept->manifold = result->manifold;
    kept->is_wanted = system->keeps_found;
    kept->step = kept->place = NULL;
    kept->is_found =
        status == ISO_OK && (!result->manifold.is_touching ||
                             move_manifold(&kept->arena, result->model, &kept->manifold));
    ISO_REQUIRE(system->ctx, kept->is_found, ISO_ERR_MEMORY, "contact of %d faces",
                result->manifold.patch.face_count);
    return ISO_OK;
}

// That pair of a set; NULL: there is none.
static const iso_contact_pair* find_pair(const iso_contact_set* set, int a, int b) {
    int low = 0, high = set ? set->pair_count : 0;
    while (low < high) {
        int middle = (low + high) / 2;
        const iso_contact_pair* pair = &set->pairs[middle];
        if (pair->geometry_a < a || (pair->geometry_a == a && pair->geometry_b < b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool is_found = set && low < set->pair_count && set->pairs[low].geometry_a == a &&
                    set->pairs[low].geometry_b == b;
    return is_found ? &set->pairs[low] : NULL;
}

// How geometries moved since they met as a pair of moved_from; false: otherwise than along a half
// space.
static bool find_motion(const iso_contact_system* system, int a, int b, iso_moved_patch* out) {
    bool is_plane_a = system->parts[a].is_half_space;
    *out = (iso_moved_patch){.from = NULL};
    if (!system->moved_from || (!is_plane_a && !system->parts[b].is_half_space)) {
        return false;
    }
    const iso_contact_pair* from = find_pair(system->moved_from, a, b);
    if (!from || from->model->kind != ISO_MANIFOLD_PATCH) {
        return false;
    }
    const iso_pose* plane = is_plane_a ? &from->x_wa : &from->x_wb;
    const iso_pose* then = is_plane_a ? &from->x_wb : &from->x_wa;
    const iso_pose* now = &system->x_wg[is_plane_a ? b : a];
    if (memcmp(plane, &system->x_wg[is_plane_a ? a : b], sizeof *plane) != 0) {
        return false;
    }
    out->is_turned = memcmp(&now->r, &then->r, sizeof now->r) != 0;
    iso_vec3 n = iso_mat3_column(&plane->r, 2);
    iso_mat3 turn =
        out->is_turned ? iso_mat3_mul(now->r, iso_mat3_transpose(then->r)) : iso_mat3_identity();
    double sink = fabs(iso_vec3_dot(n, iso_vec3_sub(now->p, then->p)));
    double tilt = iso_vec3_norm(iso_vec3_sub(iso_mat3_mul_vec3(&turn, n), n));
    double sizes = iso_vec3_norm(now->p) + iso_vec3_norm(then->p);
    if (!(sink <= MOVED_ROUNDING * sizes && tilt <= MOVED_ROUNDING)) {
        return false;
    }
    out->motion = (iso_pose){turn, iso_vec3_sub(now->p, iso_mat3_mul_vec3(&turn, then->p))};
    out->from = from;
    return true;
}

// As the pair met before, where both stand still, else found. Kept once they stand.
static iso_status meet(iso_contact_system* system, iso_search_threads* search_threads,
                       iso_arena* arena, iso_kept_manifold* kept, iso_narrow_result* result) {
    const iso_contact_model* model = result->model;
    if (find_motion(system, kept->geometry_a, kept->geometry_b, &result->moved)) {
        const iso_contact_pair* from = result->moved.from;
        iso_contact_manifold* manifold = &result->manifold;
        *manifold = (iso_contact_manifold){.is_touching = true, .own = from->own};
        ISO_REQUIRE(system->ctx,
                    iso_patch_move(arena, &from->patch, &result->moved.motion,
                                   result->moved.is_turned, &manifold->patch),
                    ISO_ERR_MEMORY, "contact of %d faces", from->patch.face_count);
        return ISO_OK;
    }
    bool is_patch = model->kind == ISO_MANIFOLD_PATCH,
         was_still = is_patch && is_still(system, kept);
    bool may_keep = was_still || (is_patch && system->keeps_found);
    may_keep = may_keep && (kept->is_found || !system->holds_kept);
    if (may_keep && kept->is_found) {
        result->manifold = kept->manifold;
        ISO_REQUIRE(system->ctx,
                    !kept->manifold.is_touching || move_manifold(arena, model, &result->manifold),
                    ISO_ERR_MEMORY, "contact of %d faces", kept->manifold.patch.face_count);
        return ISO_OK;
    }
    iso_status status = model->find(system, search_threads, arena, kept->geometry_a,
                                    kept->geometry_b, &result->manifold);
    return status == ISO_OK && may_keep ? keep_manifold(system, result, kept) : status;
}

// Threads of a search_threads share the work; NULL: there are none.
static void find_manifold(iso_contact_system* system, iso_search_threads* search_threads,
                          iso_arena* arena, int item) {
    iso_candidate pair = system->broad.candidates.data[item];
    iso_narrow_result* result = &system->results.data[item];

    iso_arena_mark mark = iso_arena_get_mark(arena);
    size_t before = arena->total;
    arena->peak = before;
    result->manifold = (iso_contact_manifold){0};
    result->moved.from = NULL;
    result->model = iso_contact_system_model(system, pair.a, pair.b);
    result->status = meet(system, search_threads, arena, &system->kept.data[item], result);
    if (result->status != ISO_OK || !result->manifold.is_touching) {
        iso_arena_release(arena, mark);
    }
    result->kept_bytes = arena->total - before;
    result->scratch_bytes = arena->peak - arena->total;
}

static void narrow_task(void* user, int item, int worker) {
    const narrow_job* job = user;
    if (!job->leaves_large || !is_large(job->system, item)) {
        find_manifold(job->system, NULL, &job->arenas[worker], item);
    }
}

// Fewer large pairs than threads: all threads share each of them, one after the other.
// The patches are the same either way.
static iso_status share_large(narrow_job* job, iso_task_pool* pool) {
    iso_contact_system* system = job->system;
    int count = system->broad.candidates.count, large_count = 0;
    for (int i = 0; i < count; ++i) {
        large_count += is_large(system, i);
    }
    if (large_count == 0 || large_count >= iso_task_pool_thread_count(pool)) {
        return ISO_OK;
    }
    iso_status status = iso_search_threads_join(&system->search_threads, system->ctx, pool);
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        if (is_large(system, i)) {
            find_manifold(system, &system->search_threads, &job->arenas[0], i);
        }
    }
    job->leaves_large = true;
    return status;
}

// One arena for each worker, each with room for every patch of the last update and the largest
// scratch: whatever worker takes which pair, a steady step allocates nothing.
static iso_status prepare_workers(iso_contact_system* system, int worker_count) {
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE(system->ctx, &system->workers, worker_count));
    while (system->workers.count < worker_count) {
        ISO_TRY(iso_arena_init(&system->workers.data[system->workers.count], system->ctx, 0));
        ++system->workers.count;
    }
    for (int i = 0; i < worker_count; ++i) {
        ISO_TRY(iso_arena_reset_to(&system->workers.data[i], system->worker_bytes));
    }
done:
    return status;
}

static void remember_worker_bytes(iso_contact_system* system, int candidate_count) {
    size_t kept = 0, scratch = 0;
    for (int i = 0; i < candidate_count; ++i) {
        const iso_narrow_result* result = &system->results.data[i];
        kept += result->kept_bytes;
        scratch = result->scratch_bytes > scratch ? result->scratch_bytes : scratch;
    }
    if (kept + scratch > system->worker_bytes) {
        system->worker_bytes = kept + scratch + (kept + scratch) / 2;
    }
}

static iso_status run_narrow_phase(iso_contact_system* system, iso_task_pool* pool,
                                   iso_arena* arena) {
    int count = system->broad.candidates.count;
    int worker_count = pool ? iso_task_pool_thread_count(pool) : 1;
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(system->ctx, &system->results, count, system->geometry_count));
    ISO_TRY(prepare_kept(system, count));
    narrow_job job = {system, arena, false};
    if (worker_count == 1) {
        for (int i = 0; i < count; ++i) {
            narrow_task(&job, i, 0);
        }
    } else {
        ISO_TRY(prepare_workers(system, worker_count));
        job.arenas = system->workers.data;
        ISO_TRY(share_large(&job, pool));
        iso_task_pool_run(pool, count, narrow_task, &job);
        remember_worker_bytes(system, count);
    }
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        iso_candidate pair = system->broad.candidates.data[i];
        status = system->results.data[i].status;
        if (status != ISO_OK) {
            iso_fail_prefix(system->ctx, status, "contact of '%s' and '%s'",
                            system->geometries[pair.a].name, system->geometries[pair.b].name);
        }
    }
done:
    return status;
}

// Of the geometries a and b as the parts pa and pb.
static double combine_dissipations(const iso_contact_system* system, int a, int b,
                                   const iso_contact_part* pa, const iso_contact_part* pb) {
    const iso_contact_model* model = iso_contact_system_model(system, a, b);
    bool is_mean = system->options.combine == ISO_COMBINE_ELANDT_MEAN;
    if (model->modulus) {
        return iso_dissipation_combine(model->modulus(system, a), pa->dissipation,
                                       model->modulus(system, b), pb->dissipation);
    }
    if (is_mean && pa->compliance + pb->compliance > 0.0) {
        return iso_dissipation_combine_face(1.0 / pa->compliance, pa->dissipation,
                                            1.0 / pb->compliance, pb->dissipation);
    }
    return iso_dissipation_combine(pa->modulus, pa->dissipation, pb->modulus, pb->dissipation);
}

double iso_contact_impact_dissipation(const iso_contact_system* system, int a, int b,
                                      double speed) {
    const int geometries[2] = {a, b};
    iso_contact_part parts[2];
    for (int i = 0; i < 2; ++i) {
        const iso_contact_material* m = &system->geometries[geometries[i]].material;
        parts[i] = system->parts[geometries[i]];
        double impact = fmax(speed, ISO_LEAST_IMPACT_SPEED);
        if (iso_contact_material_is_latched(m)) { // theirs is that of an impact of 1 m/s
            parts[i].dissipation = m->restitution_slope > 0.0
                                       ? iso_contact_material_impact(m, impact)
                                       : parts[i].dissipation / impact;
        }
    }
    return combine_dissipations(system, a, b, &parts[0], &parts[1]);
}

void iso_contact_friction_coefficients(const iso_contact_system* system, int a, int b,
                                       double* out_static, double* out_dynamic) {
    const iso_contact_rule* rule = iso_contact_rules_find(&system->geometries[a].rules, b);
    const iso_contact_material* ma = &system->geometries[a].material;
    const iso_contact_material* mb = &system->geometries[b].material;
    bool is_own = rule && rule->friction_static >= 0.0;
    *out_static = is_own ? rule->friction_static
                         : iso_friction_combine(ma->friction_static, mb->friction_static);
    *out_dynamic = is_own ? rule->friction_dynamic
                          : iso_friction_combine(ma->friction_dynamic, mb->friction_dynamic);
}

static iso_contact_pair make_pair(const iso_contact_system* system, int item) {
    iso_candidate candidate = system->broad.candidates.data[item];
    const iso_narrow_result* found = &system->results.data[item];
    const iso_contact_geometry* a = &system->geometries[candidate.a];
    const iso_contact_geometry* b = &system->geometries[candidate.b];
    const iso_contact_part* pa = &system->parts[candidate.a];
    const iso_contact_part* pb = &system->parts[candidate.b];
    const iso_contact_material* ma = &a->material;
    const iso_contact_material* mb = &b->material;
    double friction_static, friction_dynamic;
    iso_contact_friction_coefficients(system, candidate.a, candidate.b, &friction_static,
                                      &friction_dynamic);
    const iso_lasting_pair* lasting =
        iso_contact_system_lasting_pair(system, candidate.a, candidate.b);
    return (iso_contact_pair){
        .geometry_a = candidate.a,
        .geometry_b = candidate.b,
        .body_a = a->body,
        .body_b = b->body,
        .model = found->model,
        .own = found->manifold.own,
        .x_wa = system->x_wg[candidate.a],
        .x_wb = system->x_wg[candidate.b],
        .p_wc = found->manifold.patch.center_of_pressure,
        .dissipation_a = pa->dissipation,
        .dissipation_b = pb->dissipation,
        .modulus_a = pa->modulus,
        .modulus_b = pb->modulus,
        .dissipation = combine_dissipations(system, candidate.a, candidate.b, pa, pb),
        .adhesion = iso_adhesion_combine(pa->modulus, ma->adhesion, pb->modulus, mb->adhesion),
        .relaxation_time = ma->relaxation_time + mb->relaxation_time,
        .friction_static = friction_static,
        .friction_dynamic = friction_dynamic,
        .lasting = lasting,
        .bristles = lasting && lasting->bristles.stiffness > 0.0 ? &lasting->bristles : NULL,
        .sheet_geometry = -1,
        .kept = item + 1,
        .moved = found->moved,
        .patch = found->manifold.patch,
    };
}

// Pairs that lack something.
static iso_status collect_lacking(const iso_contact_system* system, int lacking_count,
                                  iso_arena* arena, iso_contact_set* out_set) {
    out_set->lacking = iso_arena_push_array(arena, lacking_count, sizeof *out_set->lacking);
    ISO_REQUIRE(system->ctx, out_set->lacking, ISO_ERR_MEMORY, "%d pairs that lack something",
                lacking_count);
    for (int i = 0; i < system->broad.candidates.count; ++i) {
        iso_candidate pair = system->broad.candidates.data[i];
        iso_contact_lack lack = system->results.data[i].manifold.lack;
        if (lack != ISO_CONTACT_LACKS_NOTHING) {
            out_set->lacking[out_set->lacking_count++] = (iso_lacking_pair){pair.a, pair.b, lack};
        }
    }
    return ISO_OK;
}

// Collect the pairs that touch, in the order of the candidates.
static iso_status collect_pairs(const iso_contact_system* system, bool is_copied, iso_arena* arena,
                                iso_contact_set* out_set) {
    int count = system->broad.candidates.count;
    int pair_count = 0, lacking_count = 0;
    for (int i = 0; i < count; ++i) {
        const iso_contact_manifold* manifold = &system->results.data[i].manifold;
        pair_count += manifold->is_touching;
        lacking_count += manifold->lack != ISO_CONTACT_LACKS_NOTHING;
    }
    out_set->pairs = iso_arena_push_array(arena, pair_count, sizeof *out_set->pairs);
    ISO_REQUIRE(system->ctx, out_set->pairs, ISO_ERR_MEMORY, "%d contact pairs", pair_count);
    for (int i = 0; i < count; ++i) {
        iso_narrow_result* result = &system->results.data[i];
        if (!result->manifold.is_touching) {
            continue;
        }
        ISO_REQUIRE(system->ctx,
                    !is_copied || move_manifold(arena, result->model, &result->manifold),
                    ISO_ERR_MEMORY, "contact of %d faces", result->manifold.patch.face_count);
        iso_contact_pair* pair = &out_set->pairs[out_set->pair_count++];
        *pair = make_pair(system, i);
        out_set->face_count += pair->patch.face_count;
        iso_status status = result->model->complete(system, pair, arena);
        if (status != ISO_OK) {
            return status;
        }
    }
    return lacking_count > 0 ? collect_lacking(system, lacking_count, arena, out_set) : ISO_OK;
}

bool iso_contact_system_meets(iso_contact_system* system, int a, int b, const iso_pose x_wg[2],
                              iso_arena* arena, iso_contact_meeting* out) {
    iso_arena_mark mark = iso_arena_get_mark(arena);
    const iso_pose kept[2] = {system->x_wg[a], system->x_wg[b]};
    const iso_contact_model* model = iso_contact_system_model(system, a, b);
    iso_contact_manifold found = {0};
    system->x_wg[a] = x_wg[0];
    system->x_wg[b] = x_wg[1];
    *out = (iso_contact_meeting){.normal = iso_vec3_zero()};
    bool is_found = model->find(system, NULL, arena, a, b, &found) == ISO_OK;
    if (is_found && found.is_touching) {
        iso_contact_pair pair = {.geometry_a = a,
                                 .geometry_b = b,
                                 .model = model,
                                 .own = found.own,
                                 .x_wa = x_wg[0],
                                 .x_wb = x_wg[1],
                                 .p_wc = found.patch.center_of_pressure,
                                 .patch = found.patch};
        *out = (iso_contact_meeting){model->normal(&pair), pair.p_wc};
    } else if (is_found && found.lack != ISO_CONTACT_LACKS_NOTHING) {
        out->p_w = x_wg[1].p;
    } else {
        is_found = false;
    }
    system->x_wg[a] = kept[0];
    system->x_wg[b] = kept[1];
    iso_arena_release(arena, mark);
    return is_found;
}

// What models see in all pairs together: each once, in the order of its first pair.
static iso_status join_pairs(const iso_contact_system* system, iso_arena* arena,
                             iso_contact_set* set) {
    iso_status status = ISO_OK;
    for (int i = 0; i < set->pair_count && status == ISO_OK; ++i) {
        const iso_contact_model* model = set->pairs[i].model;
        bool is_first = true;
        for (int k = 0; k < i && is_first; ++k) {
            is_first = set->pairs[k].model != model;
        }
        if (is_first && model->join) {
            status = model->join(system, set, arena);
        }
    }
    return status;
}

iso_status iso_contact_system_update(iso_contact_system* system, const iso_pose* x_wb,
                                     iso_task_pool* pool, iso_arena* arena,
                                     iso_contact_set* out_set) {
    return iso_contact_system_update_some(system, x_wb, NULL, true, pool, arena, out_set);
}

iso_status iso_contact_system_update_some(iso_contact_system* system, const iso_pose* x_wb,
                                          const bool* marks, bool has_mark, iso_task_pool* pool,
                                          iso_arena* arena, iso_contact_set* out_set) {
    *out_set = (iso_contact_set){0};
    if (system->geometry_count < 2) {
        return ISO_OK;
    }
    double start = iso_clock_seconds();
    iso_status status = ISO_OK;
    place_items(system, x_wb);
    ISO_TRY(pair_items(system));
    if (marks) {
        keep_some(system, marks, has_mark);
    }
    double middle = iso_clock_seconds();
    ISO_TRY(run_narrow_phase(system, pool, arena));
    bool is_copied = pool && iso_task_pool_thread_count(pool) > 1;
    ISO_TRY(collect_pairs(system, is_copied, arena, out_set));
    ISO_TRY(join_pairs(system, arena, out_set));
    out_set->candidate_count = system->broad.candidates.count;
    out_set->broad_seconds = middle - start;
    out_set->narrow_seconds = iso_clock_seconds() - middle;

done:
    if (status != ISO_OK) {
        *out_set = (iso_contact_set){0};
    }
    return status;
}

bool iso_contact_pair_is_deep(const iso_contact_pair* pair) {
    return fmax(pair->extent_a, pair->extent_b) > ISO_DEEP_EXTENT;
}

bool iso_contact_pair_is_sheet(const iso_contact_pair* pair) {
    return pair->sheet_depth > 0.0 && pair->sheet_share >= ISO_LEAST_SHEET_SHARE;
}

bool iso_contact_set_is_odd(const iso_contact_set* set) {
    bool is_odd = set->lacking_count > 0;
    for (int i = 0; i < set->pair_count && !is_odd; ++i) {
        is_odd =
            iso_contact_pair_is_deep(&set->pairs[i]) || iso_contact_pair_is_sheet(&set->pairs[i]);
    }
    return is_odd;
}
