// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// A headless Chromium that shows one page and evaluates JavaScript in it, by the DevTools protocol
// over a pair of pipes. It has a folder of its own, of which nothing is left in the end.

typedef struct cli_browser {
    pid_t process; ///< 0: not running
    int to, from;  ///< descriptors of the pipes
    char folder[256];
    char session[64]; ///< of the page
    int message_count;
    char* received; ///< bytes that were read and not taken
    size_t received_size, received_room;
    char error[512]; ///< one line, what went wrong last
} cli_browser;

/// Make the folder, which the page can be written to; false with error.
bool cli_browser_open(cli_browser* browser);
/// Start Chromium ($ISOBAR_CHROMIUM, or the one on PATH) with a page of that folder.
bool cli_browser_show(cli_browser* browser, const char* page);
/// Value of an expression, a promise's when it is fulfilled; NULL with error. Release with
/// json_decref().
json_t* cli_browser_evaluate(cli_browser* browser, const char* expression);
/// End Chromium and remove the folder. A zeroed browser is allowed. After SIGINT, SIGTERM or
/// SIGHUP, which a browser that is open catches, the process ends then.
void cli_browser_close(cli_browser* browser);
