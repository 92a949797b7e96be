// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "cli/parts/json_output.h"
#include "cli/parts/progress.h"
#include "cli/parts/session.h"
#include "cli/render/browser.h"

cli_exit cli_render_command(const cli_options* options);
bool cli_render_take(cli_options* options, const char* name, const char* value);

// Pictures of a recording. A page of it is drawn by a headless browser, one time after the other.

typedef struct cli_render {
    cli_session* session;
    const cli_options* options;
    cli_browser browser;
    int width, height;
    double rate;       ///< frames per second of a film [Hz]
    double start, end; ///< of the recording [s]
    double speed;      ///< simulated seconds per second of a film
    int count;         ///< frames of the film
    json_t* bodies;    ///< names
    progress progress;
} cli_render;

/// Time of a frame of the film [s].
double cli_render_time(const cli_render* render, int frame);

/// What a call of the page's film answers, as bytes; NULL: render->browser.error says why. Release
/// with free().
unsigned char* cli_render_bytes(cli_render* render, const char* call, size_t* out_size);
/// Bytes of base64, release with free(); NULL: not well-formed or out of memory.
unsigned char* cli_base64_bytes(const char* text, size_t length, size_t* out_size);

/// RGB, depth and segmentation of every frame as a file for NumPy, which appears whole or not at
/// all; false: render->browser.error says why.
bool cli_render_arrays(cli_render* render, const char* path);
