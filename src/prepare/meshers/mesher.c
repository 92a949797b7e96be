// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/meshers/mesher.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/process.h"

#include <stdio.h>
#include <string.h>

#define LOG_MAX_SIZE ((size_t)64 * 1024 * 1024)
#define MEBIBYTE 1048576.0
#define QUOTE_SIZE 240 // of a mesher's words in a message

iso_status iso_prepare_write(iso_prepare_job* job, const char* name, const void* bytes,
                             size_t size) {
    char* path = iso_prepare_path(job, name);
    ISO_REQUIRE(job->ctx, path, ISO_ERR_MEMORY, "path of a file");
    FILE* file = fopen(path, "wb");
    bool is_written = file && fwrite(bytes, 1, size, file) == size;
    is_written = file && fclose(file) == 0 && is_written;
    iso_status status = ISO_OK;
    if (!is_written) {
        status = iso_fail(job->ctx, ISO_ERR_IO, __func__, "%s: cannot be written", path);
    }
    iso_free(job->ctx, path);
    return status;
}

// The stage says that it goes on: every second at first, later every tenth.
typedef struct ticker {
    iso_prepare_job* job;
    const char* label;
    double last;
} ticker;

static bool tick(void* user, double seconds) {
    ticker* t = user;
    if (seconds - t->last >= (seconds < 10.0 ? 1.0 : 10.0)) {
        t->last = seconds;
        iso_prepare_say(t->job, "%s runs, %.0f of at most %.4g s", t->label, seconds,
                        t->job->time_limit);
    }
    return iso_prepare_is_cancelled(t->job);
}

// The run's words after those of the runs before, under a line with its label. A log that cannot be
// read, or is absurdly long, is none.
static iso_status keep_log(iso_prepare_job* job, const char* label, const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    iso_text text = {0};
    iso_status status = iso_file_read(job->ctx, path, LOG_MAX_SIZE, &bytes, &size);
    if (status != ISO_OK) {
        return status == ISO_ERR_MEMORY ? status : ISO_OK;
    }
    for (size_t i = 0; i < size; ++i) {
        bytes[i] = bytes[i] == '\0' ? ' ' : bytes[i];
    }
    size_t before = job->log ? strlen(job->log) : 0;
    bool is_cut = before > 0 && job->log[before - 1] != '\n';
    ISO_TRY(iso_text_printf(job->ctx, &text, "%s%s--- %s ---\n", job->log ? job->log : "",
                            is_cut ? "\n" : "", label));
    size_t start = text.length;
    ISO_TRY(iso_text_append(job->ctx, &text, bytes, size));
    iso_free(job->ctx, job->log);
    job->log = text.data;
    job->log_start = start;
    text = (iso_text){0};

done:
    iso_text_free(job->ctx, &text);
    iso_free(job->ctx, bytes);
    return status;
}

typedef enum line_worth { k_blank, k_words, k_error_inside, k_error_first } line_worth;

static line_worth judge_line(const char* text) {
    const char* start = text + strspn(text, " \t");
    size_t word = strspn(start, "Eerrors: \t\r-"); // "Error   : -----" is a rule
    if (start[word] == '\0') {
        return k_blank;
    }
    if (strstr(text, " errors") || strstr(text, " warning") || strstr(text, "error summary")) {
        return k_words;
    }
    bool is_first = strncmp(start, "Error", 5) == 0 || strncmp(start, "error", 5) == 0;
    return is_first ? k_error_first : (strstr(text, "rror") ? k_error_inside : k_words);
}

// The first line of the last run that begins with "Error" and says something; else the last one
// with an error inside (Python's come at the end); else the last line with words.
static void quote_log(const iso_prepare_job* job, char out_quote[QUOTE_SIZE]) {
    const char* line = job->log ? job->log + job->log_start : "";
    line_worth best = k_blank;
    out_quote[0] = '\0';
    while (*line && best != k_error_first) {
        size_t length = strcspn(line, "\n");
        char text[QUOTE_SIZE];
        size_t kept = length < sizeof text - 1 ? length : sizeof text - 1;
        memcpy(text, line, kept);
        text[kept] = '\0';
        line_worth worth = judge_line(text);
        if (worth != k_blank && worth >= best) {
            memcpy(out_quote, text, kept + 1);
            best = worth;
        }
        line += length + (line[length] == '\n');
    }
    iso_text_make_printable(out_quote);
}

static iso_status judge(iso_prepare_job* job, const char* label, const iso_process_result* result) {
    iso_context* ctx = job->ctx;
    char quote[QUOTE_SIZE];
    char limit[64] = "";
    if (job->desc->memory_limit > 0.0) {
        (void)snprintf(limit, sizeof limit, " (--memory-limit is %g MiB)",
                       job->desc->memory_limit / MEBIBYTE);
    }
    quote_log(job, quote);
    job->has_crashed = result->end == ISO_PROCESS_SIGNALED;
    switch (result->end) {
    case ISO_PROCESS_EXITED:
        ISO_REQUIRE(ctx, result->code == 0, ISO_ERR_GEOMETRY, "%s failed with exit code %d: %s%s",
                    label, result->code, quote[0] ? quote : "it said nothing", limit);
        return ISO_OK;
    case ISO_PROCESS_SIGNALED:
        return iso_fail(ctx, ISO_ERR_GEOMETRY, __func__,
                        "%s crashed (signal %d) after %.1f s%s%s%s", label, result->code,
                        result->seconds, quote[0] ? ", last words: " : "", quote, limit);
    case ISO_PROCESS_TIMEOUT:
        return iso_fail(ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                        "%s was not ready after %.4g s%s and was killed: raise --time-limit or "
                        "--size, or take a surface of fewer triangles (a collision mesh)",
                        label, job->time_limit,
                        job->time_limit < job->desc->time_limit ? ", its part of the time limit,"
                                                                : "");
    case ISO_PROCESS_CANCELLED:
        break;
    }
    return iso_fail(ctx, ISO_ERR_NO_CONVERGENCE, __func__, "cancelled while %s ran", label);
}

iso_status iso_mesher_run(iso_prepare_job* job, const char* label, const char* const* args,
                          bool is_secluded) {
    ticker t = {job, label, 0.0};
    iso_process_result result;
    iso_status status = ISO_OK;
    char* log_path = iso_prepare_path(job, "log.txt");
    job->has_crashed = false; // not even begun
    ISO_REQUIRE(job->ctx, log_path, ISO_ERR_MEMORY, "path of a file");
    iso_process_desc desc = {.args = args,
                             .directory = job->directory,
                             .is_secluded = is_secluded,
                             .log_path = log_path,
                             .time_limit = job->time_limit,
                             .memory_limit = job->desc->memory_limit,
                             .tick = tick,
                             .user = &t};
    ISO_TRY(iso_process_run(job->ctx, &desc, &result));
    ISO_TRY(keep_log(job, label, log_path));
    status = judge(job, label, &result);

done:
    iso_free(job->ctx, log_path);
    return status;
}
