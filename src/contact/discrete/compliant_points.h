// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "contact/discrete/six.h"
#include "contact/pairs/contact_system.h"

/// The discrete contact law of one pair over one step: a convex potential l(V) of the relative
/// twist V (6 numbers, about p_wc, world axes), a sum over compliant points [Masterjohn2022]
/// section IV. The solver sees only value, gradient and Hessian. Derivations:
/// docs/theory/contact.md.
typedef enum iso_point_law {
    ISO_POINT_LAW_LAGGED,  ///< lagged convex Hunt-Crossley
    ISO_POINT_LAW_SAP,     ///< linear damping, quadratic regularised cone
    ISO_POINT_LAW_NORMAL,  ///< the normal part of ISO_POINT_LAW_LAGGED
    ISO_POINT_LAW_SLIP,    ///< its tangential part
    ISO_POINT_LAW_SIMILAR, ///< Hunt-Crossley of v_n - mu |v_t|: couples friction and normal force
    ISO_POINT_LAW_TAMSI,   ///< no potential: the normal impulse of ISO_POINT_LAW_LAGGED, friction
                           ///< mu times it, regularised below the stiction velocity
} iso_point_law;

/// Points as arrays of doubles, padded to ISO_DOUBLE4_LANES with points that contribute nothing.
typedef struct iso_compliant_points {
    iso_point_law law;
    int count;              ///< real points: one or more for each face, as many again for the rest
                            ///< of one that reaches into the margin, none when dropped
    int padded_count;       ///<
    int* face;              ///< [count] face of the patch, not falling
    iso_vec3 p_wc;          ///< common point of twists and wrenches
    double dt;              ///< [s]
    double law_step;        ///< sticking: the step that its spring is made for; 0: dt [s]
    double stiffness_ratio; ///< sum of the squared frequencies of the pair times dt squared; 0:
                            ///< not known
    double softening;       ///< near-rigid floor: factor <= 1 on stiffness and force of all points
    double whole;           ///< stiffness of all points without that [N/m]
    double *rx, *ry, *rz;   ///< position relative to p_wc [m]
    double *nx, *ny, *nz;   ///< normal, from A into B
    double* area;           ///< force per pressure: the area, after the near-rigid floor [m^2]
    double* stiffness;      ///< k = A g, after the near-rigid floor [N/m]
    double* force;          ///< fe0 = A p0, scaled as the stiffness [N]; negative in the margin
    double* load;           ///< the same without what a steady motion adds to it [N]
    double* dissipation;    ///< d [s/m] (all but SAP)
    double* limit;          ///< all but SAP: separation velocity from which there is no force [m/s]
    double* friction_force; ///< lagged: mu n0 (impulse bound) [N s]; others: mu
    double* slip_scale;     ///< lagged, similar: eps_s [m/s]; SAP: regularisation R_t [m/(N s^2)];
                            ///< TAMSI: stiction velocity [m/s]
    double* regularization; ///< SAP: R_n [m/(N s^2)]
    double* bias;           ///< SAP: v^_n [m/s]
    bool has_adhesion;      ///< lagged, TAMSI: the two below are there (otherwise NULL)
    double* tension_slope;  ///< tension per separation velocity beyond `limit` [N s/m]
    double* tension_limit;  ///< A times the adhesion [N]
    double *wx, *wy, *wz;   ///< lagged: directions of friction, see iso_slip_dual
    double *tx, *ty, *tz;   ///< and of slip at the last evaluation
    double* inverse_speed;  ///< [s/m]
    double mobility;        ///< lagged: mean of the pair in translation [1/kg]
    double turning_speed;   ///< lagged: slip that the friction of a step could turn or stop [m/s]
    double* normal_slope;   ///< lagged: minus the slope of the normal impulse there [N s^2/m]
} iso_compliant_points;

/// How easily the bodies move apart and along each other at the points. W_i = G_i W G_i^T is the
/// 3x3 inverse effective mass at point i, k_i its stiffness.
typedef struct iso_points_mobility {
    double stiffness; ///< sum k_i [N/m]
    double normal;    ///< sum k_i n^T W_i n = trace(W K): sum of the squared frequencies [1/s^2]
    double slip;      ///< mean of a tangential eigenvalue of W_i, weighted with k_i [1/kg]
} iso_points_mobility;

/// Room for so many points, padded; `law` and `has_adhesion` are known.
/// @return ISO_ERR_RANGE (too many points), ISO_ERR_MEMORY
iso_status iso_compliant_points_allocate(iso_arena* arena, int capacity,
                                         iso_compliant_points* points);

/// Points whose places, normals, areas, stiffnesses, forces and dissipations are there become the
/// law of a step, in two parts. First the near-rigid floor. Delassus of the pair is the 6x6
/// W = J A^-1 J^T about p_wc (row-major, symmetric): effective masses come from it; near-rigid
/// floor and friction regularisation are set per pair, so that refining a mesh changes neither.
/// @param[out] mobility  filled in
/// @return it, or NULL where each point has its own (ISO_REGULARIZATION_DRAKE)
const iso_points_mobility* iso_compliant_points_prepare(const iso_contact_options* options,
                                                        const double delassus[36],
                                                        iso_points_mobility* mobility,
                                                        iso_compliant_points* points);
/// Then friction, damping, regularisation.
/// @param v_c0      relative twist at the start of the step
/// @param steady    part of the motion by which forces do not change; NULL: there is none
/// @param mobility  what the first part returned
void iso_compliant_points_finish(const iso_contact_options* options, const iso_contact_pair* pair,
                                 iso_spatial v_c0, const iso_spatial* steady,
                                 const double delassus[36], const iso_points_mobility* mobility,
                                 iso_compliant_points* points);

/// Points that were built where the bodies are `ahead` seconds after the start of a step of `span`
/// [s] if they move on as they do: the force is put back to the start of the step, along what the
/// law makes of motion; the bound on friction to where it is (2 dt - span) / span of the way there.
/// Then dt may be from span / 2, with the bound of the points as they are, to span, with that of
/// the start. ISO_POINT_LAW_LAGGED.
void iso_compliant_points_rewind(iso_compliant_points* points, iso_spatial v_c0, double ahead,
                                 double span);
/// Where the normal impulses of a solution are others than those that friction was bound by, and
/// that counts for the slip: bound it by those of the solution. docs/theory/contact.md.
/// ISO_POINT_LAW_LAGGED.
/// @param v0  relative twist at the start of the step
/// @param v   that of the solution
/// @param gradient  there, of all that the points do
/// @param mu  coefficient in the bound, > 0
/// @param coarseness  of what counts, 1 or more
/// @return whether the bound has changed
bool iso_compliant_points_follow(iso_compliant_points* points, const double v0[6],
                                 const double v[6], const double gradient[6], double mu,
                                 double coarseness);
/// The normal impulses that friction was bound by before iso_compliant_points_follow() changed
/// them, to rounding.
void iso_compliant_points_go_back(iso_compliant_points* points, double mu);
/// What slip does to the normal impulses where the law couples both [N s]: the sum of what it adds
/// for ISO_POINT_LAW_SAP, of how unevenly that is spread for ISO_POINT_LAW_SIMILAR, whose friction
/// sees the slip of the step's start; 0 for other laws.
/// @param v  relative twist at the end of the step
double iso_compliant_points_coupling(const iso_compliant_points* points, const double v[6]);
/// From now on the step is so long [s]: for iso_compliant_points_elastic_work() alone.
void iso_compliant_points_stretch(iso_compliant_points* points, double span);

/// Value of the potential at V; gradient (6) = minus the impulse on B, and Hessian (36, symmetric,
/// positive semidefinite) when asked for (NULL otherwise). SIMD, fixed summation tree. Not for
/// ISO_POINT_LAW_TAMSI.
double iso_compliant_points_eval(const iso_compliant_points* points, const double v[6],
                                 double* out_gradient, double* out_hessian);

/// Minus the impulse on B (6) of the normal forces alone, all laws.
void iso_compliant_points_normal_gradient(const iso_compliant_points* points, const double v[6],
                                          double out_gradient[6]);

/// ISO_POINT_LAW_TAMSI: minus the impulse on B (6) and its derivative by V (36, not symmetric).
void iso_compliant_points_residual(const iso_compliant_points* points, const double v[6],
                                   double* out_residual, double* out_jacobian);
/// Its limit on Newton's steps: the largest share in (0, 1] of dV for which the slip of no point
/// turns by more than a sixth of a turn, jumps over the stiction region, or leaves it from rest at
/// once [Castro2020]. Points without force do not count.
double iso_compliant_points_transition(const iso_compliant_points* points, const double v[6],
                                       const double dv[6]);

/// Along V + alpha dV: value, first and second derivative in alpha.
void iso_compliant_points_line(const iso_compliant_points* points, const double v[6],
                               const double dv[6], double alpha, double* out_value,
                               double* out_slope, double* out_curvature);

/// The same two for a part of the law: ISO_POINT_LAW_NORMAL or ISO_POINT_LAW_SLIP of points that
/// were built as ISO_POINT_LAW_LAGGED.
double iso_compliant_points_eval_part(const iso_compliant_points* points, iso_point_law part,
                                      const double v[6], double* out_gradient, double* out_hessian);
void iso_compliant_points_line_part(const iso_compliant_points* points, iso_point_law part,
                                    const double v[6], const double dv[6], double alpha,
                                    double* out_value, double* out_slope, double* out_curvature);

/// Newton's method for regularised friction, primal and dual [Chan1999]: the direction w of
/// friction at every point, |w| <= 1, is an unknown that follows the steps of V. It shapes the
/// Hessian only; value and gradient are those of the potential. It starts with the direction of
/// slip where friction cannot change that much or is still viscous, else with zero.
/// docs/theory/step.md.
typedef struct iso_slip_dual {
    double dv[6];     ///< Newton's step from the last evaluation
    bool is_started;  ///< false: the next evaluation sets w, see below
    bool is_aligned;  ///< then: to the direction of slip everywhere
    bool is_stepping; ///< true: the next evaluation steps w
} iso_slip_dual;

/// The Newton step dv from the last evaluation; the next one may be anywhere along it.
void iso_slip_dual_step(iso_slip_dual* dual, const double dv[6]);

/// Value and gradient of ISO_POINT_LAW_LAGGED. Writes wx to normal_slope of the points.
double iso_compliant_points_eval_dual(const iso_compliant_points* points, const double v[6],
                                      iso_slip_dual* dual, double* out_gradient);
/// Its two parts, of which friction may be at another twist (contact/stick/stick.h).
/// @param[out] out_trace  of the translational block of their Hessian [N s^2/m]
double iso_compliant_points_eval_normal(const iso_compliant_points* points, const double v[6],
                                        double* out_gradient, double* out_trace);
double iso_compliant_points_eval_slip(const iso_compliant_points* points, const double slip[6],
                                      iso_slip_dual* dual, double* out_gradient, double* out_trace);
/// Hessian of that method (36) where it, or its parts, were last evaluated.
void iso_compliant_points_dual_hessian(const iso_compliant_points* points, double* out_hessian);
/// Its normal part and that of friction, in the order of iso_six_upper_at.
void iso_compliant_points_normal_hessian(const iso_compliant_points* points,
                                         double out_upper[ISO_SIX_UPPER]);
void iso_compliant_points_slip_hessian(const iso_compliant_points* points,
                                       double out_upper[ISO_SIX_UPPER]);
/// Sum of friction_force G^T P G, G the velocity of a point from a twist, P the projection on its
/// tangent plane; in the same order.
void iso_compliant_points_friction_shape(const iso_compliant_points* points,
                                         double out_upper[ISO_SIX_UPPER]);

/// Adds the sizes of what the gradient sums up: the impulses of all points at the start, and what
/// friction may be, without signs.
void iso_compliant_points_add_sizes(const iso_compliant_points* points, double out[6]);

/// Work that the pressures alone do on the bodies over the step, for the twist v at its end: minus
/// the change of the points' elastic energy [J].
double iso_compliant_points_elastic_work(const iso_compliant_points* points, const double v[6]);

/// Slip speed of the points for the twist v, the mean weighted with what friction may be: points
/// that bear next to nothing, as those of a rim that slants, do not count [m/s]. 0 without
/// friction.
double iso_compliant_points_mean_slip(const iso_compliant_points* points, const double v[6]);

/// After the solve: per-face impulse / (dt A) = mean traction on B [Pa] (zero for dropped faces),
/// tangential slip velocity [m/s] of every face, and the wrench on B (moment about p_wc; force)
/// [N m, N]. The arrays have patch->face_count elements; either may be NULL.
iso_spatial iso_compliant_points_result(const iso_compliant_points* points, const iso_patch* patch,
                                        const double v[6], iso_vec3* out_tractions,
                                        iso_vec3* out_slips);
/// The same with friction as iso_compliant_points_eval_dual() or ..._eval_slip() last found it.
iso_spatial iso_compliant_points_kept_result(const iso_compliant_points* points,
                                             const iso_patch* patch, const double v[6],
                                             iso_vec3* out_tractions, iso_vec3* out_slips);
