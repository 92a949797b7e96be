// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What a contact may give back: no more than it has absorbed since its bodies met. A stiff body
// that meets another is as deep in it after one step as it moves in that step, and stores far more
// there than its motion had. docs/theory/contact.md derives the bound.

#include "contact/contact_model.h"
#include "contact/discrete/compliant_points.h"

/// Energy that points without a memory may give back [J]: that of those which touched a step ago,
/// as they moved; of a state that was given, of all.
double iso_absorbed_before(const iso_contact_step_input* input, const iso_compliant_points* points);

/// Where the points store more than `absorbed` [J] and a step cannot resolve how they give it back,
/// they start with less force.
/// @return what they may give back: `absorbed`, and a few times what they store at most
double iso_absorbed_limit(const iso_contact_step_input* input, double absorbed,
                          iso_compliant_points* points);
