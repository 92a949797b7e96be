// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/render/render.h"

#include "cli/render/program.h"

#include "cli/parts/session.h"
#include "cli/parts/text.h"

#include "isobar_viewer_html.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

enum { k_least_side = 16, k_most_side = 4096, k_most_frames = 100000 };
static const double k_film_rate = 30.0;

bool cli_render_take(cli_options* options, const char* name, const char* value) {
    cli_render_options* render = &options->render;
    if (strcmp(name, "--size") == 0) {
        char rest;
        return sscanf(value, "%4dx%4d%c", &render->width, &render->height, &rest) == 2 &&
               render->width >= k_least_side && render->width <= k_most_side &&
               render->height >= k_least_side && render->height <= k_most_side &&
               render->width % 2 == 0 && render->height % 2 == 0;
    }
    if (strcmp(name, "--at") == 0) {
        render->has_time = cli_parse_not_negative(value, &render->time);
        return render->has_time;
    }
    if (strcmp(name, "--speed") == 0) {
        return cli_parse_positive(value, &render->speed);
    }
    if (strcmp(name, "--camera") == 0) {
        double* c = render->camera;
        char rest;
        render->has_camera = sscanf(value, "%lf,%lf,%lf,%lf,%lf,%lf%c", c, c + 1, c + 2, c + 3,
                                    c + 4, c + 5, &rest) == 6;
        for (int i = 0; i < 6; ++i) {
            render->has_camera &= isfinite(c[i]) && fabs(c[i]) < 1e6;
        }
        return render->has_camera && (c[0] != c[3] || c[1] != c[4] || c[2] != c[5]);
    }
    return false;
}

double cli_render_time(const cli_render* render, int frame) {
    return fmin(render->start + frame * render->speed / render->rate, render->end);
}

unsigned char* cli_base64_bytes(const char* text, size_t length, size_t* out_size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned char values[256];
    memset(values, 255, sizeof values);
    for (int i = 0; i < 64; ++i) {
        values[(unsigned char)digits[i]] = (unsigned char)i;
    }
    while (length > 0 && text[length - 1] == '=') {
        --length;
    }
    unsigned char* bytes = malloc(length + 1);
    size_t size = 0;
    uint32_t bits = 0;
    for (size_t i = 0; bytes != NULL && i < length; ++i) {
        unsigned char value = values[(unsigned char)text[i]];
        if (value == 255) {
            free(bytes);
            return NULL;
        }
        bits = bits << 6 | value;
        if (i % 4 != 0) {
            bytes[size++] = (unsigned char)(bits >> (6 - 2 * (i % 4)));
        }
    }
    *out_size = size;
    return bytes;
}

unsigned char* cli_render_bytes(cli_render* render, const char* call, size_t* out_size) {
    json_t* value = cli_browser_evaluate(&render->browser, call);
    unsigned char* bytes = NULL;
    if (value != NULL) {
        const char* text = json_string_value(value);
        bytes = text != NULL ? cli_base64_bytes(text, json_string_length(value), out_size) : NULL;
        if (bytes == NULL) {
            (void)snprintf(render->browser.error, sizeof render->browser.error,
                           "the page has answered what is no picture");
        }
    }
    json_decref(value);
    return bytes;
}

static bool fail(cli_render* render, const char* message, const char* what) {
    (void)snprintf(render->browser.error, sizeof render->browser.error, message, what);
    return false;
}

/// Writes bytes whole or not at all; false after the error was put into render->browser.error.
static bool write_file(cli_render* render, const void* bytes, size_t size) {
    iso_status status = bytes == NULL ? ISO_ERR_MEMORY
                                      : iso_lab_text_write(render->session->ctx,
                                                           render->options->output, bytes, size);
    return status == ISO_OK || fail(render, "%s", iso_context_error(render->session->ctx));
}

static bool write_picture(cli_render* render) {
    char call[64];
    double time = render->options->render.has_time ? render->options->render.time : render->end;
    size_t size = 0;
    (void)snprintf(call, sizeof call, "isobar.film.picture(%.17g)", time);
    unsigned char* bytes = cli_render_bytes(render, call, &size);
    bool is_written = bytes != NULL && write_file(render, bytes, size);
    free(bytes);
    return is_written;
}

/// The browser's own encoder.
static bool write_webm(cli_render* render) {
    char call[64];
    (void)snprintf(call, sizeof call, "isobar.film.begin(%.17g)", render->rate);
    json_t* value = cli_browser_evaluate(&render->browser, call);
    for (int i = 0; value != NULL && i < render->count; ++i) {
        json_decref(value);
        (void)snprintf(call, sizeof call, "isobar.film.add(%.17g)", cli_render_time(render, i));
        value = cli_browser_evaluate(&render->browser, call);
        progress_update(&render->progress, i + 1, 0.0);
    }
    bool is_good = value != NULL;
    json_decref(value);
    size_t size = 0;
    unsigned char* bytes = is_good ? cli_render_bytes(render, "isobar.film.end()", &size) : NULL;
    bool is_written = bytes != NULL && write_file(render, bytes, size);
    free(bytes);
    return is_written;
}

/// Where ffmpeg is. @return whether there is one
static bool find_ffmpeg(char* out_program, size_t size) {
    const char* named = getenv("ISOBAR_FFMPEG");
    bool is_named = named != NULL && *named != '\0';
    return cli_find_program(is_named ? named : "ffmpeg", out_program, size);
}

/// Films of other endings than .webm are ffmpeg's.
static bool is_by_ffmpeg(const char* ending) {
    return strcasecmp(ending, ".webm") != 0 && strcasecmp(ending, ".png") != 0 &&
           strcasecmp(ending, ".npz") != 0;
}

/// ffmpeg, which makes a film in the browser's folder of the pictures it is written.
static pid_t start_ffmpeg(cli_render* render, const char* path, int* out_descriptor) {
    char rate[32];
    (void)snprintf(rate, sizeof rate, "%.17g", render->rate);
    const char* args[] = {"ffmpeg",   "-v",      "error",      "-y",         "-f", "image2pipe",
                          "-c:v",     "png",     "-framerate", rate,         "-i", "-",
                          "-pix_fmt", "yuv420p", "-movflags",  "+faststart", path, NULL};
    char program[4096];
    int ends[2];
    if (!find_ffmpeg(program, sizeof program) || pipe(ends) != 0) {
        return 0;
    }
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    int code = posix_spawn(&child, program, &actions, NULL, (char* const*)args, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (code != 0) {
        close(ends[1]);
        return 0;
    }
    *out_descriptor = ends[1];
    return child;
}

static bool write_all(int descriptor, const unsigned char* bytes, size_t size) {
    while (size > 0) {
        ssize_t part = write(descriptor, bytes, size);
        if (part < 0 && errno != EINTR) {
            return false;
        }
        bytes += part > 0 ? part : 0;
        size -= part > 0 ? (size_t)part : 0;
    }
    return true;
}

/// What a file holds, release with free(); NULL: cannot be read.
static unsigned char* read_file(const char* path, size_t* out_size) {
    FILE* file = fopen(path, "rb");
    long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    unsigned char* bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (bytes != NULL) {
        rewind(file);
        *out_size = fread(bytes, 1, (size_t)size, file);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return bytes;
}

static bool write_by_ffmpeg(cli_render* render, const char* ending) {
    char path[320], call[64];
    int descriptor = -1, state = 0;
    (void)snprintf(path, sizeof path, "%s/film%s", render->browser.folder, ending);
    pid_t child = start_ffmpeg(render, path, &descriptor);
    if (child == 0) {
        return fail(render, "%s: ffmpeg does not start", render->options->output);
    }
    bool is_good = true;
    for (int i = 0; is_good && i < render->count; ++i) {
        size_t size = 0;
        (void)snprintf(call, sizeof call, "isobar.film.picture(%.17g)", cli_render_time(render, i));
        unsigned char* bytes = cli_render_bytes(render, call, &size);
        is_good = bytes != NULL && (write_all(descriptor, bytes, size) ||
                                    fail(render, "%s: ffmpeg has ended", render->options->output));
        free(bytes);
        progress_update(&render->progress, i + 1, 0.0);
    }
    close(descriptor);
    bool has_ended = waitpid(child, &state, 0) == child && state == 0;
    size_t size = 0;
    unsigned char* film = is_good && has_ended ? read_file(path, &size) : NULL;
    if (is_good && film == NULL) {
        return fail(render, "%s: ffmpeg could not make this film", render->options->output);
    }
    is_good = is_good && write_file(render, film, size);
    free(film);
    return is_good;
}

/// Frames of a film, or one.
static bool lay_out(cli_render* render, bool is_still) {
    const cli_render_options* wanted = &render->options->render;
    double count =
        is_still ? 1.0
                 : floor((render->end - render->start) * render->rate / render->speed + 1e-6) + 1.0;
    if (count > k_most_frames) {
        return fail(render,
                    "%s: more than 100000 frames; choose a larger --speed or a smaller "
                    "--frame-rate",
                    render->options->output);
    }
    if (wanted->has_time && (wanted->time < render->start || wanted->time > render->end)) {
        (void)snprintf(render->browser.error, sizeof render->browser.error,
                       "%s: --at is %g s, expected %g to %g s, which the recording holds",
                       render->options->input, wanted->time, render->start, render->end);
        return false;
    }
    render->count = (int)count;
    return true;
}

/// Make the page and let the browser open it.
static bool open_page(cli_render* render, iso_recording* recording, bool is_still) {
    const cli_render_options* wanted = &render->options->render;
    iso_view_desc desc = iso_view_desc_default();
    desc.frame_rate = is_still || wanted->has_time ? 1e9 : render->rate / render->speed;
    char path[320], call[256], camera[200] = "";
    (void)snprintf(path, sizeof path, "%s/page.html", render->browser.folder);
    iso_status status = iso_recording_write_view(recording, (const char*)isobar_viewer_html,
                                                 isobar_viewer_html_size, path, &desc);
    if (status != ISO_OK) {
        return fail(render, "%s", iso_context_error(render->session->ctx));
    }
    if (wanted->has_camera) {
        const double* c = wanted->camera;
        (void)snprintf(camera, sizeof camera, ", [%.9g,%.9g,%.9g], [%.9g,%.9g,%.9g]", c[0], c[1],
                       c[2], c[3], c[4], c[5]);
    }
    (void)snprintf(call, sizeof call, "isobar.film.open(%d, %d%s)", render->width, render->height,
                   camera);
    json_t* about = cli_browser_show(&render->browser, "page.html")
                        ? cli_browser_evaluate(&render->browser, call)
                        : NULL;
    render->start = json_number_value(json_object_get(about, "start"));
    render->end = json_number_value(json_object_get(about, "end"));
    render->bodies = json_incref(json_object_get(about, "bodies"));
    bool is_open = about != NULL;
    json_decref(about);
    return is_open;
}

/// That of the file's own name, with its point; "": it has none.
static const char* ending_of(const char* path) {
    const char* slash = strrchr(path, '/');
    const char* point = strrchr(slash != NULL ? slash : path, '.');
    return point != NULL && point[1] != '\0' ? point : "";
}

static bool make(cli_render* render, iso_recording* recording) {
    const char* ending = ending_of(render->options->output);
    bool is_still = strcasecmp(ending, ".png") == 0;
    if (!cli_browser_open(&render->browser) || !open_page(render, recording, is_still) ||
        !lay_out(render, is_still)) {
        return false;
    }
    if (is_still) {
        return write_picture(render);
    }
    render->progress = progress_begin(render->options, "film", render->count, 0.0);
    bool is_made = is_by_ffmpeg(ending) ? write_by_ffmpeg(render, ending)
                   : strcasecmp(ending, ".webm") == 0
                       ? write_webm(render)
                       : cli_render_arrays(render, render->options->output);
    progress_end(&render->progress, render->count, 0.0);
    return is_made;
}

static cli_exit render_recording(cli_session* session, const cli_options* options) {
    const cli_render_options* wanted = &options->render;
    cli_render render = {.session = session,
                         .options = options,
                         .width = wanted->width > 0 ? wanted->width : 1280,
                         .height = wanted->height > 0 ? wanted->height : 720,
                         .speed = wanted->speed > 0.0 ? wanted->speed : 1.0,
                         .rate = options->frame_rate > 0.0 ? options->frame_rate : k_film_rate};
    iso_recording* recording = NULL;
    iso_status status = cli_open_recording(session, options, &recording);
    if (status != ISO_OK) {
        return cli_report(session, status);
    }
    bool is_made = make(&render, recording);
    if (!is_made) {
        cli_error("%s\n", render.browser.error);
    } else if (!options->is_quiet) {
        printf("%s: %d x %d, %d frame%s\n", options->output, render.width, render.height,
               render.count, cli_plural(render.count));
    }
    json_decref(render.bodies);
    cli_browser_close(&render.browser);
    iso_recording_close(recording);
    return is_made ? CLI_DONE : CLI_BAD_INPUT;
}

/// A film has no time of its own, what is one picture no rate; NULL: none.
static const char* find_useless(const cli_options* options) {
    const char* ending = ending_of(options->output);
    bool is_still = strcasecmp(ending, ".png") == 0, is_arrays = strcasecmp(ending, ".npz") == 0;
    bool has_time = options->render.has_time;
    bool is_one = is_still || (is_arrays && has_time);
    return has_time && !is_still && !is_arrays     ? "--at"
           : is_one && options->render.speed > 0.0 ? "--speed"
           : is_one && options->frame_rate > 0.0   ? "--frame-rate"
                                                   : NULL;
}

cli_exit cli_render_command(const cli_options* options) {
    if (options->output == NULL) {
        cli_error("-o FILE.webm, .mp4, .gif, .png or .npz is missing\n");
        return CLI_USAGE;
    }
    const char* useless = find_useless(options);
    if (useless != NULL) {
        cli_error("%s does nothing for '%s'%s, expected without\n", useless, options->output,
                  options->render.has_time && useless[2] != 'a' ? " --at T" : "");
        return CLI_USAGE;
    }
    char program[4096];
    if (is_by_ffmpeg(ending_of(options->output)) && !find_ffmpeg(program, sizeof program)) {
        cli_error("'%s' needs ffmpeg, which is not on PATH nor named by ISOBAR_FFMPEG; a .webm "
                  "needs none\n",
                  options->output);
        return CLI_BAD_INPUT;
    }
    if (!cli_has_viewer()) {
        return CLI_BAD_INPUT;
    }
    cli_session session;
    cli_exit code = cli_session_open(&session, options);
    if (code == CLI_DONE) {
        code = render_recording(&session, options);
        cli_session_close(&session);
    }
    return code;
}
