// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/sensor.h"
#include "isobar/task.h"
#include "isobar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A server that shows a world in browsers while it runs, and lets them play, pause, step, reset,
/// drag bodies and move joints: docs/live.md. It answers pages on a thread of its own; the world is
/// touched only in calls of the functions below, on the caller's thread. Pages that read slowly
/// miss frames and hold nobody up.
typedef struct iso_live iso_live;

/// Whether this build has it: only with libwebsockets.
ISO_API bool iso_live_is_built(void);

/// Longest message that a page may send [bytes]; a longer one ends its connection.
#define ISO_LIVE_MESSAGE_LIMIT 4096

/// Start from iso_live_desc_default().
typedef struct iso_live_desc {
    const char* host;    ///< IPv4 address to listen on, copied; "127.0.0.1": this machine only
    int port;            ///< 0 to 65535; 0: one that is free
    const char* token;   ///< pages must show it, 8 to 64 letters, digits, '-' or '_'; copied;
                         ///< NULL: 32 random hexadecimal digits
    double frame_rate;   ///< frames per second of wall time at most [Hz], in [1, 240]; 60
    int client_limit;    ///< pages at once, 1 to 64; 16
    const char* page;    ///< [page_size] the viewer's HTML with the token `@@ISOBAR_DATA@@`; copied
    size_t page_size;    ///<
    bool takes_settings; ///< pages may ask for ISO_LIVE_REQUEST_SET; false
} iso_live_desc;
/// The values named beside the members, and no page.
ISO_API iso_live_desc iso_live_desc_default(void);

/// Listen. Nothing is shown before iso_live_show().
/// @param[out] out_live  owned by the caller, release with iso_live_destroy(); NULL on error
/// @return ISO_ERR_UNSUPPORTED (built without libwebsockets), ISO_ERR_ARGUMENT (page),
///         ISO_ERR_RANGE, ISO_ERR_IO (the port is taken), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_live_create(iso_context* ctx, const iso_live_desc* desc,
                                                 iso_live** out_live);
/// Close all connections and release the server. NULL is allowed.
ISO_API void iso_live_destroy(iso_live* live);

/// Address to open in a browser, token included; owned by the server.
ISO_API const char* iso_live_url(const iso_live* live);
/// Pages that are connected.
ISO_API int iso_live_client_count(const iso_live* live);

/// Show a world from now on; its present state is the one that "reset" returns to. Starts paused.
/// @param scene_name  UTF-8, copied; NULL: ""
/// @param world       borrowed until another one is shown or the server destroyed. Visuals are
///                    there only when it was created with load_visuals
/// @param task        applied before each step, borrowed likewise; NULL: none
/// @param sensors     read for every frame, borrowed likewise; NULL: none
/// @return ISO_ERR_ARGUMENT, ISO_ERR_MEMORY and the errors of iso_world_update_contacts(),
///         iso_sensors_update()
ISO_NODISCARD ISO_API iso_status iso_live_show(iso_live* live, const char* scene_name,
                                               iso_world* world, const iso_task* task,
                                               iso_sensors* sensors);

/// What pages ask for that only the program can do.
typedef enum iso_live_request_kind {
    ISO_LIVE_REQUEST_NONE,
    ISO_LIVE_REQUEST_SET,    ///< make the world anew with a setting: "PATH=VALUE"
    ISO_LIVE_REQUEST_RELOAD, ///< read the scene again
} iso_live_request_kind;

/// One request.
typedef struct iso_live_request {
    iso_live_request_kind kind;
    char setting[256]; ///< of ISO_LIVE_REQUEST_SET; else ""
} iso_live_request;

/// Do what pages ask for during so much wall time: step in real time times the speed they chose
/// while it plays, send frames, wait otherwise. A step that fails pauses the world and is told to
/// the pages. Returns early with a request.
/// @param      seconds      wall time [s], >= 0; 0: what is due now
/// @param[out] out_request  may be NULL: requests are ignored
/// @return ISO_ERR_ARGUMENT (no world is shown), ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_live_run(iso_live* live, double seconds,
                                              iso_live_request* out_request);

/// Send the world as it is now, for programs that step it themselves. Wrenches of bodies that pages
/// drag are applied to the world's next step; what pages move (joints, actuators) is set.
/// @return as iso_live_run()
ISO_NODISCARD ISO_API iso_status iso_live_update(iso_live* live);

/// Play or pause, as the pages' button does.
ISO_API void iso_live_set_playing(iso_live* live, bool is_playing);
/// Whether it plays.
ISO_API bool iso_live_is_playing(const iso_live* live);
/// Tell the pages something, in one line; copied, cut after 255 bytes; "": nothing.
ISO_API void iso_live_notify(iso_live* live, const char* text);

#ifdef __cplusplus
}
#endif
