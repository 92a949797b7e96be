// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "live/access.h"
#include "live/mailbox.h"

/// HTTP and WebSocket on one port, on a thread of its own (libwebsockets). It allocates nothing
/// through the context, as that is the caller's thread's.
typedef struct iso_live_server iso_live_server;

/// Listen and start the thread.
/// @param access        port 0 becomes the one that was free
/// @param page          [page_size] sent to browsers; borrowed, as the mailbox is
/// @return ISO_ERR_UNSUPPORTED, ISO_ERR_IO, ISO_ERR_MEMORY
iso_status iso_live_server_start(iso_context* ctx, iso_live_access* access, int client_limit,
                                 const char* page, size_t page_size, iso_live_mailbox* box,
                                 iso_live_server** out_server);
/// End the thread and close all connections. NULL is allowed.
void iso_live_server_stop(iso_live_server* server);
/// There are new messages.
void iso_live_server_wake(iso_live_server* server);
