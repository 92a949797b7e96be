// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The velocity problem of a step as [Masterjohn2022] and Drake pose it: one constraint of three
// rows for every face, whose Hessian goes to the joints face by face. It has the same cost as the
// problem of the stepper, which pools the faces of a pair first; so both have the same minimiser.
// What pooling saves is measured against it.

#include "stepper/stages/stages.h"

// iso_stages_problem() with a potential for every compliant point. Method sap only, no conveyor
// belts and no bodies that a caller moves.
iso_status per_face_problem(const iso_stages* stages, iso_arena* arena,
                            iso_convex_problem* out_problem);
