// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/state/tunnelling.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "geometry/mesh/mesh.h"
#include "geometry/search/ray_cast.h"
#include "isobar/query.h"
#include "world/state/sizes.h"

#include <math.h>

// What throws bodies away is looked for over so many steps.
#define SHARE_OF_THROW 1.5

// --- what there is -------------------------------------------------------------------------------

static iso_travel_box make_box(const iso_contact_geometry* g) {
    if (iso_contact_shape_is_half_space(g->shape)) {
        return (iso_travel_box){.is_watched = false, .half = {INFINITY, INFINITY, INFINITY}};
    }
    bool is_closed = iso_contact_shape_is_closed(g->shape); // else without a thickness
    const iso_tri_mesh* skin = iso_contact_shape_surface(g->shape);
    iso_vec3 lower, upper;
    iso_points_bounds(skin->vertices, skin->vertex_count, &lower, &upper);
    iso_vec3 sides = iso_vec3_sub(upper, lower);
    return (iso_travel_box){.is_watched = is_closed && !iso_world_is_point(sides),
                            .center = iso_pose_point(&g->x_bg, iso_vec3_lerp(lower, upper, 0.5)),
                            .half = iso_vec3_scale(sides, 0.5)};
}

iso_status iso_world_find_safe_travels(iso_world* world) {
    iso_safe_travels* travels = &world->travels;
    int count = world->geometry_count;
    travels->bodies = iso_alloc_array(world->ctx, count, sizeof *travels->bodies);
    travels->boxes = iso_alloc_array(world->ctx, count, sizeof *travels->boxes);
    ISO_REQUIRE(world->ctx, travels->bodies && travels->boxes, ISO_ERR_MEMORY,
                "boxes of %d geometries", count);
    for (int i = 0; i < count; ++i) { // sorted by body
        iso_travel_box* box = &travels->boxes[i];
        *box = make_box(&world->geometries[i]);
        int body = world->geometries[i].body;
        if (travels->count == 0 || travels->bodies[travels->count - 1].body != body) {
            travels->bodies[travels->count++] = (iso_safe_travel){.body = body, .least = INFINITY};
        }
        iso_safe_travel* pace = &travels->bodies[travels->count - 1];
        pace->reach = fmax(pace->reach, iso_vec3_norm(box->center) + iso_vec3_norm(box->half));
        if (box->is_watched) {
            pace->least = fmin(pace->least, fmin(box->half.x, fmin(box->half.y, box->half.z)));
        }
    }
    return ISO_OK;
}

void iso_world_free_safe_travels(iso_world* world) {
    iso_free(world->ctx, world->travels.bodies);
    iso_free(world->ctx, world->travels.boxes);
}

// --- where they went -----------------------------------------------------------------------------

// Without its start: by its velocity at the end.
static iso_travel travel_of(const iso_world* world, const iso_world_span* span, int geometry) {
    const iso_contact_geometry* g = &world->geometries[geometry];
    const iso_spatial* v = &span->kinematics->v_wb[g->body];
    iso_travel t = {.geometry = geometry,
                    .box = &world->travels.boxes[geometry],
                    .x_bg = g->x_bg,
                    .end = span->kinematics->x_wb[g->body],
                    .way = iso_vec3_scale(v->translational, span->duration),
                    .turn = iso_vec3_scale(v->rotational, span->duration)};
    if (span->start) {
        t.way = iso_vec3_sub(t.end.p, span->start->x_wb[g->body].p);
    }
    return t;
}

// From one point of G to another.
static bool meets(const iso_contact_shape* shape, iso_vec3 from, iso_vec3 to) {
    if (iso_contact_shape_is_half_space(shape)) {
        return from.z > 0.0 && to.z <= 0.0;
    }
    iso_vec3 lower, upper, least = iso_vec3_min(from, to), most = iso_vec3_max(from, to);
    iso_contact_shape_bounds(shape, &lower, &upper);
    bool is_apart = most.x < lower.x || most.y < lower.y || most.z < lower.z || least.x > upper.x ||
                    least.y > upper.y || least.z > upper.z;
    return !is_apart && iso_segment_meets_surface(iso_contact_shape_surface(shape), from, to);
}

static bool is_pressed(const iso_world_span* span, int a, int b) {
    for (int i = 0; i < span->touching->pair_count; ++i) {
        const iso_contact_pair* pair = &span->touching->pairs[i];
        if (pair->geometry_a == a && pair->geometry_b == b) {
            return span->forces == NULL || iso_vec3_norm(span->forces[i].translational) > 0.0;
        }
    }
    return false;
}

// Whether a contact of the pair pressed that was found in time: with forces in the middle of the
// step, one of its start.
static bool is_found_in_time(iso_world* world, const iso_world_span* span, const iso_travel t[2]) {
    if (span->is_free || !is_pressed(span, t[0].geometry, t[1].geometry)) {
        return false;
    }
    iso_pose x[2];
    iso_contact_meeting meeting;
    for (int i = 0; i < 2; ++i) {
        x[i] = iso_travel_body(&t[i], 0.0);
        x[i] = iso_pose_mul(&x[i], &t[i].x_bg);
    }
    return world->desc.method != ISO_METHOD_MIDPOINT ||
           iso_contact_system_meets(world->contacts, t[0].geometry, t[1].geometry, x,
                                    &world->scratch, &meeting);
}

// True when the middle of a geometry lies in it.
static bool has_middle(const iso_world* world, const iso_travel* t) {
    iso_contact_shape* shape = world->geometries[t->geometry].shape;
    iso_distance at;
    return iso_contact_shape_distance(shape, iso_pose_inverse_point(&t->x_bg, t->box->center),
                                      &at) == ISO_OK &&
           at.is_signed && at.distance < 0.0;
}

/// How the middle of a geometry moves as seen from another one.
typedef struct middle_way {
    bool is_fast;         // by more than half its width
    iso_vec3 from, to;    // in the frame of the other
    double length, width; // of the way, and of the geometry along it
} middle_way;

static middle_way find_way(const iso_travel* t, const iso_travel* other) {
    iso_pose before = iso_travel_body(t, 0.0), other_before = iso_travel_body(other, 0.0);
    iso_vec3 start = iso_pose_point(&before, t->box->center);
    iso_vec3 center = iso_pose_point(&t->end, t->box->center);
    iso_pose x_start = iso_pose_mul(&other_before, &other->x_bg);
    iso_pose x_end = iso_pose_mul(&other->end, &other->x_bg);
    iso_mat3 r_wg = iso_mat3_mul(t->end.r, t->x_bg.r);
    middle_way way = {.from = iso_pose_inverse_point(&x_start, start),
                      .to = iso_pose_inverse_point(&x_end, center)};
    iso_vec3 seen = iso_mat3_mul_vec3(&x_end.r, iso_vec3_sub(way.to, way.from));
    double half = iso_travel_half_width(t->box, &r_wg, seen);
    way.length = iso_vec3_norm(seen);
    way.width = way.length > 0.0 ? 2.0 * half / way.length : 0.0;
    way.is_fast = t->box->is_watched && way.length * way.length > half;
    return way;
}

// What gives way may well be pressed in, by less than half.
static bool may_give_way(const iso_world* world, const iso_travel* t, const middle_way* way) {
    return !iso_contact_shape_is_rigid(world->geometries[t->geometry].shape) && !way->is_fast;
}

// What is smaller goes through what is larger, whichever of them moves: with its middle through the
// surface, or past its half anywhere. True for a passage of which nothing was said yet.
static bool check_pair(iso_world* world, const iso_world_span* span, int a, int b,
                       iso_tunnelling* out) {
    const iso_travel t[2] = {travel_of(world, span, a), travel_of(world, span, b)};
    const middle_way ways[2] = {find_way(&t[0], &t[1]), find_way(&t[1], &t[0])};
    if (!(ways[0].is_fast || ways[1].is_fast) ||
        iso_contact_warnings_has_passed(&world->warnings, a, b)) {
        return false;
    }
    bool is_found = is_found_in_time(world, span, t);
    if (is_found &&
        (may_give_way(world, &t[0], &ways[0]) || may_give_way(world, &t[1], &ways[1]))) {
        return false;
    }
    int mover = -1;
    bool is_endless = false;
    for (int i = 0; i < 2; ++i) {
        const iso_contact_shape* other = world->geometries[t[1 - i].geometry].shape;
        is_endless = is_endless || iso_contact_shape_is_half_space(other);
        if (mover < 0 && ways[i].is_fast && meets(other, ways[i].from, ways[i].to) &&
            (is_endless || has_middle(world, &t[i]))) {
            mover = i;
        }
    }
    if (mover < 0 && !is_endless && !is_found &&
        iso_travels_pass(world->contacts, &world->scratch, t)) {
        mover = ways[0].is_fast ? 0 : 1;
    }
    if (mover >= 0) {
        *out = (iso_tunnelling){.is_found = true,
                                .geometry = t[mover].geometry,
                                .other = t[1 - mover].geometry,
                                .time = span->time,
                                .duration = span->duration,
                                .length = ways[mover].length,
                                .width = ways[mover].width};
    }
    return mover >= 0;
}

// Of the places of a body, at most [m].
static double way_of(const iso_world_span* span, const iso_safe_travel* pace) {
    const iso_spatial* v = &span->kinematics->v_wb[pace->body];
    double turning = iso_vec3_norm(v->rotational);
    double speed = iso_vec3_norm(v->translational) + (turning > 0.0 ? turning * pace->reach : 0.0);
    return span->duration * speed;
}

// Whether anything may have gone by half its sides, as seen from what went farthest.
static bool has_fast(const iso_world* world, const iso_world_span* span) {
    double farthest = 0.0;
    bool is_found = false;
    for (int i = 0; i < world->travels.count; ++i) {
        farthest = fmax(farthest, way_of(span, &world->travels.bodies[i]));
    }
    for (int i = 0; i < world->travels.count && !is_found; ++i) {
        const iso_safe_travel* pace = &world->travels.bodies[i];
        is_found = way_of(span, pace) + farthest > pace->least;
    }
    return is_found;
}

iso_tunnelling iso_world_find_tunnelling(iso_world* world, const iso_world_span* span) {
    iso_tunnelling passage = {.is_found = false};
    const iso_candidate* pairs = NULL;
    int count = 0;
    if (!has_fast(world, span) ||
        iso_contact_system_find_crossings(world->contacts, span->kinematics->x_wb,
                                          span->kinematics->v_wb, span->duration, &pairs,
                                          &count) != ISO_OK) {
        return passage;
    }
    bool is_found = false;
    for (int i = 0; i < count && !is_found; ++i) {
        is_found = check_pair(world, span, pairs[i].a, pairs[i].b, &passage);
    }
    passage.is_found = is_found;
    return passage;
}

// Whether a body ends at more than twice its speed, and went farther by that than half its sides.
static bool is_thrown(const iso_world* world, const iso_world_span* span) {
    iso_world_span before = *span;
    before.kinematics = span->start;
    bool is_found = false;
    for (int i = 0; i < world->travels.count && !is_found; ++i) {
        const iso_safe_travel* pace = &world->travels.bodies[i];
        is_found = way_of(span, pace) > 2.0 * way_of(&before, pace) + pace->least;
    }
    return is_found;
}

// A stage may find a contact so deep that it throws the bodies away: they would have passed, there
// or soon.
static iso_tunnelling find_throw(iso_world* world, const iso_world_span* span) {
    int count = world->multibody.body_count;
    iso_pose* x_wb = iso_arena_push_array(&world->scratch, count, sizeof *x_wb);
    iso_tunnelling none = {.is_found = false};
    if (!x_wb || !is_thrown(world, span)) {
        return none;
    }
    const iso_kinematics* start = span->start;
    iso_world_span flight = *span;
    flight.duration *= SHARE_OF_THROW;
    for (int b = 0; b < count; ++b) {
        iso_travel t = {.end = start->x_wb[b],
                        .way = iso_vec3_scale(start->v_wb[b].translational, flight.duration),
                        .turn = iso_vec3_scale(start->v_wb[b].rotational, flight.duration)};
        x_wb[b] = iso_travel_body(&t, 2.0);
    }
    iso_kinematics end = {.x_wb = x_wb, .v_wb = start->v_wb};
    flight.kinematics = &end;
    flight.start = NULL;
    flight.is_free = true;
    iso_tunnelling passage = iso_world_find_tunnelling(world, &flight);
    passage.duration = span->duration;
    passage.length /= SHARE_OF_THROW;
    return passage;
}

iso_tunnelling iso_world_find_step_tunnelling(iso_world* world) {
    iso_kinematics start;
    iso_world_span span = {.kinematics = &world->kinematics,
                           .time = world->time,
                           .duration = world->desc.time_step,
                           .touching = &world->contact_result.set,
                           .forces = world->contact_result.f_b_w};
    iso_tunnelling passage = {.is_found = false};
    iso_arena_mark mark = iso_arena_get_mark(&world->scratch);
    if (has_fast(world, &span) &&
        iso_kinematics_push(&world->multibody, &world->scratch, &start) == ISO_OK) {
        iso_multibody_kinematics(&world->multibody, world->next_q, world->next_v, &start);
        if (world->has_motion) {
            iso_world_place_moved(world, -span.duration, &start);
        }
        span.start = &start;
        passage = iso_world_find_tunnelling(world, &span);
        if (!passage.is_found && world->desc.method == ISO_METHOD_RK4) {
            passage = find_throw(world, &span);
        }
    }
    iso_arena_release(&world->scratch, mark);
    return passage;
}

void iso_world_warn_of_tunnelling(iso_world* world, const iso_tunnelling* p) {
    const iso_contact_geometry* g = &world->geometries[p->geometry];
    const iso_contact_geometry* o = &world->geometries[p->other];
    iso_log(world->ctx, ISO_LOG_WARNING,
            "'%s::%s' went %.3g m in the step to t = %g s, through the surface of '%s::%s', which "
            "did not stop it: contacts are found late and deep, or not at all; expected at "
            "most %.2g s a step at this speed",
            g->body_name, g->name, p->length, p->time, o->body_name, o->name,
            p->duration * ISO_COARSE_SHARE * p->width / p->length);
    int a = p->geometry < p->other ? p->geometry : p->other;
    iso_contact_warnings_pass(&world->warnings, world->geometries, a,
                              a == p->geometry ? p->other : p->geometry, p->time);
}
