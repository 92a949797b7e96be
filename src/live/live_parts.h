// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "isobar/live.h"
#include "isobar/record.h"
#include "live/drag.h"
#include "live/server.h"
#include "record/compact/pairs.h"

/// What pages decide about time.
typedef struct iso_live_clock {
    bool is_playing;
    double speed;                ///< simulated seconds per second
    int steps_left;              ///< to make while paused
    double anchor_wall;          ///< when the world was at anchor_time [s]
    double anchor_time;          ///< [s]
    double rate;                 ///< simulated seconds per second, as reached; smoothed
    double rate_wall, rate_time; ///< since when it is measured [s]
    double next_frame;           ///< when a frame is due [s]
} iso_live_clock;

/// An actuator that a page holds.
typedef struct iso_live_hold {
    bool is_on;
    double value; ///< position, or effort of one without a position gain
} iso_live_hold;

struct iso_live {
    iso_context* ctx;
    iso_live_desc desc;
    iso_live_access access;
    char* page; ///< the HTML as it is sent
    size_t page_size;
    char url[160];
    iso_live_mailbox box;
    iso_live_server* server;

    iso_world* world; ///< NULL: nothing is shown yet
    const iso_task* task;
    iso_sensors* sensors;
    char* scene_name;
    void* start; ///< [start_size] state that "reset" returns to
    size_t start_size;
    iso_arena model_arena, frame_arena;
    iso_recorded_model model;
    iso_pair_list pairs;
    int pairs_sent;       ///< how many the pages know; -1: none were sent
    iso_live_hold* holds; ///< [actuator_count]
    iso_live_drags drags;
    iso_live_clock clock;
    bool is_dirty;   ///< something changed since the last frame
    bool is_awaited; ///< it is to be sent without waiting for the frame rate
    char notice[256];
};

/// Publish what does not change about the world.
iso_status iso_live_send_model(iso_live* live);
/// Publish the present state.
iso_status iso_live_send_frame(iso_live* live);

/// True for an actuator that is told a position, by its gains.
bool iso_live_takes_position(const iso_world* world, int actuator);
/// Range of an actuator's slider: limits of the joint or of the effort, or what is usual.
void iso_live_actuator_range(const iso_world* world, int actuator, double* out_low,
                             double* out_high);
