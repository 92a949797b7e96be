// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stddef.h>

// Memory that AddressSanitizer shall refuse although it is allocated; in other builds nothing.

#if defined(__SANITIZE_ADDRESS__) // gcc
#define ISO_HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) // clang
#define ISO_HAS_ADDRESS_SANITIZER 1
#endif
#endif

#ifdef ISO_HAS_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

static inline void iso_poison(const void* bytes, size_t size) {
#ifdef ISO_HAS_ADDRESS_SANITIZER
    __asan_poison_memory_region(bytes, size);
#else
    (void)bytes, (void)size;
#endif
}

static inline void iso_unpoison(const void* bytes, size_t size) {
#ifdef ISO_HAS_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(bytes, size);
#else
    (void)bytes, (void)size;
#endif
}
