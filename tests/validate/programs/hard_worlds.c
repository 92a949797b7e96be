// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Whether every step of worlds with extreme values (support/hard_world.h) finds its minimum.
//     validate_hard_worlds FIRST COUNT SECONDS [midpoint]
// prints a JSON line for each seed; SECONDS: for the steps of one world. With `midpoint` that
// method takes the place of `lagged`.

#include "support/hard_world.h"

#include <inttypes.h>
#include <string.h>

static const char* method_name(const hard_world* w) {
    switch (w->desc.method) {
    case ISO_METHOD_SIMILAR:
        return "similar";
    case ISO_METHOD_SAP:
        return "sap";
    case ISO_METHOD_TAMSI:
        return "tamsi";
    case ISO_METHOD_MIDPOINT:
        return w->desc.contact.friction == ISO_FRICTION_MODEL_STICK ? "midpoint"
                                                                    : "midpoint regularized";
    default:
        return w->desc.contact.friction == ISO_FRICTION_MODEL_STICK ? "lagged"
                                                                    : "lagged regularized";
    }
}

static void print_text(const char* text) {
    putchar('"');
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\') {
            putchar('\\');
        }
        putchar((unsigned char)*text < ' ' ? ' ' : *text);
    }
    putchar('"');
}

static void measure(iso_context* ctx, uint64_t seed, double limit, bool is_midpoint) {
    hard_world w = {.ctx = ctx};
    hard_world_build(&w, seed);
    if (is_midpoint && w.desc.method == ISO_METHOD_LAGGED) {
        w.desc.method = ISO_METHOD_MIDPOINT;
    }
    iso_world* world = NULL;
    hard_outcome o = {.status = iso_world_create(ctx, w.model, &w.desc, &world)};
    bool is_made = o.status == ISO_OK;
    if (is_made) {
        o = hard_world_run(&w, world, limit);
    }
    printf("{\"seed\": %" PRIu64 ", \"method\": \"%s\", \"bodies\": %d, \"time_step\": %.3g, "
           "\"size\": %.3g, \"modulus\": %.3g, \"is_made\": %s, \"steps\": %d, \"asked\": %d, "
           "\"faces\": %" PRId64 ", \"iterations\": %d, \"evaluations\": %d, \"residual\": %.3g, "
           "\"reason\": \"%s\", \"slowest\": %.3g, \"seconds\": %.3g, \"is_overlong\": %s, "
           "\"hash\": \"%016" PRIx64 "\", \"status\": %d, \"message\": ",
           seed, method_name(&w), w.body_count, w.desc.time_step, w.size, w.modulus,
           is_made ? "true" : "false", o.steps, w.steps, o.faces, o.iterations, o.evaluations,
           o.residual, iso_step_reason_text(o.reason), o.slowest, o.seconds,
           o.is_overlong ? "true" : "false", o.hash, (int)o.status);
    print_text(o.status == ISO_OK ? "" : iso_context_error(ctx));
    printf("}\n");
    fflush(stdout);
    iso_world_destroy(world);
    iso_model_destroy(w.model);
}

int main(int argc, char** argv) {
    bool is_midpoint = argc == 5 && strcmp(argv[4], "midpoint") == 0;
    if (argc != 4 && !is_midpoint) {
        fprintf(stderr, "usage: validate_hard_worlds FIRST COUNT SECONDS [midpoint]\n");
        return 2;
    }
    iso_context* ctx = NULL;
    iso_context_desc desc = iso_context_desc_default();
    desc.log_level = ISO_LOG_ERROR;
    if (iso_context_create(&desc, &ctx) != ISO_OK) {
        return 1;
    }
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    for (uint64_t seed = first; seed < first + count; ++seed) {
        measure(ctx, seed, strtod(argv[3], NULL), is_midpoint);
    }
    iso_context_destroy(ctx);
    return 0;
}
