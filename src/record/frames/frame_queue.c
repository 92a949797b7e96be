// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "record/frames/frame_queue.h"

#include "base/core/array.h"
#include "base/core/thread.h"
#include "base/system/host.h"
#include "record/frames/encode.h"

#include <stdatomic.h>
#include <stdio.h>

// A chunk is compressed in the time of some frames.
#define SLOT_COUNT 8

#define MESSAGE_SIZE 1024

typedef ISO_ARRAY(iso_recorded_hash) hash_list;

/// A frame that waits, with what was noted before it.
typedef struct frame_slot {
    iso_arena arena;
    iso_recorded_frame frame;
    hash_list hashes;
    iso_bytes events;
} frame_slot;

struct iso_frame_queue {
    iso_context* ctx;
    iso_frame_writer* writer; ///< of the thread, while there is one
    frame_slot slots[SLOT_COUNT];
    hash_list hashes; ///< noted since the last frame
    iso_bytes events; ///< the same, encoded
    int next;         ///< slot of the next frame
    long process;     ///< threads are not there in a process forked off
    bool has_thread;
    atomic_bool is_full;

    iso_thread thread;
    iso_mutex lock; ///< guards everything below
    iso_condvar has_work, has_room;
    int waiting; ///< frames handed over and not yet written
    bool is_closing;
    iso_status status;          ///< the writer's first failure
    char message[MESSAGE_SIZE]; ///< of it
};

static iso_status write_noted(iso_frame_queue* queue, hash_list* hashes, iso_bytes* events) {
    iso_status status = iso_frame_writer_tell(queue->writer, events);
    iso_bytes_clear(events);
    for (int i = 0; i < hashes->count && status == ISO_OK; ++i) {
        const iso_recorded_hash* hash = &hashes->data[i];
        status = iso_frame_writer_note(queue->writer, hash->step_count, hash->state_hash);
    }
    hashes->count = 0;
    return status;
}

static iso_status write_slot(iso_frame_queue* queue, frame_slot* slot) {
    iso_status status = write_noted(queue, &slot->hashes, &slot->events);
    if (status == ISO_OK) {
        status = iso_frame_writer_put(queue->writer, &slot->frame);
    }
    atomic_store(&queue->is_full, iso_frame_writer_is_full(queue->writer));
    return status;
}

static void keep_failure(iso_frame_queue* queue, iso_status status) {
    if (status != ISO_OK) {
        queue->status = status;
        snprintf(queue->message, sizeof queue->message, "%s", iso_context_error(queue->ctx));
    }
}

// Frames after a failure are dropped: whoever brings the next one is told.
static void* thread_main(void* user) {
    iso_frame_queue* queue = user;
    iso_status started = iso_frame_writer_start(queue->writer);
    iso_mutex_lock(&queue->lock);
    keep_failure(queue, started);
    for (int at = 0;; at = (at + 1) % SLOT_COUNT) {
        while (queue->waiting == 0 && !queue->is_closing) {
            iso_condvar_wait(&queue->has_work, &queue->lock);
        }
        if (queue->waiting == 0) {
            break;
        }
        if (queue->status == ISO_OK) {
            iso_mutex_unlock(&queue->lock);
            iso_status status = write_slot(queue, &queue->slots[at]);
            iso_mutex_lock(&queue->lock);
            keep_failure(queue, status);
        }
        --queue->waiting;
        iso_condvar_signal(&queue->has_room);
    }
    iso_mutex_unlock(&queue->lock);
    return NULL;
}

static void release(iso_frame_queue* queue) {
    iso_context* ctx = queue->ctx;
    for (int i = 0; i < SLOT_COUNT; ++i) {
        iso_arena_destroy(&queue->slots[i].arena);
        ISO_ARRAY_FREE(ctx, &queue->slots[i].hashes);
        iso_bytes_free(&queue->slots[i].events);
    }
    ISO_ARRAY_FREE(ctx, &queue->hashes);
    iso_bytes_free(&queue->events);
    iso_condvar_destroy(&queue->has_work);
    iso_condvar_destroy(&queue->has_room);
    iso_mutex_destroy(&queue->lock);
    iso_free(ctx, queue);
}

iso_status iso_frame_queue_open(iso_context* ctx, iso_frame_writer* writer, bool in_background,
                                iso_frame_queue** out_queue) {
    *out_queue = NULL;
    iso_frame_queue* queue = iso_alloc_zeroed(ctx, sizeof *queue);
    if (!queue) {
        iso_status closed = iso_frame_writer_close(writer); // the first failure is reported
        (void)closed;
        return iso_fail(ctx, ISO_ERR_MEMORY, __func__, "queue of frames");
    }
    queue->ctx = ctx;
    queue->writer = writer;
    queue->events = iso_bytes_make(ctx);
    queue->process = iso_process_number();
    atomic_init(&queue->is_full, false);
    queue->lock = ISO_MUTEX_INITIAL;
    queue->has_work = ISO_CONDVAR_INITIAL;
    queue->has_room = ISO_CONDVAR_INITIAL;
    for (int i = 0; i < SLOT_COUNT; ++i) {
        queue->slots[i].arena.ctx = ctx;
        queue->slots[i].events = iso_bytes_make(ctx);
    }
    queue->has_thread =
        in_background && iso_thread_start(&queue->thread, thread_main, queue, false) == 0;
    *out_queue = queue;
    return ISO_OK;
}

bool iso_frame_queue_has_thread(const iso_frame_queue* queue) {
    return queue->has_thread;
}

iso_status iso_frame_queue_note(iso_frame_queue* queue, int64_t step_count, uint64_t state_hash) {
    if (iso_frame_queue_is_full(queue)) {
        return ISO_OK;
    }
    iso_status status = ISO_ARRAY_GROW(queue->ctx, &queue->hashes);
    if (status == ISO_OK) {
        queue->hashes.data[queue->hashes.count++] = (iso_recorded_hash){step_count, state_hash};
    }
    return status;
}

iso_status iso_frame_queue_tell(iso_frame_queue* queue, const iso_event* event) {
    if (!iso_frame_queue_is_full(queue)) {
        iso_encode_event(&queue->events, event);
    }
    return iso_bytes_status(&queue->events);
}

// Wait until at most so many frames do; tells the writer's failure in the caller's thread.
static iso_status wait_for(iso_frame_queue* queue, int most_waiting) {
    if (!queue->has_thread) {
        return queue->status;
    }
    ISO_REQUIRE(queue->ctx, queue->process == iso_process_number(), ISO_ERR_ARGUMENT,
                "the recorder is of another process, expected the one that made it");
    iso_mutex_lock(&queue->lock);
    while (queue->waiting > most_waiting) {
        iso_condvar_wait(&queue->has_room, &queue->lock);
    }
    iso_status status = queue->status;
    iso_mutex_unlock(&queue->lock);
    // The message does not change any more.
    return status == ISO_OK ? ISO_OK : iso_fail(queue->ctx, status, __func__, "%s", queue->message);
}

iso_status iso_frame_queue_begin(iso_frame_queue* queue, iso_arena** out_arena) {
    *out_arena = NULL;
    iso_status status = wait_for(queue, SLOT_COUNT - 1);
    iso_arena* arena = &queue->slots[queue->next].arena;
    if (status == ISO_OK) {
        status = iso_arena_reset(arena);
    }
    *out_arena = status == ISO_OK ? arena : NULL;
    return status;
}

iso_status iso_frame_queue_put(iso_frame_queue* queue, const iso_recorded_frame* frame) {
    frame_slot* slot = &queue->slots[queue->next];
    hash_list empty = slot->hashes;
    iso_bytes none = slot->events;
    slot->frame = *frame;
    slot->hashes = queue->hashes;
    queue->hashes = empty;
    slot->events = queue->events;
    queue->events = none;
    if (!queue->has_thread) {
        queue->status = write_slot(queue, slot);
        return queue->status;
    }
    queue->next = (queue->next + 1) % SLOT_COUNT;
    iso_mutex_lock(&queue->lock);
    ++queue->waiting;
    iso_condvar_signal(&queue->has_work);
    iso_mutex_unlock(&queue->lock);
    return ISO_OK;
}

bool iso_frame_queue_is_full(const iso_frame_queue* queue) {
    return atomic_load(&queue->is_full);
}

int iso_frame_queue_count(iso_frame_queue* queue) {
    iso_status status = wait_for(queue, 0); // told by the next call that can
    (void)status;
    return iso_frame_writer_count(queue->writer);
}

iso_status iso_frame_queue_close(iso_frame_queue* queue) {
    if (!queue) {
        return ISO_OK;
    }
    if (queue->has_thread && queue->process != iso_process_number()) {
        return ISO_OK; // its memory may be in use by the thread at the fork: it stays
    }
    iso_status status = wait_for(queue, 0);
    if (queue->has_thread) {
        iso_mutex_lock(&queue->lock);
        queue->is_closing = true;
        iso_condvar_signal(&queue->has_work);
        iso_mutex_unlock(&queue->lock);
        iso_thread_join(queue->thread);
    }
    if (status == ISO_OK) {
        status = write_noted(queue, &queue->hashes, &queue->events);
    }
    iso_status closed = iso_frame_writer_close(queue->writer);
    release(queue);
    return status != ISO_OK ? status : closed;
}
