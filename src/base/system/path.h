// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

// What the file system has at a path; symbolic links are followed.

typedef enum iso_path_kind {
    ISO_PATH_NONE, ///< nothing, or nothing that may be looked at
    ISO_PATH_FILE, ///< a regular file
    ISO_PATH_FOLDER,
    ISO_PATH_SPECIAL ///< a pipe, a device, a socket
} iso_path_kind;

iso_path_kind iso_path_look(const char* path);

/// True for a regular file that this user may run.
bool iso_path_is_program(const char* path);

/// Whether files can be made in a folder, "" being the current one.
/// @return 0 or a code of errno
int iso_path_folder_error(const char* folder);

/// Make a folder; one that is there already is good as well.
/// @return 0 or a code of errno
int iso_path_make_folder(const char* path);

/// The absolute path without symbolic links, owned by the caller (iso_free). Nothing may be there.
/// @return NULL with errno
char* iso_path_real(iso_context* ctx, const char* path);

/// Give a file a second name, or where the folder knows none its only one.
/// @return 0 or a code of errno
int iso_path_keep(const char* path, const char* second);

/// Move a file to the place of another one.
/// @return 0 or a code of errno
int iso_path_replace(const char* path, const char* target);
