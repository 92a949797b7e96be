// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#include <pthread.h>

/// Longest error message kept, terminating zero included; longer ones are cut and end in "...".
#define ISO_ERROR_SIZE 2048

/// The error text lives inside the context, so that reporting "allocation failed" needs no memory.
struct iso_context {
    iso_context_desc desc;      ///< hooks as given; log_fn and assert_fn are never NULL
    pthread_mutex_t log_lock;   ///< serialises log_fn
    pthread_mutex_t alloc_lock; ///< serialises a caller's realloc_fn among our worker threads
    pthread_mutex_t error_lock; ///< guards error
    char error[ISO_ERROR_SIZE]; ///< last error, one line
};
