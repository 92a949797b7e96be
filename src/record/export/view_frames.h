// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "isobar/record.h"
#include "record/compact/pairs.h"
#include "record/json/bytes.h"

/// Blocks of a frame: numbers and polygons, packed and deflated.
#define ISO_VIEW_BLOCKS 2

/// The frames of a page in the making. When they take more than a limit, every second frame is
/// dropped, as often as it takes.
typedef struct iso_view_piece {
    double time;
    double energy[4]; ///< kinetic, potential, elastic, their sum [J]
    size_t offset;    ///< of the blocks, one after the other
    size_t sizes[ISO_VIEW_BLOCKS];
    int frame_number; ///< among all that were offered
} iso_view_piece;

typedef struct iso_view_frames {
    iso_context* ctx;
    size_t size_limit;
    int stride; ///< of the frames offered, every stride-th is kept
    int offered_count;
    iso_bytes blocks;
    iso_bytes scratch;
    ISO_ARRAY(iso_view_piece) pieces;
    iso_pair_list pairs;
} iso_view_frames;

iso_view_frames iso_view_frames_make(iso_context* ctx, size_t size_limit);
void iso_view_frames_free(iso_view_frames* frames);
/// @param with_polygons  keep the faces of this frame
iso_status iso_view_frames_offer(iso_view_frames* frames, const iso_recorded_model* model,
                                 const iso_recorded_frame* frame, bool with_polygons);
