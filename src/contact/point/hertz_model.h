// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/contact_model.h"

/// Hertz contact of round shapes (round_pair.h): at each point a force
///     f = k depth^(3/2) (1 - d v_n)+
/// with the dissipation d of the materials, and friction at the point. Young's moduli and Poisson's
/// ratios are the materials'. docs/theory/point_contact.md.
extern const iso_contact_model iso_hertz_model;
