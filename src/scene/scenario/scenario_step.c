// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "scene/scenario/scenario_program.h"

#include "scene/text/csv.h"

#include <math.h>
#include <string.h>

// profile, relative: what both kinds of motions have.
static iso_status read_common(const iso_program_reader* reader, const iso_yaml_node* node,
                              iso_program_step* step) {
    int profile = (int)step->profile;
    ISO_SCENE_TRY(iso_yaml_get_name(reader->build, node, "profile", ISO_NAMES_PROFILE, &profile));
    step->profile = (iso_profile)profile;
    return iso_yaml_get_bool(reader->build, node, "relative", &step->is_relative);
}

static iso_status new_keyframes(const iso_program_reader* reader, int count, iso_program_step* step,
                                iso_keyframe** out_keyframes) {
    void* memory = NULL;
    ISO_SCENE_TRY(iso_program_memory(reader->build, count, sizeof(iso_keyframe), &memory));
    step->keyframe_count = count;
    step->keyframes = *out_keyframes = memory;
    return ISO_OK;
}

static iso_status read_time(const iso_program_reader* reader, const iso_yaml_node* node,
                            const char* key, double before, double* out_time) {
    iso_yaml_node* time = NULL;
    ISO_SCENE_TRY(iso_yaml_require(reader->build, node, "a motion", key, &time));
    ISO_SCENE_TRY(iso_yaml_number(reader->build, time, key, out_time));
    ISO_SCENE_REQUIRE(reader->build, time->source, *out_time > before, ISO_ERR_RANGE,
                      "%s is %g s, expected > %g", key, *out_time, before);
    return ISO_OK;
}

// Either {VALUE, duration} or {keyframes: [{time, VALUE}]}: the mappings and their times.
static iso_status read_frames(const iso_program_reader* reader, const iso_yaml_node* node,
                              const char* key, iso_program_step* step, iso_keyframe** out_keyframes,
                              const iso_yaml_node** out_list) {
    const char* known[] = {"time", key, NULL};
    iso_scene_build* build = reader->build;
    const iso_yaml_node* list = iso_yaml_get(node, "keyframes");
    const iso_yaml_node* single = iso_yaml_get(node, key);
    ISO_SCENE_REQUIRE(build, node->source, (list != NULL) != (single != NULL), ISO_ERR_PARSE,
                      "a motion needs either %s and duration, or keyframes", key);
    *out_list = list;
    if (single) {
        ISO_SCENE_TRY(new_keyframes(reader, 1, step, out_keyframes));
        return read_time(reader, node, "duration", 0.0, &(*out_keyframes)[0].time);
    }
    ISO_SCENE_TRY(iso_yaml_check_sequence(build, list, "keyframes"));
    ISO_SCENE_REQUIRE(build, list->source, list->count > 0, ISO_ERR_PARSE, "keyframes is empty");
    ISO_SCENE_REQUIRE(build, list->source, !iso_yaml_get(node, "duration"), ISO_ERR_PARSE,
                      "a motion with keyframes has no duration: each keyframe has its time");
    ISO_SCENE_TRY(new_keyframes(reader, list->count, step, out_keyframes));
    for (int i = 0; i < list->count; ++i) {
        double before = i > 0 ? (*out_keyframes)[i - 1].time : 0.0;
        ISO_SCENE_REQUIRE(build, list->children[i]->source,
                          list->children[i]->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                          "a keyframe is not a mapping {time, %s}", key);
        ISO_SCENE_TRY(iso_yaml_check_mapping(build, list->children[i], "a keyframe", known));
        ISO_SCENE_TRY(
            read_time(reader, list->children[i], "time", before, &(*out_keyframes)[i].time));
    }
    return ISO_OK;
}

// --- joints --------------------------------------------------------------------------------------

// {file: FILE.csv}: the first column is the time, the others are called as joints.
static iso_status read_joint_file(const iso_program_reader* reader, const iso_yaml_node* file,
                                  iso_program_step* step, bool* is_kept) {
    iso_scene_build* build = reader->build;
    const char* uri = NULL;
    iso_csv csv;
    iso_keyframe* keyframes = NULL;
    void* memory = NULL;
    int n = reader->joint_count;
    ISO_SCENE_TRY(iso_yaml_text(build, file, "file", &uri));
    ISO_SCENE_TRY(iso_csv_read(build, file->source, uri, &csv));
    iso_source names_at = {csv.path, csv.names ? csv.name_line : 1};
    ISO_SCENE_REQUIRE(build, names_at, csv.names && csv.column_count > 1, ISO_ERR_PARSE,
                      "the first line must name the columns: time, then joints");
    ISO_SCENE_TRY(iso_csv_check_rising(build, &csv, 0));
    iso_source first_at = {csv.path, csv.lines[0]};
    iso_source last_at = {csv.path, csv.lines[csv.row_count - 1]};
    ISO_SCENE_REQUIRE(build, first_at, csv.values[0] >= 0.0, ISO_ERR_RANGE,
                      "the first time is %g s, expected >= 0", csv.values[0]);
    ISO_SCENE_REQUIRE(build, last_at, csv.values[(csv.row_count - 1) * csv.column_count] > 0.0,
                      ISO_ERR_RANGE, "the last time is %g s, expected > 0",
                      csv.values[(csv.row_count - 1) * csv.column_count]);
    ISO_SCENE_TRY(new_keyframes(reader, csv.row_count, step, &keyframes));
    ISO_SCENE_TRY(iso_program_memory(build, csv.row_count * n, sizeof(double), &memory));
    double* positions = memory;
    for (int i = 0; i < n; ++i) {
        is_kept[i] = true;
    }
    for (int c = 1; c < csv.column_count; ++c) {
        int joint = 0;
        ISO_SCENE_TRY(iso_program_find_joint(reader, names_at, csv.names[c], &joint));
        is_kept[joint] = false;
        for (int k = 0; k < step->keyframe_count; ++k) {
            positions[k * n + joint] = csv.values[k * csv.column_count + c];
        }
    }
    for (int k = 0; k < step->keyframe_count; ++k) {
        keyframes[k].time = csv.values[k * csv.column_count];
        keyframes[k].positions = positions + k * n;
    }
    return ISO_OK;
}

static iso_status read_joint_keyframes(const iso_program_reader* reader, const iso_yaml_node* node,
                                       iso_program_step* step, bool* is_kept) {
    iso_scene_build* build = reader->build;
    iso_keyframe* keyframes = NULL;
    const iso_yaml_node* list = NULL;
    int n = reader->joint_count;
    ISO_SCENE_TRY(read_frames(reader, node, "positions", step, &keyframes, &list));
    for (int k = 0; k < step->keyframe_count; ++k) {
        iso_yaml_node* values = NULL;
        void* memory = NULL;
        bool is_missing[64];
        ISO_SCENE_TRY(iso_yaml_require(build, list ? list->children[k] : node, "a keyframe",
                                       "positions", &values));
        ISO_SCENE_TRY(iso_program_memory(build, n, sizeof(double), &memory));
        ISO_SCENE_TRY(iso_program_read_values(reader, values, "positions", memory, is_missing));
        ISO_SCENE_REQUIRE(build, values->source,
                          k == 0 || memcmp(is_missing, is_kept, (size_t)n * sizeof *is_kept) == 0,
                          ISO_ERR_PARSE, "the keyframes of a motion must name the same joints");
        memcpy(is_kept, is_missing, (size_t)n * sizeof *is_kept);
        keyframes[k].positions = memory;
    }
    return ISO_OK;
}

static iso_status read_move_joints(const iso_program_reader* reader, const iso_yaml_node* node,
                                   iso_program_step* step) {
    static const char* const known[] = {"positions", "duration", "keyframes", "file",
                                        "profile",   "relative", NULL};
    iso_scene_build* build = reader->build;
    const iso_yaml_node* file = iso_yaml_get(node, "file");
    void* is_kept = NULL;
    step->motion = ISO_MOTION_JOINTS;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "move_joints", known));
    ISO_SCENE_TRY(read_common(reader, node, step));
    ISO_SCENE_TRY(iso_program_memory(build, reader->joint_count, sizeof(bool), &is_kept));
    step->is_kept = is_kept;
    if (!file) {
        return read_joint_keyframes(reader, node, step, is_kept);
    }
    ISO_SCENE_REQUIRE(build, node->source,
                      !iso_yaml_get(node, "positions") && !iso_yaml_get(node, "keyframes") &&
                          !iso_yaml_get(node, "duration"),
                      ISO_ERR_PARSE,
                      "a motion from a file has no positions, keyframes or duration");
    return read_joint_file(reader, file, step, is_kept);
}

// --- frames --------------------------------------------------------------------------------------

static iso_status read_frame_keyframes(const iso_program_reader* reader, const iso_yaml_node* node,
                                       iso_program_step* step) {
    iso_scene_build* build = reader->build;
    iso_keyframe* keyframes = NULL;
    const iso_yaml_node* list = NULL;
    ISO_SCENE_TRY(read_frames(reader, node, "pose", step, &keyframes, &list));
    int base_body = ISO_WORLD_BODY;
    for (int k = 0; k < step->keyframe_count; ++k) {
        iso_yaml_node* pose = NULL;
        iso_scene_frame base;
        iso_pose x;
        ISO_SCENE_TRY(
            iso_yaml_require(build, list ? list->children[k] : node, "a keyframe", "pose", &pose));
        ISO_SCENE_TRY(iso_scenario_read_pose(build, pose, "pose", "", &base, &x));
        ISO_SCENE_REQUIRE(build, pose->source, k == 0 || base.body == base_body, ISO_ERR_PARSE,
                          "the keyframes of a motion must have the same base_frame");
        base_body = base.body;
        // R is the body's own frame.
        keyframes[k].x_rt = step->is_relative ? x : iso_pose_mul(&base.x_bf, &x);
    }
    const char* name = iso_model_body(build->model, base_body)->name;
    return iso_program_text(build, name, &step->base);
}

static iso_status read_move_frame(const iso_program_reader* reader, const iso_yaml_node* node,
                                  iso_program_step* step) {
    static const char* const known[] = {
        "frame",    "pose",   "duration",        "keyframes",          "profile",
        "relative", "follow", "position_weight", "orientation_weight", NULL};
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    iso_scene_frame frame;
    step->motion = ISO_MOTION_FRAME;
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "move_frame", known));
    ISO_SCENE_TRY(read_common(reader, node, step));
    ISO_SCENE_TRY(iso_yaml_require_text(build, node, "move_frame", "frame", &name));
    ISO_SCENE_TRY(iso_scene_require_frame(build, node->source, name, &frame));
    ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "follow", &step->is_following));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "position_weight", 0.0, false, 1e5,
                                      &step->position_weight));
    ISO_SCENE_TRY(iso_yaml_get_ranged(build, node, "orientation_weight", 0.0, false, 1e5,
                                      &step->orientation_weight));
    step->x_bt = frame.x_bf;
    ISO_SCENE_TRY(
        iso_program_text(build, iso_model_body(build->model, frame.body)->name, &step->body));
    return read_frame_keyframes(reader, node, step);
}

// --- steps ---------------------------------------------------------------------------------------

static iso_status read_effort(const iso_program_reader* reader, const iso_yaml_node* node,
                              iso_program_step* step) {
    void *efforts = NULL, *is_kept = NULL;
    step->motion = ISO_MOTION_EFFORT;
    ISO_SCENE_TRY(iso_program_memory(reader->build, reader->joint_count, sizeof(double), &efforts));
    ISO_SCENE_TRY(iso_program_memory(reader->build, reader->joint_count, sizeof(bool), &is_kept));
    step->efforts = efforts;
    step->is_kept = is_kept;
    return iso_program_read_values(reader, node, "effort", efforts, is_kept);
}

// NAME, or {constraint, keep_offset} of what is attached.
static iso_status read_switch(const iso_program_reader* reader, const iso_yaml_node* node,
                              iso_program_switch* out_switch) {
    static const char* const known[] = {"constraint", "keep_offset", NULL};
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    if (node->kind == ISO_YAML_MAPPING && out_switch->is_on) {
        ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "attach", known));
        ISO_SCENE_TRY(iso_yaml_require_text(build, node, "attach", "constraint", &name));
        ISO_SCENE_TRY(iso_yaml_get_bool(build, node, "keep_offset", &out_switch->keeps_offset));
    } else {
        ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_SCALAR, ISO_ERR_PARSE,
                          "expected the name of a constraint, or a list of them");
        name = node->text;
    }
    return iso_program_text(build, name, &out_switch->constraint);
}

// The last switch is of no constraint that was named before.
static iso_status check_once(iso_scene_build* build, const iso_yaml_node* node,
                             const iso_program_switch* switches, int count) {
    const iso_program_switch* last = &switches[count - 1];
    for (int i = 0; i < count - 1; ++i) {
        ISO_SCENE_REQUIRE(build, node->source,
                          strcmp(switches[i].constraint, last->constraint) != 0, ISO_ERR_PARSE,
                          "constraint '%s' is named twice, expected once in attach or in detach",
                          last->constraint);
    }
    return ISO_OK;
}

// attach, then detach: one each, or lists.
static iso_status read_switches(const iso_program_reader* reader, const iso_yaml_node* node,
                                iso_program_step* step) {
    const iso_yaml_node* lists[] = {iso_yaml_get(node, "attach"), iso_yaml_get(node, "detach")};
    void* memory = NULL;
    int count = 0;
    for (int k = 0; k < 2; ++k) {
        bool is_list = lists[k] && lists[k]->kind == ISO_YAML_SEQUENCE;
        count += is_list ? lists[k]->count : lists[k] != NULL;
    }
    ISO_SCENE_TRY(iso_program_memory(reader->build, count, sizeof(iso_program_switch), &memory));
    iso_program_switch* switches = memory;
    for (int k = 0; k < 2; ++k) {
        bool is_list = lists[k] && lists[k]->kind == ISO_YAML_SEQUENCE;
        int size = is_list ? lists[k]->count : lists[k] != NULL;
        for (int i = 0; i < size; ++i) {
            iso_program_switch* next = &switches[step->switch_count++];
            *next = (iso_program_switch){.is_on = k == 0};
            const iso_yaml_node* own = is_list ? lists[k]->children[i] : lists[k];
            ISO_SCENE_TRY(read_switch(reader, own, next));
            ISO_SCENE_TRY(check_once(reader->build, own, switches, step->switch_count));
        }
    }
    step->switches = switches;
    return ISO_OK;
}

iso_status iso_program_read_step(const iso_program_reader* reader, const iso_yaml_node* node,
                                 iso_program_step* out_step) {
    static const char* const known[] = {"name",       "move_joints", "move_frame", "effort",
                                        "duration",   "until",       "hold_time",  "timeout",
                                        "on_timeout", "attach",      "detach",     NULL};
    iso_scene_build* build = reader->build;
    const char* name = NULL;
    *out_step = iso_program_step_default();
    ISO_SCENE_REQUIRE(build, node->source, node->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                      "a step is not a mapping");
    ISO_SCENE_TRY(iso_yaml_check_mapping(build, node, "a step", known));
    ISO_SCENE_TRY(iso_yaml_get_text(build, node, "name", &name));
    if (name) {
        ISO_SCENE_TRY(iso_program_text(build, name, &out_step->name));
    }
    const iso_yaml_node* joints = iso_yaml_get(node, "move_joints");
    const iso_yaml_node* frame = iso_yaml_get(node, "move_frame");
    const iso_yaml_node* effort = iso_yaml_get(node, "effort");
    const iso_yaml_node* duration = iso_yaml_get(node, "duration");
    int count = (joints != NULL) + (frame != NULL) + (effort != NULL);
    ISO_SCENE_REQUIRE(build, node->source, count <= 1, ISO_ERR_PARSE,
                      "a step has one of move_joints, move_frame, effort");
    bool has_switches = iso_yaml_get(node, "attach") || iso_yaml_get(node, "detach");
    bool has_end = count == 1 || duration || iso_yaml_get(node, "until");
    ISO_SCENE_REQUIRE(build, node->source, has_end || has_switches, ISO_ERR_PARSE,
                      "a step needs move_joints, move_frame, effort, duration, until, attach or "
                      "detach");
    ISO_SCENE_REQUIRE(build, node->source, !duration || (!joints && !frame), ISO_ERR_PARSE,
                      "the duration of a motion stands beside its pose or positions");
    ISO_SCENE_TRY(
        iso_yaml_get_ranged(build, node, "duration", 0.0, false, 1e9, &out_step->duration));
    if (joints || frame) {
        const iso_yaml_node* motion = joints ? joints : frame;
        ISO_SCENE_REQUIRE(build, motion->source, motion->kind == ISO_YAML_MAPPING, ISO_ERR_PARSE,
                          "%s is not a mapping", joints ? "move_joints" : "move_frame");
        ISO_SCENE_TRY(joints ? read_move_joints(reader, motion, out_step)
                             : read_move_frame(reader, motion, out_step));
    } else if (effort) {
        ISO_SCENE_TRY(read_effort(reader, effort, out_step));
    }
    ISO_SCENE_TRY(read_switches(reader, node, out_step));
    return iso_program_read_waits(reader, node, out_step);
}
