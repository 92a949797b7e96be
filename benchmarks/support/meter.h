// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What every benchmark measures with: clocks, and an allocator that counts its calls.

#include <stddef.h>
#include <time.h>

double bench_clock_us(clockid_t clock);
double bench_now_us(void); // of the clock on the wall
double bench_cpu_us(void); // of this thread on a processor

#define BENCH_MOST_CORES 64

// The cores that this thread may use; none where they cannot be told apart.
// @return how many
int bench_find_cores(int out_cores[BENCH_MOST_CORES]);
// Run this thread on these cores only.
void bench_go_to(const int* cores, int count);

// iso_context_desc.realloc_fn; user: a long.
void* bench_count_realloc(void* user, void* old_ptr, size_t old_size, size_t new_size);
