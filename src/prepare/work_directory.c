// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "prepare/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 8 // of folders that a program makes in its directory
#define LONGEST_PATH 4096

iso_status iso_work_directory_make(iso_context* ctx, char** out_path) {
    *out_path = NULL;
    const char* base = getenv("TMPDIR");
    iso_text path = {0};
    iso_status status =
        iso_text_printf(ctx, &path, "%s/isobar-prepare-XXXXXX", base && *base ? base : "/tmp");
    if (status == ISO_OK && !mkdtemp(path.data)) {
        status = iso_fail(ctx, ISO_ERR_IO, __func__, "%s: %s", path.data, strerror(errno));
    }
    if (status != ISO_OK) {
        iso_text_free(ctx, &path);
        return status;
    }
    *out_path = path.data;
    return ISO_OK;
}

// Failures leave files in a temporary folder: nothing to report. Removing takes no memory, so that
// it works when there is none.
static void empty(const char* path, int depth) {
    DIR* directory = opendir(path);
    if (!directory) {
        return;
    }
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        char child[LONGEST_PATH];
        struct stat info;
        int length = snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        bool is_own = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
        if (!is_own || length >= LONGEST_PATH || lstat(child, &info) != 0) {
            continue;
        }
        if (S_ISDIR(info.st_mode) && depth < DEEPEST) {
            empty(child, depth + 1);
            rmdir(child);
        } else {
            unlink(child);
        }
    }
    closedir(directory);
}

void iso_work_directory_remove(iso_context* ctx, char* path) {
    if (path) {
        empty(path, 0);
        rmdir(path);
        iso_free(ctx, path);
    }
}
