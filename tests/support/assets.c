// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/assets.h"

#include "base/system/host.h"
#include "base/system/path.h"
#include "support/check.h"

#include <stdio.h>
#include <stdlib.h>

static void join(char buffer[TEST_PATH_SIZE], const char* directory, const char* name) {
    int length = snprintf(buffer, TEST_PATH_SIZE, "%s/%s", directory, name);
    assert_true(length > 0 && length < TEST_PATH_SIZE);
}

const char* asset_path(char buffer[TEST_PATH_SIZE], const char* relative) {
    const char* root = getenv("ISOBAR_ASSETS");
    if (!root || iso_path_look(root) == ISO_PATH_NONE) {
        print_message("skipped: no assets at %s (set ISOBAR_ASSETS)\n",
                      root ? root : "ISOBAR_ASSETS");
        skip();
    }
    join(buffer, root, relative);
    if (iso_path_look(buffer) == ISO_PATH_NONE) {
        print_error("asset %s is missing\n", buffer);
        fail();
    }
    return buffer;
}

const char* source_path(char buffer[TEST_PATH_SIZE], const char* relative) {
    join(buffer, ISOBAR_SOURCE_DIR, relative);
    return buffer;
}

const char* temp_path(char buffer[TEST_PATH_SIZE], const char* name) {
    char folder[TEST_PATH_SIZE];
    (void)iso_path_make_folder(ISOBAR_BINARY_DIR "/tests");
    (void)iso_path_make_folder(ISOBAR_BINARY_DIR "/tests/tmp");
    snprintf(folder, sizeof folder, "%s/tests/tmp/%ld", ISOBAR_BINARY_DIR, iso_process_number());
    (void)iso_path_make_folder(folder);
    join(buffer, folder, name);
    return buffer;
}
