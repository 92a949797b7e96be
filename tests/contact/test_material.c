// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

#include "contact/pairs/material.h"
#include "support/check.h"
#include "support/failing_context.h"

static void default_material_and_options_are_valid(void** state) {
    iso_contact_material material = iso_contact_material_default();
    iso_contact_options options = iso_contact_options_default();
    CHECK_OK(*state, iso_contact_material_check(*state, &material, "box"));
    CHECK_OK(*state, iso_contact_options_check(*state, &options));
}

// Every number of a material: a value outside its range is refused and named.
static void bad_material_values_are_named(void** state) {
    const struct {
        size_t offset;
        double bad;
        const char* name;
    } cases[] = {
        {offsetof(iso_contact_material, modulus), 0.0, "modulus is 0 Pa"},
        {offsetof(iso_contact_material, modulus), INFINITY, "modulus is inf Pa"},
        {offsetof(iso_contact_material, resolution_hint), -1.0, "resolution hint is -1 m"},
        {offsetof(iso_contact_material, margin), -1e-3, "margin is -0.001 m"},
        {offsetof(iso_contact_material, slab_thickness), -1.0, "slab thickness is -1 m"},
        {offsetof(iso_contact_material, dissipation), -2.0, "dissipation is -2 s/m"},
        {offsetof(iso_contact_material, relaxation_time), -0.1, "relaxation time is -0.1 s"},
        {offsetof(iso_contact_material, friction_static), -0.5, "static friction is -0.5"},
        {offsetof(iso_contact_material, friction_static), NAN, "static friction is nan"},
        {offsetof(iso_contact_material, friction_dynamic), -0.5, "dynamic friction is -0.5"},
        {offsetof(iso_contact_material, friction_dynamic), 0.7, "at most the static friction 0.5"},
        {offsetof(iso_contact_material, stiffening), 1.0, "stiffening is 1, expected in [0, 1)"},
        {offsetof(iso_contact_material, expansion_rate), -1.0, "expansion rate is -1 1/s"},
        {offsetof(iso_contact_material, restitution), 1.5,
         "restitution is 1.5, expected in (0, 1]"},
        {offsetof(iso_contact_material, restitution_speed), -1.0, "restitution speed is -1 m/s"},
        {offsetof(iso_contact_material, adhesion), -3.0, "adhesion is -3 Pa"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        iso_contact_material material = iso_contact_material_default();
        *(double*)((char*)&material + cases[i].offset) = cases[i].bad;
        CHECK_STATUS(*state, iso_contact_material_check(*state, &material, "left_pad"),
                     ISO_ERR_RANGE);
        CHECK_ERROR(*state, "'left_pad'");
        CHECK_ERROR(*state, cases[i].name);
    }
    iso_contact_material material = iso_contact_material_default();
    material.compliance = (iso_compliance)7;
    CHECK_STATUS(*state, iso_contact_material_check(*state, &material, "left_pad"), ISO_ERR_RANGE);
    CHECK_ERROR(*state, "'left_pad': compliance is 7");
}

static void rival_dampings_are_named(void** state) {
    iso_contact_material material = iso_contact_material_default();
    material.expansion_rate = 3.0;
    CHECK_OK(*state, iso_contact_material_check(*state, &material, "pad"));
    material.dissipation = 20.0;
    CHECK_STATUS(*state, iso_contact_material_check(*state, &material, "pad"), ISO_ERR_ARGUMENT);
    CHECK_ERROR(*state, "'pad': dissipation and expansion rate are given, expected one of them");
    material.restitution = 0.5;
    CHECK_STATUS(*state, iso_contact_material_check(*state, &material, "pad"), ISO_ERR_ARGUMENT);
    CHECK_ERROR(*state, "dissipation and expansion rate and restitution are given");
    material = iso_contact_material_default();
    material.restitution = 0.5;
    CHECK_OK(*state, iso_contact_material_check(*state, &material, "pad"));
}

static void bad_tables_of_moduli_are_named(void** state) {
    const struct {
        iso_modulus_row rows[3];
        const char* name;
    } cases[] = {
        {{{0.0, 1e5}, {1.2, 2e5}, {0.0, 0.0}}, "extent of row 2 of the table of moduli is 1.2"},
        {{{0.5, 1e5}, {0.5, 2e5}, {1.0, 3e5}}, "extent of row 2 of the table of moduli is 0.5"},
        {{{0.0, 1e5}, {0.5, 0.0}, {1.0, 3e5}}, "modulus of row 2 of the table is 0 Pa"},
        {{{0.0, 1e5}, {0.5, 9e5}, {0.6, 1e5}}, "falls between rows 2 and 3"},
    };
    iso_contact_material material = iso_contact_material_default();
    material.modulus_row_count = 3;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        material.modulus_table = cases[i].rows;
        CHECK_STATUS(*state, iso_contact_material_check(*state, &material, "pad"), ISO_ERR_RANGE);
        CHECK_ERROR(*state, cases[i].name);
    }
    material.modulus_table = NULL;
    CHECK_STATUS(*state, iso_contact_material_check(*state, &material, "pad"), ISO_ERR_ARGUMENT);
    CHECK_ERROR(*state, "table of moduli of 3 rows");
}

static void bad_options_are_named(void** state) {
    iso_contact_options options = iso_contact_options_default();
    options.stiction_velocity = 0.0;
    CHECK_STATUS(*state, iso_contact_options_check(*state, &options), ISO_ERR_RANGE);
    CHECK_ERROR(*state, "stiction velocity is 0 m/s");
    options = iso_contact_options_default();
    options.rigid_layer_thickness = NAN;
    CHECK_STATUS(*state, iso_contact_options_check(*state, &options), ISO_ERR_RANGE);
    options = iso_contact_options_default();
    options.rigid_layer_modulus = -1.0;
    CHECK_STATUS(*state, iso_contact_options_check(*state, &options), ISO_ERR_RANGE);
    options = iso_contact_options_default();
    options.representation = (iso_representation)7;
    CHECK_STATUS(*state, iso_contact_options_check(*state, &options), ISO_ERR_ARGUMENT);
    CHECK_ERROR(*state, "representation is 7");
    options = iso_contact_options_default();
    options.cull = (iso_cull)7;
    CHECK_STATUS(*state, iso_contact_options_check(*state, &options), ISO_ERR_ARGUMENT);
    options = iso_contact_options_default();
    options.combine = (iso_combine)7;
    CHECK_STATUS(*state, iso_contact_options_check(*state, &options), ISO_ERR_ARGUMENT);
    CHECK_ERROR(*state, "combination rule is 7");
    options = iso_contact_options_default();
    options.damping = (iso_damping)7;
    CHECK_STATUS(*state, iso_contact_options_check(*state, &options), ISO_ERR_ARGUMENT);
    CHECK_ERROR(*state, "damping is 7");
}

static void friction_combines_as_harmonic_mean(void** state) {
    (void)state;
    CHECK_NEAR(iso_friction_combine(0.5, 0.5), 0.5, 0.0);    // measured 0
    CHECK_NEAR(iso_friction_combine(1.0, 0.25), 0.4, 1e-16); // measured 0
    CHECK_NEAR(iso_friction_combine(0.3, 0.0), 0.0, 0.0);    // measured 0
    CHECK_NEAR(iso_friction_combine(0.0, 0.0), 0.0, 0.0);    // measured 0
    CHECK_BITS(iso_friction_combine(0.7, 0.2), iso_friction_combine(0.2, 0.7));
}

static void drake_dissipation_follows_the_softer_body(void** state) {
    (void)state;
    CHECK_NEAR(iso_dissipation_combine(1e6, 10.0, 1e6, 20.0), 15.0, 1e-14);         // measured 0
    CHECK_NEAR(iso_dissipation_combine(1e6, 10.0, 3e6, 20.0), 12.5, 1e-14);         // measured 0
    CHECK_NEAR(iso_dissipation_combine(INFINITY, 10.0, 3e6, 20.0), 20.0, 0.0);      // measured 0
    CHECK_NEAR(iso_dissipation_combine(1e6, 10.0, INFINITY, 20.0), 10.0, 0.0);      // measured 0
    CHECK_NEAR(iso_dissipation_combine(INFINITY, 10.0, INFINITY, 20.0), 15.0, 0.0); // 0
    CHECK_NEAR(iso_dissipation_combine(1e6, 0.0, 1e6, 0.0), 0.0, 0.0);              // measured 0
    CHECK_NEAR(iso_dissipation_combine(1e6, 10.0, 1e20, 20.0), 10.0, 1e-12); // measured 1.1e-13
}

// [Elandt2022] eq. 5.14, as the balance of dissipated power behind it: p X v^2 is the sum of each
// body's own p X_i v_i^2, with shares of the closing velocity that keep both pressures equal.
static void elandt_dissipation_balances_the_power_of_both_bodies(void** state) {
    (void)state;
    double g_a = 3e6, g_b = 1e6, x_a = 7.0, x_b = 2.0, v = 0.3;
    double v_a = g_b / (g_a + g_b) * v, v_b = g_a / (g_a + g_b) * v;
    CHECK_REL(g_a * v_a, g_b * v_b, 1e-15); // pressure rates agree; measured 1.3e-16
    double power = x_a * v_a * v_a + x_b * v_b * v_b;
    double x = iso_dissipation_combine_face(g_a, x_a, g_b, x_b);
    CHECK_REL(x * v * v, power, 1e-15);                                          // measured 2e-16
    CHECK_NEAR(iso_dissipation_combine_face(1e6, 8.0, 1e6, 8.0), 4.0, 1e-15);    // measured 0
    CHECK_NEAR(iso_dissipation_combine_face(INFINITY, 8.0, 1e6, 3.0), 3.0, 0.0); // measured 0
    CHECK_NEAR(iso_dissipation_combine_face(1e6, 8.0, INFINITY, 3.0), 8.0, 0.0); // measured 0
    CHECK_NEAR(iso_dissipation_combine_face(1e22, 8.0, 1e6, 3.0), 3.0, 1e-12);   // measured 0
}

static int make_context(void** state) {
    *state = test_context();
    return 0;
}
static int drop_context(void** state) {
    test_context_destroy(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_material_and_options_are_valid),
        cmocka_unit_test(bad_material_values_are_named),
        cmocka_unit_test(rival_dampings_are_named),
        cmocka_unit_test(bad_tables_of_moduli_are_named),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(friction_combines_as_harmonic_mean),
        cmocka_unit_test(drake_dissipation_follows_the_softer_body),
        cmocka_unit_test(elandt_dissipation_balances_the_power_of_both_bodies),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
