// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/sweep.h"

/// Where quantities are read.
typedef struct iso_sweep_site {
    const iso_world* world;
    const iso_task* task;
    const iso_sensors* sensors;
} iso_sweep_site;

/// What a quantity is of.
typedef enum iso_sweep_subject_kind {
    ISO_SWEEP_OF_NOTHING,
    ISO_SWEEP_OF_BODY,
    ISO_SWEEP_OF_CONTACT, ///< of a body, or of two: "A|B"
    ISO_SWEEP_OF_JOINT,
    ISO_SWEEP_OF_PROGRAM,
    ISO_SWEEP_OF_SENSOR, ///< "SENSOR.COLUMN", column by name or number
} iso_sweep_subject_kind;

/// What was found by a name.
typedef struct iso_sweep_subject {
    int index; ///< of body, joint, program or sensor
    int other; ///< of contacts: the other body, -1: any; of sensors: the value
} iso_sweep_subject;

/// A quantity that can be measured.
typedef struct iso_sweep_quantity {
    const char* name;
    const char* unit; ///< "": a plain number, or that of a sensor
    iso_sweep_subject_kind kind;
    bool is_summed; ///< what is read is a rate; the quantity is its integral over time
    /// NAN: there is nothing to read now
    double (*read)(const iso_sweep_site* site, const iso_sweep_subject* subject);
} iso_sweep_quantity;

extern const iso_sweep_quantity k_iso_sweep_quantities[];
extern const int k_iso_sweep_quantity_count;

/// @param name  within the parentheses
/// @return ISO_ERR_NOT_FOUND
iso_status iso_sweep_find_subject(iso_context* ctx, iso_sweep_subject_kind kind, const char* name,
                                  const iso_sweep_site* site, iso_sweep_subject* out);
