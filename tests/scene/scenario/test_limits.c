// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Numbers that would make a scene slow, endless or meaningless are refused with their line.

#include "isobar/names.h"
#include "scene/fixture.h"

#define SPHERE(properties)                                                \
    "bodies:\n- name: a\n  density: 1\n  geometry:\n  - {shape: sphere, " \
    "radius: 0.05, " properties "}\n"
#define SHAPE(shape, properties) \
    "bodies:\n- name: a\n  density: 1\n  geometry:\n  - {shape: " shape ", " properties "}\n"
#define DRAKE(tag)                                                                             \
    "<sdf version='1.9'><model name='m'><link name='a'><collision name='c'><geometry><sphere>" \
    "<radius>0.05</radius></sphere></geometry>\n<drake:proximity_properties>" tag              \
    "</drake:proximity_properties></collision></link></model></sdf>"
#define DRAKE_URDF(tag)                                                                           \
    "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' " \
    "ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.05'/></geometry>" \
    "\n<drake:proximity_properties>" tag                                                          \
    "</drake:proximity_properties></collision></link></robot>"
#define GEOM(attributes)                                                \
    "<mujoco><worldbody><body>\n<freejoint/><geom size='1' " attributes \
    "/></body></worldbody></mujoco>"

typedef struct limit_case {
    iso_scene_format_kind format;
    const char* text;
    const char* message;
} limit_case;

#define YAML ISO_SCENE_FORMAT_SCENARIO
#define SDF ISO_SCENE_FORMAT_SDF
#define URDF ISO_SCENE_FORMAT_URDF
#define XML ISO_SCENE_FORMAT_XML

static const limit_case k_cases[] = {
    // Meshes too fine for any machine.
    {YAML, SPHERE("resolution_hint: 1.0e-9"),
     "test.yaml:5: resolution hint is 1e-09 m: a sphere of 0.1 m would be made of 1.4e+17 "
     "tetrahedra, expected at most 600000, a hint >= 0.00031 m (0.00031 m makes 524288)"},
    {YAML, SHAPE("capsule", "radius: 0.05, length: 0.1, resolution_hint: 1.0e-9"),
     "a capsule of 0.2 m would be made of 2e+17 tetrahedra, expected at most 600000, a hint >= "},
    {YAML, SHAPE("cylinder", "radius: 0.05, length: 0.2, resolution_hint: 1.0e-9"),
     "a cylinder of 0.2 m would be made of 1.6e+09 tetrahedra"},
    {YAML, SHAPE("ellipsoid", "semi_axes: [0.1, 0.1, 0.05], resolution_hint: 1.0e-9"),
     "an ellipsoid of 0.2 m would be made of"},
    {YAML, SPHERE("") "default_material: {resolution_hint: 1.0e-9}\n",
     "test.yaml:6: resolution hint is 1e-09 m: a sphere"},
    {YAML, SPHERE("") "contact_overrides:\n- {geometry: '*', resolution_hint: 1.0e-9}\n",
     "test.yaml:7: resolution hint is 1e-09 m: a sphere"},
    {SDF, DRAKE("<drake:mesh_resolution_hint>1e-9</drake:mesh_resolution_hint>"),
     "test.sdf:1: resolution hint is 1e-09 m: a sphere"},
    {URDF, DRAKE_URDF("<drake:mesh_resolution_hint value='1e-9'/>"),
     "test.urdf:1: resolution hint is 1e-09 m: a sphere"},
    // Margins wider than the body.
    {YAML, SPHERE("margin: 10"),
     "test.yaml:5: margin is 10 m around a sphere of 0.1 m, expected at most its size"},
    {YAML, SHAPE("box", "size: [0.02, 0.05, 0.01], margin: 0.06"),
     "margin is 0.06 m around a box of 0.05 m"},
    {SDF, DRAKE("<drake:hydroelastic_margin>10</drake:hydroelastic_margin>"),
     "test.sdf:1: margin is 10 m around a sphere of 0.1 m"},
    {URDF, DRAKE_URDF("<drake:hydroelastic_margin value='10'/>"),
     "test.urdf:1: margin is 10 m around a sphere of 0.1 m"},
    // Materials.
    {YAML, SPHERE("friction: 1.0e9"), "friction is 1e+09, expected >= 0 and <= 1e+06"},
    {YAML, SPHERE("friction: -1"), "friction is -1, expected >= 0 and <= 1e+06"},
    {YAML, SPHERE("modulus: 0"), "modulus is 0 Pa, expected > 0 and <= 1e+15"},
    {YAML, SPHERE("modulus: 1.0e30"), "modulus is 1e+30 Pa, expected > 0 and <= 1e+15"},
    {YAML, SPHERE("modulus: .nan"), "modulus is '.nan', expected a number"},
    {YAML, SPHERE("dissipation: -1"), "dissipation is -1 s/m, expected >= 0 and <= 1e+06"},
    {YAML, SPHERE("dissipation: 1.0e12"), "dissipation is 1e+12 s/m, expected >= 0 and <= 1e+06"},
    {YAML, SPHERE("relaxation_time: 1.0e12"), "relaxation_time is 1e+12 s, expected"},
    {YAML, SPHERE("slab_thickness: 1.0e12"), "slab_thickness is 1e+12 m, expected > 0"},
    {YAML, SPHERE("expansion_rate: 1.0e12"), "expansion_rate is 1e+12 1/s, expected > 0"},
    {YAML, SPHERE("adhesion: 1.0e30"), "adhesion is 1e+30 Pa, expected >= 0"},
    {YAML, "bodies:\n- {name: a, density: 1.0e9, geometry: [{shape: sphere, radius: 1}]}",
     "test.yaml:2: density is 1e+09 kg/m^3, expected > 0 and <= 1e+06"},
    {YAML,
     "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1]}\njoints:\n- {name: j, type: revolute, "
     "parent: world, child: a}\nactuation:\n- {joint: j, effort: 1, effort_limit: 2, "
     "effort_lower: 3}",
     "test.yaml:6: actuator 'j': effort is 3 to inf, expected to rise and to meet +-2"},
    {YAML,
     "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1]}\njoints:\n- {name: j, type: revolute, "
     "parent: world, child: a}\nactuation:\n- {joint: j, effort: 1, effort_lower: 3}\n"
     "programs:\n- name: p\n  joints: [j]\n  effort_limit: 2\n  steps: [{name: s, duration: 1}]",
     "test.yaml:10: actuator 'j': effort is 3 to inf, expected to rise and to meet +-2"},
    {YAML, "bodies:\n- {name: a, mass: 1, inertia: [1, 1, 1], gravity_compensation: 2.0e6}",
     "test.yaml:2: body 'a': gravity compensation is 2e+06, expected at most 1e+06 in size"},
    {XML, "<mujoco><worldbody>\n<body gravcomp='-2e6'><geom size='1'/></body></worldbody></mujoco>",
     "test.xml:2: body 'test::body_1': gravity compensation is -2e+06, expected at most 1e+06"},
    {YAML, "bodies:\n- {name: a, mass: 1.0e13, geometry: [{shape: sphere, radius: 1}]}",
     "test.yaml:2: mass is 1e+13 kg, expected > 0 and <= 1e+12"},
    {YAML, SPHERE("") "simulation: {gravity: [0, 0, -1.0e5]}",
     "test.yaml:6: gravity is 100000 m/s^2, expected at most 10000"},
    {SDF, DRAKE("<drake:hydroelastic_modulus>1e30</drake:hydroelastic_modulus>"),
     "test.sdf:2: <drake:hydroelastic_modulus> is 1e+30 Pa, expected > 0 and <= 1e+15"},
    {SDF, DRAKE("<drake:hydroelastic_modulus>0</drake:hydroelastic_modulus>"),
     "<drake:hydroelastic_modulus> is 0 Pa, expected > 0"},
    {SDF, DRAKE("<drake:mu_static>1e9</drake:mu_static>"),
     "<drake:mu_static> is 1e+09, expected >= 0 and <= 1e+06"},
    {SDF, DRAKE("<drake:mu_dynamic>-1</drake:mu_dynamic>"), "<drake:mu_dynamic> is -1"},
    {SDF, DRAKE("<drake:hunt_crossley_dissipation>-1</drake:hunt_crossley_dissipation>"),
     "<drake:hunt_crossley_dissipation> is -1 s/m, expected >= 0"},
    {URDF, DRAKE_URDF("<drake:hydroelastic_modulus value='1e30'/>"),
     "test.urdf:2: <drake:hydroelastic_modulus> is 1e+30 Pa"},
    {URDF, DRAKE_URDF("<drake:relaxation_time value='1e9'/>"),
     "<drake:relaxation_time> is 1e+09 s, expected >= 0 and <= 1e+06"},
    {XML, GEOM("friction='-1'"), "test.xml:2: <geom>: friction is -1, expected >= 0"},
    {XML, GEOM("friction='1e9'"), "<geom>: friction is 1e+09, expected >= 0 and <= 1e+06"},
    {XML, GEOM("density='1e9'"), "<geom>: density is 1e+09 kg/m^3, expected >= 0 and <= 1e+06"},
    {XML, GEOM("density='-1'"), "<geom>: density is -1 kg/m^3"},
    {XML, GEOM("mass='1e13'"), "<geom>: mass is 1e+13 kg, expected >= 0 and <= 1e+12"},
    {XML, "<mujoco><option timestep='1e9'/></mujoco>",
     "test.xml:1: <option>: timestep is 1e+09 s, expected > 0 and <= 1"},
    {XML, "<mujoco><option timestep='-1'/></mujoco>", "<option>: timestep is -1 s"},
    {XML, "<mujoco><option timestep='nan'/></mujoco>",
     "test.xml:1: <option>: timestep holds 'nan'"},
};

static void numbers_that_suit_nothing_are_refused_at_their_line(void** state) {
    fixture* f = *state;
    for (size_t i = 0; i < sizeof k_cases / sizeof *k_cases; ++i) {
        iso_status status = load_text(f->ctx, k_cases[i].format, k_cases[i].text, &f->scene);
        CHECK(status != ISO_OK, "case %zu is accepted: %s", i, k_cases[i].message);
        CHECK_ERROR(f->ctx, k_cases[i].message);
    }
}

static void numbers_at_the_bound_are_read(void** state) {
    fixture* f = *state;
    const char* const texts[] = {SPHERE("margin: 0.1"),
                                 SPHERE("margin: auto"),
                                 SPHERE("compliance: rigid, margin: 10"),
                                 SPHERE("friction: 1.0e6"),
                                 SPHERE("resolution_hint: 0"),
                                 SPHERE("resolution_hint: 0.00031"),
                                 SHAPE("half_space", "margin: 10") "  inertia: [1, 1, 1]\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        iso_status status = load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, texts[i], &f->scene);
        if (i + 1 < sizeof texts / sizeof *texts) {
            CHECK_OK(f->ctx, status);
        } else {
            CHECK(status != ISO_OK, "a half space has no mass");
            assert_null(strstr(iso_context_error(f->ctx), "margin")); // it has no size to exceed
        }
        iso_scene_destroy(f->ctx, &f->scene);
    }
}

static void fine_meshes_are_a_warning_with_the_count(void** state) {
    fixture* f = *state;
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, SPHERE("resolution_hint: 0.001"),
                               &f->scene));
    CHECK_TEXT(f->log.text, "test.yaml:5: resolution hint is 0.001 m: a sphere of 0.1 m is made of "
                            "131072 tetrahedra, which is slow; 0.0013 m makes 32768");
}

static void friction_that_a_method_does_not_have_is_a_warning(void** state) {
    fixture* f = *state;
    const struct {
        const char* text;
        int warning_count;
    } cases[] = {
        {"simulation: {friction: stick}\n", 0},
        {"simulation: {method: tamsi}\n", 0}, // stick is the default; nobody asked for it
        {"simulation: {friction: regularized, method: tamsi}\n", 0},
        {"simulation: {method: rk45, friction_law: compliant, friction_stiffness: 1e3}\n", 0},
        {"simulation:\n  method: tamsi\n  friction: stick\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", cases[i].text,
                 "bodies:\n- {name: a, mass: 1, geometry: [{shape: box, size: [1, 1, 1]}]}\n");
        CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, text, &f->scene));
        assert_int_equal(f->log.warning_count, cases[i].warning_count);
        iso_scene_destroy(f->ctx, &f->scene);
    }
    CHECK_TEXT(f->log.text, "test.yaml:3: friction is 'stick', which method 'tamsi' does not have");
}

static void friction_laws_are_chosen_by_name(void** state) {
    fixture* f = *state;
    const struct {
        const char *law, *error;
    } cases[] = {{"three_piece", NULL},
                 {"compliant", NULL},
                 {"own", "test.yaml:2: friction_law is 'own', expected viscous, tanh"},
                 {"coulomb", "test.yaml:2: friction_law is 'coulomb', expected"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[512];
        snprintf(text, sizeof text, "simulation:\n  friction_law: %s\n%s", cases[i].law,
                 "bodies:\n- {name: a, mass: 1, geometry: [{shape: box, size: [1, 1, 1]}]}\n");
        iso_status status = load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, text, &f->scene);
        assert_int_equal(status == ISO_OK, cases[i].error == NULL);
        if (cases[i].error) {
            CHECK_ERROR(f->ctx, cases[i].error);
        } else {
            assert_string_equal(
                iso_name_of(ISO_NAMES_FRICTION_LAW, (int)f->scene.world.contact.friction_law),
                cases[i].law);
            iso_scene_destroy(f->ctx, &f->scene);
        }
    }
}

// What a chain of links without mass says when it is to move.
typedef struct mass_case {
    iso_scene_format_kind format;
    const char* text;
    const char* message; // "": it is well
} mass_case;

#define LINKS                                                                                  \
    "<robot name='r'>\n<link name='base'><inertial><mass value='1'/><inertia ixx='1' iyy='1' " \
    "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>\n<link name='tip'/>\n"
#define ENDS "<parent link='base'/><child link='tip'/></joint>"
#define ACTUATED                                                                         \
    "<transmission><type>SimpleTransmission</type><joint name='j'/><actuator name='m'/>" \
    "</transmission>"
#define BARE \
    "<inertial><mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia></inertial>"

static const mass_case k_masses[] = {
    {ISO_SCENE_FORMAT_SDF,
     "<sdf version='1.9'><model name='m'>\n<link name='a'>" BARE "</link></model></sdf>",
     "test.sdf:2: body 'm::a' floats freely, but it and what hangs on it have mass 0 kg"},
    {URDF, LINKS "<joint name='j' type='continuous'>" ENDS ACTUATED "</robot>",
     "test.urdf:3: body 'r::tip' and what hangs on it have mass 0 kg, but revolute joint 'r::j' "
     "(test.urdf:4) moves it, expected > 0: give it a mass and an inertia, or weld it"},
    {URDF, LINKS "<joint name='j' type='prismatic'>" ENDS ACTUATED "</robot>",
     "prismatic joint 'r::j'"},
    {URDF, LINKS "<joint name='j' type='fixed'>" ENDS "</robot>", ""},
    {URDF, "<robot name='r'>\n<link name='a'/></robot>", ""}, // it stands
    {URDF,
     "<robot name='r'>\n<link name='world'/>\n<link name='a'/><joint name='j' type='floating'>"
     "<parent link='world'/><child link='a'/></joint></robot>",
     "test.urdf:3: body 'r::a' floats freely, but it and what hangs on it have mass 0 kg"},
    {URDF,
     LINKS "<joint name='j' type='continuous'>" ENDS
           "<transmission><type>SimpleTransmission</type><joint name='j'/><actuator name='m'>"
           "<drake:rotor_inertia value='1e-3'/></actuator></transmission></robot>",
     ""}, // the rotor is what it moves
    {XML,
     "<mujoco model='m'><worldbody>\n<body name='b'>\n<joint "
     "name='j'/></body></worldbody></mujoco>",
     "test.xml:2: body 'm::b' and what hangs on it have mass 0 kg, but revolute joint 'm::j' "
     "(test.xml:3) moves it"},
};

static void motion_without_mass_names_body_and_joint(void** state) {
    fixture* f = *state;
    for (size_t i = 0; i < sizeof k_masses / sizeof *k_masses; ++i) {
        iso_world* world = NULL;
        CHECK_OK(f->ctx, load_text(f->ctx, k_masses[i].format, k_masses[i].text, &f->scene));
        iso_status status = iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world);
        if (*k_masses[i].message) {
            assert_int_equal(status, ISO_ERR_RANGE);
            CHECK_ERROR(f->ctx, k_masses[i].message);
        } else {
            CHECK_OK(f->ctx, status);
        }
        iso_world_destroy(world);
        iso_scene_destroy(f->ctx, &f->scene);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(numbers_that_suit_nothing_are_refused_at_their_line),
        TEST(numbers_at_the_bound_are_read),
        TEST(fine_meshes_are_a_warning_with_the_count),
        TEST(friction_that_a_method_does_not_have_is_a_warning),
        TEST(friction_laws_are_chosen_by_name),
        TEST(motion_without_mass_names_body_and_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
