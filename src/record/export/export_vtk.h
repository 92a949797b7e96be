// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"

/// One frame as bodies.vtp and patches.vtp in a directory, made when missing.
iso_status iso_frame_export_vtk(iso_context* ctx, const iso_recorded_model* model,
                                const iso_recorded_frame* frame, const char* directory);
