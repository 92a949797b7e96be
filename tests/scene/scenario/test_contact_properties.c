// SPDX-FileCopyrightText: 2026 The Isobar authors
// SPDX-License-Identifier: Apache-2.0

// Contact properties of scenarios, SDFormat and URDF: all keys, which place wins, and mistakes.

#include "scene/fixture.h"

static const iso_contact_material* material(fixture* f, int geometry) {
    return &iso_model_geometry(f->scene.model, geometry, NULL)->material;
}

#define BALL(properties)                                                                        \
    "bodies:\n- name: ball\n  mass: 1\n  geometry:\n  - {shape: sphere, radius: 0.1" properties \
    "}\n"

static void scenarios_have_every_property(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_SCENARIO,
            "simulation: {combine: elandt_mean, damping: extent_rate}\n" BALL(
                ", extent: poisson, modulus: 2e5, stiffening: 0.5, layers: 6, expansion_rate: 30, "
                "adhesion: 120, margin: auto"));
    const iso_contact_material* m = material(f, 0);
    assert_int_equal(m->extent_kind, ISO_EXTENT_POISSON);
    CHECK_BITS(m->stiffening, 0.5);
    assert_int_equal(m->layer_count, 6);
    CHECK_BITS(m->expansion_rate, 30.0);
    CHECK_BITS(m->adhesion, 120.0);
    CHECK_BITS(m->margin, ISO_MARGIN_AUTO);
    assert_int_equal(f->scene.world.contact.combine, ISO_COMBINE_ELANDT_MEAN);
    assert_int_equal(f->scene.world.contact.damping, ISO_DAMPING_EXTENT_RATE);
    load_as(f, ISO_SCENE_FORMAT_SCENARIO,
            BALL(", modulus_table: [[0, 1e5], [0.5, 2e5], [1, 8e5]], restitution: 0.4, "
                 "restitution_speed: 2, extent: distance, margin: 2e-4"));
    m = material(f, 0);
    assert_int_equal(m->modulus_row_count, 3);
    CHECK_BITS(m->modulus_table[1].extent, 0.5);
    CHECK_BITS(m->modulus_table[2].modulus, 8e5);
    CHECK_BITS(m->restitution, 0.4);
    CHECK_BITS(m->restitution_speed, 2.0);
    assert_int_equal(m->extent_kind, ISO_EXTENT_DISTANCE);
    CHECK_BITS(m->margin, 2e-4);
    load_as(f, ISO_SCENE_FORMAT_SCENARIO, BALL(""));
    CHECK_BITS(material(f, 0)->margin, ISO_MARGIN_AUTO);
    assert_int_equal(material(f, 0)->modulus_row_count, 0);
}

static void load_sdf(fixture* f, const char* properties) {
    char text[768];
    snprintf(text, sizeof text,
             "<sdf version='1.9'><model name='m'><link name='a'><collision name='c'><geometry>"
             "<sphere><radius>0.1</radius></sphere></geometry><isobar:contact_properties>%s"
             "</isobar:contact_properties></collision></link></model></sdf>",
             properties);
    load_as(f, ISO_SCENE_FORMAT_SDF, text);
}

// Flags of meshes: false unless stated, a later place says the last word, also when that is false.
static void flags_of_meshes_are_read_and_replaced(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_SCENARIO, BALL(""));
    CHECK(!material(f, 0)->is_mesh_kept && !material(f, 0)->is_skin_bonded, "stated by nobody");
    load_as(f, ISO_SCENE_FORMAT_SCENARIO, BALL(", keep_mesh: true"));
    CHECK(material(f, 0)->is_mesh_kept && !material(f, 0)->is_skin_bonded, "keep_mesh alone");
    load_as(f, ISO_SCENE_FORMAT_SCENARIO, BALL(", bonded_skin: true"));
    CHECK(!material(f, 0)->is_mesh_kept && material(f, 0)->is_skin_bonded, "bonded_skin alone");
    load_as(f, ISO_SCENE_FORMAT_SCENARIO,
            "default_material: {keep_mesh: true, bonded_skin: true}\n" BALL(", keep_mesh: false"));
    CHECK(!material(f, 0)->is_mesh_kept && material(f, 0)->is_skin_bonded, "replaced by false");
    load_sdf(f, "<isobar:keep_mesh>true</isobar:keep_mesh>");
    CHECK(material(f, 0)->is_mesh_kept && !material(f, 0)->is_skin_bonded, "tag keep_mesh");
    load_sdf(f, "<isobar:bonded_skin>true</isobar:bonded_skin>"
                "<isobar:keep_mesh>false</isobar:keep_mesh>");
    CHECK(!material(f, 0)->is_mesh_kept && material(f, 0)->is_skin_bonded, "tag bonded_skin");
}

// A later place that states one way to say dissipation, or one way to say moduli, replaces others.
static void later_places_replace_rival_properties(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_SCENARIO,
            "default_material: {dissipation: 7, modulus: 3e5, stiffening: 0.2}\n"
            "materials: {foam: {modulus_table: [[0, 1e5], [1, 2e5]], restitution: 0.3}}\n"
            "contact_overrides: [{geometry: 'ball::two', modulus: 4e5, dissipation: 9}]\n"
            "bodies:\n- name: ball\n  mass: 1\n  geometry:\n"
            "  - {name: one, shape: sphere, radius: 0.1, material: foam}\n"
            "  - {name: two, shape: sphere, radius: 0.1, material: foam}\n"
            "  - {name: three, shape: sphere, radius: 0.1, material: foam, expansion_rate: 8}\n"
            "  - {name: four, shape: sphere, radius: 0.1}\n");
    const iso_contact_material* one = material(f, 0);
    assert_int_equal(one->modulus_row_count, 2);
    CHECK_BITS(one->restitution, 0.3);
    CHECK_BITS(one->dissipation, 50.0);
    CHECK_BITS(one->stiffening, 0.0);
    const iso_contact_material* two = material(f, 1);
    assert_int_equal(two->modulus_row_count, 0);
    assert_null(two->modulus_table);
    CHECK_BITS(two->modulus, 4e5);
    CHECK_BITS(two->restitution, 0.0);
    CHECK_BITS(two->dissipation, 9.0);
    CHECK_BITS(material(f, 2)->expansion_rate, 8.0);
    CHECK_BITS(material(f, 2)->restitution, 0.0);
    CHECK_BITS(material(f, 3)->dissipation, 7.0);
    CHECK_BITS(material(f, 3)->stiffening, 0.2);
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    iso_world_destroy(world);
}

#define TAGS                                                                             \
    "<drake:proximity_properties><drake:hunt_crossley_dissipation>20</"                  \
    "drake:hunt_crossley_dissipation><drake:hydroelastic_modulus>3e5</"                  \
    "drake:hydroelastic_modulus></drake:proximity_properties>"                           \
    "<isobar:contact_properties><isobar:compliance>compliant</isobar:compliance>"        \
    "<isobar:extent>poisson</isobar:extent><isobar:modulus_table>0 1e5  0.5 2e5\n 1 8e5" \
    "</isobar:modulus_table><isobar:layers>4</isobar:layers>"                            \
    "<isobar:restitution>0.4</isobar:restitution><isobar:margin>auto</isobar:margin>"    \
    "<isobar:friction>0.8</isobar:friction></isobar:contact_properties>"

static void check_tags(fixture* f) {
    const iso_contact_material* m = material(f, 0);
    assert_int_equal(m->compliance, ISO_COMPLIANCE_COMPLIANT);
    assert_int_equal(m->extent_kind, ISO_EXTENT_POISSON);
    assert_int_equal(m->modulus_row_count, 3);
    CHECK_BITS(m->modulus_table[1].modulus, 2e5);
    assert_int_equal(m->layer_count, 4);
    CHECK_BITS(m->restitution, 0.4);
    CHECK_BITS(m->dissipation, 50.0); // the tag of Drake is replaced
    CHECK_BITS(m->margin, ISO_MARGIN_AUTO);
    CHECK_BITS(m->friction_static, 0.8);
    CHECK_BITS(m->friction_dynamic, 0.8);
    assert_int_equal(f->log.warning_count, 0);
}

static void model_files_have_a_block_of_their_own(void** state) {
    fixture* f = *state;
    load_as(f, ISO_SCENE_FORMAT_SDF,
            "<sdf version='1.9'><model name='m'><link name='a'><inertial><mass>1</mass></inertial>"
            "<collision name='c'><geometry><sphere><radius>0.1</radius></sphere></geometry>" TAGS
            "</collision></link></model></sdf>");
    check_tags(f);
    load_as(
        f, ISO_SCENE_FORMAT_URDF,
        "<robot name='m'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
        "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/>"
        "</geometry>" TAGS "</collision></link></robot>");
    check_tags(f);
    load_as(
        f, ISO_SCENE_FORMAT_URDF,
        "<robot name='m'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
        "izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision><geometry><sphere radius='0.1'/>"
        "</geometry><isobar:contact_properties><isobar:expansion_rate value='12'/>"
        "<isobar:colour value='red'/></isobar:contact_properties></collision></link></robot>");
    CHECK_BITS(material(f, 0)->expansion_rate, 12.0);
    assert_int_equal(f->log.warning_count, 1);
    CHECK_TEXT(f->log.text, "isobar:colour");
}

static void mistakes_are_named_with_their_line(void** state) {
    fixture* f = *state;
    const struct {
        const char *properties, *message;
    } scenarios[] = {
        {", extent: cubic", "6: extent is 'cubic', expected one of auto, distance, poisson"},
        {", stiffening: 1", "stiffening is 1, expected >= 0 and < 1"},
        {", stiffening: -0.1", "stiffening is -0.1, expected >= 0"},
        {", layers: 2.5", "layers is 2.5, expected a whole number, 0 to 1000"},
        {", layers: -1", "layers is -1, expected a whole number"},
        {", expansion_rate: 0", "expansion_rate is 0 1/s, expected > 0"},
        {", restitution: 1.1", "restitution is 1.1, expected > 0 and <= 1"},
        {", restitution: 0", "restitution is 0, expected > 0 and <= 1"},
        {", restitution_speed: -1", "restitution_speed is -1 m/s, expected >= 0"},
        {", adhesion: -1", "adhesion is -1 Pa, expected >= 0"},
        {", margin: wide", "margin is 'wide', expected a"},
        {", margin: -1", "margin is -1 m, expected >= 0"},
        {", keep_mesh: maybe", "keep_mesh is 'maybe', expected true or false"},
        {", bonded_skin: 1", "bonded_skin is '1', expected true or false"},
        {", dissipation: 3, restitution: 0.5",
         "dissipation and restitution are both given, expected one of dissipation, expansion_rate"},
        {", expansion_rate: 3, restitution: 0.5", "expansion_rate and restitution are both given"},
        {", modulus: 1e5, modulus_table: [[0, 1e5]]",
         "modulus_table and modulus are both given; the table replaces modulus and stiffening"},
        {", stiffening: 0.5, modulus_table: [[0, 1e5]]",
         "modulus_table and stiffening are both given"},
        {", modulus_table: 3", "modulus_table is no list of rows"},
        {", modulus_table: [0, 1e5]",
         "row 1 of modulus_table is no list, expected [extent, modulus]"},
        {", modulus_table: [[0, 1e5, 2]]", "a row of modulus_table"},
        {", modulus_table: [[0, 1e5], [0, 2e5]]",
         "extent of row 2 of modulus_table is 0, expected above 0"},
        {", modulus_table: [[0, 0]]", "modulus of row 1 of modulus_table is 0 Pa, expected > 0"},
        {", modulus_table: [[0, 1e5], [0.5, 9e5], [0.6, 1e5]]",
         "pressure M(e) e falls between rows 2 and 3"},
    };
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
        char text[512];
        snprintf(text, sizeof text, "\n" BALL("%s"), scenarios[i].properties);
        iso_scene_destroy(f->ctx, &f->scene);
        iso_status status = load_text(f->ctx, ISO_SCENE_FORMAT_SCENARIO, text, &f->scene);
        CHECK(status != ISO_OK, "%s was read", scenarios[i].properties);
        CHECK_ERROR(f->ctx, scenarios[i].message);
        CHECK_ERROR(f->ctx, ":6: ");
    }
    const struct {
        const char *tag, *message;
    } tags[] = {
        {"<isobar:extent>cubic</isobar:extent>",
         ":3: <isobar:extent> is 'cubic', expected one of auto, distance, poisson"},
        {"<isobar:restitution>2</isobar:restitution>",
         ":3: <isobar:restitution> is 2, expected > 0 and <= 1"},
        {"<isobar:restitution>0</isobar:restitution>",
         ":3: <isobar:restitution> is 0, expected > 0 and <= 1"},
        {"<isobar:friction>-0.1</isobar:friction>", ":3: <isobar:friction> is -0.1, expected >= 0"},
        {"<isobar:margin>wide</isobar:margin>", ":3: <isobar:margin>: its value is 'wide'"},
        {"<isobar:modulus_table>0 1e5 1</isobar:modulus_table>",
         ":3: <isobar:modulus_table> has 3 numbers, expected pairs"},
        {"<isobar:layers>1.5</isobar:layers>", ":3: layers is 1.5"},
        {"<isobar:keep_mesh>maybe</isobar:keep_mesh>",
         ":3: <isobar:keep_mesh> is 'maybe', expected true or false"},
        {"<isobar:bonded_skin>1</isobar:bonded_skin>",
         ":3: <isobar:bonded_skin> is '1', expected true or false"},
        {"<isobar:restitution>0.5</isobar:restitution><isobar:dissipation>3</isobar:dissipation>",
         "dissipation and restitution are both given"},
    };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i) {
        char text[768];
        snprintf(text, sizeof text,
                 "<sdf version='1.9'><model name='m'><link name='a'><collision name='c'><geometry>"
                 "<sphere><radius>0.1</radius></sphere></geometry>\n<isobar:contact_properties>\n%s"
                 "</isobar:contact_properties></collision></link></model></sdf>",
                 tags[i].tag);
        iso_scene_destroy(f->ctx, &f->scene);
        CHECK(load_text(f->ctx, ISO_SCENE_FORMAT_SDF, text, &f->scene) != ISO_OK, "%s was read",
              tags[i].tag);
        CHECK_ERROR(f->ctx, tags[i].message);
    }
}

// More rows than any other list of numbers in a file.
static void a_long_table_of_moduli_is_read_from_xml(void** state) {
    fixture* f = *state;
    char table[1024] = "";
    char text[2048];
    size_t used = 0;
    for (int i = 0; i <= 20; ++i) {
        used += (size_t)snprintf(table + used, sizeof table - used, "%g 1e5 ", i / 20.0);
    }
    snprintf(text, sizeof text,
             "<sdf version='1.7'><model name='m'><link name='a'><collision name='c'><geometry>"
             "<sphere><radius>1</radius></sphere></geometry><isobar:contact_properties>"
             "<isobar:modulus_table>%s</isobar:modulus_table></isobar:contact_properties>"
             "</collision></link></model></sdf>",
             table);
    CHECK_OK(f->ctx, load_text(f->ctx, ISO_SCENE_FORMAT_SDF, text, &f->scene));
    assert_int_equal(geometry_of(&f->scene, "m::a", "c")->material.modulus_row_count, 21);
}

static int count_contacts(fixture* f, const char* exclusions) {
    char text[1024];
    snprintf(text, sizeof text,
             "bodies:\n"
             "- {name: m::a, mass: 1, geometry: [{name: tip, shape: sphere, radius: 0.1},"
             " {name: side, shape: sphere, radius: 0.1}]}\n"
             "- {name: m::b, mass: 1, geometry: [{name: tip, shape: sphere, radius: 0.1}],"
             " pose: {translation: [0.05, 0, 0]}}\n"
             "- {name: n::c, mass: 1, geometry: [{name: skin, shape: sphere, radius: 0.1}],"
             " pose: {translation: [0.1, 0, 0]}}\n%s",
             exclusions);
    load_as(f, ISO_SCENE_FORMAT_SCENARIO, text);
    iso_world* world = NULL;
    CHECK_OK(f->ctx, iso_world_create(f->ctx, f->scene.model, &f->scene.world, &world));
    CHECK_OK(f->ctx, iso_world_update_contacts(world));
    int count = iso_world_contact_count(world);
    iso_world_destroy(world);
    return count;
}

// a has two geometries, b and c one each: five pairs, as those of one body do not count.
static void excluded_geometries_never_touch(void** state) {
    fixture* f = *state;
    assert_int_equal(count_contacts(f, ""), 5);
    assert_int_equal(count_contacts(f, "excluded_geometries:\n"), 5);
    assert_int_equal(count_contacts(f, "excluded_geometries:\n"
                                       "- {geometry_a: 'm::a::side', geometry_b: 'n::c::skin'}\n"),
                     4);
    assert_int_equal(count_contacts(f, "excluded_geometries:\n"
                                       "- {geometry_a: '*::tip', geometry_b: 'm::*'}\n"),
                     3);
    assert_int_equal(count_contacts(f, "excluded_geometries:\n"
                                       "- {geometry_a: '*::tip', geometry_b: '*::skin'}\n"
                                       "- {geometry_a: 'n::c::*', geometry_b: '*'}\n"),
                     2);
    assert_int_equal(
        count_contacts(f, "excluded_geometries: [{geometry_a: '*', geometry_b: '*'}]\n"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(scenarios_have_every_property),         TEST(flags_of_meshes_are_read_and_replaced),
        TEST(later_places_replace_rival_properties), TEST(model_files_have_a_block_of_their_own),
        TEST(mistakes_are_named_with_their_line),    TEST(a_long_table_of_moduli_is_read_from_xml),
        TEST(excluded_geometries_never_touch),
    };
    return cmocka_run_group_tests_name("contact_properties", tests, NULL, NULL);
}
