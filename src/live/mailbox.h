// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/thread.h"
#include "live/command.h"
#include "record/json/bytes.h"

// What the thread that steps the world and the thread that serves pages have in common: the newest
// message of each kind one way, commands the other way. Neither waits for the other longer than it
// takes to copy a message.

/// Messages of one kind; a page gets the newest it has not had, and in this order.
typedef enum iso_live_slot {
    ISO_LIVE_SLOT_MODEL, ///< text
    ISO_LIVE_SLOT_PAIRS, ///< text
    ISO_LIVE_SLOT_FRAME, ///< binary
    ISO_LIVE_SLOT_COUNT
} iso_live_slot;

enum { ISO_LIVE_QUEUE_SIZE = 128, ISO_LIVE_HEADROOM = 64 };

/// A message, behind ISO_LIVE_HEADROOM bytes that are the server's to write to.
typedef struct iso_live_message {
    iso_bytes bytes;
    uint64_t number; ///< 0: there is none yet
} iso_live_message;

/// Everything behind one lock.
typedef struct iso_live_mailbox {
    iso_mutex lock;
    iso_condvar has_command;
    iso_live_message front[ISO_LIVE_SLOT_COUNT]; ///< behind the lock
    iso_bytes back[ISO_LIVE_SLOT_COUNT];         ///< the stepping thread's
    uint64_t number;
    iso_live_command queue[ISO_LIVE_QUEUE_SIZE];
    int queue_first, queue_count;
    int dropped; ///< commands for which there was no room
    int client_count;
    bool is_closing;
} iso_live_mailbox;

iso_status iso_live_mailbox_init(iso_live_mailbox* box, iso_context* ctx);
void iso_live_mailbox_destroy(iso_live_mailbox* box);

/// Empty buffer of a slot, behind the headroom, for the stepping thread to fill.
iso_bytes* iso_live_mailbox_begin(iso_live_mailbox* box, iso_live_slot slot);
/// What was filled in is the newest message now. A model takes back what refers to the one before.
/// @return ISO_ERR_MEMORY: the one before stays
iso_status iso_live_mailbox_publish(iso_live_mailbox* box, iso_live_slot slot);

/// Commands that say where something is (drags, joints, actuators) replace one of their kind that
/// still waits as the last. A full queue drops the new one.
void iso_live_mailbox_put(iso_live_mailbox* box, const iso_live_command* command);
/// False when there is none.
bool iso_live_mailbox_take(iso_live_mailbox* box, iso_live_command* out_command);
/// Wait for a command, at most so long [s].
void iso_live_mailbox_wait(iso_live_mailbox* box, double seconds);
