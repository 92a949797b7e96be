// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

// Who may talk to the server. A page of another site can make a browser send requests here, and a
// name that it owns can point here (DNS rebinding): so Host and Origin are looked at, and a token
// is asked for that only who started the server knows.

enum { ISO_LIVE_TOKEN_SIZE = 65, ISO_LIVE_HOST_SIZE = 128 };

/// What is let in.
typedef struct iso_live_access {
    char host[16]; ///< IPv4 address that is listened on
    int port;
    char token[ISO_LIVE_TOKEN_SIZE];
} iso_live_access;

/// True for an address from which only this machine can be reached, 127.0.0.0/8.
bool iso_live_is_loopback(const char* host);
/// A token of 32 hexadecimal digits from the system's random numbers; false when it has none.
bool iso_live_make_token(char out_token[ISO_LIVE_TOKEN_SIZE]);
/// True for 8 to 64 letters, digits, '-' or '_'.
bool iso_live_is_token(const char* text);

/// Is this the Host header of somebody who meant this server? Loopback: 127.0.0.1, localhost or the
/// address itself, with the port. Otherwise also any numeric address and the machine's name.
bool iso_live_allows_host(const iso_live_access* access, const char* host);
/// Origin of a WebSocket: none (not a browser), or that of a page from this server.
/// @param host  the Host header, which was allowed
bool iso_live_allows_origin(const char* host, const char* origin);
/// Takes as long for a wrong token as for the right one of its length.
bool iso_live_allows_token(const iso_live_access* access, const char* token);
