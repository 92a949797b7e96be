// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

/// Slope at an inner point of a curve with continuous slope that stays between its points: the
/// weighted harmonic mean of the slopes of both chords, 0 where they differ in sign (Fritsch,
/// Butland 1984). docs/theory/task.md.
/// @param h0, h1  lengths of the intervals before and after, > 0
/// @param d0, d1  slopes of their chords
double iso_cubic_slope(double h0, double d0, double h1, double d1);

/// Cubic from (0, y0) to (h, y1) with slopes m0, m1 at the ends, at t in [0, h].
double iso_cubic_value(double t, double h, double y0, double y1, double m0, double m1);
/// Its slope.
double iso_cubic_rate(double t, double h, double y0, double y1, double m0, double m1);
/// Largest |slope| in [0, h].
double iso_cubic_peak_rate(double h, double y0, double y1, double m0, double m1);
