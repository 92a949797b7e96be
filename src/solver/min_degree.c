// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The quotient graph: an eliminated block becomes an element, which stands for the clique its
// elimination creates. A block's neighbours are the other members of its elements and the plain
// neighbours that are left. An element is absorbed by the one that contains it, so no list ever
// grows.

#include "solver/min_degree.h"

#include "base/core/ample.h"

#include <limits.h>

// Working view of one run. Blocks are kept in a binary heap by (degree, index).
typedef struct quotient_graph {
    const int* sizes;
    int* list;          // [2 pair_count] per block: elements, then plain neighbours
    int* list_index;    // [count + 1]
    int* plain_count;   // [count] plain neighbours in the list
    int* near_elements; // [count] elements in the list
    int* is_absorbed;   // [count] elements only
    int* degree;        // [count]
    int* heap;          // [count] blocks
    int* heap_place;    // [count] place of a block in the heap; -1 once eliminated
    int* mark;          // [count]
    int* scratch;       // [count]
    int heap_count;
    int stamp;
} quotient_graph;

void iso_min_degree_destroy(iso_context* ctx, iso_min_degree* ordering) {
    ISO_ARRAY_FREE(ctx, &ordering->order);
    ISO_ARRAY_FREE(ctx, &ordering->element_index);
    ISO_ARRAY_FREE(ctx, &ordering->element_count);
    ISO_ARRAY_FREE(ctx, &ordering->elements);
    ISO_ARRAY_FREE(ctx, &ordering->work);
}

static iso_status prepare(iso_context* ctx, iso_min_degree* ordering, int count, int pair_count) {
    iso_status status = ISO_OK;
    ISO_CHECK(ctx, count <= (INT_MAX - 2 * pair_count) / 10 && pair_count <= INT_MAX / 4,
              ISO_ERR_MEMORY, "ordering of %d blocks with %d pairs", count, pair_count);
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &ordering->order, count, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &ordering->element_index, count, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &ordering->element_count, count, 0));
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &ordering->elements, pair_count + 1, count));
    ISO_TRY(
        ISO_ARRAY_RESERVE_AMPLY(ctx, &ordering->work, 10 * count + 2 * pair_count + 1, 4 * count));
    ordering->order.count = ordering->element_index.count = ordering->element_count.count = count;
    ordering->elements.count = 0;
done:
    return status;
}

static quotient_graph carve(const iso_min_degree* ordering, const int* sizes, int count,
                            int pair_count) {
    quotient_graph g = {.sizes = sizes};
    int* next = ordering->work.data;
    g.list = next;
    next += 2 * pair_count;
    g.list_index = next;
    next += count + 1;
    int** arrays[] = {&g.plain_count, &g.near_elements, &g.is_absorbed, &g.degree,
                      &g.heap,        &g.heap_place,    &g.mark,        &g.scratch};
    for (int i = 0; i < (int)(sizeof arrays / sizeof *arrays); ++i) {
        *arrays[i] = next;
        next += count;
    }
    return g;
}

static void build_lists(quotient_graph* g, int count, const iso_block_pair* pairs, int pair_count) {
    for (int i = 0; i < count; ++i) {
        g->plain_count[i] = g->near_elements[i] = g->is_absorbed[i] = 0;
        g->degree[i] = g->sizes[i];
        g->mark[i] = 0;
    }
    for (int p = 0; p < pair_count; ++p) {
        ++g->plain_count[pairs[p].a];
        ++g->plain_count[pairs[p].b];
    }
    g->list_index[0] = 0;
    for (int i = 0; i < count; ++i) {
        g->list_index[i + 1] = g->list_index[i] + g->plain_count[i];
        g->plain_count[i] = 0;
    }
    for (int p = 0; p < pair_count; ++p) {
        int a = pairs[p].a, b = pairs[p].b;
        g->list[g->list_index[a] + g->plain_count[a]++] = b;
        g->list[g->list_index[b] + g->plain_count[b]++] = a;
        g->degree[a] += g->sizes[b];
        g->degree[b] += g->sizes[a];
    }
}

static bool is_before(const quotient_graph* g, int a, int b) {
    return g->degree[a] < g->degree[b] || (g->degree[a] == g->degree[b] && a < b);
}

static void heap_put(quotient_graph* g, int place, int block) {
    g->heap[place] = block;
    g->heap_place[block] = place;
}

static void heap_sift_up(quotient_graph* g, int place, int block) {
    while (place > 0 && is_before(g, block, g->heap[(place - 1) / 2])) {
        heap_put(g, place, g->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    heap_put(g, place, block);
}

static void heap_sift_down(quotient_graph* g, int place, int block) {
    for (int child = 2 * place + 1; child < g->heap_count; child = 2 * place + 1) {
        if (child + 1 < g->heap_count && is_before(g, g->heap[child + 1], g->heap[child])) {
            ++child;
        }
        if (!is_before(g, g->heap[child], block)) {
            break;
        }
        heap_put(g, place, g->heap[child]);
        place = child;
    }
    heap_put(g, place, block);
}

static void heap_fill(quotient_graph* g, int count) {
    g->heap_count = count;
    for (int i = 0; i < count; ++i) {
        heap_put(g, i, i);
    }
    for (int i = count / 2 - 1; i >= 0; --i) {
        heap_sift_down(g, i, g->heap[i]);
    }
}

static int heap_pop(quotient_graph* g) {
    int first = g->heap[0];
    g->heap_place[first] = -1;
    int last = g->heap[--g->heap_count];
    if (g->heap_count > 0) {
        heap_sift_down(g, 0, last);
    }
    return first;
}

static void heap_update(quotient_graph* g, int block, int degree) {
    bool is_less = degree < g->degree[block];
    g->degree[block] = degree;
    if (is_less) {
        heap_sift_up(g, g->heap_place[block], block);
    } else {
        heap_sift_down(g, g->heap_place[block], block);
    }
}

// Members of the new element: everything the pivot is coupled with. The elements it was in are
// absorbed. Marks the members and the pivot with the current stamp.
static iso_status form_element(iso_context* ctx, iso_min_degree* ordering, quotient_graph* g,
                               int pivot, int room) {
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_RESERVE_AMPLY(ctx, &ordering->elements, ordering->elements.count + room,
                                    ordering->order.count));
    int stamp = ++g->stamp;
    int* members = ordering->elements.data;
    int end = ordering->elements.count;
    int first = end;
    const int* list = g->list + g->list_index[pivot];
    g->mark[pivot] = stamp;
    for (int e = 0; e < g->near_elements[pivot]; ++e) {
        int element = list[e];
        g->is_absorbed[element] = 1;
        const int* old = members + ordering->element_index.data[element];
        for (int i = 0; i < ordering->element_count.data[element]; ++i) {
            if (g->mark[old[i]] != stamp) {
                g->mark[old[i]] = stamp;
                members[end++] = old[i];
            }
        }
    }
    for (int i = 0; i < g->plain_count[pivot]; ++i) {
        int block = list[g->near_elements[pivot] + i];
        if (g->mark[block] != stamp) {
            g->mark[block] = stamp;
            members[end++] = block;
        }
    }
    ordering->element_index.data[pivot] = first;
    ordering->element_count.data[pivot] = end - first;
    ordering->elements.count = end;
done:
    return status;
}

// Neighbours of a member: live elements, the new one, and plain neighbours outside of it.
static void rebuild_list(quotient_graph* g, int block, int pivot, int stamp) {
    int* list = g->list + g->list_index[block];
    int elements = 0, plain = 0;
    for (int e = 0; e < g->near_elements[block]; ++e) {
        if (!g->is_absorbed[list[e]]) {
            g->scratch[elements++] = list[e];
        }
    }
    g->scratch[elements++] = pivot;
    const int* old = list + g->near_elements[block];
    for (int i = 0; i < g->plain_count[block]; ++i) {
        if (g->mark[old[i]] != stamp) {
            g->scratch[elements + plain++] = old[i];
        }
    }
    for (int i = 0; i < elements + plain; ++i) {
        list[i] = g->scratch[i];
    }
    g->near_elements[block] = elements;
    g->plain_count[block] = plain;
}

// Rows of a block and of all that it is coupled with. Its own rows count: a heavy hub must not go
// before its light neighbours, as it would couple them all.
static int exact_degree(const iso_min_degree* ordering, quotient_graph* g, int block) {
    int stamp = ++g->stamp;
    int degree = g->sizes[block];
    const int* list = g->list + g->list_index[block];
    g->mark[block] = stamp;
    for (int e = 0; e < g->near_elements[block]; ++e) {
        const int* members = ordering->elements.data + ordering->element_index.data[list[e]];
        for (int i = 0; i < ordering->element_count.data[list[e]]; ++i) {
            int other = members[i];
            if (g->mark[other] != stamp) {
                g->mark[other] = stamp;
                degree += g->sizes[other];
            }
        }
    }
    for (int i = 0; i < g->plain_count[block]; ++i) {
        int other = list[g->near_elements[block] + i];
        if (g->mark[other] != stamp) {
            g->mark[other] = stamp;
            degree += g->sizes[other];
        }
    }
    return degree;
}

iso_status iso_min_degree_run(iso_context* ctx, iso_min_degree* ordering, const int* sizes,
                              int block_count, const iso_block_pair* pairs, int pair_count) {
    iso_status status = prepare(ctx, ordering, block_count, pair_count);
    if (status != ISO_OK) {
        return status;
    }
    quotient_graph g = carve(ordering, sizes, block_count, pair_count);
    build_lists(&g, block_count, pairs, pair_count);
    heap_fill(&g, block_count);
    for (int k = 0; k < block_count; ++k) {
        int pivot = heap_pop(&g);
        ordering->order.data[k] = pivot;
        ISO_TRY(form_element(ctx, ordering, &g, pivot, block_count - k - 1));
        int stamp = g.stamp;
        const int* members = ordering->elements.data + ordering->element_index.data[pivot];
        int member_count = ordering->element_count.data[pivot];
        for (int i = 0; i < member_count; ++i) {
            rebuild_list(&g, members[i], pivot, stamp);
        }
        for (int i = 0; i < member_count; ++i) {
            heap_update(&g, members[i], exact_degree(ordering, &g, members[i]));
        }
    }
done:
    return status;
}
