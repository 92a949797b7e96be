// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "isobar/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Half the circumference of the unit circle.
#define ISO_PI 3.14159265358979323846

/// Vector of three components; unit and frame by the name of the variable that holds it.
typedef struct iso_vec3 {
    double x, y, z;
} iso_vec3;

/// Unit quaternion w + xi + yj + zk.
typedef struct iso_quat {
    double w, x, y, z;
} iso_quat;

/// 3x3 matrix, row major: m[row][column].
typedef struct iso_mat3 {
    double m[3][3];
} iso_mat3;

/// Rigid pose x_ab: p_a = r * p_b + p. r is a rotation, p the origin of B in A [m].
typedef struct iso_pose {
    iso_mat3 r;
    iso_vec3 p;
} iso_pose;

/// Spatial vector (rotational; translational). A twist is (angular velocity [rad/s]; velocity of a
/// stated point [m/s]); a wrench is (moment about a stated point [N m]; force [N]).
typedef struct iso_spatial {
    iso_vec3 rotational;
    iso_vec3 translational;
} iso_spatial;

/// (x, y, z)
static inline iso_vec3 iso_vec3_make(double x, double y, double z) {
    iso_vec3 r = {x, y, z};
    return r;
}
/// (0, 0, 0)
static inline iso_vec3 iso_vec3_zero(void) {
    return iso_vec3_make(0.0, 0.0, 0.0);
}
/// a + b
static inline iso_vec3 iso_vec3_add(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
/// a - b
static inline iso_vec3 iso_vec3_sub(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
/// -a
static inline iso_vec3 iso_vec3_neg(iso_vec3 a) {
    return iso_vec3_make(-a.x, -a.y, -a.z);
}
/// s a
static inline iso_vec3 iso_vec3_scale(iso_vec3 a, double s) {
    return iso_vec3_make(a.x * s, a.y * s, a.z * s);
}
/// a + s b
static inline iso_vec3 iso_vec3_add_scaled(iso_vec3 a, iso_vec3 b, double s) {
    return iso_vec3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
/// Component-wise product.
static inline iso_vec3 iso_vec3_mul(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}
/// a . b
static inline double iso_vec3_dot(iso_vec3 a, iso_vec3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
/// a x b
static inline iso_vec3 iso_vec3_cross(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/// |a|^2
static inline double iso_vec3_norm_squared(iso_vec3 a) {
    return iso_vec3_dot(a, a);
}
/// |a|
static inline double iso_vec3_norm(iso_vec3 a) {
    return sqrt(iso_vec3_dot(a, a));
}
/// |a - b|
static inline double iso_vec3_distance(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_norm(iso_vec3_sub(a, b));
}
/// a / |a|; zero stays zero.
static inline iso_vec3 iso_vec3_normalized(iso_vec3 a) {
    double norm = iso_vec3_norm(a);
    return norm > 0.0 ? iso_vec3_scale(a, 1.0 / norm) : a;
}
/// a without its part along the unit vector n: a - (a . n) n
static inline iso_vec3 iso_vec3_tangential(iso_vec3 a, iso_vec3 n) {
    return iso_vec3_add_scaled(a, n, -iso_vec3_dot(a, n));
}
/// Component-wise minimum.
static inline iso_vec3 iso_vec3_min(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_make(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
/// Component-wise maximum.
static inline iso_vec3 iso_vec3_max(iso_vec3 a, iso_vec3 b) {
    return iso_vec3_make(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
/// a + t (b - a)
static inline iso_vec3 iso_vec3_lerp(iso_vec3 a, iso_vec3 b, double t) {
    return iso_vec3_add_scaled(a, iso_vec3_sub(b, a), t);
}
/// Neither NaN nor infinity in any component.
static inline bool iso_vec3_is_finite(iso_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}
/// Component by index 0..2.
static inline double iso_vec3_get(iso_vec3 a, int index) {
    return index == 0 ? a.x : (index == 1 ? a.y : a.z);
}

/// Identity matrix.
static inline iso_mat3 iso_mat3_identity(void) {
    iso_mat3 r = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    return r;
}
/// Zero matrix.
static inline iso_mat3 iso_mat3_zero(void) {
    iso_mat3 r = {{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    return r;
}
/// Diagonal matrix.
static inline iso_mat3 iso_mat3_diagonal(double a, double b, double c) {
    iso_mat3 r = {{{a, 0.0, 0.0}, {0.0, b, 0.0}, {0.0, 0.0, c}}};
    return r;
}
/// Matrix with these columns.
static inline iso_mat3 iso_mat3_from_columns(iso_vec3 a, iso_vec3 b, iso_vec3 c) {
    iso_mat3 r = {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
    return r;
}
/// Column 0..2 of a matrix.
static inline iso_vec3 iso_mat3_column(const iso_mat3* a, int column) {
    return iso_vec3_make(a->m[0][column], a->m[1][column], a->m[2][column]);
}
/// a^T
static inline iso_mat3 iso_mat3_transpose(iso_mat3 a) {
    iso_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = a.m[j][i];
        }
    }
    return r;
}
/// a + b
static inline iso_mat3 iso_mat3_add(iso_mat3 a, iso_mat3 b) {
    iso_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = a.m[i][j] + b.m[i][j];
        }
    }
    return r;
}
/// s a
static inline iso_mat3 iso_mat3_scale(iso_mat3 a, double s) {
    iso_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = a.m[i][j] * s;
        }
    }
    return r;
}
/// Matrix product a b.
static inline iso_mat3 iso_mat3_mul(iso_mat3 a, iso_mat3 b) {
    iso_mat3 r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return r;
}
/// a v
static inline iso_vec3 iso_mat3_mul_vec3(const iso_mat3* a, iso_vec3 v) {
    return iso_vec3_make(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                         a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                         a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}
/// transpose(a) * v
static inline iso_vec3 iso_mat3_tmul_vec3(const iso_mat3* a, iso_vec3 v) {
    return iso_vec3_make(a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                         a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                         a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z);
}
/// a b^T
static inline iso_mat3 iso_mat3_outer(iso_vec3 a, iso_vec3 b) {
    iso_mat3 r = {{{a.x * b.x, a.x * b.y, a.x * b.z},
                   {a.y * b.x, a.y * b.y, a.y * b.z},
                   {a.z * b.x, a.z * b.y, a.z * b.z}}};
    return r;
}
/// Cross-product matrix: iso_mat3_skew(a) * b = a x b
static inline iso_mat3 iso_mat3_skew(iso_vec3 a) {
    iso_mat3 r = {{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
    return r;
}
/// Inertia of a point mass at p about the origin, m (p.p 1 - p p^T): what an inertia gains when it
/// is taken about a point p away from the centre of mass. Symmetric to the bit. [kg m^2]
static inline iso_mat3 iso_mat3_point_inertia(double mass, iso_vec3 p) {
    iso_vec3 mp = iso_vec3_scale(p, mass);
    double xx = mp.x * p.x, yy = mp.y * p.y, zz = mp.z * p.z;
    double xy = -mp.x * p.y, xz = -mp.x * p.z, yz = -mp.y * p.z;
    iso_mat3 r = {{{yy + zz, xy, xz}, {xy, xx + zz, yz}, {xz, yz, xx + yy}}};
    return r;
}
/// Determinant.
static inline double iso_mat3_determinant(const iso_mat3* a) {
    return a->m[0][0] * (a->m[1][1] * a->m[2][2] - a->m[1][2] * a->m[2][1]) -
           a->m[0][1] * (a->m[1][0] * a->m[2][2] - a->m[1][2] * a->m[2][0]) +
           a->m[0][2] * (a->m[1][0] * a->m[2][1] - a->m[1][1] * a->m[2][0]);
}

/// No rotation.
static inline iso_quat iso_quat_identity(void) {
    iso_quat q = {1.0, 0.0, 0.0, 0.0};
    return q;
}
/// w + xi + yj + zk, not normalised.
static inline iso_quat iso_quat_make(double w, double x, double y, double z) {
    iso_quat q = {w, x, y, z};
    return q;
}
/// Product a b: rotate by b, then by a.
static inline iso_quat iso_quat_mul(iso_quat a, iso_quat b) {
    return iso_quat_make(a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                         a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                         a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                         a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w);
}
/// q / |q|; the zero quaternion becomes the identity.
static inline iso_quat iso_quat_normalized(iso_quat q) {
    double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(norm > 0.0)) {
        return iso_quat_identity();
    }
    double s = 1.0 / norm;
    return iso_quat_make(q.w * s, q.x * s, q.y * s, q.z * s);
}
/// Rotation by |v| radians about v (exponential map), accurate for small |v|.
static inline iso_quat iso_quat_from_rotation_vector(iso_vec3 v) {
    double angle = iso_vec3_norm(v);
    double half = 0.5 * angle;
    double s = angle > 1e-8 ? sin(half) / angle : 0.5 - half * half / 12.0;
    return iso_quat_make(cos(half), v.x * s, v.y * s, v.z * s);
}
/// Rotation vector (axis times angle in [0, pi]) of a unit quaternion.
static inline iso_vec3 iso_quat_to_rotation_vector(iso_quat q) {
    double w = q.w < 0.0 ? -q.w : q.w;
    double s = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    double scale = s > 1e-9 ? 2.0 * atan2(s, w) / s : 2.0;
    scale = q.w < 0.0 ? -scale : scale;
    return iso_vec3_make(scale * q.x, scale * q.y, scale * q.z);
}
/// Rotation matrix of a unit quaternion.
static inline iso_mat3 iso_mat3_from_quat(iso_quat q) {
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    iso_mat3 r = {{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                   {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                   {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
    return r;
}
/// Unit quaternion with w >= 0 of a rotation matrix.
static inline iso_quat iso_quat_from_mat3(const iso_mat3* r) {
    double t = r->m[0][0] + r->m[1][1] + r->m[2][2];
    iso_quat q;
    if (t > 0.0) {
        q = iso_quat_make(1.0 + t, r->m[2][1] - r->m[1][2], r->m[0][2] - r->m[2][0],
                          r->m[1][0] - r->m[0][1]);
    } else if (r->m[0][0] >= r->m[1][1] && r->m[0][0] >= r->m[2][2]) {
        q = iso_quat_make(r->m[2][1] - r->m[1][2], 1.0 + r->m[0][0] - r->m[1][1] - r->m[2][2],
                          r->m[0][1] + r->m[1][0], r->m[0][2] + r->m[2][0]);
    } else if (r->m[1][1] >= r->m[2][2]) {
        q = iso_quat_make(r->m[0][2] - r->m[2][0], r->m[0][1] + r->m[1][0],
                          1.0 - r->m[0][0] + r->m[1][1] - r->m[2][2], r->m[1][2] + r->m[2][1]);
    } else {
        q = iso_quat_make(r->m[1][0] - r->m[0][1], r->m[0][2] + r->m[2][0], r->m[1][2] + r->m[2][1],
                          1.0 - r->m[0][0] - r->m[1][1] + r->m[2][2]);
    }
    q = iso_quat_normalized(q);
    return q.w < 0.0 ? iso_quat_make(-q.w, -q.x, -q.y, -q.z) : q;
}
/// Rotation Rz(yaw) Ry(pitch) Rx(roll), the convention of URDF and SDFormat [rad].
static inline iso_mat3 iso_mat3_from_rpy(double roll, double pitch, double yaw) {
    double cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch);
    double cy = cos(yaw), sy = sin(yaw);
    iso_mat3 r = {{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                   {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                   {-sp, cp * sr, cp * cr}}};
    return r;
}
/// Rotation by angle [rad] about a unit axis.
static inline iso_mat3 iso_mat3_from_axis_angle(iso_vec3 axis, double angle) {
    return iso_mat3_from_quat(
        iso_quat_normalized(iso_quat_from_rotation_vector(iso_vec3_scale(axis, angle))));
}

/// Pose of coinciding frames.
static inline iso_pose iso_pose_identity(void) {
    iso_pose x = {iso_mat3_identity(), {0.0, 0.0, 0.0}};
    return x;
}
/// Pose of a rotation matrix and a position.
static inline iso_pose iso_pose_make(iso_mat3 r, iso_vec3 p) {
    iso_pose x = {r, p};
    return x;
}
/// Pose of a quaternion (normalised here) and a position.
static inline iso_pose iso_pose_from_quat(iso_quat q, iso_vec3 p) {
    return iso_pose_make(iso_mat3_from_quat(iso_quat_normalized(q)), p);
}
/// Pose without rotation.
static inline iso_pose iso_pose_from_position(iso_vec3 p) {
    return iso_pose_make(iso_mat3_identity(), p);
}
/// x_ac = x_ab * x_bc
static inline iso_pose iso_pose_mul(const iso_pose* x_ab, const iso_pose* x_bc) {
    return iso_pose_make(iso_mat3_mul(x_ab->r, x_bc->r),
                         iso_vec3_add(x_ab->p, iso_mat3_mul_vec3(&x_ab->r, x_bc->p)));
}
/// x_ba
static inline iso_pose iso_pose_inverse(const iso_pose* x_ab) {
    iso_mat3 rt = iso_mat3_transpose(x_ab->r);
    return iso_pose_make(rt, iso_vec3_neg(iso_mat3_mul_vec3(&rt, x_ab->p)));
}
/// x_bc = inverse(x_ab) * x_ac
static inline iso_pose iso_pose_inverse_mul(const iso_pose* x_ab, const iso_pose* x_ac) {
    return iso_pose_make(iso_mat3_mul(iso_mat3_transpose(x_ab->r), x_ac->r),
                         iso_mat3_tmul_vec3(&x_ab->r, iso_vec3_sub(x_ac->p, x_ab->p)));
}
/// Position in A of a point given in B.
static inline iso_vec3 iso_pose_point(const iso_pose* x_ab, iso_vec3 p_b) {
    return iso_vec3_add(iso_mat3_mul_vec3(&x_ab->r, p_b), x_ab->p);
}
/// Position in B of a point given in A.
static inline iso_vec3 iso_pose_inverse_point(const iso_pose* x_ab, iso_vec3 p_a) {
    return iso_mat3_tmul_vec3(&x_ab->r, iso_vec3_sub(p_a, x_ab->p));
}
/// Neither NaN nor infinity anywhere.
static inline bool iso_pose_is_finite(const iso_pose* x) {
    return iso_vec3_is_finite(x->p) && iso_vec3_is_finite(iso_mat3_column(&x->r, 0)) &&
           iso_vec3_is_finite(iso_mat3_column(&x->r, 1)) &&
           iso_vec3_is_finite(iso_mat3_column(&x->r, 2));
}
/// How far a rotation is from one: the largest element of r^T r - 1; INFINITY of a reflection and
/// where the pose is not finite.
static inline double iso_pose_gap(const iso_pose* x) {
    iso_mat3 product = iso_mat3_mul(iso_mat3_transpose(x->r), x->r);
    double gap = 0.0;
    for (int i = 0; i < 9; ++i) {
        gap = fmax(gap, fabs(product.m[i / 3][i % 3] - (i % 4 == 0 ? 1.0 : 0.0)));
    }
    return iso_pose_is_finite(x) && iso_mat3_determinant(&x->r) > 0.0 ? gap : INFINITY;
}
/// Everything finite, the rotation orthonormal within 1e-6 and no reflection.
static inline bool iso_pose_is_rigid(const iso_pose* x) {
    return iso_pose_gap(x) < 1e-6;
}

/// (rotational; translational)
static inline iso_spatial iso_spatial_make(iso_vec3 rotational, iso_vec3 translational) {
    iso_spatial s = {rotational, translational};
    return s;
}
/// (0; 0)
static inline iso_spatial iso_spatial_zero(void) {
    return iso_spatial_make(iso_vec3_zero(), iso_vec3_zero());
}
/// a + b
static inline iso_spatial iso_spatial_add(iso_spatial a, iso_spatial b) {
    return iso_spatial_make(iso_vec3_add(a.rotational, b.rotational),
                            iso_vec3_add(a.translational, b.translational));
}
/// a - b
static inline iso_spatial iso_spatial_sub(iso_spatial a, iso_spatial b) {
    return iso_spatial_make(iso_vec3_sub(a.rotational, b.rotational),
                            iso_vec3_sub(a.translational, b.translational));
}
/// s a
static inline iso_spatial iso_spatial_scale(iso_spatial a, double s) {
    return iso_spatial_make(iso_vec3_scale(a.rotational, s), iso_vec3_scale(a.translational, s));
}
/// Power of a wrench on a twist, both about the same point [W].
static inline double iso_spatial_dot(iso_spatial a, iso_spatial b) {
    return iso_vec3_dot(a.rotational, b.rotational) +
           iso_vec3_dot(a.translational, b.translational);
}
/// Twist of the same rigid body at point Q, given the twist at P and p_pq.
static inline iso_spatial iso_spatial_shift_twist(iso_spatial v_p, iso_vec3 p_pq) {
    return iso_spatial_make(v_p.rotational,
                            iso_vec3_add(v_p.translational, iso_vec3_cross(v_p.rotational, p_pq)));
}
/// Wrench about point Q, given the wrench about P and p_pq.
static inline iso_spatial iso_spatial_shift_wrench(iso_spatial f_p, iso_vec3 p_pq) {
    return iso_spatial_make(iso_vec3_sub(f_p.rotational, iso_vec3_cross(p_pq, f_p.translational)),
                            f_p.translational);
}

#ifdef __cplusplus
}
#endif
