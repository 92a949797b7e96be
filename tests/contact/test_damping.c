// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Dissipation from restitution and expansion rates, damping by the rate of extents, adhesion, and
// what a margin may change.

#include "contact/discrete/compliant_points.h"
#include "contact/hand_patch.h"
#include "contact/pairs/contact_system.h"
#include "contact/pairs/material.h"
#include "contact/pressure_field/face.h"
#include "contact/pressure_field/point_fill.h"
#include "contact/pressure_field/pressure_field.h"
#include "geometry/mesh/mesh.h"
#include "geometry/mesh_files/vtk/volume_write.h"
#include "geometry/tessellation/tessellate.h"
#include "support/assets.h"
#include "support/check.h"
#include "support/failing_context.h"
#include "support/random.h"

// --- restitution ---------------------------------------------------------------------------------

// Speed with which a mass comes back from F = k x^power (1 - d v)+: classical Runge-Kutta in the
// time, the last step shortened to where x is 0 again.
static double rebound_speed(double d, double k, double power, double mass, double speed) {
    double energy = 0.5 * mass * speed * speed;
    double depth = pow((power + 1.0) * energy / k, 1.0 / (power + 1.0));
    double dt = 1e-4 * depth / speed, x = 0.0, u = speed; // u: into the field
    for (int i = 0; i < 10000000; ++i) {
        double kx[4], ku[4];
        for (int s = 0; s < 4; ++s) {
            double share = s == 0 ? 0.0 : s < 3 ? 0.5 : 1.0;
            double xs = s ? x + share * dt * kx[s - 1] : x, us = s ? u + share * dt * ku[s - 1] : u;
            kx[s] = us;
            ku[s] = -k * pow(fmax(xs, 0.0), power) * fmax(1.0 + d * us, 0.0) / mass;
        }
        double next = x + dt / 6.0 * (kx[0] + 2.0 * kx[1] + 2.0 * kx[2] + kx[3]);
        double faster = u + dt / 6.0 * (ku[0] + 2.0 * ku[1] + 2.0 * ku[2] + ku[3]);
        if (next <= 0.0) {
            return -(u + (faster - u) * x / (x - next));
        }
        x = next;
        u = faster;
    }
    return NAN;
}

static void impacts_return_with_the_restitution_asked_for(void** state) {
    (void)state;
    const double asked[] = {0.95, 0.7, 0.3, 0.05}, powers[] = {1.0, 2.0, 0.5};
    const double masses[] = {0.01, 1.0, 300.0};
    for (int i = 0; i < 4; ++i) {
        double speed = 0.2 + i;
        double d = iso_dissipation_from_restitution(asked[i], speed);
        for (int j = 0; j < 3; ++j) {
            for (int k = 0; k < 3; ++k) {
                double ratio = rebound_speed(d, 1e5, powers[j], masses[k], speed) / speed;
                CHECK_REL(ratio, asked[i], 1e-6); // measured 2.8e-8: the Runge-Kutta method's
            }
        }
    }
}

static void dissipation_from_restitution_has_its_limits(void** state) {
    (void)state;
    CHECK_NEAR(iso_dissipation_from_restitution(1.0, 3.0), 0.0, 0.0);
    // Next to elastic: e = 1 - (2/3) d v.
    for (double loss = 1e-12; loss < 1e-3; loss *= 100.0) {
        double s = iso_dissipation_from_restitution(1.0 - loss, 2.0) * 2.0;
        CHECK_REL(s, 1.5 * loss, 2.0 * loss + 1e-4 * (1e-12 / loss)); // measured 1.0 loss, 2.2e-5
    }
    // Next to plastic: the body leaves with 1 / d.
    CHECK_REL(iso_dissipation_from_restitution(1e-6, 1.0), 1e6, 1e-15);   // measured 0
    CHECK_REL(iso_dissipation_from_restitution(0.02, 0.5), 100.0, 1e-15); // measured 0
    // The relation itself, and that it falls.
    double last = INFINITY;
    for (double e = 0.01; e < 1.0; e += 0.01) {
        double s = iso_dissipation_from_restitution(e, 1.0);
        double before = s - log1p(s), after = -e * s - log1p(-e * s);
        if (e > 0.2) {
            CHECK_NEAR(before, after, 1e-12 * fmax(1.0, before)); // measured 1.3e-14
        }
        CHECK(s < last, "%g at restitution %g", s, e);
        last = s;
    }
}

// --- moduli --------------------------------------------------------------------------------------

static void extents_undo_moduli(void** state) {
    (void)state;
    const iso_modulus_row rows[] = {{0.1, 1e5}, {0.4, 3e5}, {0.7, 2.5e5}, {0.9, 9e5}};
    iso_contact_material plain = iso_contact_material_default();
    iso_contact_material stiff = plain, table = plain;
    plain.modulus = stiff.modulus = 2e5;
    stiff.stiffening = 0.8;
    table.modulus_table = rows;
    table.modulus_row_count = 4;
    for (double e = 0.0; e <= 1.0; e += 0.01) {
        CHECK_NEAR(iso_contact_material_extent(&plain, 2e5 * e), e, 1e-15); // measured 1.1e-16
        double p = 2e5 * e / (1.0 - 0.8 * e);
        CHECK_NEAR(iso_contact_material_extent(&stiff, p), e, 1e-15); // measured 1.1e-16
        double m = e <= 0.1 ? 1e5 : 9e5;
        for (int i = 1; i < 4; ++i) {
            if (e > rows[i - 1].extent && e <= rows[i].extent) {
                double share = (e - rows[i - 1].extent) / (rows[i].extent - rows[i - 1].extent);
                m = rows[i - 1].modulus + share * (rows[i].modulus - rows[i - 1].modulus);
            }
        }
        CHECK_NEAR(iso_contact_material_extent(&table, m * e), e, 1e-15); // measured 3.3e-16
    }
    CHECK_NEAR(iso_contact_material_extent(&stiff, -1e3), -1e3 / 2e5, 1e-18); // measured 0
    CHECK_NEAR(iso_contact_material_modulus(&table), 1e5, 0.0);
}

// --- whole contacts ------------------------------------------------------------------------------

// Body A and B with one geometry each, at rest in the world unless moved.
typedef struct two_bodies {
    iso_context* ctx;
    iso_arena arena;
    iso_contact_shape* shapes[2];
    iso_contact_geometry geometries[2];
    iso_pose x_wb[2];
    iso_contact_system* system;
    iso_contact_set set;
} two_bodies;

static two_bodies two_bodies_make(void) {
    two_bodies t = {.ctx = test_context(), .x_wb = {iso_pose_identity(), iso_pose_identity()}};
    CHECK_OK(t.ctx, iso_arena_init(&t.arena, t.ctx, 1 << 20));
    return t;
}

static void put_body(two_bodies* t, int i, iso_shape_desc desc, iso_contact_material material,
                     iso_vec3 p_wb) {
    CHECK_OK(t->ctx, iso_contact_shape_create(t->ctx, &desc, &material, &t->shapes[i]));
    t->geometries[i] = (iso_contact_geometry){.name = i ? "b" : "a",
                                              .body_name = i ? "b" : "a",
                                              .body = i,
                                              .x_bg = iso_pose_identity(),
                                              .shape = t->shapes[i],
                                              .material = material};
    t->x_wb[i] = iso_pose_from_position(p_wb);
}

static const iso_contact_pair* meet(two_bodies* t, const iso_contact_options* options) {
    const iso_body_filter bodies = {.body_count = 2};
    iso_contact_system_destroy(t->ctx, t->system);
    t->system = NULL;
    CHECK_OK(t->ctx,
             iso_contact_system_create(t->ctx, t->geometries, 2, &bodies, options, &t->system));
    CHECK_OK(t->ctx, iso_arena_reset(&t->arena));
    CHECK_OK(t->ctx, iso_contact_system_update(t->system, t->x_wb, NULL, &t->arena, &t->set));
    assert_int_equal(t->set.pair_count, 1);
    return &t->set.pairs[0];
}

static void two_bodies_free(two_bodies* t) {
    iso_contact_system_destroy(t->ctx, t->system);
    iso_contact_shape_destroy(t->ctx, t->shapes[0]);
    iso_contact_shape_destroy(t->ctx, t->shapes[1]);
    iso_arena_destroy(&t->arena);
    test_context_destroy(t->ctx);
}

static iso_contact_material compliant(double modulus) {
    iso_contact_material m = iso_contact_material_default();
    m.compliance = ISO_COMPLIANCE_COMPLIANT;
    m.modulus = modulus;
    m.margin = 0.0;
    return m;
}

static iso_contact_material rigid(void) {
    iso_contact_material m = iso_contact_material_default();
    m.compliance = ISO_COMPLIANCE_RIGID;
    return m;
}

static iso_shape_desc half_space(void) {
    return iso_shape_desc_default(ISO_SHAPE_HALF_SPACE);
}

static iso_shape_desc box(double x, double y, double z) {
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_BOX);
    desc.size = iso_vec3_make(x, y, z);
    return desc;
}

static void expansion_rates_set_the_dissipation(void** state) {
    (void)state;
    two_bodies t = two_bodies_make();
    iso_contact_material slab = compliant(1e6);
    slab.slab_thickness = 0.04;
    slab.expansion_rate = 5.0;
    put_body(&t, 0, half_space(), slab, iso_vec3_zero());
    put_body(&t, 1, box(0.1, 0.1, 0.1), rigid(), iso_vec3_make(0.0, 0.0, 0.049));
    iso_contact_options options = iso_contact_options_default();
    const iso_contact_pair* pair = meet(&t, &options);
    CHECK_REL(pair->dissipation, 1.0 / (0.04 * 5.0), 1e-15); // measured 0
    CHECK_NEAR(pair->extent_a, 0.001 / 0.04, 1e-16);         // measured 2.1e-17
    CHECK_NEAR(pair->extent_b, 0.0, 0.0);
    two_bodies_free(&t);
}

// Two slabs by [Elandt2022] eq. 5.13: both rules agree where every face has the average slope.
static void elandt_rules_agree_on_layers_of_even_thickness(void** state) {
    (void)state;
    two_bodies t = two_bodies_make();
    iso_contact_material slab = compliant(1e6), cube = compliant(4e6);
    slab.slab_thickness = 0.04;
    slab.dissipation = 3.0;
    cube.dissipation = 7.0;
    put_body(&t, 0, half_space(), slab, iso_vec3_zero());
    put_body(&t, 1, box(0.1, 0.1, 0.1), cube, iso_vec3_make(0.0, 0.0, 0.0495));
    iso_contact_options options = iso_contact_options_default();
    options.combine = ISO_COMBINE_ELANDT_MEAN;
    double c_a = 0.04 / 1e6, c_b = iso_contact_shape_thickness(t.shapes[1]) / 4e6;
    double expected = (3.0 * c_a * c_a + 7.0 * c_b * c_b) / ((c_a + c_b) * (c_a + c_b));
    const iso_contact_pair* pair = meet(&t, &options);
    CHECK_REL(pair->dissipation, expected, 1e-15);                    // measured 0
    CHECK_REL(iso_contact_shape_thickness(t.shapes[1]), 0.05, 1e-14); // measured 1e-16
    options.combine = ISO_COMBINE_ELANDT;
    pair = meet(&t, &options);
    int largest = 0; // a face below the middle of the box; those at its edges see its sides
    for (int f = 0; f < pair->patch.face_count; ++f) {
        largest = pair->patch.areas[f] > pair->patch.areas[largest] ? f : largest;
    }
    iso_face_slopes slopes = iso_patch_face_slopes(&pair->patch, largest);
    CHECK_REL(iso_contact_face_dissipation(&options, pair, &slopes), expected, 1e-12); // 2e-16
    two_bodies_free(&t);
}

static iso_spatial falling(double speed) {
    return iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, -speed));
}

// On an even layer the rate of the extent is the speed over the thickness, so both dampings are
// one.
static void extent_rate_is_hunt_crossley_on_an_even_layer(void** state) {
    (void)state;
    two_bodies t = two_bodies_make();
    iso_contact_material slab = compliant(1e6);
    slab.slab_thickness = 0.04;
    slab.dissipation = 3.0;
    put_body(&t, 0, half_space(), slab, iso_vec3_zero());
    put_body(&t, 1, box(0.1, 0.1, 0.1), rigid(), iso_vec3_make(0.0, 0.0, 0.049));
    iso_contact_options options = iso_contact_options_default();
    const iso_contact_pair* pair = meet(&t, &options);
    iso_spatial f = iso_contact_continuous_wrench(t.system, pair, falling(0.05), NULL, NULL);
    iso_spatial still =
        iso_contact_continuous_wrench(t.system, pair, iso_spatial_zero(), NULL, NULL);
    options.damping = ISO_DAMPING_EXTENT_RATE;
    pair = meet(&t, &options);
    iso_spatial g = iso_contact_continuous_wrench(t.system, pair, falling(0.05), NULL, NULL);
    CHECK_SPATIAL_NEAR(g, f, 1e-12); // measured 0
    g = iso_contact_continuous_wrench(t.system, pair, iso_spatial_zero(), NULL, NULL);
    CHECK_SPATIAL_NEAR(g, still, 0.0); // damping vanishes at rest
    two_bodies_free(&t);
}

// Sphere in the middle of a layered, stiffening box: rates follow the extent, not the pressure.
static void extent_rate_of_a_curved_modulus_follows_the_extent(void** state) {
    (void)state;
    two_bodies t = two_bodies_make();
    iso_contact_material soft = compliant(1e6);
    soft.stiffening = 0.8;
    soft.layer_count = 8;
    soft.dissipation = 3.0;
    put_body(&t, 0, box(0.4, 0.4, 0.1), soft, iso_vec3_zero());
    put_body(&t, 1, box(0.04, 0.04, 0.04), rigid(), iso_vec3_make(0.01, 0.02, 0.05));
    iso_contact_options options = iso_contact_options_default();
    options.damping = ISO_DAMPING_EXTENT_RATE;
    const iso_contact_pair* pair = meet(&t, &options);
    double thickness = iso_contact_shape_thickness(t.shapes[0]);
    for (int f = 0; f < pair->patch.face_count; ++f) {
        iso_vec3 c = pair->patch.centroids[f];
        if (fabs(c.z - 0.03) < 1e-6 && fabs(pair->patch.normals[f].z) > 0.99) {
            // grad e = 1 / 0.05 m on the whole: chi = d L / 0.05.
            CHECK_REL(pair->face_dissipations[f], 3.0 * thickness / 0.05, 1e-9); // measured 6e-16
        }
    }
    two_bodies_free(&t);
}

// A box as a volume file with extents, or with the pressures of 2e5 Pa times the same extents.
static iso_shape_desc write_box(iso_context* ctx, bool is_pressure, char* path) {
    iso_shape_desc cube = box(0.2, 0.2, 0.1);
    iso_volume_file volume = {0};
    CHECK_OK(ctx, iso_tessellate_volume(ctx, &cube, 0.1, &volume.mesh, &volume.extent));
    for (int i = 0; i < volume.mesh.vertex_count && is_pressure; ++i) {
        volume.extent[i] *= 2e5;
    }
    volume.pressure = is_pressure ? volume.extent : NULL;
    volume.extent = is_pressure ? NULL : volume.extent;
    iso_volume_metadata metadata = {.units = "m"};
    FILE* file = fopen(temp_path(path, is_pressure ? "pressure.vtk" : "extent.vtk"), "wb");
    CHECK_OK(ctx, iso_volume_file_write(ctx, path, file, &volume, &metadata));
    fclose(file);
    iso_volume_file_destroy(ctx, &volume);
    iso_shape_desc desc = iso_shape_desc_default(ISO_SHAPE_MESH);
    desc.path = path;
    return desc;
}

// A mesh that brings pressures is as stiff as those say: its extent is the share of the largest
// one, whatever the modulus of the material, which has no part in the field.
static void given_pressures_say_how_stiff_a_body_is(void** state) {
    (void)state;
    double dissipation[2], rates[2];
    for (int k = 0; k < 2; ++k) {
        char path[TEST_PATH_SIZE];
        two_bodies t = two_bodies_make();
        iso_contact_material soft = compliant(k == 0 ? 2e5 : 1e7);
        soft.dissipation = 3.0;
        iso_contact_material slab = compliant(1e6);
        slab.slab_thickness = 0.04;
        slab.dissipation = 8.0;
        put_body(&t, 0, half_space(), slab, iso_vec3_zero());
        put_body(&t, 1, write_box(t.ctx, k == 1, path), soft, iso_vec3_make(0.0, 0.0, 0.04));
        iso_contact_options options = iso_contact_options_default();
        dissipation[k] = meet(&t, &options)->dissipation;
        options.damping = ISO_DAMPING_EXTENT_RATE;
        const iso_contact_pair* pair = meet(&t, &options);
        rates[k] = pair->face_dissipations[0];
        remove(path);
        two_bodies_free(&t);
    }
    CHECK_REL(dissipation[1], dissipation[0], 1e-12); // measured 0
    CHECK(rates[0] > 0.1, "dissipation %g s/m of the first face", rates[0]);
    CHECK_REL(rates[1], rates[0], 1e-12); // measured 0
}

// The dissipation of two compliant sides is their power: p d v_n^2 = sum p T_i (de_i/dt) v_i.
static void extent_rates_of_two_sides_add_up_their_powers(void** state) {
    (void)state;
    two_bodies t = two_bodies_make();
    iso_contact_material slab = compliant(1e6), cube = compliant(4e6);
    slab.slab_thickness = 0.04;
    slab.expansion_rate = 20.0;
    cube.expansion_rate = 7.0;
    put_body(&t, 0, half_space(), slab, iso_vec3_zero());
    put_body(&t, 1, box(0.1, 0.1, 0.1), cube, iso_vec3_make(0.0, 0.0, 0.0495));
    iso_contact_options options = iso_contact_options_default();
    options.damping = ISO_DAMPING_EXTENT_RATE;
    options.combine = ISO_COMBINE_DRAKE; // has no part in it
    const iso_contact_pair* pair = meet(&t, &options);
    // One of the faces below the middle of the box, whose nodal gradients are those of the layer.
    double v = 0.3, found = 0.0;
    for (int f = 0; f < pair->patch.face_count; ++f) {
        iso_face_slopes s = iso_patch_face_slopes(&pair->patch, f);
        if (!(s.a > 0.0 && s.b > 0.0) || fabs(pair->patch.normals[f].z) < 0.99) {
            continue;
        }
        double rate = s.series * v; // of the pressure, on both sides
        double share_a = s.series / s.a * v, share_b = s.series / s.b * v;
        double power = rate / 1e6 / 20.0 * share_a + rate / 4e6 / 7.0 * share_b;
        // The nodal gradient at the corners of the box is an average with the sides: at most.
        double ratio = pair->face_dissipations[f] * v * v / power;
        CHECK(ratio < 1.0 + 1e-12 && ratio > 0.5, "ratio %g", ratio);
        found = fmax(found, ratio);
    }
    CHECK(found > 0.5, "no face looked at");
    two_bodies_free(&t);
}

// --- adhesion ------------------------------------------------------------------------------------

static void adhesion_is_a_floor_that_the_smaller_side_sets(void** state) {
    (void)state;
    CHECK_NEAR(iso_adhesion_combine(1e6, 30.0, 2e6, 50.0), 30.0, 0.0);
    CHECK_NEAR(iso_adhesion_combine(1e6, 30.0, INFINITY, 0.0), 30.0, 0.0);
    CHECK_NEAR(iso_adhesion_combine(INFINITY, 70.0, 2e6, 50.0), 50.0, 0.0);
    CHECK_NEAR(iso_adhesion_combine(INFINITY, 70.0, INFINITY, 50.0), 50.0, 0.0);
    CHECK_NEAR(iso_damped_pressure(1e3, 10.0, 0.05, 100.0), 500.0, 1e-13);  // measured 0
    CHECK_NEAR(iso_damped_pressure(1e3, 10.0, 0.105, 100.0), -50.0, 1e-12); // measured 4.3e-14
    CHECK_NEAR(iso_damped_pressure(1e3, 10.0, 0.5, 100.0), -100.0, 0.0);
    CHECK_NEAR(iso_damped_pressure(1e3, 10.0, 0.5, 0.0), 0.0, 0.0);
    CHECK_NEAR(iso_damped_pressure(0.0, 10.0, 0.5, 100.0), 0.0, 0.0);
    CHECK_NEAR(iso_damped_pressure(-10.0, 10.0, 0.5, 100.0), 0.0, 0.0);
}

typedef struct rig {
    iso_context* ctx;
    iso_arena arena;
    iso_contact_system* system;
    hand_patch patch;
} rig;

static rig rig_make(double adhesion, double p0) {
    rig r = {.ctx = test_context()};
    iso_contact_options options = iso_contact_options_default();
    options.cull = ISO_CULL_DRAKE; // one sample a face in both laws
    CHECK_OK(r.ctx, iso_contact_system_create(r.ctx, NULL, 0, NULL, &options, &r.system));
    CHECK_OK(r.ctx, iso_arena_init(&r.arena, r.ctx, 1 << 20));
    r.patch = hand_patch_square(0.02, 3, false, p0, iso_vec3_make(1e5, -2e4, 0.0), 1e6);
    r.patch.pair.dissipation = 8.0;
    r.patch.pair.friction_static = r.patch.pair.friction_dynamic = 0.4;
    r.patch.pair.adhesion = adhesion;
    return r;
}

static void rig_free(rig* r) {
    hand_patch_free(&r->patch);
    iso_arena_destroy(&r->arena);
    iso_contact_system_destroy(r->ctx, r->system);
    test_context_destroy(r->ctx);
}

static const double k_delassus[36] = {
    [0] = 1e-3, [7] = 1e-3, [14] = 1e-3, [21] = 1e-3, [28] = 1e-3, [35] = 1e-3};

static iso_compliant_points build(rig* r, double dt) {
    iso_compliant_points points;
    CHECK_OK(r->ctx,
             iso_compliant_points_build(r->system, &r->patch.pair, ISO_POINT_LAW_LAGGED, dt,
                                        iso_spatial_zero(), NULL, k_delassus, &r->arena, &points));
    return points;
}

// Gradient of the value, Hessian of the gradient, and no negative curvature: the potential with
// adhesion is convex, also where tension begins and where it reaches its floor.
static void lagged_potential_with_adhesion_is_convex_and_smooth(void** state) {
    (void)state;
    rig r = rig_make(600.0, 4e3);
    iso_compliant_points points = build(&r, 1e-3);
    assert_true(points.has_adhesion);
    test_random random = test_random_make(7);
    int tensions = 0;
    for (int trial = 0; trial < 400; ++trial) {
        double v[6], gradient[6], hessian[36], up[6], down[6];
        for (int i = 0; i < 6; ++i) {
            v[i] = test_random_uniform(&random, -0.3, 0.3);
        }
        v[5] = test_random_uniform(&random, -0.1, 0.6);
        iso_compliant_points_eval(&points, v, gradient, hessian);
        tensions += gradient[5] > 0.0;
        double h = 1e-6;
        for (int i = 0; i < 6; ++i) {
            double at[6];
            memcpy(at, v, sizeof at);
            at[i] = v[i] + h;
            double high = iso_compliant_points_eval(&points, at, up, NULL);
            at[i] = v[i] - h;
            double low = iso_compliant_points_eval(&points, at, down, NULL);
            CHECK_NEAR((high - low) / (2.0 * h), gradient[i], 1e-9); // measured 2.5e-12
            for (int j = 0; j < 6; ++j) {
                double measured = (up[j] - down[j]) / (2.0 * h);
                double residual = fabs(measured - hessian[6 * i + j]);
                CHECK_AT_MOST(residual, 1e-6); // measured 3.8e-10; no state lies on a kink
            }
        }
        double value, slope, curvature, dv[6];
        for (int i = 0; i < 6; ++i) {
            dv[i] = test_random_uniform(&random, -1.0, 1.0);
        }
        iso_compliant_points_line(&points, v, dv, 0.0, &value, &slope, &curvature);
        CHECK(curvature >= 0.0, "curvature %g", curvature);
    }
    CHECK(tensions > 50, "%d of 400 states were under tension", tensions);
    rig_free(&r);
}

static void lagged_adhesion_tends_to_the_continuous_law(void** state) {
    (void)state;
    rig r = rig_make(600.0, 4e3);
    double last = 0.0;
    for (int k = 0; k < 3; ++k) {
        double dt = 1e-4 / (1 << k), v[6] = {0.3, -0.1, 0.0, 0.0, 0.0, 0.135}, gradient[6];
        iso_compliant_points points = build(&r, dt);
        iso_compliant_points_eval(&points, v, gradient, NULL);
        iso_spatial twist =
            iso_spatial_make(iso_vec3_make(v[0], v[1], v[2]), iso_vec3_make(v[3], v[4], v[5]));
        iso_spatial f = iso_contact_continuous_wrench(r.system, &r.patch.pair, twist, NULL, NULL);
        double error = fabs(-gradient[5] / dt - f.translational.z);
        if (k > 0) {
            CHECK_NEAR(error / last, 0.5, 1e-9); // measured 1.7e-13: linear in dt
        }
        last = error;
    }
    rig_free(&r);
}

// Tension only pulls bodies that part, and never pulls more than the adhesion.
static void adhesion_takes_energy_and_stops_at_its_floor(void** state) {
    (void)state;
    rig r = rig_make(600.0, 4e3);
    iso_compliant_points points = build(&r, 1e-3);
    for (double speed = -0.2; speed < 2.0; speed += 0.01) {
        double v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, speed}, gradient[6];
        iso_compliant_points_eval(&points, v, gradient, NULL);
        double force = -gradient[5] / 1e-3;
        CHECK(force * speed <= 0.0 || force > 0.0, "force %g at %g m/s", force, speed);
        CHECK(force >= -600.0 * 0.0016 - 1e-12, "force %g at %g m/s", force, speed);
        iso_spatial twist = iso_spatial_make(iso_vec3_zero(), iso_vec3_make(0.0, 0.0, speed));
        double f = iso_contact_continuous_wrench(r.system, &r.patch.pair, twist, NULL, NULL)
                       .translational.z;
        CHECK(f >= -600.0 * 0.0016 - 1e-12, "force %g at %g m/s", f, speed);
    }
    double v[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 2.0}, gradient[6];
    iso_compliant_points_eval(&points, v, gradient, NULL);
    CHECK_REL(-gradient[5] / 1e-3, -600.0 * 0.0016, 1e-12); // measured 2e-16
    rig_free(&r);
}

// --- margin --------------------------------------------------------------------------------------

// Forces and energy with a margin are those without, whatever part of a face it covers.
static void a_margin_changes_no_force_and_no_energy(void** state) {
    (void)state;
    for (int representation = 0; representation < 2; ++representation) {
        iso_contact_options options = iso_contact_options_default();
        options.representation = (iso_representation)representation;
        iso_spatial f[2];
        double energy[2], force[2];
        for (int i = 0; i < 2; ++i) {
            two_bodies t = two_bodies_make();
            iso_contact_material soft = compliant(1e6), plane = rigid();
            soft.margin = i ? 5e-4 : 0.0;
            put_body(&t, 0, box(0.1, 0.08, 0.06), soft, iso_vec3_make(0.0, 0.0, 0.0302));
            put_body(&t, 1, half_space(), plane, iso_vec3_zero());
            // Tilted: the patch ends in the middle of faces.
            t.x_wb[0].r =
                iso_mat3_from_axis_angle(iso_vec3_normalized(iso_vec3_make(0.3, 1.0, 0.1)), 0.01);
            const iso_contact_pair* pair = meet(&t, &options);
            f[i] = iso_contact_continuous_wrench(t.system, pair, iso_spatial_zero(), NULL, NULL);
            f[i] = iso_spatial_shift_wrench(f[i], iso_vec3_neg(pair->p_wc));
            energy[i] = iso_contact_elastic_energy(pair);
            double delassus[36] = {[21] = 1.0, [28] = 1.0, [35] = 1.0}, v[6] = {0.0}, gradient[6];
            iso_compliant_points points;
            CHECK_OK(t.ctx, iso_compliant_points_build(t.system, pair, ISO_POINT_LAW_LAGGED, 1e-5,
                                                       iso_spatial_zero(), NULL, delassus, &t.arena,
                                                       &points));
            iso_compliant_points_eval(&points, v, gradient, NULL);
            force[i] = -gradient[5] / 1e-5;
            two_bodies_free(&t);
        }
        CHECK_REL(energy[1], energy[0], 1e-12);                         // measured 4e-15
        CHECK_REL(force[1], force[0], 1e-12);                           // measured 8e-15
        CHECK_VEC3_NEAR(f[1].translational, f[0].translational, 1e-10); // measured 4.3e-14 N
        if (representation == ISO_REPRESENTATION_TRIANGLE) {
            // The mesh of the larger box cuts the patch otherwise: the rule must be exact.
            CHECK_VEC3_NEAR(f[1].rotational, f[0].rotational, 1e-10); // measured 2.1e-15 N m
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_return_with_the_restitution_asked_for),
        cmocka_unit_test(dissipation_from_restitution_has_its_limits),
        cmocka_unit_test(extents_undo_moduli),
        cmocka_unit_test(expansion_rates_set_the_dissipation),
        cmocka_unit_test(elandt_rules_agree_on_layers_of_even_thickness),
        cmocka_unit_test(extent_rate_is_hunt_crossley_on_an_even_layer),
        cmocka_unit_test(extent_rate_of_a_curved_modulus_follows_the_extent),
        cmocka_unit_test(given_pressures_say_how_stiff_a_body_is),
        cmocka_unit_test(extent_rates_of_two_sides_add_up_their_powers),
        cmocka_unit_test(adhesion_is_a_floor_that_the_smaller_side_sets),
        cmocka_unit_test(lagged_potential_with_adhesion_is_convex_and_smooth),
        cmocka_unit_test(lagged_adhesion_tends_to_the_continuous_law),
        cmocka_unit_test(adhesion_takes_energy_and_stops_at_its_floor),
        cmocka_unit_test(a_margin_changes_no_force_and_no_energy),
    };
    return cmocka_run_group_tests_name("damping", tests, NULL, NULL);
}
