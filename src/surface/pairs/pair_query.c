// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/pairs/pair_query.h"

#include "base/core/fail.h"
#include "surface/faces/face_list.h"
#include "surface/shapes/contact_shape_data.h"

#include <math.h>

// What stiffens a body where pressures are tied: ten thousand times the rounding of pressures, and
// less than what searches take for equal.
#define UNTYING_FACTOR (1.0 + 0x1p-30)
// What softens it instead where the peaks of both are one point, by more than the shift counts. The
// steeper one is then below the other there, too, and no faces of no area are about that point.
#define SOFTENING_FACTOR (1.0 - 0x1p-26)
// By how much it is turned, and shifted along an axis and across, of the radius of the smaller
// body. The last is a hundred times what touches, and outweighed by what a body is stiffer where
// pressures are more than a hundredth of the largest.
#define UNTYING_ANGLE 0x1p-30
#define UNTYING_SHIFT 0x1p-34
#define UNTYING_SIDEWAYS 0x1p-37
#define UNTYING_FREELY 0x1p-28
// Gradients of cells this close, relative to them, may be the same on either side of a
// tessellation.
#define EQUAL_GRADIENT 1e-6
// Bodies whose centres are so close, relative to their size, are about each other.
#define CONCENTRIC 1e-6
// Pressures this close, relative to the largest, are the same.
#define SAME_PRESSURE 1e-12

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

// A walk over two fields, which may give up.
static iso_status walk(iso_search_threads* search_threads, iso_face_list* list,
                       const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01,
                       iso_cull cull, bool* out_is_tied) {
    return iso_field_walk_is_large(field_0, field_1) &&
                   iso_field_walk_is_ordered(field_0, field_1, x_01)
               ? iso_collect_field_field_in_order(search_threads, list, field_0, field_1, x_01,
                                                  cull, out_is_tied)
               : iso_collect_field_field(list, field_0, field_1, x_01, cull, out_is_tied);
}

static iso_vec3 center_of(const iso_field* field) {
    return iso_vec3_lerp(field->tree.bounds.lower, field->tree.bounds.upper, 0.5);
}

// The axis of a body along which it is unlike what it is across, and by how much, relative to what
// it is.
static int odd_axis(const iso_field* field, double* out_odds) {
    iso_vec3 size = iso_vec3_sub(field->tree.bounds.upper, field->tree.bounds.lower);
    int odd = 0;
    *out_odds = -1.0;
    for (int i = 0; i < 3; ++i) {
        double along = iso_vec3_get(size, i);
        double before = iso_vec3_get(size, (i + 2) % 3), behind = iso_vec3_get(size, (i + 1) % 3);
        double odds = fmin(fabs(along - before), fabs(along - behind)) / (along + before + behind);
        odd = odds > *out_odds ? i : odd;
        *out_odds = fmax(*out_odds, odds);
    }
    return odd;
}

// A direction that bodies in line have in common, in frame 0: from one to the other, or where one
// is about the other, along the one that is less round.
static iso_vec3 common_axis(const iso_field* field_0, const iso_field* field_1,
                            const iso_pose* x_01) {
    iso_vec3 apart = iso_vec3_sub(iso_pose_point(x_01, center_of(field_1)), center_of(field_0));
    double distance = iso_vec3_norm(apart), odds_0, odds_1;
    if (distance > CONCENTRIC * (field_0->size + field_1->size)) {
        return iso_vec3_scale(apart, 1.0 / distance);
    }
    int axis_0 = odd_axis(field_0, &odds_0), axis_1 = odd_axis(field_1, &odds_1);
    iso_mat3 identity = iso_mat3_identity();
    return odds_0 >= odds_1 ? iso_mat3_column(&identity, axis_0)
                            : iso_mat3_column(&x_01->r, axis_1);
}

typedef struct slopes {
    double least, most; // [Pa/m]
} slopes;

static slopes slopes_of(const iso_field* field) {
    slopes s = {INFINITY, 0.0};
    for (int i = 0; i < field->mesh.tet_count; ++i) {
        double slope = iso_vec3_norm(field->cells[i].piece.gradient);
        s.least = fmin(s.least, slope);
        s.most = fmax(s.most, slope);
    }
    return s;
}

// Whether gradients of both fields may be equal somewhere, so that what is beside a region counts
// by the sign of a shift alone.
static bool may_have_equal_gradients(const iso_field* field_0, const iso_field* field_1) {
    slopes a = slopes_of(field_0), b = slopes_of(field_1);
    double padding = 1.0 + EQUAL_GRADIENT;
    return a.least <= b.most * padding && b.least <= a.most * padding;
}

// The pose of body 1 turned a little about the common axis and shifted along it, and across it by
// so little that what presses on bodies in line from the sides stays in balance. Where gradients
// differ everywhere nothing depends on that, and the shift outweighs the factor.
static iso_pose move_a_little(const iso_field* field_0, const iso_field* field_1,
                              const iso_pose* x_01) {
    iso_vec3 axis = common_axis(field_0, field_1, x_01);
    iso_vec3 center = iso_pose_point(x_01, center_of(field_1));
    iso_mat3 turn =
        iso_mat3_from_quat(iso_quat_from_rotation_vector(iso_vec3_scale(axis, UNTYING_ANGLE)));
    iso_vec3 p = iso_mat3_mul_vec3(&turn, iso_vec3_sub(x_01->p, center));
    double radius = fmin(field_0->radius, field_1->radius);
    // In no special position to anything that shapes are made of.
    iso_vec3 across = iso_vec3_cross(axis, iso_vec3_make(0.52271, 0.37338, 0.76637));
    bool is_free = !may_have_equal_gradients(field_0, field_1);
    double along = is_free ? UNTYING_FREELY : UNTYING_SHIFT;
    double sideways = is_free ? UNTYING_FREELY : UNTYING_SIDEWAYS;
    iso_vec3 shift = iso_vec3_scale(axis, along * radius);
    shift = iso_vec3_add_scaled(shift, across, sideways * radius);
    return iso_pose_make(iso_mat3_mul(turn, x_01->r), iso_vec3_add(iso_vec3_add(center, p), shift));
}

// Whether two fields are one and the same in one place, so that there is no surface.
static bool are_one(const iso_field* field_0, const iso_field* field_1, const iso_pose* x_01) {
    if (field_0->hash != field_1->hash) {
        return false;
    }
    double noise = SAME_PRESSURE * field_1->max_pressure, p;
    for (int i = 0; i < field_1->mesh.vertex_count; ++i) {
        const double* x = field_1->points[i].x;
        iso_vec3 at = iso_pose_point(x_01, iso_vec3_make(x[0], x[1], x[2]));
        if (!iso_field_value(field_0, at, &p) || fabs(p - x[3]) > noise) {
            return false;
        }
    }
    return true;
}

// Whether body 1 is within body 0 and at no vertex of higher pressure.
static bool is_below(const iso_field* field_1, const iso_field* field_0, const iso_pose* x_01) {
    double noise = SAME_PRESSURE * field_1->max_pressure, p;
    for (int i = 0; i < field_1->mesh.vertex_count; ++i) {
        const double* x = field_1->points[i].x;
        iso_vec3 at = iso_pose_point(x_01, iso_vec3_make(x[0], x[1], x[2]));
        if (!iso_field_value(field_0, at, &p) || x[3] > p + noise) {
            return false;
        }
    }
    return true;
}

// Whether the largest pressures are equal and in one place, and body 1, which is never less steep,
// is steeper everywhere, or below body 0.
static bool may_meet_at_a_point(const iso_field* field_0, const iso_field* field_1,
                                const iso_pose* x_01) {
    iso_vec3 apart = iso_vec3_sub(iso_pose_point(x_01, center_of(field_1)), center_of(field_0));
    double most = fmax(field_0->max_pressure, field_1->max_pressure);
    return fabs(field_0->max_pressure - field_1->max_pressure) <= SAME_PRESSURE * most &&
           iso_vec3_norm(apart) <= CONCENTRIC * (field_0->size + field_1->size) &&
           (!may_have_equal_gradients(field_0, field_1) || is_below(field_1, field_0, x_01));
}

// The surface where body 1 is stiffer by less than anybody can measure, but by more than rounding:
// no pressures above zero are equal by symmetry any more. It is moved as well, as edges of bodies
// of one kind may fall on each other all over the surface.
static iso_status walk_untied(iso_search_threads* search_threads, iso_face_list* list,
                              const iso_field* field_0, const iso_field* field_1,
                              const iso_pose* x_01, iso_cull cull) {
    iso_field stiffer;
    iso_pose moved = move_a_little(field_0, field_1, x_01);
    iso_status status = ISO_OK;
    double factor = may_meet_at_a_point(field_0, field_1, x_01) ? SOFTENING_FACTOR : UNTYING_FACTOR;
    ISO_TRY(iso_field_stiffen(list->arena, field_1, factor, &stiffer));
    ISO_TRY(walk(search_threads, list, field_0, &stiffer, &moved, cull, NULL));

done:
    return status;
}

static iso_status collect_fields(iso_search_threads* search_threads, iso_face_list* list,
                                 const iso_field* field_0, const iso_field* field_1,
                                 const iso_pose* x_01, iso_cull cull) {
    if (iso_field_pairs_are_few(field_0, field_1)) {
        return iso_collect_field_pairs(list, field_0, field_1, x_01, cull);
    }
    bool are_few = false, is_tied = false;
    iso_status status = ISO_OK;
    if (!iso_field_walk_is_large(field_0, field_1)) {
        ISO_TRY(iso_collect_field_pairs_if_few(list, field_0, field_1, x_01, cull, &are_few));
    }
    if (!are_few) {
        ISO_TRY(walk(search_threads, list, field_0, field_1, x_01, cull, &is_tied));
    }
    if (is_tied && !are_one(field_0, field_1, x_01)) {
        ISO_TRY(walk_untied(search_threads, list, field_0, field_1, x_01, cull));
    }

done:
    return status;
}

static iso_status collect(iso_search_threads* search_threads, iso_face_list* list, const side* s0,
                          const side* s1, iso_cull cull) {
    iso_pose x_01 = iso_pose_inverse_mul(s0->x_w, s1->x_w);
    if (s0->field && s1->field) {
        return collect_fields(search_threads, list, s0->field, s1->field, &x_01, cull);
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

static iso_status query(iso_search_threads* search_threads, iso_arena* arena,
                        const iso_contact_shape* a, const iso_pose* x_wa,
                        const iso_contact_shape* b, const iso_pose* x_wb,
                        const iso_contact_options* options, iso_patch* out_patch, long* out_work) {
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
    ISO_TRY(collect(search_threads, &list, s0, s1, options->cull));
    *out_work = list.work;
    ISO_TRY(iso_face_list_finish(&list, out_patch));

done:
    return status;
}

iso_status iso_pair_query_with(iso_search_threads* search_threads, iso_arena* arena,
                               const iso_contact_shape* a, const iso_pose* x_wa,
                               const iso_contact_shape* b, const iso_pose* x_wb,
                               const iso_contact_options* options, iso_patch* out_patch) {
    long work;
    return query(search_threads, arena, a, x_wa, b, x_wb, options, out_patch, &work);
}

iso_status iso_pair_query_counted(iso_arena* arena, const iso_contact_shape* a,
                                  const iso_pose* x_wa, const iso_contact_shape* b,
                                  const iso_pose* x_wb, const iso_contact_options* options,
                                  iso_patch* out_patch, long* out_work) {
    return query(NULL, arena, a, x_wa, b, x_wb, options, out_patch, out_work);
}

iso_status iso_pair_query(iso_arena* arena, const iso_contact_shape* a, const iso_pose* x_wa,
                          const iso_contact_shape* b, const iso_pose* x_wb,
                          const iso_contact_options* options, iso_patch* out_patch) {
    return iso_pair_query_with(NULL, arena, a, x_wa, b, x_wb, options, out_patch);
}
