// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/fixture.h"
#include "scene/mjcf_texts.h"

static inline void load(fixture* f, const char* text) {
    load_as(f, ISO_SCENE_FORMAT_XML, text);
}
