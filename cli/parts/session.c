// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/parts/session.h"

#include "isobar/record.h"
#include "isobar_viewer_html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void* counting_realloc(void* user, void* old_ptr, size_t old_size, size_t new_size) {
    cli_session* session = user;
    (void)old_size;
    if (new_size == 0) {
        free(old_ptr);
        return NULL;
    }
    ++session->allocation_count;
    return realloc(old_ptr, new_size);
}

// A message without what differs between equal ones: the words with digits, slashes or quotes.
static void find_kind(const char* prefix, const char* message, char* out_kind, size_t size) {
    size_t length = 0;
    const char* const texts[] = {prefix, message};
    for (int i = 0; i < 2; ++i) {
        for (const char* c = texts[i]; *c;) {
            size_t word = strcspn(c, " ");
            bool is_kept = strcspn(c, "0123456789/'") >= word;
            const char* quote = *c == '\'' ? strchr(c + 1, '\'') : NULL;
            if (is_kept && length + word + 1 < size) {
                memcpy(out_kind + length, c, word);
                length += word;
                out_kind[length++] = ' ';
            }
            c = quote ? quote + 1 : c + word; // a quoted name may hold spaces
            c += strspn(c, " ");
        }
    }
    out_kind[length] = '\0';
}

static void print_message(iso_log_level level, const char* message) {
    if (level >= ISO_LOG_ERROR) {
        cli_error("%s\n", message);
    } else if (level == ISO_LOG_WARNING) {
        cli_warning("%s\n", message);
    } else {
        fprintf(stderr, "isobar: %s%s\n", level == ISO_LOG_DEBUG ? "debug: " : "", message);
    }
}

// What was held back: itself when it is one message, else how many.
static void end_kind(cli_fold* fold) {
    if (fold->count == 1) {
        print_message(fold->level, fold->last);
    } else if (fold->count > 1) {
        fprintf(stderr, "isobar: %d more of this kind: --verbose prints them\n", fold->count);
    }
    fold->count = 0;
    fold->kind[0] = '\0';
}

// True when the message is held back.
static bool hold_back(cli_fold* fold, iso_log_level level, const char* message) {
    char kind[sizeof fold->kind], prefix[32];
    (void)snprintf(prefix, sizeof prefix, "%.*s ", (int)level + 1, "levels");
    find_kind(prefix, message, kind, sizeof kind);
    if (strcmp(kind, fold->kind) == 0) {
        ++fold->count;
        (void)snprintf(fold->last, sizeof fold->last, "%s", message);
        fold->level = level;
        return true;
    }
    end_kind(fold);
    memcpy(fold->kind, kind, sizeof kind);
    return false;
}

static void print_log(void* user, iso_log_level level, const char* message) {
    cli_session* session = user;
    bool is_hidden = session->hides_info && level < ISO_LOG_WARNING;
    bool is_printed = (!session->is_quiet && !is_hidden) || level >= ISO_LOG_ERROR;
    bool folds = session->fold.is_on && !session->is_verbose;
    if (is_printed && !(folds && hold_back(&session->fold, level, message))) {
        print_message(level, message);
    }
}

static void pass_file(void* user, const char* path) {
    const cli_session* session = user;
    if (session->file_fn) {
        session->file_fn(session->file_user, path);
    }
}

bool cli_has_viewer(void) {
    if (isobar_viewer_html_size == 0) {
        cli_error("this build has no viewer; install npm (tools/setup) and "
                  "build again\n");
    }
    return isobar_viewer_html_size > 0;
}

cli_exit cli_session_open(cli_session* session, const cli_options* options) {
    *session = (cli_session){.is_quiet = options->is_quiet, .is_verbose = options->is_verbose};
    iso_context_desc desc = iso_context_desc_default();
    desc.realloc_fn = counting_realloc;
    desc.realloc_user = session;
    desc.log_fn = print_log;
    desc.log_user = session;
    desc.log_level = ISO_LOG_INFO;
    desc.file_fn = pass_file;
    desc.file_user = session;
    iso_status status = iso_context_create(&desc, &session->ctx);
    if (status != ISO_OK) {
        cli_error("%s\n", iso_status_text(status));
        return CLI_BAD_INPUT;
    }
    return CLI_DONE;
}

void cli_session_close(cli_session* session) {
    iso_context_destroy(session->ctx);
    session->ctx = NULL;
}

iso_status cli_open_recording(const cli_session* session, const cli_options* options,
                              iso_recording** out_recording) {
    iso_status status = iso_recording_open(session->ctx, options->input, out_recording);
    if (status == ISO_OK && options->is_quiet && !iso_recording_is_complete(*out_recording)) {
        cli_warning("%s: the recording was cut short\n", options->input);
    }
    return status;
}

cli_exit cli_report(const cli_session* session, iso_status status) {
    return cli_report_about(session, status, "", "");
}

cli_exit cli_report_about(const cli_session* session, iso_status status, const char* before,
                          const char* after) {
    if (status == ISO_OK) {
        return CLI_DONE;
    }
    const char* message = iso_context_error(session->ctx);
    // Messages of the library name what has no room.
    bool is_memory = status == ISO_ERR_MEMORY && !strstr(message, "out of memory");
    cli_error("%s%s%s%s\n", before, is_memory ? "out of memory: " : "",
              message[0] != '\0' ? message : iso_status_text(status), after);
    bool is_numerical = status == ISO_ERR_NO_CONVERGENCE || status == ISO_ERR_NUMERIC;
    return is_numerical ? CLI_NUMERICAL : CLI_BAD_INPUT;
}

iso_scene_options cli_scene_options(const cli_options* options) {
    iso_scene_options scene_options = {options->packages, options->package_count, options->settings,
                                       options->setting_count};
    return scene_options;
}

static iso_status load(cli_session* session, const cli_options* options, bool load_visuals,
                       iso_scene* out_scene, iso_world** out_world) {
    iso_scene_options scene_options = cli_scene_options(options);
    *out_world = NULL;
    iso_status status = iso_scene_load(session->ctx, options->input, &scene_options, out_scene);
    if (status != ISO_OK) {
        return status;
    }
    out_scene->world.load_visuals = load_visuals;
    return iso_world_create(session->ctx, out_scene->model, &out_scene->world, out_world);
}

// A robot of meshes has the same to say of each of them.
iso_status cli_load(cli_session* session, const cli_options* options, bool load_visuals,
                    iso_scene* out_scene, iso_world** out_world) {
    session->fold.is_on = true;
    iso_status status = load(session, options, load_visuals, out_scene, out_world);
    end_kind(&session->fold);
    session->fold.is_on = false;
    return status;
}

double cli_end_time(const cli_options* options, const iso_scene* scene) {
    static const double of_none = 1.0; // of a scene that says nothing
    double until = options->until > 0.0 ? options->until : scene->until;
    return until > 0.0 ? until : of_none;
}

bool cli_is_endless(double until, double time_step, char* out_why, size_t size) {
    static const double most = 9e15; // doubles count exactly this far
    bool is_endless = !(until / time_step <= most);
    if (is_endless) {
        (void)snprintf(out_why, size,
                       "stopping at %g s takes %g steps of %g s, expected at most %g", until,
                       until / time_step, time_step, most);
    }
    return is_endless;
}
