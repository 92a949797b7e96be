// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/face_merge.h"

#include "surface/faces/face_writer.h"
#include "surface/faces/sort_keys.h"

#include <limits.h>
#include <stdatomic.h>

// The first bytes of a run that are fetched before they are needed.
#define BYTES_AHEAD 1280

// Of one bag, in a line of the cache of its own.
typedef struct move_queue {
    _Alignas(64) atomic_int next; // cut up to which faces are to be moved
} move_queue;

// What a thread works with, in lines of the cache of its own.
typedef struct mover {
    _Alignas(64) int* places;   // [bag_count] in the order of each bag
    iso_keyed *entries, *spare; // [faces of one element of body 1]
} mover;

typedef struct merger {
    iso_face_list* list;
    iso_face_bag* const* bags;
    int bag_count;
    move_queue* queues; // [bag_count]
    mover* movers;      // [thread]
} merger;

// Vectors are stored four doubles at a time; the fourth goes where the next one will, which for the
// last one may belong to another thread.
static inline void put_vector(iso_vec3* to, iso_double4 v, bool is_last) {
    if (is_last) {
        double x[4];
        iso_double4_store(x, v);
        *to = iso_vec3_make(x[0], x[1], x[2]);
    } else {
        iso_face_put(to, v);
    }
}

// Compilers are to know whether it is the last one.
__attribute__((always_inline)) static inline void
put_face(const iso_face_list* list, const iso_face_record* r, int face, int at, bool is_last) {
    const iso_face_columns* to = &list->to;
    bool is_swapped = list->frame.is_swapped;
    to->face_offsets[face + 1] = at + r->count;
    to->areas[face] = r->area;
    to->pressures[face] = iso_double4_last(r->centroid);
    to->elements[face] = is_swapped ? (iso_face_elements){r->element_1, r->element_0}
                                    : (iso_face_elements){r->element_0, r->element_1};
    put_vector(&to->centroids[face], iso_double4_add(r->centroid, list->origin), is_last);
    put_vector(&to->normals[face], is_swapped ? iso_double4_neg(r->normal) : r->normal, is_last);
    put_vector(&to->gradients_a[face], is_swapped ? r->gradient_1 : r->gradient_0, is_last);
    put_vector(&to->gradients_b[face], is_swapped ? r->gradient_0 : r->gradient_1, is_last);
    for (int i = 0; i < r->count; ++i) {
        const double* v = r->v[is_swapped ? r->count - 1 - i : i];
        put_vector(&to->vertices[at + i], iso_double4_add(iso_double4_load(v), list->origin),
                   is_last && i + 1 == r->count);
        to->vertex_pressures[at + i] = v[3];
    }
}

// The faces of the next element of body 1 in order.
// @param by  its places are set after that element
__attribute__((always_inline)) static inline const iso_keyed*
gather_element(const merger* m, const mover* by, int element, int* out_count) {
    iso_keyed* entries = by->entries;
    int count = 0, *places = by->places;
    for (int i = 0; i < m->bag_count; ++i) {
        const iso_face_place* place = &m->bags[i]->order[places[i]];
        for (; place->element_1 == element; ++place) {
            iso_face_record* r = place->first;
            uintptr_t ahead = (uintptr_t)place[ISO_FACE_PLACES_BEYOND].first; // 0 past the last one
            for (uintptr_t k = 0; k < BYTES_AHEAD; k += 64) {
                __builtin_prefetch((const void*)(ahead + k));
            }
            for (int k = place[0].face; k < place[1].face; ++k) {
                entries[count++] = (iso_keyed){r->element_0, r};
                r = iso_face_record_after(r);
            }
        }
        places[i] = (int)(place - m->bags[i]->order);
    }
    *out_count = count;
    return iso_sort_keys(entries, by->spare, count);
}

static int next_element(const merger* m, const int* places) {
    int least = INT_MAX;
    for (int i = 0; i < m->bag_count; ++i) {
        int element = m->bags[i]->order[places[i]].element_1;
        least = element < least ? element : least;
    }
    return least;
}

// The faces from some places to an element.
static void move_until(const merger* m, const mover* by, int end) {
    int face = 0, at = 0, count, *places = by->places;
    for (int i = 0; i < m->bag_count; ++i) {
        face += m->bags[i]->order[places[i]].face;
        at += m->bags[i]->order[places[i]].vertex;
    }
    for (int element = next_element(m, places); element < end;) {
        const iso_keyed* entries = gather_element(m, by, element, &count);
        element = next_element(m, places);
        for (int i = 0; i < count; ++i, ++face) {
            const iso_face_record* r = entries[i].what;
            if (element >= end && i + 1 == count) {
                put_face(m->list, r, face, at, true);
            } else {
                put_face(m->list, r, face, at, false);
            }
            at += r->count;
        }
    }
}

// Cuts of a bag before an element.
static int count_cuts(const iso_face_bag* bag, int element) {
    int begin = 0, end = bag->cut_count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        bool is_before = bag->cuts[middle].element_1 < element;
        begin = is_before ? middle + 1 : begin;
        end = is_before ? end : middle;
    }
    return begin;
}

// The first place of an element that is not before a cut.
static int find_place(const iso_face_bag* bag, int cut, int element) {
    int begin = cut > 0 ? bag->cuts[cut - 1].place : 0, end = bag->cuts[cut].place;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        bool is_before = bag->order[middle].element_1 < element;
        begin = is_before ? middle + 1 : begin;
        end = is_before ? end : middle;
    }
    return begin;
}

// The faces, of all bags, between a cut of a bag and the cut before it, of whichever bag. No thread
// has to divide the work for others.
static void move_before(const merger* m, const mover* by, int bag, int cut) {
    int begin = 0, end = m->bags[bag]->cuts[cut].element_1;
    int* places = by->places;
    for (int i = 0; i < m->bag_count; ++i) {
        const iso_face_bag* b = m->bags[i];
        places[i] = count_cuts(b, end);
        if (i < bag && b->cuts[places[i]].element_1 == end) {
            return; // the same cut
        }
        int before = places[i] > 0 ? b->cuts[places[i] - 1].element_1 : 0;
        begin = before > begin ? before : begin;
    }
    for (int i = 0; i < m->bag_count; ++i) {
        places[i] = find_place(m->bags[i], places[i], begin);
    }
    move_until(m, by, end);
}

// Every thread begins with what it found, and has in its cache.
static void move_faces(void* user, int item, int worker) {
    (void)item;
    const merger* m = user;
    for (int i = 0; i < m->bag_count; ++i) {
        int bag = (worker + i) % m->bag_count, cut;
        while ((cut = atomic_fetch_add(&m->queues[bag].next, 1)) < m->bags[bag]->cut_count) {
            move_before(m, &m->movers[worker], bag, cut);
        }
    }
}

// Polygons become triangles one after the other: how many there will be is not known before.
static void move_fans(const merger* m) {
    iso_face_list* list = m->list;
    int count;
    for (int element; (element = next_element(m, m->movers[0].places)) < INT_MAX;) {
        const iso_keyed* entries = gather_element(m, &m->movers[0], element, &count);
        for (int i = 0; i < count; ++i) {
            iso_face_record* r = entries[i].what;
            bool is_swapped = list->frame.is_swapped;
            iso_face_facts facts = {is_swapped ? iso_double4_neg(r->normal) : r->normal,
                                    is_swapped ? r->gradient_1 : r->gradient_0,
                                    is_swapped ? r->gradient_0 : r->gradient_1,
                                    iso_face_elements_of(is_swapped, r->element_0, r->element_1)};
            iso_face_put_fan(list, r->v, r->count, r->normal, r->centroid, &facts);
        }
    }
}

static bool reserve(merger* m, int thread_count, iso_arena* scratch) {
    int most_faces = 0;
    for (int i = 0; i < m->bag_count; ++i) {
        most_faces += m->bags[i]->most_faces;
    }
    m->queues = iso_arena_push_array(scratch, m->bag_count, sizeof *m->queues);
    m->movers = iso_arena_push_array(scratch, thread_count, sizeof *m->movers);
    if (!m->queues || !m->movers) {
        return false;
    }
    for (int i = 0; i < thread_count; ++i) {
        mover* by = &m->movers[i];
        by->places = iso_arena_push_array(scratch, m->bag_count, sizeof *by->places);
        by->entries = iso_arena_push_array(scratch, most_faces, sizeof *by->entries);
        by->spare = iso_arena_push_array(scratch, most_faces, sizeof *by->spare);
        if (!by->places || !by->entries || !by->spare) {
            return false;
        }
    }
    for (int i = 0; i < m->bag_count; ++i) {
        atomic_init(&m->queues[i].next, 0);
        m->movers[0].places[i] = 0;
    }
    return true;
}

bool iso_face_merge(iso_face_list* list, iso_face_bag* const* bags, int bag_count,
                    iso_arena* scratch, iso_task_pool* pool) {
    merger m = {.list = list, .bags = bags, .bag_count = bag_count};
    int faces = 0, vertices = 0;
    for (int i = 0; i < bag_count; ++i) {
        const iso_face_place* end = &bags[i]->order[bags[i]->run_count];
        faces += end->face;
        vertices += end->vertex;
        list->max_pressure = iso_double4_max(bags[i]->max_pressure, list->max_pressure);
    }
    if (faces == 0) {
        return true;
    }
    int thread_count = pool && !list->is_fan ? iso_task_pool_thread_count(pool) : 1;
    bool has_room = list->is_fan ? iso_face_list_reserve(list, faces, vertices)
                                 : iso_face_list_reserve_exactly(list, faces, vertices);
    if (!has_room || !reserve(&m, thread_count, scratch)) {
        return false;
    }
    if (list->is_fan) {
        move_fans(&m);
    } else {
        list->face_count = faces;
        list->vertex_count = vertices;
        if (thread_count == 1) {
            move_until(&m, &m.movers[0], INT_MAX);
        } else {
            iso_task_pool_run(pool, thread_count, move_faces, &m);
        }
    }
    // Zeros of either sign compare equal: which comes first must not show.
    list->max_pressure = iso_double4_add(list->max_pressure, iso_double4_set(0.0));
    return true;
}
