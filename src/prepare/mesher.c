// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/mesher.h"

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "prepare/process.h"

#include <stdio.h>
#include <string.h>

#define LOG_MAX_SIZE ((size_t)64 * 1024 * 1024)
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
        iso_prepare_say(t->job, "%s runs, %.0f of at most %g s", t->label, seconds,
                        t->job->desc->time_limit);
    }
    return iso_prepare_is_cancelled(t->job);
}

// A log that cannot be read, or is absurdly long, is none.
static iso_status keep_log(iso_prepare_job* job, const char* path) {
    char* bytes = NULL;
    size_t size = 0;
    iso_status status = iso_file_read(job->ctx, path, LOG_MAX_SIZE, &bytes, &size);
    if (status == ISO_OK) {
        for (size_t i = 0; i < size; ++i) {
            bytes[i] = bytes[i] == '\0' ? ' ' : bytes[i];
        }
        iso_free(job->ctx, job->log);
        job->log = bytes;
    }
    return status == ISO_ERR_MEMORY ? status : ISO_OK;
}

// The last line with an error of its own, else the last line.
static void quote_log(const iso_prepare_job* job, char out_quote[QUOTE_SIZE]) {
    const char *best = "", *line = job->log ? job->log : "";
    size_t best_length = 0;
    bool has_error = false;
    while (*line) {
        size_t length = strcspn(line, "\n");
        char text[QUOTE_SIZE];
        size_t kept = length < sizeof text - 1 ? length : sizeof text - 1;
        memcpy(text, line, kept);
        text[kept] = '\0';
        bool is_error =
            strstr(text, "rror") && !strstr(text, " errors") && !strstr(text, "error summary");
        bool is_blank = strspn(text, " \t\r-") == kept;
        if (is_error || (!has_error && !is_blank)) {
            best = line;
            best_length = kept;
            has_error = is_error || has_error;
        }
        line += length + (line[length] == '\n');
    }
    memcpy(out_quote, best, best_length);
    out_quote[best_length] = '\0';
    iso_keep_one_line(out_quote);
}

static iso_status judge(iso_prepare_job* job, const char* label, const iso_process_result* result) {
    iso_context* ctx = job->ctx;
    char quote[QUOTE_SIZE];
    quote_log(job, quote);
    switch (result->end) {
    case ISO_PROCESS_EXITED:
        ISO_REQUIRE(ctx, result->code == 0, ISO_ERR_GEOMETRY, "%s failed with exit code %d: %s",
                    label, result->code, quote[0] ? quote : "it said nothing");
        return ISO_OK;
    case ISO_PROCESS_SIGNALED:
        return iso_fail(ctx, ISO_ERR_GEOMETRY, __func__,
                        "%s crashed (signal %d) after %.1f s%s%s: simplify the surface, or try the "
                        "other mesher",
                        label, result->code, result->seconds, quote[0] ? ", last words: " : "",
                        quote);
    case ISO_PROCESS_TIMEOUT:
        return iso_fail(ctx, ISO_ERR_NO_CONVERGENCE, __func__,
                        "%s was not ready after %g s and was killed: raise --time-limit, or ask "
                        "for a larger --size",
                        label, job->desc->time_limit);
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
    ISO_REQUIRE(job->ctx, log_path, ISO_ERR_MEMORY, "path of a file");
    iso_process_desc desc = {.args = args,
                             .directory = job->directory,
                             .is_secluded = is_secluded,
                             .log_path = log_path,
                             .time_limit = job->desc->time_limit,
                             .memory_limit = job->desc->memory_limit,
                             .tick = tick,
                             .user = &t};
    ISO_TRY(iso_process_run(job->ctx, &desc, &result));
    ISO_TRY(keep_log(job, log_path));
    status = judge(job, label, &result);

done:
    iso_free(job->ctx, log_path);
    return status;
}
