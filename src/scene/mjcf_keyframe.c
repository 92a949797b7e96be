// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf.h"

#include "base/log.h"
#include "math/reach.h"

#include <math.h>
#include <string.h>

static int position_count(iso_mjcf_joint_type type) {
    return type == ISO_MJCF_FREE ? 7 : type == ISO_MJCF_BALL ? 4 : 1;
}

static int velocity_count(iso_mjcf_joint_type type) {
    return type == ISO_MJCF_FREE ? 6 : type == ISO_MJCF_BALL ? 3 : 1;
}

static iso_status check_quaternion(const iso_mjcf_reader* reader, const xmlNode* key,
                                   const double* q, const char* name) {
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(key), norm > 1e-9, ISO_ERR_RANGE,
                      "<key>: the quaternion of '%s' has norm %g, expected 1", name, norm);
    return ISO_OK;
}

static iso_status check_distance(const iso_mjcf_reader* reader, const xmlNode* key,
                                 const char* name, iso_vec3 p) {
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(key), iso_vec3_norm(p) <= ISO_SCENE_MAX_LENGTH,
                      ISO_ERR_RANGE, "<key>: '%s' is %g m away, expected at most %g", name,
                      iso_vec3_norm(p), ISO_SCENE_MAX_LENGTH);
    return ISO_OK;
}

static iso_status set_free_pose(iso_mjcf_reader* reader, const xmlNode* key,
                                const iso_mjcf_joint* joint, const double* q) {
    iso_source at = iso_xml_source(key);
    iso_vec3 p = iso_vec3_make(q[0], q[1], q[2]);
    ISO_SCENE_TRY(check_quaternion(reader, key, q + 3, joint->name));
    ISO_SCENE_TRY(check_distance(reader, key, joint->name, p));
    iso_quat turn = iso_quat_normalized(iso_quat_make(q[3], q[4], q[5], q[6]));
    iso_pose x = iso_pose_from_quat(turn, p);
    iso_scene_frame world = {.name = "world", .x_bf = iso_pose_identity()};
    iso_scene_set_start(reader->build, at, joint->body, &world, &x);
    return ISO_OK;
}

static iso_status set_positions(iso_mjcf_reader* reader, const xmlNode* key, const double* q) {
    for (int i = 0; i < reader->joints.count; ++i) {
        const iso_mjcf_joint* joint = &reader->joints.data[i];
        int count = position_count(joint->type);
        if (joint->type == ISO_MJCF_FREE) {
            ISO_SCENE_TRY(set_free_pose(reader, key, joint, q));
        } else if (joint->joint >= 0) {
            ISO_SCENE_TRY(iso_scene_set_position(reader->build, iso_xml_source(key), joint->joint,
                                                 q, count, false));
        }
        q += count;
    }
    return ISO_OK;
}

// MuJoCo's angular velocities are in the body's axes, ours in the world's and the joint's.
static iso_status set_velocities(iso_mjcf_reader* reader, const xmlNode* key, const double* v) {
    iso_scene_build* build = reader->build;
    for (int i = 0; i < reader->joints.count; ++i) {
        const iso_mjcf_joint* joint = &reader->joints.data[i];
        int count = velocity_count(joint->type);
        if (joint->type == ISO_MJCF_FREE) {
            iso_scene_start* start = &build->starts.data[joint->body];
            iso_vec3 w = iso_vec3_make(v[3], v[4], v[5]);
            start->v_wb = iso_spatial_make(iso_mat3_mul_vec3(&start->x_b.r, w),
                                           iso_vec3_make(v[0], v[1], v[2]));
        } else if (joint->joint >= 0) {
            double own[3] = {v[0], 0.0, 0.0};
            if (joint->type == ISO_MJCF_BALL) {
                iso_pose x_fm =
                    iso_scene_joint_displacement(iso_model_joint(build->model, joint->joint));
                iso_vec3 w = iso_mat3_mul_vec3(&x_fm.r, iso_vec3_make(v[0], v[1], v[2]));
                own[0] = w.x;
                own[1] = w.y;
                own[2] = w.z;
            }
            ISO_SCENE_TRY(
                iso_scene_set_velocity(build, iso_xml_source(key), joint->joint, own, count));
        }
        v += count;
    }
    return ISO_OK;
}

// The activation that a control integrates, from `start` to the end of its range.
static iso_status make_ramp(iso_scene_build* build, const iso_mjcf_actuator* law, double start,
                            double rate, double factor, double offset, iso_signal_desc* signal) {
    double end = law->act_range[rate > 0.0];
    double time = fmin((end - start) / rate, ISO_SCENE_MAX_TIME);
    signal->offset = offset + factor * start;
    if (rate == 0.0 || !(time > 0.0)) {
        return ISO_OK;
    }
    double* times = iso_alloc_array(build->ctx, 2, sizeof *times);
    double* values = iso_alloc_array(build->ctx, 2, sizeof *values);
    signal->table_times = times;
    signal->table_values = values;
    signal->table_count = 2;
    signal->kind = ISO_SIGNAL_TABLE;
    ISO_REQUIRE(build->ctx, times && values, ISO_ERR_MEMORY, "table of 2 values");
    times[0] = 0.0;
    times[1] = time;
    values[0] = offset + factor * start;
    values[1] = offset + factor * (start + rate * time);
    return ISO_OK;
}

// A control and activation become what our law takes: a position, a velocity or an effort; of a
// damper its gain.
static iso_status add_command(iso_mjcf_reader* reader, const iso_mjcf_actuator* law, double control,
                              double activation) {
    iso_scene_build* build = reader->build;
    iso_actuator_desc* actuator = iso_model_actuator(build->model, law->actuator);
    iso_command_desc command = {.kind = ISO_COMMAND_EFFORT, .signal = iso_signal_desc_default()};
    double u = iso_clamp(control, law->control_range[0], law->control_range[1]);
    double act = iso_clamp(activation, law->act_range[0], law->act_range[1]);
    double unit = law->gear; // of what is commanded, per force
    if (law->damping != 0.0) {
        actuator->kd = law->damping * law->gear * law->gear * u;
        return ISO_OK;
    }
    if (law->bias[1] != 0.0) {
        command.kind = ISO_COMMAND_POSITION;
        unit = -1.0 / (law->bias[1] * law->gear);
    } else if (law->bias[2] != 0.0) {
        command.kind = ISO_COMMAND_VELOCITY;
        unit = -1.0 / (law->bias[2] * law->gear);
    }
    ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &build->commands));
    iso_status status = ISO_OK;
    if (law->dynamics == ISO_MJCF_INTEGRATED) {
        status =
            make_ramp(build, law, act, u, unit * law->gain, unit * law->bias[0], &command.signal);
    } else {
        command.signal.offset = unit * (law->gain * u + law->bias[0]);
    }
    command.actuator = iso_strdup(build->ctx, actuator->name);
    build->commands.data[build->commands.count++] = command; // owned even when incomplete
    ISO_SCENE_TRY(status);
    ISO_REQUIRE(build->ctx, command.actuator, ISO_ERR_MEMORY, "actuator name");
    status = iso_signal_check(build->ctx, &command.signal);
    return status == ISO_OK ? ISO_OK
                            : iso_scene_fail_at(build, (iso_source){reader->path, 1}, status);
}

// Numbers of an attribute, NULL when absent, as many as there must be.
static iso_status read_state(const iso_mjcf_reader* reader, const xmlNode* key, const char* name,
                             int expected, double** out_values) {
    const char* text = NULL;
    int count = 0;
    *out_values = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(reader->build, key, name, &text));
    if (!text) {
        return ISO_OK;
    }
    ISO_SCENE_TRY(iso_mjcf_parse_list(reader, key, name, text, out_values, &count));
    ISO_SCENE_REQUIRE(reader->build, iso_xml_source(key), count == expected, ISO_ERR_PARSE,
                      "<key>: %s has %d numbers, expected %d", name, count, expected);
    return ISO_OK;
}

// mpos and mquat: where the mocap bodies are. They hang on welds to the world.
static iso_status place_mocaps(iso_mjcf_reader* reader, const xmlNode* key) {
    iso_scene_build* build = reader->build;
    double* p = NULL;
    double* q = NULL;
    int count = 0;
    for (int i = 0; i < reader->bodies.count; ++i) {
        count += reader->bodies.data[i].is_mocap;
    }
    ISO_SCENE_TRY(read_state(reader, key, "mpos", 3 * count, &p));
    ISO_SCENE_TRY(read_state(reader, key, "mquat", 4 * count, &q));
    for (int i = 0; i < reader->bodies.count; ++i) {
        const iso_mjcf_body* body = &reader->bodies.data[i];
        if (!body->is_mocap) {
            continue;
        }
        iso_pose* x =
            &iso_model_joint(build->model, build->starts.data[body->body].parent_joint)->x_pf;
        if (p) {
            x->p = iso_vec3_make(p[0], p[1], p[2]);
            ISO_SCENE_TRY(check_distance(reader, key, body->name, x->p));
            p += 3;
        }
        if (q) {
            ISO_SCENE_TRY(check_quaternion(reader, key, q, body->name));
            x->r = iso_mat3_from_quat(iso_quat_normalized(iso_quat_make(q[0], q[1], q[2], q[3])));
            q += 4;
        }
    }
    return ISO_OK;
}

// Controls and activations, 0 where there is no keyframe or it says nothing.
static iso_status start_actuators(iso_mjcf_reader* reader, const xmlNode* key) {
    double *controls = NULL, *activations = NULL;
    if (key) {
        ISO_SCENE_TRY(read_state(reader, key, "ctrl", reader->actuators.count, &controls));
        if (reader->activation_count >= 0) {
            ISO_SCENE_TRY(read_state(reader, key, "act", reader->activation_count, &activations));
        }
    }
    for (int i = 0; i < reader->actuators.count; ++i) {
        const iso_mjcf_actuator* law = &reader->actuators.data[i];
        double u = controls ? controls[i] : 0.0;
        double act = activations && law->activation >= 0 ? activations[law->activation] : 0.0;
        bool is_told = controls || activations || law->bias[0] != 0.0;
        if (law->actuator >= 0 && is_told) {
            ISO_SCENE_TRY(add_command(reader, law, u, act));
        }
    }
    return ISO_OK;
}

static iso_status apply_keyframe(iso_mjcf_reader* reader, const xmlNode* key) {
    static const char* const known[] = {"name", "qpos", "qvel",  "ctrl",
                                        "act",  "mpos", "mquat", NULL};
    double* values = NULL;
    int q_count = 0, v_count = 0;
    for (int i = 0; i < reader->joints.count; ++i) {
        q_count += position_count(reader->joints.data[i].type);
        v_count += velocity_count(reader->joints.data[i].type);
    }
    iso_xml_warn_attributes(reader->build, key, known);
    ISO_SCENE_TRY(read_state(reader, key, "qpos", q_count, &values));
    if (values) {
        ISO_SCENE_TRY(set_positions(reader, key, values));
    }
    ISO_SCENE_TRY(read_state(reader, key, "qvel", v_count, &values));
    if (values) {
        ISO_SCENE_TRY(set_velocities(reader, key, values));
    }
    ISO_SCENE_TRY(place_mocaps(reader, key));
    return start_actuators(reader, key);
}

iso_status iso_mjcf_read_keyframes(iso_mjcf_reader* reader) {
    const xmlNode* chosen = NULL;
    const char* chosen_name = NULL;
    bool is_home = false;
    for (int i = 0; i < reader->sections.count; ++i) {
        const xmlNode* section = reader->sections.data[i];
        if (!iso_xml_is(section, "keyframe")) {
            continue;
        }
        for (const xmlNode* key = iso_xml_first(section); key; key = iso_xml_next(key)) {
            const char* name = NULL;
            ISO_SCENE_TRY(iso_xml_attribute(reader->build, key, "name", &name));
            bool is_named_home = name && strcmp(name, "home") == 0;
            if (!chosen || (is_named_home && !is_home)) {
                chosen = key;
                chosen_name = name;
                is_home = is_named_home;
            }
        }
    }
    if (!chosen) {
        return start_actuators(reader, NULL);
    }
    iso_source at = iso_xml_source(chosen);
    iso_log(reader->build->ctx, ISO_LOG_INFO, "%s:%d: the start is %s%s%s", at.file, at.line,
            chosen_name ? "keyframe '" : "this keyframe", chosen_name ? chosen_name : "",
            chosen_name ? "'" : "");
    return apply_keyframe(reader, chosen);
}
