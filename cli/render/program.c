// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/render/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char* path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

bool cli_find_program(const char* name, char* path, size_t size) {
    const char* folders = getenv("PATH");
    if (name == NULL || *name == '\0') {
        return false;
    }
    if (strchr(name, '/') != NULL) {
        (void)snprintf(path, size, "%s", name);
        return is_program(path);
    }
    for (const char* at = folders != NULL ? folders : "/usr/bin:/bin"; *at != '\0';) {
        size_t length = strcspn(at, ":");
        int written = snprintf(path, size, "%.*s/%s", (int)length, at, name);
        if (*at == '/' && written > 0 && (size_t)written < size && is_program(path)) {
            return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}
