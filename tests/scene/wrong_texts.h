// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Texts that a reader refuses.

#include "scene/load.h"
#include "support/failing_context.h"

typedef struct wrong_text {
    iso_status status;
    const char* text;
    const char* message; ///< part of the error
} wrong_text;

/// Each is refused with its status and message, in one line; nothing is built, nothing leaks.
static inline void check_wrong_texts(iso_scene_format_kind format, const wrong_text* cases,
                                     size_t count) {
    iso_context* ctx = test_context();
    for (size_t i = 0; i < count; ++i) {
        iso_scene scene;
        iso_status status = load_text(ctx, format, cases[i].text, &scene);
        CHECK(status == cases[i].status, "case %d: '%s', expected '%s': %s", (int)i,
              iso_status_text(status), iso_status_text(cases[i].status), iso_context_error(ctx));
        CHECK_ERROR(ctx, cases[i].message);
        assert_null(strchr(iso_context_error(ctx), '\n'));
        assert_null(scene.model);
        assert_null(scene.name);
    }
    test_context_destroy(ctx); // fails on leaks
}
