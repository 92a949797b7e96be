// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/fixture.h"
#include "scene/mjcf_texts.h"

static inline void load(fixture* f, const char* text) {
    load_as(f, ISO_SCENE_FORMAT_XML, text);
}

/// The same, from a keyframe on.
static inline void load_from(fixture* f, const char* keyframe, const char* text) {
    char line[128];
    const char* setting = line;
    snprintf(line, sizeof line, "simulation.keyframe=%s", keyframe);
    iso_scene_options options = {.settings = &setting, .setting_count = 1};
    iso_scene_destroy(f->ctx, &f->scene);
    CHECK_OK(f->ctx, iso_scene_load_bytes(f->ctx, "test.xml", ISO_SCENE_FORMAT_XML, text,
                                          strlen(text), &options, &f->scene));
}
