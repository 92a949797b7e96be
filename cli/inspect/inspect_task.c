// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/inspect/inspect.h"
#include "cli/parts/json_output.h"
#include "cli/parts/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// `inspect` of a scene: its frames and what it does to a world.

static const char* command_kind_name(iso_command_kind kind) {
    static const char* const k_names[] = {"effort", "position", "velocity"};
    return k_names[kind];
}

static const char* motion_name(iso_motion_kind kind) {
    static const char* const k_names[] = {"hold", "joints", "frame", "effort"};
    return k_names[kind];
}

/// Shortest time a step takes when nothing makes it wait [s].
static double step_duration(const iso_program_step* step) {
    return step->keyframe_count > 0 ? step->keyframes[step->keyframe_count - 1].time
                                    : step->duration;
}

static const char* frame_body(const iso_scene* scene, const iso_scene_frame* frame) {
    return iso_model_body(scene->model, frame->body)->name;
}

json_t* cli_json_frames(const iso_scene* scene, const iso_world* world) {
    json_t* frames = json_array();
    for (int i = 0; i < scene->frame_count; ++i) {
        const iso_scene_frame* frame = &scene->frames[i];
        iso_pose x_wf = iso_scene_frame_pose(scene, world, i);
        iso_quat q = iso_quat_from_mat3(&x_wf.r);
        json_array_append_new(frames, json_pack("{s:s,s:s,s:o,s:o,s:[f,f,f,f]}", "name",
                                                frame->name, "body", frame_body(scene, frame),
                                                "position_in_body", cli_json_vec3(frame->x_bf.p),
                                                "position", cli_json_vec3(x_wf.p),
                                                "quaternion_wxyz", q.w, q.x, q.y, q.z));
    }
    return frames;
}

json_t* cli_json_commands(const iso_scene* scene) {
    json_t* commands = json_array();
    for (int i = 0; i < scene->command_count; ++i) {
        const iso_command_desc* d = &scene->commands[i];
        json_array_append_new(commands,
                              json_pack("{s:s,s:s,s:s}", "actuator", d->actuator, "kind",
                                        command_kind_name(d->kind), "signal",
                                        iso_name_of(ISO_NAMES_SIGNAL_KIND, (int)d->signal.kind)));
    }
    return commands;
}

static json_t* conditions_json(const iso_program_step* step) {
    json_t* conditions = json_array();
    for (int i = 0; i < step->condition_count; ++i) {
        const iso_condition* c = &step->conditions[i];
        bool is_step = c->kind == ISO_CONDITION_PROGRAM && c->other;
        json_t* object = json_pack("{s:s,s:s?,s:s?}", "kind", iso_condition_key(c->kind), "name",
                                   c->name, is_step ? "step" : "other", c->other);
        if (c->kind == ISO_CONDITION_SENSOR) {
            json_object_set_new(object, "component", json_integer(c->component));
        }
        if (!is_step) {
            json_object_set_new(object, c->is_below ? "below" : "above", json_real(c->value));
        }
        json_array_append_new(conditions, object);
    }
    return conditions;
}

static json_t* step_json(const iso_program_step* step) {
    json_t* object =
        json_pack("{s:s?,s:s,s:f,s:i}", "name", step->name, "motion", motion_name(step->motion),
                  "duration", step_duration(step), "conditions", step->condition_count);
    if (step->motion == ISO_MOTION_FRAME) {
        json_object_set_new(object, "body", json_string(step->body));
    }
    json_t* lists[2] = {json_array(), json_array()}; // detach, attach
    for (int i = 0; i < step->switch_count; ++i) {
        json_array_append_new(lists[step->switches[i].is_on],
                              json_string(step->switches[i].constraint));
    }
    json_object_set_new(object, "until", conditions_json(step));
    json_object_set_new(object, "hold_time", json_real(step->hold_time));
    json_object_set_new(object, "attach", lists[1]);
    json_object_set_new(object, "detach", lists[0]);
    return object;
}

/// Name of the body or frame at which a force acts, NULL: at another pose.
static const char* force_frame(const iso_scene* scene, const iso_force_desc* d) {
    iso_pose none = iso_pose_identity();
    if (memcmp(&none, &d->x_bf, sizeof none) == 0) {
        return d->body;
    }
    for (int i = 0; i < scene->frame_count; ++i) {
        const iso_scene_frame* frame = &scene->frames[i];
        if (strcmp(frame_body(scene, frame), d->body) == 0 &&
            memcmp(&frame->x_bf, &d->x_bf, sizeof d->x_bf) == 0) {
            return frame->name;
        }
    }
    return NULL;
}

json_t* cli_json_forces(const iso_scene* scene) {
    json_t* forces = json_array();
    for (int i = 0; i < scene->force_count; ++i) {
        const iso_force_desc* d = &scene->forces[i];
        json_t* lists[] = {json_array(), json_array()};
        for (int k = 0; k < 6; ++k) {
            const iso_signal_desc* signal = k < 3 ? &d->force[k] : &d->torque[k - 3];
            json_array_append_new(lists[k / 3], signal->kind == ISO_SIGNAL_CONSTANT
                                                    ? json_real(signal->offset)
                                                    : json_string(iso_name_of(ISO_NAMES_SIGNAL_KIND,
                                                                              (int)signal->kind)));
        }
        iso_quat q = iso_quat_from_mat3(&d->x_bf.r);
        json_array_append_new(forces,
                              json_pack("{s:s,s:s?,s:o,s:[f,f,f,f],s:s,s:o,s:o}", "body", d->body,
                                        "frame", force_frame(scene, d), "position_in_body",
                                        cli_json_vec3(d->x_bf.p), "quaternion_in_body_wxyz", q.w,
                                        q.x, q.y, q.z, "axes", d->is_in_body ? "body" : "world",
                                        "force", lists[0], "torque", lists[1]));
    }
    return forces;
}

json_t* cli_json_programs(const iso_scene* scene) {
    json_t* programs = json_array();
    for (int i = 0; i < scene->program_count; ++i) {
        const iso_program_desc* d = &scene->programs[i];
        json_t* actuators = json_array();
        json_t* steps = json_array();
        for (int k = 0; k < d->actuator_count; ++k) {
            json_array_append_new(actuators, json_string(d->actuators[k]));
        }
        for (int k = 0; k < d->step_count; ++k) {
            json_array_append_new(steps, step_json(&d->steps[k]));
        }
        json_array_append_new(
            programs, json_pack("{s:s?,s:b,s:o,s:s,s:b,s:b,s:o}", "name", d->name, "is_criterion",
                                d->actuator_count == 0, "actuators", actuators, "feed_forward",
                                iso_name_of(ISO_NAMES_FEED_FORWARD, (int)d->feed_forward), "repeat",
                                (int)d->is_repeated, "stop", (int)d->ends_run, "steps", steps));
    }
    return programs;
}

json_t* cli_json_motions(const iso_scene* scene) {
    json_t* motions = json_array();
    for (int i = 0; i < scene->mover_count; ++i) {
        const iso_mover_desc* d = &scene->movers[i];
        json_t* motion = json_pack("{s:s,s:i,s:b}", "body", d->body, "poses", d->pose_count,
                                   "repeat", (int)d->is_repeated);
        if (d->pose_count > 0) {
            json_object_set_new(motion, "from", json_real(d->times[0]));
            json_object_set_new(motion, "to", json_real(d->times[d->pose_count - 1]));
        } else {
            json_object_set_new(motion, "velocity", cli_json_vec3(d->velocity.translational));
            json_object_set_new(motion, "angular_velocity", cli_json_vec3(d->velocity.rotational));
        }
        json_array_append_new(motions, motion);
    }
    return motions;
}

json_t* cli_json_events(const iso_scene* scene) {
    const iso_watch_desc* d = &scene->events;
    if (!scene->has_events) {
        return json_null();
    }
    json_t* levels = json_array();
    for (int i = 0; i < d->level_count; ++i) {
        const iso_event_level* level = &d->levels[i];
        json_array_append_new(
            levels, json_pack("{s:s,s:s,s:s,s:f,s:i}", "name", level->name, "quantity",
                              iso_name_of(ISO_NAMES_LEVEL_QUANTITY, (int)level->quantity), "of",
                              level->of, "level", level->level, "direction", level->direction));
    }
    return json_pack("{s:b,s:b,s:f,s:o}", "contacts", d->with_contacts, "slip", d->with_slip,
                     "slip_speed", d->slip_speed, "levels", levels);
}

/// Without the rounding of rotations: -1.2e-16 reads as 0.
static double tidy(double x) {
    return fabs(x) < 1e-12 ? 0.0 : x;
}

static void print_frames(const iso_scene* scene, const iso_world* world) {
    for (int i = 0; i < scene->frame_count; ++i) {
        iso_vec3 p = iso_scene_frame_pose(scene, world, i).p;
        printf("  frame    %-36s on %s, at %g %g %g\n", scene->frames[i].name,
               frame_body(scene, &scene->frames[i]), tidy(p.x), tidy(p.y), tidy(p.z));
    }
}

static void print_component(const iso_signal_desc* signal) {
    if (signal->kind == ISO_SIGNAL_CONSTANT) {
        printf(" %g", signal->offset);
    } else {
        printf(" %s", iso_name_of(ISO_NAMES_SIGNAL_KIND, (int)signal->kind));
    }
}

static void print_force(const iso_scene* scene, const iso_force_desc* d) {
    iso_quat q = iso_quat_from_mat3(&d->x_bf.r);
    const char* frame = force_frame(scene, d);
    iso_vec3 p = d->x_bf.p;
    printf("  force    on %s", d->body);
    if (!frame || strcmp(frame, d->body) != 0) {
        printf(" at %s%s%g %g %g m in it", frame ? frame : "", frame ? ", " : "", tidy(p.x),
               tidy(p.y), tidy(p.z));
    }
    printf(", axes of %s", d->is_in_body ? (frame ? frame : "its pose") : "the world");
    if (d->is_in_body && fabs(q.w) < 1.0) {
        printf(", turned by %.6g %.6g %.6g %.6g (w x y z)", tidy(q.w), tidy(q.x), tidy(q.y),
               tidy(q.z));
    }
    printf(":");
    for (int k = 0; k < 6; ++k) {
        print_component(k < 3 ? &d->force[k] : &d->torque[k - 3]);
        printf("%s", k == 2 ? " N," : "");
    }
    printf(" N m\n");
}

static void print_condition(const iso_condition* c) {
    const char* unit = iso_condition_unit(c->kind);
    bool has_name = c->name || c->kind == ISO_CONDITION_JOINT_SPEED;
    printf("%s%s%s", iso_condition_key(c->kind), has_name ? " " : "",
           c->name    ? c->name
           : has_name ? "all"
                      : "");
    if (c->kind == ISO_CONDITION_SENSOR) {
        printf("[%d]", c->component);
    }
    if (c->other) {
        printf(", %s", c->other);
    }
    if (c->kind != ISO_CONDITION_PROGRAM || !c->other) {
        printf(" %s %g%s%s", c->is_below ? "below" : "above", c->value, *unit ? " " : "", unit);
    }
}

static void print_criterion(const iso_program_desc* d) {
    printf("  criterion %s%s:", d->name, d->ends_run ? " (ends the run)" : "");
    for (int k = 0; k < d->step_count; ++k) {
        const iso_program_step* step = &d->steps[k];
        for (int i = 0; i < step->condition_count; ++i) {
            printf("%s", i > 0 ? " and " : k > 0 ? ", then " : " ");
            print_condition(&step->conditions[i]);
        }
        if (step->hold_time > 0.0) {
            printf(", for %g s", step->hold_time);
        }
    }
    printf("\n");
}

static void print_program(const iso_program_desc* d) {
    if (d->actuator_count == 0) {
        print_criterion(d);
        return;
    }
    printf("  program  %s%s%s drives", d->name, d->is_repeated ? " (repeats)" : "",
           d->ends_run ? " (ends the run)" : "");
    for (int k = 0; k < d->actuator_count; ++k) {
        printf("%s %s", k == 0 ? "" : ",", d->actuators[k]);
    }
    printf("\n");
    for (int k = 0; k < d->step_count; ++k) {
        const iso_program_step* step = &d->steps[k];
        printf("    step %d%s%s: %s", k + 1, step->name ? " " : "", step->name ? step->name : "",
               motion_name(step->motion));
        if (step->motion == ISO_MOTION_FRAME) {
            printf(" on %s", step->body);
        }
        printf(", %g s", step_duration(step));
        if (step->condition_count > 0) {
            printf(", until %d condition%s", step->condition_count,
                   step->condition_count == 1 ? " holds" : "s hold");
        }
        for (int i = 0; i < step->switch_count; ++i) {
            const iso_program_switch* s = &step->switches[i];
            printf(", %s %s%s", s->is_on ? "attaches" : "detaches", s->constraint,
                   s->keeps_offset ? " as it is" : "");
        }
        printf("\n");
    }
}

static void print_mover(const iso_mover_desc* d) {
    if (d->pose_count > 0) {
        printf("  motion   %s through %d pose%s, t = %g to %g s%s\n", d->body, d->pose_count,
               cli_plural(d->pose_count), d->times[0], d->times[d->pose_count - 1],
               d->is_repeated ? ", repeats" : "");
        return;
    }
    iso_vec3 v = d->velocity.translational, w = d->velocity.rotational;
    printf("  motion   %s at %g %g %g m/s", d->body, v.x, v.y, v.z);
    if (iso_vec3_norm_squared(w) > 0.0) {
        printf(", %g %g %g rad/s", w.x, w.y, w.z);
    }
    printf("\n");
}

static void print_events(const iso_watch_desc* d) {
    if (d->with_contacts) {
        printf("  events   contacts that begin and end\n");
    }
    if (d->with_slip) {
        printf("  events   slip that begins and ends, at %g m/s\n", d->slip_speed);
    }
    for (int i = 0; i < d->level_count; ++i) {
        const iso_event_level* level = &d->levels[i];
        printf("  event    %s: %s of %s %s %g\n", level->name,
               iso_name_of(ISO_NAMES_LEVEL_QUANTITY, (int)level->quantity), level->of,
               level->direction > 0   ? "rises through"
               : level->direction < 0 ? "falls through"
                                      : "passes",
               level->level);
    }
}

void cli_print_task(const iso_scene* scene, const iso_world* world) {
    print_frames(scene, world);
    for (int i = 0; i < scene->command_count; ++i) {
        const iso_command_desc* d = &scene->commands[i];
        printf("  command  %s of %s: %s\n", command_kind_name(d->kind), d->actuator,
               iso_name_of(ISO_NAMES_SIGNAL_KIND, (int)d->signal.kind));
    }
    for (int i = 0; i < scene->force_count; ++i) {
        print_force(scene, &scene->forces[i]);
    }
    for (int i = 0; i < scene->program_count; ++i) {
        print_program(&scene->programs[i]);
    }
    for (int i = 0; i < scene->mover_count; ++i) {
        print_mover(&scene->movers[i]);
    }
    if (scene->has_events) {
        print_events(&scene->events);
    }
}
