// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// What of two fields counts as equal. Where their gradients are, h = p0 - p1 is the same in a whole
// region, and the surface runs along one side of it or the other by the sign of h. Both sides must
// see the same sign: so one bound on h decides, for body 0 at its corners, for body 1 as a distance
// from its faces. Theory: docs/theory/contact_surface.md.

#include "field/structure/field.h"
#include "math/lanes_f64x4.h"

/// A polygon this close to a face, relative to the size of the bodies, lies in it.
#define ISO_COINCIDENT_DISTANCE 2e-14

/// The distance from a face grows where gradients are nearly equal, at most so many times.
#define ISO_COINCIDENT_STRETCH 16.0

typedef struct iso_coincidence {
    double distance; ///< [m]
    double pressure; ///< |h| up to this is zero: the distance, times both largest gradients [Pa]
} iso_coincidence;

static inline iso_coincidence iso_coincidence_of(const iso_field* field_0,
                                                 const iso_field* field_1) {
    double distance = ISO_COINCIDENT_DISTANCE * (field_0->size + field_1->size);
    return (iso_coincidence){distance, distance * (field_0->max_gradient + field_1->max_gradient)};
}

/// How far from a face a polygon may lie to lie in it, by the length of the gradient of h [Pa/m].
static inline double iso_coincidence_at(const iso_coincidence* c, double rise) {
    double at = c->pressure / rise, limit = ISO_COINCIDENT_STRETCH * c->distance;
    return at < limit ? at : limit;
}

/// Faces of a tetrahedron of body 1 on the side to which p0 - p1 rises from their plane: those keep
/// a polygon that lies in them. A lane of the normal is a face; one bit each.
static inline int iso_coincidence_sides(iso_double4 nx, iso_double4 ny, iso_double4 nz,
                                        iso_vec3 rise) {
    iso_double4 along = iso_double4_mul(nx, iso_double4_set(rise.x));
    along = iso_double4_mul_add(ny, iso_double4_set(rise.y), along);
    along = iso_double4_mul_add(nz, iso_double4_set(rise.z), along);
    return iso_double4_bits(iso_double4_greater(along, iso_double4_set(0.0)));
}
