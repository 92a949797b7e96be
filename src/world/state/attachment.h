// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "world/state/world_state.h"

// Attachments as bytes, behind all else of a state that has any: count u32, zero u32; then for each
// its name [16], count of doubles u32, zero u32, doubles.

/// NULL: there is none of that name.
iso_attachment* iso_attachment_find(const iso_attachment_array* list, const char* name);
size_t iso_attachments_size(const iso_world* world);
/// @return where the next byte goes
unsigned char* iso_attachments_write(const iso_world* world, unsigned char* at);
/// Read them all, checked. The list is the caller's, also on failure: iso_attachments_free().
iso_status iso_attachments_read(iso_context* ctx, const unsigned char* at, size_t size,
                                iso_attachment_array* out);
iso_status iso_attachments_copy(iso_context* ctx, const iso_attachment_array* from,
                                iso_attachment_array* to);
void iso_attachments_free(iso_context* ctx, iso_attachment_array* list);
