// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "scene/build/build.h"

/// Give geometries the Young's modulus and the dissipation with which Hertz contact rests and is
/// damped at rest as the law of points of their file (docs/scene_format.md#point_parameters), where
/// the scene asks for it and states neither; else say which laws count for nothing. After
/// iso_scene_finish(): it needs the masses.
iso_status iso_scene_map_points(iso_scene_build* build);
