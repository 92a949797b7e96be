// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The row of volumetric contact in the table of contact models.

#include "contact/volumetric/volumetric_model.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/log.h"
#include "base/core/text.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/stretched.h"
#include "contact/stick/point_step.h"
#include "math/frame.h"
#include "surface/shapes/contact_shape_data.h"
#include "volume/solids/force.h"

#include <math.h>
#include <string.h>

// Points of a step: to both sides of both principal axes of the plate. Moments of inertia that
// differ by less are those of a plate without such axes.
#define STEP_POINTS 4
#define EVEN 1e-6
// Axes of two round bodies that differ by a tenth of this are as good as one.
#define PARALLEL 0.1

// The surface of a body wholly inside another sums up to nothing but rounding: that share of the
// square of its side. A shallow volume has more than its own.
#define SWALLOWED 1e-9
// Such a body has all of its volume in the other one, but for the error of sections.
#define WHOLE 0.9999

typedef struct volumetric_contact {
    iso_volume_metrics metrics;
    iso_volume_normal normal;
    double stiffness; // k_v [N/m^3]
    bool is_round;    // rotations map one of the geometries to itself:
    int axis_count;   // about so many axes; 0: about any
    iso_vec3 axes[2];
} volumetric_contact;

// Depth of a foundation: of primitives from their sizes, else that of the field.
static double depth_of(const iso_contact_system* system, int geometry) {
    const iso_shape_desc* shape = &system->geometries[geometry].shape->primitive;
    switch (shape->kind) {
    case ISO_SHAPE_SPHERE:
    case ISO_SHAPE_CAPSULE:
        return shape->radius;
    case ISO_SHAPE_CYLINDER:
        return fmin(shape->radius, 0.5 * shape->length);
    default:
        return system->parts[geometry].thickness;
    }
}

// k_v of a foundation as stiff as its material.
static double stiffness_of(const iso_contact_system* system, int geometry) {
    const iso_contact_part* part = &system->parts[geometry];
    return part->is_rigid ? INFINITY : part->modulus / depth_of(system, geometry);
}

static double pair_stiffness(const iso_contact_system* system, int a, int b) {
    double of_a = stiffness_of(system, a), of_b = stiffness_of(system, b);
    return isinf(of_a) && isinf(of_b)
               ? system->options.rigid_layer_modulus / system->options.rigid_layer_thickness
               : iso_volume_pair_stiffness(of_a, of_b);
}

// The solid of a geometry, once a system.
static iso_status prepare_body(iso_context* ctx, iso_contact_system* system, int geometry) {
    iso_contact_part* part = &system->parts[geometry];
    const iso_contact_geometry* g = &system->geometries[geometry];
    if (part->volume) {
        return ISO_OK;
    }
    iso_shape_desc desc = g->shape->primitive;
    if (desc.kind == ISO_SHAPE_CONVEX || desc.kind == ISO_SHAPE_MESH) {
        desc.surface = &g->shape->surface;
        desc.scale = iso_vec3_make(1.0, 1.0, 1.0);
    }
    iso_status status = iso_volume_body_create(ctx, &desc, &part->volume);
    return status == ISO_OK
               ? ISO_OK
               : iso_fail_prefix(ctx, status, "%s: volumetric contact of geometry '%s' of '%s'",
                                 iso_contact_source(g), g->name, g->body_name);
}

static bool is_half_space(const iso_contact_system* system, int geometry) {
    return system->parts[geometry].is_half_space;
}

static bool takes(const iso_contact_system* system, int a, int b) {
    bool is_open = false;
    const int geometries[2] = {a, b};
    for (int i = 0; i < 2; ++i) {
        const iso_contact_shape* shape = system->geometries[geometries[i]].shape;
        is_open = is_open || (!iso_contact_shape_is_half_space(shape) && !shape->is_closed);
    }
    return !is_open && !(is_half_space(system, a) && is_half_space(system, b));
}

static iso_status prepare(iso_context* ctx, iso_contact_system* system, int a, int b) {
    const iso_contact_geometry *ga = &system->geometries[a], *gb = &system->geometries[b];
    ISO_REQUIRE(
        ctx, takes(system, a, b), ISO_ERR_GEOMETRY,
        "geometries '%s' of '%s' (%s) and '%s' of '%s' (%s) may meet, and have no volume in "
        "common that ends; expected closed surfaces and at most one half space; give one of "
        "both another contact model or filter the pair",
        ga->name, ga->body_name, iso_contact_source(ga), gb->name, gb->body_name,
        iso_contact_source(gb));
    iso_status status = prepare_body(ctx, system, a);
    return status == ISO_OK ? prepare_body(ctx, system, b) : status;
}

// Share of the smaller cell that two of a body may have in common without a word.
#define FREE_OVERLAP 0.01

static bool is_cell(const iso_contact_system* system, int i) {
    return system->parts[i].volume && system->geometries[i].body != 0 && !is_half_space(system, i);
}

// What two cells of a body have in common, as a share of the smaller one.
static iso_status overlap_of(const iso_contact_system* system, int a, int b, double* out_share) {
    const iso_volume_body *of_a = system->parts[a].volume, *of_b = system->parts[b].volume;
    iso_volume_metrics m = {.volume = 0.0};
    iso_status status = iso_volume_intersect(system->ctx, of_a, &system->geometries[a].x_bg, of_b,
                                             &system->geometries[b].x_bg, NULL, &m);
    *out_share = m.volume > 0.0
                     ? m.volume / fmin(iso_volume_body_volume(of_a), iso_volume_body_volume(of_b))
                     : 0.0;
    return status;
}

// Pairs of cells that overlap by more than is free: how many, and the first of them.
typedef struct overlap_report {
    int count, a, b;
    double share;
} overlap_report;

// Cells of one body: those whose boxes overlap are looked at.
static iso_status find_overlaps(const iso_contact_system* system, const int* cells, int count,
                                overlap_report* report) {
    const iso_body_filter all = {.body_count = count}; // cells stand for bodies
    iso_broad_phase phase = {0};
    iso_status status = ISO_OK;
    iso_broad_item* items = iso_alloc_array(system->ctx, count, sizeof *items);
    ISO_CHECK(system->ctx, items, ISO_ERR_MEMORY, "%d cells of a body", count);
    for (int i = 0; i < count; ++i) {
        items[i].body = i;
        iso_contact_part_box(&system->parts[cells[i]], &system->geometries[cells[i]].x_bg,
                             &items[i].lower, &items[i].upper);
    }
    ISO_TRY(iso_broad_phase_init(system->ctx, &phase, count));
    ISO_TRY(iso_broad_phase_run(system->ctx, &phase, items, &all));
    for (int i = 0; i < phase.candidates.count; ++i) {
        int a = cells[phase.candidates.data[i].a], b = cells[phase.candidates.data[i].b];
        double share;
        ISO_TRY(overlap_of(system, a, b, &share));
        if (share > FREE_OVERLAP && ++report->count == 1) {
            report->a = a;
            report->b = b;
            report->share = share;
        }
    }

done:
    iso_broad_phase_destroy(system->ctx, &phase);
    iso_free(system->ctx, items);
    return status;
}

// Cells of all bodies, those of one body together and in order.
// @param cells  [geometry_count]
// @param ends   [body_count] where those of each body end
static void sort_cells(const iso_contact_system* system, int* cells, int* ends) {
    int begin = 0;
    for (int i = 0; i < system->geometry_count; ++i) {
        ends[system->geometries[i].body] += is_cell(system, i);
    }
    for (int body = 0; body < system->bodies.body_count; ++body) {
        int count = ends[body];
        ends[body] = begin; // start now, end once all are there
        begin += count;
    }
    for (int i = 0; i < system->geometry_count; ++i) {
        if (is_cell(system, i)) {
            cells[ends[system->geometries[i].body]++] = i;
        }
    }
}

static void report_overlaps(const iso_contact_system* system, const overlap_report* report) {
    const iso_contact_geometry *a = &system->geometries[report->a],
                               *b = &system->geometries[report->b];
    iso_log(system->ctx, ISO_LOG_INFO,
            "cells '%s' and '%s' of '%s' (%s) overlap by %.3g %% of the smaller one, %d pair%s "
            "of cells do: where both meet a third body what they share presses twice in "
            "volumetric contact; expected cells side by side",
            a->name, b->name, a->body_name, iso_contact_source(a), 100.0 * report->share,
            report->count, iso_text_plural(report->count));
}

// What cells of a body have in common presses twice: said once.
static iso_status tell_overlaps(iso_contact_system* system) {
    overlap_report report = {0};
    iso_status status = ISO_OK;
    int* cells = iso_alloc_array(system->ctx, system->geometry_count, sizeof *cells);
    int* ends = iso_alloc_array(system->ctx, system->bodies.body_count, sizeof *ends);
    ISO_CHECK(system->ctx, cells && ends, ISO_ERR_MEMORY, "cells of %d geometries",
              system->geometry_count);
    sort_cells(system, cells, ends);
    for (int body = 0, begin = 0; body < system->bodies.body_count; begin = ends[body++]) {
        if (ends[body] - begin > 1) {
            ISO_TRY(find_overlaps(system, cells + begin, ends[body] - begin, &report));
        }
    }
    if (report.count > 0) {
        report_overlaps(system, &report);
    }

done:
    iso_free(system->ctx, cells);
    iso_free(system->ctx, ends);
    return status;
}

// Pressure at the middle of the plate over that at the full depth of each foundation.
static iso_status complete(const iso_contact_system* system, iso_contact_pair* pair,
                           iso_arena* arena) {
    const iso_contact_part* a = &system->parts[pair->geometry_a];
    const iso_contact_part* b = &system->parts[pair->geometry_b];
    pair->extent_a = a->is_rigid ? 0.0 : pair->patch.max_pressure / a->modulus;
    pair->extent_b = b->is_rigid ? 0.0 : pair->patch.max_pressure / b->modulus;
    return iso_contact_complete_faceless(system, pair, arena);
}

static void find_symmetry(const iso_contact_system* system, int a, int b, volumetric_contact* own) {
    const int geometries[2] = {a, b};
    bool is_ball = false;
    for (int i = 0; i < 2; ++i) {
        const iso_shape_desc* shape = &system->geometries[geometries[i]].shape->primitive;
        const iso_pose* x_w = &system->x_wg[geometries[i]];
        if (shape->kind == ISO_SHAPE_CAPSULE || shape->kind == ISO_SHAPE_CYLINDER) {
            own->axes[own->axis_count++] = iso_mat3_column(&x_w->r, 2);
        }
        is_ball = is_ball || shape->kind == ISO_SHAPE_SPHERE;
    }
    own->is_round = is_ball || own->axis_count > 0;
    own->axis_count = is_ball ? 0 : own->axis_count;
}

// The direction in which the volume falls fastest. The thesis takes the principal axis next to it:
// where a box that slides leans a little, its wedge of volume does not lie in the plane of the
// ground, and that axis would drag it. Of thin volumes both are the same.
static iso_volume_normal slope_of_volume(const iso_volume_metrics* metrics) {
    double area = iso_vec3_norm(metrics->area);
    iso_volume_normal normal = {.status = ISO_VOLUME_NORMAL_NONE};
    double side = cbrt(metrics->volume);
    if (metrics->volume > 0.0 && area > SWALLOWED * side * side) {
        iso_vec3 n = iso_vec3_scale(metrics->area, -1.0 / area);
        double about = iso_vec3_dot(n, iso_mat3_mul_vec3(&metrics->inertia, n));
        normal = (iso_volume_normal){.direction = n,
                                     .status = ISO_VOLUME_NORMAL_FOUND,
                                     .cosine = 1.0,
                                     .gyration = sqrt(fmax(about, 0.0) / metrics->volume)};
    }
    return normal;
}

static iso_contact_lack lack_of(const iso_volume_metrics* metrics, const iso_volume_body* a,
                                const iso_volume_body* b) {
    double smaller = fmin(iso_volume_body_volume(a), iso_volume_body_volume(b));
    return metrics->volume <= 0.0               ? ISO_CONTACT_LACKS_NOTHING
           : metrics->volume >= WHOLE * smaller ? ISO_CONTACT_LACKS_SURFACE
                                                : ISO_CONTACT_LACKS_NORMAL;
}

static iso_status find(iso_contact_system* system, iso_search_threads* search_threads,
                       iso_arena* arena, int a, int b, iso_contact_manifold* out) {
    (void)search_threads;
    iso_volume_metrics metrics;
    iso_status status =
        iso_volume_intersect(system->ctx, system->parts[a].volume, &system->x_wg[a],
                             system->parts[b].volume, &system->x_wg[b], NULL, &metrics);
    if (status != ISO_OK) {
        return status;
    }
    iso_volume_normal normal = slope_of_volume(&metrics);
    if (normal.status == ISO_VOLUME_NORMAL_NONE) {
        out->lack = lack_of(&metrics, system->parts[a].volume, system->parts[b].volume);
        return ISO_OK;
    }
    volumetric_contact* own = iso_arena_push(arena, sizeof *own);
    ISO_REQUIRE(system->ctx, own, ISO_ERR_MEMORY, "volume of a contact");
    *own = (volumetric_contact){
        .metrics = metrics, .normal = normal, .stiffness = pair_stiffness(system, a, b)};
    find_symmetry(system, a, b, own);
    double area = fabs(iso_vec3_dot(metrics.area, normal.direction));
    out->patch.area = area;
    out->patch.centroid = out->patch.center_of_pressure = metrics.centroid;
    out->patch.max_pressure = area > 0.0 ? 2.0 * own->stiffness * metrics.volume / area : 0.0;
    out->own = own;
    out->is_touching = true;
    return ISO_OK;
}

static iso_vec3 normal_of(const iso_contact_pair* pair) {
    const volumetric_contact* own = pair->own;
    return own->normal.direction;
}

// Force, rolling resistance, and the motion that they come from.
static iso_volume_force find_force(const iso_contact_pair* pair, iso_spatial v_c,
                                   iso_volume_motion* out_motion) {
    const volumetric_contact* own = pair->own;
    const iso_volume_law law = {
        .stiffness = own->stiffness, .damping_share = pair->dissipation, .slow_speed = 1.0};
    const iso_volume_memory memory = {.is_touching = true, .impact_speed = 1.0};
    iso_spatial still = iso_spatial_zero();
    iso_vec3 p = own->metrics.centroid; // the common point
    *out_motion = iso_volume_motion_of(&own->metrics, &own->normal, &still, p, &v_c, p);
    return iso_volume_force_of(&law, &memory, &own->metrics, &own->normal, out_motion);
}

static double damping_power(const iso_volume_force* force, const iso_volume_motion* motion) {
    return (force->elastic_force - force->normal_force) * motion->speed_apart -
           iso_vec3_dot(force->rolling, motion->rolling);
}

static iso_spatial find_wrench(const iso_contact_system* system, const iso_contact_pair* pair,
                               iso_spatial v_c, iso_contact_losses* out_losses,
                               iso_vec3* out_tractions, iso_vec3* out_slips) {
    (void)out_tractions, (void)out_slips;
    const volumetric_contact* own = pair->own;
    iso_volume_motion motion;
    iso_volume_force force = find_force(pair, v_c, &motion);
    const iso_friction chosen = iso_contact_pair_friction(system, pair);
    iso_volume_friction friction =
        chosen.law == ISO_FRICTION_VISCOUS
            ? iso_volume_coulomb(pair->friction_dynamic, system->options.stiction_velocity,
                                 &own->normal, &motion)
            : iso_volume_viscous(iso_friction_law_ratio(&chosen, motion.surface_speed),
                                 &own->normal, &motion);
    double rub =
        iso_vec3_dot(friction.traction, motion.slip) + friction.moment * motion.speed_of_spin;
    out_losses->friction = -force.normal_force * rub;
    out_losses->damping = damping_power(&force, &motion);
    return iso_volume_wrench(&force, &own->normal, &friction);
}

static iso_contact_press find_press(const iso_contact_pair* pair, iso_spatial v_c) {
    const volumetric_contact* own = pair->own;
    iso_volume_motion motion;
    iso_volume_force force = find_force(pair, v_c, &motion);
    const iso_volume_friction none = {.moment = 0.0};
    return (iso_contact_press){.normal = own->normal.direction,
                               .force = force.normal_force,
                               .radius = own->normal.gyration,
                               .damping = damping_power(&force, &motion),
                               .wrench = iso_volume_wrench(&force, &own->normal, &none)};
}

static iso_contact_stiffness find_stiffness(const iso_contact_pair* pair) {
    const volumetric_contact* own = pair->own;
    return (iso_contact_stiffness){own->stiffness * pair->patch.area,
                                   own->stiffness * own->metrics.volume};
}

// That of smooth bodies, whose volume grows with the square of it.
static double find_depth(const iso_contact_pair* pair) {
    const volumetric_contact* own = pair->own;
    double area = pair->patch.area;
    return area > 0.0 ? 2.0 * own->metrics.volume / area : 0.0;
}

// Of a foundation under a plate: what presses a depth h(x) stores k h^2 / 2, and the centroid lies
// half as deep as the mean: k V times that depth. The moment of inertia along the normal is left
// out of it, so it is that of a volume of even depth.
static double find_energy(const iso_contact_pair* pair) {
    const volumetric_contact* own = pair->own;
    double volume = own->metrics.volume, area = pair->patch.area;
    return area > 0.0 ? 0.5 * own->stiffness * volume * volume / area : 0.0;
}

static iso_status find_exact_energy(const iso_contact_system* system, const iso_contact_pair* pair,
                                    iso_elastic_energy* out) {
    (void)system;
    *out = (iso_elastic_energy){.energy = find_energy(pair), .is_exact = false};
    return ISO_OK;
}

// The part of a twist about the common point that turns round bodies in themselves, each about its
// own axis, two of which leave one direction; false: none is.
static bool find_steady(const iso_contact_pair* pair, iso_spatial u, iso_spatial* out_steady) {
    const volumetric_contact* own = pair->own;
    iso_vec3 w = u.rotational;
    if (own->axis_count > 0) {
        iso_vec3 one = own->axes[0], other = own->axes[own->axis_count - 1];
        double side = iso_vec3_dot(one, other) < 0.0 ? -1.0 : 1.0;
        iso_vec3 mean = iso_vec3_add_scaled(one, other, side);
        iso_vec3 apart = iso_vec3_add_scaled(one, other, -side); // across the mean
        double share = iso_vec3_norm_squared(apart) + PARALLEL * PARALLEL;
        iso_vec3 along = iso_vec3_scale(mean, iso_vec3_dot(mean, w) / iso_vec3_norm_squared(mean));
        w = iso_vec3_add_scaled(along, apart, iso_vec3_dot(apart, w) / share);
    }
    *out_steady = iso_spatial_make(w, iso_vec3_zero()); // its centre lies along the normal
    return own->is_round;
}

// Places of the points over the centroid, the corners of a rectangle: with a quarter of the force
// each they have the damping against rolling that the inertia of the volume says (4.67), and nearly
// its radius of gyration. Where the volume is as wide to all sides they lie beside the slip, not on
// its line nor across: else it were rounding that chose, friction in spin would depend on the
// frame, and a point where slip and spin cancel would have a jump.
static void place_points(const volumetric_contact* own, iso_vec3 velocity,
                         iso_vec3 out[STEP_POINTS]) {
    iso_vec3 n = own->normal.direction;
    iso_vec3 e1 = iso_any_perpendicular(n), e2 = iso_vec3_cross(n, e1);
    const iso_mat3* inertia = &own->metrics.inertia;
    double j11 = iso_vec3_dot(e1, iso_mat3_mul_vec3(inertia, e1));
    double j12 = iso_vec3_dot(e1, iso_mat3_mul_vec3(inertia, e2));
    double j22 = iso_vec3_dot(e2, iso_mat3_mul_vec3(inertia, e2));
    double turn = hypot(2.0 * j12, j11 - j22) > EVEN * (j11 + j22)
                      ? 0.5 * atan2(2.0 * j12, j11 - j22)
                      : atan2(iso_vec3_dot(e2, velocity), iso_vec3_dot(e1, velocity));
    iso_vec3 f1 = iso_vec3_add_scaled(iso_vec3_scale(e1, cos(turn)), e2, sin(turn));
    iso_vec3 f2 = iso_vec3_cross(n, f1);
    double about_1 = iso_vec3_dot(f1, iso_mat3_mul_vec3(inertia, f1));
    double about_2 = iso_vec3_dot(f2, iso_mat3_mul_vec3(inertia, f2));
    iso_vec3 along = iso_vec3_scale(f1, sqrt(fmax(about_2, 0.0) / own->metrics.volume));
    iso_vec3 across = iso_vec3_scale(f2, sqrt(fmax(about_1, 0.0) / own->metrics.volume));
    out[0] = iso_vec3_add(along, across);
    out[1] = iso_vec3_sub(along, across);
    out[2] = iso_vec3_scale(out[1], -1.0);
    out[3] = iso_vec3_scale(out[0], -1.0);
}

static void find_presses(const iso_contact_system* system, const iso_contact_pair* pair,
                         iso_spatial v_c, iso_press_list* list) {
    (void)system;
    const volumetric_contact* own = pair->own;
    iso_volume_motion motion;
    iso_volume_force force = find_force(pair, v_c, &motion);
    iso_vec3 places[STEP_POINTS];
    place_points(own, v_c.translational, places);
    for (int i = 0; i < STEP_POINTS; ++i) {
        iso_press_add(list, places[i], own->normal.direction, force.normal_force / STEP_POINTS, -1);
    }
}

static iso_status begin_step(const iso_contact_step_input* input, iso_contact_step* out_step) {
    const iso_contact_pair* pair = input->pair;
    const volumetric_contact* own = pair->own;
    iso_compliant_points* points = iso_point_step_push(input, STEP_POINTS);
    ISO_REQUIRE(input->arena->ctx, points, ISO_ERR_MEMORY, "points of a contact");
    iso_vec3 n = own->normal.direction, places[STEP_POINTS];
    place_points(own, input->v_c0.translational, places);
    double v_n = iso_vec3_dot(input->v_c0.translational, n), volume = own->metrics.volume;
    // Where the bodies come nearer the area grows: as that of smooth surfaces, with the root of V.
    double deeper = fmax(-v_n * input->dt, 0.0) * pair->patch.area;
    double area = pair->patch.area * sqrt(1.0 + 0.5 * deeper / volume);
    for (int i = 0; i < STEP_POINTS; ++i) {
        points->rx[i] = places[i].x;
        points->ry[i] = places[i].y;
        points->rz[i] = places[i].z;
        points->nx[i] = n.x;
        points->ny[i] = n.y;
        points->nz[i] = n.z;
        points->area[i] = 0.25 * pair->patch.area;
        points->force[i] = 0.25 * own->stiffness * volume;
        points->stiffness[i] = 0.25 * own->stiffness * area;
        points->dissipation[i] = pair->dissipation;
    }
    iso_spatial steady;
    bool is_round = find_steady(pair, input->u_c0, &steady);
    return iso_point_step_begin_faceless(input, points, is_round ? &steady : NULL, out_step);
}

const iso_contact_model iso_volumetric_model = {
    .name = "volumetric",
    .kind = ISO_MANIFOLD_VOLUME,
    .takes = takes,
    .prepare_parts = tell_overlaps,
    .prepare = prepare,
    .find = find,
    .own_size = sizeof(volumetric_contact),
    .complete = complete,
    .normal = normal_of,
    .loaded_normal = normal_of,
    .wrench = find_wrench,
    .presses = find_presses,
    .stiffness = find_stiffness,
    .press = find_press,
    .depth = find_depth,
    .energy = find_energy,
    .exact_energy = find_exact_energy,
    .begin_step = begin_step,
    .smooth = iso_point_step_smooth,
    .end_step = iso_point_step_end,
    .book = iso_point_step_book,
    .memory_energy = iso_stick_memory_energy,
    .memory_is_usable = iso_stick_memory_is_usable,
};
