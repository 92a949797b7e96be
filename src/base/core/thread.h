// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pthread.h>
#include <stdbool.h>

// Threads and what they wait for, under the names that the other rooms know. Where the C library
// has none (Windows) mingw-w64 brings the same calls.

typedef struct iso_mutex {
    pthread_mutex_t own;
} iso_mutex;

typedef struct iso_condvar {
    pthread_cond_t own;
} iso_condvar;

typedef struct iso_thread {
    pthread_t own;
} iso_thread;

/// Flag of something done once.
typedef struct iso_once {
    pthread_once_t own;
} iso_once;

#define ISO_MUTEX_INITIAL ((iso_mutex){PTHREAD_MUTEX_INITIALIZER})
#define ISO_CONDVAR_INITIAL ((iso_condvar){PTHREAD_COND_INITIALIZER})

/// The same as ISO_MUTEX_INITIAL, with the system's word for what is wrong.
/// @return 0 or a code of errno
static inline int iso_mutex_init(iso_mutex* mutex) {
    return pthread_mutex_init(&mutex->own, NULL);
}

static inline void iso_mutex_destroy(iso_mutex* mutex) {
    (void)pthread_mutex_destroy(&mutex->own);
}

static inline void iso_mutex_lock(iso_mutex* mutex) {
    (void)pthread_mutex_lock(&mutex->own);
}

static inline void iso_mutex_unlock(iso_mutex* mutex) {
    (void)pthread_mutex_unlock(&mutex->own);
}

/// A condition that iso_condition_wait_for() takes.
/// @return 0 or a code of errno
int iso_condvar_init(iso_condvar* condition);

static inline void iso_condvar_destroy(iso_condvar* condition) {
    (void)pthread_cond_destroy(&condition->own);
}

/// Wait, with the mutex given up meanwhile; may return without a signal.
static inline void iso_condvar_wait(iso_condvar* condition, iso_mutex* mutex) {
    (void)pthread_cond_wait(&condition->own, &mutex->own);
}

/// The same until iso_clock_seconds() has reached a time.
/// @param condition  of iso_condvar_init()
/// @return false when it has
bool iso_condvar_wait_until(iso_condvar* condition, iso_mutex* mutex, double seconds);

static inline void iso_condvar_signal(iso_condvar* condition) {
    (void)pthread_cond_signal(&condition->own);
}

static inline void iso_condvar_broadcast(iso_condvar* condition) {
    (void)pthread_cond_broadcast(&condition->own);
}

/// Start a thread. Release with iso_thread_join().
/// @param takes_signals  false: signals are left to the other threads of the program
/// @return 0 or a code of errno
int iso_thread_start(iso_thread* out_thread, void* (*work)(void* user), void* user,
                     bool takes_signals);

static inline void iso_thread_join(iso_thread thread) {
    (void)pthread_join(thread.own, NULL);
}

/// Let whoever else wants the core have it.
void iso_thread_yield(void);

/// Call a function unless that has been done; whoever comes meanwhile waits.
static inline void iso_once_call(iso_once* once, void (*work)(void)) {
    (void)pthread_once(&once->own, work);
}
