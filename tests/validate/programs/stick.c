// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A cylinder that stands on the ground (1 kg, radius and height 0.05 m, friction 0.5) under a
// constant force along x and a torque about the vertical, both given as shares of what the patch
// holds alone; `share` is where the pair lies relative to the exact Coulomb limit surface of the
// patch that the program finds, at the smallest normal force of the run.
//     stick FORCE TORQUE SECONDS VIBRATION(share of the weight, 10 Hz) COMPLIANT(0|1)
// Prints one line of JSON: mean drift of the second half [m/s], largest of translation and rim.

#include "isobar/isobar.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define RADIUS 0.05
#define HEIGHT 0.05
#define MASS 1.0
#define GRAVITY 9.81
#define MU 0.5

static void check(iso_context* ctx, iso_status status) {
    if (status != ISO_OK) {
        fprintf(stderr, "%s\n", iso_context_error(ctx));
        exit(1);
    }
}

static iso_world* make_world(iso_context* ctx, bool is_ground_soft) {
    iso_model* model = NULL;
    check(ctx, iso_model_create(ctx, &model));
    iso_body_desc body = iso_body_desc_default();
    body.name = "cylinder";
    body.mass = MASS;
    double side = MASS * (3.0 * RADIUS * RADIUS + HEIGHT * HEIGHT) / 12.0;
    body.inertia = iso_mat3_diagonal(side, side, 0.5 * MASS * RADIUS * RADIUS);
    int index = -1;
    check(ctx, iso_model_add_body(model, &body, &index));
    iso_geometry_desc desc = iso_geometry_desc_default();
    desc.name = "shape";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_CYLINDER);
    desc.shape.radius = RADIUS;
    desc.shape.length = HEIGHT;
    desc.material.compliance = ISO_COMPLIANCE_COMPLIANT;
    desc.material.modulus = 1e6;
    desc.material.resolution_hint = 0.02;
    desc.material.friction_static = desc.material.friction_dynamic = MU;
    check(ctx, iso_model_add_geometry(model, index, &desc, NULL));
    iso_pose pose = iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.5 * HEIGHT));
    check(ctx, iso_model_set_free_pose(model, index, &pose));
    desc.name = "ground";
    desc.shape = iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
    if (is_ground_soft) {
        desc.material.slab_thickness = 0.05;
    } else {
        desc.material.compliance = ISO_COMPLIANCE_RIGID;
    }
    check(ctx, iso_model_add_geometry(model, ISO_WORLD_BODY, &desc, NULL));
    iso_world* world = NULL;
    iso_world_desc settings = iso_world_desc_default();
    check(ctx, iso_world_create(ctx, model, &settings, &world));
    iso_model_destroy(model);
    return world;
}

// Power that friction takes when the patch slips with speed u along x and spin w: the support
// function of the limit surface.
static double dissipation(const iso_patch* patch, double u, double w) {
    double sum = 0.0;
    for (int f = 0; f < patch->face_count; ++f) {
        double x = patch->centroids[f].x, y = patch->centroids[f].y;
        double force = MU * patch->areas[f] * fmax(patch->pressures[f], 0.0);
        sum += force * hypot(u - w * y, w * x);
    }
    return sum;
}

// Largest factor by which (force, torque) may be multiplied: min of dissipation over slips with
// unit power.
static double find_limit(const iso_patch* patch, double force, double torque) {
    double best = INFINITY;
    double size = hypot(force, torque / RADIUS);
    for (int i = 0; i < 20000; ++i) {
        double angle = ISO_PI * (i / 10000.0 - 1.0);
        double u = cos(angle), w = sin(angle) / RADIUS;
        double power = force * u + torque * w;
        if (power > 1e-9 * size) {
            best = fmin(best, dissipation(patch, u, w) / power);
        }
    }
    return best;
}

typedef struct load {
    double force, torque, vibration;
} load;

static void step(iso_context* ctx, iso_world* world, const load* l, double factor) {
    int body = iso_world_find_body(world, "cylinder");
    double weight =
        MASS * GRAVITY * l->vibration * sin(2.0 * ISO_PI * 10.0 * iso_world_time(world));
    // Forces act in the plane of the ground.
    double f = factor * l->force * MU * MASS * GRAVITY;
    double t = factor * l->torque * (2.0 / 3.0) * MU * MASS * GRAVITY * RADIUS;
    double arm = iso_world_body_pose(world, body).p.z;
    iso_spatial wrench =
        iso_spatial_make(iso_vec3_make(0.0, -arm * f, t), iso_vec3_make(f, 0.0, -weight));
    check(ctx, iso_world_apply_wrench(world, body, wrench));
    check(ctx, iso_world_step(world));
}

int main(int argc, char** argv) {
    if (argc < 6) {
        fprintf(stderr, "stick FORCE TORQUE SECONDS VIBRATION COMPLIANT\n");
        return 2;
    }
    load l = {atof(argv[1]), atof(argv[2]), atof(argv[4])};
    iso_context* ctx = NULL;
    if (iso_context_create(NULL, &ctx) != ISO_OK) {
        return 1;
    }
    iso_world* world = make_world(ctx, atoi(argv[5]) != 0);
    load none = {0.0, 0.0, 0.0};
    for (int i = 0; i < 1000; ++i) {
        step(ctx, world, &none, 0.0);
    }
    double limit = find_limit(&(iso_patch){0}, 1.0, 0.0);
    if (iso_world_contact_count(world) > 0) {
        iso_contact contact = iso_world_contact(world, 0);
        limit = find_limit(&contact.patch, l.force * MU * MASS * GRAVITY,
                           l.torque * (2.0 / 3.0) * MU * MASS * GRAVITY * RADIUS);
    }
    double smallest = INFINITY; // normal force over the weight
    long steps = (long)(1000.0 * atof(argv[3]));
    double iterations = 0.0;
    iso_pose middle = iso_pose_identity();
    iso_energy energy = iso_world_energy(world);
    double work_before = energy.kinetic + energy.stretch - energy.actuation - energy.stretch_booked;
    int body = iso_world_find_body(world, "cylinder");
    for (long i = 0; i < steps; ++i) {
        double rise = i < 200 ? 0.005 * (double)(i + 1) : 1.0;
        step(ctx, world, &l, rise);
        if (iso_world_contact_count(world) > 0) {
            double force = fabs(iso_world_contact(world, 0).f_b_w.translational.z);
            smallest = fmin(smallest, force / (MASS * GRAVITY));
        }
        iterations += iso_world_step_report(world).iterations;
        if (i == steps / 2 - 1) {
            middle = iso_world_body_pose(world, body);
        }
    }
    iso_pose end = iso_world_body_pose(world, body);
    double seconds = 0.001 * (double)(steps - steps / 2);
    iso_mat3 turn = iso_mat3_mul(end.r, iso_mat3_transpose(middle.r));
    double spin = 0.5 * (turn.m[1][0] - turn.m[0][1]);
    double drift = fmax(hypot(end.p.x - middle.p.x, end.p.y - middle.p.y), RADIUS * fabs(spin));
    energy = iso_world_energy(world);
    printf("{\"share\": %.17g, \"drift\": %.17g, \"moved\": %.17g, \"iterations\": %.17g, "
           "\"stretch\": %.17g, \"booked\": %.17g, \"gain\": %.17g}\n",
           1.0 / (limit * smallest), drift / seconds, hypot(end.p.x, end.p.y),
           iterations / (double)steps, energy.stretch, energy.stretch_booked,
           energy.kinetic + energy.stretch - energy.actuation - energy.stretch_booked -
               work_before);
    iso_world_destroy(world);
    iso_context_destroy(ctx);
    return 0;
}
