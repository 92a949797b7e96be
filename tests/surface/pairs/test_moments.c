// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Exact integrals over patches, and how they change with the pose.

#include "surface/moments/boundary.h"
#include "surface/moments/moments.h"
#include "surface/moving_pairs.h"

#include "support/arena_fixture.h"

#define NEARLY_ONE_CASES 300

static iso_patch query_at(const moving_scene* s, const iso_pose* x_wb) {
    iso_contact_options options = fixture_options();
    options.representation = s->representation;
    iso_patch patch;
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx, iso_pair_query(&arena, s->a, &s->x_wa, s->b, x_wb, &options, &patch));
    return patch;
}

static iso_spatial wrench_at(const moving_scene* s, const iso_pose* x_wb) {
    iso_patch patch = query_at(s, x_wb);
    return iso_patch_wrench(&patch, s->p_wp);
}

static iso_spatial derivative_at(const moving_scene* s, double out[6][6]) {
    iso_patch patch = query_at(s, &s->x_wb);
    iso_spatial wrench;
    CHECK_OK(ctx, iso_patch_wrench_derivative(ctx, s->a, &s->x_wa, s->b, &s->x_wb,
                                              s->representation, &patch, s->p_wp, &wrench, out));
    return wrench;
}

// Derivative of the wrench by central differences of fourth order.
static void differences(const moving_scene* s, double step, double out[6][6]) {
    static const double k_steps[4] = {-2.0, -1.0, 1.0, 2.0};
    static const double k_weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    for (int axis = 0; axis < 6; ++axis) {
        for (int i = 0; i < 6; ++i) {
            out[i][axis] = 0.0;
        }
        for (int k = 0; k < 4; ++k) {
            iso_pose x = moving_step(&s->x_wb, s->p_wp, axis, k_steps[k] * step);
            double f[6];
            moving_unpack(wrench_at(s, &x), f);
            for (int i = 0; i < 6; ++i) {
                out[i][axis] += k_weights[k] / step * f[i];
            }
        }
    }
}

// A square of edge 1 in the plane z = 2 with the pressure p = low + (high - low) x.
typedef struct square {
    int offsets[2];
    iso_vec3 vertices[4], normal;
    double pressures[4];
} square;

static iso_patch make_square(square* s, double low, double high) {
    *s = (square){{0, 4},
                  {{0.0, 0.0, 2.0}, {1.0, 0.0, 2.0}, {1.0, 1.0, 2.0}, {0.0, 1.0, 2.0}},
                  {0.0, 0.0, 1.0},
                  {low, high, high, low}};
    return (iso_patch){.face_count = 1,
                       .vertex_count = 4,
                       .face_offsets = s->offsets,
                       .vertices = s->vertices,
                       .vertex_pressures = s->pressures,
                       .normals = &s->normal};
}

static void moments_of_a_square_match_their_closed_forms(void** state) {
    (void)state;
    square s;
    iso_patch patch = make_square(&s, 1.0, 4.0); // p = 1 + 3 x
    iso_vec3 p_wp = {0.5, -1.0, 3.0};
    iso_patch_moments m = iso_patch_find_moments(&patch, p_wp);
    CHECK_NEAR(m.area, 1.0, 1e-15);                                               // measured 0
    CHECK_VEC3_NEAR(m.area_vector, iso_vec3_make(0.0, 0.0, 1.0), 1e-15);          // measured 0
    CHECK_VEC3_NEAR(m.first, iso_vec3_make(0.0, 1.5, -1.0), 1e-15);               // measured 0
    CHECK_NEAR(m.load, 2.5, 1e-15);                                               // measured 0
    CHECK_VEC3_NEAR(m.load_first, iso_vec3_make(0.25, 3.75, -2.5), 1e-14);        // measured 0
    CHECK_VEC3_NEAR(m.wrench.translational, iso_vec3_make(0.0, 0.0, 2.5), 1e-14); // measured 0
    CHECK_VEC3_NEAR(m.wrench.rotational, iso_vec3_make(3.75, -0.25, 0.0), 1e-14); // measured 0

    // p = -1 + 3 x counts from x = 1/3: a load of 2/3 at the mean x = 1/3 + 2/3 * 2/3.
    patch = make_square(&s, -1.0, 2.0);
    m = iso_patch_find_moments(&patch, iso_vec3_zero());
    CHECK_NEAR(m.area, 1.0, 1e-15);       // 0
    CHECK_NEAR(m.load, 2.0 / 3.0, 1e-15); // 1.1e-16
    CHECK_VEC3_NEAR(m.load_first, iso_vec3_make(14.0 / 27.0, 1.0 / 3.0, 4.0 / 3.0),
                    1e-15); // 2.2e-16
    patch = make_square(&s, -2.0, -1.0);
    CHECK_NEAR(iso_patch_find_moments(&patch, p_wp).load, 0.0, 0.0);
}

// The wrench by another rule: midpoints of edges, exact for quadratics too, on triangles halved
// twice.
static void add_halved(iso_vec3 a, iso_vec3 b, iso_vec3 c, const double p[3], iso_vec3 n, int depth,
                       iso_spatial* f) {
    iso_vec3 mid[3] = {iso_vec3_lerp(a, b, 0.5), iso_vec3_lerp(b, c, 0.5),
                       iso_vec3_lerp(c, a, 0.5)};
    double q[3] = {0.5 * (p[0] + p[1]), 0.5 * (p[1] + p[2]), 0.5 * (p[2] + p[0])};
    if (depth > 0) {
        add_halved(a, mid[0], mid[2], (double[3]){p[0], q[0], q[2]}, n, depth - 1, f);
        add_halved(mid[0], b, mid[1], (double[3]){q[0], p[1], q[1]}, n, depth - 1, f);
        add_halved(mid[2], mid[1], c, (double[3]){q[2], q[1], p[2]}, n, depth - 1, f);
        add_halved(mid[0], mid[1], mid[2], q, n, depth - 1, f);
        return;
    }
    double area = iso_vec3_dot(n, iso_triangle_area_vector(a, b, c));
    for (int i = 0; i < 3; ++i) {
        iso_vec3 load = iso_vec3_scale(n, area * q[i] / 3.0);
        f->translational = iso_vec3_add(f->translational, load);
        f->rotational = iso_vec3_add(f->rotational, iso_vec3_cross(mid[i], load));
    }
}

static iso_spatial halved_wrench(const iso_patch* p) {
    iso_spatial f = iso_spatial_zero();
    for (int face = 0; face < p->face_count; ++face) {
        int begin = p->face_offsets[face];
        for (int i = begin + 2; i < p->face_offsets[face + 1]; ++i) {
            double q[3] = {p->vertex_pressures[begin], p->vertex_pressures[i - 1],
                           p->vertex_pressures[i]};
            add_halved(p->vertices[begin], p->vertices[i - 1], p->vertices[i], q, p->normals[face],
                       2, &f);
        }
    }
    return f;
}

static void wrench_is_exact_whatever_the_faces_are_cut_into(void** state) {
    (void)state;
    test_random random = test_random_make(5);
    for (int kind = 0; kind < MOVING_KINDS; ++kind) {
        iso_contact_shape *a, *b;
        moving_pair(ctx, kind, &a, &b);
        for (int i = 0; i < 10; ++i) {
            moving_scene s = moving_scene_random(kind, a, b, &random);
            iso_patch polygons = query_at(&s, &s.x_wb);
            iso_spatial f = iso_patch_wrench(&polygons, iso_vec3_zero());
            double force = iso_patch_find_moments(&polygons, s.p_wp).load;
            if (kind != 5 && kind != 7 && kind != 9) { // no negative pressures
                CHECK_SPATIAL_NEAR(f, halved_wrench(&polygons), 3e-14 * force); // measured 1.1e-14
            }
            s.representation = ISO_REPRESENTATION_TRIANGLE;
            iso_patch fans = query_at(&s, &s.x_wb);
            // measured 1.2e-15
            CHECK_SPATIAL_NEAR(iso_patch_wrench(&fans, iso_vec3_zero()), f, 2e-14 * force);
        }
        iso_contact_shape_destroy(ctx, a);
        iso_contact_shape_destroy(ctx, b);
    }
}

static void wrench_derivative_is_the_limit_of_differences(void** state) {
    (void)state;
    test_random random = test_random_make(11);
    for (int kind = 0; kind < MOVING_KINDS; ++kind) {
        iso_contact_shape *a, *b;
        moving_pair(ctx, kind, &a, &b);
        int contacts = 0;
        for (int i = 0; i < 20; ++i) {
            moving_scene s = moving_scene_random(kind, a, b, &random);
            s.representation = i % 2 ? ISO_REPRESENTATION_TRIANGLE : ISO_REPRESENTATION_POLYGON;
            double k[6][6], d[6][6];
            iso_spatial wrench = derivative_at(&s, k);
            CHECK_SPATIAL_NEAR(wrench, wrench_at(&s, &s.x_wb),
                               1e-14 * moving_largest(k)); // measured 5e-16
            differences(&s, 1e-6, d);
            contacts += moving_largest(d) > 0.0;
            CHECK_AT_MOST(moving_difference(k, d), 1e-8 * moving_largest(d)); // measured 1e-9
        }
        CHECK(contacts >= 18, "%s: %d contacts", k_moving_names[kind], contacts);
        iso_contact_shape_destroy(ctx, a);
        iso_contact_shape_destroy(ctx, b);
    }
}

// The twists (w; v) about P do not commute, so second derivatives of an energy along them differ by
// the derivative along their bracket: K - K^T = -[[M]x, [F]x; [F]x, 0].
static void wrench_derivative_is_a_hessian(void** state) {
    (void)state;
    test_random random = test_random_make(12);
    for (int kind = 0; kind < MOVING_KINDS; ++kind) {
        iso_contact_shape *a, *b;
        moving_pair(ctx, kind, &a, &b);
        for (int i = 0; i < 20; ++i) {
            moving_scene s = moving_scene_random(kind, a, b, &random);
            double k[6][6], odd[6][6] = {{0.0}}, bracket[6][6] = {{0.0}};
            iso_spatial f = derivative_at(&s, k);
            iso_mat3 m = iso_mat3_skew(f.rotational), t = iso_mat3_skew(f.translational);
            for (int row = 0; row < 6; ++row) {
                for (int column = 0; column < 6; ++column) {
                    const iso_mat3* block = row < 3 && column < 3 ? &m : &t;
                    bool is_zero = row >= 3 && column >= 3;
                    odd[row][column] = k[row][column] - k[column][row];
                    bracket[row][column] = is_zero ? 0.0 : -block->m[row % 3][column % 3];
                }
            }
            CHECK_AT_MOST(moving_difference(odd, bracket), 1e-12 * moving_largest(k)); // 2e-14
        }
        iso_contact_shape_destroy(ctx, a);
        iso_contact_shape_destroy(ctx, b);
    }
}

// Integral of an affine pressure over a tetrahedron.
static double tet_integral(const iso_vec3 v[4], const double p[4]) {
    return iso_tet_signed_volume(v[0], v[1], v[2], v[3]) * (p[0] + p[1] + p[2] + p[3]) / 4.0;
}

// The same over its part where h <= 0, h affine: corners beyond are cut off one by one.
static double cut_integral(const iso_vec3 v[4], const double p[4], const double h[4]) {
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            if (h[i] > 0.0 && h[j] < 0.0) {
                // Halve the tetrahedron where the edge crosses the plane.
                double t = h[i] / (h[i] - h[j]), sum = 0.0;
                for (int side = 0; side < 2; ++side) {
                    iso_vec3 w[4];
                    double q[4], g[4];
                    for (int k = 0; k < 4; ++k) {
                        w[k] = v[k];
                        q[k] = p[k];
                        g[k] = h[k];
                    }
                    int moved = side == 0 ? i : j;
                    w[moved] = iso_vec3_lerp(v[i], v[j], t);
                    q[moved] = p[i] + t * (p[j] - p[i]);
                    g[moved] = 0.0;
                    sum += cut_integral(w, q, g);
                }
                return sum;
            }
        }
    }
    bool is_beyond = h[0] > 0.0 || h[1] > 0.0 || h[2] > 0.0 || h[3] > 0.0;
    return is_beyond ? 0.0 : tet_integral(v, p);
}

// Elastic energy of a field in a rigid half space: its integral over the part below the plane.
static double energy_below(const iso_field* field, const iso_pose* x_plane_field) {
    double energy = 0.0;
    for (int t = 0; t < field->mesh.tet_count; ++t) {
        iso_vec3 v[4];
        double p[4], h[4];
        for (int k = 0; k < 4; ++k) {
            v[k] = field->mesh.vertices[field->mesh.tets[t][k]];
            p[k] = field->pressures[field->mesh.tets[t][k]];
            h[k] = iso_pose_point(x_plane_field, v[k]).z;
        }
        energy += cut_integral(v, p, h);
    }
    return energy;
}

static void energy_falls_by_the_work_of_the_wrench(void** state) {
    (void)state;
    test_random random = test_random_make(13);
    iso_contact_shape *a, *b;
    moving_pair(ctx, 3, &a, &b); // rigid plane x compliant cylinder
    for (int i = 0; i < 10; ++i) {
        moving_scene s = moving_scene_random(3, a, b, &random);
        double f[6];
        moving_unpack(wrench_at(&s, &s.x_wb), f);
        double scale = 0.0;
        for (int axis = 0; axis < 6; ++axis) {
            scale = fmax(scale, fabs(f[axis]));
        }
        for (int axis = 0; axis < 6; ++axis) {
            const double step = 1e-4;
            double energies[4];
            for (int k = 0; k < 4; ++k) {
                iso_pose x = moving_step(&s.x_wb, s.p_wp, axis, (k < 2 ? k - 2 : k - 1) * step);
                iso_pose x_ab = iso_pose_inverse_mul(&s.x_wa, &x);
                energies[k] = energy_below(b->field, &x_ab);
            }
            double slope =
                (energies[0] - 8.0 * energies[1] + 8.0 * energies[2] - energies[3]) / (12.0 * step);
            CHECK_NEAR(-slope, f[axis], 1e-9 * scale); // measured 4e-11
        }
    }
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

// Faces on faces and edges on edges: many planes coincide, the derivative is that of one side, but
// every edge finds a plane and every number is finite.
static void aligned_shapes_have_derivatives(void** state) {
    (void)state;
    for (int kind = 0; kind < MOVING_KINDS; ++kind) {
        iso_contact_shape *a, *b;
        moving_pair(ctx, kind, &a, &b);
        int contacts = 0;
        for (int i = 0; i < 24; ++i) {
            double tilt = 0.5 * ISO_PI * (i % 4), depth = 0.02 * (i / 4) - 0.02;
            moving_scene s = {.a = a, .b = b, .x_wa = iso_pose_identity()};
            s.x_wb = iso_pose_make(iso_mat3_from_rpy(tilt, 0.0, i % 2 ? tilt : 0.0),
                                   iso_vec3_make(0.0, 0.0, kind == 9 ? -depth : depth));
            double k[6][6];
            derivative_at(&s, k);
            CHECK(isfinite(moving_largest(k)), "%s, pose %d", k_moving_names[kind], i);
            contacts += moving_largest(k) > 0.0;
        }
        CHECK(contacts > 8, "%s: %d contacts", k_moving_names[kind], contacts);
        iso_contact_shape_destroy(ctx, a);
        iso_contact_shape_destroy(ctx, b);
    }
}

static iso_vec3 draw_direction(test_random* random) {
    iso_vec3 v = {test_random_uniform(random, -1.0, 1.0), test_random_uniform(random, -1.0, 1.0),
                  test_random_uniform(random, -1.0, 1.0)};
    return iso_vec3_normalized(v);
}

// Equal bodies nearly in one place, moved and turned by next to nothing: the polygons are slivers
// in faces, and where these cut them is rounding.
static void equal_shapes_nearly_in_one_place_have_derivatives(void** state) {
    (void)state;
    test_random random = test_random_make(15);
    int contacts = 0;
    for (int i = 0; i < NEARLY_ONE_CASES; ++i) {
        double radius = pow(10.0, test_random_uniform(&random, -3.0, 0.0));
        iso_shape_desc desc =
            i % 3 == 0 ? fixture_sphere(radius) : fixture_cylinder(radius, 2.0 * radius);
        desc.kind = i % 3 == 1 ? ISO_SHAPE_CAPSULE : desc.kind;
        iso_contact_shape* shape = fixture_shape(ctx, desc, fixture_compliant(1e7, 0.5 * radius));
        double apart = radius * pow(10.0, test_random_uniform(&random, -11.0, -3.0));
        double turned = pow(10.0, test_random_uniform(&random, -11.0, -3.0));
        iso_vec3 axis = draw_direction(&random);
        iso_vec3 shift = iso_vec3_scale(draw_direction(&random), apart);
        moving_scene s = {.a = shape, .b = shape, .x_wa = iso_pose_identity()};
        iso_vec3 turn = iso_vec3_scale(axis, i % 2 ? turned : 0.0);
        s.x_wb = iso_pose_make(iso_mat3_from_quat(iso_quat_from_rotation_vector(turn)), shift);
        double k[6][6];
        derivative_at(&s, k);
        CHECK(isfinite(moving_largest(k)), "case %d, %g m apart", i, apart);
        contacts += moving_largest(k) > 0.0;
        iso_contact_shape_destroy(ctx, shape);
    }
    CHECK(contacts > NEARLY_ONE_CASES / 2, "%d contacts of %d", contacts, NEARLY_ONE_CASES);
}

// A patch of other shapes fits no plane, which must not go unnoticed.
static void a_patch_of_other_shapes_is_refused(void** state) {
    (void)state;
    test_random random = test_random_make(14);
    iso_contact_shape *a, *b;
    moving_pair(ctx, 2, &a, &b);
    moving_scene s = moving_scene_random(2, a, b, &random);
    iso_patch patch = query_at(&s, &s.x_wb);
    iso_pose elsewhere = moving_step(&s.x_wb, s.p_wp, 0, 0.01);
    iso_spatial wrench;
    double k[6][6];
    CHECK_STATUS(ctx,
                 iso_patch_wrench_derivative(ctx, a, &s.x_wa, b, &elsewhere, s.representation,
                                             &patch, s.p_wp, &wrench, k),
                 ISO_ERR_NUMERIC);
    CHECK_ERROR(ctx, "planes of its elements");
    iso_contact_shape_destroy(ctx, a);
    iso_contact_shape_destroy(ctx, b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(moments_of_a_square_match_their_closed_forms),
        TEST(wrench_is_exact_whatever_the_faces_are_cut_into),
        TEST(wrench_derivative_is_the_limit_of_differences),
        TEST(wrench_derivative_is_a_hessian),
        TEST(energy_falls_by_the_work_of_the_wrench),
        TEST(aligned_shapes_have_derivatives),
        TEST(equal_shapes_nearly_in_one_place_have_derivatives),
        TEST(a_patch_of_other_shapes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
