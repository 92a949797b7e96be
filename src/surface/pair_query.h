// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/arena.h"
#include "surface/contact_shape.h"

/// Contact patch of two shapes at the given poses: every supported pair. Normals point from A into
/// B, everything in W. Pure: depends on its arguments only. Memory comes from `arena` (results
/// first, scratch released before returning); allocates nothing else.
/// Which pairs: volume x volume, volume x surface, volume x half space (rigid or compliant),
/// surface x compliant half space, and rigid x rigid through the layer of the closed one (A's when
/// both are closed; a half space's when one is a half space). Two half spaces, or two open
/// surfaces, are the caller's error (checked when pairs are made). The result has face_count 0 when
/// there is no contact. Faces of zero area are not reported.
iso_status iso_pair_query(iso_arena* arena, const iso_contact_shape* a, const iso_pose* x_wa,
                          const iso_contact_shape* b, const iso_pose* x_wb,
                          const iso_contact_options* options, iso_patch* out_patch);
