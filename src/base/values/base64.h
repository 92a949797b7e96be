// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stddef.h>

/// Four digits of the next one to three bytes, filled up with '='.
/// @param size  bytes that are left, > 0
void iso_base64_put(const unsigned char* bytes, size_t size, char out_digits[4]);

/// Value of a digit, -1 for anything else.
int iso_base64_value(char digit);
