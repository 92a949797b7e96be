// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdbool.h>
#include <stddef.h>

/// Path of a program: a name with a slash is one, others are looked for on PATH. Relative and empty
/// entries of PATH mean the current folder, which may be anybody's, and are passed over.
/// @param name  NULL or "": none
/// @return false when there is none
bool cli_find_program(const char* name, char* path, size_t size);
