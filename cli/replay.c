// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/parts/json_output.h"
#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include <stdio.h>
#include <string.h>

/// How far a body or a joint is from where the recording has it.
typedef struct difference {
    const char* what;     ///< "body" or "joint"; NULL: nothing differs
    const char* name;     ///<
    const char* quantity; ///< of what
    const char* unit;
    double size;
} difference;

/// What a replay found.
typedef struct replay_report {
    int compared_count; ///< hashes
    bool has_difference;
    int64_t step;        ///< the first that differs
    double time;         ///< after it [s]
    bool has_frame;      ///< a frame says what differs
    int64_t frame_step;  ///< first frame at or after that step
    double frame_time;   ///< [s]
    difference worst;    ///<
    uint64_t final_hash; ///<
    double until;        ///< what the scene asks for [s]; 0: nothing
    const char* failure; ///< what of the recording an error is about
} replay_report;

static void keep_worst(difference* worst, const char* what, const char* name, const char* quantity,
                       const char* unit, double size) {
    if (size > worst->size || (worst->what == NULL && size > 0.0)) {
        *worst = (difference){what, name, quantity, unit, size};
    }
}

/// Largest difference of a frame; positions before velocities, bodies before joints. Rotations are
/// rounded when they are recorded.
static difference compare_frame(const iso_world* world, const iso_recorded_frame* frame) {
    static const double k_rounding = 1e-14;
    difference worst = {0}, turn = {0}, joint = {0}, motion = {0};
    for (int b = 0; b < iso_world_body_count(world); ++b) {
        const char* name = iso_world_body_name(world, b);
        iso_pose x = iso_world_body_pose(world, b);
        iso_spatial v = iso_world_body_twist(world, b);
        double angle = 0.0;
        for (int i = 0; i < 9; ++i) {
            angle = fmax(angle, fabs(x.r.m[i / 3][i % 3] - frame->poses[b].r.m[i / 3][i % 3]));
        }
        keep_worst(&worst, "body", name, "position", "m",
                   iso_vec3_norm(iso_vec3_sub(x.p, frame->poses[b].p)));
        keep_worst(&turn, "body", name, "rotation", "rad", angle > k_rounding ? angle : 0.0);
        keep_worst(&motion, "body", name, "velocity", "m/s",
                   iso_vec3_norm(iso_vec3_sub(v.translational, frame->twists[b].translational)));
        keep_worst(&motion, "body", name, "angular velocity", "rad/s",
                   iso_vec3_norm(iso_vec3_sub(v.rotational, frame->twists[b].rotational)));
    }
    for (int j = 0; j < iso_world_joint_count(world); ++j) {
        keep_worst(&joint, "joint", iso_world_joint_name(world, j), "position", "rad or m",
                   fabs(iso_world_joint_position(world, j) - frame->joint_positions[j]));
    }
    const difference* order[] = {&worst, &turn, &joint, &motion};
    for (int i = 0; i < 4; ++i) {
        if (order[i]->what != NULL) {
            return *order[i];
        }
    }
    return worst;
}

/// Frames and hashes of a recording beside the world that runs again.
typedef struct replay_run {
    iso_recording* recording;
    const iso_recorded_model* model;
    const iso_recorded_hash* hashes;
    int hash_count;
    iso_world* world;
    iso_task* task;
    iso_sensors* sensors; ///< that the task may wait for
} replay_run;

static iso_status step_to(replay_run* run, int64_t step) {
    iso_status status = ISO_OK;
    while (status == ISO_OK && iso_world_step_count(run->world) < step) {
        status = iso_task_step(run->task, run->world);
    }
    return status;
}

/// Is a frame the state after a step, not one within a step?
static bool ends_a_step(const replay_run* run, const iso_recorded_frame* frame) {
    bool is_state = false;
    for (int i = 0; i < run->hash_count && !is_state; ++i) {
        is_state = run->hashes[i].step_count == frame->step_count &&
                   run->hashes[i].state_hash == frame->state_hash;
    }
    return is_state;
}

/// Find the first frame at or after the step, go there and compare.
static iso_status explain(replay_run* run, replay_report* report) {
    const iso_recorded_frame* frame = NULL;
    int count = iso_recording_frame_count(run->recording);
    iso_status status = ISO_OK;
    for (int i = 0; i < count && status == ISO_OK && !report->has_frame; ++i) {
        status = iso_recording_read(run->recording, i, &frame);
        report->has_frame =
            status == ISO_OK && frame->step_count >= report->step && ends_a_step(run, frame);
    }
    if (status != ISO_OK || !report->has_frame ||
        run->model->body_count != iso_world_body_count(run->world) ||
        run->model->joint_count != iso_world_joint_count(run->world)) {
        report->has_frame = false;
        return status;
    }
    report->frame_step = frame->step_count;
    report->frame_time = frame->time;
    status = step_to(run, frame->step_count);
    if (status == ISO_OK) {
        report->worst = compare_frame(run->world, frame);
    }
    return status;
}

static iso_status compare(replay_run* run, replay_report* report) {
    iso_status status = ISO_OK;
    for (int i = 0; i < run->hash_count && status == ISO_OK && !report->has_difference; ++i) {
        status = step_to(run, run->hashes[i].step_count);
        if (status != ISO_OK) {
            break;
        }
        ++report->compared_count;
        report->step = run->hashes[i].step_count;
        report->time = iso_world_time(run->world);
        report->final_hash = iso_world_state_hash(run->world);
        report->has_difference = iso_world_step_count(run->world) != report->step ||
                                 report->final_hash != run->hashes[i].state_hash;
    }
    return status == ISO_OK && report->has_difference ? explain(run, report) : status;
}

/// Does the scene ask for other settings than the recording has?
static bool has_other_settings(const iso_world_desc* a, const iso_world_desc* b) {
    const iso_contact_options *x = &a->contact, *y = &b->contact;
    return a->time_step != b->time_step || a->method != b->method || a->accuracy != b->accuracy ||
           a->error_control != b->error_control || a->max_substeps != b->max_substeps ||
           a->initial_step != b->initial_step || a->max_step != b->max_step ||
           iso_vec3_norm(iso_vec3_sub(a->gravity, b->gravity)) != 0.0 ||
           x->representation != y->representation || x->cull != y->cull ||
           x->combine != y->combine || x->regularization != y->regularization ||
           x->damping != y->damping || x->rigid_layer_thickness != y->rigid_layer_thickness ||
           x->rigid_layer_modulus != y->rigid_layer_modulus ||
           x->stiction_velocity != y->stiction_velocity || x->friction != y->friction ||
           x->friction_stiffness != y->friction_stiffness || x->friction_law != y->friction_law ||
           x->friction_damping_time != y->friction_damping_time || x->brush_size != y->brush_size ||
           x->model != y->model;
}

/// Load the scene, put the world where the recording starts, run it.
static iso_status replay(cli_session* session, replay_run* run, iso_scene* scene,
                         replay_report* report) {
    iso_status status =
        iso_scene_load(session->ctx, run->model->scene_path, &run->model->scene_options, scene);
    report->failure = status == ISO_OK ? "" : "its scene cannot be read: ";
    report->until = status == ISO_OK ? scene->until : 0.0;
    if (status == ISO_OK && has_other_settings(&scene->world, &run->model->settings)) {
        cli_warning("%s asks for other settings (simulation) by now; those of the "
                    "recording are used\n",
                    run->model->scene_path);
    }
    if (status == ISO_OK) {
        // Those it ran with: a program may have changed what the scene asks for.
        status = iso_world_create(session->ctx, scene->model, &run->model->settings, &run->world);
    }
    if (status == ISO_OK) {
        status = iso_scene_create_task(scene, run->world, &run->task);
    }
    if (status == ISO_OK) {
        status = iso_world_restore(run->world, run->model->state, run->model->state_size);
        report->failure =
            status == ISO_ERR_NOT_FOUND ? "its scene has changed since it was recorded: " : "";
    }
    if (status == ISO_OK) {
        status = iso_sensors_create(run->world, scene->sensors, scene->sensor_count, &run->sensors);
    }
    if (status == ISO_OK) {
        iso_task_set_sensors(run->task, run->sensors);
    }
    return status == ISO_OK ? compare(run, report) : status;
}

static cli_exit print_json(const replay_run* run, const replay_report* report) {
    char hash[32];
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)report->final_hash);
    json_t* found = json_null();
    if (report->has_difference) {
        const difference* worst = &report->worst;
        found = json_pack("{s:I,s:f}", "step", (json_int_t)report->step, "time", report->time);
        if (worst->what != NULL) {
            json_object_set_new(found, "worst",
                                json_pack("{s:I,s:f,s:s,s:s,s:s,s:f,s:s}", "step",
                                          (json_int_t)report->frame_step, "time",
                                          report->frame_time, "kind", worst->what, "name",
                                          worst->name, "quantity", worst->quantity, "difference",
                                          worst->size, "unit", worst->unit));
        }
    }
    return cli_json_print(json_pack("{s:s,s:i,s:b,s:o,s:s}", "scene", run->model->scene_path,
                                    "compared", report->compared_count, "is_same",
                                    !report->has_difference, "first_difference", found,
                                    "state_hash", hash));
}

/// One line on stderr, as every error.
static void print_difference(const replay_report* report) {
    const difference* worst = &report->worst;
    cli_error("step %lld (t = %g s) differs from the recording", (long long)report->step,
              report->time);
    if (worst->what != NULL) {
        fprintf(stderr, "; at step %lld most in the %s of %s '%s': by %.3g %s",
                (long long)report->frame_step, worst->quantity, worst->what, worst->name,
                worst->size, worst->unit);
    } else if (report->has_frame) {
        fprintf(stderr,
                "; at step %lld bodies and joints are where they were, so that it lies in "
                "what contacts remember",
                (long long)report->frame_step);
    }
    fputc('\n', stderr);
}

static cli_exit report_result(const cli_options* options, const replay_run* run,
                              const replay_report* report) {
    cli_exit code = CLI_DONE;
    if (options->is_json) {
        code = print_json(run, report);
    } else if (!report->has_difference && !options->is_quiet) {
        char asked[64] = "";
        if (report->time < report->until - 0.5 * run->model->settings.time_step) {
            snprintf(asked, sizeof asked, " of %g s that the scene asks for", report->until);
        }
        printf("%s: %d state%s, to t = %g s%s, %s the same bits (last hash %016llx)%s\n",
               run->model->scene_path, report->compared_count, cli_plural(report->compared_count),
               report->time, asked, report->compared_count == 1 ? "is" : "are",
               (unsigned long long)report->final_hash,
               iso_recording_is_complete(run->recording) ? "" : "; the recording was cut short");
    }
    if (report->has_difference) {
        print_difference(report);
        return CLI_NUMERICAL;
    }
    return code;
}

/// Paths of recordings count from the working directory, which may be another one by now.
static cli_exit report_failure(const cli_session* session, const cli_options* options,
                               const replay_report* report, iso_status status) {
    char about[1024];
    snprintf(about, sizeof about, "%s: %s", options->input, report->failure);
    bool is_elsewhere = status == ISO_ERR_IO && report->failure[0] != '\0';
    return cli_report_about(session, status, about,
                            is_elsewhere ? " (replay it in the folder where it was recorded)" : "");
}

cli_exit cli_replay(const cli_options* options) {
    cli_session session;
    iso_scene scene = {0};
    replay_run run = {0};
    replay_report report = {.failure = ""};
    cli_exit code = cli_session_open(&session, options);
    if (code != CLI_DONE) {
        return code;
    }
    iso_status status = cli_open_recording(&session, options, &run.recording);
    if (status == ISO_OK) {
        run.model = iso_recording_model(run.recording);
        status = iso_recording_hashes(run.recording, &run.hashes, &run.hash_count);
    }
    if (status != ISO_OK) {
        code = cli_report(&session, status);
    } else if (run.model->scene_path[0] == '\0' || run.model->state_size == 0 ||
               run.hash_count == 0) {
        bool is_cut = run.hash_count == 0 && !iso_recording_is_complete(run.recording);
        cli_error(
            "%s%s\n", options->input,
            is_cut ? ": cut before its first frames were written whole, there is nothing to compare"
                   : " does not say which scene it shows and how it starts; record it anew "
                     "with 'isobar run --record', or with the scene_path of a recorder");
        code = CLI_BAD_INPUT;
    } else {
        status = replay(&session, &run, &scene, &report);
        code = status == ISO_OK ? report_result(options, &run, &report)
                                : report_failure(&session, options, &report, status);
    }
    iso_task_destroy(run.task);
    iso_sensors_destroy(run.sensors);
    iso_world_destroy(run.world);
    iso_scene_destroy(session.ctx, &scene);
    iso_recording_close(run.recording);
    cli_session_close(&session);
    return code;
}
