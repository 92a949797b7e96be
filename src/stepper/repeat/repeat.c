// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "stepper/stages/stages.h"

#include <string.h>

/// A pair at rest: what its step was asked, and what came of it. In the arena of its manifold, of
/// which the patch is.
typedef struct repeat_pair {
    int64_t note; ///< the last one that it was part of
    iso_pair_materials materials;
    iso_pair_start start;
    bool has_memory;
    iso_pair_memory memory; ///< before the step and after it
    iso_contact_step step;  ///< without what is its model's
    iso_spatial f_b_w;
    iso_pair_work work;
    iso_face_values faces; ///< [face_count]
} repeat_pair;

struct iso_repeat {
    bool has_any;           ///< a tree is still
    int64_t note;           ///< how many there were: pairs of earlier ones are of other steps
    bool* is_jointed;       ///< [tree_count] something else than contacts may hold it
    bool* is_still;         ///< [tree_count] its island ended the last step as it began it
    int* pair_counts;       ///< [tree_count] its contacts then
    double *q, *v, *v_star; ///< [q_count], [v_count]: of such trees
    double* a;              ///< [tree_m_index[tree_count]]
    iso_island_note* notes; ///< [tree_count]
};

// --- what belongs to a stepper -------------------------------------------------------------------

iso_status iso_repeat_create(iso_context* ctx, const iso_dynamics* dynamics,
                             iso_repeat** out_repeat) {
    const iso_multibody* multibody = dynamics->multibody;
    int trees = multibody->tree_count;
    iso_repeat* repeat = iso_alloc_zeroed(ctx, sizeof *repeat);
    *out_repeat = repeat;
    ISO_REQUIRE(ctx, repeat, ISO_ERR_MEMORY, "what rests");
    repeat->is_jointed = iso_alloc_array(ctx, trees, sizeof *repeat->is_jointed);
    repeat->is_still = iso_alloc_array(ctx, trees, sizeof *repeat->is_still);
    repeat->pair_counts = iso_alloc_array(ctx, trees, sizeof *repeat->pair_counts);
    repeat->q = iso_alloc_array(ctx, multibody->q_count, sizeof *repeat->q);
    repeat->v = iso_alloc_array(ctx, multibody->v_count, sizeof *repeat->v);
    repeat->v_star = iso_alloc_array(ctx, multibody->v_count, sizeof *repeat->v_star);
    repeat->a = iso_alloc_array(ctx, multibody->tree_m_index[trees], sizeof *repeat->a);
    repeat->notes = iso_alloc_array(ctx, trees, sizeof *repeat->notes);
    ISO_REQUIRE(ctx,
                repeat->is_jointed && repeat->is_still && repeat->pair_counts && repeat->q &&
                    repeat->v && repeat->v_star && repeat->a && repeat->notes,
                ISO_ERR_MEMORY, "what rests of %d trees", trees);
    return ISO_OK;
}

void iso_repeat_destroy(iso_context* ctx, iso_repeat* repeat) {
    if (!repeat) {
        return;
    }
    void* const arrays[] = {repeat->is_jointed, repeat->is_still, repeat->pair_counts,
                            repeat->q,          repeat->v,        repeat->v_star,
                            repeat->a,          repeat->notes,    repeat};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i) {
        iso_free(ctx, arrays[i]);
    }
}

iso_island_note* iso_repeat_notes(iso_repeat* repeat) {
    return repeat->notes;
}

static void mark_body(const iso_multibody* multibody, int body, bool* marks) {
    if (body >= 0 && multibody->bodies[body].tree >= 0) {
        marks[multibody->bodies[body].tree] = true;
    }
}

void iso_repeat_mark_joints(iso_stepper* stepper) {
    iso_repeat* repeat = stepper->repeat;
    const iso_dynamics* dynamics = &stepper->dynamics;
    const iso_multibody* multibody = dynamics->multibody;
    const iso_closure* closure = &stepper->closure;
    if (!repeat) {
        return;
    }
    repeat->has_any = false;
    bool* marks = repeat->is_jointed;
    memset(marks, stepper->adhesion_count > 0, (size_t)multibody->tree_count * sizeof *marks);
    for (int i = 0; i < stepper->limited_count; ++i) {
        mark_body(multibody, stepper->limited[i], marks);
    }
    for (int i = 0; i < stepper->friction_count; ++i) {
        mark_body(multibody, multibody->dof_body[stepper->friction_dofs[i]], marks);
    }
    for (int i = 0; i < dynamics->actuator_count; ++i) {
        mark_body(multibody, dynamics->actuators[i].body, marks);
    }
    for (int i = 0; i < dynamics->tendon_count; ++i) {
        int tree = iso_fixed_tendon_tree(&dynamics->tendons[i], multibody);
        if (tree >= 0) {
            marks[tree] = true;
        }
    }
    for (int i = 0; i < closure->constraint_count; ++i) {
        mark_body(multibody, closure->constraints[i].body_a, marks);
        mark_body(multibody, closure->constraints[i].body_b, marks);
    }
    for (int i = 0; i < closure->coupler_count; ++i) {
        mark_body(multibody, closure->couplers[i].body_a, marks);
        mark_body(multibody, closure->couplers[i].body_b, marks);
    }
}

// --- islands -------------------------------------------------------------------------------------

typedef struct pair_trees {
    int a, b; ///< -1: fixed
} pair_trees;

static pair_trees trees_of(const iso_stages* s, int pair) {
    const iso_mb_body* bodies = s->stepper->dynamics.multibody->bodies;
    return (pair_trees){bodies[s->set.pairs[pair].body_a].tree,
                        bodies[s->set.pairs[pair].body_b].tree};
}

// One of its trees, which are of one island; -1: both bodies are fixed.
static int tree_of(const iso_stages* s, int pair) {
    return iso_stages_pair_tree(s, s->set.pairs[pair].body_a, s->set.pairs[pair].body_b);
}

static void clear(bool* marks, pair_trees trees) {
    if (trees.a >= 0) {
        marks[trees.a] = false;
    }
    if (trees.b >= 0) {
        marks[trees.b] = false;
    }
}

// A mark stays where all trees of the island have it. Returns whether any does.
static bool spread(int* leaders, int tree_count, bool* marks) {
    bool has_any = false;
    for (int t = 0; t < tree_count; ++t) {
        int leader = iso_island_leader(leaders, t);
        marks[leader] = marks[leader] && marks[t];
    }
    for (int t = 0; t < tree_count; ++t) {
        marks[t] = marks[iso_island_leader(leaders, t)];
        has_any = has_any || marks[t];
    }
    return has_any;
}

static int* push_leaders(const iso_stages* s) {
    int count = s->stepper->dynamics.multibody->tree_count;
    int* leaders = iso_arena_push_array(&s->stepper->arena, count, sizeof *leaders);
    for (int t = 0; leaders && t < count; ++t) {
        leaders[t] = t;
    }
    return leaders;
}

// Pairs of a tree, in its place.
static void count_pairs(const iso_stages* s, int* counts) {
    memset(counts, 0, (size_t)s->stepper->dynamics.multibody->tree_count * sizeof *counts);
    for (int i = 0; i < s->set.pair_count; ++i) {
        pair_trees trees = trees_of(s, i);
        if (trees.a >= 0) {
            ++counts[trees.a];
        }
        if (trees.b >= 0 && trees.b != trees.a) {
            ++counts[trees.b];
        }
    }
}

// --- one pair ------------------------------------------------------------------------------------

// What a pair remembers; false: more than one record.
static bool find_memory(const iso_pair_memory* memories, int count, const iso_contact_pair* pair,
                        int* at, const iso_pair_memory** out) {
    *out = iso_pair_memory_next(memories, count, pair->geometry_a, pair->geometry_b, at);
    return iso_pair_memory_run(*out, count - *at) <= 1;
}

static bool asks_the_same(const iso_stages* s, int index, const iso_pair_memory* memory,
                          const repeat_pair* kept) {
    const iso_contact_pair* pair = &s->set.pairs[index];
    iso_pair_materials materials = iso_contact_pair_materials(pair);
    iso_pair_start now = iso_stages_pair_start(s, pair);
    return !iso_stages_is_given(s, pair) &&
           iso_bits_are_same(&materials, &kept->materials, sizeof materials) &&
           iso_bits_are_same(&now.u_c0, &kept->start.u_c0, sizeof now.u_c0) &&
           iso_bits_are_same(&now.v_c0, &kept->start.v_c0, sizeof now.v_c0) &&
           iso_bits_are_same(&now.moved, &kept->start.moved, sizeof now.moved) &&
           iso_bits_are_same(&now.poses, &kept->start.poses, sizeof now.poses) &&
           (memory != NULL) == kept->has_memory &&
           (!memory || iso_bits_are_same(memory, &kept->memory, sizeof *memory));
}

static repeat_pair** place_of(const iso_stages* s, int pair, iso_arena** out_arena) {
    return (repeat_pair**)iso_contact_system_place(s->stepper->dynamics.contact,
                                                   &s->set.pairs[pair], out_arena);
}

static const repeat_pair* kept_of(const iso_stages* s, int pair) {
    iso_arena* arena;
    repeat_pair** place = place_of(s, pair, &arena);
    return place ? *place : NULL;
}

// --- finding -------------------------------------------------------------------------------------

// Whether trees are as they were, and what acts on them.
static void find_same_trees(const iso_stages* s, bool* out) {
    const iso_repeat* repeat = s->stepper->repeat;
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t], at = multibody->tree_m_index[t];
        size_t dofs = (size_t)(multibody->tree_v_index[t + 1] - first);
        size_t entries = (size_t)(multibody->tree_m_index[t + 1] - at);
        out[t] =
            repeat->is_still[t] &&
            iso_bits_are_same(repeat->v + first, s->input->v + first, dofs * sizeof(double)) &&
            iso_bits_are_same(repeat->v_star + first, s->v_star + first, dofs * sizeof(double)) &&
            iso_bits_are_same(repeat->a + at, s->a + at, entries * sizeof(double));
    }
    for (int b = 1; b < multibody->body_count; ++b) {
        const iso_mb_body* body = &multibody->bodies[b];
        if (body->tree >= 0 && out[body->tree]) {
            size_t bytes = (size_t)iso_mobility_q_count(body->mobility) * sizeof(double);
            out[body->tree] =
                iso_bits_are_same(repeat->q + body->q_index, s->input->q + body->q_index, bytes);
        }
    }
}

// Islands whose trees and pairs are all the same.
static bool find_same_islands(const iso_stages* s, int* leaders, int* counts, bool* out) {
    const iso_repeat* repeat = s->stepper->repeat;
    int tree_count = s->stepper->dynamics.multibody->tree_count, at = 0;
    find_same_trees(s, out);
    count_pairs(s, counts);
    for (int t = 0; t < tree_count; ++t) {
        out[t] = out[t] && counts[t] == repeat->pair_counts[t];
    }
    for (int i = 0; i < s->set.pair_count; ++i) {
        const iso_contact_pair* pair = &s->set.pairs[i];
        pair_trees trees = trees_of(s, i);
        iso_island_join(leaders, trees.a, trees.b);
        bool may_be = (trees.a < 0 || out[trees.a]) && (trees.b < 0 || out[trees.b]) &&
                      (trees.a >= 0 || trees.b >= 0);
        const repeat_pair* kept = may_be ? kept_of(s, i) : NULL;
        const iso_pair_memory* memory;
        if (!kept || kept->note != repeat->note ||
            !find_memory(s->input->memories, s->input->memory_count, pair, &at, &memory) ||
            !asks_the_same(s, i, memory, kept)) {
            clear(out, trees);
        }
    }
    return spread(leaders, tree_count, out);
}

iso_status iso_repeat_find(iso_stages* s) {
    iso_stepper* stepper = s->stepper;
    iso_repeat* repeat = stepper->repeat;
    int tree_count = stepper->dynamics.multibody->tree_count;
    s->is_repeated = NULL;
    if (!s->may_repeat) {
        return ISO_OK;
    }
    if (repeat->has_any && s->set.pair_count > 0) {
        bool* is_repeated = iso_arena_push_array(&stepper->arena, tree_count, sizeof *is_repeated);
        int* counts = iso_arena_push_array(&stepper->arena, tree_count, sizeof *counts);
        int* leaders = push_leaders(s);
        ISO_REQUIRE(stepper->ctx, is_repeated && counts && leaders, ISO_ERR_MEMORY,
                    "what rests of %d trees", tree_count);
        bool has_any = find_same_islands(s, leaders, counts, is_repeated);
        s->is_repeated = has_any ? is_repeated : NULL;
    }
    for (int t = 0; t < tree_count; ++t) {
        if (!s->is_repeated || !s->is_repeated[t]) { // also where this step fails
            repeat->notes[t].tree_count = 0;
            repeat->is_still[t] = false;
        }
    }
    return ISO_OK;
}

bool iso_repeat_has_pair(const iso_stages* s, int pair) {
    if (!s->is_repeated) {
        return false;
    }
    int tree = tree_of(s, pair);
    return tree >= 0 && s->is_repeated[tree];
}

void iso_repeat_take_step(iso_stages* s, int pair) {
    s->steps[pair] = kept_of(s, pair)->step;
    s->pair_potential[pair] = ISO_PAIR_REPEATED;
}

static void copy_faces(const iso_face_values* from, int count, const iso_face_values* to) {
    size_t vectors = (size_t)count * sizeof(iso_vec3);
    if (count > 0) {
        memcpy(to->tractions, from->tractions, vectors);
        memcpy(to->slips, from->slips, vectors);
        if (to->stretches && from->stretches) {
            memcpy(to->stretches, from->stretches, vectors);
            memcpy(to->sliding, from->sliding, (size_t)count * sizeof(double));
        }
    }
}

void iso_repeat_take_result(const iso_stages* s, int pair, iso_contact_result* result,
                            iso_pair_work* out_work) {
    const repeat_pair* kept = kept_of(s, pair);
    iso_face_values faces = iso_contact_result_faces(result, pair);
    copy_faces(&kept->faces, s->set.pairs[pair].patch.face_count, &faces);
    result->f_b_w[pair] = kept->f_b_w;
    *out_work = kept->work;
    if (kept->has_memory) {
        result->memories[result->memory_count++] = kept->memory;
    }
}

// --- noting --------------------------------------------------------------------------------------

// Trees of which nothing moved, and that only contacts hold.
static void find_still(const iso_stages* s, bool* out) {
    const iso_repeat* repeat = s->stepper->repeat;
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    for (int t = 0; t < multibody->tree_count; ++t) {
        int first = multibody->tree_v_index[t];
        size_t bytes = (size_t)(multibody->tree_v_index[t + 1] - first) * sizeof(double);
        out[t] = s->is_kept[t] && !repeat->is_jointed[t] &&
                 iso_bits_are_same(s->end_v + first, s->input->v + first, bytes);
    }
}

// Whether a pair hands on what it was given.
static bool stays(const iso_stages* s, int index, const iso_contact_result* result, int at[2]) {
    const iso_contact_pair* pair = &s->set.pairs[index];
    const iso_pair_memory *before, *after;
    iso_arena* arena;
    bool is_one = find_memory(s->input->memories, s->input->memory_count, pair, &at[0], &before) &&
                  find_memory(result->memories, result->memory_count, pair, &at[1], &after);
    return is_one && !iso_stages_is_given(s, pair) && !pair->face_dissipations && !pair->lasting &&
           !pair->bristles && (before != NULL) == (after != NULL) &&
           (!before || iso_bits_are_same(before, after, sizeof *before)) &&
           place_of(s, index, &arena);
}

static iso_status keep_faces(iso_arena* arena, const iso_face_values* faces, int count,
                             iso_face_values* out) {
    *out = (iso_face_values){.tractions = iso_arena_push_array(arena, count, sizeof(iso_vec3)),
                             .slips = iso_arena_push_array(arena, count, sizeof(iso_vec3))};
    bool is_good = out->tractions && out->slips;
    if (faces->stretches) {
        out->stretches = iso_arena_push_array(arena, count, sizeof(iso_vec3));
        out->sliding = iso_arena_push_array(arena, count, sizeof(double));
        is_good = is_good && out->stretches && out->sliding;
    }
    ISO_REQUIRE(arena->ctx, is_good, ISO_ERR_MEMORY, "%d faces of a contact", count);
    copy_faces(faces, count, out);
    return ISO_OK;
}

static iso_status keep_pair(const iso_stages* s, int index, const iso_contact_result* result,
                            const iso_pair_memory* memory) {
    iso_arena* arena;
    repeat_pair** place = place_of(s, index, &arena);
    const iso_contact_step* step = &s->steps[index];
    iso_face_values faces = iso_contact_result_faces(result, index);
    int count = s->set.pairs[index].patch.face_count;
    if (*place) { // of the same patch: its memory is used again
        copy_faces(&faces, count, &(*place)->faces);
    } else {
        repeat_pair* kept = iso_arena_push(arena, sizeof *kept);
        ISO_REQUIRE(arena->ctx, kept, ISO_ERR_MEMORY, "a contact at rest");
        iso_status status = keep_faces(arena, &faces, count, &kept->faces);
        if (status != ISO_OK) {
            return status;
        }
        *place = kept;
    }
    repeat_pair* kept = *place;
    kept->materials = iso_contact_pair_materials(&s->set.pairs[index]);
    kept->start = iso_stages_pair_start(s, &s->set.pairs[index]);
    kept->has_memory = memory != NULL;
    if (memory) {
        kept->memory = *memory;
    }
    kept->step = (iso_contact_step){.start_energy = step->start_energy,
                                    .softening = step->softening,
                                    .stiffness = step->stiffness,
                                    .coupling = step->coupling};
    kept->f_b_w = result->f_b_w[index];
    kept->work = s->pair_works[index];
    return ISO_OK;
}

static void keep_trees(const iso_stages* s) {
    iso_repeat* repeat = s->stepper->repeat;
    const iso_multibody* multibody = s->stepper->dynamics.multibody;
    memcpy(repeat->q, s->input->q, (size_t)multibody->q_count * sizeof *repeat->q);
    memcpy(repeat->v, s->input->v, (size_t)multibody->v_count * sizeof *repeat->v);
    memcpy(repeat->v_star, s->v_star, (size_t)multibody->v_count * sizeof *repeat->v_star);
    memcpy(repeat->a, s->a,
           (size_t)multibody->tree_m_index[multibody->tree_count] * sizeof *repeat->a);
    count_pairs(s, repeat->pair_counts);
}

iso_status iso_repeat_note(iso_stages* s, const iso_contact_result* result) {
    iso_stepper* stepper = s->stepper;
    iso_repeat* repeat = stepper->repeat;
    int tree_count = stepper->dynamics.multibody->tree_count, at[2] = {0, 0};
    if (!s->may_repeat) {
        return ISO_OK;
    }
    repeat->has_any = false;
    if (!s->is_kept) {
        return ISO_OK;
    }
    int* leaders = push_leaders(s);
    ISO_REQUIRE(stepper->ctx, leaders, ISO_ERR_MEMORY, "islands of %d trees", tree_count);
    ++repeat->note;
    find_still(s, repeat->is_still);
    for (int i = 0; i < s->set.pair_count; ++i) {
        pair_trees trees = trees_of(s, i);
        iso_island_join(leaders, trees.a, trees.b);
        if (!stays(s, i, result, at)) {
            clear(repeat->is_still, trees);
        }
    }
    for (int t = 0; t < tree_count; ++t) {
        const iso_island_note* note = &repeat->notes[iso_island_leader(leaders, t)];
        repeat->is_still[t] = repeat->is_still[t] && note->tree_count > 0 &&
                              note->iterations == 0 && !note->has_followed;
    }
    repeat->has_any = spread(leaders, tree_count, repeat->is_still);
    for (int i = 0, next = 0; i < s->set.pair_count && repeat->has_any; ++i) {
        int tree = tree_of(s, i);
        const iso_pair_memory* memory;
        iso_arena* arena;
        (void)find_memory(result->memories, result->memory_count, &s->set.pairs[i], &next, &memory);
        if (tree < 0 || !repeat->is_still[tree]) {
            continue;
        }
        if (!iso_repeat_has_pair(s, i)) {
            iso_status status = keep_pair(s, i, result, memory);
            if (status != ISO_OK) {
                repeat->has_any = false;
                return status;
            }
        }
        (*place_of(s, i, &arena))->note = repeat->note;
    }
    if (repeat->has_any) {
        keep_trees(s);
    }
    return ISO_OK;
}
