// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Actuators that pull at what a body touches: <adhesion>, <general body="...">.

#include "scene/mjcf/mjcf.h"

/// Which body's contacts an actuator pulls at, if that is what it does.
iso_status iso_mjcf_read_adhesion_body(iso_mjcf_reader* reader, const xmlNode* node,
                                       iso_mjcf_transmission* out);
/// Gain and range of <adhesion>.
iso_status iso_mjcf_check_adhesion(const iso_mjcf_reader* reader, const iso_mjcf_item* item,
                                   const iso_mjcf_actuator* law);
/// Make an actuator adhesion; its forces, in `range`, are bounded from below.
void iso_mjcf_bound_adhesion(const iso_mjcf_reader* reader, const xmlNode* node,
                             iso_actuator_desc* actuator, int body, double* range);
