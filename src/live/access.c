// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "live/access.h"

#include "base/core/text.h"
#include "base/system/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool iso_live_is_loopback(const char* host) {
    uint32_t address;
    return iso_address_is_ipv4(host, &address) && address >> 24 == 127;
}

bool iso_live_make_token(char out_token[ISO_LIVE_TOKEN_SIZE]) {
    unsigned char bytes[16];
    if (!iso_random_bytes(bytes, sizeof bytes)) {
        return false;
    }
    for (size_t i = 0; i < sizeof bytes; ++i) {
        (void)snprintf(out_token + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    }
    return true;
}

bool iso_live_is_token(const char* text) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t length = strlen(text);
    return length >= 8 && length < ISO_LIVE_TOKEN_SIZE && strspn(text, letters) == length;
}

// The name before ":PORT", without the brackets of IPv6; false where the port is another one. Port
// 80 may be left out.
static bool split_host(const char* host, int port, char out_name[ISO_LIVE_HOST_SIZE]) {
    const char* colon = strrchr(host, ':');
    bool has_port = colon != NULL && strchr(colon, ']') == NULL;
    char expected[16];
    (void)snprintf(expected, sizeof expected, "%d", port);
    if (has_port ? strcmp(colon + 1, expected) != 0 : port != 80) {
        return false;
    }
    size_t length = has_port ? (size_t)(colon - host) : strlen(host);
    if (length > 1 && host[0] == '[' && host[length - 1] == ']') {
        ++host;
        length -= 2;
    }
    if (length == 0 || length >= ISO_LIVE_HOST_SIZE) {
        return false;
    }
    memcpy(out_name, host, length);
    out_name[length] = '\0';
    return true;
}

bool iso_live_allows_host(const iso_live_access* access, const char* host) {
    char name[ISO_LIVE_HOST_SIZE];
    if (!split_host(host, access->port, name)) {
        return false;
    }
    if (iso_text_equals_folded(name, "localhost") || strcmp(name, "127.0.0.1") == 0 ||
        strcmp(name, access->host) == 0) {
        return true;
    }
    char machine[256] = "";
    uint32_t address;
    if (iso_live_is_loopback(access->host)) {
        return false;
    }
    // A rebound name is a name; an address or our own name is what was typed.
    iso_host_name(machine, sizeof machine);
    return iso_address_is_ipv4(name, &address) || iso_address_is_ipv6(name) ||
           (machine[0] != '\0' && iso_text_equals_folded(name, machine));
}

bool iso_live_allows_origin(const char* host, const char* origin) {
    static const char scheme[] = "http://";
    size_t length = strlen(scheme);
    return origin[0] == '\0' || (iso_text_begins_folded(origin, scheme) &&
                                 iso_text_equals_folded(origin + length, host));
}

bool iso_live_allows_token(const iso_live_access* access, const char* token) {
    size_t length = strlen(access->token);
    if (length == 0 || strlen(token) != length) {
        return false;
    }
    unsigned difference = 0;
    for (size_t i = 0; i < length; ++i) {
        difference |= (unsigned char)access->token[i] ^ (unsigned char)token[i];
    }
    return difference == 0;
}
