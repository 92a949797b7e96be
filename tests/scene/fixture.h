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
