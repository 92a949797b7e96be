// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#define _XOPEN_SOURCE 700 // realpath()

#include "base/system/path.h"

#include "base/core/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)
#include <direct.h>
#include <windows.h>
#endif

iso_path_kind iso_path_look(const char* path) {
    struct stat info;
    if (stat(path, &info) != 0) {
        return ISO_PATH_NONE;
    }
    return S_ISREG(info.st_mode)   ? ISO_PATH_FILE
           : S_ISDIR(info.st_mode) ? ISO_PATH_FOLDER
                                   : ISO_PATH_SPECIAL;
}

#if defined(_WIN32)

bool iso_path_is_program(const char* path) {
    return iso_path_look(path) == ISO_PATH_FILE;
}

int iso_path_folder_error(const char* folder) {
    return access(folder[0] ? folder : ".", W_OK) == 0 ? 0 : errno;
}

static int make_folder(const char* path) {
    return _mkdir(path);
}

static char* real_path(const char* path) {
    return access(path, F_OK) == 0 ? _fullpath(NULL, path, 0) : NULL;
}

int iso_path_keep(const char* path, const char* second) {
    return CreateHardLinkA(second, path, NULL) || rename(path, second) == 0 ? 0 : errno;
}

int iso_path_replace(const char* path, const char* target) {
    return MoveFileExA(path, target, MOVEFILE_REPLACE_EXISTING) ? 0 : EACCES;
}

#else

bool iso_path_is_program(const char* path) {
    return iso_path_look(path) == ISO_PATH_FILE && access(path, X_OK) == 0;
}

int iso_path_folder_error(const char* folder) {
    return access(folder[0] ? folder : ".", W_OK | X_OK) == 0 ? 0 : errno;
}

static int make_folder(const char* path) {
    return mkdir(path, 0777);
}

static char* real_path(const char* path) {
    return realpath(path, NULL);
}

int iso_path_keep(const char* path, const char* second) {
    return link(path, second) == 0 || rename(path, second) == 0 ? 0 : errno;
}

int iso_path_replace(const char* path, const char* target) {
    return rename(path, target) == 0 ? 0 : errno;
}

#endif

int iso_path_make_folder(const char* path) {
    if (make_folder(path) == 0) {
        return 0;
    }
    int error = errno;
    return error == EEXIST && iso_path_look(path) == ISO_PATH_FOLDER ? 0 : error;
}

char* iso_path_real(iso_context* ctx, const char* path) {
    char* found = real_path(path);
    char* copy = found ? iso_strdup(ctx, found) : NULL;
    if (found && !copy) {
        errno = ENOMEM;
    }
    free(found);
    return copy;
}
