// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/face_bag.h"

#include "surface/face_writer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_PAGE ((size_t)1 << 16)
#define MOST_PAGE ((size_t)1 << 21)
#define FIRST_RUNS 256
// Faces that a thread moves at a time, at least.
#define BLOCK_FACES 128
// Bits of a key that are sorted at a time.
#define DIGIT_BITS 8
// Polygons are fetched so many runs before they are needed, the first bytes of each run.
#define RUNS_AHEAD 4
#define BYTES_AHEAD 384
// So few are sorted by insertion.
#define FEW 24

void iso_face_bag_begin(iso_face_bag* bag, iso_arena* arena) {
    *bag = (iso_face_bag){.arena = arena, .max_pressure = iso_wide_set(-INFINITY)};
}

static bool grow_runs(iso_face_bag* bag) {
    int capacity = bag->run_capacity > 0 ? 4 * bag->run_capacity : FIRST_RUNS;
    iso_face_run* runs = iso_arena_push_array(bag->arena, capacity, sizeof *runs);
    if (!runs) {
        return false;
    }
    if (bag->run_count > 0) {
        memcpy(runs, bag->runs, (size_t)bag->run_count * sizeof *runs);
    }
    bag->runs = runs;
    bag->run_capacity = capacity;
    return true;
}

bool iso_face_bag_grow(iso_face_bag* bag) {
    if (bag->run_count == bag->run_capacity && !grow_runs(bag)) {
        return false;
    }
    size_t most = sizeof(iso_face_record) + sizeof(double[ISO_CLIP_VERTICES][4]);
    if (bag->room >= most) {
        return true;
    }
    size_t page = bag->page == 0 ? FIRST_PAGE : 2 * bag->page;
    page = page < MOST_PAGE ? page : MOST_PAGE;
    iso_face_record* next = iso_arena_push(bag->arena, page);
    if (!next) {
        return false;
    }
    bag->next = next;
    bag->room = bag->page = page;
    return true;
}

static iso_face_record* after(const iso_face_record* record) {
    return (iso_face_record*)(void*)((char*)record->v + (size_t)record->count * sizeof *record->v);
}

void iso_face_bag_put(iso_face_bag* bag, const iso_face_list* list, int count, iso_vec3 normal,
                      const iso_face_side* side_0, const iso_face_side* side_1) {
    double(*v)[4] = bag->next->v;
    iso_face_measures m = {.count = count, .max_pressure = iso_wide_set(-INFINITY)};
    m.normal = iso_face_turn(list, normal.x, normal.y, normal.z);
    m.twice_area = iso_face_measure(v, count, iso_face_area_axis(m.normal), &m.centroid);
    for (int i = 0; i < count; ++i) {
        m.max_pressure = iso_wide_max(iso_wide_load(v[i]), m.max_pressure);
    }
    iso_face_bag_add(bag, list, &m, side_0, side_1);
}

void iso_face_bag_add(iso_face_bag* bag, const iso_face_list* list, const iso_face_measures* m,
                      const iso_face_side* side_0, const iso_face_side* side_1) {
    if (!(m->twice_area > 0.0)) {
        return;
    }
    iso_face_record* r = bag->next;
    const iso_vec3 *g0 = &side_0->gradient, *g1 = &side_1->gradient;
    bag->max_pressure = iso_wide_max(m->max_pressure, bag->max_pressure);
    r->centroid = m->centroid;
    r->normal = m->normal;
    r->gradient_0 = iso_face_turn(list, g0->x, g0->y, g0->z);
    r->gradient_1 = iso_face_turn(list, g1->x, g1->y, g1->z);
    r->area = 0.5 * m->twice_area;
    r->element_0 = side_0->element;
    r->element_1 = side_1->element;
    r->count = m->count;
    bool is_of_run = bag->end == r && bag->runs[bag->run_count - 1].element_1 == r->element_1;
    bag->end = bag->next = after(r);
    bag->room -= (size_t)((char*)bag->next - (char*)r);
    if (!is_of_run) {
        bag->runs[bag->run_count++] = (iso_face_run){.first = r, .element_1 = r->element_1};
    }
    iso_face_run* run = &bag->runs[bag->run_count - 1];
    ++run->face_count;
    run->vertex_count += m->count;
}

// Something to be sorted.
typedef struct entry {
    int key;
    void* what;
} entry;

static void sort_few(entry* entries, int count) {
    for (int i = 1; i < count; ++i) {
        entry e = entries[i];
        int at = i;
        for (; at > 0 && entries[at - 1].key > e.key; --at) {
            entries[at] = entries[at - 1];
        }
        entries[at] = e;
    }
}

// By increasing keys, which are not negative. Returns the array that the result is in.
static entry* sort_entries(entry* entries, entry* spare, int count) {
    if (count <= FEW) {
        sort_few(entries, count);
        return entries;
    }
    int most = 0;
    for (int i = 0; i < count; ++i) {
        most |= entries[i].key;
    }
    for (int shift = 0; most >> shift != 0; shift += DIGIT_BITS) {
        int places[(1 << DIGIT_BITS) + 1] = {0}, mask = (1 << DIGIT_BITS) - 1;
        for (int i = 0; i < count; ++i) {
            ++places[(entries[i].key >> shift & mask) + 1];
        }
        for (int digit = 0; digit < mask; ++digit) {
            places[digit + 1] += places[digit];
        }
        for (int i = 0; i < count; ++i) {
            spare[places[entries[i].key >> shift & mask]++] = entries[i];
        }
        entry* swap = entries;
        entries = spare;
        spare = swap;
    }
    return entries;
}

// Runs that lie one after the other and are moved by one thread.
typedef struct move_block {
    int begin, end;
    int bag; // that most of them are from, as a rule
} move_block;

typedef struct merger {
    iso_face_list* list;
    iso_face_run* runs; // in order
    int run_count;
    int *faces, *vertices;  // [run_count + 1] before each run
    entry *entries, *spare; // [faces]
    int bag_count;
    move_block* blocks; // [block_count] by bag
    int* begins;        // [bag_count + 1] the blocks of a bag
    atomic_int* next;   // [bag_count] block to be moved
} merger;

// Vectors are stored four doubles at a time; the fourth goes where the next one will, which for the
// last one may belong to another thread.
static inline void put_vector(iso_vec3* to, iso_wide v, bool is_last) {
    if (is_last) {
        double x[4];
        iso_wide_store(x, v);
        *to = iso_vec3_make(x[0], x[1], x[2]);
    } else {
        iso_face_put(to, v);
    }
}

static inline void put_face(const iso_face_list* list, const iso_face_record* r, int face, int at,
                            bool is_last) {
    const iso_face_columns* to = &list->to;
    bool is_swapped = list->frame.is_swapped;
    to->face_offsets[face + 1] = at + r->count;
    to->areas[face] = r->area;
    to->pressures[face] = iso_wide_last(r->centroid);
    to->elements[face] = is_swapped ? (iso_face_elements){r->element_1, r->element_0}
                                    : (iso_face_elements){r->element_0, r->element_1};
    put_vector(&to->centroids[face], iso_wide_add(r->centroid, list->origin), is_last);
    put_vector(&to->normals[face], is_swapped ? iso_wide_neg(r->normal) : r->normal, is_last);
    put_vector(&to->gradients_a[face], is_swapped ? r->gradient_1 : r->gradient_0, is_last);
    put_vector(&to->gradients_b[face], is_swapped ? r->gradient_0 : r->gradient_1, is_last);
    for (int i = 0; i < r->count; ++i) {
        const double* v = r->v[is_swapped ? r->count - 1 - i : i];
        put_vector(&to->vertices[at + i], iso_wide_add(iso_wide_load(v), list->origin),
                   is_last && i + 1 == r->count);
        to->vertex_pressures[at + i] = v[3];
    }
}

// The polygons of runs begin .. end - 1, which have the element of body 1 in common, in order.
static const entry* sort_runs(const merger* m, int begin, int end) {
    entry *entries = m->entries + m->faces[begin], *next = entries;
    for (int i = begin; i < end; ++i) {
        const iso_face_run* run = &m->runs[i];
        iso_face_record* r = run->first;
        for (int k = 0; k < BYTES_AHEAD; k += 64) {
            __builtin_prefetch((const char*)m->runs[i + RUNS_AHEAD].first + k);
        }
        for (int k = 0; k < run->face_count; ++k) {
            *next++ = (entry){r->element_0, r};
            r = after(r);
        }
    }
    return sort_entries(entries, m->spare + m->faces[begin], (int)(next - entries));
}

static int find_end(const merger* m, int begin) {
    int end = begin + 1;
    while (end < m->run_count && m->runs[end].element_1 == m->runs[begin].element_1) {
        ++end;
    }
    return end;
}

static void move_runs(const merger* m, int begin, int end) {
    int last = m->faces[end] - 1, at = m->vertices[begin];
    for (int next; begin < end; begin = next) {
        next = find_end(m, begin);
        const entry* entries = sort_runs(m, begin, next);
        for (int face = m->faces[begin]; face < m->faces[next]; ++face) {
            const iso_face_record* r = (entries++)->what;
            put_face(m->list, r, face, at, face == last);
            at += r->count;
        }
    }
}

// Every thread begins with what it found, and has in its cache.
static void move_blocks(void* user, int item, int worker) {
    (void)item;
    merger* m = user;
    for (int i = 0; i < m->bag_count; ++i) {
        int bag = (worker + i) % m->bag_count, at;
        while ((at = atomic_fetch_add(&m->next[bag], 1)) < m->begins[bag + 1]) {
            move_runs(m, m->blocks[at].begin, m->blocks[at].end);
        }
    }
}

// The block that begins with a run. Its bag is that of most of its faces if that has more than
// half of them.
static move_block cut_block(const merger* m, int begin) {
    move_block b = {begin, begin, 0};
    int lead = 0;
    while (b.end < m->run_count && m->faces[b.end] - m->faces[begin] < BLOCK_FACES) {
        int end = find_end(m, b.end);
        for (; b.end < end; ++b.end) {
            const iso_face_run* run = &m->runs[b.end];
            lead += run->bag == b.bag ? run->face_count : -run->face_count;
            b.bag = lead < 0 ? run->bag : b.bag;
            lead = abs(lead);
        }
    }
    return b;
}

static bool cut_blocks(merger* m, iso_arena* scratch) {
    int most = m->faces[m->run_count] / BLOCK_FACES + 1, count = 0;
    move_block* blocks = iso_arena_push_array(scratch, most, sizeof *blocks);
    m->blocks = iso_arena_push_array(scratch, most, sizeof *m->blocks);
    m->begins = iso_arena_push_array(scratch, m->bag_count + 1, sizeof *m->begins);
    m->next = iso_arena_push_array(scratch, m->bag_count, sizeof *m->next);
    if (!blocks || !m->blocks || !m->begins || !m->next) {
        return false;
    }
    memset(m->begins, 0, (size_t)(m->bag_count + 1) * sizeof *m->begins);
    for (int at = 0; at < m->run_count; at = blocks[count++].end) {
        blocks[count] = cut_block(m, at);
        ++m->begins[blocks[count].bag + 1];
    }
    for (int i = 0; i < m->bag_count; ++i) {
        m->begins[i + 1] += m->begins[i];
        atomic_init(&m->next[i], m->begins[i]);
    }
    for (int i = 0; i < count; ++i) {
        int at = atomic_fetch_add(&m->next[blocks[i].bag], 1);
        m->blocks[at] = blocks[i];
    }
    for (int i = 0; i < m->bag_count; ++i) {
        atomic_init(&m->next[i], m->begins[i]);
    }
    return true;
}

// Polygons become triangles one after the other: how many there will be is not known before.
static void move_fans(const merger* m) {
    iso_face_list* list = m->list;
    for (int begin = 0, next; begin < m->run_count; begin = next) {
        next = find_end(m, begin);
        const entry* entries = sort_runs(m, begin, next);
        for (int k = 0; k < m->faces[next] - m->faces[begin]; ++k) {
            iso_face_record* r = entries[k].what;
            bool is_swapped = list->frame.is_swapped;
            iso_face_facts facts = {is_swapped ? iso_wide_neg(r->normal) : r->normal,
                                    is_swapped ? r->gradient_1 : r->gradient_0,
                                    is_swapped ? r->gradient_0 : r->gradient_1,
                                    {is_swapped ? r->element_1 : r->element_0,
                                     is_swapped ? r->element_0 : r->element_1}};
            iso_face_put_fan(list, r->v, r->count, r->normal, r->centroid, &facts);
        }
    }
}

// The runs of all bags in order, and what is before each.
static bool list_runs(merger* m, iso_face_bag* const* bags, int bag_count, iso_arena* scratch) {
    int count = 0;
    for (int i = 0; i < bag_count; ++i) {
        count += bags[i]->run_count;
        m->list->max_pressure = iso_wide_max(bags[i]->max_pressure, m->list->max_pressure);
    }
    entry* entries = iso_arena_push_array(scratch, count, sizeof *entries);
    entry* spare = iso_arena_push_array(scratch, count, sizeof *spare);
    iso_face_run* runs = iso_arena_push_array(scratch, count + RUNS_AHEAD, sizeof *runs);
    m->run_count = count;
    m->faces = iso_arena_push_array(scratch, count + 1, sizeof *m->faces);
    m->vertices = iso_arena_push_array(scratch, count + 1, sizeof *m->vertices);
    if (!entries || !spare || !runs || !m->faces || !m->vertices) {
        return false;
    }
    int listed = 0;
    for (int i = 0; i < bag_count; ++i) {
        for (int k = 0; k < bags[i]->run_count; ++k) {
            bags[i]->runs[k].bag = i;
            entries[listed++] = (entry){bags[i]->runs[k].element_1, &bags[i]->runs[k]};
        }
    }
    entries = sort_entries(entries, spare, count);
    m->runs = runs;
    m->faces[0] = m->vertices[0] = 0;
    for (int i = 0; i < count; ++i) {
        runs[i] = *(const iso_face_run*)entries[i].what;
        m->faces[i + 1] = m->faces[i] + runs[i].face_count;
        m->vertices[i + 1] = m->vertices[i] + runs[i].vertex_count;
    }
    for (int i = 0; i < RUNS_AHEAD; ++i) {
        runs[count + i] = (iso_face_run){0};
    }
    return true;
}

bool iso_face_bag_merge(iso_face_list* list, iso_face_bag* const* bags, int bag_count,
                        iso_arena* scratch, iso_task_pool* pool) {
    merger m = {.list = list, .bag_count = bag_count};
    if (!list_runs(&m, bags, bag_count, scratch)) {
        return false;
    }
    int faces = m.faces[m.run_count], vertices = m.vertices[m.run_count];
    if (faces == 0) {
        return true;
    }
    m.entries = iso_arena_push_array(scratch, faces, sizeof *m.entries);
    m.spare = iso_arena_push_array(scratch, faces, sizeof *m.spare);
    bool has_room = list->is_fan ? iso_face_list_reserve(list, faces, vertices)
                                 : iso_face_list_reserve_exactly(list, faces, vertices);
    if (!m.entries || !m.spare || !has_room) {
        return false;
    }
    if (list->is_fan) {
        move_fans(&m);
    } else {
        list->face_count = faces;
        list->vertex_count = vertices;
        int thread_count = pool ? iso_task_pool_thread_count(pool) : 1;
        if (thread_count == 1) {
            move_runs(&m, 0, m.run_count);
        }
        if (thread_count > 1) {
            if (!cut_blocks(&m, scratch)) {
                return false;
            }
            iso_task_pool_run(pool, thread_count, move_blocks, &m);
        }
    }
    // Zeros of either sign compare equal: which comes first must not show.
    list->max_pressure = iso_wide_add(list->max_pressure, iso_wide_set(0.0));
    return true;
}
