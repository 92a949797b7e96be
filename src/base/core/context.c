// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/context.h"

#include "base/core/processor.h"

#include <stdio.h>
#include <stdlib.h>

static void log_to_stderr(void* user, iso_log_level level, const char* message) {
    static const char* const level_names[] = {"debug", "info", "warning", "error"};
    (void)user;
    fprintf(stderr, "isobar: %s: %s\n", level_names[level], message);
}

static void print_and_abort(void* user, const char* condition, const char* file, int line) {
    (void)user;
    fprintf(stderr, "%s:%d: internal check failed: %s\n", file, line, condition);
    abort();
}

const char* iso_status_text(iso_status status) {
    switch (status) {
#define ISO_STATUS_CASE(name, text) \
    case name:                      \
        return text;
        ISO_STATUS_LIST(ISO_STATUS_CASE)
#undef ISO_STATUS_CASE
    case ISO_STATUS_COUNT:
        break;
    }
    return "unknown status";
}

iso_context_desc iso_context_desc_default(void) {
    return (iso_context_desc){.log_level = ISO_LOG_WARNING};
}

iso_status iso_context_create(const iso_context_desc* desc, iso_context** out_context) {
    if (!out_context) {
        return ISO_ERR_ARGUMENT;
    }
    *out_context = NULL;
    if (!iso_processor_has_simd()) {
        return ISO_ERR_UNSUPPORTED;
    }
    iso_context_desc wanted = desc ? *desc : iso_context_desc_default();
    if (wanted.log_level < ISO_LOG_DEBUG || wanted.log_level > ISO_LOG_ERROR) {
        return ISO_ERR_ARGUMENT;
    }
    iso_context* ctx = wanted.realloc_fn
                           ? wanted.realloc_fn(wanted.realloc_user, NULL, 0, sizeof *ctx)
                           : malloc(sizeof *ctx);
    if (!ctx) {
        return ISO_ERR_MEMORY;
    }
    *ctx = (iso_context){
        .desc = wanted,
        .log_lock = ISO_MUTEX_INITIAL,
        .alloc_lock = ISO_MUTEX_INITIAL,
        .error_lock = ISO_MUTEX_INITIAL,
    };
    if (!wanted.log_fn) {
        ctx->desc.log_fn = log_to_stderr;
    }
    if (!wanted.assert_fn) {
        ctx->desc.assert_fn = print_and_abort;
    }
    *out_context = ctx;
    return ISO_OK;
}

void iso_context_destroy(iso_context* ctx) {
    if (!ctx) {
        return;
    }
    iso_mutex_destroy(&ctx->log_lock);
    iso_mutex_destroy(&ctx->alloc_lock);
    iso_mutex_destroy(&ctx->error_lock);
    iso_context_desc desc = ctx->desc;
    if (desc.realloc_fn) {
        desc.realloc_fn(desc.realloc_user, ctx, sizeof *ctx, 0);
    } else {
        free(ctx);
    }
}

const char* iso_context_error(const iso_context* ctx) {
    return ctx ? ctx->error : "";
}

const char* iso_version(void) {
    return ISO_VERSION_TEXT;
}

const char* iso_simd_backend(void) {
#if defined(ISO_SIMD_AVX512)
    return "avx512";
#elif defined(ISO_SIMD_AVX2)
    return "avx2";
#elif defined(ISO_SIMD_NEON)
    return "neon";
#else
    return "scalar";
#endif
}
