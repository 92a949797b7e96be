// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The friction laboratory: rough surfaces and their elastic contact. Theory:
// docs/theory/asperity.md.

/// What a rough surface is made of. C(q) is its power spectrum over the wave number q = 2 pi / wave
/// length, between the longest and the shortest wave; it is zero elsewhere.
typedef enum iso_lab_kind {
    ISO_LAB_KIND_WHITE, ///< C constant
    ISO_LAB_KIND_PINK,  ///< as much energy in each octave: C ~ 1/q of a profile, 1/q^2 of a surface
    ISO_LAB_KIND_SELF_AFFINE, ///< C constant up to the roll-off, then ~ q^-(1 + 2 H) of a profile
                              ///< and q^-(2 + 2 H) of a surface
    ISO_LAB_KIND_SINE,        ///< one cosine along the columns, of the longest wave
    ISO_LAB_KIND_SPHERE,      ///< paraboloid -r^2 / (2 radius) about the middle of the grid
} iso_lab_kind;

/// How to make a surface. Start from iso_lab_surface_desc_default().
typedef struct iso_lab_surface_desc {
    iso_lab_kind kind;
    int rows;          ///< points across; 1: a profile
    int columns;       ///< points along, >= 4
    double pitch;      ///< between neighbours, along and across [m], > 0
    double rms_height; ///< of the very surface, about its mean [m], > 0; not for a sphere
    double hurst;      ///< H of a self-affine surface, in (0, 1]
    double roll_off;   ///< wave length from which on C is constant [m]; 0: the longest
    double longest;    ///< wave length [m], at most that of the grid; 0: that of the grid
    double shortest;   ///< wave length [m], >= 2 pitch; 0: 2 pitch
    double radius;     ///< of a sphere [m], > 0
    uint64_t seed;     ///< same seed, same bits
} iso_lab_surface_desc;

/// Heights over a grid.
typedef struct iso_lab_surface {
    int rows, columns;
    double pitch;     ///< between neighbours [m]
    bool is_periodic; ///< goes on after the last point as it begins; measured ones do not
    double* heights;  ///< [rows * columns] row major [m]
} iso_lab_surface;

/// Self-affine, 256 x 256 points 1 um apart, 0.1 um rms, H = 0.8, seed 1, all waves of the grid.
ISO_API iso_lab_surface_desc iso_lab_surface_desc_default(void);

/// Make a surface: white noise of the seed, filtered, scaled to its rms height; mean zero.
/// [Datta2018] section 3.2.1; filter and spectra: docs/theory/asperity.md. O(n log n).
/// @param[out] out_surface  release with iso_lab_surface_free(); empty on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (a value of desc; no wave of the grid lies between the
///         longest and the shortest), ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_lab_surface_make(iso_context* ctx,
                                                      const iso_lab_surface_desc* desc,
                                                      iso_lab_surface* out_surface);

/// Read a measured surface. CSV: a profile is two columns, place and height, at equal distances to
/// a hundredth, rising or falling; a height map is a matrix of four or more columns. Commas part
/// columns, or semicolons or tabs, and then decimals may have commas. Lines that begin with # are
/// passed over, as is a line of names; units in names ("z [nm]"), or in a line below, count. PNG:
/// grey values of up to 16 bits, of a colour its red. NPZ: the array heights.
/// @param pitch   between neighbours [m], > 0; 0: as the file says (a profile's first column, a
///                line "# pitch 1e-6 m", points per metre of a PNG, an array pitch). What differs
///                from the file is warned of
/// @param height  metres of one unit of CSV heights, or between black and white of a PNG; 0: as the
///                column is named, else 1
/// @return ISO_ERR_ARGUMENT, ISO_ERR_IO, ISO_ERR_PARSE (with file and line), ISO_ERR_RANGE,
///         ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_lab_surface_read(iso_context* ctx, const char* path,
                                                      double pitch, double height,
                                                      iso_lab_surface* out_surface);

/// Write heights, pitch and whether they are periodic: iso_lab_surface_read() gives the same bits.
/// .npz, or .csv: a map, or of a profile places and heights.
/// @return as iso_lab_arrays_write()
ISO_NODISCARD ISO_API iso_status iso_lab_surface_write(iso_context* ctx, const char* path,
                                                       const iso_lab_surface* surface);

/// Release the heights. An empty surface is allowed.
ISO_API void iso_lab_surface_free(iso_context* ctx, iso_lab_surface* surface);

/// Points of the tables of iso_lab_statistics.
enum { ISO_LAB_ABBOTT_POINTS = 101, ISO_LAB_SPECTRUM_POINTS = 64 };

/// What is measured of a surface, about its mean. Of what is not periodic the mean plane is taken
/// off, slopes and curvatures are differences of neighbours, and the spectrum is that under a
/// Hann window.
typedef struct iso_lab_statistics {
    double mean;          ///< of the heights as given [m]
    double rms_height;    ///< [m]
    double skewness;      ///< of the heights
    double kurtosis;      ///< of the heights; 3 of a Gaussian surface
    double low, high;     ///< lowest and highest point, about the mean [m]
    double rms_slope;     ///< of the gradient's length
    double rms_curvature; ///< of the second derivative of a profile, of the mean of the two main
                          ///< curvatures of a surface [1/m]
    int spectrum_count;   ///< points of the spectrum
    /// Mean over a ring of wave numbers [1/m], the rings' widths in equal ratio.
    double wave_numbers[ISO_LAB_SPECTRUM_POINTS];
    /// C(q), of all signs of q: its integral over q is the mean square. [m^3] of a profile, [m^4].
    double spectrum[ISO_LAB_SPECTRUM_POINTS];
    /// Height above which lies i percent of the surface, about the mean [m]: the Abbott curve.
    double abbott[ISO_LAB_ABBOTT_POINTS];
} iso_lab_statistics;

/// Measure a surface of at least 4 points along, and 1 or at least 4 across.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_lab_surface_measure(iso_context* ctx,
                                                         const iso_lab_surface* surface,
                                                         iso_lab_statistics* out_statistics);

/// Poisson-disc samples of a rectangle ([Bridson2007]; eq. 3.22 of [Datta2018] asks for a distance
/// of 1 / (2 f_max)): no two nearer than distance, and hardly a place farther than that from all.
/// @param width, depth  of the rectangle [m], > 0; depth 0: of a line
/// @param distance      [m], > 0; at most a million samples fit in
/// @param[out] out_points  [2 * count] x and y in turn; release with iso_lab_points_free()
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_lab_poisson_disc(iso_context* ctx, double width, double depth,
                                                      double distance, uint64_t seed,
                                                      double** out_points, int* out_count);
/// NULL is allowed.
ISO_API void iso_lab_points_free(iso_context* ctx, double* points);

/// Contact of a rigid rough surface with an elastic half space, without friction or adhesion.
typedef struct iso_lab_contact_desc {
    const iso_lab_surface* surface; ///< borrowed; its high points touch first; not a profile
    double modulus;                 ///< E* [Pa], > 0: 1 / E* = sum of (1 - nu^2) / E of both bodies
    double mean_pressure;           ///< force over the area of the grid [Pa], > 0
    bool is_free;                   ///< nothing beyond the grid; false: it repeats for ever
    double tolerance;               ///< of the error of the report, in [1e-14, 0.1]; 1e-8
    int max_iterations;             ///< > 0; 2000
    const double* start;            ///< [rows * columns] pressures to start from; NULL: uniform
} iso_lab_contact_desc;

/// A contact that was solved.
typedef struct iso_lab_contact {
    double* pressures;    ///< [rows * columns] [Pa]
    double* gaps;         ///< [rows * columns] between the bodies, 0 where they touch [m]
    int contact_count;    ///< points with pressure
    double contact_share; ///< of the area
    double mean_gap;      ///< [m]
    double max_pressure;  ///< [Pa]
    double approach;      ///< how far the height 0 of the surface lies below the half space far
                          ///< away, of a periodic contact below its mean plane [m]
    double energy;        ///< elastic, over the area of the grid [J/m^2]
    double error;         ///< sum of p (gap - least gap) over sum of p, over the rms height
    int iterations;
} iso_lab_contact;

/// Periodic; surface, modulus and mean pressure must be given.
ISO_API iso_lab_contact_desc iso_lab_contact_desc_default(void);

/// Solve it: influence by Fourier transforms (periodic: 2 / (E* q); free: [Love1929] on a grid
/// padded with zeros), pressures by conjugate gradients over the points in contact
/// ([Polonsky1999]). A step costs two convolutions.
/// @param[out] out_contact  release with iso_lab_contact_free(); empty on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_MEMORY, ISO_ERR_NO_CONVERGENCE
ISO_NODISCARD ISO_API iso_status iso_lab_contact_solve(iso_context* ctx,
                                                       const iso_lab_contact_desc* desc,
                                                       iso_lab_contact* out_contact);
/// An empty contact is allowed.
ISO_API void iso_lab_contact_free(iso_context* ctx, iso_lab_contact* contact);

/// A matrix of numbers with a name.
typedef struct iso_lab_array {
    const char* name;     ///< borrowed
    const double* values; ///< [rows * columns] row major, borrowed
    int rows, columns;
} iso_lab_array;

/// Whether a file of this name can hold so many arrays, before they are made.
/// @return ISO_ERR_ARGUMENT (the name's ending; several arrays for a .csv)
ISO_NODISCARD ISO_API iso_status iso_lab_arrays_check(iso_context* ctx, const char* path,
                                                      int count);
/// Write arrays for NumPy (.npz, not compressed; little-endian machines) or one as text (.csv). The
/// file appears whole or not at all; the same numbers give the same bytes.
/// @return ISO_ERR_ARGUMENT (the name's ending; several arrays for a .csv), ISO_ERR_RANGE (above
///         4 GB), ISO_ERR_IO, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_lab_arrays_write(iso_context* ctx, const char* path,
                                                      const iso_lab_array* arrays, int count);

/// Write a text: the file appears whole or not at all; a pipe or a device is written as it goes.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_IO, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_lab_text_write(iso_context* ctx, const char* path,
                                                    const char* text, size_t size);

#ifdef __cplusplus
}
#endif
