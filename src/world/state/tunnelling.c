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

static iso_vec3 velocity_at(const iso_world_span* span, int body, iso_vec3 p_w) {
    const iso_spatial* v = &span->kinematics->v_wb[body];
    iso_vec3 arm = iso_vec3_sub(p_w, span->kinematics->x_wb[body].p);
    return iso_vec3_add(v->translational, iso_vec3_cross(v->rotational, arm));
}

static iso_pose pose_of(const iso_world* world, const iso_world_span* span, int geometry) {
    const iso_contact_geometry* g = &world->geometries[geometry];
    return iso_pose_mul(&span->kinematics->x_wb[g->body], &g->x_bg);
}

// Where a body began, by its velocity at the end: what turns takes along what lies still in it.
static iso_pose start_of(const iso_world_span* span, int body) {
    const iso_spatial* v = &span->kinematics->v_wb[body];
    const iso_pose* x = &span->kinematics->x_wb[body];
    iso_vec3 turn = iso_vec3_scale(v->rotational, -span->duration);
    iso_mat3 back = iso_mat3_from_quat(iso_quat_from_rotation_vector(turn));
    return iso_pose_make(iso_mat3_mul(back, x->r),
                         iso_vec3_add_scaled(x->p, v->translational, -span->duration));
}

// Half of what a box extends along a way, times the length of the way.
static double half_width(const iso_travel_box* box, const iso_mat3* r_wg, iso_vec3 way_w) {
    iso_vec3 d = iso_mat3_tmul_vec3(r_wg, way_w);
    return fabs(d.x) * box->half.x + fabs(d.y) * box->half.y + fabs(d.z) * box->half.z;
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

static bool touched(const iso_contact_set* set, int a, int b) {
    for (int i = 0; i < set->pair_count; ++i) {
        if (set->pairs[i].geometry_a == a && set->pairs[i].geometry_b == b) {
            return true;
        }
    }
    return false;
}

// True when the middle of a geometry went by more than half its width, and through the surface of
// the other.
static bool find_passage(const iso_world* world, const iso_world_span* span, int geometry,
                         int other, iso_tunnelling* out) {
    const iso_travel_box* box = &world->travels.boxes[geometry];
    const iso_contact_geometry* g = &world->geometries[geometry];
    const iso_contact_geometry* o = &world->geometries[other];
    iso_vec3 center = iso_pose_point(&span->kinematics->x_wb[g->body], box->center);
    iso_vec3 start =
        iso_vec3_add_scaled(center, velocity_at(span, g->body, center), -span->duration);
    iso_pose x_wg = pose_of(world, span, geometry), x_wo = pose_of(world, span, other);
    iso_pose before = start_of(span, o->body);
    before = iso_pose_mul(&before, &o->x_bg);
    iso_vec3 from = iso_pose_inverse_point(&before, start);
    iso_vec3 to = iso_pose_inverse_point(&x_wo, center);
    iso_vec3 way = iso_mat3_mul_vec3(&x_wo.r, iso_vec3_sub(to, from));
    double length = iso_vec3_norm(way), half = half_width(box, &x_wg.r, way);
    *out = (iso_tunnelling){.is_found = true,
                            .geometry = geometry,
                            .other = other,
                            .time = span->time,
                            .duration = span->duration,
                            .length = length,
                            .width = length > 0.0 ? 2.0 * half / length : 0.0};
    return box->is_watched && length * length > half && meets(o->shape, from, to);
}

// The middle of what is smaller goes through what is larger, whichever of them moves. True for a
// passage of which nothing was said yet.
static bool check_pair(const iso_world* world, const iso_world_span* span, int a, int b,
                       iso_tunnelling* out) {
    return (find_passage(world, span, a, b, out) || find_passage(world, span, b, a, out)) &&
           !touched(span->touching, a, b) &&
           !iso_contact_warnings_has_passed(&world->warnings, a, b);
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

iso_tunnelling iso_world_find_tunnelling(const iso_world* world, const iso_world_span* span) {
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

void iso_world_warn_of_tunnelling(iso_world* world, const iso_tunnelling* p) {
    const iso_contact_geometry* g = &world->geometries[p->geometry];
    const iso_contact_geometry* o = &world->geometries[p->other];
    iso_log(world->ctx, ISO_LOG_WARNING,
            "'%s::%s' went %.3g m in the step to t = %g s, through the surface of '%s::%s', which "
            "it did not touch before: contacts are found late and deep, or not at all; expected at "
            "most %.2g s a step at this speed",
            g->body_name, g->name, p->length, p->time, o->body_name, o->name,
            p->duration * ISO_COARSE_SHARE * p->width / p->length);
    int a = p->geometry < p->other ? p->geometry : p->other;
    iso_contact_warnings_pass(&world->warnings, world->geometries, a,
                              a == p->geometry ? p->other : p->geometry, p->time);
}
