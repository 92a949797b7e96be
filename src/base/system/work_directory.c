// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "base/core/text.h"
#include "base/system/process.h"

#if !defined(_WIN32) // windows.c has its own

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEEPEST 8 // of folders that a program makes in its directory
#define LONGEST_PATH 4096
#define YOUNGEST 60 // [s] of folders that may be left over: a new one is not locked at once

static const char k_prefix[] = "isobar-prepare-";

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

// Whoever made a folder has it locked, also a process that this one cannot see.
static bool is_left_over(const char* path) {
    char lock_path[LONGEST_PATH];
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
        difftime(time(NULL), info.st_mtime) < YOUNGEST ||
        snprintf(lock_path, sizeof lock_path, "%s/lock", path) >= LONGEST_PATH) {
        return false;
    }
    int lock = open(lock_path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    bool is_free = lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (lock >= 0) {
        close(lock);
    }
    return is_free;
}

static void remove_left_over(const char* base) {
    DIR* directory = opendir(base);
    if (!directory) {
        return;
    }
    for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[LONGEST_PATH];
        if (strncmp(entry->d_name, k_prefix, sizeof k_prefix - 1) == 0 &&
            snprintf(path, sizeof path, "%s/%s", base, entry->d_name) < LONGEST_PATH &&
            is_left_over(path)) {
            empty(path, 0);
            rmdir(path);
        }
    }
    closedir(directory);
}

static iso_status lock_directory(iso_context* ctx, iso_work_directory* directory) {
    iso_text name = {0};
    iso_status status = ISO_OK;
    ISO_TRY(iso_text_printf(ctx, &name, "%s/lock", directory->path));
    directory->lock = open(name.data, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    ISO_CHECK(ctx, directory->lock >= 0, ISO_ERR_IO, "%s: %s", name.data, strerror(errno));
    (void)flock(directory->lock, LOCK_EX | LOCK_NB); // without locks nothing is taken for left over

done:
    iso_text_free(ctx, &name);
    return status;
}

iso_status iso_work_directory_make(iso_context* ctx, iso_work_directory* out_directory) {
    *out_directory = (iso_work_directory){.lock = -1};
    const char* named = getenv("TMPDIR");
    const char* base = named && *named ? named : "/tmp";
    iso_text path = {0};
    iso_status status = ISO_OK;
    remove_left_over(base);
    ISO_TRY(iso_text_printf(ctx, &path, "%s/%sXXXXXX", base, k_prefix));
    ISO_CHECK(ctx, mkdtemp(path.data), ISO_ERR_IO, "%s: %s", path.data, strerror(errno));
    out_directory->path = path.data;
    path = (iso_text){0};
    status = lock_directory(ctx, out_directory);

done:
    iso_text_free(ctx, &path);
    if (status != ISO_OK) {
        iso_work_directory_remove(ctx, out_directory);
    }
    return status;
}

void iso_work_directory_remove(iso_context* ctx, iso_work_directory* directory) {
    if (directory->path) {
        empty(directory->path, 0);
        rmdir(directory->path);
        iso_free(ctx, directory->path);
    }
    if (directory->path && directory->lock >= 0) {
        close(directory->lock);
    }
    *directory = (iso_work_directory){.lock = -1};
}

#endif
