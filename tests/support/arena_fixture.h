// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// A context and an arena, fresh for every test: set_up and tear_down for
// cmocka_unit_test_setup_teardown.

#include "base/core/arena.h"
#include "support/failing_context.h"

static iso_context* ctx;
static iso_arena arena;

static int set_up(void** state) {
    (void)state;
    ctx = test_context();
    return iso_arena_init(&arena, ctx, 0) == ISO_OK ? 0 : 1;
}

static int tear_down(void** state) {
    (void)state;
    iso_arena_destroy(&arena);
    test_context_destroy(ctx);
    return 0;
}
