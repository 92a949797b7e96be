// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "multibody/multibody.h"

#include "base/core/alloc.h"
#include "base/core/fail.h"
#include "multibody/constants.h"
#include "multibody/massless.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

// Room for a name in messages; longer ones are cut.
#define LABEL_SIZE 640

// How far rotations, axes and inertias given as decimal text may be from exact ones.
#define INPUT_TOLERANCE 1e-6

// How far from parallel the axes of a universal joint must be: the sine of their angle.
#define SMALLEST_SINE 1e-3

static const char* mobility_text(iso_mobility mobility) {
    static const char* const texts[] = {
        [ISO_MOBILITY_WELD] = "weld",           [ISO_MOBILITY_REVOLUTE] = "revolute",
        [ISO_MOBILITY_PRISMATIC] = "prismatic", [ISO_MOBILITY_FREE] = "free",
        [ISO_MOBILITY_SCREW] = "screw",         [ISO_MOBILITY_UNIVERSAL] = "universal",
        [ISO_MOBILITY_BALL] = "ball",           [ISO_MOBILITY_PLANAR] = "planar",
    };
    return texts[mobility];
}

// "file:line: body 'name'", as far as they are known; "body 3" without a name.
static const char* label(char buffer[LABEL_SIZE], const char* source, const char* const* names,
                         int b) {
    const char* where = source ? source : "";
    const char* colon = *where ? ": " : "";
    if (names && names[b]) {
        snprintf(buffer, LABEL_SIZE, "%s%sbody '%s'", where, colon, names[b]);
    } else {
        snprintf(buffer, LABEL_SIZE, "%s%sbody %d", where, colon, b);
    }
    return buffer;
}

static bool is_rotation(const iso_mat3* r) {
    double worst = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double dot = iso_vec3_dot(iso_mat3_column(r, i), iso_mat3_column(r, j));
            double error = fabs(dot - (i == j ? 1.0 : 0.0));
            worst = error > worst ? error : worst;
        }
    }
    return worst <= INPUT_TOLERANCE && iso_mat3_determinant(r) > 0.0;
}

static iso_status check_frame(iso_context* ctx, const char* who, const char* what,
                              const iso_pose* pose) {
    ISO_REQUIRE(ctx, iso_pose_is_finite(pose), ISO_ERR_RANGE,
                "%s: %s has position (%g, %g, %g) m or a rotation that is not finite, expected "
                "finite numbers",
                who, what, pose->p.x, pose->p.y, pose->p.z);
    ISO_REQUIRE(ctx, is_rotation(&pose->r), ISO_ERR_RANGE,
                "%s: rotation of %s has determinant %g and is not orthonormal within %g, expected "
                "a proper rotation",
                who, what, iso_mat3_determinant(&pose->r), INPUT_TOLERANCE);
    return ISO_OK;
}

// Damping, friction, spring and rotor.
static iso_status check_efforts(iso_context* ctx, const char* who, const iso_mb_body* body) {
    ISO_REQUIRE(ctx, isfinite(body->damping) && body->damping >= 0.0, ISO_ERR_RANGE,
                "%s: joint damping is %g, expected finite and >= 0", who, body->damping);
    ISO_REQUIRE(ctx, isfinite(body->friction) && body->friction >= 0.0, ISO_ERR_RANGE,
                "%s: joint friction is %g, expected finite and >= 0", who, body->friction);
    ISO_REQUIRE(ctx,
                isfinite(body->stiffness) && body->stiffness >= 0.0 &&
                    isfinite(body->spring_reference),
                ISO_ERR_RANGE,
                "%s: joint stiffness is %g with reference %g, expected finite, stiffness >= 0", who,
                body->stiffness, body->spring_reference);
    ISO_REQUIRE(ctx, body->stiffness == 0.0 || body->mobility != ISO_MOBILITY_FREE,
                ISO_ERR_ARGUMENT, "%s: joint stiffness is %g on a free joint, expected 0", who,
                body->stiffness);
    ISO_REQUIRE(ctx, isfinite(body->rotor_inertia) && body->rotor_inertia >= 0.0, ISO_ERR_RANGE,
                "%s: reflected rotor inertia is %g, expected finite and >= 0", who,
                body->rotor_inertia);
    ISO_REQUIRE(ctx,
                body->rotor_inertia == 0.0 || body->mobility == ISO_MOBILITY_BALL ||
                    body->mobility == ISO_MOBILITY_FREE || iso_mobility_has_one_dof(body->mobility),
                ISO_ERR_ARGUMENT,
                "%s: rotor inertia %g on a %s joint, expected one degree of freedom, a ball or a "
                "free joint",
                who, body->rotor_inertia, mobility_text(body->mobility));
    return ISO_OK;
}

static iso_status check_axes(iso_context* ctx, const char* who, const iso_mb_body* body) {
    double length = iso_vec3_norm(body->axis);
    ISO_REQUIRE(ctx, fabs(length - 1.0) <= INPUT_TOLERANCE, ISO_ERR_RANGE,
                "%s: axis (%g, %g, %g) of the %s joint has length %g, expected 1 within %g", who,
                body->axis.x, body->axis.y, body->axis.z, mobility_text(body->mobility), length,
                INPUT_TOLERANCE);
    if (body->mobility == ISO_MOBILITY_UNIVERSAL) {
        double length_2 = iso_vec3_norm(body->axis_2);
        ISO_REQUIRE(ctx, fabs(length_2 - 1.0) <= INPUT_TOLERANCE, ISO_ERR_RANGE,
                    "%s: axis_2 (%g, %g, %g) of the universal joint has length %g, expected 1 "
                    "within %g",
                    who, body->axis_2.x, body->axis_2.y, body->axis_2.z, length_2, INPUT_TOLERANCE);
        double sine = iso_vec3_norm(iso_vec3_cross(body->axis, body->axis_2));
        ISO_REQUIRE(ctx, sine >= SMALLEST_SINE, ISO_ERR_RANGE,
                    "%s: the axes of the universal joint are parallel: the sine of their angle is "
                    "%g, expected >= %g",
                    who, sine, SMALLEST_SINE);
    }
    ISO_REQUIRE(
        ctx, body->mobility != ISO_MOBILITY_SCREW || (isfinite(body->pitch) && body->pitch != 0.0),
        ISO_ERR_RANGE, "%s: pitch of the screw joint is %g m/rad, expected finite, not 0", who,
        body->pitch);
    ISO_REQUIRE(ctx,
                body->lower <= body->upper && body->lower < INFINITY && body->upper > -INFINITY,
                ISO_ERR_RANGE, "%s: joint limits are [%g, %g], expected lower <= upper", who,
                body->lower, body->upper);
    return ISO_OK;
}

static iso_status check_joint(iso_context* ctx, const char* who, const iso_mb_body* body) {
    iso_status status = check_frame(ctx, who, "joint frame F in the parent", &body->x_pf);
    if (status == ISO_OK) {
        status = check_frame(ctx, who, "body frame in the joint frame M", &body->x_mb);
    }
    if (status != ISO_OK) {
        return status;
    }
    status = check_efforts(ctx, who, body);
    if (status != ISO_OK) {
        return status;
    }
    switch (body->mobility) {
    case ISO_MOBILITY_REVOLUTE:
    case ISO_MOBILITY_PRISMATIC:
    case ISO_MOBILITY_SCREW:
    case ISO_MOBILITY_UNIVERSAL:
        return check_axes(ctx, who, body);
    default:
        return ISO_OK;
    }
}

// Symmetric and positive semidefinite, by principal minors.
static bool is_inertia(const iso_mat3* m) {
    double size = fabs(m->m[0][0]) + fabs(m->m[1][1]) + fabs(m->m[2][2]);
    double slack = INPUT_TOLERANCE * size;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3;
        double minor = m->m[i][i] * m->m[j][j] - m->m[i][j] * m->m[j][i];
        if (!(m->m[i][i] >= 0.0 && fabs(m->m[i][j] - m->m[j][i]) <= slack &&
              minor >= -slack * size)) {
            return false;
        }
    }
    return iso_mat3_determinant(m) >= -slack * size * size;
}

static iso_status check_inertia(iso_context* ctx, const char* who, const iso_mb_body* body) {
    const iso_mat3* m = &body->inertia;
    ISO_REQUIRE(ctx, isfinite(body->mass) && body->mass >= 0.0, ISO_ERR_RANGE,
                "%s: mass is %g kg, expected finite and >= 0", who, body->mass);
    ISO_REQUIRE(ctx, iso_vec3_is_finite(body->center_of_mass), ISO_ERR_RANGE,
                "%s: centre of mass is (%g, %g, %g) m, expected finite numbers", who,
                body->center_of_mass.x, body->center_of_mass.y, body->center_of_mass.z);
    ISO_REQUIRE(ctx, isfinite(body->gravity_compensation), ISO_ERR_RANGE,
                "%s: gravity compensation is %g, expected finite", who, body->gravity_compensation);
    ISO_REQUIRE(ctx, is_inertia(m), ISO_ERR_RANGE,
                "%s: inertia [xx %g, yy %g, zz %g, xy %g, xz %g, yz %g] kg m^2 expected finite, "
                "symmetric and without negative principal moments",
                who, m->m[0][0], m->m[1][1], m->m[2][2], m->m[0][1], m->m[0][2], m->m[1][2]);
    return ISO_OK;
}

static iso_status check_body(iso_context* ctx, const iso_mb_body* bodies, int b,
                             const char* const* names) {
    char buffer[LABEL_SIZE];
    const char* who = label(buffer, bodies[b].source, names, b);
    const iso_mb_body* body = &bodies[b];
    if (b == 0) {
        ISO_REQUIRE(ctx, body->parent == -1, ISO_ERR_ARGUMENT,
                    "%s is the world but has parent %d, expected -1", who, body->parent);
        return ISO_OK;
    }
    ISO_REQUIRE(ctx, body->parent >= 0 && body->parent < b, ISO_ERR_ARGUMENT,
                "%s has index %d and parent %d, expected a parent in [0, %d]", who, b, body->parent,
                b - 1);
    ISO_REQUIRE(ctx, body->joined >= 0 && body->joined < b, ISO_ERR_ARGUMENT,
                "%s has index %d and is joined to body %d, expected one in [0, %d]", who, b,
                body->joined, b - 1);
    ISO_REQUIRE(ctx,
                (int)body->mobility >= ISO_MOBILITY_WELD && body->mobility <= ISO_MOBILITY_PLANAR,
                ISO_ERR_ARGUMENT, "%s: joint kind is %d, expected %d to %d", who,
                (int)body->mobility, ISO_MOBILITY_WELD, ISO_MOBILITY_PLANAR);
    iso_status status = check_joint(ctx, who, body);
    return status == ISO_OK ? check_inertia(ctx, who, body) : status;
}

static void copy_body(const iso_mb_body* body, iso_mb_body* out_body) {
    *out_body = *body;
    out_body->source = NULL; // the caller's own
    out_body->axis = iso_vec3_normalized(body->axis);
    out_body->axis_2 = iso_vec3_normalized(body->axis_2);
    iso_pose identity = iso_pose_identity();
    out_body->is_b_at_m = memcmp(&body->x_mb, &identity, sizeof identity) == 0;
    out_body->inertia =
        iso_mat3_scale(iso_mat3_add(body->inertia, iso_mat3_transpose(body->inertia)), 0.5);
    out_body->q_index = 0;
    out_body->v_index = 0;
    out_body->tree = -1;
}

// A tree starts at every joint that moves a body relative to something fixed to the world, or goes
// on there.
static int assign_trees(iso_multibody* mb) {
    int tree_count = 0;
    for (int b = 1; b < mb->body_count; ++b) {
        iso_mb_body* body = &mb->bodies[b];
        body->tree = mb->bodies[body->parent].tree;
        if (body->tree < 0 && body->mobility != ISO_MOBILITY_WELD) {
            int joined = mb->bodies[body->joined].tree; // none: the world's, -1
            body->tree = joined >= 0 ? joined : tree_count++;
        }
    }
    return tree_count;
}

// Number q and v. next_q and next_v start as the first entries of each tree and are advanced.
static void number_coordinates(iso_multibody* mb, int* next_q, int* next_v) {
    for (int b = 1; b < mb->body_count; ++b) {
        iso_mb_body* body = &mb->bodies[b];
        if (body->tree < 0) {
            continue;
        }
        body->q_index = next_q[body->tree];
        body->v_index = next_v[body->tree];
        int dofs = iso_mobility_v_count(body->mobility);
        for (int k = 0; k < dofs; ++k) {
            mb->dof_body[body->v_index + k] = b;
        }
        next_q[body->tree] += iso_mobility_q_count(body->mobility);
        next_v[body->tree] += dofs;
    }
}

// Sizes of the trees into tree_v_index, tree_m_index and scratch (first q of each tree, then first
// v), all as running sums.
static iso_status sum_trees(iso_context* ctx, iso_multibody* mb, int* scratch) {
    int* next_q = scratch;
    int* next_v = scratch + mb->tree_count;
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        if (body->tree >= 0) {
            next_q[body->tree] += iso_mobility_q_count(body->mobility);
            next_v[body->tree] += iso_mobility_v_count(body->mobility);
        }
    }
    long long entry_count = 0;
    for (int t = 0; t < mb->tree_count; ++t) {
        int tree_q = next_q[t], tree_v = next_v[t];
        next_q[t] = mb->q_count;
        next_v[t] = mb->v_count;
        mb->tree_v_index[t] = mb->v_count;
        mb->tree_m_index[t] = (int)entry_count;
        mb->q_count += tree_q;
        mb->v_count += tree_v;
        entry_count += (long long)tree_v * tree_v;
        ISO_REQUIRE(ctx, entry_count <= INT_MAX, ISO_ERR_RANGE,
                    "mass matrix has more than %d entries at a tree of %d degrees of freedom",
                    INT_MAX, tree_v);
    }
    mb->tree_v_index[mb->tree_count] = mb->v_count;
    mb->tree_m_index[mb->tree_count] = (int)entry_count;
    return ISO_OK;
}

static iso_status number_trees(iso_context* ctx, iso_multibody* mb) {
    mb->tree_count = assign_trees(mb);
    int dof_limit = 0;
    for (int b = 1; b < mb->body_count; ++b) {
        int dofs = iso_mobility_v_count(mb->bodies[b].mobility);
        ISO_REQUIRE(ctx, dof_limit <= INT_MAX / 2 - dofs, ISO_ERR_RANGE,
                    "%d bodies have too many degrees of freedom", mb->body_count);
        dof_limit += dofs;
    }
    iso_status status = ISO_OK;
    int* scratch = iso_alloc_array(ctx, mb->tree_count + mb->tree_count, sizeof *scratch);
    mb->tree_v_index = iso_alloc_array(ctx, mb->tree_count + 1, sizeof *mb->tree_v_index);
    mb->tree_m_index = iso_alloc_array(ctx, mb->tree_count + 1, sizeof *mb->tree_m_index);
    mb->dof_body = iso_alloc_array(ctx, dof_limit, sizeof *mb->dof_body);
    ISO_CHECK(ctx, scratch && mb->tree_v_index && mb->tree_m_index && mb->dof_body, ISO_ERR_MEMORY,
              "%d trees, %d degrees of freedom", mb->tree_count, dof_limit);
    ISO_TRY(sum_trees(ctx, mb, scratch));
    number_coordinates(mb, scratch, scratch + mb->tree_count);
done:
    iso_free(ctx, scratch);
    return status;
}

// Positions in which no two axes are parallel by chance: what is singular here is singular always.
static void generic_q(const iso_multibody* mb, double* out_q) {
    iso_multibody_default_q(mb, out_q);
    for (int b = 1; b < mb->body_count; ++b) {
        const iso_mb_body* body = &mb->bodies[b];
        int from = iso_mobility_has_quat(body->mobility) ? 4 : 0;
        int count = body->mobility == ISO_MOBILITY_FREE ? 0 : iso_mobility_q_count(body->mobility);
        for (int i = from; i < count; ++i) {
            out_q[body->q_index + i] = 0.4 + fmod(0.6180339887498949 * (b + i), 1.0);
        }
    }
}

static iso_status refuse_massless(iso_context* ctx, const iso_multibody* mb,
                                  const iso_mb_body* bodies, const char* const* names, int dof,
                                  double pivot) {
    int b = mb->dof_body[dof];
    const iso_mb_body* body = &mb->bodies[b];
    bool floats = body->mobility == ISO_MOBILITY_FREE && body->mass == 0.0;
    char buffer[LABEL_SIZE];
    return iso_fail(ctx, ISO_ERR_RANGE, __func__,
                    "%s: degree of freedom %d of its %s joint moves an inertia of %g (kg or kg "
                    "m^2), expected > 0 beyond rounding; the body's mass is %g kg, moments (%g, "
                    "%g, %g) kg m^2%s",
                    label(buffer, bodies[b].source, names, b), dof - body->v_index,
                    mobility_text(body->mobility), pivot, body->mass, body->inertia.m[0][0],
                    body->inertia.m[1][1], body->inertia.m[2][2],
                    floats ? "; it floats without mass: weld it to the world" : "");
}

static iso_status check_masses(iso_context* ctx, const iso_multibody* mb, const iso_mb_body* bodies,
                               const char* const* names) {
    iso_status status = ISO_OK;
    iso_arena arena = {.ctx = ctx};
    iso_kinematics kinematics;
    int dof = -1;
    double pivot = 0.0;
    double* q = iso_arena_push_array(&arena, mb->q_count, sizeof *q);
    double* v = iso_arena_push_array(&arena, mb->v_count, sizeof *v);
    ISO_CHECK(ctx, q && v, ISO_ERR_MEMORY, "%d coordinates", mb->q_count);
    ISO_TRY(iso_kinematics_push(mb, &arena, &kinematics));
    generic_q(mb, q);
    memset(v, 0, (size_t)mb->v_count * sizeof *v);
    iso_multibody_kinematics(mb, q, v, &kinematics);
    ISO_TRY(iso_multibody_find_massless(mb, &kinematics, &arena, &dof, &pivot));
    if (dof >= 0) {
        status = refuse_massless(ctx, mb, bodies, names, dof, pivot);
    }
done:
    iso_arena_destroy(&arena);
    return status;
}

iso_status iso_multibody_create(iso_context* ctx, const iso_mb_body* bodies, int body_count,
                                const char* const* names, iso_multibody* out_multibody) {
    ISO_REQUIRE(ctx, bodies && out_multibody, ISO_ERR_ARGUMENT,
                "bodies and out_multibody are required");
    memset(out_multibody, 0, sizeof *out_multibody);
    ISO_REQUIRE(ctx, body_count >= 1, ISO_ERR_ARGUMENT, "%d bodies, expected the world at least",
                body_count);
    iso_multibody mb = {.body_count = body_count};
    iso_status status = ISO_OK;
    mb.bodies = iso_alloc_array(ctx, body_count, sizeof *mb.bodies);
    ISO_CHECK(ctx, mb.bodies, ISO_ERR_MEMORY, "%d bodies", body_count);
    for (int b = 0; b < body_count; ++b) {
        ISO_TRY(check_body(ctx, bodies, b, names));
        copy_body(&bodies[b], &mb.bodies[b]);
    }
    ISO_TRY(number_trees(ctx, &mb));
    ISO_TRY(iso_multibody_find_constants(ctx, &mb));
    ISO_TRY(check_masses(ctx, &mb, bodies, names));
    *out_multibody = mb;

done:
    if (status != ISO_OK) {
        iso_multibody_destroy(ctx, &mb);
    }
    return status;
}

iso_status iso_multibody_vary_mass(iso_context* ctx, const iso_multibody* multibody, int body,
                                   double factor, iso_multibody* out_varied) {
    size_t count = (size_t)multibody->body_count;
    *out_varied = *multibody;
    out_varied->placements = NULL;
    out_varied->links = NULL;
    out_varied->link_of = out_varied->tree_link_index = NULL;
    out_varied->bodies = iso_alloc_array(ctx, multibody->body_count, sizeof *out_varied->bodies);
    iso_status status = out_varied->bodies ? ISO_OK : ISO_ERR_MEMORY;
    if (status == ISO_OK) {
        memcpy(out_varied->bodies, multibody->bodies, count * sizeof *multibody->bodies);
        iso_mb_body* own = &out_varied->bodies[body];
        own->mass *= factor;
        own->inertia = iso_mat3_scale(own->inertia, factor);
        status = iso_multibody_find_constants(ctx, out_varied);
    }
    if (status != ISO_OK) {
        iso_multibody_free_varied(ctx, out_varied);
    }
    return status;
}

void iso_multibody_free_varied(iso_context* ctx, iso_multibody* varied) {
    iso_free(ctx, varied->bodies);
    iso_free(ctx, varied->placements);
    iso_free(ctx, varied->links);
    iso_free(ctx, varied->link_of);
    iso_free(ctx, varied->tree_link_index);
    memset(varied, 0, sizeof *varied);
}

void iso_multibody_destroy(iso_context* ctx, iso_multibody* multibody) {
    if (!multibody) {
        return;
    }
    iso_free(ctx, multibody->bodies);
    iso_free(ctx, multibody->tree_v_index);
    iso_free(ctx, multibody->tree_m_index);
    iso_free(ctx, multibody->dof_body);
    iso_free(ctx, multibody->placements);
    iso_free(ctx, multibody->links);
    iso_free(ctx, multibody->link_of);
    iso_free(ctx, multibody->tree_link_index);
    memset(multibody, 0, sizeof *multibody);
}
