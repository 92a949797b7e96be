// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "volume/solids/force.h"

double iso_volume_pair_stiffness(double stiffness_a, double stiffness_b) {
    return 1.0 / (1.0 / stiffness_a + 1.0 / stiffness_b);
}

double iso_volume_share_of_a(double stiffness_a, double stiffness_b) {
    double soft_a = 1.0 / stiffness_a, soft_b = 1.0 / stiffness_b, both = soft_a + soft_b;
    return both > 0.0 ? soft_a / both : 0.5;
}

iso_volume_motion iso_volume_motion_of(const iso_volume_metrics* metrics,
                                       const iso_volume_normal* normal, const iso_spatial* v_wa,
                                       iso_vec3 p_wa, const iso_spatial* v_wb, iso_vec3 p_wb) {
    iso_spatial a = iso_spatial_shift_twist(*v_wa, iso_vec3_sub(metrics->centroid, p_wa));
    iso_spatial b = iso_spatial_shift_twist(*v_wb, iso_vec3_sub(metrics->centroid, p_wb));
    iso_vec3 n = normal->direction;
    iso_volume_motion m;
    m.velocity = iso_vec3_sub(b.translational, a.translational);
    m.spin = iso_vec3_sub(b.rotational, a.rotational);
    m.speed_apart = iso_vec3_dot(n, m.velocity);
    m.speed_of_spin = iso_vec3_dot(n, m.spin);
    m.slip = iso_vec3_add_scaled(m.velocity, n, -m.speed_apart);
    m.rolling = iso_vec3_add_scaled(m.spin, n, -m.speed_of_spin);
    m.gyration = normal->gyration;
    double turning = m.gyration * m.speed_of_spin;
    m.surface_speed = sqrt(iso_vec3_norm_squared(m.slip) + turning * turning);
    return m;
}

double iso_volume_touch_speed(const iso_volume_metrics* metrics, double approach_speed,
                              double approach_acceleration) {
    double area = iso_vec3_norm(metrics->area);
    double depth = area > 0.0 ? 2.0 * metrics->volume / area : 0.0;
    double square = approach_speed * approach_speed - 2.0 * approach_acceleration * depth;
    return approach_speed > 0.0 && square > 0.0 ? sqrt(square) : 0.0;
}

void iso_volume_begin(iso_volume_memory* memory, const iso_volume_metrics* metrics,
                      double approach_speed, bool is_late) {
    memory->is_touching = true;
    memory->impact_speed = approach_speed > 0.0 ? approach_speed : 0.0;
    memory->offset = is_late ? metrics->volume : 0.0;
    memory->normal = iso_vec3_zero();
}

void iso_volume_end(iso_volume_memory* memory) {
    *memory = (iso_volume_memory){0};
}

void iso_volume_relax(const iso_volume_law* law, iso_volume_memory* memory, double dt) {
    memory->offset *= exp(-dt / law->relax_time);
}

// The part of a symmetric matrix along a plate.
static iso_mat3 along_plate(const iso_mat3* a, iso_vec3 n) {
    iso_mat3 t = iso_mat3_outer(n, n);
    t = iso_mat3_add(iso_mat3_identity(), iso_mat3_scale(t, -1.0));
    return iso_mat3_mul(t, iso_mat3_mul(*a, t));
}

// -k_v A / v T J T w, as far as springs that only push may have it: what they press is centred on
// the plate, whose half length is sqrt(3) radii of gyration.
static iso_vec3 resist_rolling(const iso_volume_metrics* metrics, iso_vec3 n, iso_vec3 spin,
                               double damping, double normal_force) {
    iso_mat3 inertia = along_plate(&metrics->inertia, n);
    iso_vec3 turning = iso_mat3_mul_vec3(&inertia, spin);
    double moment = damping * iso_vec3_norm(turning), speed = iso_vec3_norm(spin);
    double by_spin = iso_vec3_dot(spin, turning);
    if (!(moment > 0.0 && by_spin > 0.0)) {
        return iso_vec3_zero();
    }
    double most = normal_force * sqrt(3.0 * by_spin / metrics->volume) / speed;
    return iso_vec3_scale(turning, -damping * (moment > most ? most / moment : 1.0));
}

iso_volume_force iso_volume_force_of(const iso_volume_law* law, const iso_volume_memory* memory,
                                     const iso_volume_metrics* metrics,
                                     const iso_volume_normal* normal,
                                     const iso_volume_motion* motion) {
    iso_volume_force f = {0};
    double pressing = metrics->volume - memory->offset;
    double impact = memory->impact_speed;
    double damping = law->damping_share / (impact > law->slow_speed ? impact : law->slow_speed);
    double factor = 1.0 - damping * motion->speed_apart;
    if (!(pressing > 0.0) || !(factor > 0.0) || normal->status == ISO_VOLUME_NORMAL_NONE) {
        return f;
    }
    f.elastic_force = law->stiffness * pressing;
    f.normal_force = f.elastic_force * factor;
    f.rolling = resist_rolling(metrics, normal->direction, motion->rolling,
                               law->stiffness * damping, f.normal_force);
    return f;
}

iso_volume_friction iso_volume_coulomb(double friction, double least_speed,
                                       const iso_volume_normal* normal,
                                       const iso_volume_motion* motion) {
    double speed = motion->surface_speed > least_speed ? motion->surface_speed : least_speed;
    return iso_volume_viscous(speed > 0.0 ? friction / speed : 0.0, normal, motion);
}

iso_volume_friction iso_volume_viscous(double friction, const iso_volume_normal* normal,
                                       const iso_volume_motion* motion) {
    double r2 = normal->gyration * normal->gyration;
    iso_volume_friction out;
    out.traction = iso_vec3_scale(motion->slip, -friction);
    out.moment = -friction * r2 * motion->speed_of_spin;
    return out;
}

iso_spatial iso_volume_wrench(const iso_volume_force* force, const iso_volume_normal* normal,
                              const iso_volume_friction* friction) {
    double f = force->normal_force;
    iso_vec3 n = normal->direction;
    iso_vec3 moment = iso_vec3_add_scaled(force->rolling, n, f * friction->moment);
    iso_vec3 push = iso_vec3_scale(friction->traction, f);
    return iso_spatial_make(moment, iso_vec3_add_scaled(push, n, f));
}
