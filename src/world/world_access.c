// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "world/state/sizes.h"
#include "world/state/world_state.h"

#include "base/core/fail.h"
#include "base/values/name.h"
#include "math/limits.h"
#include "world/model/model.h"

#include <string.h>

iso_context* iso_world_context(const iso_world* world) {
    return world->ctx;
}
const iso_world_desc* iso_world_settings(const iso_world* world) {
    return &world->desc;
}
double iso_world_time(const iso_world* world) {
    return world->time;
}
int64_t iso_world_step_count(const iso_world* world) {
    return world->step_count;
}
const char* iso_step_reason_text(iso_step_reason reason) {
    switch (reason) {
    case ISO_STEP_REASON_NONE:
        return "no reason";
    case ISO_STEP_REASON_OPENING:
        return "a contact that opens, closes or rebounds";
    case ISO_STEP_REASON_FRICTION:
        return "friction of a contact that sticks, slips or turns";
    case ISO_STEP_REASON_LIMIT:
        return "a joint limit";
    case ISO_STEP_REASON_DRIVE:
        return "a drive at its effort limit";
    case ISO_STEP_REASON_JOINT_FRICTION:
        return "dry friction in a joint";
    case ISO_STEP_REASON_CONSTRAINT:
        return "a constraint or coupler";
    case ISO_STEP_REASON_ROUNDING:
        return "rounding: forces or masses are too unlike";
    case ISO_STEP_REASON_NO_ROOT:
        return "no root for tamsi: parts of the step are of the method similar";
    }
    return "";
}
iso_step_report iso_world_step_report(const iso_world* world) {
    return world->report;
}

int iso_world_body_count(const iso_world* world) {
    return world->multibody.body_count;
}
static bool is_body(const iso_world* world, int body) {
    return body >= 0 && body < world->multibody.body_count;
}
const char* iso_world_body_name(const iso_world* world, int body) {
    return is_body(world, body) ? world->body_names[body] : "";
}

double iso_world_body_mass(const iso_world* world, int body) {
    return is_body(world, body) ? world->multibody.bodies[body].mass : 0.0;
}
bool iso_world_body_is_fixed(const iso_world* world, int body) {
    return is_body(world, body) && world->multibody.bodies[body].tree < 0;
}
iso_pose iso_world_body_pose(const iso_world* world, int body) {
    return is_body(world, body) ? world->kinematics.x_wb[body] : iso_pose_identity();
}
iso_spatial iso_world_body_twist(const iso_world* world, int body) {
    return is_body(world, body) ? world->kinematics.v_wb[body] : iso_spatial_zero();
}

int iso_world_body_surface_count(const iso_world* world, int body) {
    return is_body(world, body) ? world->surface_index[body + 1] - world->surface_index[body] : 0;
}

iso_body_surface iso_world_body_surface(const iso_world* world, int body, int index) {
    iso_body_surface surface = {.name = "", .x_bg = iso_pose_identity()};
    if (index < 0 || index >= iso_world_body_surface_count(world, body)) {
        return surface;
    }
    const iso_world_surface* s = &world->surfaces[world->surface_index[body] + index];
    surface.name = s->name;
    surface.is_collision = s->is_collision;
    surface.x_bg = s->x_bg;
    memcpy(surface.rgba, s->rgba, sizeof surface.rgba);
    surface.mesh = s->shape != NULL ? iso_contact_shape_surface(s->shape) : &s->own_mesh;
    return surface;
}

int iso_world_joint_count(const iso_world* world) {
    return world->joint_count;
}
static const iso_mb_body* joint_body(const iso_world* world, int joint) {
    return joint >= 0 && joint < world->joint_count
               ? &world->multibody.bodies[world->joints[joint].body]
               : NULL;
}
const char* iso_world_joint_name(const iso_world* world, int joint) {
    return joint_body(world, joint) != NULL ? world->joints[joint].name : "";
}
iso_joint_kind iso_world_joint_kind(const iso_world* world, int joint) {
    const iso_mb_body* body = joint_body(world, joint);
    if (body == NULL) {
        return ISO_JOINT_WELD;
    }
    return iso_joint_kind_of(body->mobility);
}

double iso_world_joint_position(const iso_world* world, int joint) {
    const iso_mb_body* body = joint_body(world, joint);
    return body != NULL ? world->q[body->q_index] : 0.0;
}
double iso_world_joint_velocity(const iso_world* world, int joint) {
    const iso_mb_body* body = joint_body(world, joint);
    return body != NULL ? world->v[body->v_index] : 0.0;
}
/// Weight of a joint in the fixed tendon of an actuator; 0: it is not there.
static double tendon_weight(const iso_world* world, int actuator, int joint) {
    const iso_mb_body* body = joint_body(world, joint);
    return body != NULL && iso_mobility_has_one_dof(body->mobility)
               ? iso_fixed_tendon_weight(&world->tendons[world->drives[actuator].tendon],
                                         &world->multibody, &world->kinematics, body->v_index)
               : 0.0;
}
double iso_world_joint_effort(const iso_world* world, int joint) {
    double effort = 0.0;
    for (int i = 0; i < world->actuator_count; ++i) {
        if (world->drives[i].body < 0 && world->drives[i].tendon >= 0) {
            effort += tendon_weight(world, i, joint) * world->efforts[i];
        } else if (world->drives[i].body >= 0 && world->actuators[i].joint == joint) {
            effort += world->efforts[i];
        }
    }
    return effort;
}

iso_status iso_world_set_joint(iso_world* world, int joint, double position, double velocity) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    const iso_mb_body* body = joint_body(world, joint);
    ISO_REQUIRE(world->ctx, body != NULL, ISO_ERR_RANGE, "joint index %d, expected in [0, %d)",
                joint, world->joint_count);
    ISO_REQUIRE(world->ctx, fabs(position) <= ISO_FARTHEST && fabs(velocity) <= ISO_FARTHEST,
                ISO_ERR_RANGE, "joint '%s': position %g, velocity %g, expected at most %g",
                world->joints[joint].name, position, velocity, ISO_FARTHEST);
    iso_status status = iso_world_check_free(world, "set to another state");
    if (status != ISO_OK) {
        return status;
    }
    world->q[body->q_index] = position;
    world->v[body->v_index] = velocity;
    iso_world_forget_tree(world, world->joints[joint].body);
    iso_world_refresh(world);
    return ISO_OK;
}

iso_status iso_world_set_free_body(iso_world* world, int body, const iso_pose* x_wb,
                                   iso_spatial v_wb) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    ISO_REQUIRE(world->ctx,
                is_body(world, body) && world->multibody.bodies[body].mobility == ISO_MOBILITY_FREE,
                ISO_ERR_RANGE, "body %d ('%s') does not float freely", body,
                iso_world_body_name(world, body));
    iso_status status =
        iso_model_check_pose(world->ctx, x_wb, "x_wb", "body", world->body_names[body], "");
    if (status == ISO_OK) {
        status = iso_model_check_twist(world->ctx, v_wb, world->body_names[body]);
    }
    if (status == ISO_OK) {
        status = iso_world_check_free(world, "set to another state");
    }
    if (status != ISO_OK) {
        return status;
    }
    iso_multibody_set_free(&world->multibody, &world->kinematics, body, x_wb, v_wb, world->q,
                           world->v);
    iso_world_forget_tree(world, body);
    iso_world_refresh(world);
    return ISO_OK;
}

iso_joint_limits iso_world_joint_limits(const iso_world* world, int joint) {
    iso_joint_limits limits = {-INFINITY, INFINITY, INFINITY};
    const iso_mb_body* body = joint_body(world, joint);
    if (body != NULL) {
        limits.lower = body->lower;
        limits.upper = body->upper;
        limits.velocity = world->joints[joint].velocity_limit;
    }
    return limits;
}

iso_actuator_gains iso_world_actuator_gains(const iso_world* world, int actuator) {
    iso_actuator_gains gains = {0};
    if (actuator >= 0 && actuator < world->actuator_count) {
        const iso_actuator* drive = &world->drives[actuator];
        gains =
            (iso_actuator_gains){.effort_limit = fmax(-drive->effort_lower, drive->effort_upper),
                                 .kp = drive->kp,
                                 .kd = drive->kd,
                                 .effort_lower = drive->effort_lower,
                                 .effort_upper = drive->effort_upper};
    }
    return gains;
}

iso_actuation iso_world_actuation(const iso_world* world, int actuator) {
    iso_actuation none = {0};
    return actuator >= 0 && actuator < world->actuator_count ? world->actuations[actuator] : none;
}

int iso_world_actuator_count(const iso_world* world) {
    return world->actuator_count;
}
const char* iso_world_actuator_name(const iso_world* world, int actuator) {
    return actuator >= 0 && actuator < world->actuator_count ? world->actuators[actuator].name : "";
}
int iso_world_actuator_joint(const iso_world* world, int actuator) {
    return actuator >= 0 && actuator < world->actuator_count ? world->actuators[actuator].joint
                                                             : -1;
}

int iso_world_actuator_fixed_tendon(const iso_world* world, int actuator) {
    bool is_on_tendon =
        actuator >= 0 && actuator < world->actuator_count && world->actuators[actuator].joint < 0;
    return is_on_tendon ? world->drives[actuator].tendon : -1;
}

int iso_world_actuator_adhesion_body(const iso_world* world, int actuator) {
    bool is_adhesion = actuator >= 0 && actuator < world->actuator_count &&
                       iso_actuator_is_adhesion(&world->drives[actuator]);
    return is_adhesion ? world->drives[actuator].adhesion_body : -1;
}

static iso_status check_actuation(const iso_world* world, int actuator,
                                  const iso_actuation* actuation) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    ISO_REQUIRE(world->ctx, actuator >= 0 && actuator < world->actuator_count, ISO_ERR_RANGE,
                "actuator index %d, expected in [0, %d)", actuator, world->actuator_count);
    ISO_REQUIRE(world->ctx,
                actuation != NULL && isfinite(actuation->feed_forward) &&
                    isfinite(actuation->position) && isfinite(actuation->velocity),
                ISO_ERR_RANGE,
                "command of actuator '%s' is feed_forward %g, position %g, velocity %g, expected "
                "finite",
                world->actuators[actuator].name, actuation ? actuation->feed_forward : 0.0,
                actuation ? actuation->position : 0.0, actuation ? actuation->velocity : 0.0);
    return ISO_OK;
}

iso_status iso_world_set_actuation(iso_world* world, int actuator, const iso_actuation* actuation) {
    iso_status status = check_actuation(world, actuator, actuation);
    if (status == ISO_OK) {
        world->actuations[actuator] = *actuation;
        world->lead_starts[actuator] = world->lead_ends[actuator] = *actuation;
    }
    return status;
}

static bool are_same(const iso_actuation* a, const iso_actuation* b) {
    return a->feed_forward == b->feed_forward && a->position == b->position &&
           a->velocity == b->velocity;
}

iso_status iso_world_lead_actuation(iso_world* world, int actuator, const iso_actuation* start,
                                    const iso_actuation* end) {
    iso_status status = check_actuation(world, actuator, start);
    status = status == ISO_OK ? check_actuation(world, actuator, end) : status;
    bool is_followed =
        iso_world_is_adaptive(world) || iso_method_takes_the_middle(world->desc.method);
    if (status != ISO_OK || !is_followed || are_same(start, end)) {
        return status;
    }
    if (!world->has_leads) {
        size_t size = (size_t)world->actuator_count * sizeof *world->actuations;
        memcpy(world->lead_starts, world->actuations, size);
        memcpy(world->lead_ends, world->actuations, size);
        world->has_leads = true;
    }
    world->lead_starts[actuator] = *start;
    world->lead_ends[actuator] = *end;
    return ISO_OK;
}

iso_status iso_world_apply_wrench(iso_world* world, int body, iso_spatial f_b_w) {
    ISO_REQUIRE(NULL, world != NULL, ISO_ERR_ARGUMENT, "world is required");
    ISO_REQUIRE(world->ctx, is_body(world, body), ISO_ERR_RANGE,
                "body index %d, expected in [0, %d)", body, world->multibody.body_count);
    iso_spatial sum = iso_spatial_add(world->f_b_w[body], f_b_w);
    ISO_REQUIRE(
        world->ctx, iso_vec3_is_finite(sum.rotational) && iso_vec3_is_finite(sum.translational),
        ISO_ERR_RANGE, "wrench on body '%s' is (%g, %g, %g) N m, (%g, %g, %g) N, expected finite",
        world->body_names[body], sum.rotational.x, sum.rotational.y, sum.rotational.z,
        sum.translational.x, sum.translational.y, sum.translational.z);
    world->f_b_w[body] = sum;
    return ISO_OK;
}

int iso_world_contact_count(const iso_world* world) {
    return world->contact_result.set.pair_count;
}

double iso_world_contact_friction(const iso_world* world, int index) {
    bool is_there = index >= 0 && index < iso_world_contact_count(world);
    return is_there ? world->contact_result.set.pairs[index].friction_dynamic : 0.0;
}
iso_contact iso_world_contact(const iso_world* world, int index) {
    iso_contact contact = {
        .body_name_a = "", .body_name_b = "", .geometry_name_a = "", .geometry_name_b = ""};
    if (index < 0 || index >= iso_world_contact_count(world)) {
        return contact;
    }
    const iso_contact_pair* pair = &world->contact_result.set.pairs[index];
    const iso_contact_geometry* a = &world->geometries[pair->geometry_a];
    const iso_contact_geometry* b = &world->geometries[pair->geometry_b];
    contact.body_a = a->body;
    contact.body_b = b->body;
    contact.body_name_a = a->body_name;
    contact.body_name_b = b->body_name;
    contact.geometry_name_a = a->name;
    contact.geometry_name_b = b->name;
    contact.patch = pair->patch;
    contact.tractions = world->contact_result.tractions[index];
    contact.slip_velocities = world->contact_result.slips[index];
    if (world->contact_result.stretches) {
        contact.stretches = world->contact_result.stretches[index];
        contact.sliding = world->contact_result.sliding[index];
    }
    contact.f_b_w =
        iso_spatial_shift_wrench(world->contact_result.f_b_w[index],
                                 iso_vec3_sub(pair->patch.center_of_pressure, pair->p_wc));
    contact.elastic_energy = pair->model->energy(pair);
    contact.manifold = pair->model->kind;
    contact.model = pair->model->name;
    contact.normal = pair->model->normal(pair);
    contact.extent_a = pair->extent_a;
    contact.extent_b = pair->extent_b;
    contact.sheet_thickness = pair->sheet_thickness;
    contact.sheet_depth = pair->sheet_depth;
    return contact;
}

iso_contact_peak iso_world_contact_peak(const iso_world* world) {
    iso_contact_peak peak = world->warnings.peak;
    if (peak.body_name_a == NULL) {
        peak.body_name_a = peak.body_name_b = peak.geometry_name_a = peak.geometry_name_b = "";
    }
    return peak;
}

iso_contact_passage iso_world_contact_passage(const iso_world* world) {
    iso_contact_passage passage = world->warnings.passage;
    if (passage.pair_count == 0) {
        passage.body_name_a = passage.body_name_b = "";
        passage.geometry_name_a = passage.geometry_name_b = "";
    }
    return passage;
}

iso_energy iso_world_energy(const iso_world* world) {
    iso_energy energy = {
        .kinetic = iso_multibody_kinetic_energy(&world->multibody, &world->kinematics),
        .potential = iso_multibody_potential_energy(&world->multibody, &world->kinematics,
                                                    world->desc.gravity),
        .spring = iso_multibody_spring_energy(&world->multibody, world->q),
        .constraint = world->works.constraint,
        .actuation = world->works.actuation,
        .contact = world->works.contact,
        .damping = world->works.damping,
        .stretch_booked = world->booked_stretch,
        .applied = world->works.applied,
        .friction = world->works.friction,
        .contact_damping = world->works.contact_damping,
        .limit = world->works.limit};
    for (int i = 0; i < world->contact_result.set.pair_count; ++i) {
        const iso_contact_pair* pair = &world->contact_result.set.pairs[i];
        energy.elastic += pair->model->energy(pair);
    }
    for (int i = 0; i < world->tendon_count; ++i) {
        energy.spring += iso_fixed_tendon_energy(&world->tendons[i], &world->multibody,
                                                 &world->kinematics, world->q);
    }
    for (int i = 0; i < world->memory.count; ++i) {
        energy.stretch += iso_contact_memory_energy(world->contacts, &world->memory.data[i]);
    }
    return energy;
}
