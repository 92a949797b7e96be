// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/core/arena.h"
#include "isobar/dynamics.h"
#include "isobar/math.h"
#include "isobar/model.h"

/// A forest of rigid bodies. Body 0 is the world. Every other body has one inboard joint to a
/// parent with a smaller index (depth-first order), so loops over bodies run from roots to leaves.
/// Degrees of freedom of one tree are contiguous in v: mass matrix and factors are dense blocks per
/// tree.
///
/// Positions q: revolute, prismatic, screw 1; universal 2 (angles); planar 3 (x, y, angle about z);
/// ball 4 (quaternion w x y z of M in F); free 7 (quaternion, position of M in F).
/// Velocities v: rates of q, but for ball 3 (angular velocity of M in F) and free 6 (angular
/// velocity of M in F, velocity of M's origin), expressed in F. Weld: none.
typedef enum iso_mobility {
    ISO_MOBILITY_WELD,
    ISO_MOBILITY_REVOLUTE,
    ISO_MOBILITY_PRISMATIC,
    ISO_MOBILITY_FREE,
    ISO_MOBILITY_SCREW,     ///< turns by q and moves pitch q along axis
    ISO_MOBILITY_UNIVERSAL, ///< turns about axis, then about axis_2 that the first turn carries
    ISO_MOBILITY_BALL,
    ISO_MOBILITY_PLANAR, ///< in the x-y plane of F
} iso_mobility;

typedef struct iso_mb_body {
    int parent; ///< index < own index; -1 for the world
    iso_mobility mobility;
    iso_pose x_pf;           ///< inboard joint frame F in the parent body
    iso_pose x_mb;           ///< body frame B in the joint's child frame M
    iso_vec3 axis;           ///< unit, in F; revolute, prismatic, screw, universal
    double damping;          ///< of each degree of freedom of the joint, >= 0
    double lower, upper;     ///< limits of q, one degree of freedom; infinite: none
    double mass;             ///< [kg]
    iso_vec3 center_of_mass; ///< in B [m]
    iso_mat3 inertia;        ///< about the centre of mass, axes of B [kg m^2]
    iso_vec3 axis_2;         ///< unit, in F at q = 0; universal
    double pitch;            ///< screw [m/rad], not 0
    double friction;         ///< dry, of each degree of freedom [N m] or [N], >= 0
    double stiffness;        ///< spring of each degree of freedom, >= 0; not free
    double spring_reference; ///< where it is at rest, one degree of freedom (others: at 0)
    double rotor_inertia;    ///< reflected, on the diagonal of the mass matrix; one degree of
                             ///< freedom, ball (each of its three), free (each of its six)
    /// Part of its weight that something else carries, at the centre of mass.
    double gravity_compensation;
    int joined;           ///< where a tree starts: an earlier body whose tree it shall be part of,
                          ///< as something acts on both; 0: none
    bool is_b_at_m;       ///< x_mb is the identity (filled)
    int q_index, v_index; ///< first entry in q, v (filled by iso_multibody_create; 0 for bodies
                          ///< welded to the world)
    int tree;             ///< tree index, -1 when welded to the world (filled)
    const char* source;   ///< "file:line" for errors of iso_multibody_create(), or NULL; not kept
} iso_mb_body;

/// How a body that is welded to its parent P, or has a joint of one degree of freedom, stands on
/// it: (R_pb | p) has the rows fixed + cos q cosine + sin q sine. p leads from P to B of a weld,
/// else to M at q = 0.
typedef struct iso_mb_placement {
    double fixed[3][4], cosine[3][4], sine[3][4];
    iso_spatial axis_p; ///< unit twist of the joint in P
    iso_vec3 p_mb_b;    ///< from M to B, in B
} iso_mb_placement;

/// A body that a joint moves, with all that is welded to it.
typedef struct iso_mb_link {
    int body;   ///< the other bodies of the link are welded to it
    int parent; ///< link that the joint hangs on; -1: something fixed
    int v_index, v_end;
    iso_mobility mobility;
    double rotor_inertia;
    double mass;
    iso_vec3 center;     ///< of mass, in the body
    iso_mat3 inertia;    ///< about the centre, axes of the body
    double carried_mass; ///< with all links on it
    double share;        ///< of that in the mass of the parent's and the links on it that follow
    double reduced_mass; ///< of that and those, m1 m2 / (m1 + m2)
} iso_mb_link;

/// A rotor that a weighted sum of positions of joints turns, of one degree of freedom each and of
/// one tree (iso_mb_body.joined), or the length of a route: inertia w w^T in the mass matrix, with
/// the slope w of the sum or length.
typedef struct iso_mb_rotor {
    int count;
    const int* bodies;           ///< [count] each once; their inboard joints
    const double* weights;       ///< [count]
    double inertia;              ///< > 0
    int part_count;              ///< of its route over points and obstacles; 0: none
    const iso_route_part* parts; ///< [part_count]
    int tree;
} iso_mb_rotor;

typedef struct iso_multibody {
    int body_count;
    iso_mb_body* bodies; ///< [body_count], bodies[0] is the world
    int q_count, v_count;
    int tree_count;
    int* tree_v_index;            ///< [tree_count + 1] first degree of freedom of each tree
    int* tree_m_index;            ///< [tree_count + 1] first entry of each tree's dense mass block
    int* dof_body;                ///< [v_count] body whose inboard joint owns this dof
    iso_mb_placement* placements; ///< [body_count]
    int link_count;
    iso_mb_link* links;         ///< [link_count] tree by tree, parents first
    int* tree_link_index;       ///< [tree_count + 1] first link of each tree
    int* link_of;               ///< [body_count] link that a body belongs to; -1: fixed
    bool has_compensation;      ///< a moving body has some
    int rotor_count;            ///< 0 unless a caller sets rotors
    const iso_mb_rotor* rotors; ///< [rotor_count] borrowed
} iso_multibody;

/// Number of entries in q and in v of one joint.
static inline int iso_mobility_q_count(iso_mobility mobility) {
    static const int counts[] = {0, 1, 1, 7, 1, 2, 4, 3};
    return counts[mobility];
}
static inline int iso_mobility_v_count(iso_mobility mobility) {
    static const int counts[] = {0, 1, 1, 6, 1, 2, 3, 3};
    return counts[mobility];
}
/// Revolute, prismatic, screw.
static inline bool iso_mobility_has_one_dof(iso_mobility mobility) {
    return iso_mobility_v_count(mobility) == 1;
}
/// True when q starts with a quaternion.
static inline bool iso_mobility_has_quat(iso_mobility mobility) {
    return mobility == ISO_MOBILITY_FREE || mobility == ISO_MOBILITY_BALL;
}

/// Copy bodies and number their coordinates: tree by tree, within a tree in the order of the
/// bodies. Axes are normalised. Checks parents, frames, axes, limits, inertias and that every joint
/// moves some inertia (the mass matrix of each tree is positive definite). A massless body may sit
/// between others or be welded to one. 8 allocations and scratch.
/// @param names  [body_count] for error messages; NULL, or NULL entries: numbers instead
/// @return ISO_ERR_ARGUMENT (parents, joint kinds), ISO_ERR_RANGE (values), ISO_ERR_MEMORY;
///         *out_multibody is then all zero
iso_status iso_multibody_create(iso_context* ctx, const iso_mb_body* bodies, int body_count,
                                const char* const* names, iso_multibody* out_multibody);
void iso_multibody_destroy(iso_context* ctx, iso_multibody* multibody);

/// Positions and velocities of everything at one state; arrays sized by the multibody. All in W.
typedef struct iso_kinematics {
    iso_pose* x_wb;    ///< [body_count]
    iso_spatial* v_wb; ///< [body_count] (angular; velocity of the body origin)
    iso_spatial*
        dof_axis;        ///< [v_count] unit twist of a dof about dof_point, relative to the parent
    iso_vec3* dof_point; ///< [v_count] origin of the joint's frame M
    double rotor_energy; ///< of reflected rotor inertias [J]; iso_multibody_kinematics() sets it
} iso_kinematics;

/// The same bodies, one of them with its mass and inertia times a factor; the rest is borrowed.
/// @return ISO_ERR_MEMORY
iso_status iso_multibody_vary_mass(iso_context* ctx, const iso_multibody* multibody, int body,
                                   double factor, iso_multibody* out_varied);
/// What is not borrowed of it.
void iso_multibody_free_varied(iso_context* ctx, iso_multibody* varied);

/// Centre of mass of a body in W.
static inline iso_vec3 iso_multibody_center(const iso_multibody* multibody,
                                            const iso_kinematics* kinematics, int body) {
    return iso_pose_point(&kinematics->x_wb[body], multibody->bodies[body].center_of_mass);
}

/// The acceleration that what a body has to carry of its weight would give it.
static inline iso_vec3 iso_multibody_pull(const iso_mb_body* body, iso_vec3 gravity) {
    return iso_vec3_scale(gravity, 1.0 - body->gravity_compensation);
}

/// Arrays from an arena.
iso_status iso_kinematics_push(const iso_multibody* multibody, iso_arena* arena,
                               iso_kinematics* out_kinematics);

/// Stage 1. O(body_count).
void iso_multibody_kinematics(const iso_multibody* multibody, const double* q, const double* v,
                              iso_kinematics* out_kinematics);

/// Mass matrix by composite rigid bodies, dense row-major block per tree at tree_m_index (both
/// triangles). O(v_count * depth).
/// @param work  arena for scratch, released before returning
iso_status iso_multibody_mass_matrix(const iso_multibody* multibody,
                                     const iso_kinematics* kinematics, iso_arena* work,
                                     double* out_blocks);

/// Generalised force that M dv/dt must add to: bias such that M dv/dt + bias = tau + J^T f, with
/// weights and applied wrenches inside (recursive Newton-Euler, O(body_count)). Joint damping and
/// springs are *not* inside.
/// @param f_b_w  [body_count] (moment about body origin; force), world; NULL for none
iso_status iso_multibody_bias(const iso_multibody* multibody, const iso_kinematics* kinematics,
                              const double* v, iso_vec3 gravity, const iso_spatial* f_b_w,
                              iso_arena* work, double* out_bias);

/// A link, or several as if welded together.
typedef struct iso_mb_cluster {
    iso_vec3 center;  ///< in W
    iso_mat3 inertia; ///< about the centre, axes of W, exactly symmetric
} iso_mb_cluster;

/// Mass matrix and bias at once: both need the inertias of the links in W.
/// @param out_links  [link_count] those; NULL: not asked
iso_status iso_multibody_equations(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                   const double* v, iso_vec3 gravity, const iso_spatial* f_b_w,
                                   iso_arena* work, iso_mb_cluster* out_links, double* out_blocks,
                                   double* out_bias);

/// Bias of one tree in the position of the kinematics, but with other velocities v, and without
/// what iso_multibody_add_compensation() adds. O(links of the tree).
/// @param v         [v_count]; only those of the tree are read
/// @param links     as iso_multibody_equations() found them
/// @param out_bias  [v_count]; only that of the tree is written
/// @param out_rate  largest angular speed of its links [rad/s]
iso_status iso_multibody_tree_bias(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                   const iso_mb_cluster* links, int tree, const double* v,
                                   iso_vec3 gravity, iso_arena* work, double* out_bias,
                                   double* out_rate);

/// Inverse dynamics: the same with M dv/dt on the left, tau = M vdot + bias.
/// @param vdot  [v_count]; NULL: zeros
iso_status iso_multibody_inverse_dynamics(const iso_multibody* multibody,
                                          const iso_kinematics* kinematics, const double* v,
                                          const double* vdot, iso_vec3 gravity,
                                          const iso_spatial* f_b_w, iso_arena* work,
                                          double* out_tau);
/// Accelerations (angular; of the body origin) in W of all bodies.
/// @param vdot      [v_count]; NULL: zeros
/// @param out_a_wb  [body_count]
void iso_multibody_body_accelerations(const iso_multibody* multibody,
                                      const iso_kinematics* kinematics, const double* v,
                                      const double* vdot, iso_spatial* out_a_wb);

/// Wrench (moment about the body origin; force) in W of the inboard joint of every body on it, from
/// accelerations by recursive Newton-Euler; of fixed bodies too.
/// @param a_wb   [body_count] accelerations, as above
/// @param f_b_w  [body_count] other wrenches on bodies but weights (about body origins)
/// @param out_f_b_w  [body_count]; that of the world is what all its children do to it
void iso_multibody_joint_wrenches(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                  const iso_spatial* a_wb, iso_vec3 gravity,
                                  const iso_spatial* f_b_w, iso_spatial* out_f_b_w);
/// Acceleration of a point of a body from that of another one; p_pq leads to it, in W.
iso_spatial iso_multibody_shift_acceleration(iso_spatial a_p, iso_vec3 w, iso_vec3 p_pq);

/// Efforts of the joints' springs, -k (q - q0), at q; ball: -k times the rotation vector.
void iso_multibody_spring_efforts(const iso_multibody* multibody, const double* q, double* out_tau);
/// Energy of the joints' springs [J].
double iso_multibody_spring_energy(const iso_multibody* multibody, const double* q);

/// Forward dynamics dv/dt for continuous integrators (mass matrix + Cholesky per tree), with joint
/// damping -d v, efforts tau (NULL: none) and wrenches (NULL: none).
/// @return ISO_ERR_MEMORY, ISO_ERR_NUMERIC (a mass matrix is not positive definite in this state)
iso_status iso_multibody_acceleration(const iso_multibody* multibody,
                                      const iso_kinematics* kinematics, const double* v,
                                      iso_vec3 gravity, const double* tau, const iso_spatial* f_b_w,
                                      iso_arena* work, double* out_vdot);

/// Spatial Jacobian of a body at the point p_w fixed to it: 6 x (dofs of its tree), row-major, rows
/// (angular; linear), zeros for dofs that do not move it. Nothing is written for fixed bodies.
/// O(dofs of the tree).
void iso_multibody_jacobian(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            int body, iso_vec3 p_w, double* out_jacobian);

/// tau += J^T f for a wrench (moment about p_w; force) on a body; tau has v_count entries.
/// O(depth).
void iso_multibody_add_wrench(const iso_multibody* multibody, const iso_kinematics* kinematics,
                              int body, iso_vec3 p_w, iso_spatial f_w, double* tau);

/// tau += J^T f for the weights that bodies need not carry: what the bias has less of.
/// O(body_count) and O(depth) for each of them.
void iso_multibody_add_compensation(const iso_multibody* multibody,
                                    const iso_kinematics* kinematics, iso_vec3 gravity,
                                    double* tau);

/// q(t + dt) for constant v: exact on rotations (exponential map), quaternions stay unit. In place
/// is allowed.
void iso_multibody_integrate(const iso_multibody* multibody, const double* q, const double* v,
                             double dt, double* out_q);
/// The change, in the coordinates of v, by which iso_multibody_integrate() over a time of 1 leads
/// from one to the other. @param[out] out_delta  [v_count]
void iso_multibody_difference(const iso_multibody* multibody, const double* from, const double* to,
                              double* out_delta);
/// dq/dt for continuous integrators, and renormalisation of quaternions after a step.
void iso_multibody_qdot(const iso_multibody* multibody, const double* q, const double* v,
                        double* out_qdot);
void iso_multibody_normalize(const iso_multibody* multibody, double* q);

/// Default positions: zeros, identity quaternions.
void iso_multibody_default_q(const iso_multibody* multibody, double* out_q);
/// Write into q and v the pose and twist (about the body origin) in W of a body with a free joint.
/// Its parent may move: it is taken from the kinematics. Other bodies' joints change nothing.
void iso_multibody_set_free(const iso_multibody* multibody, const iso_kinematics* kinematics,
                            int body, const iso_pose* x_wb, iso_spatial v_wb, double* q, double* v);

/// Energies [J] and momentum are those of the bodies that can move (tree >= 0). Reflected rotor
/// inertias are in the kinetic energy, not in the momentum.
double iso_multibody_kinetic_energy(const iso_multibody* multibody,
                                    const iso_kinematics* kinematics);
/// Of the rotors that sums of joints or routes turn [J], in the energy above.
double iso_multibody_rotor_energy(const iso_multibody* multibody, const iso_kinematics* kinematics,
                                  const double* v);
/// Whether a rotor on a route moves with a tree, so that its mass changes with its position.
bool iso_multibody_has_route(const iso_multibody* multibody, int tree);
/// Whether such a route leads to something fixed.
bool iso_multibody_is_anchored(const iso_multibody* multibody, int tree);
/// Potential of the weights, zero at the world origin.
double iso_multibody_potential_energy(const iso_multibody* multibody,
                                      const iso_kinematics* kinematics, iso_vec3 gravity);
/// Of a body with everything it carries; 0: all bodies.
iso_subtree_motion iso_multibody_subtree_motion(const iso_multibody* multibody,
                                                const iso_kinematics* kinematics, int root);
/// (angular momentum about the world origin [N m s]; linear momentum [N s]), in W.
iso_spatial iso_multibody_momentum(const iso_multibody* multibody,
                                   const iso_kinematics* kinematics);
