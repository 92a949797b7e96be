// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/log.h"

#include "base/core/context.h"
#include "base/core/fail.h"
#include "base/core/text.h"

#include <stdio.h>

#ifdef ISO_RECORD_MESSAGES
#include <stdlib.h>

/// Append a message to the file that ISOBAR_MESSAGES names: tools/collect_messages makes the
/// examples of docs/errors.md so. Not compiled otherwise.
static void record(iso_log_level level, const char* format, va_list args) {
    const char* path = getenv("ISOBAR_MESSAGES");
    FILE* file = path ? fopen(path, "a") : NULL;
    if (file) {
        char message[ISO_ERROR_SIZE];
        vsnprintf(message, sizeof message, format, args);
        iso_text_make_printable(message);
        fprintf(file, "%d\t%s\n", (int)level, message);
        fclose(file);
    }
}
#endif

void iso_log(iso_context* ctx, iso_log_level level, const char* format, ...) {
#ifdef ISO_RECORD_MESSAGES
    va_list copy;
    va_start(copy, format);
    record(level, format, copy);
    va_end(copy);
#endif
    if (!ctx || level < ctx->desc.log_level) {
        return;
    }
    char message[ISO_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    iso_text_make_printable(message);
    iso_mutex_lock(&ctx->log_lock);
    ctx->desc.log_fn(ctx->desc.log_user, level, message);
    iso_mutex_unlock(&ctx->log_lock);
}

iso_log_level iso_log_set_level(iso_context* ctx, iso_log_level level) {
    iso_log_level before = ctx->desc.log_level;
    ctx->desc.log_level = level;
    return before;
}
