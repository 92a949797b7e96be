// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0
//
// Readers whose files are small, the first byte says which: commands of a live view, learned
// friction (JSON), states of sliding blocks as they are and with a checksum that fits, contact
// problems (FCLIB). Whatever follows, they give what can be used, or an error of one line.

#define _GNU_SOURCE // memfd_create()

#include "base/values/hash.h"
#include "isobar/lab_rigid.h"
#include "isobar/learned.h"
#include "isobar/slide.h"
#include "live/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

/// HDF5 leaves memory behind where a file is damaged.
__attribute__((visibility("default"))) const char* __lsan_default_suppressions(void);

const char* __lsan_default_suppressions(void) {
    return "leak:libhdf5\n";
}

enum { k_columns = 5, k_head_size = 48 };

static void drop_message(void* user, iso_log_level level, const char* text) {
    (void)user, (void)level, (void)text;
}

static void check_error(const iso_context* ctx) {
    if (!iso_context_error(ctx)[0] || strchr(iso_context_error(ctx), '\n')) {
        abort();
    }
}

static void read_command(const uint8_t* data, size_t size) {
    iso_live_command command;
    const char* reason = NULL;
    bool is_read = iso_live_read_command((const char*)data, size, &command, &reason);
    if (is_read != (reason == NULL) || command.index < 0 || command.count < 0 ||
        !isfinite(command.value) || !isfinite(iso_vec3_norm(command.to)) ||
        memchr(command.text, '\0', sizeof command.text) == NULL) {
        abort();
    }
}

static void read_learned(iso_context* ctx, const char* path) {
    iso_learned* model = NULL;
    if (iso_learned_read(ctx, path, &model) != ISO_OK) {
        check_error(ctx);
        return;
    }
    iso_learned_material m = {.young_modulus = 1e9, .poisson = 0.3, .density = 1000.0};
    iso_learned_value value;
    if (iso_learned_predict(model, &m, &m, &value) != ISO_OK) {
        check_error(ctx);
    } else if (!(value.friction >= 0.0) || !(value.low <= value.high)) {
        abort();
    }
    iso_learned_destroy(model);
}

static iso_lab_slide* make_slide(iso_context* ctx) {
    static double heights[2][2 * k_columns] = {{0.0, 1e-7, 0.0, -1e-7, 0.0}, {0.0}};
    iso_lab_surface lower = {.rows = 1, .columns = k_columns, .pitch = 1e-6, .heights = heights[0]};
    iso_lab_surface upper = lower;
    upper.heights = heights[1];
    lower.columns = 2 * k_columns - 1;
    iso_lab_slide_desc d = iso_lab_slide_desc_default();
    d.lower.surface = &lower;
    d.upper.surface = &upper;
    d.lower.height = d.upper.height = 2e-6;
    d.load = 0.01;
    iso_lab_slide* slide = NULL;
    if (iso_lab_slide_create(ctx, &d, &slide) != ISO_OK) {
        abort();
    }
    return slide;
}

/// Blocks for all inputs, and the state in which they begin.
typedef struct begun {
    iso_context* ctx;
    iso_lab_slide* slide;
    uint8_t bytes[1 << 14];
    size_t length;
} begun;

static const begun* begin(void) {
    static begun b;
    char saved[64];
    if (b.slide != NULL) {
        return &b;
    }
    iso_context_desc desc = iso_context_desc_default();
    desc.log_fn = drop_message;
    snprintf(saved, sizeof saved, "/tmp/isobar_fuzz_state_%d", (int)getpid());
    if (iso_context_create(&desc, &b.ctx) != ISO_OK) {
        abort();
    }
    b.slide = make_slide(b.ctx);
    if (iso_lab_slide_save(b.ctx, b.slide, saved) != ISO_OK) {
        abort();
    }
    FILE* in = fopen(saved, "rb");
    b.length = in != NULL ? fread(b.bytes, 1, sizeof b.bytes, in) : 0;
    if (in == NULL || fclose(in) != 0 || unlink(saved) != 0 || b.length <= k_head_size) {
        abort();
    }
    return &b;
}

// Of the state at the beginning the numbers behind its head are replaced, as far as the data go,
// and the checksum is made to fit.
static bool forge(const begun* b, int file, const uint8_t* data, size_t size) {
    uint8_t bytes[sizeof b->bytes];
    memcpy(bytes, b->bytes, b->length);
    size_t room = b->length - 24, values = (b->length - k_head_size) / 2, at = 24;
    memcpy(bytes + 24, data, size < room ? size : room); // behind magic, fingerprint and hash
    uint64_t hash = 0;
    memcpy(&hash, bytes + 8, sizeof hash);
    const size_t parts[] = {8, 8, 8, values, values};
    for (int i = 0; i < 5; ++i) {
        hash = iso_hash_bytes(hash, bytes + at, parts[i]);
        at += parts[i];
    }
    memcpy(bytes + 16, &hash, sizeof hash);
    return ftruncate(file, 0) == 0 && pwrite(file, bytes, b->length, 0) == (ssize_t)b->length;
}

static void read_state(iso_context* ctx, iso_lab_slide* slide, const char* path) {
    if (iso_lab_slide_restore(ctx, slide, path) != ISO_OK) {
        check_error(ctx);
        return;
    }
    iso_lab_slide_view view = iso_lab_slide_view_of(slide); // energies and stresses of it
    if (iso_lab_slide_steps(slide) < 0 || !isfinite(view.places[0])) {
        abort();
    }
}

static void read_problem(iso_context* ctx, const char* path) {
    iso_fclib problem;
    if (iso_fclib_read(ctx, path, &problem) != ISO_OK) {
        check_error(ctx);
        return;
    }
    if (problem.contact_count < 1) {
        abort();
    }
    iso_fclib_free(ctx, &problem);
}

static void read_file(iso_context* ctx, int kind, const char* path, int file, const uint8_t* data,
                      size_t size) {
    if (kind == 1) {
        read_learned(ctx, path);
    } else if (kind == 4) {
        read_problem(ctx, path);
    } else {
        const begun* b = begin();
        if (kind == 2 || forge(b, file, data, size)) {
            read_state(b->ctx, b->slide, path);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0 || size > 65536) {
        return 0;
    }
    int kind = data[0] % 5;
    if (kind == 0) {
        read_command(data + 1, size - 1);
        return 0;
    }
    iso_context_desc desc = iso_context_desc_default();
    iso_context* ctx = NULL;
    char path[64];
    int file = memfd_create("small", 0);
    desc.log_fn = drop_message;
    if (file >= 0 && write(file, data + 1, size - 1) == (ssize_t)(size - 1) &&
        iso_context_create(&desc, &ctx) == ISO_OK) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        read_file(ctx, kind, path, file, data + 1, size - 1);
    }
    iso_context_destroy(ctx);
    if (file >= 0) {
        close(file);
    }
    return 0;
}
