// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Values of all sensors but the tactile ones.

#include "task/sensors/sensors.h"

#include <string.h>

static double* put(double* out, iso_vec3 v) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    return out + 3;
}

double iso_sensor_side(const iso_sensor* sensor, const iso_contact* contact) {
    const iso_sensor_desc* d = &sensor->desc;
    for (int side = 0; side < 2; ++side) {
        int own = side == 0 ? contact->body_b : contact->body_a;
        int other = side == 0 ? contact->body_a : contact->body_b;
        const char* own_geometry = side == 0 ? contact->geometry_name_b : contact->geometry_name_a;
        const char* other_geometry =
            side == 0 ? contact->geometry_name_a : contact->geometry_name_b;
        if (own == sensor->body && (sensor->other_body < 0 || sensor->other_body == other) &&
            (!d->geometry || strcmp(d->geometry, own_geometry) == 0) &&
            (!d->other_geometry || strcmp(d->other_geometry, other_geometry) == 0)) {
            return side == 0 ? 1.0 : -1.0;
        }
    }
    return 0.0;
}

// Pose of S in W in the state of the loads.
static iso_pose sensor_pose(const iso_sensor* sensor, const iso_body_load* load) {
    return iso_pose_mul(&load->x_wb, &sensor->x_bs);
}

// Force, then moment about S, of the joint on its child or the opposite.
static void read_wrench(const iso_sensor* sensor, const iso_body_load* load, double* out) {
    iso_pose x_ws = sensor_pose(sensor, load);
    iso_spatial f = iso_spatial_shift_wrench(load->f_bm_w, iso_vec3_sub(x_ws.p, load->x_wm.p));
    f = iso_spatial_scale(f, sensor->desc.is_on_parent ? -1.0 : 1.0);
    out = put(out, iso_mat3_tmul_vec3(&x_ws.r, f.translational));
    put(out, iso_mat3_tmul_vec3(&x_ws.r, f.rotational));
}

static void read_joint(const iso_sensors* sensors, const iso_sensor* sensor, const iso_world* world,
                       double* out) {
    const iso_coordinates* c = &sensor->coordinates;
    for (int i = 0; i < c->q_count; ++i) {
        *out++ = sensors->q[c->q_index + i];
    }
    for (int i = 0; i < c->v_count; ++i) {
        *out++ = sensors->v[c->v_index + i];
    }
    *out++ = sensor->joint >= 0 ? iso_world_joint_effort(world, sensor->joint) : 0.0;
    read_wrench(sensor, &sensors->loads[sensor->body], out);
}

// Of the point of the body at p_w.
static iso_vec3 acceleration_at(const iso_body_load* load, iso_vec3 p_w) {
    iso_vec3 r = iso_vec3_sub(p_w, load->x_wb.p);
    iso_vec3 w = load->v_wb.rotational;
    iso_vec3 a = iso_spatial_shift_twist(load->a_wb, r).translational;
    return iso_vec3_add(a, iso_vec3_cross(w, iso_vec3_cross(w, r)));
}

static void read_acceleration(const iso_sensor* sensor, const iso_body_load* load, double* out) {
    out = put(out, acceleration_at(load, sensor_pose(sensor, load).p));
    put(out, load->a_wb.rotational);
}

static void read_imu(const iso_sensor* sensor, const iso_body_load* load, iso_vec3 gravity,
                     double* out) {
    iso_pose x_ws = sensor_pose(sensor, load);
    iso_vec3 w = load->v_wb.rotational;
    iso_vec3 a = acceleration_at(load, x_ws.p);
    out = put(out, iso_mat3_tmul_vec3(&x_ws.r, iso_vec3_sub(a, gravity)));
    put(out, iso_mat3_tmul_vec3(&x_ws.r, w));
}

// Twist of a frame fixed to a body: (angular; of the frame's origin) in W.
static iso_spatial frame_twist(const iso_world* world, int body, iso_vec3 p_w) {
    iso_vec3 r = iso_vec3_sub(p_w, iso_world_body_pose(world, body).p);
    return iso_spatial_shift_twist(iso_world_body_twist(world, body), r);
}

static void read_frame(const iso_sensor* sensor, const iso_world* world, double* out) {
    int reference = sensor->other_body >= 0 ? sensor->other_body : 0;
    iso_pose x_wb = iso_world_body_pose(world, sensor->body);
    iso_pose x_wo = iso_world_body_pose(world, reference);
    iso_pose x_ws = iso_pose_mul(&x_wb, &sensor->x_bs);
    iso_pose x_wr = iso_pose_mul(&x_wo, &sensor->desc.x_or);
    iso_pose x_rs = iso_pose_inverse_mul(&x_wr, &x_ws);
    // What R carries along at S is not motion as R sees it.
    iso_spatial v = iso_spatial_sub(frame_twist(world, sensor->body, x_ws.p),
                                    frame_twist(world, reference, x_ws.p));
    iso_quat turn = iso_quat_from_mat3(&x_rs.r);
    out = put(out, x_rs.p);
    *out++ = turn.w;
    *out++ = turn.x;
    *out++ = turn.y;
    *out++ = turn.z;
    out = put(out, iso_mat3_tmul_vec3(&x_wr.r, v.translational));
    put(out, iso_mat3_tmul_vec3(&x_wr.r, v.rotational));
}

static void read_velocity(const iso_sensor* sensor, const iso_world* world, double* out) {
    int reference = sensor->other_body >= 0 ? sensor->other_body : 0;
    iso_pose x_wb = iso_world_body_pose(world, sensor->body);
    iso_pose x_ws = iso_pose_mul(&x_wb, &sensor->x_bs);
    iso_spatial v = iso_spatial_sub(frame_twist(world, sensor->body, x_ws.p),
                                    frame_twist(world, reference, x_ws.p));
    out = put(out, iso_mat3_tmul_vec3(&x_ws.r, v.translational));
    put(out, iso_mat3_tmul_vec3(&x_ws.r, v.rotational));
}

static void read_subtree(const iso_sensor* sensor, const iso_world* world, double* out) {
    iso_subtree_motion motion = iso_world_subtree_motion(world, sensor->body);
    out = put(out, motion.p_wc);
    out = put(out, motion.v_wc);
    put(out, motion.h_c_w);
}

static void read_fixed_tendon(const iso_sensor* sensor, const iso_world* world, double* out) {
    iso_fixed_tendon_state tendon = iso_world_fixed_tendon(world, sensor->fixed_tendon);
    out[0] = tendon.length;
    out[1] = tendon.velocity;
    out[2] = tendon.passive_effort;
    out[3] = tendon.actuator_effort;
    out[4] = tendon.limit_effort;
}

static iso_status read_range(const iso_sensor* sensor, const iso_world* world, double* out) {
    iso_pose x_wb = iso_world_body_pose(world, sensor->body);
    iso_pose x_ws = iso_pose_mul(&x_wb, &sensor->x_bs);
    iso_world_ray_hit hit;
    iso_status status = iso_world_ray_cast(world, x_ws.p, iso_mat3_column(&x_ws.r, 2),
                                           sensor->desc.reach, sensor->body, &hit);
    out[0] = hit.body >= 0 ? hit.distance : -1.0;
    return status;
}

// Normal force of a contact, damping and adhesion included.
static double normal_force(const iso_contact* contact) {
    if (contact->manifold != ISO_MANIFOLD_PATCH) {
        return iso_vec3_dot(contact->f_b_w.translational, contact->normal);
    }
    double force = 0.0;
    for (int f = 0; f < contact->patch.face_count; ++f) {
        force += contact->patch.areas[f] *
                 iso_vec3_dot(contact->tractions[f], contact->patch.normals[f]);
    }
    return force;
}

// What the contacts of a sensor add up to.
typedef struct contact_sum {
    iso_pose x_ws;
    iso_spatial wrench; // on the body about S, in W
    iso_vec3 center;    // in S, times weight
    double area, normal, weight, top, count;
} contact_sum;

// A force on the body at p_w, `normal` of it along the normal.
static void add_load(contact_sum* sum, iso_spatial f_s_w, iso_vec3 p_w, double area,
                     double normal) {
    sum->wrench = iso_spatial_add(sum->wrench, f_s_w);
    sum->area += area;
    sum->normal += normal;
    sum->weight += fabs(normal);
    sum->center =
        iso_vec3_add_scaled(sum->center, iso_pose_inverse_point(&sum->x_ws, p_w), fabs(normal));
}

static void add_contact(contact_sum* sum, const iso_contact* contact, double side) {
    iso_vec3 p_wc = contact->patch.center_of_pressure;
    iso_spatial f = iso_spatial_shift_wrench(contact->f_b_w, iso_vec3_sub(sum->x_ws.p, p_wc));
    add_load(sum, iso_spatial_scale(f, side), p_wc, contact->patch.area, normal_force(contact));
    sum->top = fmax(sum->top, contact->patch.max_pressure);
    sum->count += 1.0;
}

// The faces of a contact in the sensor's zone, each with its force at its centroid.
static void add_faces(contact_sum* sum, const iso_sensor* sensor, const iso_contact* contact,
                      double side) {
    const iso_patch* patch = &contact->patch;
    bool is_any = false;
    for (int f = 0; f < patch->face_count; ++f) {
        iso_vec3 p_w = patch->centroids[f];
        iso_vec3 outward = iso_vec3_scale(patch->normals[f], -side);
        if (!iso_sensor_zone_is_met(&sensor->desc, iso_pose_inverse_point(&sum->x_ws, p_w),
                                    iso_mat3_tmul_vec3(&sum->x_ws.r, outward))) {
            continue;
        }
        double area = patch->areas[f];
        iso_spatial load = {iso_vec3_zero(), iso_vec3_scale(contact->tractions[f], side * area)};
        load = iso_spatial_shift_wrench(load, iso_vec3_sub(sum->x_ws.p, p_w));
        add_load(sum, load, p_w, iso_sensor_pressed_area(patch, f),
                 area * iso_vec3_dot(contact->tractions[f], patch->normals[f]));
        for (int i = patch->face_offsets[f]; i < patch->face_offsets[f + 1]; ++i) {
            sum->top = fmax(sum->top, patch->vertex_pressures[i]);
        }
        is_any = true;
    }
    sum->count += is_any ? 1.0 : 0.0;
}

// Whether the centre of a contact without faces is in the sensor's zone.
static bool is_center_met(const contact_sum* sum, const iso_sensor* sensor,
                          const iso_contact* contact, double side) {
    iso_vec3 p_s = iso_pose_inverse_point(&sum->x_ws, contact->patch.center_of_pressure);
    iso_vec3 outward = iso_vec3_scale(contact->normal, -side);
    return iso_sensor_zone_is_met(&sensor->desc, p_s, iso_mat3_tmul_vec3(&sum->x_ws.r, outward));
}

static void read_contact(const iso_sensor* sensor, const iso_world* world,
                         const iso_body_load* load, double* out) {
    contact_sum sum = {.x_ws = sensor_pose(sensor, load), .wrench = iso_spatial_zero()};
    for (int i = 0; i < iso_world_contact_count(world); ++i) {
        iso_contact contact = iso_world_contact(world, i);
        double side = iso_sensor_side(sensor, &contact);
        if (side == 0.0) {
            continue;
        }
        if (sensor->desc.zone == ISO_ZONE_ALL || (contact.manifold != ISO_MANIFOLD_PATCH &&
                                                  is_center_met(&sum, sensor, &contact, side))) {
            add_contact(&sum, &contact, side);
        } else {
            add_faces(&sum, sensor, &contact, side);
        }
    }
    iso_vec3 center = iso_vec3_scale(sum.center, 1.0 / (sum.weight > 0.0 ? sum.weight : 1.0));
    out = put(out, iso_mat3_tmul_vec3(&sum.x_ws.r, sum.wrench.translational));
    out = put(out, iso_mat3_tmul_vec3(&sum.x_ws.r, sum.wrench.rotational));
    *out++ = sum.area;
    *out++ = sum.area > 0.0 ? sum.normal / sum.area : 0.0;
    *out++ = sum.top;
    out = put(out, sum.weight > 0.0 ? center : iso_vec3_zero());
    *out = sum.count;
}

static iso_status read_sensor(iso_sensors* sensors, const iso_sensor* sensor, iso_world* world) {
    const iso_body_load* load = &sensors->loads[sensor->body];
    double* out = sensors->values + sensor->value_index;
    switch (sensor->desc.kind) {
    case ISO_SENSOR_JOINT:
        read_joint(sensors, sensor, world, out);
        break;
    case ISO_SENSOR_FORCE_TORQUE:
        read_wrench(sensor, load, out);
        break;
    case ISO_SENSOR_CONTACT:
        read_contact(sensor, world, load, out);
        break;
    case ISO_SENSOR_TACTILE: {
        iso_pose x_ws = sensor_pose(sensor, load);
        iso_status status = iso_sensor_read_tactile(sensors, sensor, world, &x_ws, out);
        return status == ISO_OK ? iso_sensor_read_taxels(sensors, sensor, world, out) : status;
    }
    case ISO_SENSOR_IMU:
        read_imu(sensor, load, iso_world_settings(world)->gravity, out);
        break;
    case ISO_SENSOR_FRAME:
        read_frame(sensor, world, out);
        break;
    case ISO_SENSOR_VELOCITY:
        read_velocity(sensor, world, out);
        break;
    case ISO_SENSOR_SUBTREE:
        read_subtree(sensor, world, out);
        break;
    case ISO_SENSOR_FIXED_TENDON:
        read_fixed_tendon(sensor, world, out);
        break;
    case ISO_SENSOR_RANGE:
        return read_range(sensor, world, out);
    case ISO_SENSOR_ACCELERATION:
        read_acceleration(sensor, load, out);
        break;
    }
    return ISO_OK;
}

iso_status iso_sensors_update(iso_sensors* sensors, iso_world* world) {
    ISO_REQUIRE(sensors ? sensors->ctx : NULL, sensors && world, ISO_ERR_ARGUMENT,
                "sensors and world are required");
    ISO_REQUIRE(sensors->ctx,
                sensors->body_count == iso_world_body_count(world) &&
                    sensors->q_count == iso_world_q_count(world) &&
                    sensors->v_count == iso_world_v_count(world),
                ISO_ERR_ARGUMENT, "the sensors were made for another world");
    iso_status status = ISO_OK;
    ISO_TRY(iso_world_body_loads(world, sensors->loads));
    ISO_TRY(iso_world_get_state(world, sensors->q, sensors->v));
    for (int i = 0; i < sensors->count; ++i) {
        ISO_TRY(read_sensor(sensors, &sensors->sensors[i], world));
    }
done:
    return status;
}
