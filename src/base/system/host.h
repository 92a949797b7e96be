// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What this machine and this process are called, and the system's random numbers.

/// Number of this process. Two that live at a time differ.
long iso_process_number(void);

/// Processors that this process may use, at least 1.
int iso_processor_count(void);

/// True for an IPv4 address in numbers, with its value: 127.0.0.1 is 0x7f000001.
bool iso_address_is_ipv4(const char* text, uint32_t* out_address);
bool iso_address_is_ipv6(const char* text);

/// The machine's name, cut to the size; "" when it has none.
void iso_host_name(char* out_name, size_t size);

/// Bytes that nobody can guess, at most 256; false when the system has none.
bool iso_random_bytes(void* out_bytes, size_t size);
