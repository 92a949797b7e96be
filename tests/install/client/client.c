// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A program outside the project: sees only what `make install` installs.

#include <isobar/isobar.h>

#include <stdio.h>

int main(void) {
    iso_context* ctx = NULL;
    if (iso_context_create(NULL, &ctx) != ISO_OK) {
        fprintf(stderr, "no context\n");
        return 1;
    }
    printf("isobar %s %s\n", iso_version(), iso_simd_backend());
    iso_context_destroy(ctx);
    return 0;
}
