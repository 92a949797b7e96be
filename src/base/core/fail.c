// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/fail.h"

#include "base/core/context.h"
#include "base/core/log.h"
#include "base/core/text.h"

#include <stdio.h>
#include <string.h>

static void mark_cut(char* text, size_t size, int wanted_length) {
    if (wanted_length >= (int)size) {
        memcpy(text + size - 4, "...", 4);
    }
}

iso_status iso_fail(iso_context* ctx, iso_status status, const char* function, const char* format,
                    ...) {
    if (!ctx) {
        return status;
    }
    // Format first: an argument may point into the previous error.
    char message[ISO_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(message, sizeof message, format, args);
    va_end(args);
    mark_cut(message, sizeof message, length);
    iso_text_make_printable(message);

    iso_mutex_lock(&ctx->error_lock);
    memcpy(ctx->error, message, sizeof message);
    iso_mutex_unlock(&ctx->error_lock);
    iso_log(ctx, ISO_LOG_DEBUG, "%s: %s: %s", function, iso_status_text(status), message);
    return status;
}

iso_status iso_fail_prefix(iso_context* ctx, iso_status status, const char* format, ...) {
    if (!ctx) {
        return status;
    }
    char message[ISO_ERROR_SIZE];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(message, sizeof message, format, args);
    va_end(args);

    iso_mutex_lock(&ctx->error_lock);
    if (length >= 0 && length < (int)sizeof message) {
        size_t used = (size_t)length;
        length += snprintf(message + used, sizeof message - used, ": %s", ctx->error);
    }
    mark_cut(message, sizeof message, length);
    iso_text_make_printable(message);
    memcpy(ctx->error, message, sizeof message);
    iso_mutex_unlock(&ctx->error_lock);
    return status;
}

void iso_assert_failed(iso_context* ctx, const char* condition, const char* file, int line) {
    if (ctx) {
        ctx->desc.assert_fn(ctx->desc.assert_user, condition, file, line);
    }
}
