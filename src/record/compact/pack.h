// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/record.h"
#include "record/compact/pairs.h"
#include "record/json/bytes.h"

// A frame in few bytes, for the viewer's page and for live views: docs/recording.md, "Packed
// frames". Two blocks, numbers and polygons, each put at the end of a buffer. The world's own
// numbers stay 32-bit floats; polygons are rounded to a grid of their own patch.

/// Shares of the mean edge and of the range of pressures of a patch that its grid resolves.
#define ISO_PACK_EDGE_STEPS 100.0
#define ISO_PACK_PRESSURE_STEPS 1023.0

/// Time, energy, poses, joint positions, values of sensors, and one row a contact. Pairs that are
/// met for the first time are added.
/// @return ISO_ERR_MEMORY
iso_status iso_pack_numbers(iso_bytes* out, const iso_recorded_model* model,
                            const iso_recorded_frame* frame, iso_pair_list* pairs);

/// The faces of every contact, in the order of iso_pack_numbers(); contacts without kept faces have
/// none. Takes O(vertices) of scratch.
/// @return ISO_ERR_MEMORY
iso_status iso_pack_polygons(iso_bytes* out, const iso_recorded_frame* frame);

/// Raw DEFLATE (RFC 1951) of some bytes, put at the end of a buffer.
/// @param level  of zlib, 1 to 9
/// @return ISO_ERR_MEMORY
iso_status iso_pack_deflate(iso_bytes* out, const void* bytes, size_t size, int level);
