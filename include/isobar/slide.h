// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/lab.h"

#ifdef __cplusplus
extern "C" {
#endif

// The friction laboratory's sliding blocks: a rough elastic block is pressed onto a longer one,
// whose bottom is fixed, and pulled along: in the plane where the faces are profiles, in space
// where they are grids. Friction emerges from the asperities; a local law can be added. The pull
// turns nothing: a couple on the flat face takes back what its height above the rough faces would
// tip. In the plane forces are per metre of thickness. In space the axes are along, across and up,
// and springs hold the block across. Theory: docs/theory/lab/elastic.md.

/// An elastic block, in the plane of plane strain.
typedef struct iso_lab_block {
    const iso_lab_surface* surface; ///< its rough face, borrowed; in space both have one pitch
    double height;                  ///< from the mean of the face to the flat face [m], > 0
    double young;                   ///< Young's modulus [Pa], > 0
    double poisson;                 ///< Poisson's ratio, in (-1, 0.5)
    double density;                 ///< [kg/m^3], > 0
    double mass_damping;            ///< alpha of Rayleigh's damping [1/s], >= 0
    double stiffness_damping;       ///< beta [s], >= 0
} iso_lab_block;

/// What pulls the upper block.
typedef enum iso_lab_drive {
    ISO_LAB_DRIVE_SPEED, ///< the far end of a spring moves at a speed
    ISO_LAB_DRIVE_FORCE, ///< a force that grows from zero until the block slides
} iso_lab_drive;

/// How time is stepped.
typedef enum iso_lab_method {
    ISO_LAB_METHOD_IMPLICIT, ///< implicit Euler, barrier without interpenetration ([Li2020])
    ISO_LAB_METHOD_EXPLICIT, ///< symplectic Euler; in the plane contact impulses of [Datta2018]
                             ///< section 3.5, in space penalty forces of 3.6
} iso_lab_method;

/// What to slide. Start from iso_lab_slide_desc_default().
typedef struct iso_lab_slide_desc {
    iso_lab_block lower, upper; ///< the upper one is shorter
    iso_lab_drive drive;
    iso_lab_method method;
    double load; ///< force that presses, on the upper block's flat face [N/m], in space [N], >= 0
    double gravity; ///< [m/s^2], >= 0; load or gravity above 0
    double speed;   ///< of the drive [m/s], > 0; of a force: the mean speed that counts as sliding
    double rate;    ///< of a force: how fast it grows [N/(m s)], > 0
    double tow;  ///< stiffness of the spring of a speed [N/m^2], in space [N/m], > 0; 0: the upper
                 ///< block's modulus, in space times a pitch
    double step; ///< [s]; 0: implicit a quarter of a pitch at the speed; explicit 0.2 of the
                 ///< longest stable one
    int settle_steps;   ///< while the load comes on, before anything pulls, >= 1
    double settle_step; ///< length of these steps [s]; 0: as the samples of pulling
    double friction;    ///< local coefficient of friction, >= 0
    double slip_speed;  ///< below which local friction is smoothed [m/s]; 0: a hundredth of speed
    double reach;       ///< distance below which faces repel [m]; 0: a tenth of a pitch, of penalty
                        ///< forces two
    double stiffness; ///< of the contact; implicit: energy over the barrier [J/m^5], explicit: K of
                      ///< [Datta2018] 3.42 [J]; 0: a pressure of the softer modulus halves the
                      ///< reach. Of penalty forces K1 of (3.51) [N m^2], K2 is 1000 times that; 0:
                      ///< load and weight are borne where the blocks begin
    int max_newton;   ///< Newton steps of one step, > 0
    int max_lags;     ///< times that friction is brought up to date within one step, > 0
    double tolerance; ///< largest Newton direction at the end, over the reach, in [1e-9, 0.1]
    double sample_step; ///< explicit: from one sample of pulling to the next [s]; 0: a quarter of a
                        ///< pitch at the speed
    double hold_time;   ///< penalty forces: time in which a controller brings the normal force back
                        ///< to load and weight [s]; 0: none, the load is constant
    bool damps_highest; ///< stiffness damping of both blocks is that of (3.39), which the highest
                        ///< modes give, whatever the blocks say
    bool keep_printed;  ///< explicit: distribute impulses over an edge by the printed (3.49), which
                       ///< breaks momentum, instead of by masses; in space the printed numerator of
                       ///< (3.51)
    int thread_count; ///< of implicit steps, in [1, 256]; results do not depend on it; 1
} iso_lab_slide_desc;

/// What is measured after a step. Forces are those of the lower block on the upper one.
typedef struct iso_lab_slide_sample {
    double time;       ///< since the pulling began; negative while the load comes on [s]
    double drive;      ///< way of the far end of the spring [m], or the pulling force [N/m]
    double travel;     ///< mean way of the upper block since the pulling began [m]
    double velocity;   ///< mean, along [m/s]
    double rise;       ///< mean way upwards [m]
    double normal;     ///< force upwards [N/m]
    double tangential; ///< force against the pull [N/m]
    double transverse; ///< across; 0 in the plane [N]
    double least_gap;  ///< [m]; INFINITY: no contact
    int contact_count; ///< pairs of a vertex and an edge within reach
    int newton_count;  ///< factorisations
    int lag_count;     ///< times friction was brought up to date
    double lag_error;  ///< force out of balance over the sum of the friction limits
    bool is_sliding;   ///< mean velocity above desc.speed after a pitch of travel
} iso_lab_slide_sample;

/// What was made.
typedef struct iso_lab_slide_info {
    int dimension; ///< 2 or 3; forces below are in space without the "per metre"
    int vertex_count, element_count;
    int first_upper;     ///< vertices from here on are of the upper block
    double stress_scale; ///< a tenth of the stiffer modulus: for colours [Pa]
    double sample_step;  ///< of pulling, from one sample to the next [s]: of explicit steps many
    double step, stable_step; ///< used, and the longest that explicit steps could take [s]
    double reach, stiffness, tow, slip_speed; ///< used
    double normal_force;                      ///< load and weight of the upper block [N/m]
    double highest_mode;                      ///< angular frequency [rad/s]
    double critical_alpha, critical_beta;     ///< damping that makes the two highest modes critical
} iso_lab_slide_info;

/// The elements and where they are, for drawing. d is the dimension.
typedef struct iso_lab_slide_view {
    const double* places;   ///< [vertex_count * d] [m]
    const int* elements;    ///< [element_count * (d + 1)] triangles or tetrahedra
    const double* energies; ///< [element_count] elastic [J/m^3]
    const double* stresses; ///< [vertex_count] von Mises', mean of the elements around [Pa]
    const int* faces; ///< [face_count * d] the boundary: edges, or triangles seen from outside
    int face_count;
} iso_lab_slide_view;

/// Two blocks while they are slid.
typedef struct iso_lab_slide iso_lab_slide;

/// Implicit, a speed of 0.01 m/s, blocks of 1 MPa, 0.45 and 1000 kg/m^3, 20 steps of loading;
/// surfaces, heights and a load or gravity must be given.
ISO_API iso_lab_slide_desc iso_lab_slide_desc_default(void);

/// Mesh the blocks, fine at the rough faces, and put the upper one just above the lower one.
/// @param[out] out_slide  release with iso_lab_slide_destroy(); NULL on error
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE (moduli, lengths, a step above the stability limit),
///         ISO_ERR_GEOMETRY (a profile too steep for the mesh), ISO_ERR_MEMORY,
///         ISO_ERR_NO_CONVERGENCE (highest mode)
ISO_NODISCARD ISO_API iso_status iso_lab_slide_create(iso_context* ctx,
                                                      const iso_lab_slide_desc* desc,
                                                      iso_lab_slide** out_slide);
/// NULL is allowed.
ISO_API void iso_lab_slide_destroy(iso_context* ctx, iso_lab_slide* slide);

/// What was made: sizes of the meshes, steps, stiffnesses.
ISO_API iso_lab_slide_info iso_lab_slide_info_of(const iso_lab_slide* slide);

/// Steps taken so far, those of loading included.
ISO_API int64_t iso_lab_slide_steps(const iso_lab_slide* slide);

/// One step; in up to 256 parts where the whole does not converge, as when the block snaps. While
/// the load comes on nothing pulls.
/// @return ISO_ERR_NO_CONVERGENCE (implicit), ISO_ERR_GEOMETRY (explicit: an element turned over
///         and the last good state did not help), ISO_ERR_MEMORY; the slide is then as before
ISO_NODISCARD ISO_API iso_status iso_lab_slide_step(iso_context* ctx, iso_lab_slide* slide,
                                                    iso_lab_slide_sample* out_sample);

/// Valid until the next step.
ISO_API iso_lab_slide_view iso_lab_slide_view_of(iso_lab_slide* slide);

/// Write the state: a run that reads it goes on with the same bits. The file appears whole or not
/// at all. @return ISO_ERR_IO, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_lab_slide_save(iso_context* ctx, const iso_lab_slide* slide,
                                                    const char* path);
/// Read the state of a slide of the same description.
/// @return ISO_ERR_IO, ISO_ERR_PARSE (not such a file, damaged), ISO_ERR_ARGUMENT (of another
///         description), ISO_ERR_MEMORY; the slide is then as before
ISO_NODISCARD ISO_API iso_status iso_lab_slide_restore(iso_context* ctx, iso_lab_slide* slide,
                                                       const char* path);

#ifdef __cplusplus
}
#endif
