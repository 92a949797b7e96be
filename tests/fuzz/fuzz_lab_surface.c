// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// Measured surfaces (CSV, PNG): whatever the bytes, the reader gives heights that can be measured,
// or an error of one line.

#define _GNU_SOURCE // memfd_create()

#include "isobar/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void drop_message(void* user, iso_log_level level, const char* text) {
    (void)user, (void)level, (void)text;
}

static void check_error(const iso_context* ctx) {
    if (!iso_context_error(ctx)[0] || strchr(iso_context_error(ctx), '\n')) {
        abort();
    }
}

static void read_and_measure(iso_context* ctx, const char* path, double pitch) {
    static iso_lab_statistics m;
    iso_lab_surface s;
    if (iso_lab_surface_read(ctx, path, pitch, 1.0, &s) != ISO_OK) {
        check_error(ctx);
        return;
    }
    if (s.columns < 4 || (s.rows != 1 && s.rows < 4) || !(s.pitch > 0.0)) {
        abort();
    }
    if (iso_lab_surface_measure(ctx, &s, &m) != ISO_OK) {
        check_error(ctx);
    } else if (isnan(m.low) || m.low > m.high) {
        abort();
    }
    iso_lab_surface_free(ctx, &s);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    iso_context_desc desc = iso_context_desc_default();
    iso_context* ctx = NULL;
    char path[64];
    int file = memfd_create("surface", 0);
    desc.log_fn = drop_message;
    if (file >= 0 && size <= 65536 && write(file, data, size) == (ssize_t)size &&
        iso_context_create(&desc, &ctx) == ISO_OK) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        read_and_measure(ctx, path, 0.0);
        read_and_measure(ctx, path, 1e-6);
    }
    iso_context_destroy(ctx);
    if (file >= 0) {
        close(file);
    }
    return 0;
}
