// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// Record an error in the context (NULL tolerated) and return its status. The message should be
/// one line: what, where (file:line, name), the offending value, the expected range.
iso_status iso_fail(iso_context* ctx, iso_status status, const char* function, const char* format,
                    ...) ISO_PRINTF(4, 5);

/// Replace the last error by "prefix: last error", keeping the status (adds file or name on the way
/// up). Returns status.
iso_status iso_fail_prefix(iso_context* ctx, iso_status status, const char* format, ...)
    ISO_PRINTF(3, 4);

/// Return an error if the caller broke the contract. Stays on in release builds.
#define ISO_REQUIRE(ctx, condition, status, ...)                 \
    do {                                                         \
        if (!(condition)) {                                      \
            return iso_fail(ctx, status, __func__, __VA_ARGS__); \
        }                                                        \
    } while (0)

/// Run a step; on failure jump to the single clean-up label `done`. Needs a local `status`.
#define ISO_TRY(call)           \
    do {                        \
        status = (call);        \
        if (status != ISO_OK) { \
            goto done;          \
        }                       \
    } while (0)

/// As ISO_REQUIRE, but jumps to `done` so that what was built can be released.
#define ISO_CHECK(ctx, condition, code, ...)                     \
    do {                                                         \
        if (!(condition)) {                                      \
            status = iso_fail(ctx, code, __func__, __VA_ARGS__); \
            goto done;                                           \
        }                                                        \
    } while (0)

/// Report a failed internal check through the context's hook.
void iso_assert_failed(iso_context* ctx, const char* condition, const char* file, int line);

/// Our bug if false: on in debug and sanitizer builds (ISO_ENABLE_ASSERT).
#if defined(ISO_ENABLE_ASSERT)
#define ISO_ASSERT(ctx, condition) \
    ((condition) ? (void)0 : iso_assert_failed(ctx, #condition, __FILE__, __LINE__))
#else
#define ISO_ASSERT(ctx, condition) ((void)sizeof(condition))
#endif

/// Expensive whole-object checks, on only with ISO_ENABLE_VALIDATE.
#if defined(ISO_ENABLE_VALIDATE)
#define ISO_VALIDATE(ctx, condition) ISO_ASSERT(ctx, condition)
#else
#define ISO_VALIDATE(ctx, condition) ((void)sizeof(condition))
#endif
