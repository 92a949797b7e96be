// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/run/run.h"

#include "cli/parts/json_output.h"
#include "cli/parts/progress.h"
#include "cli/parts/session.h"
#include "cli/parts/tables.h"
#include "cli/parts/text.h"
#include "cli/run/run_events.h"
#include "cli/run/step_times.h"

#include <stdio.h>
#include <string.h>

static const double k_most_frames_of_step = 1e4; // of those between its ends

enum { k_stage_count = 8 };

/// Sums over the steps of a run.
typedef struct run_totals {
    int64_t step_count;
    double wall_seconds; ///< of stepping alone
    step_times times;    ///< of single steps
    double stage_seconds[k_stage_count];
    double faces;
    int64_t iterations, line_search_iterations;
    int64_t steady_allocations;            ///< allocations in the second half of the run
    iso_step_report slowest;               ///< the step with the most iterations, the first of them
    double slowest_time;                   ///< at its end [s]
    double worst_residual;                 ///<
    int64_t substep_count, rejected_count; ///< of error control
    double smallest_substep, largest_substep, substep_error;
    json_t* events;   ///< list of those of all steps
    json_t* programs; ///< how far they are at the end; NULL: there is no end
    double ledger;    ///< at the start [J]
} run_totals;

/// What only the length of steps changes at the velocity level (docs/theory/step.md, "Works") [J].
static double ledger_of(const iso_world* world) {
    iso_energy e = iso_world_energy(world);
    return e.kinetic + e.potential + e.spring - e.actuation - e.contact - e.constraint - e.limit +
           e.damping;
}

static void add_report(run_totals* totals, const iso_step_report* report, double time) {
    if (totals->step_count == 0 || report->iterations > totals->slowest.iterations) {
        totals->slowest = *report;
        totals->slowest_time = time;
    }
    totals->worst_residual = fmax(totals->worst_residual, report->residual);
    if (report->substep_count > 0) {
        double least = report->smallest_substep;
        totals->smallest_substep =
            totals->substep_count > 0 ? fmin(totals->smallest_substep, least) : least;
        totals->largest_substep = fmax(totals->largest_substep, report->largest_substep);
        totals->substep_error = fmax(totals->substep_error, report->substep_error);
    }
    totals->substep_count += report->substep_count;
    totals->rejected_count += report->rejected_count;
    for (int i = 0; i < k_stage_count; ++i) {
        totals->stage_seconds[i] += report->stage_seconds[i];
    }
    totals->faces += report->face_count;
    totals->iterations += report->iterations;
    totals->line_search_iterations += report->line_search_iterations;
    ++totals->step_count;
}

/// What is recorded, if anything.
typedef struct run_frames {
    iso_recorder* recorder; ///< NULL: nothing is
    iso_sensors* sensors;
    iso_world* clone; ///< for frames within steps; NULL: none are
} run_frames;

/// Sensors are read for the frames that are kept.
static iso_status record(const run_frames* frames, iso_world* world) {
    iso_status status = ISO_OK;
    if (iso_sensors_count(frames->sensors) > 0 && iso_recorder_is_due(frames->recorder, world)) {
        status = iso_sensors_update(frames->sensors, world);
    }
    return status == ISO_OK ? iso_recorder_record(frames->recorder, world) : status;
}

/// Frames that were due within the last step, of a world that looks into its steps.
static iso_status record_within(const run_frames* frames, iso_world* world) {
    double end = iso_world_time(world) - 1e-9 * iso_world_settings(world)->time_step;
    iso_status status = ISO_OK;
    double last = -INFINITY, time = iso_recorder_next_time(frames->recorder);
    for (; status == ISO_OK && time > last && time < end;
         last = time, time = iso_recorder_next_time(frames->recorder)) {
        status = iso_world_place_within(world, time, frames->clone);
        status = status == ISO_OK ? iso_world_update_contacts(frames->clone) : status;
        if (status == ISO_OK && iso_sensors_count(frames->sensors) > 0) {
            status = iso_sensors_copy_memory(frames->sensors, world, frames->clone);
            status = status == ISO_OK ? iso_sensors_update(frames->sensors, frames->clone) : status;
        }
        if (status == ISO_OK) {
            status = iso_recorder_record_within(frames->recorder, frames->clone);
        }
    }
    return status;
}

/// The state that a failed step began with or that a program ended the run with, which the recorder
/// has as a hash only.
static void record_last(const run_frames* frames, iso_world* world) {
    iso_status status = iso_world_update_contacts(world);
    if (status == ISO_OK && iso_sensors_count(frames->sensors) > 0) {
        status = iso_sensors_update(frames->sensors, world);
    }
    if (status == ISO_OK) {
        status = iso_recorder_record_within(frames->recorder, world);
    }
    (void)status; // the step's own failure is the one to report
}

/// Step until the end, or until a program ends the run; the recorder gets every state and keeps
/// what its frame rate asks for.
static iso_status advance(cli_session* session, iso_world* world, const iso_task* task,
                          const run_frames* frames, const cli_options* options, double until,
                          run_totals* totals) {
    double start_time = iso_world_time(world); // of a restored state
    double time_step = iso_world_settings(world)->time_step;
    int64_t step_count = (int64_t)fmax(ceil((until - start_time) / time_step - 1e-9), 0.0);
    progress p = progress_begin(options, NULL, step_count, time_step);
    bool is_kept = true; // the present state, or nothing is
    int64_t i = 0;
    for (; i < step_count && !iso_task_is_over(task, world); ++i) {
        int64_t allocations = session->allocation_count;
        double start = cli_wall_clock();
        iso_status status = iso_task_step(task, world);
        double seconds = cli_wall_clock() - start;
        totals->wall_seconds += seconds;
        step_times_add(&totals->times, seconds);
        if (status != ISO_OK) {
            progress_end(&p, i, iso_world_time(world));
            if (!is_kept) {
                record_last(frames, world);
            }
            return status;
        }
        if (2 * i >= step_count) {
            totals->steady_allocations += session->allocation_count - allocations;
        }
        iso_step_report report = iso_world_step_report(world);
        add_report(totals, &report, iso_world_time(world));
        cli_events_add(totals->events, world);
        if (frames->clone != NULL) {
            status = record_within(frames, world);
        }
        if (status == ISO_OK && frames->recorder != NULL) {
            is_kept = iso_recorder_is_due(frames->recorder, world);
            status = record(frames, world);
        }
        if (status != ISO_OK) {
            progress_end(&p, i + 1, iso_world_time(world));
            return status;
        }
        progress_update(&p, i + 1, iso_world_time(world));
    }
    progress_end(&p, i, iso_world_time(world));
    if (!is_kept && iso_task_is_over(task, world)) {
        record_last(frames, world);
    }
    return ISO_OK;
}

/// The step that took the most iterations, and the body that needed the last of them.
static json_t* slowest_json(const iso_world* world, const run_totals* totals) {
    const iso_step_report* slowest = &totals->slowest;
    return json_pack("{s:f,s:i,s:i,s:i,s:i,s:f,s:f,s:s,s:s,s:[s,s]}", "time", totals->slowest_time,
                     "iterations", slowest->iterations, "line_search",
                     slowest->line_search_iterations, "islands", slowest->island_count,
                     "largest_island", slowest->largest_island, "residual", slowest->residual,
                     "cost", slowest->cost, "body",
                     iso_world_body_name(world, slowest->slowest_body), "reason",
                     iso_step_reason_text(slowest->reason), "reason_bodies",
                     iso_world_body_name(world, slowest->reason_body_a),
                     iso_world_body_name(world, slowest->reason_body_b));
}

/// What error control did; null without it.
static json_t* substeps_json(const run_totals* totals) {
    return totals->substep_count == 0
               ? json_null()
               : json_pack("{s:I,s:I,s:f,s:f,s:f}", "count", (json_int_t)totals->substep_count,
                           "rejected", (json_int_t)totals->rejected_count, "smallest",
                           totals->smallest_substep, "largest", totals->largest_substep,
                           "largest_error", totals->substep_error);
}

static json_t* performance_json(const iso_world* world, const run_totals* totals) {
    double steps = totals->step_count > 0 ? (double)totals->step_count : 1.0;
    json_t* stages = json_array();
    for (int i = 0; i < k_stage_count; ++i) {
        json_array_append_new(stages, json_real(1e6 * totals->stage_seconds[i] / steps));
    }
    return json_pack("{s:f,s:f,s:f,s:f,s:o,s:f,s:f,s:f,s:I,s:f,s:o,s:o}", "us_per_step",
                     1e6 * totals->wall_seconds / steps, "us_step_median",
                     1e6 * step_times_quantile(&totals->times, 0.5), "us_step_99th",
                     1e6 * step_times_quantile(&totals->times, 0.99), "us_step_longest",
                     1e6 * step_times_quantile(&totals->times, 1.0), "us_per_stage", stages,
                     "faces_per_step", totals->faces / steps, "iterations_per_step",
                     (double)totals->iterations / steps, "line_search_per_step",
                     (double)totals->line_search_iterations / steps, "allocations_second_half",
                     (json_int_t)totals->steady_allocations, "worst_residual",
                     totals->worst_residual, "slowest_step", slowest_json(world, totals),
                     "substeps", substeps_json(totals));
}

enum { k_hash_size = 32 };

static void hash_text(const iso_world* world, char text[k_hash_size]) {
    snprintf(text, k_hash_size, "%016llx", (unsigned long long)iso_world_state_hash(world));
}

static cli_exit print_json(const iso_scene* scene, const iso_world* world,
                           const iso_sensors* sensors, const run_totals* totals) {
    char hash[k_hash_size];
    hash_text(world, hash);
    return cli_json_print(json_pack(
        "{s:s,s:f,s:I,s:f,s:o,s:o,s:o,s:o,s:o,s:O,s:O,s:o,s:o,s:o,s:s,s:o}", "scene", scene->name,
        "time", iso_world_time(world), "steps", (json_int_t)iso_world_step_count(world), "wall_s",
        totals->wall_seconds, "bodies", cli_json_bodies(world), "joints", cli_json_joints(world),
        "fixed_tendons", cli_json_fixed_tendons(world), "contacts", cli_json_contacts(world),
        "sensors", cli_json_sensors(sensors), "events", totals->events, "programs",
        totals->programs, "largest_extent", cli_json_peak(world), "passed_through",
        cli_json_passage(world), "energy", cli_json_energy(world), "state_hash", hash,
        "performance", performance_json(world, totals)));
}

static void print_slowest(const iso_world* world, const iso_step_report* slowest, double time) {
    if (slowest->reason == ISO_STEP_REASON_NONE) {
        return;
    }
    printf("slowest step: t = %g s, %d iteration%s, %d island%s (largest of %d tree%s): %s", time,
           slowest->iterations, cli_plural(slowest->iterations), slowest->island_count,
           cli_plural(slowest->island_count), slowest->largest_island,
           cli_plural(slowest->largest_island), iso_step_reason_text(slowest->reason));
    if (slowest->reason_body_a >= 0) {
        printf(", %s", iso_world_body_name(world, slowest->reason_body_a));
    }
    if (slowest->reason_body_b >= 0) {
        printf(" | %s", iso_world_body_name(world, slowest->reason_body_b));
    }
    putchar('\n');
}

static void print_substeps(const run_totals* totals) {
    if (totals->substep_count > 0) {
        printf("substeps: %lld, %lld of them again, from %.3g s", (long long)totals->substep_count,
               (long long)totals->rejected_count, totals->smallest_substep);
        if (totals->largest_substep > 0.0) {
            printf(" to %.3g s", totals->largest_substep);
        }
        printf("; largest error %.2g accuracies\n", totals->substep_error);
    }
}

static void print_summary(const iso_scene* scene, const iso_world* world,
                          const run_totals* totals) {
    double steps = totals->step_count > 0 ? (double)totals->step_count : 1.0;
    double simulated = (double)totals->step_count * iso_world_settings(world)->time_step;
    double times = simulated / fmax(totals->wall_seconds, 1e-12);
    iso_energy e = iso_world_energy(world);
    printf("%s: t = %g s, %lld steps, %.3f s of computing (%.1f us a step, 99 %% within %.1f us, "
           "%.*fx real time)\n",
           scene->name, iso_world_time(world), (long long)iso_world_step_count(world),
           totals->wall_seconds, 1e6 * totals->wall_seconds / steps,
           1e6 * step_times_quantile(&totals->times, 0.99), times < 0.1 ? 4 : 2, times);
    print_substeps(totals);
    cli_print_bodies(world);
    cli_print_contacts(world);
    cli_events_print(totals->events);
    cli_criteria_print(totals->programs);
    iso_contact_peak peak = iso_world_contact_peak(world);
    if (peak.extent > 0.0) {
        printf("largest extent: %.3g of the field, %s | %s at t = %g s\n", peak.extent,
               peak.body_name_a, peak.body_name_b, peak.time);
    }
    iso_contact_passage passage = iso_world_contact_passage(world);
    if (passage.pair_count > 0) {
        printf("passed through each other: %d pair%s, first %s | %s at t = %g s\n",
               passage.pair_count, passage.pair_count > 1 ? "s" : "", passage.body_name_a,
               passage.body_name_b, passage.time);
    }
    print_slowest(world, &totals->slowest, totals->slowest_time);
    char hash[k_hash_size];
    hash_text(world, hash);
    printf("state hash: %s\n", hash);
    printf("energy [J]: kinetic %.6g, potential %.6g, elastic %.6g", e.kinetic, e.potential,
           cli_elastic_energy(world));
    if (iso_method_is_velocity_level(iso_world_settings(world)->method)) {
        printf("; taken by friction %.3g, contact damping %.3g, the length of steps %.3g",
               e.friction, e.contact_damping, totals->ledger - ledger_of(world));
    }
    putchar('\n');
}

/// Start from a saved state, which may be past the end.
static iso_status restore(const cli_options* options, const iso_task* task, iso_world* world,
                          double until) {
    iso_status status = iso_world_load_file(world, options->restore_path);
    double left = until - iso_world_time(world);
    if (status == ISO_OK && !options->is_quiet &&
        left <= 1e-9 * iso_world_settings(world)->time_step) {
        cli_warning("%s: the state is that at t = %g s, which is no earlier than the "
                    "end, %g s: no step is made\n",
                    options->restore_path, iso_world_time(world), until);
    } else if (status == ISO_OK && !options->is_quiet && iso_task_is_over(task, world)) {
        cli_warning("%s: the state is that at t = %g s, when a criterion or program had ended the "
                    "run: no step is made\n",
                    options->restore_path, iso_world_time(world));
    }
    return status;
}

/// Whether frames are wanted between the ends of steps: error control makes those as long as it
/// likes.
static bool has_frames_within(const iso_world* world, double frame_rate) {
    const iso_world_desc* settings = iso_world_settings(world);
    return settings->error_control && iso_method_is_velocity_level(settings->method) &&
           frame_rate * settings->time_step > 1.0;
}

/// Whether the run or its recording would have no end, which it says.
static bool is_endless(const cli_options* options, const iso_world* world, double until) {
    double step = iso_world_settings(world)->time_step, frames = options->frame_rate * step;
    char why[160];
    if (cli_is_endless(until, step, why, sizeof why)) {
        cli_error("%s\n", why);
        return true;
    }
    if (options->record_path == NULL || !has_frames_within(world, options->frame_rate) ||
        frames <= k_most_frames_of_step) {
        return false;
    }
    cli_error("--frame-rate %g is %g frames in a step of %g s, expected at most %g; "
              "shorter steps: --dt\n",
              options->frame_rate, frames, step, k_most_frames_of_step);
    return true;
}

static iso_status look_within(const iso_scene* scene, double frame_rate, iso_world* world,
                              iso_world** out_clone) {
    if (!has_frames_within(world, frame_rate)) {
        return ISO_OK;
    }
    iso_watch_desc nothing = iso_watch_desc_default();
    nothing.with_contacts = nothing.with_slip = false;
    iso_status status = scene->has_events ? ISO_OK : iso_world_watch(world, &nothing);
    return status == ISO_OK ? iso_world_clone(world, out_clone) : status;
}

static iso_status start_recording(cli_session* session, const cli_options* options,
                                  const iso_scene* scene, iso_world* world, run_frames* frames) {
    iso_scene_options scene_options = cli_scene_options(options);
    iso_recorder_desc desc = iso_recorder_desc_default();
    desc.scene_name = scene->name;
    desc.scene_path = options->input;
    desc.scene_options = &scene_options;
    desc.sensors = frames->sensors;
    desc.frame_rate = options->frame_rate > 0.0 ? options->frame_rate : desc.frame_rate;
    desc.with_faces = !options->is_without_faces;
    desc.exact_energy = options->is_energy_exact;
    desc.json_contacts = options->is_json_contacts;
    desc.size_limit = options->size_limit;
    iso_status status =
        iso_recorder_create(session->ctx, options->record_path, world, &desc, &frames->recorder);
    status = status == ISO_OK ? look_within(scene, desc.frame_rate, world, &frames->clone) : status;
    status = status == ISO_OK ? iso_world_update_contacts(world) : status;
    return status == ISO_OK ? record(frames, world) : status;
}

/// Everything after the world exists: commands, recorder, steps, closing the recording in any case.
static iso_status simulate(cli_session* session, const cli_options* options, const iso_scene* scene,
                           iso_world* world, iso_sensors* sensors, run_totals* totals) {
    iso_task* task = NULL;
    double until = cli_end_time(options, scene);
    iso_status status = iso_scene_create_task(scene, world, &task);
    if (status == ISO_OK && scene->has_events) {
        status = iso_world_watch(world, &scene->events);
    }
    if (status == ISO_OK) {
        iso_task_set_sensors(task, sensors);
    }
    if (status == ISO_OK && options->restore_path != NULL) {
        status = restore(options, task, world, until);
    }
    run_frames frames = {.sensors = sensors};
    if (status == ISO_OK && options->record_path != NULL) {
        // The sensors of the first frame measure what the first step is told.
        status = iso_task_apply(task, world);
    }
    if (status == ISO_OK && options->record_path != NULL) {
        status = start_recording(session, options, scene, world, &frames);
    }
    totals->ledger = ledger_of(world);
    if (status == ISO_OK) {
        status = advance(session, world, task, &frames, options, until, totals);
    }
    if (status == ISO_OK && totals->step_count == 0) {
        status = iso_world_update_contacts(world); // a state has none
    }
    if (status == ISO_OK && iso_sensors_count(sensors) > 0) {
        status = iso_sensors_update(sensors, world);
    }
    iso_world_destroy(frames.clone);
    if (frames.recorder != NULL) {
        iso_status close_status = iso_recorder_close(frames.recorder);
        status = status != ISO_OK ? status : close_status;
    }
    if (status == ISO_OK && options->save_path != NULL) {
        status = iso_world_save_file(world, options->save_path);
    }
    if (status == ISO_OK && !iso_method_is_velocity_level(iso_world_settings(world)->method)) {
        // A step knows the contacts of its start. What is told is the end, with its energy.
        status = iso_world_update_contacts(world);
    }
    totals->programs = cli_json_progress(task, world);
    iso_task_destroy(task);
    return status;
}

cli_exit cli_run(const cli_options* options) {
    cli_session session;
    iso_scene scene = {0};
    iso_world* world = NULL;
    iso_sensors* sensors = NULL;
    run_totals totals = {0};
    cli_exit code = cli_session_open(&session, options);
    if (code != CLI_DONE) {
        return code;
    }
    totals.events = json_array();
    iso_status status = cli_load(&session, options, options->record_path != NULL, &scene, &world);
    if (status == ISO_OK) {
        status = iso_sensors_create(world, scene.sensors, scene.sensor_count, &sensors);
    }
    double until = cli_end_time(options, &scene);
    if (status == ISO_OK && is_endless(options, world, until)) {
        code = CLI_BAD_INPUT;
    } else if (status == ISO_OK) {
        status = simulate(&session, options, &scene, world, sensors, &totals);
    }
    if (code != CLI_DONE) {
        // it was said
    } else if (status != ISO_OK) {
        code = cli_report(&session, status);
    } else if (options->is_json) {
        code = print_json(&scene, world, sensors, &totals);
    } else if (options->is_hash) {
        char hash[k_hash_size];
        hash_text(world, hash);
        puts(hash);
    } else if (!options->is_quiet) {
        print_summary(&scene, world, &totals);
    }
    json_decref(totals.events);
    json_decref(totals.programs);
    iso_sensors_destroy(sensors);
    iso_world_destroy(world);
    iso_scene_destroy(session.ctx, &scene);
    cli_session_close(&session);
    return code;
}
