// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/check.h"

#include <stdio.h>

/// The last warning or error of a context, and how many there were.
typedef struct kept_warning {
    char text[512];
    int count;
} kept_warning;

static inline void keep_warning(void* user, iso_log_level level, const char* message) {
    kept_warning* kept = user;
    if (level >= ISO_LOG_WARNING) {
        (void)snprintf(kept->text, sizeof kept->text, "%s", message);
        ++kept->count;
    }
}

static inline iso_context* warned_context(kept_warning* kept) {
    *kept = (kept_warning){.count = 0};
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = keep_warning;
    desc.log_user = kept;
    iso_context* ctx = NULL;
    assert_int_equal(iso_context_create(&desc, &ctx), ISO_OK);
    return ctx;
}
