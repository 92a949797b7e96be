// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/contact_model.h"

/// Volumetric contact: a force k_v V along the normal of the volume that both bodies fill, with
/// damping that resists rolling, and Coulomb's friction with Contensou's coupling of slip and spin.
/// docs/theory/volumetric.md; [Gonthier2007] chapter 4.
extern const iso_contact_model iso_volumetric_model;
