// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The force of an actuator, from what all of its classes and the element itself say.

#include "scene/mjcf/mjcf.h"

/// Whether an actuator drives anything here.
bool iso_mjcf_drives(const iso_mjcf_transmission* drive);
/// Gain, bias, damping and dynamics of an actuator. As in MuJoCo, <general> goes on from classes of
/// every kind, other kinds from those of their own and of <general>. Lags are left out with a
/// warning.
/// @param      drive, gear   what it pulls along, which shares of critical damping refer to
/// @param[out] out_is_known  false: of a kind that is left out
iso_status iso_mjcf_read_law(iso_mjcf_reader* reader, const iso_mjcf_item* item,
                             const iso_mjcf_transmission* drive, double gear,
                             iso_mjcf_actuator* law, bool* out_is_known);
