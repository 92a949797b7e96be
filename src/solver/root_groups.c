// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What is solved together, and in which order.

#include "base/core/fail.h"
#include "solver/root.h"

void iso_root_find_groups(const iso_convex_problem* problem, int* group_of) {
    for (int t = 0; t < problem->tree_count; ++t) {
        group_of[t] = -1;
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* p = &problem->potentials[k];
        group_of[p->tree_a] = p->tree_a;
        if (p->tree_b >= 0) {
            group_of[p->tree_b] = p->tree_b;
        }
    }
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int k = 0; k < problem->potential_count; ++k) {
            const iso_potential* p = &problem->potentials[k];
            if (p->tree_b < 0 || group_of[p->tree_a] == group_of[p->tree_b]) {
                continue;
            }
            int a = group_of[p->tree_a], b = group_of[p->tree_b];
            int low = a < b ? a : b, high = a < b ? b : a;
            for (int t = high; t < problem->tree_count; ++t) {
                group_of[t] = group_of[t] == high ? low : group_of[t];
            }
            is_changed = true;
        }
    }
}

// --- reverse Cuthill-McKee: neighbours of what has a place get the next ones, those of few
// neighbours first, from a tree of few neighbours on
// ------------------------------------------------

// Trees of a group and whom potentials couple them with, by their places in the list given.
typedef struct graph {
    int count;
    int* index;      // [count + 1] first neighbour of each
    int* neighbours; // [index[count]] may repeat
} graph;

static bool couples(const iso_potential* k, const int* group_of, int group) {
    return k->tree_b >= 0 && group_of[k->tree_a] == group;
}

static iso_status make_graph(const iso_convex_problem* problem, const int* group_of,
                             iso_arena* work, const int* trees, int count, graph* g) {
    int group = group_of[trees[0]];
    int* place = iso_arena_push_array(work, problem->tree_count, sizeof *place);
    *g = (graph){count, iso_arena_push_array(work, count + 1, sizeof *g->index),
                 iso_arena_push_array(work, 2 * problem->potential_count, sizeof *g->neighbours)};
    ISO_REQUIRE(work->ctx, place && g->index && g->neighbours, ISO_ERR_MEMORY, "order of %d trees",
                count);
    for (int i = 0; i <= count; ++i) {
        g->index[i] = 0;
    }
    for (int i = 0; i < count; ++i) {
        place[trees[i]] = i;
    }
    for (int k = 0; k < problem->potential_count; ++k) {
        const iso_potential* p = &problem->potentials[k];
        if (couples(p, group_of, group)) {
            ++g->index[place[p->tree_a]];
            ++g->index[place[p->tree_b]];
        }
    }
    for (int i = 1; i <= count; ++i) {
        g->index[i] += g->index[i - 1];
    }
    // From ends to beginnings.
    for (int k = problem->potential_count - 1; k >= 0; --k) {
        const iso_potential* p = &problem->potentials[k];
        if (couples(p, group_of, group)) {
            int a = place[p->tree_a], b = place[p->tree_b];
            g->neighbours[--g->index[a]] = b;
            g->neighbours[--g->index[b]] = a;
        }
    }
    return ISO_OK;
}

static int degree(const graph* g, int i) {
    return g->index[i + 1] - g->index[i];
}

// Append what is not in the queue yet, sorted by degrees; equal ones as they come.
static int add_neighbours(const graph* g, int i, bool* is_queued, int* queue, int end) {
    int first = end;
    for (int k = g->index[i]; k < g->index[i + 1]; ++k) {
        int next = g->neighbours[k], at = end;
        if (is_queued[next]) {
            continue;
        }
        is_queued[next] = true;
        for (; at > first && degree(g, queue[at - 1]) > degree(g, next); --at) {
            queue[at] = queue[at - 1];
        }
        queue[at] = next;
        ++end;
    }
    return end;
}

iso_status iso_root_order(const iso_convex_problem* problem, const int* group_of, iso_arena* work,
                          int* trees, int count) {
    iso_arena_mark mark = iso_arena_get_mark(work);
    graph g;
    iso_status status = make_graph(problem, group_of, work, trees, count, &g);
    int* queue = iso_arena_push_array(work, count, sizeof *queue);
    bool* is_queued = iso_arena_push_array(work, count, sizeof *is_queued);
    if (status == ISO_OK && !(queue && is_queued)) {
        status = iso_fail(work->ctx, ISO_ERR_MEMORY, __func__, "order of %d trees", count);
    }
    if (status == ISO_OK) {
        int start = 0;
        for (int i = 0; i < count; ++i) {
            is_queued[i] = false;
            start = degree(&g, i) < degree(&g, start) ? i : start;
        }
        queue[0] = start;
        is_queued[start] = true;
        for (int at = 0, end = 1; at < end; ++at) {
            end = add_neighbours(&g, queue[at], is_queued, queue, end);
        }
        for (int i = 0; i < count; ++i) {
            queue[i] = trees[queue[i]];
        }
        for (int i = 0; i < count; ++i) {
            trees[i] = queue[count - 1 - i];
        }
    }
    iso_arena_release(work, mark);
    return status;
}
