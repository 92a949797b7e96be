// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#include <stdbool.h>
#include <stdio.h>

/// Print "isobar: error: ..." on stderr, its second word red where that is a terminal (but not with
/// NO_COLOR in the environment, or TERM=dumb). The message has its own end of line.
void cli_error(const char* format, ...) ISO_PRINTF(1, 2);
/// The same with "isobar: warning: ...", yellow.
void cli_warning(const char* format, ...) ISO_PRINTF(1, 2);

/// A file that is made in memory, so that it appears whole or not at all. Not to be moved or copied
/// while it is open.
typedef struct cli_text {
    FILE* file; ///< to print to
    char* text;
    size_t size;
} cli_text;

/// @return false when there is no memory
bool cli_text_open(cli_text* text);
/// End the text without a file.
void cli_text_drop(cli_text* text);
/// Write the text to path and end it. @return also ISO_ERR_MEMORY where printing failed
iso_status cli_text_close(iso_context* ctx, cli_text* text, const char* path);

/// Print so many characters so that HTML has them as they stand, also in an attribute.
void cli_print_escaped(FILE* file, const char* text, size_t size);
/// The same with a whole text.
void cli_print_html(FILE* file, const char* text);

/// How a noun ends of which there are so many.
static inline const char* cli_plural(int count) {
    return count == 1 ? "" : "s";
}
