// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rigid bodies in contact as [Datta2018] section 2.8 surveys them: small scenes with a known
// answer, each by every formulation. Theory: docs/theory/rigid_contact.md.

typedef enum iso_rigid_scene {
    ISO_RIGID_INCLINE,  ///< block on a slope below the angle of friction
    ISO_RIGID_SLIDE,    ///< block on a slope above it
    ISO_RIGID_DIAGONAL, ///< block pushed along the diagonal of the tangents
    ISO_RIGID_STACK,    ///< five boxes
    ISO_RIGID_TABLE,    ///< four legs: hyperstatic
    ISO_RIGID_ROD,      ///< Painleve's rod, sliding where the acceleration level has no answer
    ISO_RIGID_SCENE_COUNT
} iso_rigid_scene;

typedef enum iso_rigid_law {
    ISO_RIGID_ACCELERATION, ///< contact accelerations, polygonal cone, Lemke (2.23 to 2.27)
    ISO_RIGID_PYRAMID,      ///< velocities, friction pyramid, Gauss-Seidel (2.43 to 2.45)
    ISO_RIGID_POLYGON,      ///< velocities, cone of eight directions, Lemke (2.46 to 2.55)
    ISO_RIGID_GAUSS_SEIDEL, ///< velocities, exact cone, projected Gauss-Seidel
    ISO_RIGID_NEWTON,       ///< velocities, exact cone, non-smooth Newton (2.63 to 2.70)
    ISO_RIGID_RELAXED,      ///< velocities, the convex relaxation of the exact cone
    ISO_RIGID_LAW_COUNT
} iso_rigid_law;

/// Boxes of a scene, of which each but the table stands on the ground z = 0 or on the one before.
typedef struct iso_rigid_box {
    iso_vec3 size;    ///< [m]
    iso_vec3 p_wb;    ///< centre of mass [m]
    iso_vec3 p_bg;    ///< centre of the box, from there [m]
    iso_vec3 inertia; ///< about the axes of the box [kg m^2]
    double mass;      ///< [kg]
    double foot;      ///< edge of a foot below each corner [m]; 0: it stands on its face
} iso_rigid_box;

/// What a scene is. A slope is a gravity that is not vertical.
typedef struct iso_rigid_setup {
    const char* name;
    const char* quantity; ///< what is compared
    double expected;      ///< in closed form
    double friction;
    iso_vec3 gravity; ///< [m/s^2]
    double duration;  ///< [s]
    double time_step; ///< [s]
    int box_count;    ///< 0: the rod
    iso_rigid_box boxes[5];
} iso_rigid_setup;

/// @return an empty setup where scene is out of range
ISO_API iso_rigid_setup iso_rigid_setup_of(iso_rigid_scene scene);
/// "?" out of range.
ISO_API const char* iso_rigid_law_name(iso_rigid_law law);

typedef struct iso_rigid_result {
    bool is_solved;    ///< in every step
    bool is_ray;       ///< a step has no solution: Lemke's method ended on a ray
    double value;      ///< of the scene's quantity; NAN where not solved
    double residual;   ///< of the formulation's own conditions, relative; the largest of all steps
    double coulomb;    ///< of Signorini's and Coulomb's conditions with the exact cone, likewise
    int iterations;    ///< pivots, sweeps or Newton steps, the most of a step
    double normal[20]; ///< normal forces of the last step [N]
    int contact_count;
} iso_rigid_result;

/// Step a scene by a formulation.
/// @return ISO_ERR_ARGUMENT, ISO_ERR_RANGE, ISO_ERR_MEMORY; ISO_OK also where a step has no
///         solution (the result says so)
ISO_NODISCARD ISO_API iso_status iso_rigid_run(iso_context* ctx, iso_rigid_scene scene,
                                               iso_rigid_law law, iso_rigid_result* out_result);

#ifdef __cplusplus
}
#endif
