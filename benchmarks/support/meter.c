// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#if defined(__linux__)
#define _GNU_SOURCE // the cores of a thread
#include <sched.h>
#endif

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

#if defined(__linux__)

int bench_find_cores(int out_cores[BENCH_MOST_CORES]) {
    cpu_set_t set;
    int count = 0;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        for (int core = 0; core < CPU_SETSIZE && count < BENCH_MOST_CORES; ++core) {
            if (CPU_ISSET((size_t)core, &set)) {
                out_cores[count++] = core;
            }
        }
    }
    return count;
}

void bench_go_to(const int* cores, int count) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < count; ++i) {
        CPU_SET((size_t)cores[i], &set);
    }
    sched_setaffinity(0, sizeof set, &set);
}

#else

int bench_find_cores(int out_cores[BENCH_MOST_CORES]) {
    (void)out_cores;
    return 0;
}

void bench_go_to(const int* cores, int count) {
    (void)cores;
    (void)count;
}

#endif

void* bench_count_realloc(void* user, void* old_ptr, size_t old_size, size_t new_size) {
    (void)old_size;
    ++*(long*)user;
    if (new_size == 0) {
        free(old_ptr);
        return NULL;
    }
    return realloc(old_ptr, new_size);
}
