// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

/// FNV-1a over bytes, continued from seed (start with ISO_HASH_SEED). Same value on every platform.
#define ISO_HASH_SEED 14695981039346656037ULL
uint64_t iso_hash_bytes(uint64_t seed, const void* bytes, size_t size);
uint64_t iso_hash_text(uint64_t seed, const char* text);
