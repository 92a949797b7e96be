// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/alloc.h"
#include "base/fail.h"
#include "base/text.h"
#include "prepare/process.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 8 // of folders that a program makes in its directory

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

// Failures leave files in a temporary folder: nothing to report.
static void empty(iso_context* ctx, const char* path, int depth) {
    DIR* directory = opendir(path);
    if (!directory) {
        return;
    }
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        iso_text child = {0};
        struct stat info;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            iso_text_printf(ctx, &child, "%s/%s", path, entry->d_name) == ISO_OK &&
            lstat(child.data, &info) == 0) {
            if (S_ISDIR(info.st_mode) && depth < DEEPEST) {
                empty(ctx, child.data, depth + 1);
                rmdir(child.data);
            } else {
                unlink(child.data);
            }
        }
        iso_text_free(ctx, &child);
    }
    closedir(directory);
}

void iso_work_directory_remove(iso_context* ctx, char* path) {
    if (path) {
        empty(ctx, path, 0);
        rmdir(path);
        iso_free(ctx, path);
    }
}
