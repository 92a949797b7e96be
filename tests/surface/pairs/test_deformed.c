// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Deformed configurations: volumes add up, surfaces close, and every point belongs to the body of
// the larger pressure.

#include "surface/pair_fixture.h"
#include "surface/shapes/deformed.h"

#include "geometry/mesh/mesh.h"
// After the helpers, whose parameters have the names of its variables.
#include "support/arena_fixture.h"

typedef struct pressed {
    iso_patch patch;
    iso_deformed a, b; // b only when it has a field
} pressed;

static pressed press(const iso_contact_shape* a, iso_pose x_wa, const iso_contact_shape* b,
                     iso_pose x_wb) {
    pressed p = {0};
    iso_contact_options options = fixture_options();
    CHECK_OK(ctx, iso_arena_reset(&arena));
    CHECK_OK(ctx, iso_pair_query(&arena, a, &x_wa, b, &x_wb, &options, &p.patch));
    iso_deformer on_a = {b, x_wb, &p.patch, false}, on_b = {a, x_wa, &p.patch, true};
    CHECK_OK(ctx, iso_shape_deform(ctx, a, &x_wa, &on_a, 1, &p.a));
    if (b->field) {
        CHECK_OK(ctx, iso_shape_deform(ctx, b, &x_wb, &on_b, 1, &p.b));
    }
    return p;
}

static void release(pressed* p) {
    iso_deformed_destroy(ctx, &p->a);
    iso_deformed_destroy(ctx, &p->b);
}

// Volume enclosed by the surface, by the divergence theorem, and the sum of its area vectors.
static double enclosed(const iso_deformed* d, iso_vec3* out_sum) {
    double volume = 0.0;
    *out_sum = iso_vec3_zero();
    for (int i = 0; i < d->triangle_count; ++i) {
        const int* t = d->triangles[i];
        iso_vec3 area =
            iso_triangle_area_vector(d->vertices[t[0]], d->vertices[t[1]], d->vertices[t[2]]);
        volume += iso_vec3_dot(area, d->vertices[t[0]]) / 3.0;
        *out_sum = iso_vec3_add(*out_sum, area);
    }
    return volume;
}

static double tet_volume(const iso_deformed* d, int tet) {
    const int* t = d->tets[tet];
    return iso_tet_signed_volume(d->vertices[t[0]], d->vertices[t[1]], d->vertices[t[2]],
                                 d->vertices[t[3]]);
}

// whole: volume of the body at rest.
static void check_deformed(const iso_deformed* d, double whole) {
    double sum = 0.0;
    CHECK(d->displaced_volume > 1e-3 * whole, "displaced %g of %g m^3", d->displaced_volume, whole);
    CHECK_REL(d->volume + d->displaced_volume, whole, 1e-12); // measured 4e-15
    for (int i = 0; i < d->tet_count; ++i) {
        double volume = tet_volume(d, i);
        CHECK(volume > 0.0, "tetrahedron %d has volume %g", i, volume);
        sum += volume;
    }
    CHECK_REL(sum, d->volume, 1e-12); // measured 3e-15
    iso_vec3 open;
    CHECK_REL(enclosed(d, &open), d->volume, 1e-12); // measured 4.3e-15
    CHECK_AT_MOST(iso_vec3_norm(open), 1e-14);       // measured 1.7e-17 [m^2]
}

static void volumes_add_up_and_surfaces_close(void** state) {
    (void)state;
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(1e5, 0.025));
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.1, 0.12, 0.08), fixture_compliant(3e5, 0.0));
    iso_contact_shape* rigid = fixture_shape(ctx, fixture_box(0.1, 0.12, 0.08), fixture_rigid(0.0));
    iso_contact_shape* drum = fixture_shape(ctx, fixture_cylinder(0.04, 0.1), fixture_rigid(0.03));
    iso_contact_shape* ground = fixture_half_space(ctx, fixture_rigid(0.0));
    iso_contact_material slab = fixture_compliant(1e5, 0.0);
    slab.slab_thickness = 0.05;
    iso_contact_shape* soft_ground = fixture_half_space(ctx, slab);
    const iso_contact_shape* others[5] = {box, rigid, drum, ground, soft_ground};
    test_random random = test_random_make(5);
    for (int i = 0; i < 5; ++i) {
        for (int k = 0; k < 3; ++k) {
            iso_pose x_wb = test_random_pose(&random, 0.0);
            iso_vec3 away = iso_mat3_mul_vec3(&x_wb.r, iso_vec3_make(0.01, 0.02, 0.078));
            iso_pose x_wa = test_random_pose(&random, 0.0);
            x_wa.p = i < 3 ? away : iso_mat3_mul_vec3(&x_wb.r, iso_vec3_make(0.0, 0.0, 0.035));
            pressed p = press(ball, x_wa, others[i], x_wb);
            check_deformed(&p.a, iso_tet_mesh_volume(&ball->field->mesh));
            if (others[i] == box) {
                check_deformed(&p.b, iso_tet_mesh_volume(&box->field->mesh));
            }
            release(&p);
        }
    }
    iso_contact_shape* shapes[6] = {ball, box, rigid, drum, ground, soft_ground};
    for (int i = 0; i < 6; ++i) {
        iso_contact_shape_destroy(ctx, shapes[i]);
    }
}

// Middle of every piece of A: outside B, or A's pressure is the larger one; and its own pressure is
// what the field says there.
static void points_belong_to_the_body_of_larger_pressure(void** state) {
    (void)state;
    iso_contact_shape* ball =
        fixture_shape(ctx, fixture_sphere(0.05), fixture_compliant(1e5, 0.025));
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.1, 0.12, 0.08), fixture_compliant(3e5, 0.0));
    iso_pose x_wa = iso_pose_make(iso_mat3_from_rpy(0.3, 0.2, 0.1), iso_vec3_make(0.01, 0.0, 0.08));
    iso_pose x_wb = iso_pose_identity();
    pressed p = press(ball, x_wa, box, x_wb);
    int inside = 0;
    for (int i = 0; i < p.a.tet_count; ++i) {
        iso_vec3 middle = iso_vec3_zero();
        double mean = 0.0, own = 0.0, other = 0.0;
        for (int k = 0; k < 4; ++k) {
            middle = iso_vec3_add_scaled(middle, p.a.vertices[p.a.tets[i][k]], 0.25);
            mean += 0.25 * p.a.pressures[p.a.tets[i][k]];
        }
        CHECK(iso_field_value(ball->field, iso_pose_inverse_point(&x_wa, middle), &own),
              "piece %d is not in the ball", i);
        CHECK_NEAR(mean, own, 1e-9 * 1e5); // measured 3.6e-11 Pa
        if (iso_field_value(box->field, middle, &other)) {
            CHECK(own > other - 1e-6, "piece %d: %g Pa against %g", i, own, other);
            ++inside;
        }
    }
    CHECK(inside > 20, "%d pieces inside the box", inside);
    release(&p);
    iso_contact_shape_destroy(ctx, ball);
    iso_contact_shape_destroy(ctx, box);
}

// A body with a margin keeps its own volume, and an open sheet takes nothing away.
static void margins_and_sheets_take_nothing_away(void** state) {
    (void)state;
    iso_contact_material material = fixture_compliant(1e5, 0.025);
    iso_contact_shape* bare = fixture_shape(ctx, fixture_sphere(0.05), material);
    material.margin = 0.005;
    iso_contact_shape* ball = fixture_shape(ctx, fixture_sphere(0.05), material);
    iso_vec3 corners[3] = {{-1.0, -1.0, 0.0}, {1.0, -1.0, 0.0}, {0.0, 1.0, 0.0}};
    int triangle[1][3] = {{0, 1, 2}};
    iso_tri_mesh surface = {3, 1, corners, triangle};
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.surface = &surface;
    iso_contact_shape* sheet = fixture_shape(ctx, desc, fixture_rigid(0.0));
    pressed p = press(ball, iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.04)), sheet,
                      iso_pose_identity());
    CHECK(p.patch.face_count > 0, "%d faces", p.patch.face_count);
    CHECK_BITS(p.a.displaced_volume, 0.0);
    // Measured 2.5e-16.
    CHECK_REL(p.a.volume, iso_tet_mesh_volume(&bare->field->mesh), 1e-13);
    release(&p);
    iso_deformed none;
    iso_pose same = iso_pose_identity();
    CHECK_STATUS(ctx, iso_shape_deform(ctx, sheet, &same, NULL, 0, &none), ISO_ERR_ARGUMENT);
    iso_contact_shape_destroy(ctx, bare);
    iso_contact_shape_destroy(ctx, ball);
    iso_contact_shape_destroy(ctx, sheet);
}

// Faces of the patch that lie in the margin are no part of the surface.
static void margins_leave_the_surface_closed(void** state) {
    (void)state;
    iso_contact_material material = fixture_compliant(1e5, 0.025);
    iso_contact_shape* bare = fixture_shape(ctx, fixture_sphere(0.05), material);
    material.margin = 0.005;
    iso_contact_shape* ball = fixture_shape(ctx, fixture_sphere(0.05), material);
    iso_contact_material slab = fixture_compliant(1e5, 0.0);
    slab.slab_thickness = 0.05;
    slab.margin = 0.005;
    iso_contact_shape* others[3] = {
        fixture_shape(ctx, fixture_box(0.3, 0.3, 0.1), fixture_rigid(0.0)),
        fixture_half_space(ctx, fixture_rigid(0.0)), fixture_half_space(ctx, slab)};
    for (int i = 0; i < 3; ++i) {
        double top = i == 0 ? 0.05 : 0.0;
        iso_pose x_wa =
            iso_pose_make(iso_mat3_from_rpy(0.3, 0.2, 0.1), iso_vec3_make(0.01, 0.0, top + 0.035));
        pressed p = press(ball, x_wa, others[i], iso_pose_identity());
        double least = 0.0;
        for (int k = 0; k < p.patch.vertex_count; ++k) {
            least = fmin(least, p.patch.vertex_pressures[k]);
        }
        CHECK(least < -1e3, "the patch does not reach into the margin: %g Pa", least);
        check_deformed(&p.a, iso_tet_mesh_volume(&bare->field->mesh));
        release(&p);
        iso_contact_shape_destroy(ctx, others[i]);
    }
    iso_contact_shape_destroy(ctx, bare);
    iso_contact_shape_destroy(ctx, ball);
}

typedef struct attempt {
    const iso_contact_shape *a, *b;
    const iso_patch* patch;
} attempt;

static iso_status deform_once(iso_context* failing, void* user) {
    const attempt* t = user;
    iso_pose x_wa = iso_pose_identity();
    iso_deformer other = {t->b, iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.08)), t->patch,
                          false};
    iso_deformed deformed;
    iso_status status = iso_shape_deform(failing, t->a, &x_wa, &other, 1, &deformed);
    iso_deformed_destroy(failing, &deformed);
    return status;
}

static void deforming_survives_every_allocation_failure(void** state) {
    (void)state;
    iso_contact_shape* box =
        fixture_shape(ctx, fixture_box(0.1, 0.1, 0.1), fixture_compliant(1e5, 0.0));
    iso_contact_shape* rigid = fixture_shape(ctx, fixture_box(0.1, 0.1, 0.1), fixture_rigid(0.0));
    const iso_contact_shape* others[2] = {box, rigid};
    for (int i = 0; i < 2; ++i) {
        pressed p = press(box, iso_pose_identity(), others[i],
                          iso_pose_from_position(iso_vec3_make(0.0, 0.0, 0.08)));
        attempt t = {box, others[i], &p.patch};
        CHECK(check_every_allocation_failure(deform_once, &t) > 5, "few allocations");
        release(&p);
    }
    iso_contact_shape_destroy(ctx, box);
    iso_contact_shape_destroy(ctx, rigid);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(volumes_add_up_and_surfaces_close),
        TEST(points_belong_to_the_body_of_larger_pressure),
        TEST(margins_and_sheets_take_nothing_away),
        TEST(margins_leave_the_surface_closed),
        TEST(deforming_survives_every_allocation_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
