// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A scene to load into and the log that came with it, fresh for every test of a reader.

#include "scene/load.h"

typedef struct fixture {
    kept_log log;
    iso_context* ctx;
    iso_scene scene;
} fixture;

static int setup(void** state) {
    static fixture f; // one test at a time
    f.ctx = keeping_context(&f.log);
    f.scene = (iso_scene){0};
    *state = &f;
    return 0;
}

static int teardown(void** state) {
    fixture* f = *state;
    iso_scene_destroy(f->ctx, &f->scene);
    iso_context_destroy(f->ctx);
    return 0;
}

/// In place of what was loaded before; it must be right.
static inline void load_as(fixture* f, iso_scene_format_kind format, const char* text) {
    iso_scene_destroy(f->ctx, &f->scene);
    CHECK_OK(f->ctx, load_text(f->ctx, format, text, &f->scene));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
