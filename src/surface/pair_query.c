// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/pair_query.h"

#include "base/fail.h"
#include "surface/contact_shape_data.h"
#include "surface/face_list.h"

#include <math.h>

typedef iso_pair_side side;

static side side_of(const iso_contact_shape* shape, const iso_pose* x_w, bool use_layer) {
    side s = {.x_w = x_w, .is_rigid = shape->is_rigid && !use_layer};
    if (shape->is_half_space) {
        s.half_space = use_layer ? &shape->layer_half_space : &shape->half_space;
    } else if (use_layer) {
        s.field = shape->layer;
    } else if (shape->is_rigid) {
        s.triangles = &shape->triangles;
    } else {
        s.field = shape->field;
    }
    return s;
}

void iso_pair_find_sides(const iso_contact_shape* a, const iso_pose* x_wa,
                         const iso_contact_shape* b, const iso_pose* x_wb, iso_pair_side* out_a,
                         iso_pair_side* out_b) {
    bool needs_layer = a->is_rigid && b->is_rigid;
    bool is_of_a = needs_layer && iso_contact_shape_carries_layer(a, b);
    *out_a = side_of(a, x_wa, is_of_a);
    *out_b = side_of(b, x_wb, needs_layer && !is_of_a);
}

static int compare_double(double a, double b) {
    return (a > b) - (a < b);
}

// An order of two fields that does not depend on which of them is called A: the softer one first,
// then by content, then by pose. Results are the same whichever way a pair is put.
static int compare_fields(const side* a, const side* b) {
    int order = compare_double(a->field->max_gradient, b->field->max_gradient);
    if (order == 0) {
        order = (a->field->hash > b->field->hash) - (a->field->hash < b->field->hash);
    }
    const double* u = &a->x_w->p.x;
    const double* v = &b->x_w->p.x;
    double left[12] = {u[0], u[1], u[2]}, right[12] = {v[0], v[1], v[2]};
    for (int i = 0; i < 9; ++i) {
        left[3 + i] = a->x_w->r.m[i / 3][i % 3];
        right[3 + i] = b->x_w->r.m[i / 3][i % 3];
    }
    for (int i = 0; i < 12 && order == 0; ++i) {
        order = compare_double(left[i], right[i]);
    }
    return order;
}

// Whether B plays the part of body 0 of the kernels, in whose frame they work.
static bool is_b_first(const side* a, const side* b) {
    if (a->field && b->field) {
        return compare_fields(a, b) > 0;
    }
    if (a->field || b->field) {
        return b->field != NULL;
    }
    return b->half_space != NULL;
}

// Bodies 0 and 1 of the kernels. @return whether B is body 0
static bool order_sides(const side* a, const side* b, const side** out_0, const side** out_1) {
    bool is_swapped = is_b_first(a, b);
    *out_0 = is_swapped ? b : a;
    *out_1 = is_swapped ? a : b;
    return is_swapped;
}

static double size_of(const side* s) {
    return s->field ? s->field->size : s->triangles ? s->triangles->size : 0.0;
}

static iso_status collect_fields(iso_crew* crew, iso_face_list* list, const iso_field* field_0,
                                 const iso_field* field_1, const iso_pose* x_01, iso_cull cull) {
    if (iso_field_pairs_are_few(field_0, field_1)) {
        return iso_collect_field_pairs(list, field_0, field_1, x_01, cull);
    }
    if (iso_field_walk_is_large(field_0, field_1)) {
        return iso_field_walk_is_ordered(field_0, field_1, x_01)
                   ? iso_collect_field_field_in_order(crew, list, field_0, field_1, x_01, cull)
                   : iso_collect_field_field(list, field_0, field_1, x_01, cull);
    }
    bool are_few;
    iso_status status =
        iso_collect_field_pairs_if_few(list, field_0, field_1, x_01, cull, &are_few);
    return status == ISO_OK && !are_few
               ? iso_collect_field_field(list, field_0, field_1, x_01, cull)
               : status;
}

static iso_status collect(iso_crew* crew, iso_face_list* list, const side* s0, const side* s1,
                          iso_cull cull) {
    iso_pose x_01 = iso_pose_inverse_mul(s0->x_w, s1->x_w);
    if (s0->field && s1->field) {
        return collect_fields(crew, list, s0->field, s1->field, &x_01, cull);
    }
    if (s0->field && s1->half_space) {
        return iso_collect_field_half_space(list, s0->field, s1->half_space, &x_01, cull);
    }
    if (s0->field && s1->triangles) {
        return iso_collect_field_surface(list, s0->field, s1->triangles, &x_01, cull);
    }
    if (s0->half_space && s1->triangles && s0->half_space->slope > 0.0) {
        return iso_collect_half_space_surface(list, s0->half_space, s1->triangles, &x_01, cull);
    }
    return iso_fail(list->arena->ctx, ISO_ERR_ARGUMENT, __func__,
                    "two shapes of which none has a pressure field (half spaces, open surfaces, or "
                    "rigid ones without a prepared layer) do not make a pair");
}

bool iso_pair_is_shared(const iso_contact_shape* a, const iso_pose* x_wa,
                        const iso_contact_shape* b, const iso_pose* x_wb) {
    side side_a, side_b;
    iso_pair_find_sides(a, x_wa, b, x_wb, &side_a, &side_b);
    if (!side_a.field || !side_b.field) {
        return false;
    }
    const side *s0, *s1;
    (void)order_sides(&side_a, &side_b, &s0, &s1);
    iso_pose x_01 = iso_pose_inverse_mul(s0->x_w, s1->x_w);
    return iso_field_walk_is_ordered(s0->field, s1->field, &x_01);
}

bool iso_pair_is_large(const iso_contact_shape* a, const iso_contact_shape* b) {
    side side_a, side_b;
    iso_pair_find_sides(a, NULL, b, NULL, &side_a, &side_b);
    return side_a.field && side_b.field && iso_field_walk_is_large(side_a.field, side_b.field);
}

iso_status iso_pair_query_with(iso_crew* crew, iso_arena* arena, const iso_contact_shape* a,
                               const iso_pose* x_wa, const iso_contact_shape* b,
                               const iso_pose* x_wb, const iso_contact_options* options,
                               iso_patch* out_patch) {
    side side_a, side_b;
    iso_pair_find_sides(a, x_wa, b, x_wb, &side_a, &side_b);
    *out_patch = (iso_patch){0};
    const side *s0, *s1;
    bool is_swapped = order_sides(&side_a, &side_b, &s0, &s1);
    iso_face_frame frame = {*s0->x_w, is_swapped, s0->is_rigid, s1->is_rigid,
                            fmax(size_of(s0), size_of(s1))};
    iso_face_list list;
    iso_face_list_begin(&list, arena, &frame, options->representation);
    iso_status status = ISO_OK;
    ISO_TRY(collect(crew, &list, s0, s1, options->cull));
    ISO_TRY(iso_face_list_finish(&list, out_patch));

done:
    return status;
}

iso_status iso_pair_query(iso_arena* arena, const iso_contact_shape* a, const iso_pose* x_wa,
                          const iso_contact_shape* b, const iso_pose* x_wb,
                          const iso_contact_options* options, iso_patch* out_patch) {
    return iso_pair_query_with(NULL, arena, a, x_wa, b, x_wb, options, out_patch);
}
