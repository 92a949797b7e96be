// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/text.h"
#include "isobar/slide.h"

/// A page that plays deforming blocks, stress as colour; it needs nothing beside it. It is made in
/// memory. In the plane all triangles are drawn, in space the boundary.
typedef struct lab_film {
    cli_text text;                 ///< without a file: no film is made
    int frame_count, every, steps; ///< of every so many steps one is kept
    double low[3], high[3];        ///< box that places are numbers in [m]
} lab_film;

/// @param step_count  that are to come: about 150 of them are kept
/// @return false when there is no memory
bool lab_film_open(lab_film* film, const iso_lab_slide_info* info, iso_lab_slide_view view,
                   int64_t step_count);
/// A step was taken: keeps its frame where it is one to keep. @return false: no memory
bool lab_film_step(lab_film* film, const iso_lab_slide_info* info, iso_lab_slide* slide,
                   const iso_lab_slide_sample* sample);
/// Write the page: the file appears whole or not at all.
iso_status lab_film_close(iso_context* ctx, lab_film* film, const char* path);
