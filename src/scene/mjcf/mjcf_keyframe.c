// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/mjcf/mjcf.h"

#include "base/core/log.h"
#include "base/core/text.h"
#include "math/limits.h"

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
    u = law->dynamics == ISO_MJCF_LAGGED ? iso_clamp(u, law->act_range[0], law->act_range[1]) : u;
    double unit = law->gear; // of what is commanded, per force
    if (law->damping != 0.0) {
        if (u < 0.0) {
            iso_scene_warn_once(build, (iso_source){reader->path, 1}, actuator->name,
                                "actuator '%s': a damper whose control is %g pushes along the "
                                "velocity, expected >= 0: it is left without force",
                                actuator->name, u);
        }
        actuator->kd = law->damping * law->gear * law->gear * fmax(u, 0.0);
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

// --- numbers of a keyframe -----------------------------------------------------------------------

// Numbers of an attribute, NULL when absent. One that has too few goes on as the model is without
// it, as in MuJoCo.
// @param usual  [expected]; NULL: all 0
static iso_status read_state(const iso_mjcf_reader* reader, const xmlNode* key, const char* name,
                             int expected, const double* usual, double** out_values) {
    iso_scene_build* build = reader->build;
    const char* text = NULL;
    double* given = NULL;
    int count = 0;
    *out_values = NULL;
    ISO_SCENE_TRY(iso_xml_attribute(build, key, name, &text));
    ISO_SCENE_TRY(iso_mjcf_parse_list(reader, key, name, text ? text : "", &given, &count));
    ISO_SCENE_REQUIRE(build, iso_xml_source(key), count <= expected, ISO_ERR_PARSE,
                      "<key>: %s has %d numbers, expected %s%d", name, count,
                      expected > 0 ? "at most " : "", expected);
    if (count == 0) {
        return ISO_OK;
    }
    double* values = iso_arena_push_array(&build->arena, expected, sizeof *values);
    ISO_REQUIRE(build->ctx, values, ISO_ERR_MEMORY, "keyframe of %d numbers", expected);
    for (int i = 0; i < expected; ++i) {
        values[i] = i < count ? given[i] : usual ? usual[i] : 0.0;
    }
    *out_values = values;
    return ISO_OK;
}

static void write_pose(const iso_pose* x, double* p, double* q) {
    iso_quat turn = iso_quat_from_mat3(&x->r);
    const double numbers[] = {x->p.x, x->p.y, x->p.z, turn.w, turn.x, turn.y, turn.z};
    memcpy(p, numbers, 3 * sizeof *p);
    memcpy(q, numbers + 3, 4 * sizeof *q);
}

// How many numbers there are of each, and what they are in the pose of the file.
typedef struct state_shape {
    int q_count, v_count, mocap_count;
    double *q, *mocap_p, *mocap_q;
} state_shape;

static iso_status measure_state(const iso_mjcf_reader* reader, state_shape* out) {
    iso_scene_build* build = reader->build;
    state_shape shape = {0};
    for (int i = 0; i < reader->joints.count; ++i) {
        shape.q_count += position_count(reader->joints.data[i].type);
        shape.v_count += velocity_count(reader->joints.data[i].type);
    }
    for (int i = 0; i < reader->bodies.count; ++i) {
        shape.mocap_count += reader->bodies.data[i].is_mocap;
    }
    size_t count = (size_t)shape.q_count + 7 * (size_t)shape.mocap_count + 1;
    double* next = iso_arena_push(&build->arena, count * sizeof *next);
    ISO_REQUIRE(build->ctx, next, ISO_ERR_MEMORY, "state of %zu numbers", count);
    shape.q = next;
    shape.mocap_p = shape.q + shape.q_count;
    shape.mocap_q = shape.mocap_p + 3 * shape.mocap_count;
    *out = shape;
    for (int i = 0; i < reader->joints.count; ++i) {
        const iso_mjcf_joint* joint = &reader->joints.data[i];
        next[0] = joint->type == ISO_MJCF_BALL ? 1.0 : joint->ref;
        if (joint->type == ISO_MJCF_BALL) {
            next[1] = next[2] = next[3] = 0.0;
        } else if (joint->type == ISO_MJCF_FREE) {
            write_pose(&reader->bodies.data[joint->owner].x_wb, next, next + 3);
        }
        next += position_count(joint->type);
    }
    for (int i = 0, k = 0; i < reader->bodies.count; ++i) {
        if (reader->bodies.data[i].is_mocap) {
            write_pose(&reader->bodies.data[i].x_wb, out->mocap_p + 3 * k, out->mocap_q + 4 * k);
            ++k;
        }
    }
    return ISO_OK;
}

// All that a keyframe may say; NULL where it says nothing.
typedef struct key_state {
    double *q, *v, *controls, *activations, *mocap_p, *mocap_q;
} key_state;

static iso_status read_key(const iso_mjcf_reader* reader, const xmlNode* key,
                           const state_shape* shape, key_state* out) {
    static const char* const known[] = {"name", "time", "qpos",  "qvel", "ctrl",
                                        "act",  "mpos", "mquat", NULL};
    iso_xml_warn_attributes(reader->build, key, known);
    *out = (key_state){0};
    ISO_SCENE_TRY(read_state(reader, key, "qpos", shape->q_count, shape->q, &out->q));
    ISO_SCENE_TRY(read_state(reader, key, "qvel", shape->v_count, NULL, &out->v));
    ISO_SCENE_TRY(
        read_state(reader, key, "mpos", 3 * shape->mocap_count, shape->mocap_p, &out->mocap_p));
    ISO_SCENE_TRY(
        read_state(reader, key, "mquat", 4 * shape->mocap_count, shape->mocap_q, &out->mocap_q));
    ISO_SCENE_TRY(read_state(reader, key, "ctrl", reader->actuators.count, NULL, &out->controls));
    return reader->activation_count < 0
               ? ISO_OK
               : read_state(reader, key, "act", reader->activation_count, NULL, &out->activations);
}

// --- the start -----------------------------------------------------------------------------------

// mpos and mquat: where the mocap bodies are. They hang on welds to the world.
static iso_status place_mocaps(iso_mjcf_reader* reader, const xmlNode* key, const double* p,
                               const double* q) {
    iso_scene_build* build = reader->build;
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
static iso_status start_actuators(iso_mjcf_reader* reader, const key_state* state) {
    for (int i = 0; i < reader->actuators.count; ++i) {
        const iso_mjcf_actuator* law = &reader->actuators.data[i];
        double u = state->controls ? state->controls[i] : 0.0;
        double act =
            state->activations && law->activation >= 0 ? state->activations[law->activation] : 0.0;
        const double* range = law->control_range;
        bool is_told = state->controls || state->activations || law->bias[0] != 0.0 ||
                       range[0] > 0.0 || range[1] < 0.0; // which 0 is brought into
        if (law->actuator >= 0 && is_told) {
            ISO_SCENE_TRY(add_command(reader, law, u, act));
        }
    }
    return ISO_OK;
}

static iso_status apply_keyframe(iso_mjcf_reader* reader, const xmlNode* key,
                                 const key_state* state) {
    if (state->q) {
        ISO_SCENE_TRY(set_positions(reader, key, state->q));
    }
    if (state->v) {
        ISO_SCENE_TRY(set_velocities(reader, key, state->v));
    }
    return place_mocaps(reader, key, state->mocap_p, state->mocap_q);
}

typedef struct key_list {
    ISO_ARRAY(const xmlNode*) nodes;
    ISO_ARRAY(const char*) names; ///< "" for none
} key_list;

static iso_status list_keys(const iso_mjcf_reader* reader, key_list* list) {
    iso_scene_build* build = reader->build;
    for (int i = 0; i < reader->sections.count; ++i) {
        const xmlNode* section = reader->sections.data[i];
        const xmlNode* key = iso_xml_is(section, "keyframe") ? iso_xml_first(section) : NULL;
        for (; key; key = iso_xml_next(key)) {
            const char* name = NULL;
            if (!iso_xml_is(key, "key")) {
                static const char* const known[] = {"key", NULL};
                iso_xml_warn_unsupported(build, key, known);
                continue;
            }
            ISO_SCENE_TRY(iso_xml_attribute(build, key, "name", &name));
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &list->nodes));
            ISO_SCENE_TRY(ISO_ARRAY_GROW(build->ctx, &list->names));
            list->nodes.data[list->nodes.count++] = key;
            list->names.data[list->names.count++] = name ? name : "";
        }
    }
    return ISO_OK;
}

// By name, else by number; -1 when nothing was asked for.
static iso_status find_key(const iso_mjcf_reader* reader, const key_list* list, int* out_index) {
    iso_scene_build* build = reader->build;
    iso_source at = {reader->path, 0};
    const char* wanted = reader->keyframe;
    iso_name_list names = iso_name_list_of(list->names.data, list->names.count);
    *out_index = wanted ? iso_name_list_find(&names, wanted) : -1;
    if (!wanted || *out_index >= 0) {
        return ISO_OK;
    }
    double number = -1.0;
    bool is_number = *wanted && iso_text_to_double(wanted, &number) && number == floor(number);
    ISO_SCENE_REQUIRE(build, at, list->nodes.count > 0, ISO_ERR_NOT_FOUND,
                      "the start is to be keyframe '%.80s', but the model has no <key>", wanted);
    if (!is_number) {
        return iso_scene_fail_missing(build, at, &names, "keyframe", wanted);
    }
    ISO_SCENE_REQUIRE(build, at, number >= 0.0 && number < list->nodes.count, ISO_ERR_NOT_FOUND,
                      "the start is to be keyframe %g, expected 0 to %d or a name", number,
                      list->nodes.count - 1);
    *out_index = (int)number;
    return ISO_OK;
}

static iso_status start_at(iso_mjcf_reader* reader, const key_list* list) {
    state_shape shape;
    key_state state = {0};
    int chosen = -1;
    ISO_SCENE_TRY(measure_state(reader, &shape));
    ISO_SCENE_TRY(find_key(reader, list, &chosen));
    for (int i = 0; i < list->nodes.count; ++i) {
        ISO_SCENE_TRY(read_key(reader, list->nodes.data[i], &shape, &state));
    }
    if (chosen < 0) {
        state = (key_state){0};
        if (list->nodes.count > 0) {
            iso_source at = iso_xml_source(list->nodes.data[0]);
            iso_log(reader->build->ctx, ISO_LOG_INFO,
                    "%s:%d: the start is the pose of the file, not this keyframe; --keyframe "
                    "NAME|INDEX takes one",
                    at.file, at.line);
        }
        return start_actuators(reader, &state);
    }
    const xmlNode* key = list->nodes.data[chosen];
    ISO_SCENE_TRY(read_key(reader, key, &shape, &state));
    ISO_SCENE_TRY(apply_keyframe(reader, key, &state));
    return start_actuators(reader, &state);
}

iso_status iso_mjcf_read_keyframes(iso_mjcf_reader* reader) {
    key_list list = {0};
    iso_status status = list_keys(reader, &list);
    if (status == ISO_OK) {
        status = start_at(reader, &list);
    }
    ISO_ARRAY_FREE(reader->build->ctx, &list.nodes);
    ISO_ARRAY_FREE(reader->build->ctx, &list.names);
    return status;
}
