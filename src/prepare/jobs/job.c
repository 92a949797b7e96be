// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare/jobs/job.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/clock.h"
#include "base/system/process.h"

#include <stdio.h>
#include <string.h>

static void tell(iso_prepare_job* job, const char* message) {
    iso_prepare_report* r = job->report;
    if (job->callbacks.progress) {
        const char* name = r->stage_count > 0 ? r->stages[r->stage_count - 1].name : "start";
        job->callbacks.progress(job->callbacks.user, name, iso_clock_seconds() - job->start,
                                message);
    }
}

void iso_prepare_begin(iso_prepare_job* job, const char* name) {
    iso_prepare_report* r = job->report;
    job->stage_start = iso_clock_seconds();
    if (r->stage_count < ISO_PREPARE_STAGE_MAX) {
        r->stages[r->stage_count].name = name;
        ++r->stage_count;
    }
}

void iso_prepare_say(iso_prepare_job* job, const char* format, ...) {
    iso_prepare_report* r = job->report;
    char* note = r->stages[r->stage_count > 0 ? r->stage_count - 1 : 0].note;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(note, ISO_PREPARE_TEXT_SIZE, format, args);
    va_end(args);
    iso_text_make_printable(note);
    tell(job, note);
}

void iso_prepare_end(iso_prepare_job* job) {
    iso_prepare_report* r = job->report;
    if (r->stage_count > 0) {
        r->stages[r->stage_count - 1].seconds = iso_clock_seconds() - job->stage_start;
    }
}

void iso_prepare_warn(iso_prepare_job* job, const char* format, ...) {
    char text[ISO_PREPARE_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    iso_text_make_printable(text);
    iso_prepare_report* r = job->report;
    if (r->warning_count < ISO_PREPARE_WARNING_MAX) {
        memcpy(r->warnings[r->warning_count++], text, sizeof text);
    }
    if (job->callbacks.warning) {
        job->callbacks.warning(job->callbacks.user, text);
    }
}

bool iso_prepare_is_cancelled(const iso_prepare_job* job) {
    return job->callbacks.is_cancelled && job->callbacks.is_cancelled(job->callbacks.user);
}

bool iso_prepare_is_late(void* user) {
    const iso_prepare_job* job = user;
    return iso_clock_seconds() > job->deadline || iso_prepare_is_cancelled(job);
}

char* iso_prepare_path(iso_prepare_job* job, const char* name) {
    iso_text path = {0};
    if (iso_text_printf(job->ctx, &path, "%s/%s", job->directory, name) != ISO_OK) {
        iso_text_free(job->ctx, &path);
    }
    return path.data;
}
