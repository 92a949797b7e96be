// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/export/view_frames.h"

#include "base/core/fail.h"
#include "record/compact/pack.h"

#include <string.h>

// Higher levels take several times as long for a few per cent.
#define LEVEL 7

iso_view_frames iso_view_frames_make(iso_context* ctx, size_t size_limit) {
    return (iso_view_frames){.ctx = ctx,
                             .size_limit = size_limit,
                             .stride = 1,
                             .blocks = iso_bytes_make(ctx),
                             .scratch = iso_bytes_make(ctx),
                             .pairs = iso_pair_list_make(ctx)};
}

void iso_view_frames_free(iso_view_frames* frames) {
    iso_pair_list_free(&frames->pairs);
    ISO_ARRAY_FREE(frames->ctx, &frames->pieces);
    iso_bytes_free(&frames->blocks);
    iso_bytes_free(&frames->scratch);
}

static size_t piece_size(const iso_view_piece* piece) {
    size_t size = 0;
    for (int i = 0; i < ISO_VIEW_BLOCKS; ++i) {
        size += piece->sizes[i];
    }
    return size;
}

// Drop every second frame until the rest fits; the first always stays.
static void thin_out(iso_view_frames* frames) {
    while (frames->blocks.size > frames->size_limit && frames->pieces.count > 1) {
        size_t size = 0;
        int kept = 0;
        frames->stride *= 2;
        for (int i = 0; i < frames->pieces.count; ++i) {
            iso_view_piece piece = frames->pieces.data[i];
            if (piece.frame_number % frames->stride != 0) {
                continue;
            }
            memmove(frames->blocks.data + size, frames->blocks.data + piece.offset,
                    piece_size(&piece));
            piece.offset = size;
            size += piece_size(&piece);
            frames->pieces.data[kept++] = piece;
        }
        frames->pieces.count = kept;
        frames->blocks.size = size;
    }
}

// The scratch, deflated, as the next block of a piece.
static iso_status put_block(iso_view_frames* frames, iso_view_piece* piece, int block) {
    size_t before = frames->blocks.size;
    iso_status status = iso_bytes_status(&frames->scratch);
    if (status == ISO_OK && frames->scratch.size > 0) {
        status =
            iso_pack_deflate(&frames->blocks, frames->scratch.data, frames->scratch.size, LEVEL);
    }
    piece->sizes[block] = frames->blocks.size - before;
    iso_bytes_clear(&frames->scratch);
    return status;
}

iso_status iso_view_frames_offer(iso_view_frames* frames, const iso_recorded_model* model,
                                 const iso_recorded_frame* frame, bool with_polygons) {
    int number = frames->offered_count++;
    if (number % frames->stride != 0) {
        return ISO_OK;
    }
    const iso_energy* energy = &frame->energy;
    double total = energy->kinetic + energy->potential + energy->elastic;
    iso_view_piece piece = {
        .time = frame->time,
        .energy = {energy->kinetic, energy->potential, energy->elastic, total},
        .offset = frames->blocks.size,
        .frame_number = number,
    };
    iso_status status = ISO_OK;
    ISO_TRY(ISO_ARRAY_GROW(frames->ctx, &frames->pieces));
    iso_bytes_clear(&frames->scratch);
    ISO_TRY(iso_pack_numbers(&frames->scratch, model, frame, &frames->pairs));
    ISO_TRY(put_block(frames, &piece, 0));
    if (with_polygons) {
        ISO_TRY(iso_pack_polygons(&frames->scratch, frame));
    }
    ISO_TRY(put_block(frames, &piece, 1));
    frames->pieces.data[frames->pieces.count++] = piece;
    thin_out(frames);

done:
    return status;
}
