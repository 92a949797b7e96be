// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// The row of Hertz contact in the table of contact models.

#include "contact/point/hertz_model.h"

#include "base/core/fail.h"
#include "contact/pairs/contact_system_state.h"
#include "contact/pairs/stretched.h"
#include "contact/point/round_pair.h"
#include "contact/stick/point_step.h"
#include "surface/shapes/contact_shape_data.h"

#include <math.h>
#include <string.h>

// Depths of a step's chord that differ by less, as a share, have the tangent.
#define SAME_DEPTH 1e-6

typedef struct hertz_point {
    iso_vec3 normal, p_w;
    double depth;     // [m]
    double stiffness; // k [N/m^(3/2)]
    double area;      // of the ellipse of contact [m^2]
} hertz_point;

typedef struct hertz_contact {
    int count;
    hertz_point points[ISO_ROUND_MOST_POINTS];
} hertz_contact;

static double force_at(const hertz_point* p, double depth) {
    return depth > 0.0 ? p->stiffness * depth * sqrt(depth) : 0.0;
}

static const iso_shape_desc* shape_of(const iso_contact_system* system, int geometry) {
    return &system->geometries[geometry].shape->primitive;
}

static bool takes(const iso_contact_system* system, int a, int b) {
    return iso_round_pair_exists(shape_of(system, a), shape_of(system, b));
}

static iso_elastic elastic_of(const iso_contact_system* system, int geometry) {
    const iso_contact_material* m = &system->geometries[geometry].material;
    bool is_rigid = system->parts[geometry].is_rigid;
    double modulus = m->young_modulus > 0.0 ? m->young_modulus : is_rigid ? INFINITY : m->modulus;
    return (iso_elastic){modulus, m->poisson_ratio};
}

// E* of the geometry against something rigid.
static double plane_modulus(const iso_contact_system* system, int geometry) {
    iso_elastic e = elastic_of(system, geometry);
    return e.modulus / (1.0 - e.poisson * e.poisson);
}

// Two rigid bodies: the layer that pressure fields give one of them says how stiff they are.
static iso_status pair_modulus(const iso_contact_system* system, int a, int b, double* out) {
    iso_elastic of_a = elastic_of(system, a), of_b = elastic_of(system, b);
    *out = system->options.rigid_layer_modulus;
    return isinf(of_a.modulus) && isinf(of_b.modulus)
               ? ISO_OK
               : iso_elastic_pair(system->ctx, &of_a, &of_b, out);
}

static iso_status prepare(iso_context* ctx, iso_contact_system* system, int a, int b) {
    const iso_contact_geometry *ga = &system->geometries[a], *gb = &system->geometries[b];
    ISO_REQUIRE(ctx, takes(system, a, b), ISO_ERR_GEOMETRY,
                "geometries '%s' of '%s' (%s, %s) and '%s' of '%s' (%s, %s) may meet, and Hertz "
                "contact has no point there; expected a sphere or a capsule against a sphere, "
                "capsule, half space, box or cylinder; give one of both another contact model or "
                "filter the pair",
                ga->name, ga->body_name, iso_shape_kind_name(shape_of(system, a)->kind),
                iso_contact_source(ga), gb->name, gb->body_name,
                iso_shape_kind_name(shape_of(system, b)->kind), iso_contact_source(gb));
    return ISO_OK;
}

static bool is_sphere(const iso_curvature* c) {
    return c->first == c->second;
}

static iso_status set_stiffness(iso_context* ctx, double modulus, const iso_round_point* at,
                                hertz_point* out) {
    const iso_curvature *a = &at->curvature[0], *b = &at->curvature[1];
    if (is_sphere(a) && is_sphere(b)) {
        double radius = 1.0 / (a->first + b->first);
        out->stiffness = 4.0 / 3.0 * modulus * sqrt(radius);
        out->area = ISO_PI * radius * at->depth;
        return ISO_OK;
    }
    iso_hertz hertz;
    iso_status status = iso_hertz_make(ctx, modulus, a, b, at->normal, &hertz);
    out->stiffness = hertz.stiffness;
    out->area = ISO_PI * hertz.major * hertz.minor * at->depth;
    return status;
}

// What sums up the points: those of a lying capsule act at their centre of pressure.
static void sum_up(const hertz_contact* contact, iso_patch* patch) {
    double total = 0.0;
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < contact->count; ++i) {
        const hertz_point* p = &contact->points[i];
        double force = force_at(p, p->depth);
        total += force;
        sum = iso_vec3_add_scaled(sum, p->p_w, force);
        patch->area += p->area;
        patch->max_pressure = fmax(patch->max_pressure, 1.5 * force / p->area);
    }
    patch->center_of_pressure =
        total > 0.0 ? iso_vec3_scale(sum, 1.0 / total) : contact->points[0].p_w;
    patch->centroid = patch->center_of_pressure;
}

static iso_status find(iso_contact_system* system, iso_search_threads* search_threads,
                       iso_arena* arena, int a, int b, iso_contact_manifold* out) {
    (void)search_threads;
    iso_round_point points[ISO_ROUND_MOST_POINTS];
    int count = iso_round_pair_find(shape_of(system, a), &system->x_wg[a], shape_of(system, b),
                                    &system->x_wg[b], points);
    if (count == 0) {
        return ISO_OK;
    }
    hertz_contact* own = iso_arena_push(arena, sizeof *own);
    ISO_REQUIRE(system->ctx, own, ISO_ERR_MEMORY, "point contact");
    *own = (hertz_contact){.count = count};
    double modulus = 0.0;
    iso_status status = pair_modulus(system, a, b, &modulus);
    for (int i = 0; i < count && status == ISO_OK; ++i) {
        own->points[i] = (hertz_point){
            .normal = points[i].normal, .p_w = points[i].point, .depth = points[i].depth};
        out->lack = points[i].is_within ? ISO_CONTACT_LACKS_OUTSIDE : out->lack;
        status = set_stiffness(system->ctx, modulus, &points[i], &own->points[i]);
    }
    sum_up(own, &out->patch);
    out->own = own;
    out->is_touching = true;
    return status;
}

static iso_vec3 normal_of(const iso_contact_pair* pair) {
    const hertz_contact* own = pair->own;
    iso_vec3 sum = iso_vec3_zero();
    for (int i = 0; i < own->count; ++i) {
        double force = force_at(&own->points[i], own->points[i].depth);
        sum = iso_vec3_add_scaled(sum, own->points[i].normal, force);
    }
    return iso_vec3_normalized(sum);
}

static iso_vec3 velocity_at(iso_spatial v_c, iso_vec3 arm) {
    return iso_vec3_add(v_c.translational, iso_vec3_cross(v_c.rotational, arm));
}

static iso_spatial find_wrench(const iso_contact_system* system, const iso_contact_pair* pair,
                               iso_spatial v_c, iso_contact_losses* out_losses,
                               iso_vec3* out_tractions, iso_vec3* out_slips) {
    (void)out_tractions, (void)out_slips;
    const hertz_contact* own = pair->own;
    const iso_friction friction = iso_contact_pair_friction(system, pair);
    iso_spatial wrench = iso_spatial_zero();
    *out_losses = (iso_contact_losses){0.0, 0.0};
    for (int i = 0; i < own->count; ++i) {
        const hertz_point* p = &own->points[i];
        iso_vec3 arm = iso_vec3_sub(p->p_w, pair->p_wc), v = velocity_at(v_c, arm);
        double v_n = iso_vec3_dot(v, p->normal), elastic = force_at(p, p->depth);
        double pressed = elastic * fmax(1.0 - pair->dissipation * v_n, 0.0);
        iso_vec3 slip = iso_vec3_tangential(v, p->normal);
        iso_vec3 rub = iso_vec3_scale(iso_friction_law_traction(&friction, slip), pressed);
        iso_vec3 force = iso_vec3_add_scaled(rub, p->normal, pressed);
        out_losses->friction -= iso_vec3_dot(rub, slip);
        out_losses->damping += (elastic - pressed) * v_n;
        wrench.translational = iso_vec3_add(wrench.translational, force);
        wrench.rotational = iso_vec3_add(wrench.rotational, iso_vec3_cross(arm, force));
    }
    return wrench;
}

static void find_presses(const iso_contact_system* system, const iso_contact_pair* pair,
                         iso_spatial v_c, iso_press_list* list) {
    (void)system;
    const hertz_contact* own = pair->own;
    for (int i = 0; i < own->count; ++i) {
        const hertz_point* p = &own->points[i];
        iso_vec3 arm = iso_vec3_sub(p->p_w, pair->p_wc);
        double v_n = iso_vec3_dot(velocity_at(v_c, arm), p->normal);
        double pressed = force_at(p, p->depth) * fmax(1.0 - pair->dissipation * v_n, 0.0);
        iso_press_add(list, arm, p->normal, pressed, -1);
    }
}

static iso_contact_press find_press(const iso_contact_pair* pair, iso_spatial v_c) {
    const hertz_contact* own = pair->own;
    iso_contact_press press = {.normal = normal_of(pair), .wrench = iso_spatial_zero()};
    double second = 0.0; // moment of the forces about the normal
    for (int i = 0; i < own->count; ++i) {
        const hertz_point* p = &own->points[i];
        iso_vec3 arm = iso_vec3_sub(p->p_w, pair->p_wc);
        double v_n = iso_vec3_dot(velocity_at(v_c, arm), p->normal);
        double elastic = force_at(p, p->depth);
        double pressed = elastic * fmax(1.0 - pair->dissipation * v_n, 0.0);
        iso_vec3 force = iso_vec3_scale(p->normal, pressed);
        press.force += pressed;
        press.damping += (elastic - pressed) * v_n;
        second += pressed * iso_vec3_norm_squared(iso_vec3_tangential(arm, press.normal));
        press.wrench.translational = iso_vec3_add(press.wrench.translational, force);
        press.wrench.rotational = iso_vec3_add(press.wrench.rotational, iso_vec3_cross(arm, force));
    }
    bool is_wide = own->count > 1 && press.force > 0.0; // the arm of one point is rounding
    press.radius = is_wide ? sqrt(second / press.force) : 0.0;
    return press;
}

static iso_contact_stiffness find_stiffness(const iso_contact_pair* pair) {
    const hertz_contact* own = pair->own;
    iso_contact_stiffness sum = {0.0, 0.0};
    for (int i = 0; i < own->count; ++i) {
        const hertz_point* p = &own->points[i];
        sum.stiffness += 1.5 * p->stiffness * sqrt(p->depth);
        sum.force += force_at(p, p->depth);
    }
    return sum;
}

static double find_depth(const iso_contact_pair* pair) {
    const hertz_contact* own = pair->own;
    double deepest = 0.0;
    for (int i = 0; i < own->count; ++i) {
        deepest = fmax(deepest, own->points[i].depth);
    }
    return deepest;
}

static double energy_at(const hertz_point* p, double depth) {
    return 0.4 * fmax(depth, 0.0) * force_at(p, depth);
}

static double find_energy(const iso_contact_pair* pair) {
    const hertz_contact* own = pair->own;
    double sum = 0.0;
    for (int i = 0; i < own->count; ++i) {
        sum += energy_at(&own->points[i], own->points[i].depth);
    }
    return sum;
}

static iso_status find_exact_energy(const iso_contact_system* system, const iso_contact_pair* pair,
                                    iso_elastic_energy* out) {
    (void)system;
    *out = (iso_elastic_energy){.energy = find_energy(pair), .is_exact = true};
    return ISO_OK;
}

// Stiffness of a point over a step. Where the bodies come nearer that of the chord to where they
// will be: the tangent at first touch is zero. Else the tangent.
static double step_stiffness(const hertz_point* p, double approach) {
    double tangent = 1.5 * p->stiffness * sqrt(p->depth);
    if (!(approach > SAME_DEPTH * p->depth)) {
        return tangent;
    }
    return (force_at(p, p->depth + approach) - force_at(p, p->depth)) / approach;
}

static iso_status begin_step(const iso_contact_step_input* input, iso_contact_step* out_step) {
    const iso_contact_pair* pair = input->pair;
    const hertz_contact* own = pair->own;
    iso_compliant_points* points = iso_point_step_push(input, own->count);
    ISO_REQUIRE(input->arena->ctx, points, ISO_ERR_MEMORY, "points of a contact");
    for (int i = 0; i < own->count; ++i) {
        const hertz_point* p = &own->points[i];
        iso_vec3 arm = iso_vec3_sub(p->p_w, pair->p_wc);
        double v_n = iso_vec3_dot(velocity_at(input->v_c0, arm), p->normal);
        points->rx[i] = arm.x;
        points->ry[i] = arm.y;
        points->rz[i] = arm.z;
        points->nx[i] = p->normal.x;
        points->ny[i] = p->normal.y;
        points->nz[i] = p->normal.z;
        points->area[i] = p->area;
        points->force[i] = force_at(p, p->depth);
        points->stiffness[i] = step_stiffness(p, -v_n * input->dt);
        points->dissipation[i] = pair->dissipation;
    }
    return iso_point_step_begin_faceless(input, points, NULL, out_step);
}

const iso_contact_model iso_hertz_model = {
    .name = "hertz",
    .kind = ISO_MANIFOLD_POINT,
    .takes = takes,
    .prepare = prepare,
    .modulus = plane_modulus,
    .find = find,
    .own_size = sizeof(hertz_contact),
    .complete = iso_contact_complete_faceless,
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
