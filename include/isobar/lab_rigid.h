// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"
#include "isobar/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// Rigid bodies in contact as [Datta2018] section 2.8 surveys them: small scenes with a known
// answer, each by every formulation. Theory: docs/theory/lab/rigid_contact.md.

/// The scenes.
typedef enum iso_rigid_scene {
    ISO_RIGID_INCLINE,  ///< block on a slope below the angle of friction
    ISO_RIGID_SLIDE,    ///< block on a slope above it
    ISO_RIGID_DIAGONAL, ///< block pushed along the diagonal of the tangents
    ISO_RIGID_STACK,    ///< five boxes
    ISO_RIGID_TABLE,    ///< four legs: hyperstatic
    ISO_RIGID_ROD,      ///< Painleve's rod, sliding where the acceleration level has no answer
    ISO_RIGID_SCENE_COUNT
} iso_rigid_scene;

/// The formulations.
typedef enum iso_rigid_law {
    ISO_RIGID_ACCELERATION,  ///< contact accelerations, polygonal cone, Lemke (2.23 to 2.27)
    ISO_RIGID_PYRAMID,       ///< velocities, friction pyramid, Gauss-Seidel (2.43 to 2.45)
    ISO_RIGID_POLYGON,       ///< velocities, cone of eight directions, Lemke (2.46 to 2.55)
    ISO_RIGID_GAUSS_SEIDEL,  ///< velocities, exact cone, projected Gauss-Seidel
    ISO_RIGID_NEWTON,        ///< velocities, exact cone, non-smooth Newton (2.63 to 2.70)
    ISO_RIGID_RELAXED,       ///< velocities, the convex relaxation of the exact cone
    ISO_RIGID_PYRAMID_LEMKE, ///< the pyramid's conditions by Lemke's method
    ISO_RIGID_SOFT,          ///< elastic bodies, explicit steps, exact cone, Newton (2.56 to 2.70)
    ISO_RIGID_LAW_COUNT
} iso_rigid_law;

/// Boxes of a scene, of which each but the table stands on the ground z = 0 or on the one before. A
/// box that is tilted is a rod, which touches the ground with the lower end of its axis x.
typedef struct iso_rigid_box {
    iso_vec3 size;    ///< [m]
    iso_vec3 p_wb;    ///< centre of mass [m]
    iso_vec3 p_bg;    ///< centre of the box, from there [m]
    iso_vec3 inertia; ///< about the axes of the box [kg m^2]
    double mass;      ///< [kg]
    double foot;      ///< edge of a foot below each corner [m]; 0: it stands on its face
    double tilt;      ///< of its axis x from the ground, up [rad]
    iso_vec3 v_wb;    ///< velocity at the start [m/s]
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
    int box_count;
    iso_rigid_box boxes[5];
} iso_rigid_setup;

/// @return an empty setup where scene is out of range
ISO_API iso_rigid_setup iso_rigid_setup_of(iso_rigid_scene scene);
/// What a run of a scene ends with.
typedef struct iso_rigid_end {
    iso_vec3 velocity;   ///< of the first box's centre of mass [m/s]
    iso_vec3 before;     ///< the same `seconds` before [m/s]
    double seconds;      ///< [s] > 0
    double ground_share; ///< upward force of the ground on the first box over the weight of all
    double foot_share;   ///< of that, the part on the first foot
} iso_rigid_end;

/// The value that the scene asks for: a speed [m/s], a deceleration [m/s^2] or a share of the
/// weight.
/// @return NAN where scene is out of range or end is NULL
ISO_API double iso_rigid_value(iso_rigid_scene scene, const iso_rigid_end* end);

/// "?" out of range.
ISO_API const char* iso_rigid_law_name(iso_rigid_law law);

/// What a formulation made of a scene.
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

/// Most contacts of a problem of iso_fclib.
enum { ISO_FCLIB_CONTACTS_MAX = 1000 };

/// A problem of contact with friction and what solves it, as FCLIB collects them (local problems of
/// three dimensions): u = W r + b, rows of a contact are normal, two tangents.
typedef struct iso_fclib {
    int contact_count;
    double* w;        ///< [3 n * 3 n] row major; owned, as the others
    double* b;        ///< [3 n] FCLIB calls it q
    double* friction; ///< [n] mu
    double* u;        ///< [3 n] relative velocities of the solution; zero where there is none
    double* r;        ///< [3 n] its forces
} iso_fclib;

/// An empty problem, all zero. @return ISO_ERR_RANGE, ISO_ERR_MEMORY
ISO_NODISCARD ISO_API iso_status iso_fclib_allocate(iso_context* ctx, int contact_count,
                                                    iso_fclib* out);
/// An empty one is allowed.
ISO_API void iso_fclib_free(iso_context* ctx, iso_fclib* problem);
/// Read a file of FCLIB (HDF5). A global problem, with masses, becomes the local one.
/// @param[out] out_problem  release with iso_fclib_free(); empty on error
/// @return ISO_ERR_IO, ISO_ERR_PARSE, ISO_ERR_RANGE (which data set), ISO_ERR_MEMORY,
///         ISO_ERR_UNSUPPORTED (no HDF5 at build time; equality constraints, two dimensions)
ISO_NODISCARD ISO_API iso_status iso_fclib_read(iso_context* ctx, const char* path,
                                                iso_fclib* out_problem);
/// Write problem and solution; replaces a file. @return ISO_ERR_IO, ISO_ERR_MEMORY,
/// ISO_ERR_UNSUPPORTED
ISO_NODISCARD ISO_API iso_status iso_fclib_write(iso_context* ctx, const char* path,
                                                 const iso_fclib* problem);
/// The problem of a scene's first step.
ISO_NODISCARD ISO_API iso_status iso_fclib_of_scene(iso_context* ctx, iso_rigid_scene scene,
                                                    iso_fclib* out_problem);
/// Solve it with the exact cone: Newton, then Gauss-Seidel where that fails. Fills u and r.
/// @return ISO_ERR_MEMORY; ISO_OK also where the tolerance of 1e-10 was not met (result)
ISO_NODISCARD ISO_API iso_status iso_fclib_solve(iso_context* ctx, iso_fclib* problem,
                                                 iso_rigid_result* out_result);

#ifdef __cplusplus
}
#endif
