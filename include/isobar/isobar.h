// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Everything a user of the library may rely on. Conventions: docs/conventions.md.

#include "isobar/base.h"
#include "isobar/batch.h"
#include "isobar/bristle.h"
#include "isobar/contact.h"
#include "isobar/dynamics.h"
#include "isobar/field.h"
#include "isobar/friction.h"
#include "isobar/geometry.h"
#include "isobar/identify.h"
#include "isobar/lab.h"
#include "isobar/lab_rigid.h"
#include "isobar/learned.h"
#include "isobar/linearize.h"
#include "isobar/live.h"
#include "isobar/math.h"
#include "isobar/mesh_file.h"
#include "isobar/model.h"
#include "isobar/mover.h"
#include "isobar/names.h"
#include "isobar/prepare.h"
#include "isobar/query.h"
#include "isobar/record.h"
#include "isobar/scene.h"
#include "isobar/sensor.h"
#include "isobar/slide.h"
#include "isobar/state.h"
#include "isobar/sweep.h"
#include "isobar/task.h"
#include "isobar/tribology.h"
#include "isobar/vector.h"
#include "isobar/volume.h"
#include "isobar/world.h"
