// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/png_image.h"
#include "scene/build/build.h"

/// iso_png_decode() into the arena of the load, its errors with file and line.
/// @param most  values that it may have
iso_status iso_png_read(iso_scene_build* build, iso_source at, const char* path, const char* bytes,
                        size_t size, int most, iso_png_image* out);
