// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/commands.h"
#include "cli/parts/session.h"

#include "isobar_viewer_html.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// How often files and signals are looked at [s].
static const double k_slice = 0.2;

/// A scene in the making or shown.
typedef struct shown {
    iso_scene scene;
    iso_world* world;
    iso_task* task;
    iso_sensors* sensors;
} shown;

/// What a file was when it was last read.
typedef struct file_mark {
    struct timespec changed;
    off_t size;
} file_mark;

/// The files that a scene was made of.
typedef struct watched_file {
    char* path;
    file_mark mark;
} watched_file;

typedef struct watched_files {
    watched_file* list; ///< [count]
    int count;
} watched_files;

enum { k_most_watched = 4096 };

static volatile sig_atomic_t is_stopped;

static void stop(int number) {
    (void)number;
    is_stopped = 1;
}

bool cli_live_take(cli_options* options, const char* name, const char* value) {
    double number = 0.0;
    if (strcmp(name, "--host") == 0) {
        options->live.host = value;
        return value[0] != '\0';
    }
    if (strcmp(name, "--token") == 0) {
        options->live.token = value;
        return value[0] != '\0';
    }
    if (strcmp(name, "--port") == 0) {
        bool is_port = cli_parse_whole(value, 0.0, 65535.0, &number);
        options->live.port = is_port ? (int)number : 0;
        return is_port;
    }
    return false;
}

static void unload(cli_session* session, shown* s) {
    iso_task_destroy(s->task);
    iso_sensors_destroy(s->sensors);
    iso_world_destroy(s->world);
    iso_scene_destroy(session->ctx, &s->scene);
    *s = (shown){0};
}

static iso_status load(cli_session* session, const cli_options* options, shown* out) {
    *out = (shown){0};
    iso_status status = cli_load(session, options, true, &out->scene, &out->world);
    if (status == ISO_OK) {
        status = iso_sensors_create(out->world, out->scene.sensors, out->scene.sensor_count,
                                    &out->sensors);
    }
    if (status == ISO_OK) {
        status = iso_scene_create_task(&out->scene, out->world, &out->task);
    }
    if (status == ISO_OK) {
        iso_task_set_sensors(out->task, out->sensors);
        status = iso_task_apply(out->task, out->world);
    }
    if (status != ISO_OK) {
        unload(session, out);
    }
    return status;
}

static iso_status show(iso_live* live, shown* s) {
    return iso_live_show(live, s->scene.name, s->world, s->task, s->sensors);
}

/// The state of the world shown before, where the new one can take it: not of another model. The
/// pages' "reset" goes back to the start of the new one.
static bool keep_state(const shown* old, shown* new_one) {
    size_t size = iso_world_state_size(old->world);
    void* state = malloc(size);
    bool is_kept = state != NULL && iso_world_save(old->world, state, size, &size) == ISO_OK &&
                   iso_world_restore(new_one->world, state, size) == ISO_OK;
    free(state);
    return is_kept;
}

/// Read the scene again; when it cannot be read, what is shown stays.
static iso_status reload(cli_session* session, const cli_options* options, iso_live* live, shown* s,
                         bool keeps_state) {
    shown next;
    bool was_playing = iso_live_is_playing(live);
    iso_status status = load(session, options, &next);
    if (status != ISO_OK) {
        (void)cli_report(session, status);
        iso_live_notify(live, iso_context_error(session->ctx));
        return ISO_OK;
    }
    status = show(live, &next);
    bool is_kept = status == ISO_OK && keeps_state && keep_state(s, &next);
    if (status == ISO_OK) {
        status = iso_world_update_contacts(next.world);
    }
    shown old = *s;
    *s = next;
    unload(session, &old);
    if (status == ISO_OK) {
        iso_live_set_playing(live, was_playing);
        iso_live_notify(live, is_kept ? "" : "read again, from the start");
    }
    return status;
}

static file_mark mark_of(const char* path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return (file_mark){0}; // an editor may be about to put it in place
    }
    return (file_mark){info.st_mtim, info.st_size};
}

static bool is_newer(const file_mark* old, const file_mark* new_one) {
    return new_one->changed.tv_sec != 0 &&
           (old->changed.tv_sec != new_one->changed.tv_sec ||
            old->changed.tv_nsec != new_one->changed.tv_nsec || old->size != new_one->size);
}

/// A file is about to be read: what is saved from now on is newer.
static void note_file(void* user, const char* path) {
    watched_files* files = user;
    int at = 0;
    while (at < files->count && strcmp(files->list[at].path, path) != 0) {
        ++at;
    }
    if (at == files->count) {
        size_t size = ((size_t)at + 1) * sizeof *files->list;
        watched_file* list = at < k_most_watched ? realloc(files->list, size) : NULL;
        files->list = list ? list : files->list;
        char* own = list ? strdup(path) : NULL;
        if (!own) {
            return; // one that is not watched
        }
        files->list[files->count++] = (watched_file){.path = own};
    }
    files->list[at].mark = mark_of(path);
}

static void forget_files(watched_files* files) {
    for (int i = 0; i < files->count; ++i) {
        free(files->list[i].path);
    }
    free(files->list);
    *files = (watched_files){0};
}

/// Whether one was saved since it was read, or since this was asked.
static bool are_newer(watched_files* files) {
    bool found = false;
    for (int i = 0; i < files->count; ++i) {
        file_mark now = mark_of(files->list[i].path);
        if (is_newer(&files->list[i].mark, &now)) {
            files->list[i].mark = now;
            found = true;
        }
    }
    return found;
}

/// Put a setting behind the others, in the place of one of the same path.
static bool add_setting(cli_options* options, char texts[k_cli_list_size][256],
                        const char* setting) {
    size_t length = strcspn(setting, "=") + 1;
    int at = 0;
    while (at < options->setting_count && strncmp(options->settings[at], setting, length) != 0) {
        ++at;
    }
    if (at == k_cli_list_size) {
        return false;
    }
    (void)snprintf(texts[at], 256, "%s", setting);
    options->settings[at] = texts[at];
    options->setting_count += at == options->setting_count ? 1 : 0;
    return true;
}

/// A setting that the scene does not take is told and forgotten.
static iso_status change_setting(cli_session* session, cli_options* options,
                                 char texts[k_cli_list_size][256], const char* setting,
                                 iso_live* live, shown* s) {
    cli_options before = *options;
    char kept[k_cli_list_size][256];
    memcpy(kept, texts, sizeof kept);
    const iso_world* old = s->world;
    if (!add_setting(options, texts, setting)) {
        iso_live_notify(live, "too many settings");
        return ISO_OK;
    }
    iso_status status = reload(session, options, live, s, true);
    if (s->world == old) {
        *options = before;
        memcpy(texts, kept, sizeof kept);
    }
    return status;
}

static iso_status serve(cli_session* session, cli_options* options, watched_files* files,
                        iso_live* live, shown* s) {
    char texts[k_cli_list_size][256] = {{0}};
    iso_status status = ISO_OK;
    while (status == ISO_OK && !is_stopped) {
        iso_live_request request;
        status = iso_live_run(live, k_slice, &request);
        bool is_saved = are_newer(files);
        if (status == ISO_OK && request.kind == ISO_LIVE_REQUEST_SET) {
            status = change_setting(session, options, texts, request.setting, live, s);
        } else if (status == ISO_OK && (request.kind == ISO_LIVE_REQUEST_RELOAD || is_saved)) {
            status = reload(session, options, live, s, false);
        }
    }
    return status;
}

static iso_status open_server(cli_session* session, const cli_options* options,
                              iso_live** out_live) {
    iso_live_desc desc = iso_live_desc_default();
    desc.page = (const char*)isobar_viewer_html;
    desc.page_size = isobar_viewer_html_size;
    desc.takes_settings = true;
    desc.port = options->live.port;
    desc.token = options->live.token;
    desc.host = options->live.host != NULL ? options->live.host : desc.host;
    desc.frame_rate = options->frame_rate > 0.0 ? options->frame_rate : desc.frame_rate;
    return iso_live_create(session->ctx, &desc, out_live);
}

static void greet(const cli_options* options, const iso_live* live) {
    bool is_here = options->live.host == NULL || strncmp(options->live.host, "127.", 4) == 0;
    if (!is_here && !options->is_quiet) {
        cli_warning("whoever reaches %s and knows the token can move this "
                    "world; the connection is not encrypted\n",
                    options->live.host);
    }
    printf("live view: %s\n", iso_live_url(live));
    if (!options->is_quiet) {
        printf("stop with Ctrl-C\n");
    }
    (void)fflush(stdout);
}

cli_exit cli_live(const cli_options* options) {
    cli_options mine = *options;
    cli_session session;
    shown s = {0};
    iso_live* live = NULL;
    if (!cli_has_viewer()) {
        return CLI_BAD_INPUT;
    }
    cli_exit code = cli_session_open(&session, &mine);
    if (code != CLI_DONE) {
        return code;
    }
    watched_files files = {0};
    session.file_fn = note_file;
    session.file_user = &files;
    iso_status status = load(&session, &mine, &s);
    if (status == ISO_OK) {
        status = open_server(&session, &mine, &live);
    }
    if (status == ISO_OK) {
        status = show(live, &s);
    }
    if (status == ISO_OK) {
        struct sigaction action = {.sa_handler = stop};
        (void)sigaction(SIGINT, &action, NULL);
        (void)sigaction(SIGTERM, &action, NULL);
        greet(&mine, live);
        status = serve(&session, &mine, &files, live, &s);
    }
    code = cli_report(&session, status);
    iso_live_destroy(live);
    unload(&session, &s);
    cli_session_close(&session);
    forget_files(&files);
    return code;
}
