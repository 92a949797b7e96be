// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/face_bag.h"

#include "surface/faces/face_writer.h"
#include "surface/faces/sort_keys.h"

#include <limits.h>
#include <string.h>

#define FIRST_PAGE ((size_t)1 << 16)
#define MOST_PAGE ((size_t)1 << 21)
#define FIRST_RUNS 256
// Faces between two cuts, at least.
#define CUT_FACES 128

void iso_face_bag_begin(iso_face_bag* bag, iso_arena* arena) {
    *bag = (iso_face_bag){.arena = arena, .max_pressure = iso_double4_set(-INFINITY)};
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

void iso_face_bag_put(iso_face_bag* bag, const iso_face_list* list, int count, iso_vec3 normal,
                      const iso_face_side* side_0, const iso_face_side* side_1) {
    double(*v)[4] = bag->next->v;
    iso_face_measures m = {.count = count, .max_pressure = iso_double4_set(-INFINITY)};
    m.normal = iso_face_turn(list, normal.x, normal.y, normal.z);
    m.twice_area = iso_face_measure(v, count, iso_face_area_axis(m.normal), &m.centroid);
    for (int i = 0; i < count; ++i) {
        m.max_pressure = iso_double4_max(iso_double4_load(v[i]), m.max_pressure);
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
    bag->max_pressure = iso_double4_max(m->max_pressure, bag->max_pressure);
    r->centroid = m->centroid;
    r->normal = m->normal;
    r->gradient_0 = iso_face_turn(list, g0->x, g0->y, g0->z);
    r->gradient_1 = iso_face_turn(list, g1->x, g1->y, g1->z);
    r->area = 0.5 * m->twice_area;
    r->element_0 = side_0->element;
    r->element_1 = side_1->element;
    r->count = m->count;
    bool is_of_run = bag->end == r && bag->runs[bag->run_count - 1].element_1 == r->element_1;
    bag->end = bag->next = iso_face_record_after(r);
    bag->room -= (size_t)((char*)bag->next - (char*)r);
    if (!is_of_run) {
        bag->runs[bag->run_count++] = (iso_face_run){.first = r, .element_1 = r->element_1};
    }
    iso_face_run* run = &bag->runs[bag->run_count - 1];
    ++run->face_count;
    run->vertex_count += m->count;
}

// The places of runs that come in order.
static void place_runs(iso_face_bag* bag, const iso_keyed* entries) {
    int count = bag->run_count, face = 0, vertex = 0, first = 0, cut = 0;
    for (int i = 0; i < count; ++i) {
        const iso_face_run* run = entries[i].what;
        if (i > 0 && run->element_1 != entries[i - 1].key) {
            first = face;
            if (face - cut >= CUT_FACES) {
                bag->cuts[bag->cut_count++] = (iso_face_cut){run->element_1, i};
                cut = face;
            }
        }
        bag->order[i] = (iso_face_place){run->first, run->element_1, face, vertex};
        face += run->face_count;
        vertex += run->vertex_count;
        bag->most_faces = face - first > bag->most_faces ? face - first : bag->most_faces;
    }
    for (int i = 0; i < ISO_FACE_PLACES_BEYOND; ++i) {
        bag->order[count + i] = (iso_face_place){NULL, INT_MAX, face, vertex};
    }
    bag->cuts[bag->cut_count++] = (iso_face_cut){INT_MAX, count};
}

// Give back what the last page has left, if nothing lies beyond: less has to be moved to save
// memory when the results are shown.
static void trim_page(iso_face_bag* bag) {
    size_t used = bag->page - bag->room;
    if (used > 0 && iso_arena_resize_last(bag->arena, (char*)bag->next - used, bag->page, used)) {
        bag->page = used;
        bag->room = 0;
    }
}

bool iso_face_bag_sort(iso_face_bag* bag) {
    iso_arena* arena = bag->arena;
    int count = bag->run_count, faces = 0;
    trim_page(bag);
    for (int i = 0; i < count; ++i) {
        faces += bag->runs[i].face_count;
    }
    bag->order = iso_arena_push_array(arena, count + ISO_FACE_PLACES_BEYOND, sizeof *bag->order);
    bag->cuts = iso_arena_push_array(arena, faces / CUT_FACES + 1, sizeof *bag->cuts);
    iso_arena_mark mark = iso_arena_get_mark(arena);
    iso_keyed* entries = iso_arena_push_array(arena, count, sizeof *entries);
    iso_keyed* spare = iso_arena_push_array(arena, count, sizeof *spare);
    if (!bag->order || !bag->cuts || !entries || !spare) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        entries[i] = (iso_keyed){bag->runs[i].element_1, &bag->runs[i]};
    }
    place_runs(bag, iso_sort_keys(entries, spare, count));
    iso_arena_release(arena, mark);
    return true;
}
