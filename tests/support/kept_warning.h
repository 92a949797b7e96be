// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/check.h"

#include <stdio.h>
#include <string.h>

/// The last warning or error of a context, and how many there were.
typedef struct kept_warning {
    const char* part; ///< of the text of those that are kept and counted; NULL: all
    char text[512];
    int count;
} kept_warning;

static inline void keep_warning(void* user, iso_log_level level, const char* message) {
    kept_warning* kept = user;
    if (level >= ISO_LOG_WARNING && (!kept->part || strstr(message, kept->part))) {
        (void)snprintf(kept->text, sizeof kept->text, "%s", message);
        ++kept->count;
    }
}

static inline iso_context* warned_context_of(kept_warning* kept, const char* part) {
    *kept = (kept_warning){.part = part};
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = keep_warning;
    desc.log_user = kept;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    return ctx;
}

static inline iso_context* warned_context(kept_warning* kept) {
    return warned_context_of(kept, NULL);
}
