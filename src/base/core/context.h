// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/thread.h"
#include "isobar/base.h"

/// Longest error message kept, terminating zero included; longer ones are cut and end in "...".
#define ISO_ERROR_SIZE 2048

/// The error text lives inside the context, so that reporting "allocation failed" needs no memory.
struct iso_context {
    iso_context_desc desc;      ///< hooks as given; log_fn and assert_fn are never NULL
    iso_mutex log_lock;         ///< serialises log_fn and file_fn
    iso_mutex alloc_lock;       ///< serialises a caller's realloc_fn among our worker threads
    iso_mutex error_lock;       ///< guards error
    char error[ISO_ERROR_SIZE]; ///< last error, one line
};
