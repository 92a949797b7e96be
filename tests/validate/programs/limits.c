// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Limits of geometry: a stiff body tends to a rigid one, one tetrahedron models a layer, coarse
// solids (Elandt 2022, section 5.0.1; Elandt 2019, section VI), equal bodies on each other
// (appendix C.2), a thin box deep inside a half space (Masterjohn 2022, section VI), and deformed
// volumes.

#include "overlap.h"
#include "pair_study.h"

#include "surface/shapes/deformed.h"

#define SLOPE 1e6 // of layers [Pa/m]

static iso_contact_options options_of(void) {
    iso_contact_options options = iso_contact_options_default();
    options.representation = ISO_REPRESENTATION_TRIANGLE;
    options.cull = ISO_CULL_NONE;
    return options;
}

static iso_spatial wrench_of(study* s, iso_contact_shape* a, iso_pose x_wa, iso_contact_shape* b,
                             iso_pose x_wb) {
    iso_contact_options options = options_of();
    study_pair(s, a, b, &options, NULL);
    const iso_contact_pair* pair = study_update(s, x_wa, x_wb);
    return pair ? study_exact_wrench(&pair->patch, x_wb.p) : iso_spatial_zero();
}

static iso_pose at(double x, double y, double z) {
    return iso_pose_from_position(iso_vec3_make(x, y, z));
}

static void destroy(const study* s, iso_contact_shape* a, iso_contact_shape* b) {
    iso_contact_shape_destroy(s->ctx, a);
    iso_contact_shape_destroy(s->ctx, b);
}

// A soft ball on a box that gets stiffer, against the rigid box.
static void run_stiffness(study* s) {
    iso_contact_shape* ball = study_shape(s, study_sphere(0.05), 1e5, 0.0125);
    iso_contact_shape* rigid = study_shape(s, study_box(0.2, 0.2, 0.1), 0.0, 0.0);
    iso_pose x_wb =
        iso_pose_make(iso_mat3_from_rpy(0.1, 0.2, 0.3), iso_vec3_make(0.02, 0.01, 0.09));
    iso_pose x_wa = iso_pose_identity();
    iso_spatial limit = wrench_of(s, rigid, x_wa, ball, x_wb);
    for (int k = 0; k <= 7; ++k) {
        iso_contact_shape* box = study_shape(s, study_box(0.2, 0.2, 0.1), 1e5 * pow(10.0, k), 0.0);
        iso_spatial w = wrench_of(s, box, x_wa, ball, x_wb);
        iso_spatial d = iso_spatial_sub(w, limit);
        printf("{\"kind\": \"stiffness\", \"ratio\": %.17g, \"force\": %.17g, \"moment\": %.17g, "
               "\"limit\": %.17g}\n",
               pow(10.0, k), iso_vec3_norm(d.translational) / iso_vec3_norm(limit.translational),
               iso_vec3_norm(d.rotational) / iso_vec3_norm(limit.rotational),
               iso_vec3_norm(limit.translational));
        iso_contact_shape_destroy(s->ctx, box);
    }
    destroy(s, ball, rigid);
}

// One tetrahedron, its face z = 0 zero, rising downward; and the half space of the same slope.
static void run_layer(study* s) {
    const iso_vec3 vertices[4] = {{-3, -2, 0}, {3, -2, 0}, {0, 4, 0}, {0, 0, -0.2}};
    const double pressures[4] = {0.0, 0.0, 0.0, SLOPE * 0.2};
    const int tets[1][4] = {{0, 2, 1, 3}};
    iso_contact_shape* layer = study_tets(s, vertices, 4, tets, 1, pressures);
    iso_contact_shape* ground = study_half_space(s, SLOPE);
    iso_contact_shape* ball = study_shape(s, study_sphere(0.05), 0.0, 0.0125);
    iso_contact_shape* box = study_shape(s, study_box(0.1, 0.06, 0.04), 0.0, 0.0);
    iso_contact_shape* others[2] = {ball, box};
    test_random random = {3};
    double worst = 0.0;
    for (int i = 0; i < 50; ++i) {
        iso_vec3 turn = study_random_vec3(&random, 3.0);
        iso_vec3 p = study_random_vec3(&random, 0.8);
        p.z = test_random_uniform(&random, 0.0, 0.03);
        iso_pose x_wb = iso_pose_make(iso_mat3_from_rpy(turn.x, turn.y, turn.z), p);
        iso_spatial one = wrench_of(s, layer, iso_pose_identity(), others[i % 2], x_wb);
        iso_spatial all = wrench_of(s, ground, iso_pose_identity(), others[i % 2], x_wb);
        iso_spatial d = iso_spatial_sub(one, all);
        double size = iso_vec3_norm(all.translational);
        worst = fmax(
            worst, fmax(iso_vec3_norm(d.translational), iso_vec3_norm(d.rotational) / 0.05) / size);
    }
    printf("{\"kind\": \"layer\", \"difference\": %.17g}\n", worst);
    destroy(s, layer, ground);
    destroy(s, ball, box);
}

static void print_solid(const study* s, const char* name, const iso_contact_shape* shape,
                        double depth, double force) {
    printf("{\"kind\": \"solid\", \"name\": \"%s\", \"tets\": %d, \"volume\": %.17g, \"depth\": "
           "%.17g, \"force\": %.17g, \"faces\": %d}\n",
           name, iso_contact_shape_tet_count(shape), iso_tet_mesh_volume(&shape->field->mesh),
           depth, force, s->set.pair_count > 0 ? s->set.pairs[0].patch.face_count : 0);
}

// 20 tetrahedra about the middle of an icosahedron whose corners lie on a sphere.
static iso_contact_shape* make_icosahedron(study* s, double radius, double modulus) {
    static const int k_faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                       {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                       {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                       {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double g = 0.5 * (1.0 + sqrt(5.0)), scale = radius / sqrt(1.0 + g * g);
    const double corners[12][3] = {{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                   {0, -1, g}, {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                   {g, 0, -1}, {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
    iso_vec3 vertices[13];
    double pressures[13] = {[12] = modulus};
    int tets[20][4];
    for (int i = 0; i < 12; ++i) {
        vertices[i] =
            iso_vec3_scale(iso_vec3_make(corners[i][0], corners[i][1], corners[i][2]), scale);
    }
    vertices[12] = iso_vec3_zero();
    for (int i = 0; i < 20; ++i) {
        for (int k = 0; k < 3; ++k) {
            tets[i][k] = k_faces[i][k];
        }
        tets[i][3] = 12;
    }
    return study_tets(s, vertices, 13, (const int(*)[4])tets, 20, pressures);
}

// 12 tetrahedra about the middle of a cube.
static iso_contact_shape* make_cube(study* s, double half, double modulus) {
    static const int k_quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                      {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    iso_vec3 vertices[9] = {{0.0, 0.0, 0.0}};
    double pressures[9] = {[8] = modulus};
    int tets[12][4];
    for (int i = 0; i < 8; ++i) {
        vertices[i] =
            iso_vec3_make(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
    }
    vertices[8] = iso_vec3_zero();
    for (int q = 0; q < 12; ++q) {
        const int* c = k_quads[q / 2];
        const int corners[4] = {c[0], c[q & 1 ? 2 : 1], c[q & 1 ? 3 : 2], 8};
        for (int k = 0; k < 4; ++k) {
            tets[q][k] = corners[k];
        }
    }
    return study_tets(s, vertices, 9, (const int(*)[4])tets, 12, pressures);
}

static void run_solids(study* s) {
    iso_contact_shape* ground = study_half_space(s, 0.0);
    iso_contact_shape* cube = make_cube(s, 0.05, 1e5);
    iso_contact_shape* own = study_shape(s, study_box(0.1, 0.1, 0.1), 1e5, 0.0);
    iso_contact_shape* round = make_icosahedron(s, 0.05, 1e5);
    iso_pose here = iso_pose_identity();
    for (double depth = 0.002; depth < 0.02; depth += 0.004) {
        double force = wrench_of(s, ground, here, cube, at(0, 0, 0.05 - depth)).translational.z;
        print_solid(s, "cube", cube, depth, force);
        // On a face of the icosahedron: its inner radius, turned down.
        iso_vec3 n = iso_vec3_normalized(iso_vec3_make(1.0, 1.0, 1.0));
        iso_mat3 r = iso_mat3_from_axis_angle(
            iso_vec3_normalized(iso_vec3_cross(n, iso_vec3_make(0, 0, -1))), acos(-n.z));
        double inner = 0.05 * sqrt((5.0 + 2.0 * sqrt(5.0)) / 15.0);
        iso_pose x = iso_pose_make(r, iso_vec3_make(0.0, 0.0, inner - depth));
        print_solid(s, "icosahedron", round, depth,
                    wrench_of(s, ground, here, round, x).translational.z);
    }
    double worst = 0.0;
    test_random random = {8};
    for (int i = 0; i < 50; ++i) {
        iso_vec3 turn = study_random_vec3(&random, 3.0);
        iso_pose x =
            iso_pose_make(iso_mat3_from_rpy(turn.x, turn.y, turn.z),
                          iso_vec3_make(0.0, 0.0, test_random_uniform(&random, 0.03, 0.06)));
        iso_spatial a = wrench_of(s, ground, here, cube, x), b = wrench_of(s, ground, here, own, x);
        worst = fmax(worst, iso_vec3_norm(iso_spatial_sub(a, b).translational) /
                                iso_vec3_norm(b.translational));
    }
    printf("{\"kind\": \"own_cube\", \"tets\": %d, \"difference\": %.17g}\n",
           iso_contact_shape_tet_count(own), worst);
    destroy(s, ground, cube);
    destroy(s, own, round);
}

// Cubes exactly on each other, one on the other, and both a little off.
static void run_superimposed(study* s) {
    iso_contact_shape* cube = study_shape(s, study_box(0.1, 0.1, 0.1), 1e5, 0.0);
    const double heights[2] = {0.0, 0.09}, offsets[3] = {0.0, 1e-15, 1e-9};
    for (int i = 0; i < 6; ++i) {
        double x = offsets[i / 2];
        iso_spatial w =
            wrench_of(s, cube, iso_pose_identity(), cube, at(x, 0.7 * x, heights[i % 2]));
        overlap_sums sums = overlap_measure(cube->field, &s->x_wa, cube->field, &s->x_wb, false);
        double closed = 0.0; // of the deformed upper cube: volume enclosed by its surface
        if (s->set.pair_count > 0) {
            iso_deformer other = {cube, s->x_wa, &s->set.pairs[0].patch, true};
            iso_deformed deformed;
            STUDY_CHECK(s, iso_shape_deform(s->ctx, cube, &s->x_wb, &other, 1, &deformed));
            for (int t = 0; t < deformed.triangle_count; ++t) {
                const iso_vec3* v = deformed.vertices;
                const int* k = deformed.triangles[t];
                closed +=
                    iso_vec3_dot(iso_triangle_area_vector(v[k[0]], v[k[1]], v[k[2]]), v[k[0]]) /
                        3.0 -
                    0.0;
            }
            iso_deformed_destroy(s->ctx, &deformed);
        }
        printf("{\"kind\": \"superimposed\", \"height\": %.17g, \"offset\": %.17g, \"faces\": %d, "
               "\"area\": %.17g, \"force\": %.17g, \"overlap\": %.17g, \"enclosed\": %.17g}\n",
               heights[i % 2], x, s->set.pair_count > 0 ? s->set.pairs[0].patch.face_count : 0,
               s->set.pair_count > 0 ? s->set.pairs[0].patch.area : 0.0, w.translational.z,
               sums.volume, closed);
    }
    iso_contact_shape_destroy(s->ctx, cube);
}

// A thin compliant box goes down into a compliant half space.
static void run_swallowed(study* s) {
    iso_contact_shape* plate = study_shape(s, study_box(0.1, 0.1, 0.01), 1e4, 0.0);
    iso_contact_shape* ground = study_half_space(s, SLOPE);
    for (double depth = 0.0; depth < 0.0401; depth += 0.002) {
        iso_spatial w = wrench_of(s, ground, iso_pose_identity(), plate, at(0, 0, 0.005 - depth));
        printf("{\"kind\": \"swallowed\", \"depth\": %.17g, \"faces\": %d, \"force\": %.17g}\n",
               depth, s->set.pair_count > 0 ? s->set.pairs[0].patch.face_count : 0,
               w.translational.z);
    }
    destroy(s, plate, ground);
}

// Volumes of deformed bodies against the exact overlap, and against their own surfaces.
static void run_deformed(study* s) {
    iso_contact_shape* ball = study_shape(s, study_sphere(0.05), 1e5, 0.025);
    iso_contact_shape* box = study_shape(s, study_box(0.1, 0.12, 0.08), 3e5, 0.0);
    iso_contact_options options = options_of();
    study_pair(s, ball, box, &options, NULL);
    test_random random = {21};
    double sum = 0.0, displaced = 0.0, surface = 0.0;
    for (int i = 0; i < 10; ++i) {
        iso_vec3 turn = study_random_vec3(&random, 3.0);
        iso_vec3 u = study_random_unit(&random);
        const iso_contact_pair* pair = study_update(
            s, iso_pose_make(iso_mat3_from_rpy(turn.x, turn.y, turn.z), iso_vec3_scale(u, 0.085)),
            iso_pose_identity());
        if (!pair) {
            continue;
        }
        overlap_sums exact = overlap_measure(ball->field, &s->x_wa, box->field, &s->x_wb, false);
        for (int side = 0; side < 2; ++side) {
            const iso_contact_shape* shape = side ? box : ball;
            iso_deformer other = {side ? ball : box, side ? s->x_wa : s->x_wb, &pair->patch,
                                  side == 1};
            iso_deformed d;
            STUDY_CHECK(s,
                        iso_shape_deform(s->ctx, shape, side ? &s->x_wb : &s->x_wa, &other, 1, &d));
            double whole = iso_tet_mesh_volume(&shape->field->mesh), inside = 0.0;
            for (int t = 0; t < d.triangle_count; ++t) {
                const int* k = d.triangles[t];
                iso_vec3 area =
                    iso_triangle_area_vector(d.vertices[k[0]], d.vertices[k[1]], d.vertices[k[2]]);
                inside += iso_vec3_dot(area, d.vertices[k[0]]) / 3.0;
            }
            double taken = side ? exact.volume_b : exact.volume_a;
            sum = fmax(sum, fabs(d.volume + d.displaced_volume - whole) / whole);
            displaced = fmax(displaced, fabs(d.displaced_volume - taken) / exact.volume);
            surface = fmax(surface, fabs(inside - d.volume) / d.volume);
            iso_deformed_destroy(s->ctx, &d);
        }
    }
    printf("{\"kind\": \"deformed\", \"sum\": %.17g, \"displaced\": %.17g, \"surface\": %.17g}\n",
           sum, displaced, surface);
    destroy(s, ball, box);
}

int main(void) {
    study s = study_make();
    run_stiffness(&s);
    run_layer(&s);
    run_solids(&s);
    run_superimposed(&s);
    run_swallowed(&s);
    run_deformed(&s);
    study_end(&s);
    return 0;
}
