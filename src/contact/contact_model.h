// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// The one door between contact models and all that uses them. A model is one constant row: what two
// geometries make of two poses (a manifold), the wrench of a state, the potential of a step, and
// what a pair remembers. Steppers, worlds, recordings and sensors see these alone.
// docs/extending.md shows how to add one.

#include "base/core/arena.h"
#include "isobar/contact.h"
#include "solver/convex.h"
#include "solver/root.h"
#include "surface/kernels/search_threads.h"
#include "surface/shapes/contact_shape.h"

typedef struct iso_contact_system iso_contact_system;
typedef struct iso_contact_pair iso_contact_pair;
typedef struct iso_contact_set iso_contact_set;
typedef struct iso_pair_memory iso_pair_memory;
typedef struct iso_press_list iso_press_list;

/// What geometries that meet lack.
typedef enum iso_contact_lack {
    ISO_CONTACT_LACKS_NOTHING,
    ISO_CONTACT_LACKS_SURFACE, ///< one lies wholly within the other
    ISO_CONTACT_LACKS_NORMAL,  ///< what lies in the other points nowhere
    ISO_CONTACT_LACKS_OUTSIDE, ///< the middle of a round one lies within the other: they touch, too
} iso_contact_lack;

/// Where two geometries meet, as a model sees it. Arrays live in the arena of the query.
typedef struct iso_contact_manifold {
    bool is_touching;
    iso_contact_lack lack;
    iso_patch patch; ///< of a pressure field; of others without faces, with what sums it up: area,
                     ///< centroid, centre of pressure (the common point), largest pressure
    const void* own; ///< what the model keeps besides
} iso_contact_manifold;

/// How a pair resists being pressed together.
typedef struct iso_contact_stiffness {
    double stiffness; ///< [N/m]
    double force;     ///< [N]
} iso_contact_stiffness;

/// How a pair presses while it moves, without friction.
typedef struct iso_contact_press {
    iso_vec3 normal;    ///< unit, from A into B
    double force;       ///< normal, of all points together [N]
    double radius;      ///< of gyration of the pressure about the normal [m]; 0: a point
    double damping;     ///< what the force loses [W]
    iso_spatial wrench; ///< on B as that of the law, without friction
} iso_contact_press;

/// What a contact dissipates: both >= 0 [W].
typedef struct iso_contact_losses {
    double friction; ///< in slip
    double damping;  ///< of the pressure
} iso_contact_losses;

/// What is known of each face of a pair, [face_count]; any may be NULL: it is not asked for.
typedef struct iso_face_values {
    iso_vec3 *tractions, *slips; ///< as iso_contact's
    iso_vec3* stretches;         ///< of friction with springs, as iso_contact's
    double* sliding;
} iso_face_values;

/// How what friction acts at changes while B moves as in iso_contact_derivatives.by_pose: by what
/// bristles of a pair with `press` change.
typedef struct iso_press_drift {
    double normal[3][6]; ///< of the unit normal
    double place[3][6];  ///< of p_wc [m]
    double radius[6];    ///< of gyration [m]
} iso_press_drift;

/// Wrench of the continuous law and how it changes. Rows and columns are (rotational;
/// translational), about p_wc of the pair, in W.
typedef struct iso_contact_derivatives {
    iso_spatial wrench;    ///< on B, that of the law
    double by_pose[6][6];  ///< B moves with the twist (w; v of its point at p_wc), A and p_wc rest,
                           ///< the relative twist v_c stays
    double by_twist[6][6]; ///< the relative twist v_c changes
    iso_press_drift drift; ///< of models without derivatives of their own that have `press`
} iso_contact_derivatives;

/// Laws of a step at the velocity level; a model that has not all of them says which it has.
typedef enum iso_discrete_law {
    ISO_DISCRETE_LAGGED,
    ISO_DISCRETE_SAP,
    ISO_DISCRETE_SIMILAR,
    ISO_DISCRETE_TAMSI,
} iso_discrete_law;

/// Poses of the two bodies of a pair.
typedef struct iso_pair_poses {
    iso_pose x_wa, x_wb;
} iso_pair_poses;

/// What a model is told of a step. Twists are those of B relative to A at p_wc of the pair.
typedef struct iso_contact_step_input {
    const iso_contact_system* system;
    const iso_contact_pair* pair;
    iso_discrete_law law;
    bool may_stick;   ///< friction may remember (iso_contact_options.friction says whether it does)
    bool is_start;    ///< the state was given, not made by a step
    bool is_free;     ///< one of the bodies moves freely: there is something to solve
    double dt;        ///< that impulses are over [s]
    double span;      ///< the step [s]; dt is a part of it for methods that take forces within it
    double since;     ///< a pair without memory did not touch so long before the step [s]
    double law_step;  ///< sticking: the step that springs are made for; 0: dt [s]
    double ahead;     ///< after so much of the step the bodies are where the pair was found [s]
    iso_spatial v_c0; ///< of the surfaces, at the start
    iso_spatial u_c0; ///< of the bodies, at the start
    iso_spatial moved;             ///< of the surfaces while all that moves freely stands still
    const double* delassus;        ///< [36] J A^-1 J^T, row major, symmetric
    iso_pair_poses start;          ///< of the bodies
    const iso_pair_memory* memory; ///< [memory_count] first one; NULL: the pair did not touch in
                                   ///< the last step
    int memory_count;
    iso_arena* arena;
} iso_contact_step_input;

/// A pair over one step: its potential by the twist u of what moves freely.
typedef struct iso_contact_step {
    const iso_potential_ops* ops;
    const void* user;      ///< of those
    iso_inner inner;       ///< ops NULL: no unknowns of its own
    iso_root_limit limit;  ///< ISO_DISCRETE_TAMSI
    bool remembers_places; ///< its memory depends on where the bodies are at the end
    double start_energy;   ///< of what it remembers, at the start of the step [J]
    double softening;      ///< share of stiffness and force that near-rigid bodies keep; 0: unknown
    double stiffness;      ///< of all points without that [N/m]
    double coupling;       ///< after end_step(): what slip does to the normal force where the law
                           ///< couples both, over the larger force of the step's two ends
    int more_memories;     ///< most memories of the pair beyond one, which it always has
    void* own;             ///< the model's
} iso_contact_step;

/// What a step found for a pair.
typedef struct iso_contact_motion {
    const double* v;     ///< [6] twist of the surfaces
    const double* w;     ///< [6] of the bodies, which differ where surfaces are belts
    const double* free;  ///< [6] of the bodies, had no contact acted
    const iso_pose* x_a; ///< [2] of body A at the start and, for what remembers places, at the end
    const iso_pose* x_b; ///< [2] of body B
    bool is_solved;      ///< the last evaluation was at v
    bool is_still;       ///< the bodies end where they began, bit by bit, and no surface moves
} iso_contact_motion;

/// A contact model. Functions that may be NULL say so; all else is there.
typedef struct iso_contact_model {
    const char* name; ///< in files and messages
    iso_manifold_kind kind;

    // What never changes.
    /// Whether it can be the model of such a pair; NULL: of every one.
    bool (*takes)(const iso_contact_system* system, int geometry_a, int geometry_b);
    /// Prepare what it needs of each geometry, once a system; NULL: nothing.
    iso_status (*prepare_parts)(iso_contact_system* system);
    /// Check a pair that may meet and prepare what it needs; A has the smaller index.
    iso_status (*prepare)(iso_context* ctx, iso_contact_system* system, int geometry_a,
                          int geometry_b);

    /// Modulus of a geometry, by which the dissipations of two are weighted [Pa]; infinite: it
    /// gives way nowhere. NULL: those of the pressure fields.
    double (*modulus)(const iso_contact_system* system, int geometry);

    // Geometry.
    /// Whether threads had better share this pair; NULL: never.
    bool (*is_shared)(const iso_contact_system* system, int geometry_a, int geometry_b);
    /// Where the geometries meet, at the poses of the system. Pure.
    /// @param search_threads  threads that share the work; NULL: none
    iso_status (*find)(iso_contact_system* system, iso_search_threads* search_threads,
                       iso_arena* arena, int geometry_a, int geometry_b,
                       iso_contact_manifold* out_manifold);
    /// Bytes of `own` of a manifold, which go with it into another arena.
    size_t own_size;
    /// Move what else a manifold points to into another arena; false: out of memory. NULL: nothing.
    bool (*copy)(iso_arena* arena, iso_contact_manifold* manifold);
    /// Fill in what is the model's own in a pair that has bodies, materials and manifold.
    iso_status (*complete)(const iso_contact_system* system, iso_contact_pair* pair,
                           iso_arena* arena);
    /// Look at all pairs of a set together, also those of other models; NULL: no need.
    iso_status (*join)(const iso_contact_system* system, iso_contact_set* set, iso_arena* arena);
    /// Mean normal from A into B, unit; zero where there is none.
    iso_vec3 (*normal)(const iso_contact_pair* pair);
    /// The same weighted with how the pair presses.
    iso_vec3 (*loaded_normal)(const iso_contact_pair* pair);

    // The continuous question.
    /// Wrench on B (moment about p_wc; force) for the twist v_c of the surfaces.
    /// @param out_tractions, out_slips  [face_count] as iso_contact's, or NULL
    iso_spatial (*wrench)(const iso_contact_system* system, const iso_contact_pair* pair,
                          iso_spatial v_c, iso_contact_losses* out_losses, iso_vec3* out_tractions,
                          iso_vec3* out_slips);
    /// Where the pair presses, and how much at this twist, as `wrench` has it: what friction with
    /// springs acts on (contact/pairs/stretched.h). NULL: it has dampers alone.
    void (*presses)(const iso_contact_system* system, const iso_contact_pair* pair, iso_spatial v_c,
                    iso_press_list* list);
    /// How that wrench changes; NULL: methods that need it take differences.
    iso_status (*derivatives)(const iso_contact_system* system, const iso_contact_pair* pair,
                              iso_spatial v_c, iso_contact_derivatives* out_derivatives);
    iso_contact_stiffness (*stiffness)(const iso_contact_pair* pair);
    /// The wrench without friction, to which bristles add theirs (pairs/lasting_pair.h); NULL: such
    /// pairs have no bristles and latch no speed of impact.
    iso_contact_press (*press)(const iso_contact_pair* pair, iso_spatial v_c);
    /// How deep the bodies are where they are deepest [m]; there where `press` is.
    double (*depth)(const iso_contact_pair* pair);
    /// Stored energy, fast [J]; and as exactly as can be (iso_world_elastic_energy()).
    double (*energy)(const iso_contact_pair* pair);
    iso_status (*exact_energy)(const iso_contact_system* system, const iso_contact_pair* pair,
                               iso_elastic_energy* out_energy);

    // The discrete question.
    iso_status (*begin_step)(const iso_contact_step_input* input, iso_contact_step* out_step);
    /// Friction that turns over within so many times the slip; where a step does not converge.
    void (*smooth)(const iso_contact_step* step, double factor);
    /// After the solve: wrench on B as that of `wrench`, and what the pair remembers.
    /// @param faces  stretches and sliding are zero before, and stay so without springs
    /// @param[out] out_memories  [1 + more_memories], the first with the pair's geometries
    /// @return memories, >= 1, into out_count
    iso_spatial (*end_step)(const iso_contact_step* step, const iso_contact_motion* motion,
                            const iso_face_values* faces, iso_pair_memory* out_memories,
                            int* out_count);
    /// After end_step(), for a pair that was solved: what it took from the motion in the step, by
    /// the wrench that end_step() gave [J].
    iso_contact_losses (*book)(const iso_contact_step* step, const double v[6], iso_spatial f_b_w,
                               const iso_vec3* tractions, const iso_vec3* slips);

    // Memory; NULL where pairs have none.
    double (*memory_energy)(const iso_pair_memory* memory);
    bool (*memory_is_usable)(const iso_pair_memory* memory); ///< numbers are finite already
} iso_contact_model;

/// The row of a kind of model; NULL: there is none such.
const iso_contact_model* iso_contact_model_of(iso_contact_model_kind kind);
