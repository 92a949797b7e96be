// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A data race on purpose: where ThreadSanitizer does not report it, its silence about the tests
// would say nothing (tools/run_tsan).

#include <pthread.h>
#include <stddef.h>

static int k_rounds = 1000;

static void* count(void* user) {
    int* counter = user;
    for (int i = 0; i < k_rounds; ++i) {
        ++*counter;
    }
    return NULL;
}

int main(void) {
    int counter = 0;
    pthread_t other;
    if (pthread_create(&other, NULL, count, &counter) != 0) {
        return 1;
    }
    (void)count(&counter);
    (void)pthread_join(other, NULL);
    return counter > 0 ? 0 : 1;
}
