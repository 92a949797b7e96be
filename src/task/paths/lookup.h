// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/values/name.h"
#include "isobar/world.h"

// The things of a world by name.
// Each fails with ISO_ERR_NOT_FOUND: there is none of this name, or more than one.

iso_status iso_look_up_body(iso_context* ctx, const iso_world* world, const char* name,
                            int* out_body);
/// Of one degree of freedom.
iso_status iso_look_up_joint(iso_context* ctx, const iso_world* world, const char* name,
                             int* out_joint);
/// Body whose inboard joint, of any kind, has the name.
iso_status iso_look_up_inboard_joint(iso_context* ctx, const iso_world* world, const char* name,
                                     int* out_body);
iso_status iso_look_up_fixed_tendon(iso_context* ctx, const iso_world* world, const char* name,
                                    int* out_tendon);
iso_status iso_look_up_actuator(iso_context* ctx, const iso_world* world, const char* name,
                                int* out_actuator);
iso_status iso_look_up_constraint(iso_context* ctx, const iso_world* world, const char* name,
                                  int* out_constraint);
/// Is there a collision geometry of this name? @param body  -1: on any
iso_status iso_look_up_geometry(iso_context* ctx, const iso_world* world, int body,
                                const char* name);
