// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What real taxels make of pressures. User page: docs/sensors.md.

#include "isobar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A model of taxels: reading = offset + gain play(p) + noise, rounded to steps, within a range.
/// The play operator has the hysteresis: it follows the pressure p [Pa] at a distance of at most
/// `hysteresis`, so that rising and falling pressures read differently by twice that. Start from
/// iso_taxels_default().
typedef struct iso_taxels {
    double gain;       ///< reading per pressure [1/Pa], not 0; 1
    double offset;     ///< reading without pressure; 0
    double hysteresis; ///< half the width of the loop [Pa], >= 0; 0
    double noise;      ///< standard deviation of a reading, >= 0; 0
    double step;       ///< resolution of a reading, >= 0; 0: none
    double low, high;  ///< range of a reading, low < high; -INFINITY, INFINITY
    int seed;          ///< of the noise, >= 0; 0
} iso_taxels;
/// Readings are pressures.
ISO_API iso_taxels iso_taxels_default(void);
/// Are readings more, or less, than pressures: is any member but the seed not the default?
ISO_API bool iso_taxels_is_set(const iso_taxels* taxels);
/// @return ISO_ERR_RANGE (the message has member, value and range), ISO_ERR_ARGUMENT
ISO_NODISCARD ISO_API iso_status iso_taxels_check(iso_context* ctx, const iso_taxels* taxels);

/// Readings of pressures, in the order of time: taxels remember. Allocates nothing.
/// @param         pressures  [count * stride] the first of every `stride` [Pa]
/// @param         draw       which reading it is: the noise depends on seed, draw and taxel only
/// @param[in,out] followed   [count] where the play operators are [Pa]; zeros: never pressed
/// @param[out]    readings   [count]
/// @return ISO_ERR_ARGUMENT, errors of iso_taxels_check()
ISO_NODISCARD ISO_API iso_status iso_taxels_read(iso_context* ctx, const iso_taxels* taxels,
                                                 const double* pressures, int stride, int count,
                                                 uint64_t draw, double* followed, double* readings);

/// What a cell of a tactile grid does.
typedef enum iso_cell_state {
    ISO_CELL_FREE, ///< nothing touches it
    ISO_CELL_STICKS,
    ISO_CELL_SLIPS, ///< the other body moves along it at the threshold or faster
} iso_cell_state;
/// States of cells as iso_sensors_values() has them.
/// @param      cells   [count * 6]
/// @param      speed   threshold of slip [m/s], > 0
/// @param[out] states  [count] numbers of iso_cell_state
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (speed)
ISO_NODISCARD ISO_API iso_status iso_cell_states(iso_context* ctx, const double* cells, int count,
                                                 double speed, double* states);

#ifdef __cplusplus
}
#endif
