// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Elandt 2022: a boat that moves through a pressure field (fig. 4.9); a tilted box pressed into a
// layer, beside a foundation of discrete springs (section 2.0.7).

#include "contact/pressure_field/pressure_field.h"
#include "pair_study.h"

#define SLOPE 2e6 // of the layer's pressure [Pa/m]

static iso_contact_options options_of(void) {
    iso_contact_options options = iso_contact_options_default();
    options.representation = ISO_REPRESENTATION_TRIANGLE;
    options.cull = ISO_CULL_NONE;
    return options;
}

// The boat: a trapezoid of half widths 0.05 (deck) and 0.025 (keel), height 0.05, 0.1 wide.
static iso_contact_shape* make_boat(study* s) {
    iso_vec3 vertices[8];
    for (int i = 0; i < 8; ++i) {
        double half = i & 4 ? 0.05 : 0.025;
        vertices[i] = iso_vec3_make(i & 1 ? half : -half, i & 2 ? 0.05 : -0.05, i & 4 ? 0.05 : 0.0);
    }
    int triangles[1][3] = {{0, 1, 2}};
    iso_tri_mesh points = {8, 1, vertices, triangles};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_CONVEX);
    desc.surface = &points;
    return study_shape(s, desc, 0.0, 0.0);
}

// Pressure over p0 on the sides of the boat that face left, right and down.
static void run_boat(study* s) {
    static const struct {
        const char* name;
        double x, z;
    } ways[] = {{"rest", 0, 0}, {"left", -1, 0}, {"right", 1, 0}, {"down", 0, -1}, {"up", 0, 1}};
    iso_contact_shape* boat = make_boat(s);
    iso_contact_shape* layer = study_half_space(s, SLOPE);
    iso_contact_options options = options_of();
    iso_contact_material material = iso_contact_material_default();
    material.dissipation = 2.0;
    material.friction_static = material.friction_dynamic = 0.0;
    study_pair(s, layer, boat, &options, &material);
    iso_pose x_wb = iso_pose_from_position(iso_vec3_make(0.0, 0.0, -0.02));
    for (int fast = 0; fast < 2; ++fast) {
        for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
            const iso_contact_pair* pair = study_update(s, iso_pose_identity(), x_wb);
            iso_vec3* tractions = calloc((size_t)pair->patch.face_count, sizeof *tractions);
            double speed = fast ? 2.0 : 0.1;
            iso_spatial v = iso_spatial_make(
                iso_vec3_zero(), iso_vec3_make(speed * ways[i].x, 0.0, speed * ways[i].z));
            iso_contact_continuous_wrench(s->system, pair, v, tractions, NULL);
            // Left, right, bottom, the two ends.
            double still[4] = {0}, moving[4] = {0};
            for (int f = 0; f < pair->patch.face_count; ++f) {
                iso_vec3 n = pair->patch.normals[f]; // into the boat
                int side = fabs(n.y) > 0.5 ? 3 : n.z > 0.95 ? 2 : n.x > 0.0 ? 0 : 1;
                still[side] += pair->patch.areas[f] * pair->patch.pressures[f];
                moving[side] += pair->patch.areas[f] * iso_vec3_dot(tractions[f], n);
            }
            printf("{\"kind\": \"boat\", \"way\": \"%s\", \"speed\": %.17g, \"dissipation\": "
                   "%.17g, \"left\": %.17g, \"right\": %.17g, \"bottom\": %.17g}\n",
                   ways[i].name, speed, pair->dissipation, moving[0] / still[0],
                   moving[1] / still[1], moving[2] / still[2]);
            free(tractions);
        }
    }
    iso_contact_shape_destroy(s->ctx, boat);
    iso_contact_shape_destroy(s->ctx, layer);
}

// Box of 0.1 m: tilted, and its centre so that the lowest corner is `depth` below the layer's top.
static iso_pose tilted(double depth, double x) {
    iso_mat3 r = iso_mat3_from_rpy(0.06, 0.1, 0.2);
    double lowest = 0.0;
    for (int i = 0; i < 8; ++i) {
        iso_vec3 corner =
            iso_vec3_make(i & 1 ? 0.05 : -0.05, i & 2 ? 0.05 : -0.05, i & 4 ? 0.05 : -0.05);
        lowest = fmin(lowest, iso_mat3_mul_vec3(&r, corner).z);
    }
    return iso_pose_make(r, iso_vec3_make(x, 0.4 * x, -lowest - depth));
}

// The part of the box's bottom below the top of the layer: vertices in the bottom's own plane.
static void run_tilt(study* s) {
    for (double depth = 0.0005; depth < 0.02; depth += 0.0005) {
        iso_pose x_wb = tilted(depth, 0.0);
        const iso_contact_pair* pair = study_update(s, iso_pose_identity(), x_wb);
        iso_vec3 down = iso_vec3_neg(iso_mat3_column(&x_wb.r, 2));
        printf("{\"kind\": \"tilt\", \"depth\": %.17g, \"corners\": [", depth);
        bool is_first = true;
        for (int f = 0; pair && f < pair->patch.face_count; ++f) {
            if (iso_vec3_dot(pair->patch.normals[f], down) > -0.99) {
                continue;
            }
            for (int i = pair->patch.face_offsets[f]; i < pair->patch.face_offsets[f + 1]; ++i) {
                iso_vec3 p = iso_pose_inverse_point(&x_wb, pair->patch.vertices[i]);
                printf("%s[%.17g, %.17g]", is_first ? "" : ", ", p.x, p.y);
                is_first = false;
            }
        }
        printf("]}\n");
    }
}

// Vertical springs at the nodes of a grid fixed in the layer, under the bottom of the box.
static double springs_force(const iso_pose* x_wb, double spacing) {
    double force = 0.0;
    iso_vec3 n = iso_mat3_column(&x_wb->r, 2);
    iso_vec3 middle = iso_pose_point(x_wb, iso_vec3_make(0.0, 0.0, -0.05));
    int reach = (int)(0.12 / spacing);
    for (int i = -reach; i <= reach; ++i) {
        for (int j = -reach; j <= reach; ++j) {
            iso_vec3 top = iso_vec3_make(i * spacing, j * spacing, 0.0);
            double z = iso_vec3_dot(iso_vec3_sub(middle, top), n) / n.z;
            iso_vec3 p = iso_pose_inverse_point(x_wb, iso_vec3_make(top.x, top.y, z));
            if (z < 0.0 && fabs(p.x) < 0.05 && fabs(p.y) < 0.05) {
                force += SLOPE * spacing * spacing * -z;
            }
        }
    }
    return force;
}

static double patch_force(study* s, const iso_pose* x_wb) {
    const iso_contact_pair* pair = study_update(s, iso_pose_identity(), *x_wb);
    return pair ? study_exact_wrench(&pair->patch, x_wb->p).translational.z : 0.0;
}

// Largest change of the force from one pose to the next on a path that sinks and slides.
static void run_jumps(study* s) {
    const double spacings[] = {0.02, 0.01, 0.005};
    for (int count = 100; count <= 25600; count *= 4) {
        double before[4] = {0}, worst[4] = {0}, peak = 0.0;
        for (int i = 0; i <= count; ++i) {
            double t = (double)i / count;
            iso_pose x_wb = tilted(0.012 + 0.004 * t, 0.05 * t);
            double force[4] = {patch_force(s, &x_wb)};
            for (int k = 0; k < 3; ++k) {
                force[k + 1] = springs_force(&x_wb, spacings[k]);
            }
            for (int k = 0; k < 4; ++k) {
                worst[k] = i ? fmax(worst[k], fabs(force[k] - before[k])) : 0.0;
                before[k] = force[k];
            }
            peak = fmax(peak, force[0]);
        }
        printf("{\"kind\": \"jumps\", \"steps\": %d, \"peak\": %.17g, \"patch\": %.17g, "
               "\"springs_20mm\": %.17g, \"springs_10mm\": %.17g, \"springs_5mm\": %.17g}\n",
               count, peak, worst[0], worst[1], worst[2], worst[3]);
    }
    for (int i = 0; i <= 200; ++i) {
        double t = i / 200.0;
        iso_pose x_wb = tilted(0.012 + 0.004 * t, 0.05 * t);
        printf("{\"kind\": \"slide\", \"t\": %.17g, \"patch\": %.17g, \"springs_20mm\": %.17g, "
               "\"springs_10mm\": %.17g}\n",
               t, patch_force(s, &x_wb), springs_force(&x_wb, 0.02), springs_force(&x_wb, 0.01));
    }
}

int main(void) {
    study s = study_make();
    run_boat(&s);
    iso_contact_shape* layer = study_half_space(&s, SLOPE);
    iso_contact_shape* box = study_shape(&s, study_box(0.1, 0.1, 0.1), 0.0, 0.0);
    iso_contact_options options = options_of();
    study_pair(&s, layer, box, &options, NULL);
    run_tilt(&s);
    run_jumps(&s);
    iso_contact_system_destroy(s.ctx, s.system);
    s.system = NULL;
    iso_contact_shape_destroy(s.ctx, layer);
    iso_contact_shape_destroy(s.ctx, box);
    study_end(&s);
    return 0;
}
