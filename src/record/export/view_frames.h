// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/array.h"
#include "isobar/record.h"
#include "record/json/bytes.h"

#define ISO_VIEW_TEXTS 4

/// The frames of a page in the making, as JSON pieces: poses, joint positions, contacts, values of
/// sensors. When they take more than a limit, every second frame is dropped, as often as it takes.
typedef struct iso_view_piece {
    double time;
    double energy[4]; ///< kinetic, potential, elastic, their sum [J]
    size_t offset;    ///< of the texts, one after the other
    size_t sizes[ISO_VIEW_TEXTS];
    int frame_number; ///< among all that were offered
} iso_view_piece;

/// Geometries in contact; the index is the page's number of the pair.
typedef struct iso_view_pair {
    int body_a, body_b;
    char* geometry_a;
    char* geometry_b;
} iso_view_pair;

typedef struct iso_view_frames {
    iso_context* ctx;
    size_t size_limit;
    int stride; ///< of the frames offered, every stride-th is kept
    int offered_count;
    iso_bytes text;
    ISO_ARRAY(iso_view_piece) pieces;
    ISO_ARRAY(iso_view_pair) pairs;
} iso_view_frames;

iso_view_frames iso_view_frames_make(iso_context* ctx, size_t size_limit);
void iso_view_frames_free(iso_view_frames* frames);
iso_status iso_view_frames_offer(iso_view_frames* frames, const iso_recorded_model* model,
                                 const iso_recorded_frame* frame);
/// True when these bodies touch with more than one pair of geometries.
bool iso_view_pair_is_ambiguous(const iso_view_frames* frames, int pair);
