// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "multibody/massless.h"

#include "base/core/fail.h"

#include <math.h>
#include <string.h>

// A joint moves inertia when what it moves is above this part of what was subtracted to find that:
// some hundred times what rounding leaves of zero.
#define SMALLEST_PIVOT 1e-13

/// Symmetric, of twists (rotational; translational) at a point, in the axes of W.
typedef struct form {
    double m[6][6];
} form;

/// A link with all that hangs on it, whose joints move as they like.
typedef struct articulated {
    form inertia; ///< [Featherstone2008] section 7.2
    form scale;   ///< of the numbers whose difference it is: its rounding errors over epsilon
} articulated;

static void add_form(form* sum, const form* more) {
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            sum->m[i][j] += more->m[i][j];
        }
    }
}

/// A^T f A, A from twists at a point to those at the end of an arm that starts there.
static form shift(const form* f, iso_vec3 arm) {
    const iso_mat3 skew = iso_mat3_skew(arm);
    form half = *f, out;
    for (int i = 0; i < 6; ++i) { // translational += rotational x arm
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                half.m[i][j] -= f->m[i][3 + k] * skew.m[k][j];
            }
        }
    }
    out = half;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 6; ++j) {
            for (int k = 0; k < 3; ++k) {
                out.m[i][j] -= half.m[3 + k][j] * skew.m[k][i];
            }
        }
    }
    return out;
}

static form form_of_link(const iso_mb_link* link, const iso_kinematics* kinematics) {
    const iso_pose* x_wb = &kinematics->x_wb[link->body];
    iso_mat3 turned =
        iso_mat3_mul(iso_mat3_mul(x_wb->r, link->inertia), iso_mat3_transpose(x_wb->r));
    form at_center = {{{0.0}}};
    for (int i = 0; i < 3; ++i) {
        memcpy(at_center.m[i], turned.m[i], sizeof turned.m[i]);
        at_center.m[3 + i][3 + i] = link->mass;
    }
    iso_vec3 center = iso_pose_point(x_wb, link->center);
    return shift(&at_center, iso_vec3_sub(center, kinematics->dof_point[link->v_index]));
}

static void apply(const form* f, const double* x, double* out) {
    for (int i = 0; i < 6; ++i) {
        out[i] = 0.0;
        for (int j = 0; j < 6; ++j) {
            out[i] += f->m[i][j] * x[j];
        }
    }
}

static double dot(const double* x, const double* y) {
    double sum = 0.0;
    for (int i = 0; i < 6; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

/// Let one degree of freedom move: with U = I s and d = s^T U, I becomes I - U U^T / d, and the
/// scale C becomes P^T C P + I, P = 1 - s U^T / d.
/// @param[out] out_pivot  d, the inertia that it moves
/// @return false when that is none
static bool release(articulated* a, iso_spatial axis, double rotor_inertia, double* out_pivot) {
    const double s[6] = {axis.rotational.x,    axis.rotational.y,    axis.rotational.z,
                         axis.translational.x, axis.translational.y, axis.translational.z};
    double u[6], c[6];
    apply(&a->inertia, s, u);
    apply(&a->scale, s, c);
    double pivot = dot(s, u) + rotor_inertia, size = dot(s, c) + rotor_inertia;
    *out_pivot = pivot;
    if (!(pivot > SMALLEST_PIVOT * size && isnormal(pivot))) {
        return false;
    }
    double twice = dot(s, c) / pivot;
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
            double both = u[i] * u[j] / pivot;
            a->scale.m[i][j] +=
                a->inertia.m[i][j] + both * twice - (c[i] * u[j] + u[i] * c[j]) / pivot;
            a->inertia.m[i][j] -= both;
        }
    }
    return true;
}

iso_status iso_multibody_find_massless(const iso_multibody* mb, const iso_kinematics* kinematics,
                                       iso_arena* work, int* out_dof, double* out_pivot) {
    *out_dof = -1;
    articulated* links = iso_arena_push_array(work, mb->link_count, sizeof *links);
    ISO_REQUIRE(work->ctx, links, ISO_ERR_MEMORY, "inertias of %d links", mb->link_count);
    for (int l = 0; l < mb->link_count; ++l) {
        links[l].inertia = form_of_link(&mb->links[l], kinematics);
        links[l].scale = links[l].inertia;
    }
    for (int l = mb->link_count - 1; l >= 0; --l) {
        const iso_mb_link* link = &mb->links[l];
        for (int k = link->v_index; k < link->v_end; ++k) {
            if (!release(&links[l], kinematics->dof_axis[k], link->rotor_inertia, out_pivot)) {
                *out_dof = k;
                return ISO_OK;
            }
        }
        if (link->parent >= 0) {
            int parent_dof = mb->links[link->parent].v_index;
            iso_vec3 arm = iso_vec3_sub(kinematics->dof_point[link->v_index],
                                        kinematics->dof_point[parent_dof]);
            form inertia = shift(&links[l].inertia, arm), scale = shift(&links[l].scale, arm);
            add_form(&links[link->parent].inertia, &inertia);
            add_form(&links[link->parent].scale, &scale);
        }
    }
    return ISO_OK;
}
