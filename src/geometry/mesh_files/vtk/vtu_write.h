// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "geometry/mesh_files/vtk/volume_write.h"

/// VTK's XML format, little-endian, each array base64 of zlib blocks.
/// @return ISO_ERR_MEMORY, ISO_ERR_RANGE (an array of 4 GiB)
iso_status iso_vtu_write(iso_context* ctx, FILE* file, const iso_volume_file* volume,
                         const iso_volume_metadata* metadata);
