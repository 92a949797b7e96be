// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/build/build.h"

#include <math.h>

// What the readers of all formats share about joints: coordinates, couplers, constraints.

const char* const iso_scene_joint_types[] = {"fixed", "revolute",  "prismatic", "free",
                                             "screw", "universal", "ball",      "planar"};

bool iso_scene_has_one_dof(iso_joint_kind kind) {
    return kind == ISO_JOINT_REVOLUTE || kind == ISO_JOINT_PRISMATIC || kind == ISO_JOINT_SCREW;
}

int iso_scene_position_count(iso_joint_kind kind) {
    static const int counts[] = {0, 1, 1, 7, 1, 2, 4, 3}; // in the order of iso_joint_kind
    return counts[kind];
}

int iso_scene_velocity_count(iso_joint_kind kind) {
    static const int counts[] = {0, 1, 1, 6, 1, 2, 3, 3};
    return counts[kind];
}

iso_pose iso_scene_joint_displacement(const iso_joint_desc* joint) {
    const double* q = joint->positions;
    iso_pose x = iso_pose_identity();
    switch (joint->kind) {
    case ISO_JOINT_REVOLUTE:
        x.r = iso_mat3_from_axis_angle(joint->axis, joint->position);
        break;
    case ISO_JOINT_PRISMATIC:
        x.p = iso_vec3_scale(joint->axis, joint->position);
        break;
    case ISO_JOINT_SCREW:
        x.r = iso_mat3_from_axis_angle(joint->axis, joint->position);
        x.p = iso_vec3_scale(joint->axis, joint->pitch * joint->position);
        break;
    case ISO_JOINT_UNIVERSAL:
        x.r = iso_mat3_mul(iso_mat3_from_axis_angle(joint->axis, q[0]),
                           iso_mat3_from_axis_angle(joint->axis_2, q[1]));
        break;
    case ISO_JOINT_BALL:
        if (q[0] != 0.0 || q[1] != 0.0 || q[2] != 0.0 || q[3] != 0.0) {
            x.r = iso_mat3_from_quat(iso_quat_normalized(iso_quat_make(q[0], q[1], q[2], q[3])));
        }
        break;
    case ISO_JOINT_PLANAR:
        x.r = iso_mat3_from_axis_angle(iso_vec3_make(0.0, 0.0, 1.0), q[2]);
        x.p = iso_vec3_make(q[0], q[1], 0.0);
        break;
    case ISO_JOINT_WELD:
    case ISO_JOINT_FREE:
        break;
    }
    return x;
}

iso_mat3 iso_scene_turn_z_to(iso_vec3 direction) {
    iso_vec3 n = iso_vec3_normalized(direction);
    iso_vec3 axis = iso_vec3_make(-n.y, n.x, 0.0);
    double sine = iso_vec3_norm(axis);
    if (sine > 0.0) {
        return iso_mat3_from_axis_angle(iso_vec3_scale(axis, 1.0 / sine), atan2(sine, n.z));
    }
    return n.z < 0.0 ? iso_mat3_diagonal(1.0, -1.0, -1.0) : iso_mat3_identity();
}

iso_status iso_scene_set_position(iso_scene_build* build, iso_source at, int joint,
                                  const double* positions, int count, bool is_strict) {
    iso_joint_desc* desc = iso_model_joint(build->model, joint);
    int expected = iso_scene_position_count(desc->kind);
    ISO_SCENE_REQUIRE(build, at, desc->kind != ISO_JOINT_WELD && desc->kind != ISO_JOINT_FREE,
                      ISO_ERR_PARSE, "joint '%s' is %s and has no position", desc->name,
                      iso_scene_joint_types[desc->kind]);
    ISO_SCENE_REQUIRE(build, at, count == expected, ISO_ERR_PARSE,
                      "joint '%s' is %s and has %d positions, not %d", desc->name,
                      iso_scene_joint_types[desc->kind], expected, count);
    if (!iso_scene_has_one_dof(desc->kind)) {
        double norm = 0.0;
        for (int i = 0; i < count; ++i) {
            desc->positions[i] = positions[i];
            norm += positions[i] * positions[i];
        }
        ISO_SCENE_REQUIRE(build, at, desc->kind != ISO_JOINT_BALL || norm > 1e-12, ISO_ERR_RANGE,
                          "position of joint '%s' is a quaternion of norm %g, expected 1",
                          desc->name, sqrt(norm));
        return ISO_OK;
    }
    double position = positions[0];
    bool is_inside = position >= desc->lower && position <= desc->upper;
    ISO_SCENE_REQUIRE(build, at, is_inside || !is_strict, ISO_ERR_RANGE,
                      "position of joint '%s' is %g, expected within its limits %g to %g",
                      desc->name, position, desc->lower, desc->upper);
    desc->position = position;
    return ISO_OK;
}

iso_status iso_scene_set_velocity(iso_scene_build* build, iso_source at, int joint,
                                  const double* velocities, int count) {
    iso_joint_desc* desc = iso_model_joint(build->model, joint);
    int expected = iso_scene_velocity_count(desc->kind);
    ISO_SCENE_REQUIRE(build, at, desc->kind != ISO_JOINT_WELD && desc->kind != ISO_JOINT_FREE,
                      ISO_ERR_PARSE, "joint '%s' is %s and has no velocity", desc->name,
                      iso_scene_joint_types[desc->kind]);
    ISO_SCENE_REQUIRE(build, at, count == expected, ISO_ERR_PARSE,
                      "joint '%s' is %s and has %d velocities, not %d", desc->name,
                      iso_scene_joint_types[desc->kind], expected, count);
    for (int i = 0; i < count; ++i) {
        desc->velocities[i] = velocities[i];
    }
    desc->velocity = iso_scene_has_one_dof(desc->kind) ? velocities[0] : 0.0;
    return ISO_OK;
}

iso_status iso_scene_check_efforts(const iso_scene_build* build, iso_source at,
                                   const iso_joint_desc* desc) {
    const struct {
        const char* name;
        double value;
    } values[] = {{"damping", desc->damping},
                  {"friction", desc->friction},
                  {"spring stiffness", desc->stiffness},
                  {"rotor inertia", desc->rotor_inertia}};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
        ISO_SCENE_REQUIRE(build, at, isfinite(values[i].value) && values[i].value >= 0.0,
                          ISO_ERR_RANGE, "joint '%s': %s is %g, expected >= 0", desc->name,
                          values[i].name, values[i].value);
    }
    return ISO_OK;
}

// --- couplers and constraints --------------------------------------------------------------------

iso_status iso_scene_add_coupler(iso_scene_build* build, iso_source at,
                                 const iso_coupler_desc* desc) {
    iso_coupler_desc coupler = *desc;
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &coupler.source));
    iso_status status = iso_model_add_coupler(build->model, &coupler, NULL);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

iso_status iso_scene_add_fixed_tendon(iso_scene_build* build, iso_source at,
                                      const iso_fixed_tendon_desc* desc, int* out_index) {
    iso_fixed_tendon_desc tendon = *desc;
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &tendon.source));
    iso_status status = iso_model_add_fixed_tendon(build->model, &tendon, out_index);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}

// What mimics nothing that moves stays where it is.
static iso_status hold(iso_scene_build* build, iso_source at, int joint, double position,
                       const char* why) {
    iso_joint_desc* desc = iso_model_joint(build->model, joint);
    ISO_SCENE_REQUIRE(build, at, iso_scene_has_one_dof(desc->kind), ISO_ERR_UNSUPPORTED,
                      "joint '%s': %s, which a %s joint cannot", desc->name, why,
                      iso_scene_joint_types[desc->kind]);
    iso_scene_warn_once(build, at, desc->name, "joint '%s' is held at %g: %s", desc->name, position,
                        why);
    desc->lower = position;
    desc->upper = position;
    desc->position = position;
    return ISO_OK;
}

// What a leader within its limits never brings to the limits of its follower: robot files have such
// limits, which no other reader compares. The leader's count.
void iso_scene_free_follower(iso_scene_build* build, iso_source at,
                             const iso_coupler_desc* coupler) {
    const iso_joint_desc* a = iso_model_joint(build->model, coupler->joint_a);
    iso_joint_desc* b = iso_model_joint(build->model, coupler->joint_b);
    if (coupler->is_off || coupler->curve[0] != 0.0 || coupler->curve[1] != 0.0 ||
        coupler->curve[2] != 0.0) {
        return;
    }
    double ends[] = {coupler->offset + coupler->ratio * a->lower,
                     coupler->offset + coupler->ratio * a->upper};
    double least = fmin(ends[0], ends[1]), most = fmax(ends[0], ends[1]);
    if (least > b->upper || most < b->lower) {
        iso_scene_warn_once(build, at, b->name,
                            "limits %g and %g of joint '%s' do not count: '%s', which it follows, "
                            "brings it to [%g, %g]",
                            b->lower, b->upper, b->name, a->name, least, most);
        b->lower = -INFINITY;
        b->upper = INFINITY;
    }
}

iso_status iso_scene_add_mimic(iso_scene_build* build, iso_source at, int leader, int follower,
                               double multiplier, double offset) {
    iso_coupler_desc coupler = iso_coupler_desc_default();
    const char* name = iso_model_joint(build->model, follower)->name;
    if (iso_model_joint(build->model, follower)->kind == ISO_JOINT_WELD) {
        iso_scene_warn_once(build, at, "mimic of a fixed joint",
                            "joint '%s' is fixed: what it should mimic is ignored", name);
        return ISO_OK;
    }
    bool is_led = iso_model_joint(build->model, leader)->kind != ISO_JOINT_WELD;
    if (!is_led || multiplier == 0.0) {
        return hold(build, at, follower, offset,
                    is_led ? "it mimics with multiplier 0" : "it mimics a fixed joint");
    }
    ISO_SCENE_TRY(iso_scene_format(build, &coupler.name, "%s_mimics", name));
    coupler.joint_a = leader;
    coupler.joint_b = follower;
    coupler.ratio = multiplier;
    coupler.offset = offset;
    iso_scene_free_follower(build, at, &coupler);
    return iso_scene_add_coupler(build, at, &coupler);
}

iso_status iso_scene_add_constraint(iso_scene_build* build, iso_source at,
                                    const iso_constraint_desc* desc) {
    iso_constraint_desc constraint = *desc;
    ISO_SCENE_TRY(iso_scene_source_text(build, at, &constraint.source));
    iso_status status = iso_model_add_constraint(build->model, &constraint, NULL);
    return status == ISO_OK ? ISO_OK : iso_scene_fail_at(build, at, status);
}
