// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "sweep/quantity.h"

#include <math.h>

// --- contacts of a body --------------------------------------------------------------------------

/// Sums over the faces of a contact.
typedef struct patch_sums {
    double normal;     ///< of the normal force [N]
    double tangential; ///< of the size of friction, face by face [N]
    double slip;       ///< mean speed of sliding, weighted by pressure [m/s]
} patch_sums;

// Speed of B along A at the centre of a contact without faces, belts apart.
static double point_slip(const iso_world* world, const iso_contact* contact) {
    const int bodies[2] = {contact->body_a, contact->body_b};
    iso_vec3 v[2], n = contact->normal, p = contact->patch.center_of_pressure;
    for (int i = 0; i < 2; ++i) {
        iso_pose x_wb = iso_world_body_pose(world, bodies[i]);
        iso_vec3 arm = iso_vec3_sub(p, x_wb.p);
        v[i] = iso_spatial_shift_twist(iso_world_body_twist(world, bodies[i]), arm).translational;
    }
    iso_vec3 slip = iso_vec3_sub(v[1], v[0]);
    return iso_vec3_norm(iso_vec3_add_scaled(slip, n, -iso_vec3_dot(slip, n)));
}

static patch_sums sum_faces(const iso_world* world, const iso_contact* contact) {
    patch_sums sums = {0.0, 0.0, 0.0};
    double weight = 0.0;
    if (contact->manifold != ISO_MANIFOLD_PATCH) {
        iso_vec3 force = contact->f_b_w.translational, n = contact->normal;
        sums.normal = iso_vec3_dot(force, n);
        sums.tangential = iso_vec3_norm(iso_vec3_add_scaled(force, n, -sums.normal));
        sums.slip = point_slip(world, contact);
        return sums;
    }
    for (int f = 0; f < contact->patch.face_count; ++f) {
        iso_vec3 force = iso_vec3_scale(contact->tractions[f], contact->patch.areas[f]);
        double normal = iso_vec3_dot(force, contact->patch.normals[f]);
        iso_vec3 friction = iso_vec3_sub(force, iso_vec3_scale(contact->patch.normals[f], normal));
        double load = fmax(contact->patch.pressures[f], 0.0) * contact->patch.areas[f];
        sums.normal += normal;
        sums.tangential += iso_vec3_norm(friction);
        sums.slip += load * iso_vec3_norm(contact->slip_velocities[f]);
        weight += load;
    }
    sums.slip = weight > 0.0 ? sums.slip / weight : 0.0;
    return sums;
}

static bool is_of(const iso_contact* contact, const iso_sweep_subject* subject) {
    bool is_a = contact->body_a == subject->index, is_b = contact->body_b == subject->index;
    int other = is_a ? contact->body_b : contact->body_a;
    return (is_a || is_b) && (subject->other < 0 || other == subject->other);
}

/// What is wanted of the contacts of a body, all at once.
typedef struct contact_sums {
    double normal, tangential, limit; ///< limit: friction times normal force [N]
    double slip;                      ///< fastest of the contacts [m/s]
    double area, pressure, extent;
    int count;
} contact_sums;

static contact_sums sum_contacts(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    contact_sums sums = {0};
    for (int i = 0; i < iso_world_contact_count(site->world); ++i) {
        iso_contact contact = iso_world_contact(site->world, i);
        if (!is_of(&contact, subject)) {
            continue;
        }
        patch_sums faces = sum_faces(site->world, &contact);
        sums.normal += faces.normal;
        sums.tangential += faces.tangential;
        sums.limit += iso_world_contact_friction(site->world, i) * fmax(faces.normal, 0.0);
        sums.slip = fmax(sums.slip, faces.slip);
        sums.area += contact.patch.area;
        sums.pressure = fmax(sums.pressure, contact.patch.max_pressure);
        sums.extent = fmax(sums.extent, fmax(contact.extent_a, contact.extent_b));
        ++sums.count;
    }
    return sums;
}

static double read_slip(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return sum_contacts(site, subject).slip;
}
static double read_margin(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    contact_sums sums = sum_contacts(site, subject);
    // What damping takes off the normal force in a step friction still had.
    return sums.limit > 0.0 ? fmax(1.0 - sums.tangential / sums.limit, 0.0) : (double)NAN;
}
static double read_force(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return sum_contacts(site, subject).normal;
}
static double read_friction(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return sum_contacts(site, subject).tangential;
}
static double read_area(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return sum_contacts(site, subject).area;
}
static double read_pressure(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return sum_contacts(site, subject).pressure;
}
static double read_extent(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return sum_contacts(site, subject).extent;
}
static double read_contacts(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return sum_contacts(site, subject).count;
}

// --- bodies and joints ---------------------------------------------------------------------------

static double read_x(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_world_body_pose(site->world, subject->index).p.x;
}
static double read_y(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_world_body_pose(site->world, subject->index).p.y;
}
static double read_z(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_world_body_pose(site->world, subject->index).p.z;
}
static double read_speed(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_vec3_norm(iso_world_body_twist(site->world, subject->index).translational);
}
static double read_spin(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_vec3_norm(iso_world_body_twist(site->world, subject->index).rotational);
}
static double read_position(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_world_joint_position(site->world, subject->index);
}
static double read_velocity(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_world_joint_velocity(site->world, subject->index);
}
static double read_effort(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_world_joint_effort(site->world, subject->index);
}

// --- sensors, programs, the world ----------------------------------------------------------------

static double read_sensor(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_sensors_values(site->sensors, subject->index)[subject->other];
}
static double read_done(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_task_program(site->task, site->world, subject->index).is_done ? 1.0 : 0.0;
}
static double read_step(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    return iso_task_program(site->task, site->world, subject->index).step;
}
static double read_kinetic(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    (void)subject;
    return iso_world_energy(site->world).kinetic;
}
static double read_heat(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    (void)subject;
    return iso_world_energy(site->world).friction;
}
static double read_passed(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    (void)subject;
    return iso_world_contact_passage(site->world).pair_count;
}
static double read_time(const iso_sweep_site* site, const iso_sweep_subject* subject) {
    (void)subject;
    return iso_world_time(site->world);
}

const iso_sweep_quantity k_iso_sweep_quantities[] = {
    {"slip", "m", ISO_SWEEP_OF_CONTACT, true, read_slip},
    {"slip_speed", "m/s", ISO_SWEEP_OF_CONTACT, false, read_slip},
    {"margin", "", ISO_SWEEP_OF_CONTACT, false, read_margin},
    {"force", "N", ISO_SWEEP_OF_CONTACT, false, read_force},
    {"friction_force", "N", ISO_SWEEP_OF_CONTACT, false, read_friction},
    {"area", "m^2", ISO_SWEEP_OF_CONTACT, false, read_area},
    {"pressure", "Pa", ISO_SWEEP_OF_CONTACT, false, read_pressure},
    {"extent", "", ISO_SWEEP_OF_CONTACT, false, read_extent},
    {"contacts", "", ISO_SWEEP_OF_CONTACT, false, read_contacts},
    {"x", "m", ISO_SWEEP_OF_BODY, false, read_x},
    {"y", "m", ISO_SWEEP_OF_BODY, false, read_y},
    {"z", "m", ISO_SWEEP_OF_BODY, false, read_z},
    {"speed", "m/s", ISO_SWEEP_OF_BODY, false, read_speed},
    {"spin", "rad/s", ISO_SWEEP_OF_BODY, false, read_spin},
    {"position", "rad or m", ISO_SWEEP_OF_JOINT, false, read_position},
    {"velocity", "rad/s or m/s", ISO_SWEEP_OF_JOINT, false, read_velocity},
    {"effort", "N m or N", ISO_SWEEP_OF_JOINT, false, read_effort},
    {"sensor", "", ISO_SWEEP_OF_SENSOR, false, read_sensor},
    {"done", "", ISO_SWEEP_OF_PROGRAM, false, read_done},
    {"step", "", ISO_SWEEP_OF_PROGRAM, false, read_step},
    {"kinetic", "J", ISO_SWEEP_OF_NOTHING, false, read_kinetic},
    {"heat", "J", ISO_SWEEP_OF_NOTHING, false, read_heat},
    {"passed", "", ISO_SWEEP_OF_NOTHING, false, read_passed},
    {"time", "s", ISO_SWEEP_OF_NOTHING, false, read_time},
};
const int k_iso_sweep_quantity_count =
    (int)(sizeof k_iso_sweep_quantities / sizeof k_iso_sweep_quantities[0]);
