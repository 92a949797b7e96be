// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// One scene with several contact models.

#include "cli/compare/compare.h"

#include "cli/parts/ending.h"
#include "cli/parts/json_output.h"
#include "cli/parts/progress.h"
#include "cli/parts/session.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char k_default_models[] = "pressure_field,volumetric,hertz";

/// The names between commas; false after an error was printed.
static bool take_models(compare* c) {
    const char* at = c->options->models != NULL ? c->options->models : k_default_models;
    while (true) {
        size_t length = strcspn(at, ",");
        char name[64];
        (void)snprintf(name, sizeof name, "%.*s", (int)length, at);
        int kind = iso_name_find(ISO_NAMES_CONTACT_MODEL_KIND, name);
        bool is_again = false;
        for (int i = 0; i < c->count; ++i) {
            is_again = is_again || (int)c->runs[i].kind == kind;
        }
        if (kind <= ISO_CONTACT_MODEL_DEFAULT || length >= sizeof name || is_again ||
            c->count == k_compare_most) {
            cli_error("--models has '%s'%s, expected pressure_field, volumetric and "
                      "hertz between commas, each once\n",
                      name, is_again ? " again" : "");
            return false;
        }
        c->runs[c->count++] = (compare_run){
            .kind = (iso_contact_model_kind)kind,
            .name = iso_name_of(ISO_NAMES_CONTACT_MODEL_KIND, kind),
        };
        if (at[length] == '\0') {
            return true;
        }
        at += length + 1;
    }
}

/// All pairs that the model takes get it, whatever their materials name.
static iso_status set_model(compare_run* run) {
    iso_model* model = run->scene.model;
    iso_status status = ISO_OK;
    for (int i = 0; i < iso_model_geometry_count(model) && status == ISO_OK; ++i) {
        iso_contact_material material = iso_model_geometry(model, i, NULL)->material;
        if (material.model != ISO_CONTACT_MODEL_DEFAULT) {
            material.model = ISO_CONTACT_MODEL_DEFAULT;
            status = iso_model_set_material(model, i, &material);
        }
    }
    run->scene.world.contact.model = run->kind;
    return status;
}

/// What there is to say of the file is said once; what there is of pairs, for each model.
static iso_status load(compare* c, compare_run* run) {
    iso_scene_options scene_options = cli_scene_options(c->options);
    c->session.hides_info = run != c->runs;
    c->session.is_quiet = c->options->is_quiet || run != c->runs;
    iso_status status =
        iso_scene_load(c->session.ctx, c->options->input, &scene_options, &run->scene);
    c->session.is_quiet = c->options->is_quiet;
    if (status == ISO_OK) {
        status = set_model(run);
    }
    if (status == ISO_OK) {
        run->scene.world.load_visuals = c->options->output != NULL;
        status = iso_world_create(c->session.ctx, run->scene.model, &run->scene.world, &run->world);
    }
    return status;
}

static iso_status start_recording(compare* c, compare_run* run, iso_sensors* sensors,
                                  const iso_task* task, iso_recorder** out_recorder) {
    char name[128];
    (void)snprintf(name, sizeof name, "%s: %s", run->scene.name, run->name);
    iso_recorder_desc desc = iso_recorder_desc_default();
    desc.scene_name = name;
    desc.sensors = sensors;
    desc.frame_rate = c->options->frame_rate > 0.0 ? c->options->frame_rate : desc.frame_rate;
    desc.with_faces = !c->options->is_without_faces;
    desc.with_foxglove = false;
    (void)snprintf(run->recording, sizeof run->recording, "%s/%s.mcap", c->folder, run->name);
    iso_status status = iso_task_apply(task, run->world);
    if (status == ISO_OK) {
        status =
            iso_recorder_create(c->session.ctx, run->recording, run->world, &desc, out_recorder);
    }
    if (status == ISO_OK) {
        status = iso_world_update_contacts(run->world);
    }
    return status;
}

static iso_status record(iso_recorder* recorder, iso_sensors* sensors, iso_world* world) {
    iso_status status = ISO_OK;
    if (recorder == NULL) {
        return status;
    }
    if (iso_sensors_count(sensors) > 0 && iso_recorder_is_due(recorder, world)) {
        status = iso_sensors_update(sensors, world);
    }
    return status == ISO_OK ? iso_recorder_record(recorder, world) : status;
}

static iso_status advance(compare* c, compare_run* run, const iso_task* task, iso_sensors* sensors,
                          iso_recorder* recorder) {
    double time_step = iso_world_settings(run->world)->time_step;
    int64_t count = (int64_t)ceil(cli_end_time(c->options, &run->scene) / time_step - 1e-9);
    progress p = progress_begin(c->options, NULL, count, time_step);
    iso_status status = record(recorder, sensors, run->world);
    while (run->step_count < count && status == ISO_OK && cli_noted_signal() == 0 &&
           !iso_task_is_over(task, run->world)) {
        double start = cli_wall_clock();
        status = iso_task_step(task, run->world);
        run->wall_seconds += cli_wall_clock() - start;
        if (status == ISO_OK) {
            ++run->step_count;
            status = record(recorder, sensors, run->world);
        }
        progress_update(&p, run->step_count, iso_world_time(run->world));
    }
    progress_end(&p, run->step_count, iso_world_time(run->world));
    return status;
}

static iso_status simulate(compare* c, compare_run* run) {
    iso_sensors* sensors = NULL;
    iso_task* task = NULL;
    iso_recorder* recorder = NULL;
    if (cli_is_endless(cli_end_time(c->options, &run->scene),
                       iso_world_settings(run->world)->time_step, run->error, sizeof run->error)) {
        return ISO_ERR_RANGE;
    }
    iso_status status = iso_scene_create_task(&run->scene, run->world, &task);
    if (status == ISO_OK) {
        status =
            iso_sensors_create(run->world, run->scene.sensors, run->scene.sensor_count, &sensors);
    }
    if (status == ISO_OK) {
        iso_task_set_sensors(task, sensors);
        status =
            c->options->output != NULL ? start_recording(c, run, sensors, task, &recorder) : ISO_OK;
    }
    if (status == ISO_OK) {
        status = advance(c, run, task, sensors, recorder);
    }
    if (recorder != NULL) {
        (void)snprintf(run->error, sizeof run->error, "%s",
                       status != ISO_OK ? iso_context_error(c->session.ctx) : "");
        iso_status close_status = iso_recorder_close(recorder);
        status = status != ISO_OK ? status : close_status;
    }
    iso_sensors_destroy(sensors);
    iso_task_destroy(task);
    return status;
}

static const iso_geometry_desc* find_geometry(iso_model* model, const char* body,
                                              const char* name) {
    for (int i = 0; i < iso_model_geometry_count(model); ++i) {
        int of = 0;
        const iso_geometry_desc* d = iso_model_geometry(model, i, &of);
        if (strcmp(d->name, name) == 0 && strcmp(iso_model_body(model, of)->name, body) == 0) {
            return d;
        }
    }
    return NULL;
}

/// The volume that both fill. What is not closed, or has too few digits, has none.
static compare_overlap overlap_of(compare* c, const compare_run* run, const iso_contact* contact) {
    const char* bodies[] = {contact->body_name_a, contact->body_name_b};
    const char* names[] = {contact->geometry_name_a, contact->geometry_name_b};
    const int indices[] = {contact->body_a, contact->body_b};
    iso_volume_body* solids[2] = {NULL, NULL};
    iso_pose poses[2];
    iso_status status = ISO_OK;
    for (int i = 0; i < 2 && status == ISO_OK; ++i) {
        const iso_geometry_desc* d = find_geometry(run->scene.model, bodies[i], names[i]);
        status = d != NULL ? iso_volume_body_create(c->session.ctx, &d->shape, &solids[i])
                           : ISO_ERR_NOT_FOUND;
        if (status == ISO_OK) {
            iso_pose x_wb = iso_world_body_pose(run->world, indices[i]);
            poses[i] = iso_pose_mul(&x_wb, &d->x_bg);
        }
    }
    iso_volume_metrics m = {0};
    if (status == ISO_OK) {
        status = iso_volume_intersect(c->session.ctx, solids[0], &poses[0], solids[1], &poses[1],
                                      NULL, &m);
    }
    for (int i = 0; i < 2; ++i) {
        iso_volume_body_destroy(c->session.ctx, solids[i]);
    }
    double area = iso_vec3_norm(m.area);
    return status != ISO_OK ? (compare_overlap){NAN, NAN}
                            : (compare_overlap){m.volume, area > 0.0 ? m.volume / area : 0.0};
}

/// What the last state is, with its contacts; and what they are made of.
static iso_status measure(compare* c, compare_run* run) {
    // A state that no step was made from has none.
    iso_status status = run->step_count > 0 ? ISO_OK : iso_world_update_contacts(run->world);
    int count = status == ISO_OK ? iso_world_contact_count(run->world) : 0;
    run->overlaps = calloc((size_t)count + 1, sizeof *run->overlaps);
    if (run->overlaps == NULL) {
        return ISO_ERR_MEMORY;
    }
    for (int i = 0; i < count; ++i) {
        iso_contact contact = iso_world_contact(run->world, i);
        run->overlaps[i] = overlap_of(c, run, &contact);
        run->other_count += strcmp(contact.model, run->name) != 0;
    }
    return status;
}

/// False after an error was printed: a file that cannot be read is of no model.
static bool run_one(compare* c, compare_run* run) {
    run->status = load(c, run);
    if (run->scene.model == NULL) {
        (void)cli_report(&c->session, run->status);
        return false;
    }
    run->status = run->status == ISO_OK ? simulate(c, run) : run->status;
    if (run->status != ISO_OK && run->error[0] == '\0') {
        const char* message = iso_context_error(c->session.ctx);
        (void)snprintf(run->error, sizeof run->error, "%s",
                       message[0] != '\0' ? message : iso_status_text(run->status));
    }
    iso_status status = run->world != NULL ? measure(c, run) : ISO_OK;
    if (run->status == ISO_OK && status != ISO_OK) {
        run->status = status;
        (void)snprintf(run->error, sizeof run->error, "%s", iso_context_error(c->session.ctx));
    }
    if (run->status != ISO_OK && !c->options->is_quiet) {
        cli_warning("model %s %s: %s\n", run->name,
                    run->step_count > 0 ? "did not come to the end" : "does not run", run->error);
    }
    return true;
}

static bool make_folder(compare* c) {
    const char* root = getenv("TMPDIR");
    (void)snprintf(c->folder, sizeof c->folder, "%s/isobar_compare_XXXXXX",
                   root != NULL && strlen(root) < 200 ? root : "/tmp");
    cli_catch_signals(); // they would leave the folder behind
    if (mkdtemp(c->folder) == NULL) {
        cli_error("'%s': no folder can be made there: %s\n", c->folder, strerror(errno));
        c->folder[0] = '\0';
        return false;
    }
    return true;
}

static void clean_up(compare* c) {
    for (int i = 0; i < c->count; ++i) {
        compare_run* run = &c->runs[i];
        iso_world_destroy(run->world);
        iso_scene_destroy(c->session.ctx, &run->scene);
        free(run->overlaps);
        if (run->recording[0] != '\0') {
            (void)unlink(run->recording);
        }
        if (run->page[0] != '\0') {
            (void)unlink(run->page);
        }
    }
    if (c->folder[0] != '\0') {
        (void)rmdir(c->folder);
    }
    cli_session_close(&c->session);
}

static cli_exit report(compare* c) {
    bool runs = false, is_numerical = true;
    for (int i = 0; i < c->count; ++i) {
        iso_status status = c->runs[i].status;
        runs = runs || c->runs[i].step_count > 0;
        is_numerical = is_numerical && (status == ISO_ERR_NO_CONVERGENCE || //
                                        status == ISO_ERR_NUMERIC);
    }
    if (!runs) {
        cli_error("no model makes a step: %s\n", c->runs[0].error);
        return is_numerical ? CLI_NUMERICAL : CLI_BAD_INPUT;
    }
    if (c->options->output != NULL) {
        iso_status status = compare_write_page(c);
        if (status != ISO_OK) {
            return cli_report(&c->session, status);
        }
    }
    if (c->options->is_json) {
        return cli_json_print(compare_json(c));
    }
    if (!c->options->is_quiet) {
        compare_print(c);
    }
    return CLI_DONE;
}

cli_exit cli_compare(const cli_options* options) {
    compare c = {.options = options};
    if (!take_models(&c)) {
        return CLI_USAGE;
    }
    if (options->output != NULL && !cli_has_viewer()) {
        return CLI_BAD_INPUT;
    }
    cli_exit code = cli_session_open(&c.session, options);
    if (code != CLI_DONE) {
        return code;
    }
    code = options->output == NULL || make_folder(&c) ? CLI_DONE : CLI_BAD_INPUT;
    for (int i = 0; i < c.count && code == CLI_DONE && cli_noted_signal() == 0; ++i) {
        code = run_one(&c, &c.runs[i]) ? CLI_DONE : CLI_BAD_INPUT;
    }
    code = code == CLI_DONE && cli_noted_signal() == 0 ? report(&c) : code;
    clean_up(&c);
    cli_end_by_signal();
    return code;
}
