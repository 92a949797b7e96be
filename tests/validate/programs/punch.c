// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Vertical force of a rigid indenter in a compliant box with a curved modulus, beside the integral
// of the pressure law: one JSON object a line.
//   wedge     M0 / (1 - k e) under a wedge of 2 x 45 degrees: 2 w times the integral of p over the
//             depth, for a number of layers
//   cylinder  constant modulus 2 E* H / (pi R), [Elandt2022] B.2: 2 E* R d, by sides
//   sphere    graded table of (E* / pi) sqrt(h / R), B.4: 4/3 E* sqrt(R) d^(3/2), by rings of the
//             cap and by layers

#include "pair_study.h"

#include "isobar/field.h"

// Depth of full extent [m] and half width of the box [m].
static const double k_height = 0.1, k_half = 0.5;

// The box, its top at z = 0.
static iso_contact_shape* make_box(study* s, iso_contact_material material) {
    iso_shape_desc box = study_box(2.0 * k_half, 2.0 * k_half, 2.0 * k_height);
    iso_contact_shape* shape = NULL;
    material.compliance = ISO_COMPLIANCE_COMPLIANT;
    material.margin = 0.0;
    STUDY_CHECK(s, iso_contact_shape_create(s->ctx, &box, &material, &shape));
    return shape;
}

static iso_contact_shape* make_rigid(study* s, const iso_tri_mesh* surface) {
    iso_contact_material material = iso_contact_material_default();
    material.compliance = ISO_COMPLIANCE_RIGID;
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = surface;
    iso_contact_shape* shape = NULL;
    STUDY_CHECK(s, iso_contact_shape_create(s->ctx, &desc, &material, &shape));
    return shape;
}

typedef struct outcome {
    double force, area;
} outcome;

// The indenter's lowest point d below the top of the box.
static outcome press(study* s, iso_contact_shape* box, iso_contact_shape* indenter, double d) {
    iso_contact_options options = iso_contact_options_default();
    study_pair(s, box, indenter, &options, NULL);
    const iso_contact_pair* pair =
        study_update(s, iso_pose_from_position(iso_vec3_make(0.0, 0.0, -k_height)),
                     iso_pose_from_position(iso_vec3_make(0.0, 0.0, -d)));
    if (!pair) {
        return (outcome){0.0, 0.0};
    }
    return (outcome){study_exact_wrench(&pair->patch, iso_vec3_zero()).translational.z,
                     pair->patch.area};
}

static void run_wedge(study* s) {
    // Edge along y at the origin, faces at 45 degrees, closed at the top.
    const double half = 0.2, up = 0.3;
    iso_vec3 v[6] = {{0, -half, 0},  {0, half, 0},     {up, -half, up},
                     {up, half, up}, {-up, -half, up}, {-up, half, up}};
    int t[8][3] = {{0, 3, 1}, {0, 2, 3}, {0, 1, 5}, {0, 5, 4},
                   {2, 4, 5}, {2, 5, 3}, {0, 4, 2}, {1, 3, 5}};
    iso_tri_mesh wedge = {6, 8, v, t};
    iso_contact_shape* indenter = make_rigid(s, &wedge);
    const double modulus = 1e5, k = 0.9, d = 0.08;
    // Integral of M0 e / (1 - k e) over the depth, times 2 half, times the two flanks.
    double e = d / k_height;
    double integral = modulus * k_height * (-e / k - log(1.0 - k * e) / (k * k));
    double expected = 4.0 * half * integral;
    for (int layers = 0; layers <= 32; layers = layers ? 2 * layers + 1 : 1) {
        iso_contact_material material = iso_contact_material_default();
        material.modulus = modulus;
        material.stiffening = k;
        material.layer_count = layers;
        iso_contact_shape* box = make_box(s, material);
        outcome o = press(s, box, indenter, d);
        printf("{\"kind\": \"wedge\", \"layers\": %d, \"tets\": %d, \"force\": %.17g, "
               "\"expected\": %.17g, \"thickness\": %.17g}\n",
               layers + 1, iso_contact_shape_tet_count(box), o.force, expected,
               iso_contact_shape_thickness(box));
        iso_contact_shape_destroy(s->ctx, box);
    }
    iso_contact_shape_destroy(s->ctx, indenter);
}

static void run_cylinder(study* s) {
    const double star = 1e6, radius = 0.02, d = 2e-4;
    for (int sides = 12; sides <= 192; sides *= 2) {
        iso_contact_material material = iso_contact_material_default();
        material.modulus = iso_half_space_pressure_cylinder(star, radius, k_height);
        iso_contact_shape* box = make_box(s, material);
        iso_contact_shape* punch =
            study_shape(s, study_cylinder(radius, 0.1), 0.0, 2.0 * ISO_PI * radius / sides);
        iso_contact_options options = iso_contact_options_default();
        study_pair(s, box, punch, &options, NULL);
        const iso_contact_pair* pair =
            study_update(s, iso_pose_from_position(iso_vec3_make(0.0, 0.0, -k_height)),
                         iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.05 - d)));
        double force = study_exact_wrench(&pair->patch, iso_vec3_zero()).translational.z;
        printf("{\"kind\": \"cylinder\", \"sides\": %d, \"force\": %.17g, \"expected\": %.17g}\n",
               sides, force, iso_half_space_force_cylinder(star, radius, d));
        iso_contact_shape_destroy(s->ctx, box);
        iso_contact_shape_destroy(s->ctx, punch);
    }
}

typedef struct sphere_law {
    double star, radius;
} sphere_law;

static double sphere_pressure(void* user, double depth) {
    const sphere_law* law = user;
    return iso_half_space_pressure_sphere(law->star, law->radius, depth);
}

// The lower cap of a sphere (or of its paraboloid) up to a radius, rings x sectors, open.
static void fill_cap(double radius, double reach, int rings, int sectors, bool is_paraboloid,
                     iso_tri_mesh* cap) {
    cap->vertices[0] = iso_vec3_zero();
    for (int i = 0; i < rings * sectors; ++i) {
        double r = reach * (i / sectors + 1) / rings;
        double angle = 2.0 * ISO_PI * (i % sectors) / sectors;
        double z = is_paraboloid ? 0.5 * r * r / radius : radius - sqrt(radius * radius - r * r);
        cap->vertices[i + 1] = iso_vec3_make(r * cos(angle), r * sin(angle), z);
    }
    int count = 0;
    for (int i = 0; i < rings * sectors; ++i) {
        int ring = i / sectors, a = i % sectors, b = (a + 1) % sectors;
        int outer_a = 1 + ring * sectors + a, outer_b = 1 + ring * sectors + b;
        int inner_a = ring ? outer_a - sectors : 0, inner_b = ring ? outer_b - sectors : 0;
        int first[3] = {inner_a, outer_b, outer_a}, second[3] = {inner_a, inner_b, outer_b};
        for (int k = 0; k < 3; ++k) {
            cap->triangles[count][k] = first[k];
        }
        ++count;
        for (int k = 0; k < 3 && ring > 0; ++k) {
            cap->triangles[count][k] = second[k];
        }
        count += ring > 0;
    }
    cap->triangle_count = count;
}

static void press_cap(study* s, double radius, double d, int rings, int layers,
                      bool is_paraboloid) {
    const double star = 1e6;
    sphere_law law = {star, radius};
    iso_modulus_row rows[257];
    STUDY_CHECK(s,
                iso_modulus_table_fill(s->ctx, sphere_pressure, &law, k_height, rows, layers + 1));
    iso_contact_material material = iso_contact_material_default();
    material.modulus_table = rows;
    material.modulus_row_count = layers + 1;
    material.layer_count = layers;
    iso_contact_shape* box = make_box(s, material);
    iso_tri_mesh cap;
    int sectors = 4 * rings;
    STUDY_CHECK(s, iso_tri_mesh_allocate(s->ctx, 1 + rings * sectors, 2 * rings * sectors, &cap));
    fill_cap(radius, 1.2 * sqrt(2.0 * radius * d), rings, sectors, is_paraboloid, &cap);
    iso_contact_shape* indenter = make_rigid(s, &cap);
    outcome o = press(s, box, indenter, d);
    printf("{\"kind\": \"%s\", \"radius\": %.17g, \"depth\": %.17g, \"rings\": %d, \"layers\": "
           "%d, \"force\": %.17g, \"area\": %.17g, \"star\": %.17g, \"expected\": %.17g}\n",
           is_paraboloid ? "paraboloid" : "sphere", radius, d, rings, layers, o.force, o.area, star,
           iso_half_space_force_sphere(star, radius, d));
    iso_contact_shape_destroy(s->ctx, box);
    iso_contact_shape_destroy(s->ctx, indenter);
    iso_tri_mesh_destroy(s->ctx, &cap);
}

static void run_sphere(study* s) {
    const double radius = 0.5;
    for (int rings = 4; rings <= 32; rings *= 2) {
        press_cap(s, radius, 5e-4, rings, 63, true);
    }
    for (int layers = 15; layers <= 127; layers = 2 * layers + 1) {
        press_cap(s, radius, 5e-4, 32, layers, true);
    }
    for (int i = 0; i < 4; ++i) {
        press_cap(s, radius, 2e-3 / (1 << 2 * i), 32, 127, false);
    }
}

int main(void) {
    study s = study_make();
    run_wedge(&s);
    run_cylinder(&s);
    run_sphere(&s);
    study_end(&s);
    return 0;
}
