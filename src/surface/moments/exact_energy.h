// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "surface/shapes/contact_shape.h"

/// The integral of the smaller pressure over the overlap of two shapes, as a flux through their
/// patch (docs/theory/energy_flux.md). The first call makes what is missing of the shapes' flux
/// fields, which later calls, also on other threads, share. Not for use inside a step.
/// @param      patch         of the shapes at these poses, in W
/// @param[out] out_energy    [J]; 0 when not exact
/// @param[out] out_is_exact  false: a field has no flux, a field is not 0 on its skin, or the patch
///                           has a rim under pressure (faces were culled, a surface is open)
/// @return ISO_ERR_MEMORY
iso_status iso_patch_exact_energy(iso_contact_shape* a, const iso_pose* x_wa, iso_contact_shape* b,
                                  const iso_pose* x_wb, const iso_patch* patch, double* out_energy,
                                  bool* out_is_exact);
