// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/face_bag.h"

#include "surface/face_writer.h"

#include <string.h>

#define PAGE_FACES 512
#define MOST_PAGE_FACES 8192
// Vertices that there is room for on a page, to one polygon.
#define PAGE_VERTICES 6
// Faces that are moved at a time.
#define MOVED_FACES 256
// Bits of a key that are sorted at a time, at most.
#define DIGIT_BITS 11

void iso_face_bag_begin(iso_face_bag* bag, iso_arena* arena, const iso_face_list* list) {
    *bag = (iso_face_bag){.arena = arena,
                          .frame = list->frame,
                          .representation = list->is_fan ? ISO_REPRESENTATION_TRIANGLE
                                                         : ISO_REPRESENTATION_POLYGON};
}

static bool page_has_room(const iso_face_list* list, int vertex_count) {
    int faces = list->is_fan ? vertex_count : 1;
    int vertices = list->is_fan ? 3 * vertex_count : vertex_count;
    return list->face_count + faces <= list->face_capacity &&
           list->vertex_count + vertices <= list->vertex_capacity;
}

iso_face_list* iso_face_bag_open(iso_face_bag* bag, int vertex_count) {
    if (bag->page && page_has_room(&bag->page->list, vertex_count)) {
        return &bag->page->list;
    }
    int faces = bag->page ? 2 * bag->page->list.face_capacity : PAGE_FACES;
    faces = faces < MOST_PAGE_FACES ? faces : MOST_PAGE_FACES;
    iso_face_page* page = iso_arena_push(bag->arena, sizeof *page);
    if (!page) {
        return NULL;
    }
    page->older = bag->page;
    iso_face_list_begin(&page->list, bag->arena, &bag->frame, bag->representation);
    bool is_fan = page->list.is_fan;
    // A list reserves for polygons: a fan needs a face and three vertices for each vertex.
    if (!iso_face_list_reserve(&page->list, faces, is_fan ? faces : PAGE_VERTICES * faces)) {
        return NULL;
    }
    bag->page = page;
    return &page->list;
}

// A face to be moved.
typedef struct entry {
    uint64_t key;
    int face;
    uint16_t page, vertex_count;
} entry;

typedef struct merger {
    iso_face_list* list;
    const iso_face_list** pages;
    const entry* entries;
} merger;

static void move_faces(void* user, int item, int worker) {
    (void)worker;
    const merger* m = user;
    const iso_face_columns* to = &m->list->to;
    int begin = item * MOVED_FACES, end = begin + MOVED_FACES;
    end = end < m->list->face_count ? end : m->list->face_count;
    for (int i = begin; i < end; ++i) {
        const entry* e = &m->entries[i];
        const iso_face_columns* from = &m->pages[e->page]->to;
        int f = e->face, v = from->face_offsets[f], at = to->face_offsets[i];
        to->areas[i] = from->areas[f];
        to->centroids[i] = from->centroids[f];
        to->normals[i] = from->normals[f];
        to->pressures[i] = from->pressures[f];
        to->gradients_a[i] = from->gradients_a[f];
        to->gradients_b[i] = from->gradients_b[f];
        to->elements[i] = from->elements[f];
        for (int k = 0; k < e->vertex_count; ++k) {
            to->vertices[at + k] = from->vertices[v + k];
            to->vertex_pressures[at + k] = from->vertex_pressures[v + k];
        }
    }
}

static int bits_of(uint64_t n) {
    int bits = 0;
    for (; n >> bits != 0; ++bits) {
    }
    return bits;
}

// By increasing keys; equal ones stay in their order. Returns the array that the result is in.
static entry* sort_entries(entry* entries, entry* spare, int count, uint64_t largest) {
    int bits = bits_of(largest), passes = (bits + DIGIT_BITS - 1) / DIGIT_BITS;
    int width = passes > 0 ? (bits + passes - 1) / passes : 0;
    unsigned mask = (1u << width) - 1;
    for (int pass = 0; pass < passes; ++pass) {
        int places[(1 << DIGIT_BITS) + 1] = {0};
        int shift = pass * width;
        for (int i = 0; i < count; ++i) {
            ++places[((unsigned)(entries[i].key >> shift) & mask) + 1];
        }
        for (unsigned digit = 0; digit < mask; ++digit) {
            places[digit + 1] += places[digit];
        }
        for (int i = 0; i < count; ++i) {
            spare[places[(unsigned)(entries[i].key >> shift) & mask]++] = entries[i];
        }
        entry* swap = entries;
        entries = spare;
        spare = swap;
    }
    return entries;
}

// All faces, in the order of their pages; returns the largest key.
static uint64_t list_entries(const iso_face_list* const* pages, int page_count, bool is_swapped,
                             entry* out) {
    unsigned most = 0;
    for (int p = 0; p < page_count; ++p) {
        const iso_face_elements* elements = pages[p]->to.elements;
        for (int f = 0; f < pages[p]->face_count; ++f) {
            unsigned e = (unsigned)(is_swapped ? elements[f].b : elements[f].a);
            most = e > most ? e : most;
        }
    }
    uint64_t largest = 0;
    int count = 0;
    for (int p = 0; p < page_count; ++p) {
        const iso_face_columns* from = &pages[p]->to;
        for (int f = 0; f < pages[p]->face_count; ++f) {
            iso_face_elements e = from->elements[f];
            uint64_t of_0 = (unsigned)(is_swapped ? e.b : e.a);
            uint64_t of_1 = (unsigned)(is_swapped ? e.a : e.b);
            uint64_t key = of_1 * ((uint64_t)most + 1) + of_0;
            largest = key > largest ? key : largest;
            out[count++] = (entry){key, f, (uint16_t)p,
                                   (uint16_t)(from->face_offsets[f + 1] - from->face_offsets[f])};
        }
    }
    return largest;
}

// The pages of all bags, oldest first in each; returns their number, -1 when they are too many.
static int list_pages(iso_face_bag* const* bags, int bag_count, iso_arena* scratch,
                      const iso_face_list*** out_pages) {
    int count = 0, listed = 0;
    for (int i = 0; i < bag_count; ++i) {
        for (const iso_face_page* page = bags[i]->page; page; page = page->older) {
            ++count;
        }
    }
    const iso_face_list** pages =
        iso_arena_push_array(scratch, count, sizeof *pages); // NOLINT: an array of pointers
    if (!pages || count > UINT16_MAX) {
        return -1;
    }
    for (int i = 0; i < bag_count; ++i) {
        int begin = listed;
        for (const iso_face_page* page = bags[i]->page; page; page = page->older) {
            pages[listed++] = &page->list;
        }
        for (int low = begin, high = listed - 1; low < high; ++low, --high) {
            const iso_face_list* swap = pages[low];
            pages[low] = pages[high];
            pages[high] = swap;
        }
    }
    *out_pages = pages;
    return count;
}

bool iso_face_bag_merge(iso_face_list* list, iso_face_bag* const* bags, int bag_count,
                        iso_arena* scratch, iso_task_pool* pool) {
    merger m = {.list = list};
    int page_count = list_pages(bags, bag_count, scratch, &m.pages);
    int faces = 0, vertices = 0;
    for (int i = 0; i < page_count; ++i) {
        faces += m.pages[i]->face_count;
        vertices += m.pages[i]->vertex_count;
        list->max_pressure = iso_wide_max(m.pages[i]->max_pressure, list->max_pressure);
    }
    if (page_count <= 0 || faces == 0) {
        return page_count >= 0;
    }
    // Zeros of either sign compare equal: which comes first must not show.
    list->max_pressure = iso_wide_add(list->max_pressure, iso_wide_set(0.0));
    entry* entries = iso_arena_push_array(scratch, faces, sizeof *entries);
    entry* spare = iso_arena_push_array(scratch, faces, sizeof *spare);
    if (!entries || !spare || !iso_face_list_reserve_exactly(list, faces, vertices)) {
        return false;
    }
    uint64_t largest = list_entries(m.pages, page_count, list->frame.is_swapped, entries);
    m.entries = sort_entries(entries, spare, faces, largest);
    for (int i = 0; i < faces; ++i) {
        list->to.face_offsets[i + 1] = list->to.face_offsets[i] + m.entries[i].vertex_count;
    }
    list->face_count = faces;
    list->vertex_count = vertices;
    int items = (faces + MOVED_FACES - 1) / MOVED_FACES;
    if (pool) {
        iso_task_pool_run(pool, items, move_faces, &m);
        return true;
    }
    for (int i = 0; i < items; ++i) {
        move_faces(&m, i, 0);
    }
    return true;
}
