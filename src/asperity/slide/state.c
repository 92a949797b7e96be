// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "asperity/slide/slide.h"
#include "base/core/text.h"
#include "base/values/hash.h"

#include <math.h>
#include <string.h>

// The file of a state: this head, then places and velocities, all little-endian as in memory.
typedef struct head {
    char magic[8];
    uint64_t fingerprint; ///< of the description
    uint64_t hash;        ///< of all that follows
    int64_t step_count;
    double mean_x, mean_y;
} head;

static const char k_magic[8] = {'i', 's', 'o', 's', 'l', 'i', 'd', '1'};

static uint64_t hash_of(const head* h, const double* x, const double* v, int size) {
    uint64_t hash = iso_hash_bytes(h->fingerprint, &h->step_count, sizeof h->step_count);
    hash = iso_hash_bytes(hash, &h->mean_x, sizeof h->mean_x);
    hash = iso_hash_bytes(hash, &h->mean_y, sizeof h->mean_y);
    hash = iso_hash_bytes(hash, x, (size_t)size * sizeof *x);
    return iso_hash_bytes(hash, v, (size_t)size * sizeof *v);
}

// What was read for trial and direction.
static bool is_usable(const head* h, const iso_elastic_system* s) {
    bool is_finite = isfinite(h->mean_x) && isfinite(h->mean_y);
    for (int i = 0; i < s->size && is_finite; ++i) {
        is_finite = isfinite(s->trial[i]) && isfinite(s->direction[i]);
    }
    return is_finite && h->step_count >= 0 && h->step_count < INT64_MAX;
}

iso_status iso_lab_slide_save(iso_context* ctx, const iso_lab_slide* slide, const char* path) {
    ISO_REQUIRE(ctx, slide && path, ISO_ERR_ARGUMENT, "slide and path are required");
    const iso_elastic_system* s = slide->s;
    head h = {.fingerprint = slide->fingerprint,
              .step_count = slide->step_count,
              .mean_x = slide->mean_x,
              .mean_y = slide->mean_y};
    memcpy(h.magic, k_magic, sizeof h.magic);
    h.hash = hash_of(&h, s->x, s->v, s->size);
    iso_file_writer writer;
    iso_status status = iso_file_writer_open(ctx, path, &writer);
    if (status != ISO_OK) {
        return status;
    }
    fwrite(&h, sizeof h, 1, writer.file); // what fails is seen by the commit
    fwrite(s->x, sizeof *s->x, (size_t)s->size, writer.file);
    fwrite(s->v, sizeof *s->v, (size_t)s->size, writer.file);
    return iso_file_writer_commit(ctx, &writer);
}

iso_status iso_lab_slide_restore(iso_context* ctx, iso_lab_slide* slide, const char* path) {
    ISO_REQUIRE(ctx, slide && path, ISO_ERR_ARGUMENT, "slide and path are required");
    iso_elastic_system* s = slide->s;
    size_t values = (size_t)s->size * sizeof(double), size = 0;
    char* bytes = NULL;
    head h;
    iso_status status = iso_file_read(ctx, path, ((size_t)1 << 32), &bytes, &size);
    if (status != ISO_OK) {
        return status;
    }
    ISO_CHECK(ctx, size >= sizeof h && memcmp(bytes, k_magic, sizeof k_magic) == 0, ISO_ERR_PARSE,
              "%s: not the state of sliding blocks, expected one that begins with 'isoslid1'",
              path);
    memcpy(&h, bytes, sizeof h);
    ISO_CHECK(ctx, h.fingerprint == slide->fingerprint, ISO_ERR_ARGUMENT,
              "%s: the state of other blocks, expected one of the same surfaces and numbers", path);
    ISO_CHECK(ctx, size == sizeof h + 2 * values, ISO_ERR_PARSE,
              "%s: %zu bytes, expected %zu: the file is damaged", path, size,
              sizeof h + 2 * values);
    memcpy(s->trial, bytes + sizeof h, values);
    memcpy(s->direction, bytes + sizeof h + values, values);
    ISO_CHECK(ctx, hash_of(&h, s->trial, s->direction, s->size) == h.hash, ISO_ERR_PARSE,
              "%s: its numbers do not fit its checksum: the file is damaged", path);
    ISO_CHECK(ctx, is_usable(&h, s), ISO_ERR_PARSE,
              "%s: a step, place or velocity is not finite or negative: the file is damaged", path);
    memcpy(s->x, s->trial, values);
    memcpy(s->v, s->direction, values);
    slide->step_count = h.step_count;
    slide->mean_x = h.mean_x;
    slide->mean_y = h.mean_y;

done:
    iso_free(ctx, bytes);
    return status;
}
