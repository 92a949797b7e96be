// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// Allocate size bytes through the context's hook, 16-byte aligned; NULL when out of memory (the
/// caller reports). Every block remembers its size, so iso_free needs none. size 0 gives a valid
/// unique pointer.
void* iso_alloc(iso_context* ctx, size_t size);

/// As iso_alloc, filled with zeros.
void* iso_alloc_zeroed(iso_context* ctx, size_t size);

/// count * size bytes, zeroed; NULL on overflow, negative count or out of memory.
void* iso_alloc_array(iso_context* ctx, int count, size_t size);

/// Resize a block (NULL: allocate). On failure returns NULL and leaves the old block valid.
void* iso_realloc(iso_context* ctx, void* ptr, size_t new_size);

/// Release a block; NULL is allowed.
void iso_free(iso_context* ctx, void* ptr);

/// Copy of a string owned by the caller (release with iso_free); NULL when out of memory.
char* iso_strdup(iso_context* ctx, const char* text);

/// Copy of the first length bytes plus a terminating zero.
char* iso_strndup(iso_context* ctx, const char* text, size_t length);
