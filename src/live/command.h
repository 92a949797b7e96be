// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/math.h"

#include <stdbool.h>
#include <stddef.h>

/// What a page asks for: {"do": NAME, ...}, docs/live.md.
typedef enum iso_live_command_kind {
    ISO_LIVE_PLAY,
    ISO_LIVE_PAUSE,
    ISO_LIVE_STEP,     ///< count
    ISO_LIVE_SPEED,    ///< value
    ISO_LIVE_RESET,    ///<
    ISO_LIVE_DRAG,     ///< index: body, at: in the body, to: in the world
    ISO_LIVE_RELEASE,  ///< the dragged body
    ISO_LIVE_JOINT,    ///< index, value
    ISO_LIVE_ACTUATOR, ///< index, value: position, or effort of one without a position
    ISO_LIVE_FREE,     ///< index: the actuator does again what the task says
    ISO_LIVE_SET,      ///< text: PATH=VALUE
    ISO_LIVE_RELOAD,   ///<
} iso_live_command_kind;

/// One command.
typedef struct iso_live_command {
    iso_live_command_kind kind;
    int client; ///< who sent it
    int index;
    int count;
    double value;
    iso_vec3 at, to;
    char text[256];
} iso_live_command;

/// Read a message of a page. Numbers are finite, indices not negative; of a refused one all is
/// zero.
/// @param[out] out_reason  why it is refused, static; untouched otherwise
bool iso_live_read_command(const char* text, size_t size, iso_live_command* out_command,
                           const char** out_reason);
