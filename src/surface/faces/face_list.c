// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/faces/face_list.h"

#include "base/core/fail.h"
#include "surface/faces/face_writer.h"
#include "surface/faces/pressed_face.h"

#include <string.h>

#define FIRST_FACES 256
#define FIRST_VERTICES 1280

// Columns for so many faces and vertices from `base` on (NULL: sizes only). Returns their bytes.
static size_t lay_out(int face_count, int vertex_count, char* base, iso_face_columns* out) {
    size_t face = (size_t)face_count + ISO_FACE_SPARE,
           vertex = (size_t)vertex_count + ISO_FACE_SPARE;
    size_t size = 0;
#define PLACE(type, member, per)                             \
    out->member = base ? (type*)(void*)(base + size) : NULL; \
    size += (per * sizeof(type) + 31) & ~(size_t)31;
    ISO_FACE_COLUMNS(PLACE)
#undef PLACE
    return size;
}

// One column and where it goes.
typedef struct move {
    void* to;
    const void* from;
    size_t size;
} move;

#define COLUMN_COUNT 10

// Copy columns, which may overlap when all go up or all go down.
static void move_columns(const iso_face_columns* from, size_t face, size_t vertex,
                         const iso_face_columns* to) {
#define MOVE(type, member, per) {to->member, from->member, per * sizeof(type)},
    move moves[COLUMN_COUNT] = {ISO_FACE_COLUMNS(MOVE)};
#undef MOVE
    const move* last = &moves[COLUMN_COUNT - 1];
    bool is_upward = (const char*)last->to > (const char*)last->from;
    for (int i = 0; i < COLUMN_COUNT; ++i) {
        const move* m = &moves[is_upward ? COLUMN_COUNT - 1 - i : i];
        memmove(m->to, m->from, m->size);
    }
}

void iso_face_list_begin(iso_face_list* list, iso_arena* arena, const iso_face_frame* frame,
                         iso_representation representation) {
    const iso_pose* x = &frame->x_w0;
    *list = (iso_face_list){.arena = arena,
                            .mark = iso_arena_get_mark(arena),
                            .frame = *frame,
                            .is_fan = representation == ISO_REPRESENTATION_TRIANGLE};
    for (int i = 0; i < 3; ++i) {
        list->turn[i] = iso_double4_make(x->r.m[0][i], x->r.m[1][i], x->r.m[2][i], 0.0);
    }
    list->origin = iso_double4_make(x->p.x, x->p.y, x->p.z, 0.0);
    list->near = iso_double4_set(ISO_CLIP_SAME_SHARE * frame->size);
    list->max_pressure = iso_double4_set(-INFINITY);
}

void iso_face_list_restart(iso_face_list* list) {
    iso_arena_release(list->arena, list->mark);
    list->to = (iso_face_columns){0};
    list->face_capacity = list->vertex_capacity = 0;
    list->face_count = list->vertex_count = list->whole_count = 0;
    list->max_pressure = iso_double4_set(-INFINITY);
}

static int grown(int capacity, int needed, int first) {
    int twice = capacity > 0 ? 2 * capacity : first;
    return needed <= capacity ? capacity : (needed > twice ? needed : twice);
}

static bool has_room(const iso_face_list* list, int faces, int vertices) {
    return list->face_count + faces <= list->face_capacity &&
           list->vertex_count + vertices <= list->vertex_capacity;
}

// Room for so many faces and vertices, more than there is.
static bool extend(iso_face_list* list, int face_capacity, int vertex_capacity) {
    iso_face_columns to;
    size_t old_size = lay_out(list->face_capacity, list->vertex_capacity, NULL, &to);
    size_t size = lay_out(face_capacity, vertex_capacity, NULL, &to);
    char* block = (char*)list->to.face_offsets;
    if (!block || !iso_arena_resize_last(list->arena, block, old_size, size)) {
        block = iso_arena_push(list->arena, size);
    }
    if (!block) {
        return false;
    }
    lay_out(face_capacity, vertex_capacity, block, &to);
    if (list->face_capacity > 0) {
        move_columns(&list->to, (size_t)list->face_count + 1, (size_t)list->vertex_count, &to);
    } else {
        to.face_offsets[0] = 0;
    }
    list->to = to;
    list->face_capacity = face_capacity;
    list->vertex_capacity = vertex_capacity;
    return true;
}

// Room for so many more faces and vertices.
static bool grow(iso_face_list* list, int faces, int vertices) {
    return extend(list, grown(list->face_capacity, list->face_count + faces, FIRST_FACES),
                  grown(list->vertex_capacity, list->vertex_count + vertices, FIRST_VERTICES));
}

bool iso_face_list_reserve_exactly(iso_face_list* list, int face_count, int vertex_count) {
    return extend(list, face_count, vertex_count);
}

bool iso_face_list_reserve(iso_face_list* list, int polygon_count, int vertex_count) {
    int faces = list->is_fan ? vertex_count : polygon_count;
    int vertices = list->is_fan ? 3 * vertex_count : vertex_count;
    return has_room(list, faces, vertices) || grow(list, faces, vertices);
}

static void put_polygon(iso_face_list* list, double v[][4], int count, const iso_face_facts* facts,
                        double area, iso_double4 centroid) {
    iso_face_put_vertices(list, v, count);
    iso_face_close(list, *facts, area, centroid);
}

// What is counted stays in registers: see iso_face_put_vertices().
static inline void put_fan(iso_face_list* list, double v[][4], int count, iso_double4 normal,
                           iso_double4 centroid, const iso_face_facts* facts, bool is_swapped) {
    const iso_face_columns to = list->to;
    const iso_face_facts same = *facts;
    const iso_double4 axis = iso_face_area_axis(normal), origin = list->origin;
    const iso_double4 middle = iso_double4_add(centroid, origin);
    size_t vertex = (size_t)list->vertex_count, face = (size_t)list->face_count;
    iso_double4 most = list->max_pressure, least = centroid;
    double area = 0.0;
    iso_double4 wide_a = iso_double4_load(v[0]), a = iso_double4_sub(wide_a, centroid);
    for (int i = 1; i <= count; ++i) {
        iso_double4 wide_b = iso_double4_load(v[i < count ? i : 0]);
        iso_double4 b = iso_double4_sub(wide_b, centroid);
        if (i == 1 || count > 3) { // those of a triangle have the same area
            area = 0.5 * iso_face_twice_area(axis, a, b);
        }
        if (area > 0.0) {
            iso_double4 sum = iso_double4_add(centroid, iso_double4_add(wide_a, wide_b));
            iso_double4 at = iso_double4_mul(sum, iso_double4_set(1.0 / 3.0));
            iso_double4 first = is_swapped ? wide_b : wide_a, second = is_swapped ? wide_a : wide_b;
            iso_face_put(&to.vertices[vertex], middle);
            iso_face_put(&to.vertices[vertex + 1], iso_double4_add(first, origin));
            iso_face_put(&to.vertices[vertex + 2], iso_double4_add(second, origin));
            to.vertex_pressures[vertex] = iso_double4_last(centroid);
            to.vertex_pressures[vertex + 1] = iso_double4_last(first);
            to.vertex_pressures[vertex + 2] = iso_double4_last(second);
            vertex += 3;
            iso_face_write(&to, face++, (int)vertex, &same, area, at, origin);
            most =
                iso_double4_max(iso_double4_max(wide_b, iso_double4_max(wide_a, centroid)), most);
            least = iso_double4_min(iso_double4_min(wide_b, wide_a), least);
        }
        wide_a = wide_b;
        a = b;
    }
    // The centroid is a vertex of every face.
    double middle_pressure = iso_double4_last(centroid);
    if (middle_pressure > 0.0 && !iso_pressed_is_cut(iso_double4_last(least), middle_pressure)) {
        list->whole_count += (int)face - list->face_count;
    }
    list->vertex_count = (int)vertex;
    list->face_count = (int)face;
    list->max_pressure = most;
}

void iso_face_put_fan(iso_face_list* list, double v[][4], int count, iso_double4 normal,
                      iso_double4 centroid, const iso_face_facts* facts) {
    iso_face_fetch_ahead(list);
    if (list->frame.is_swapped) {
        put_fan(list, v, count, normal, centroid, facts, true);
    } else {
        put_fan(list, v, count, normal, centroid, facts, false);
    }
}

void iso_face_fill(iso_vec3* column, int begin, int end, iso_double4 v) {
    double once[4], pattern[12];
    iso_double4_store(once, v);
    for (int i = 0; i < 12; ++i) {
        pattern[i] = once[i % 3];
    }
    iso_double4 a = iso_double4_load(pattern), b = iso_double4_load(pattern + 4);
    iso_double4 c = iso_double4_load(pattern + 8);
    int f = begin;
    for (; f + 4 <= end; f += 4) {
        double* to = &column[f].x;
        iso_double4_store(to, a);
        iso_double4_store(to + 4, b);
        iso_double4_store(to + 8, c);
    }
    for (; f < end; ++f) {
        iso_face_put(&column[f], v);
    }
}

bool iso_face_list_add(iso_face_list* list, const iso_clip_polygon* polygon, iso_vec3 normal,
                       const iso_face_side* side_0, const iso_face_side* side_1) {
    int count = polygon->count;
    if (!iso_face_has_room(list, 1, count)) {
        return false;
    }
    double v[ISO_CLIP_VERTICES][4];
    for (int i = 0; i < count; ++i) {
        const double* x = polygon->v[i].x;
        iso_double4_store(v[i], iso_double4_with_last(iso_face_turn(list, x[0], x[1], x[2]),
                                                      iso_double4_load(x)));
    }
    iso_face_list_put(list, v, count, normal, side_0, side_1);
    return true;
}

void iso_face_list_put(iso_face_list* list, double v[][4], int count, iso_vec3 normal,
                       const iso_face_side* side_0, const iso_face_side* side_1) {
    iso_face_measures m = {.count = count};
    m.normal = iso_face_turn(list, normal.x, normal.y, normal.z);
    m.twice_area = iso_face_measure(v, count, iso_face_area_axis(m.normal), &m.centroid);
    iso_face_list_put_measured(list, v, &m, side_0, side_1);
}

void iso_face_list_put_measured(iso_face_list* list, double v[][4], const iso_face_measures* m,
                                const iso_face_side* side_0, const iso_face_side* side_1) {
    if (!(m->twice_area > 0.0)) {
        return;
    }
    bool is_swapped = list->frame.is_swapped;
    const iso_vec3 *g0 = &side_0->gradient, *g1 = &side_1->gradient;
    iso_double4 gradient_0 = iso_face_turn(list, g0->x, g0->y, g0->z);
    iso_double4 gradient_1 = iso_face_turn(list, g1->x, g1->y, g1->z);
    iso_face_facts facts = {is_swapped ? iso_double4_neg(m->normal) : m->normal,
                            is_swapped ? gradient_1 : gradient_0,
                            is_swapped ? gradient_0 : gradient_1,
                            iso_face_elements_of(is_swapped, side_0->element, side_1->element)};
    if (list->is_fan) {
        iso_face_put_fan(list, v, m->count, m->normal, m->centroid, &facts);
    } else {
        put_polygon(list, v, m->count, &facts, 0.5 * m->twice_area, m->centroid);
    }
}

// Put the results where the list began, when that frees more than three times what they need.
static iso_status settle(iso_face_list* list) {
    iso_arena* arena = list->arena;
    iso_face_columns to;
    size_t old_size = lay_out(list->face_capacity, list->vertex_capacity, NULL, &to);
    size_t size = lay_out(list->face_count, list->vertex_count, NULL, &to);
    if (arena->total - list->mark.total <= 4 * size) {
        return ISO_OK;
    }
    // The block that held the columns has room for them at or before the same place, so the push
    // cannot fail; every column moves down, if at all, out of what was released.
    iso_arena_release(arena, list->mark);
    iso_unpoison(list->to.face_offsets, old_size);
    char* block = iso_arena_push(arena, size);
    ISO_REQUIRE(arena->ctx, block, ISO_ERR_MEMORY, "patch of %d faces", list->face_count);
    lay_out(list->face_count, list->vertex_count, block, &to);
    move_columns(&list->to, (size_t)list->face_count + 1, (size_t)list->vertex_count, &to);
    list->to = to;
    iso_arena_release(arena, iso_arena_get_mark(arena));
    return ISO_OK;
}

// Sums over the faces, in their order.
typedef struct face_sums {
    double area, force;
    iso_double4 moment, pressure_moment;
} face_sums;

// A double beyond the centroid is read.
static void add_face_sums(face_sums* sums, double area, double pressure, const iso_vec3* centroid) {
    double load = area * (pressure > 0.0 ? pressure : 0.0);
    iso_double4 at = iso_double4_load(&centroid->x);
    sums->area += area;
    sums->force += load;
    sums->moment = iso_double4_mul_add(at, iso_double4_set(area), sums->moment);
    sums->pressure_moment = iso_double4_mul_add(at, iso_double4_set(load), sums->pressure_moment);
}

static iso_vec3 mean_of(iso_double4 moment, double weight) {
    double m[4];
    iso_double4_store(m, moment);
    return iso_vec3_scale(iso_vec3_make(m[0], m[1], m[2]), 1.0 / weight);
}

// Whether one of the values first .. end - 1 is negative. Up to four beyond them are read.
static bool is_any_negative(const double* values, int first, int end) {
    const iso_double4 zero = iso_double4_set(0.0);
    iso_double4 least[4] = {zero, zero, zero, zero};
    int i = first;
    for (; i + 4 * ISO_DOUBLE4_LANES <= end; i += 4 * ISO_DOUBLE4_LANES) {
        for (int k = 0; k < 4; ++k) {
            least[k] =
                iso_double4_min(iso_double4_load(&values[i + k * ISO_DOUBLE4_LANES]), least[k]);
        }
    }
    for (; i + ISO_DOUBLE4_LANES <= end; i += ISO_DOUBLE4_LANES) {
        least[0] = iso_double4_min(iso_double4_load(&values[i]), least[0]);
    }
    iso_double4 all =
        iso_double4_min(iso_double4_min(least[0], least[1]), iso_double4_min(least[2], least[3]));
    iso_double4_mask rest = iso_double4_and(iso_double4_first(end - i),
                                            iso_double4_less(iso_double4_load(&values[i]), zero));
    return (iso_double4_bits(rest) | iso_double4_bits(iso_double4_less(all, zero))) != 0;
}

// The same for a face.
static inline bool is_face_negative(const iso_patch* patch, int face) {
    int first = patch->face_offsets[face], count = patch->face_offsets[face + 1] - first;
    const double* p = &patch->vertex_pressures[first];
    if (count > ISO_DOUBLE4_LANES) {
        return is_any_negative(p, 0, count);
    }
    iso_double4_mask is_negative = iso_double4_less(iso_double4_load(p), iso_double4_set(0.0));
    return (iso_double4_bits(is_negative) & ((1 << count) - 1)) != 0;
}

// Three vectors of four faces as they lie one after the other, (x, y, z, x), (y, z, x, y) and
// (z, x, y, z), and a number of each face beside every component.
static inline void add_four_moments(iso_double4 sums[3], const iso_double4 at[3],
                                    iso_double4 each) {
    static const iso_double4_order faces[3] = {
        {{0, 1, 0, 1, 0, 1, 2, 3}}, {{2, 3, 2, 3, 4, 5, 4, 5}}, {{4, 5, 6, 7, 6, 7, 6, 7}}};
    for (int i = 0; i < 3; ++i) {
        sums[i] = iso_double4_mul_add(at[i], iso_double4_pick(each, &faces[i]), sums[i]);
    }
}

// (x, y, z) of such sums.
static iso_double4 join_moments(const iso_double4 sums[3]) {
    double m[12], out[4] = {0.0};
    for (int i = 0; i < 3; ++i) {
        iso_double4_store(&m[4 * i], sums[i]);
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = (m[i] + m[i + 6]) + (m[i + 3] + m[i + 9]);
    }
    return iso_double4_load(out);
}

// Four faces at a time, then the rest one by one.
static void sum_faces(const iso_patch* patch, face_sums* out) {
    const iso_double4 zero = iso_double4_set(0.0);
    iso_double4 area = zero, force = zero;
    iso_double4 moment[3] = {zero, zero, zero}, pressure_moment[3] = {zero, zero, zero};
    int f = 0;
    for (; f + ISO_DOUBLE4_LANES <= patch->face_count; f += ISO_DOUBLE4_LANES) {
        const double* x = &patch->centroids[f].x;
        const iso_double4 at[3] = {iso_double4_load(x), iso_double4_load(x + 4),
                                   iso_double4_load(x + 8)};
        iso_double4 a = iso_double4_load(&patch->areas[f]);
        iso_double4 load =
            iso_double4_mul(a, iso_double4_max(iso_double4_load(&patch->pressures[f]), zero));
        area = iso_double4_add(a, area);
        force = iso_double4_add(load, force);
        add_four_moments(moment, at, a);
        add_four_moments(pressure_moment, at, load);
    }
    *out = (face_sums){iso_double4_sum(area), iso_double4_sum(force), join_moments(moment),
                       join_moments(pressure_moment)};
    for (; f < patch->face_count; ++f) {
        add_face_sums(out, patch->areas[f], patch->pressures[f], &patch->centroids[f]);
    }
}

// The same of the parts with pressure.
static void sum_pressed(const iso_patch* patch, face_sums* out) {
    *out = (face_sums){0.0, 0.0, iso_double4_set(0.0), iso_double4_set(0.0)};
    for (int f = 0; f < patch->face_count; ++f) {
        if (!is_face_negative(patch, f)) {
            add_face_sums(out, patch->areas[f], patch->pressures[f], &patch->centroids[f]);
            continue;
        }
        iso_pressed_face face;
        iso_patch_press_face(patch, f, &face);
        add_face_sums(out, face.area, face.pressure, &face.centroid);
    }
}

// Whether a face reaches into a margin. Rims that are a rounding below zero do not.
static bool reaches_margin(const iso_face_list* list, const iso_patch* patch) {
    if (list->whole_count == patch->face_count ||
        !is_any_negative(patch->vertex_pressures, 0, patch->vertex_count)) {
        return false;
    }
    for (int f = 0; f < patch->face_count; ++f) {
        if (is_face_negative(patch, f) && iso_patch_is_face_cut(patch, f)) {
            return true;
        }
    }
    return false;
}

// Of the part with pressure; of a patch that lies in margins altogether the centroid is that of
// its faces.
static void sum_up(const iso_face_list* list, iso_patch* patch) {
    face_sums whole = {0.0, 0.0, iso_double4_set(0.0), iso_double4_set(0.0)}, pressed,
              *sums = &pressed;
    bool has_margin = reaches_margin(list, patch);
    if (has_margin) {
        sum_pressed(patch, &pressed);
    }
    if (!has_margin || !(pressed.area > 0.0)) {
        sum_faces(patch, &whole);
        sums = has_margin ? &pressed : &whole;
    }
    patch->area = sums->area;
    patch->max_pressure = iso_double4_last(list->max_pressure);
    patch->centroid =
        sums->area > 0.0 ? mean_of(sums->moment, sums->area) : mean_of(whole.moment, whole.area);
    patch->center_of_pressure =
        sums->force > 0.0 ? mean_of(sums->pressure_moment, sums->force) : patch->centroid;
}

iso_status iso_face_list_finish(iso_face_list* list, iso_patch* out_patch) {
    static const int no_offsets[1] = {0};
    const iso_face_frame* frame = &list->frame;
    *out_patch = (iso_patch){
        .is_rigid_a = frame->is_swapped ? frame->is_rigid_1 : frame->is_rigid_0,
        .is_rigid_b = frame->is_swapped ? frame->is_rigid_0 : frame->is_rigid_1,
        .face_offsets = no_offsets,
    };
    if (list->face_count == 0) {
        iso_arena_release(list->arena, list->mark);
        return ISO_OK;
    }
    iso_status status = ISO_OK;
    ISO_TRY(settle(list));
    out_patch->face_count = list->face_count;
    out_patch->vertex_count = list->vertex_count;
#define SHOW(type, member, per) out_patch->member = list->to.member;
    ISO_FACE_COLUMNS(SHOW)
#undef SHOW
    sum_up(list, out_patch);

done:
    return status;
}
