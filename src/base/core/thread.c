// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "base/core/thread.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

// Not every system's conditions know the clock that only goes forward.
#if defined(__APPLE__) || defined(_WIN32)
#define CONDITION_CLOCK CLOCK_REALTIME
#else
#define CONDITION_CLOCK CLOCK_MONOTONIC
#endif

int iso_condvar_init(iso_condvar* condition) {
    pthread_condattr_t attributes;
    int error = pthread_condattr_init(&attributes);
    if (error == 0) {
#if !defined(__APPLE__) && !defined(_WIN32)
        (void)pthread_condattr_setclock(&attributes, CONDITION_CLOCK);
#endif
        error = pthread_cond_init(&condition->own, &attributes);
        (void)pthread_condattr_destroy(&attributes);
    }
    return error;
}

bool iso_condvar_wait_until(iso_condvar* condition, iso_mutex* mutex, double seconds) {
    struct timespec until, now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    (void)clock_gettime(CONDITION_CLOCK, &until);
    double left = fmax(seconds - ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec), 0.0);
    double whole = floor(left);
    until.tv_sec += (time_t)whole;
    until.tv_nsec += (long)(1e9 * (left - whole));
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        ++until.tv_sec;
    }
    return pthread_cond_timedwait(&condition->own, &mutex->own, &until) == 0;
}

int iso_thread_start(iso_thread* out_thread, void* (*work)(void* user), void* user,
                     bool takes_signals) {
#if defined(_WIN32)
    (void)takes_signals; // there are none
    return pthread_create(&out_thread->own, NULL, work, user);
#else
    sigset_t all, before;
    if (!takes_signals) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    int error = pthread_create(&out_thread->own, NULL, work, user);
    if (!takes_signals) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return error;
#endif
}

void iso_thread_yield(void) {
    sched_yield();
}
