// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/contact.h"

/// Where the pressure of a face is positive: what carries force. A face that reaches into the
/// margin is cut at zero pressure, so that forces and energies are those of a patch without a
/// margin.
#define ISO_PRESSED_VERTICES 40

/// A pressure this little below zero, relative to the largest of the face, is the rounding of a
/// rim: where it cut the face would be arbitrary, and with it the places of the samples.
#define ISO_PRESSED_ROUNDING 1e-10

/// Whether part of a face is in the margin, by the least and the largest pressure of its vertices.
static inline bool iso_pressed_is_cut(double least, double most) {
    return least < -ISO_PRESSED_ROUNDING * most;
}

/// The same of a face of a patch.
bool iso_patch_is_face_cut(const iso_patch* patch, int face);

typedef struct iso_pressed_face {
    double area;       ///< [m^2]; 0: nowhere
    iso_vec3 centroid; ///< [m]
    double pressure;   ///< at the centroid [Pa]
    bool is_cut;       ///< part of the face is in the margin; the polygon below is set
    int count;
    iso_vec3 vertices[ISO_PRESSED_VERTICES];
    double pressures[ISO_PRESSED_VERTICES];
} iso_pressed_face;

/// O(vertices of the face). Of the same face seen from its other side (the bodies of the pair
/// exchanged) the same bits.
void iso_patch_press_face(const iso_patch* patch, int face, iso_pressed_face* out);

/// Where and which way round a face is walked so that exchanging the bodies of a pair changes no
/// bit: from its least corner, counter-clockwise about the one of its two normals that points up.
typedef struct iso_face_order {
    int first, count;
    bool is_turned; ///< against the order of the corners
} iso_face_order;
iso_face_order iso_face_order_find(const iso_vec3* vertices, int count, iso_vec3 normal);
/// The k-th corner, 0 <= k <= count.
static inline int iso_face_order_at(const iso_face_order* order, int k) {
    int at = order->first + (order->is_turned ? order->count - k : k);
    return at < order->count ? at : at - order->count;
}
/// Its normal that points up: of which the first component that is not zero is positive.
iso_vec3 iso_face_order_up(iso_vec3 normal);
