// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/log.h"

#include "base/core/context.h"
#include "base/core/fail.h"
#include "base/core/text.h"

#include <stdio.h>

void iso_log(iso_context* ctx, iso_log_level level, const char* format, ...) {
    if (!ctx || level < ctx->desc.log_level) {
        return;
    }
    char message[ISO_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    iso_text_make_printable(message);
    pthread_mutex_lock(&ctx->log_lock);
    ctx->desc.log_fn(ctx->desc.log_user, level, message);
    pthread_mutex_unlock(&ctx->log_lock);
}

iso_log_level iso_log_set_level(iso_context* ctx, iso_log_level level) {
    iso_log_level before = ctx->desc.log_level;
    ctx->desc.log_level = level;
    return before;
}
