// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#include <stdio.h>

/// A growing, always zero-terminated text. Zero-initialise; release with iso_text_free().
typedef struct iso_text {
    char* data;
    size_t length;
    size_t capacity;
} iso_text;

iso_status iso_text_append(iso_context* ctx, iso_text* text, const char* bytes, size_t length);
iso_status iso_text_printf(iso_context* ctx, iso_text* text, const char* format, ...)
    ISO_PRINTF(3, 4);
void iso_text_free(iso_context* ctx, iso_text* text);

/// How a noun ends of which there are so many.
static inline const char* iso_text_plural(int count) {
    return count == 1 ? "" : "s";
}

/// True for UTF-8: what JSON may hold.
bool iso_text_is_utf8(const char* text);
/// Bytes of the UTF-8 character that a text with a zero at its end starts with; 0: no character
/// starts so; -n: the n bytes that a cut left of one.
int iso_text_character_length(const unsigned char* text);
/// True for UTF-8 without control characters: what names may be made of.
bool iso_text_is_printable(const char* text);
/// What a file name, a parser or a cut put into a message must not break its line, steer a terminal
/// or make it anything else than UTF-8: control characters become spaces, what a cut left of a
/// character goes, and other bytes that are no character become question marks. In place.
void iso_text_make_printable(char* text);

/// Open a file for reading. Every file that is read is opened here: what is not a regular file (a
/// pipe or a device may never end, and opening one may wait for ever) is refused without waiting.
/// @param[out] out_file  fclose() is the caller's; NULL on error
/// @return ISO_ERR_IO (message names path and reason)
iso_status iso_file_open(iso_context* ctx, const char* path, FILE** out_file);

/// Tell the context's file_fn of a file that others are about to open.
void iso_file_tell(iso_context* ctx, const char* path);

/// Create a file, or empty it, to be written. A pipe needs somebody who reads it: it is not waited
/// for. @param[out] out_reason  why there is none @return NULL: it cannot be created
FILE* iso_file_create(const char* path, const char** out_reason);

/// Why nothing can be read from a file: the reason that iso_file_open() would give, or that it is
/// empty. NULL when there is something.
const char* iso_file_fault(const char* path);

/// Read a whole file into memory (zero-terminated, release with iso_free()). Refuses more than
/// max_size bytes, anything that is not a regular file, and pointers of Git LFS.
/// @return ISO_ERR_IO (message names path and reason), ISO_ERR_RANGE (too large), ISO_ERR_PARSE (a
///         pointer), ISO_ERR_MEMORY
iso_status iso_file_read(iso_context* ctx, const char* path, size_t max_size, char** out_bytes,
                         size_t* out_size);

/// Write a file that appears whole or not at all: writes path + ".part", then renames. A symbolic
/// link stays and its target is replaced; what is not a regular file (a pipe, a device) is written
/// as it goes.
/// open: returns a FILE* through out_file; commit or abort must follow.
typedef struct iso_file_writer {
    FILE* file;
    char* path;
    char* part_path; ///< NULL when written as it goes
} iso_file_writer;
iso_status iso_file_writer_open(iso_context* ctx, const char* path, iso_file_writer* out_writer);
/// The same of a file that others read while it grows: it is written as it goes, unless something
/// is there that it would replace. Leave it as far as it got instead of aborting.
iso_status iso_file_writer_open_growing(iso_context* ctx, const char* path,
                                        iso_file_writer* out_writer);
void iso_file_writer_leave(iso_context* ctx, iso_file_writer* writer);
iso_status iso_file_writer_commit(iso_context* ctx, iso_file_writer* writer);
void iso_file_writer_abort(iso_context* ctx, iso_file_writer* writer);

/// Are two texts the same but for capital letters of ASCII? And does one begin with another?
bool iso_text_equals_folded(const char* a, const char* b);
bool iso_text_begins_folded(const char* text, const char* start);

/// Parse one finite double from the whole text (surrounding white space allowed), locale
/// independent. Returns false on anything else, NaN and infinities included.
bool iso_text_to_double(const char* text, double* out_value);

/// Parse exactly count white-space separated finite doubles. Returns the number parsed, or -1 when
/// there is something else in the text.
int iso_text_to_doubles(const char* text, double* out_values, int count);

/// Directory part of path with its trailing slash ("" when none), join, and file extension (lower
/// case compare). Returned strings are owned by the caller (iso_free).
char* iso_path_directory(iso_context* ctx, const char* path);
char* iso_path_join(iso_context* ctx, const char* directory, const char* relative);
bool iso_path_has_extension(const char* path, const char* extension);
