// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "surface/walk/trace_share.h"

#include <string.h>

// Looks at what is on offer before a thread goes to sleep: some fifty microseconds, which is what
// it costs to wake up, and more than the search for the first start takes.
#define LOOKS 160
// Most pairs that a thread takes at once: what it cannot use in time it would have to offer again.
#define MOST_TAKEN 64
// Of a table, that a thread clears at once.
#define CLEAR_PARTS 8

bool iso_share_init(iso_share* share, iso_arena* arena, size_t slot_count) {
    _Atomic uint64_t* slots = iso_arena_push(arena, slot_count * sizeof *slots);
    if (!slots) {
        return false;
    }
    share->slots = slots;
    share->mask = slot_count - 1;
    atomic_init(&share->next_part, 0);
    atomic_init(&share->clear_parts, 0);
    atomic_init(&share->used, 0);
    atomic_init(&share->hungry, 0);
    atomic_init(&share->offered, 0);
    atomic_init(&share->end, ISO_SHARE_OPEN);
    atomic_init(&share->close_count, 0);
    share->lock = ISO_MUTEX_INITIAL;
    share->news = ISO_CONDVAR_INITIAL;
    share->active_count = 0;
    share->start_parts = 0;
    return true;
}

void iso_share_destroy(iso_share* share) {
    iso_mutex_destroy(&share->lock);
    iso_condvar_destroy(&share->news);
}

// Whatever of the table no thread clears yet.
static void clear_parts(iso_share* share) {
    size_t count = (share->mask + 1) / CLEAR_PARTS;
    for (int part; (part = atomic_fetch_add(&share->next_part, 1)) < CLEAR_PARTS;) {
        memset((void*)(share->slots + (size_t)part * count), 0, count * sizeof *share->slots);
        atomic_fetch_add(&share->clear_parts, 1);
    }
}

void iso_share_clear(iso_share* share) {
    if (atomic_load(&share->clear_parts) < CLEAR_PARTS) {
        clear_parts(share);
    }
    while (atomic_load(&share->clear_parts) < CLEAR_PARTS) {
        iso_thread_yield();
    }
}

static bool has_news(const iso_share* share) {
    return atomic_load(&share->offered) > 0 || atomic_load(&share->end) != ISO_SHARE_OPEN;
}

// Called with the lock held; returns with it held.
static void wait_for_news(iso_share* share) {
    atomic_fetch_add(&share->hungry, 1);
    iso_mutex_unlock(&share->lock);
    if (atomic_load(&share->next_part) < CLEAR_PARTS) {
        clear_parts(share);
    }
    for (int i = 0; i < LOOKS && !has_news(share); ++i) {
        iso_thread_yield();
    }
    iso_mutex_lock(&share->lock);
    while (!has_news(share)) {
        iso_condvar_wait(&share->news, &share->lock);
    }
    atomic_fetch_sub(&share->hungry, 1);
}

iso_share_work iso_share_take(iso_share* share, bool has_worked, iso_trace_pair* out_pairs,
                              int* out_count) {
    iso_share_work work = ISO_SHARE_REST;
    *out_count = 0;
    iso_mutex_lock(&share->lock);
    share->active_count -= has_worked;
    while (atomic_load(&share->end) == ISO_SHARE_OPEN) {
        int offered = atomic_load(&share->offered);
        if (share->start_parts < ISO_SHARE_START_PARTS) {
            *out_count = share->start_parts++;
            work = ISO_SHARE_STARTS;
        } else if (offered > 0) {
            int count = (offered + 1) / 2 < MOST_TAKEN ? (offered + 1) / 2 : MOST_TAKEN;
            memcpy(out_pairs, share->pairs + offered - count, (size_t)count * sizeof *out_pairs);
            atomic_store(&share->offered, offered - count);
            *out_count = count;
            work = ISO_SHARE_PAIRS_TAKEN;
        } else if (share->active_count > 0) {
            wait_for_news(share);
            continue;
        } else {
            atomic_store(&share->end, ISO_SHARE_DONE);
            iso_condvar_broadcast(&share->news);
            work = ISO_SHARE_LAST;
        }
        break;
    }
    share->active_count += work != ISO_SHARE_REST;
    iso_mutex_unlock(&share->lock);
    return work;
}

int iso_share_offer(iso_share* share, const iso_trace_pair* pairs, int most) {
    iso_mutex_lock(&share->lock);
    int offered = atomic_load(&share->offered);
    int room = ISO_SHARE_PAIRS - offered, count = most < room ? most : room;
    if (atomic_load(&share->end) != ISO_SHARE_OPEN) {
        count = 0; // those who wait have not noticed yet
    }
    if (count > 0) {
        memcpy(share->pairs + offered, pairs, (size_t)count * sizeof *pairs);
        atomic_store(&share->offered, offered + count);
        iso_condvar_broadcast(&share->news);
    }
    iso_mutex_unlock(&share->lock);
    return count;
}

void iso_share_stop(iso_share* share, iso_share_end reason) {
    iso_mutex_lock(&share->lock);
    if (!iso_share_is_stopped(share)) {
        atomic_store(&share->end, reason);
    }
    iso_condvar_broadcast(&share->news);
    iso_mutex_unlock(&share->lock);
}

void iso_share_report(iso_share* share) {
    size_t used = atomic_fetch_add(&share->used, ISO_SHARE_REPORT) + ISO_SHARE_REPORT;
    if (4 * used > share->mask) {
        iso_share_stop(share, ISO_SHARE_FULL);
    }
}
