// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// What carries a face: patch.elements names the tetrahedron or triangle of either body in which it
// lies, whose pressure and gradient it has; -1 for half spaces. For every kind of pair, both
// representations and both orders.

#include "surface/pair_fixture.h"

// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

typedef struct worst {
    double outside;  // of an element, over the size of the body
    double pressure; // off the element's, over the largest
    double gradient; // likewise
} worst;

static const iso_field* field_of(const iso_contact_shape* shape) {
    return shape->is_rigid ? shape->layer : shape->field;
}

// Distance of a point outside a tetrahedron; 0 inside.
static double outside_tet(const iso_tet_mesh* mesh, int tet, iso_vec3 p) {
    double most = 0.0;
    for (int i = 0; i < 4; ++i) {
        iso_vec3 tip = mesh->vertices[mesh->tets[tet][i]];
        iso_vec3 a = mesh->vertices[mesh->tets[tet][(i + 1) % 4]];
        iso_vec3 b = mesh->vertices[mesh->tets[tet][(i + 2) % 4]];
        iso_vec3 c = mesh->vertices[mesh->tets[tet][(i + 3) % 4]];
        iso_vec3 n = iso_vec3_normalized(iso_vec3_cross(iso_vec3_sub(b, a), iso_vec3_sub(c, a)));
        double side = iso_vec3_dot(n, iso_vec3_sub(tip, a)) > 0.0 ? 1.0 : -1.0;
        most = fmax(most, -side * iso_vec3_dot(n, iso_vec3_sub(p, a)));
    }
    return most;
}

// Distance of a point from a triangle's plane, or outside its edges.
static double outside_triangle(const iso_tri_mesh* mesh, int triangle, iso_vec3 p) {
    const int* v = mesh->triangles[triangle];
    iso_vec3 a = mesh->vertices[v[0]];
    iso_vec3 n = iso_vec3_normalized(iso_vec3_cross(iso_vec3_sub(mesh->vertices[v[1]], a),
                                                    iso_vec3_sub(mesh->vertices[v[2]], a)));
    double most = fabs(iso_vec3_dot(n, iso_vec3_sub(p, a)));
    for (int i = 0; i < 3; ++i) {
        iso_vec3 from = mesh->vertices[v[i]], to = mesh->vertices[v[(i + 1) % 3]];
        iso_vec3 inward = iso_vec3_normalized(iso_vec3_cross(n, iso_vec3_sub(to, from)));
        most = fmax(most, -iso_vec3_dot(inward, iso_vec3_sub(p, from)));
    }
    return most;
}

// One body's side of a face.
static void check_side(const iso_contact_shape* shape, bool has_field, const iso_pose* x_w,
                       const iso_patch* patch, int face, int element, iso_vec3 gradient,
                       worst* out) {
    if (shape->is_half_space) {
        CHECK(element == -1, "face %d of a half space has element %d", face, element);
        return;
    }
    const iso_field* field = has_field ? field_of(shape) : NULL;
    int count = field ? field->mesh.tet_count : shape->surface.triangle_count;
    CHECK(element >= 0 && element < count, "face %d has element %d of %d", face, element, count);
    iso_affine piece = {iso_vec3_zero(), 0.0};
    if (field) {
        piece = iso_field_piece(field, element);
        iso_vec3 turned = iso_mat3_mul_vec3(&x_w->r, piece.gradient);
        out->gradient =
            fmax(out->gradient, iso_vec3_distance(turned, gradient) / field->max_gradient);
    } else {
        CHECK_VEC3_NEAR(gradient, iso_vec3_zero(), 0.0);
    }
    double size = iso_vec3_distance(shape->upper, shape->lower);
    for (int i = patch->face_offsets[face]; i < patch->face_offsets[face + 1]; ++i) {
        iso_pose x_bw = iso_pose_inverse(x_w);
        iso_vec3 p = iso_pose_point(&x_bw, patch->vertices[i]);
        double outside = field ? outside_tet(&field->mesh, element, p)
                               : outside_triangle(&shape->surface, element, p);
        out->outside = fmax(out->outside, outside / size);
        if (field) {
            double off = fabs(iso_affine_eval(piece, p) - patch->vertex_pressures[i]);
            out->pressure = fmax(out->pressure, off / (field->max_gradient * size));
        }
    }
}

// Every face of a pair in either order; returns how many there were.
static int check_pair(const iso_contact_shape* a, const iso_contact_shape* b, iso_pose x_wa,
                      iso_pose x_wb, iso_contact_options options, worst* out) {
    int faces = 0;
    for (int order = 0; order < 2; ++order) {
        iso_patch p;
        CHECK_OK(ctx, iso_arena_reset(&arena));
        CHECK_OK(ctx, order == 0 ? iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &p)
                                 : iso_pair_query(&arena, b, &x_wb, a, &x_wa, &options, &p));
        for (int f = 0; f < p.face_count; ++f) {
            iso_face_elements e = p.elements[f];
            check_side(a, order == 0 ? !p.is_rigid_a : !p.is_rigid_b, &x_wa, &p, f,
                       order == 0 ? e.a : e.b, order == 0 ? p.gradients_a[f] : p.gradients_b[f],
                       out);
            check_side(b, order == 0 ? !p.is_rigid_b : !p.is_rigid_a, &x_wb, &p, f,
                       order == 0 ? e.b : e.a, order == 0 ? p.gradients_b[f] : p.gradients_a[f],
                       out);
        }
        faces += p.face_count;
    }
    return faces;
}

static iso_contact_shape* make_layered(iso_shape_desc desc, double hint) {
    iso_contact_options options = fixture_options();
    options.rigid_layer_thickness = 0.03;
    iso_contact_shape* shape = fixture_shape(ctx, desc, fixture_rigid(hint));
    CHECK_OK(ctx, iso_contact_shape_prepare_layer(ctx, shape, &options));
    return shape;
}

static void every_face_lies_in_the_elements_that_carry_it(void** state) {
    (void)state;
    iso_contact_material slab = fixture_compliant(1e6, 0.0);
    slab.slab_thickness = 0.05;
    iso_contact_material soft = fixture_compliant(1e5, 0.05);
    soft.margin = 0.01;
    iso_contact_shape* shapes[8] = {
        fixture_shape(ctx, fixture_sphere(0.1), fixture_compliant(1e5, 0.04)),
        fixture_shape(ctx, fixture_box(0.1, 0.2, 0.15), soft),
        fixture_shape(ctx, fixture_cylinder(0.05, 0.3), fixture_compliant(1e7, 0.03)),
        make_layered(fixture_cylinder(0.05, 0.3), 0.03),
        make_layered(fixture_box(0.1, 0.2, 0.15), 0.0),
        make_layered(fixture_sphere(0.1), 0.05),
        fixture_half_space(ctx, fixture_rigid(0.0)),
        fixture_half_space(ctx, slab)};
    // Field x field (2), field x surface (2), field x half space (3), half space x surface, rigid x
    // rigid (2).
    const int pairs[10][2] = {{0, 1}, {1, 2}, {0, 3}, {1, 4}, {0, 6},
                              {1, 6}, {1, 7}, {3, 7}, {4, 5}, {3, 5}};
    test_random random = test_random_make(21);
    for (int k = 0; k < 10; ++k) {
        worst w = {0.0, 0.0, 0.0};
        int faces = 0;
        const iso_contact_shape *a = shapes[pairs[k][0]], *b = shapes[pairs[k][1]];
        for (int i = 0; i < 20; ++i) {
            iso_pose x_wa = test_random_pose(&random, 1.0), x_ab = test_random_pose(&random, 0.08);
            iso_contact_options options = fixture_options();
            options.representation =
                i % 2 ? ISO_REPRESENTATION_POLYGON : ISO_REPRESENTATION_TRIANGLE;
            options.cull = i % 4 < 2 ? ISO_CULL_NONE : ISO_CULL_DRAKE;
            faces += check_pair(a, b, x_wa, iso_pose_mul(&x_wa, &x_ab), options, &w);
        }
        CHECK(faces > 200, "pair %d: %d faces", k, faces);
        CHECK_AT_MOST(w.outside, 1e-13);  // measured 2.0e-15
        CHECK_AT_MOST(w.pressure, 1e-13); // measured 1.7e-15
        CHECK_AT_MOST(w.gradient, 1e-13); // measured 2.0e-15
    }
    for (int i = 0; i < 8; ++i) {
        iso_contact_shape_destroy(ctx, shapes[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_face_lies_in_the_elements_that_carry_it, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
