// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "support/meter.h"

#include <stdlib.h>

double bench_clock_us(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

double bench_now_us(void) {
    return bench_clock_us(CLOCK_MONOTONIC);
}

double bench_cpu_us(void) {
    return bench_clock_us(CLOCK_THREAD_CPUTIME_ID);
}

void* bench_count_realloc(void* user, void* old_ptr, size_t old_size, size_t new_size) {
    (void)old_size;
    ++*(long*)user;
    if (new_size == 0) {
        free(old_ptr);
        return NULL;
    }
    return realloc(old_ptr, new_size);
}
