// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "record/json/bytes.h"

/// Members of iso_energy that a recording has.
#define ISO_RECORDED_ENERGIES(X) \
    X(kinetic) X(potential) X(elastic) X(actuation) X(contact) X(damping)
/// The same, which older recordings are without: NAN when they are read.
#define ISO_LATER_ENERGIES(X) \
    X(spring)                 \
    X(constraint)             \
    X(stretch)                \
    X(stretch_booked)         \
    X(applied)                \
    X(friction)               \
    X(contact_damping)        \
    X(limit)

/// What messages of the channels are, static storage.
typedef struct iso_channel_schema {
    const char* topic;
    const char* name;
    const char* text;                   ///< JSON schema; NULL: Protocol Buffers only
    void (*put_schema)(iso_bytes* out); ///< of messages in Protocol Buffers; NULL: JSON only
} iso_channel_schema;

typedef enum iso_channel {
    ISO_CHANNEL_MODEL,
    ISO_CHANNEL_STATE,
    ISO_CHANNEL_CONTACTS,
    ISO_CHANNEL_ENERGY,
    ISO_CHANNEL_HASHES,
    ISO_CHANNEL_SENSORS,
    ISO_CHANNEL_EVENTS,
    ISO_CHANNEL_TRANSFORMS, ///< from here on: for Foxglove
    ISO_CHANNEL_CONTACT_SCENE,
    ISO_CHANNEL_BODY_SCENE,
    ISO_CHANNEL_COUNT
} iso_channel;

#define ISO_CHANNEL_FIRST_FOXGLOVE ISO_CHANNEL_TRANSFORMS

iso_channel_schema iso_channel_schema_of(iso_channel channel);
