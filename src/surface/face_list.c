// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/face_list.h"

#include "base/fail.h"

#include <string.h>

// Record: (normal, number of vertices), (gradient 0, element 0), (gradient 1, element 1); then the
// vertices (x, y, z, p). Everything in fours.
#define HEADER_DOUBLES 12
#define FIRST_CAPACITY 4096

static bool reserve(iso_face_list* list, size_t more) {
    if (list->used + more <= list->capacity) {
        return true;
    }
    size_t capacity = list->capacity > 0 ? 2 * list->capacity : FIRST_CAPACITY;
    if (list->data &&
        iso_arena_resize_last(list->arena, list->data, list->capacity * sizeof(double),
                              capacity * sizeof(double))) {
        list->capacity = capacity;
        return true;
    }
    double* data = iso_arena_push(list->arena, capacity * sizeof *data);
    if (!data) {
        return false;
    }
    if (list->used > 0) {
        memcpy(data, list->data, list->used * sizeof *data);
    }
    list->data = data;
    list->capacity = capacity;
    return true;
}

static void put_vec3(double* out, iso_vec3 v, double fourth) {
    iso_wide_store(out, iso_wide_make(v.x, v.y, v.z, fourth));
}

static iso_vec3 get_vec3(const double* in) {
    return iso_vec3_make(in[0], in[1], in[2]);
}

bool iso_face_list_add(iso_face_list* list, const iso_clip_polygon* polygon, iso_vec3 normal,
                       const iso_face_side* side_0, const iso_face_side* side_1) {
    size_t count = (size_t)polygon->count;
    if (!reserve(list, HEADER_DOUBLES + 4 * count)) {
        return false;
    }
    double* record = list->data + list->used;
    put_vec3(record, normal, (double)polygon->count);
    put_vec3(record + 4, side_0->gradient, (double)side_0->element);
    put_vec3(record + 8, side_1->gradient, (double)side_1->element);
    for (size_t i = 0; i < count; ++i) {
        iso_wide_store(record + HEADER_DOUBLES + 4 * i, iso_wide_load(polygon->v[i].x));
    }
    list->used += HEADER_DOUBLES + 4 * count;
    list->polygon_count++;
    list->vertex_count += polygon->count;
    return true;
}

// The arrays of a patch while they are written; one block, sized for the largest outcome.
typedef struct patch_arrays {
    int* face_offsets;
    iso_vec3* vertices;
    double* vertex_pressures;
    double* areas;
    iso_vec3* centroids;
    iso_vec3* normals;
    double* pressures;
    iso_vec3* gradients_a;
    iso_vec3* gradients_b;
    iso_face_elements* elements;
    int face_count;
    int vertex_count;
    double max_pressure;
} patch_arrays;

// Vectors are stored four doubles at a time, so their arrays have room for one more.
static size_t lay_out(size_t face_count, size_t vertex_count, char* base, patch_arrays* out) {
    size_t size = 0;
#define PLACE(member, count)                                        \
    do {                                                            \
        out->member = base ? (void*)(base + size) : NULL;           \
        size += ((count) * sizeof *out->member + 15) & ~(size_t)15; \
    } while (0)
    PLACE(face_offsets, face_count + 1);
    PLACE(vertices, vertex_count + 1);
    PLACE(vertex_pressures, vertex_count);
    PLACE(areas, face_count);
    PLACE(centroids, face_count + 1);
    PLACE(normals, face_count + 1);
    PLACE(pressures, face_count);
    PLACE(gradients_a, face_count + 1);
    PLACE(gradients_b, face_count + 1);
    PLACE(elements, face_count);
#undef PLACE
    return size;
}

// A pose spread over lanes; the fourth lane is zero.
typedef struct wide_pose {
    iso_wide column[3], origin;
} wide_pose;

static wide_pose widen(const iso_pose* x) {
    wide_pose r;
    for (int i = 0; i < 3; ++i) {
        r.column[i] = iso_wide_make(x->r.m[0][i], x->r.m[1][i], x->r.m[2][i], 0.0);
    }
    r.origin = iso_wide_make(x->p.x, x->p.y, x->p.z, 0.0);
    return r;
}

static iso_wide rotate(const wide_pose* x, const double v[4], iso_wide origin) {
    iso_wide r = iso_wide_mul_add(x->column[0], iso_wide_set(v[0]), origin);
    r = iso_wide_mul_add(x->column[1], iso_wide_set(v[1]), r);
    return iso_wide_mul_add(x->column[2], iso_wide_set(v[2]), r);
}

// Twice the area of a triangle with a corner at the origin, seen along a unit normal.
static double twice_area_at(iso_vec3 normal, iso_vec3 a, iso_vec3 b) {
    return iso_vec3_dot(normal, iso_vec3_cross(a, b));
}

// Area of a planar polygon as a fan about its first vertex, with its centroid and the pressure
// there (of a pressure affine over the polygon) as (x, y, z, p); the centroid only if there is an
// area.
static double polygon_moments(const double* v, int count, iso_vec3 normal, double out_centroid[4]) {
    iso_vec3 origin = get_vec3(v);
    iso_wide first = iso_wide_load(v), sum = iso_wide_set(0.0);
    iso_vec3 a = iso_vec3_sub(get_vec3(v + 4), origin);
    iso_wide wide_a = iso_wide_sub(iso_wide_load(v + 4), first);
    double twice_area = 0.0;
    for (int i = 2; i < count; ++i) {
        iso_vec3 b = iso_vec3_sub(get_vec3(v + 4 * i), origin);
        iso_wide wide_b = iso_wide_sub(iso_wide_load(v + 4 * i), first);
        double weight = twice_area_at(normal, a, b);
        sum = iso_wide_mul_add(iso_wide_set(weight), iso_wide_add(wide_a, wide_b), sum);
        twice_area += weight;
        a = b;
        wide_a = wide_b;
    }
    if (twice_area > 0.0) {
        sum = iso_wide_mul_add(sum, iso_wide_set(1.0 / (3.0 * twice_area)), first);
        iso_wide_store(out_centroid, sum);
    }
    return 0.5 * twice_area;
}

typedef struct face_facts {
    iso_wide normal, gradient_a, gradient_b; // in W
    iso_face_elements elements;
} face_facts;

// The fourth lane spills into the place of the next vector, which is written later or spare.
static void put_wide(iso_vec3* out, iso_wide v) {
    iso_wide_store(&out->x, v);
}

static void put_vertex(patch_arrays* out, const wide_pose* x_w0, const double v[4]) {
    put_wide(&out->vertices[out->vertex_count], rotate(x_w0, v, x_w0->origin));
    out->vertex_pressures[out->vertex_count++] = v[3];
    out->max_pressure = v[3] > out->max_pressure ? v[3] : out->max_pressure;
}

static void put_face(patch_arrays* out, const face_facts* facts, double area, const wide_pose* x_w0,
                     const double centroid[4]) {
    int f = out->face_count++;
    out->areas[f] = area;
    out->pressures[f] = centroid[3];
    put_wide(&out->centroids[f], rotate(x_w0, centroid, x_w0->origin));
    put_wide(&out->normals[f], facts->normal);
    put_wide(&out->gradients_a[f], facts->gradient_a);
    put_wide(&out->gradients_b[f], facts->gradient_b);
    out->elements[f] = facts->elements;
    out->face_offsets[f + 1] = out->vertex_count;
}

static void put_polygon(patch_arrays* out, const double* v, int count, iso_vec3 normal,
                        const face_facts* facts, const wide_pose* x_w0, bool is_swapped) {
    double centroid[4];
    double area = polygon_moments(v, count, normal, centroid);
    if (!(area > 0.0)) {
        return;
    }
    for (int i = 0; i < count; ++i) {
        put_vertex(out, x_w0, v + 4 * (is_swapped ? count - 1 - i : i));
    }
    put_face(out, facts, area, x_w0, centroid);
}

static void put_fan(patch_arrays* out, const double* v, int count, iso_vec3 normal,
                    const face_facts* facts, const wide_pose* x_w0, bool is_swapped) {
    double middle[4], centroid[4];
    if (!(polygon_moments(v, count, normal, middle) > 0.0)) {
        return;
    }
    iso_vec3 origin = get_vec3(middle);
    for (int i = 0; i < count; ++i) {
        const double* a = v + 4 * i;
        const double* b = v + 4 * (i + 1 < count ? i + 1 : 0);
        double area = 0.5 * twice_area_at(normal, iso_vec3_sub(get_vec3(a), origin),
                                          iso_vec3_sub(get_vec3(b), origin));
        if (area > 0.0) {
            iso_wide sum = iso_wide_add(iso_wide_load(middle),
                                        iso_wide_add(iso_wide_load(a), iso_wide_load(b)));
            iso_wide_store(centroid, iso_wide_mul(sum, iso_wide_set(1.0 / 3.0)));
            put_vertex(out, x_w0, middle);
            put_vertex(out, x_w0, is_swapped ? b : a);
            put_vertex(out, x_w0, is_swapped ? a : b);
            put_face(out, facts, area, x_w0, centroid);
        }
    }
}

// Sums over the faces, in their order.
static void sum_up(const patch_arrays* arrays, iso_patch* patch) {
    iso_vec3 moment = iso_vec3_zero(), pressure_moment = iso_vec3_zero();
    double area = 0.0, force = 0.0;
    for (int f = 0; f < arrays->face_count; ++f) {
        double load = arrays->areas[f] * (arrays->pressures[f] > 0.0 ? arrays->pressures[f] : 0.0);
        area += arrays->areas[f];
        force += load;
        moment = iso_vec3_add_scaled(moment, arrays->centroids[f], arrays->areas[f]);
        pressure_moment = iso_vec3_add_scaled(pressure_moment, arrays->centroids[f], load);
    }
    patch->area = area;
    patch->centroid = area > 0.0 ? iso_vec3_scale(moment, 1.0 / area) : moment;
    patch->center_of_pressure =
        force > 0.0 ? iso_vec3_scale(pressure_moment, 1.0 / force) : patch->centroid;
    patch->max_pressure = arrays->face_count > 0 ? arrays->max_pressure : 0.0;
}

static void publish(const patch_arrays* arrays, iso_patch* patch) {
    patch->face_count = arrays->face_count;
    patch->vertex_count = arrays->vertex_count;
    patch->face_offsets = arrays->face_offsets;
    patch->vertices = arrays->vertices;
    patch->vertex_pressures = arrays->vertex_pressures;
    patch->areas = arrays->areas;
    patch->centroids = arrays->centroids;
    patch->normals = arrays->normals;
    patch->pressures = arrays->pressures;
    patch->gradients_a = arrays->gradients_a;
    patch->gradients_b = arrays->gradients_b;
    patch->elements = arrays->elements;
}

iso_status iso_face_list_finish(const iso_face_list* list, const iso_face_frame* frame,
                                iso_representation representation, iso_patch* out_patch,
                                void** out_block, size_t* out_block_size) {
    bool is_fan = representation == ISO_REPRESENTATION_TRIANGLE;
    size_t faces = (size_t)(is_fan ? list->vertex_count : list->polygon_count);
    size_t vertices = (size_t)list->vertex_count * (is_fan ? 3 : 1);
    patch_arrays arrays = {0};
    *out_block_size = lay_out(faces, vertices, NULL, &arrays);
    *out_block = iso_arena_push(list->arena, *out_block_size);
    ISO_REQUIRE(list->arena->ctx, *out_block, ISO_ERR_MEMORY, "patch of %zu faces", faces);
    lay_out(faces, vertices, *out_block, &arrays);
    arrays.face_offsets[0] = 0;
    arrays.max_pressure = -INFINITY;

    wide_pose x_w0 = widen(&frame->x_w0);
    const iso_wide zero = iso_wide_set(0.0);
    for (size_t at = 0; at < list->used;) {
        const double* record = list->data + at;
        int count = (int)record[3];
        iso_wide normal = rotate(&x_w0, record, zero);
        iso_wide gradient_0 = rotate(&x_w0, record + 4, zero);
        iso_wide gradient_1 = rotate(&x_w0, record + 8, zero);
        iso_face_elements elements = {(int)record[7], (int)record[11]};
        face_facts facts = {normal, gradient_0, gradient_1, elements};
        if (frame->is_swapped) {
            iso_face_elements swapped = {elements.b, elements.a};
            facts = (face_facts){iso_wide_neg(normal), gradient_1, gradient_0, swapped};
        }
        (is_fan ? put_fan : put_polygon)(&arrays, record + HEADER_DOUBLES, count, get_vec3(record),
                                         &facts, &x_w0, frame->is_swapped);
        at += HEADER_DOUBLES + 4 * (size_t)count;
    }
    *out_patch = (iso_patch){0};
    out_patch->is_rigid_a = frame->is_swapped ? frame->is_rigid_1 : frame->is_rigid_0;
    out_patch->is_rigid_b = frame->is_swapped ? frame->is_rigid_0 : frame->is_rigid_1;
    publish(&arrays, out_patch);
    sum_up(&arrays, out_patch);
    return ISO_OK;
}

void iso_patch_rebase(iso_patch* patch, const void* old_block, void* new_block) {
#define REBASE(member) \
    patch->member =    \
        (const void*)((char*)new_block + ((const char*)patch->member - (const char*)old_block))
    REBASE(face_offsets);
    REBASE(vertices);
    REBASE(vertex_pressures);
    REBASE(areas);
    REBASE(centroids);
    REBASE(normals);
    REBASE(pressures);
    REBASE(gradients_a);
    REBASE(gradients_b);
    REBASE(elements);
#undef REBASE
}
