// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// A soft fruit in a rigid bowl: contact patch, force and stiffness at one pose, forces at a
// thousand poses, the distance of a point, a ray. No world, no time step.

#include "isobar/isobar.h"

#include <stdio.h>

#define RINGS 12
#define SECTORS 48
#define POSES 1000

/// The inside of half a sphere of 12 cm, open at the top; its centre is the origin.
static iso_status make_bowl(iso_context* ctx, iso_contact_shape** out_bowl) {
    static iso_vec3 vertices[(RINGS + 1) * SECTORS];
    static int triangles[2 * RINGS * SECTORS][3];
    for (int i = 0; i < (RINGS + 1) * SECTORS; ++i) {
        double tilt = 0.5 * ISO_PI * (i / SECTORS + 0.01) / (RINGS + 0.01);
        double turn = 2.0 * ISO_PI * (i % SECTORS) / SECTORS, r = 0.12 * sin(tilt);
        vertices[i] = iso_vec3_make(r * cos(turn), r * sin(turn), -0.12 * cos(tilt));
    }
    for (int i = 0; i < 2 * RINGS * SECTORS; ++i) {
        int a = i / 2, b = a % SECTORS == SECTORS - 1 ? a + 1 - SECTORS : a + 1;
        triangles[i][0] = a;
        triangles[i][1] = i % 2 ? b + SECTORS : a + SECTORS;
        triangles[i][2] = i % 2 ? b : b + SECTORS;
    }
    iso_tri_mesh mesh = {(RINGS + 1) * SECTORS, 2 * RINGS * SECTORS, vertices, triangles};
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_MESH);
    shape.surface = &mesh;
    iso_contact_material material = iso_contact_material_default();
    material.compliance = ISO_COMPLIANCE_RIGID;
    return iso_contact_shape_create(ctx, &shape, &material, out_bowl);
}

/// An ellipsoid of 4, 4 and 5 cm.
static iso_status make_fruit(iso_context* ctx, iso_contact_shape** out_fruit) {
    iso_shape_desc shape = iso_shape_desc_default(ISO_SHAPE_ELLIPSOID);
    shape.size = iso_vec3_make(0.04, 0.04, 0.05);
    iso_contact_material material = iso_contact_material_default();
    material.modulus = 1e5;
    material.resolution_hint = 0.015;
    return iso_contact_shape_create(ctx, &shape, &material, out_fruit);
}

static iso_status ask(iso_query* query, iso_contact_shape* bowl, iso_contact_shape* fruit) {
    // One pose: the fruit slides over the bottom of the bowl with 10 cm/s.
    iso_pose x_w_bowl = iso_pose_identity();
    iso_pose x_w_fruit = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -0.072));
    iso_query_motion motion = iso_query_motion_default();
    motion.p_wp = x_w_fruit.p;
    motion.v_ab.translational = iso_vec3_make(0.1, 0.0, 0.0);
    motion.wants_derivatives = true;
    iso_query_result r;
    iso_status status = iso_query_wrench(query, bowl, &x_w_bowl, fruit, &x_w_fruit, &motion, &r);
    if (status == ISO_OK) {
        iso_vec3 f = r.f_bp_w.translational, c = r.patch.center_of_pressure;
        printf("%d faces, %.0f mm^2, force (%.3f, %.3f, %.3f) N at (%.2f, %.2f, %.2f) mm\n",
               r.patch.face_count, 1e6 * r.patch.area, f.x, f.y, f.z, 1e3 * c.x, 1e3 * c.y,
               1e3 * c.z);
        printf("%.3g J stored, %.0f N/m stiff downwards\n", r.elastic_energy,
               r.elastic_stiffness[5][5]);
    }

    // A thousand tilts and depths, over the query's threads.
    static iso_pose poses[POSES];
    static iso_query_summary summaries[POSES];
    for (int i = 0; i < POSES; ++i) {
        poses[i].r = iso_mat3_from_rpy(3.0 * i / POSES, 0.0, 0.0);
        poses[i].p = iso_vec3_make(0.0, 0.0, -0.072 - 0.01 * i / POSES);
    }
    if (status == ISO_OK) {
        status = iso_query_batch(query, bowl, fruit, poses, POSES, summaries);
    }
    if (status == ISO_OK) {
        printf("pose 0: %.2f N, pose %d: %.2f N\n", summaries[0].f_ba_a.translational.z, POSES - 1,
               summaries[POSES - 1].f_ba_a.translational.z);
    }

    // How far is a point from the fruit, and where does a ray meet the bowl?
    iso_distance d;
    iso_ray_hit hit;
    bool is_hit;
    if (status == ISO_OK) {
        status = iso_contact_shape_distance(fruit, iso_vec3_make(0.03, 0.02, 0.06), &d);
    }
    if (status == ISO_OK) {
        status = iso_contact_shape_ray_cast(bowl, iso_vec3_make(0.03, 0.0, 0.1),
                                            iso_vec3_make(0.0, 0.0, -1.0), INFINITY, &is_hit, &hit);
    }
    if (status == ISO_OK) {
        printf("point %.2f mm off, ray %s after %.2f mm\n", 1e3 * d.distance,
               is_hit ? "ends" : "misses", 1e3 * hit.distance);
    }
    return status;
}

int main(void) {
    iso_context* ctx = NULL;
    iso_contact_shape *bowl = NULL, *fruit = NULL;
    iso_query* query = NULL;
    iso_query_desc desc = iso_query_desc_default();
    desc.thread_count = 2;
    bool is_good = iso_context_create(NULL, &ctx) == ISO_OK && make_bowl(ctx, &bowl) == ISO_OK &&
                   make_fruit(ctx, &fruit) == ISO_OK &&
                   iso_query_create(ctx, &desc, &query) == ISO_OK &&
                   ask(query, bowl, fruit) == ISO_OK;
    if (!is_good) {
        fprintf(stderr, "query_pair: %s\n", iso_context_error(ctx));
    }
    iso_query_destroy(query);
    iso_contact_shape_destroy(ctx, fruit);
    iso_contact_shape_destroy(ctx, bowl);
    iso_context_destroy(ctx);
    return is_good ? 0 : 1;
}
